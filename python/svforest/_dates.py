"""Dates and times as the library has them: days since 1970-01-01 in UTC, with a fraction."""

from __future__ import annotations

from ctypes import byref, c_double
from dataclasses import dataclass
from datetime import date, datetime, timezone
from typing import Any, Iterable

import numpy as np

from ._library import bytes_of, library

_DAY = 86400e9  # nanoseconds


@dataclass(frozen=True)
class Dates:
    """A column of dates; NaN is a missing one."""

    days: np.ndarray


def dates_of(times: np.ndarray) -> Dates:
    """Of an array of datetime64 in any unit; NaT is missing. The quotient and the sum are those of the library, so that a
    time has the same bits in a frame and in a file."""
    if np.datetime_data(times.dtype)[0] in ("ps", "fs", "as"):
        times = times.astype("datetime64[ns]")
    whole = times.astype("datetime64[D]")
    rest = (times - whole).astype("timedelta64[ns]").astype(np.int64)
    days = whole.astype(np.int64) + rest / _DAY
    days[np.isnat(times)] = np.nan
    return Dates(days)


def dates_of_values(values: Iterable[Any]) -> Dates:
    """Of dates and datetimes of Python, or of pandas, and None; a zone is taken to UTC."""
    return dates_of(np.array([_moment(value) for value in values], "datetime64[us]"))


def _moment(value: Any) -> np.datetime64:
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(timezone.utc).replace(tzinfo=None)
    return np.datetime64("NaT" if value is None or value != value else value, "us")


def is_moment(value: Any) -> bool:
    return isinstance(value, (date, np.datetime64))


def dates_of_text(codes: np.ndarray, levels: list[str]) -> Dates | None:
    """A column of text whose values are all dates, by the rule of the library for files; None: they are not."""
    days = np.full(len(levels) + 1, np.nan)  # the last is that of code -1
    found, any_date = c_double(), False
    for i, text in enumerate(levels):
        if library.svf_date_read(bytes_of(text), byref(found)):
            days[i], any_date = found.value, True
        elif text.lower() != "nat":
            return None
    return Dates(days[codes]) if any_date else None


def refuse_dates(values: Any, what: str) -> None:
    """Labels, targets and weights cannot be dates."""
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    objects = kind == "O" or isinstance(values, (list, tuple))
    polars = hasattr(values, "get_chunks") and values.dtype.is_temporal()  # a release without the interface of Arrow
    first = next((value for value in values if value is not None), None) if objects or polars else None
    if kind == "M" or is_moment(first):
        raise ValueError(
            f"{what} holds dates; make numbers of them, such as days since a day, or classes, such as the month's name"
        )
    if kind == "m" or polars:
        raise ValueError(f"{what} holds times; turn them into numbers first")
