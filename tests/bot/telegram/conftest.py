"""Fixtures of the Telegram tests."""

from __future__ import annotations

from tests.servers.telegram import telegram_server

__all__ = ["telegram_server"]
