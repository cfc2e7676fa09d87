"""What users hand over, arrays, frames or sparse matrices, as tables of the library: without a copy where there is none
to make."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from . import _library
from ._library import bytes_of, library, text_from
from ._tables import number_text

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass
class Rows:
    """Numbers in an array, and the columns that hold categories instead: column -> (codes, names)."""

    array: np.ndarray
    names: list[str] | None = None
    categories: dict[int, tuple[np.ndarray, list[str]]] = field(default_factory=dict)


class Table:
    """A table of the library over an array that it keeps alive; to be used in a `with`."""

    def __init__(self, rows: Rows) -> None:
        array = self.array = rows.array
        size = array.itemsize
        if any(stride % size for stride in array.strides):
            array = self.array = np.ascontiguousarray(array)
        matrix = _library.Matrix(
            array.ctypes.data, size == 4, *array.shape, array.strides[0] // size, array.strides[1] // size
        )
        names = None if rows.names is None else _library.texts(rows.names)
        self.handle = _library.make("svf_table_borrow", ctypes.byref(matrix), names)
        try:
            for column, (codes, levels) in rows.categories.items():
                args = codes.ctypes.data, _library.texts(levels), len(levels)
                _library.call("svf_table_set_categories", self.handle, column, *args)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *_: object) -> None:
        library.svf_table_free(self.handle)
        self.handle = None

    def set_classes(self, codes: np.ndarray, names: list[str]) -> None:
        codes = np.ascontiguousarray(codes, dtype=np.int32)
        _library.call("svf_table_set_classes", self.handle, codes.ctypes.data, _library.texts(names), len(names))

    def set_values(self, values: np.ndarray) -> None:
        self._set("svf_table_set_values", values)

    def set_weights(self, weights: np.ndarray) -> None:
        self._set("svf_table_set_weights", weights)

    def set_class_weights(self, weights: np.ndarray) -> None:
        self._set("svf_table_set_class_weights", weights)

    def _set(self, name: str, numbers: np.ndarray) -> None:
        numbers = np.ascontiguousarray(numbers, dtype=np.float64)
        _library.call(name, self.handle, numbers.ctypes.data)


def label_text(value: Any) -> str:
    """What a class or a category is called in a model file: 1 and 1.0 are '1'."""
    if isinstance(value, bytes):
        return text_from(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        return str(value)
    return str(int(value)) if isinstance(value, (int, np.integer)) else number_text(value)


def is_frame(X: Any) -> bool:
    """A frame of pandas or polars, told by what it can do."""
    return hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "get_column"))


def frame_rows(X: Any) -> Rows | None:
    """A frame with columns of text or categories; None where all its columns are numbers."""
    columns = _pandas_columns(X) if hasattr(X, "iloc") else _polars_columns(X)
    if not any(isinstance(column, list) for column in columns):
        return None
    array = np.full((len(X), len(columns)), np.nan, order="F")
    rows = Rows(array)
    for j, column in enumerate(columns):
        if isinstance(column, list):
            rows.categories[j] = encode(column)
        else:
            array[:, j] = column
    return rows


def encode(column: list[Any]) -> tuple[np.ndarray, list[str]]:
    """Codes of the texts in bytewise order, as the command gives them; None and '' are missing."""
    texts = [None if value is None or value != value else label_text(value) for value in column]
    levels = sorted({text for text in texts if text}, key=bytes_of)
    code = {text: i for i, text in enumerate(levels)}
    codes = np.fromiter((code.get(text, -1) for text in texts), dtype=np.int32, count=len(texts))
    return codes, levels or ["?"]


def _pandas_columns(X: Any) -> list[Any]:
    """Each column as an array of numbers, or as a list of values that are categories."""
    import pandas as pd

    columns: list[Any] = []
    for j in range(X.shape[1]):
        column = X.iloc[:, j]
        kind = column.dtype
        objects = pd.api.types.is_object_dtype(kind)
        numbers = objects and pd.api.types.infer_dtype(column, skipna=True) in _NUMBERS
        if pd.api.types.is_datetime64_any_dtype(kind) or pd.api.types.is_timedelta64_dtype(kind):
            raise ValueError(f"column {column.name!r} holds times; turn them into numbers first")
        if numbers or pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind):
            columns.append(column.to_numpy(dtype=np.float64, na_value=np.nan))
        else:
            missing = column.isna().to_numpy()
            columns.append([None if m else v for v, m in zip(column.tolist(), missing)])
    return columns


_NUMBERS = {"integer", "floating", "mixed-integer-float", "boolean", "decimal"}


def _polars_columns(X: Any) -> list[Any]:
    import polars as pl

    columns: list[Any] = []
    for name in X.columns:
        column = X.get_column(name)
        if column.dtype.is_temporal():
            raise ValueError(f"column {name!r} holds times; turn them into numbers first")
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            columns.append(column.cast(pl.Float64).to_numpy())
        else:
            columns.append(column.cast(pl.String).to_list())
    return columns


def dense(X: Any) -> Any:
    """A sparse matrix as an array, if that can fit: the library works on all the numbers."""
    if not sparse.issparse(X):
        return X
    X = X if X.dtype in FLOATS else X.astype(np.float64)
    needed = X.shape[0] * X.shape[1] * X.dtype.itemsize
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > memory:
        raise ValueError(
            f"this sparse matrix would take {needed / 2**30:.1f} GiB with its zeros, and svforest needs them; "
            f"the machine has {memory / 2**30:.1f} GiB: choose fewer features, or fewer rows"
        )
    return X.toarray()


def check_numbers(X: Any, **options: Any) -> np.ndarray:
    """scikit-learn's check of an array of numbers; NaN is a missing value."""
    return dense(check_array(X, **array_options(), **options))


def array_options(X: Any = None) -> dict[str, Any]:
    """What scikit-learn is to accept: floats as they are, anything else as doubles. In plain arrays of floats it is the
    library that finds infinite numbers."""
    plain = type(X) is np.ndarray and X.dtype in FLOATS
    return {"accept_sparse": "csr", "dtype": [np.float64, np.float32], _finite: False if plain else "allow-nan"}


def _finite_option() -> str:
    import inspect

    return "ensure_all_finite" if "ensure_all_finite" in inspect.signature(check_array).parameters else "force_all_finite"


_finite = _finite_option()
