"""Arrays, columns and sparse matrices as tables of the library: without a copy where there is none to make."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from . import _library
from ._dates import Dates, dates_of_text
from ._labels import Column, Text
from ._library import library

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass
class Rows:
    """The features of a table: numbers in one array, or columns that lie apart, each of numbers, dates or
    categories."""

    array: np.ndarray | None = None
    names: list[str] | None = None
    columns: list[Column] = field(default_factory=list)
    count: int = 0  # rows of the columns

    @property
    def shape(self) -> tuple[int, int]:
        return (self.count, len(self.columns)) if self.array is None else self.array.shape  # type: ignore[return-value]

    @property
    def categories(self) -> dict[int, tuple[np.ndarray, list[str]]]:
        return {j: column for j, column in enumerate(self.columns) if isinstance(column, tuple)}

    @property
    def blocks(self) -> list[np.ndarray]:
        """The numbers, as arrays that the library can look at: one, or one for each column, NaN for its categories."""
        if self.array is not None:
            return [_even(self.array)]
        nothing = np.broadcast_to(np.float64(np.nan), (self.count, 1))
        numbers = (column.days if isinstance(column, Dates) else column for column in self.columns)
        return [nothing if isinstance(column, tuple) else _even(column[:, None]) for column in numbers]

    @property
    def dates(self) -> list[int]:
        return [j for j, column in enumerate(self.columns) if isinstance(column, Dates)]

    def to_learn(self) -> "Rows":
        """Rows that a model is to be made of: text whose values are all dates is taken as dates."""
        columns = (dates_of_text(*column) or column if isinstance(column, Text) else column for column in self.columns)
        return replace(self, columns=list(columns))


def _even(array: np.ndarray) -> np.ndarray:
    """The array, or a copy where its strides are no whole numbers of elements."""
    return np.ascontiguousarray(array) if any(stride % array.itemsize for stride in array.strides) else array


def _matrix(array: np.ndarray) -> _library.Matrix:
    strides = (stride // array.itemsize for stride in array.strides)
    return _library.Matrix(array.ctypes.data, array.itemsize == 4, *array.shape, *strides)


class Table:
    """A table of the library over arrays that it keeps alive; to be used in a `with`."""

    def __init__(self, rows: Rows) -> None:
        self.kept = rows.blocks
        names = None if rows.names is None else _library.texts(rows.names)
        matrices = (_library.Matrix * len(self.kept))(*map(_matrix, self.kept))
        if rows.array is not None:
            self.handle = _library.make("svf_table_borrow", matrices, names)
        else:
            self.handle = _library.make("svf_table_borrow_columns", matrices, len(matrices), names)
        try:
            for column, (codes, levels) in rows.categories.items():
                args = codes.ctypes.data, _library.texts(levels), len(levels)
                _library.call("svf_table_set_categories", self.handle, column, *args)
            for column in rows.dates:
                _library.call("svf_table_set_dates", self.handle, column)
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
