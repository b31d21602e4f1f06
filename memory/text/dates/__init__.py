"""Dates and times that people say: found in a text, worked out, and written out."""

from memory.text.dates.window import times_named, window_asked, windows_named
from memory.text.dates.written import DateMatch, find_dates, local_time, write_date

__all__ = [
    "DateMatch",
    "find_dates",
    "local_time",
    "times_named",
    "window_asked",
    "windows_named",
    "write_date",
]
