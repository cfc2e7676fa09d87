"""Frames of pandas and polars, and tables of Arrow, as columns of numbers, dates and categories; single columns as
arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrow import is_arrow
from ._arrow_columns import read_columns, read_vector
from ._data import FLOATS, Rows
from ._dates import dates_of, dates_of_values, refuse_dates
from ._labels import Column, coded, encode, label_text
from ._library import bytes_of


def frame_rows(X: Any) -> Rows | None:
    """The columns of a frame, or of an array of dates; None if X is none, or a frame of pandas that is an array of
    numbers."""
    if isinstance(X, Rows):
        return X
    if is_arrow(X):
        return _arrow_rows(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "Mm" and X.ndim == 2:
        if X.dtype.kind == "m":
            raise ValueError("X holds times; turn them into numbers first")
        return _rows(len(X), [dates_of(column) for column in X.T])
    if type(X).__name__ == "LazyFrame" and hasattr(X, "collect"):
        raise TypeError("X is a lazy frame, which has no rows yet: pass X.collect()")
    if not hasattr(X, "columns") or not (hasattr(X, "iloc") or hasattr(X, "get_column")):
        return None
    columns = _pandas_columns(X) if hasattr(X, "iloc") else _polars_columns(X)
    if all(isinstance(column, np.ndarray) for column in columns):
        return None
    return _rows(len(X), [_encoded(column) for column in columns])


def _encoded(column: Any) -> Column:
    if isinstance(column, tuple):
        codes, values = column
        return coded([(codes, [bytes_of(label_text(value)) for value in values])])
    return encode(column) if isinstance(column, list) else column


def held(X: Any) -> Any:
    """X to be read more than once: a stream of Arrow can be read only once."""
    return _arrow_rows(X) if is_arrow(X) else X


def column_names(X: Any, rows: Rows | None) -> list[str] | None:
    """The names of the columns, if X has any."""
    if rows is not None and rows.names is not None:
        return rows.names
    return [str(name) for name in X.columns] if hasattr(X, "columns") else None


def _rows(count: int, columns: list[Column], names: list[str] | None = None) -> Rows:
    """In the words of scikit-learn where there is nothing."""
    for found, what in ((count, "sample"), (len(columns), "feature")):
        if not found:
            shape = count, len(columns)
            raise ValueError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")
    return Rows(names=names, columns=columns, count=count)


def _arrow_rows(X: Any) -> Rows:
    read = read_columns(X)
    if read is None:
        raise ValueError(f"Expected 2D array, got a single column instead: {type(X).__name__}. Make a table of it.")
    names, columns, count = read
    return _rows(count, columns, names)


def vector(y: Any, what: str = "y") -> Any:
    """A column of Arrow, polars or pandas as an array of booleans, numbers or text; anything else as it is."""
    if is_arrow(y):
        found = read_vector(y, what)
        return y if found is None else found
    refuse_dates(y, what)
    if hasattr(y, "iloc") and getattr(y, "ndim", 0) == 1 and not isinstance(y.dtype, np.dtype):
        return _pandas_vector(y)
    return y


def _pandas_vector(y: Any) -> Any:
    """Types that are pandas' own hold what types of NumPy hold, unless something is missing: that is for scikit-learn
    to refuse."""
    import pandas as pd

    if y.isna().any():
        return y
    if isinstance(y.dtype, pd.CategoricalDtype):
        y = y.astype(y.dtype.categories.dtype)
    if pd.api.types.is_bool_dtype(y.dtype):
        return y.to_numpy(dtype=bool)
    if pd.api.types.is_integer_dtype(y.dtype):
        return y.to_numpy(dtype=np.uint64 if pd.api.types.is_unsigned_integer_dtype(y.dtype) else np.int64)
    return y


def _pandas_columns(X: Any) -> list[Any]:
    """Each column as an array of numbers, or as categories: a list of values, or codes and values."""
    import pandas as pd

    columns: list[Any] = []
    for j in range(X.shape[1]):
        column = X.iloc[:, j]
        kind = column.dtype
        objects = pd.api.types.is_object_dtype(kind)
        inferred = pd.api.types.infer_dtype(column, skipna=True) if objects else ""
        numbers = inferred in _NUMBERS
        if pd.api.types.is_timedelta64_dtype(kind) or inferred in ("timedelta", "time", "period"):
            raise ValueError(f"column {column.name!r} holds times; turn them into numbers first")
        if isinstance(kind, pd.CategoricalDtype):
            columns.append((column.cat.codes.to_numpy(dtype=np.intp), kind.categories.tolist()))
        elif isinstance(kind, np.dtype) and kind.kind == "M":
            columns.append(dates_of(column.to_numpy()))
        elif isinstance(kind, pd.DatetimeTZDtype):
            columns.append(dates_of(column.dt.tz_convert(None).to_numpy()))
        elif inferred in _DATES or pd.api.types.is_datetime64_any_dtype(kind):
            columns.append(dates_of_values(None if m else v for v, m in zip(column.tolist(), column.isna())))
        elif kind in FLOATS:
            columns.append(column.to_numpy())
        elif numbers or pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind):
            columns.append(column.to_numpy(dtype=np.float64, na_value=np.nan))
        else:
            missing = column.isna().to_numpy()
            columns.append([None if m else v for v, m in zip(column.tolist(), missing)])
    return columns


_DATES = {"date", "datetime", "datetime64"}
_NUMBERS = {"integer", "floating", "mixed-integer-float", "boolean", "decimal"}


def _polars_columns(X: Any) -> list[Any]:
    """The same for releases of polars that do not have the interface of Arrow."""
    import polars as pl

    columns: list[Any] = []
    for name in X.columns:
        column = X.get_column(name)
        if column.dtype == pl.Date or column.dtype == pl.Datetime:
            unit = getattr(column.dtype, "time_unit", None) or "D"
            counts = ["NaT" if count is None else count for count in column.to_physical().to_list()]
            columns.append(dates_of(np.array(counts, f"datetime64[{unit}]")))
        elif column.dtype.is_temporal():
            raise ValueError(f"column {name!r} holds times; turn them into numbers first")
        elif column.dtype.is_numeric() or column.dtype == pl.Boolean:
            columns.append(column.cast(pl.Float64).to_numpy())
        else:
            columns.append(column.cast(pl.String).to_list())
    return columns


def frame(rows: list[dict[str, Any]]) -> Any:
    """A frame of pandas or, where that is not there, a record array."""
    try:
        import pandas as pd
    except ImportError:
        columns = list(rows[0])
        values = [[row[c] for row in rows] for c in columns]
        dtypes = [object if isinstance(v[0], (str, list)) else np.float64 for v in values]
        table = np.empty(len(rows), dtype=list(zip(columns, dtypes)))
        for c, v in zip(columns, values):
            table[c][:] = v
        return table.view(np.recarray)
    return pd.DataFrame(rows)
