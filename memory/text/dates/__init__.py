"""Dates and times that people say: found in a text, worked out, and written out."""

from memory.text.dates.days import find_next_day, read_repetition, write_nearness
from memory.text.dates.lengths import find_lengths, write_length
from memory.text.dates.readers import looks_ahead
from memory.text.dates.window import window_asked, windows_named
from memory.text.dates.written import DateMatch, find_clock, find_dates, local_time, write_date

__all__ = [
    "DateMatch",
    "find_clock",
    "find_dates",
    "find_lengths",
    "find_next_day",
    "local_time",
    "looks_ahead",
    "read_repetition",
    "window_asked",
    "windows_named",
    "write_date",
    "write_length",
    "write_nearness",
]
