"""Where the rows of `fit_from_disk` come from: a file, or an array that may be mapped. _frame_source.py has frames."""

from __future__ import annotations

import ctypes
import hashlib
import os
from ctypes import byref, c_void_p
from typing import Any, Callable

import numpy as np

from . import _compat, _data, _library
from ._data import Rows, Table
from ._frames import vector
from ._labels import classes_of, label_text
from ._library import library

BLOCK = 1 << 20  # rows of the target that are looked at together


class Source:
    """The rows of a table in chunks of the library; to be used in a `with`."""

    path: str | None = None  # of the file
    classes: np.ndarray | None = None  # None: not known beforehand, or the target is a number
    rows: int
    features: int
    job: list[str]  # what the result depends on

    chunks: Any = None

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        library.svf_chunks_free(self.chunks)

    def describe(self, learner: Any) -> None:
        """Sets what a fit sets besides the forest."""

    # ---- exceptions in callbacks ----

    raised: BaseException | None = None

    def guarded(self, said: Any, work: Callable[[], None]) -> int:
        """A status for the library; what was raised is for later."""
        try:
            work()
        except BaseException as error:
            self.raised = error
            if said:
                text = str(error).encode(errors="replace")[:1000]
                ctypes.memmove(said, text + b"\0", len(text) + 1)
            return _library.USAGE
        return _library.OK

    def raise_own(self) -> None:
        if self.raised is not None:
            raise self.raised


def print_of_target(y: np.ndarray) -> bytes:
    """Bytes that differ where labels or numbers do."""
    plain = y.dtype.kind in "biuf"
    return np.asarray(y, np.float64).tobytes() if plain else "\0".join(map(label_text, y.tolist())).encode()


def column_name(column: Any, what: str, of: str) -> str | None:
    if column is None or isinstance(column, str) or (isinstance(column, (int, np.integer)) and of == "a path"):
        return None if column is None else str(column)
    raise TypeError(f"{what} of {of} is the name of a column, not {type(column).__name__}")


class File(Source):
    """CSV, NPY or LIBSVM."""

    def __init__(self, path: Any, y: Any, weight: Any, learner: Any) -> None:
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"there is no file {self.path}")
        target, weighed = column_name(y, "y", "a path"), column_name(weight, "sample_weight", "a path")
        self.kept = [None if name is None else _library.bytes_of(name) for name in (target, weighed)]
        options = _library.ReadOptions(target=self.kept[0], weight=self.kept[1], task=learner._task)
        self.options = options  # whose texts are borrowed
        self.chunks = _library.make("svf_chunks_open", os.fsencode(self.path), byref(options))
        self.rows = library.svf_chunks_rows(self.chunks)
        self.features = library.svf_chunks_columns(self.chunks) - 1 - (weighed is not None)
        self.job = []

    def describe(self, learner: Any) -> None:
        forest = learner.forest_
        learner.n_features_in_ = forest.columns
        names = forest.feature_names()[: forest.columns]
        if names != [f"x{i + 1}" for i in range(forest.columns)]:
            learner.feature_names_in_ = np.array(names, dtype=object)
        learner._loaded()


class Rowwise(Source):
    """Rows that Python has: `_piece` gives some as a table without target."""

    classify: bool
    weighed = False
    names: list[str] | None = None

    def _open(self, name: str) -> None:
        self.read = _library.ReadRows(self._read)
        self.held: Any = None  # what the last table borrows
        source = _library.RowSource(
            name=_library.bytes_of(name), rows=self.rows, columns=self.features + 1, read=self.read
        )
        self.chunks = _library.make("svf_chunks_from", byref(source))

    def _read(self, _: Any, first: int, rows: int, __: Any, made: Any, said: Any) -> int:
        def work() -> None:
            made[0] = self._table(int(first), int(rows))

        return self.guarded(said, work)

    def _table(self, first: int, rows: int) -> c_void_p:
        """A table of the library, which is to free it."""
        raise NotImplementedError

    def _part(self, rows: Rows, y: Any, weight: Any) -> Table:
        rows.names = self.names
        table = Table(rows)
        try:
            if self.classify:
                table.set_classes(self._codes(y), [label_text(label) for label in self.classes.tolist()])  # type: ignore
            else:
                table.set_values(np.asarray(y, np.float64))
            if self.weighed:
                table.set_weights(weight)
        except BaseException:
            table.__exit__()
            raise
        return table

    def _codes(self, y: Any) -> np.ndarray:
        y, classes = np.asarray(y), self.classes
        codes = np.searchsorted(classes, y).clip(0, len(classes) - 1)  # type: ignore[arg-type]
        if not (classes[codes] == y).all():  # type: ignore[index]
            raise ValueError("y has other classes than at first: the rows must be the same each time they are read")
        return codes

    def _look(self, y: Any) -> np.ndarray | None:
        """Checks some of the target; its classes."""
        y = np.asarray(y)
        missing = sum(value is None or value != value for value in y.tolist()) if y.dtype.kind in "fO" else 0
        if missing:
            raise ValueError(f"y is missing in {missing} of {len(y)} rows; leave these out")
        return classes_of(_compat.check_y(y, numeric=False))[0] if self.classify else None

    def _unite(self, found: list[np.ndarray]) -> None:
        self.classes = np.unique(np.concatenate(found)) if self.classify else None

    def describe(self, learner: Any) -> None:
        if self.classify:
            learner.classes_, learner.n_classes_ = self.classes, len(self.classes)  # type: ignore[arg-type]


class Array(Rowwise):
    """An array, in memory or mapped."""

    def __init__(self, X: np.ndarray, y: Any, weight: Any, learner: Any) -> None:
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimensions; a table has two")
        if X.dtype.kind not in "biuf":
            raise TypeError(f"X has values of type {X.dtype}, and an array here is of numbers: give frames, or use fit")
        if len(X) == 0:
            raise ValueError("X has no rows")
        if y is None or isinstance(y, str):
            raise ValueError("y of an array is an array: the target of each row")
        self.X, self.y, self.weight = X, vector(y), vector(weight, "sample_weight")
        self.classify, self.weighed = learner._task == _library.CLASS, weight is not None
        for part, what in ((self.y, "y"), (self.weight, "sample_weight")):
            if part is not None and len(part) != len(X):
                raise ValueError(f"X has {len(X)} rows and {what} {len(part)}")
        self.rows, self.features = X.shape
        _compat.check_features(learner, X, reset=True)
        self.path = os.fspath(X.filename) if isinstance(X, np.memmap) and X.filename else None
        digest, found = hashlib.sha256(), []
        for first in range(0, self.rows, BLOCK):
            some = slice(first, first + BLOCK)
            found.append(self._look(self.y[some]))
            digest.update(print_of_target(np.asarray(self.y[some])))
            if self.weighed:
                digest.update(np.asarray(self.weight[some], np.float64).tobytes())
            if self.path is None:
                digest.update(np.ascontiguousarray(X[some]).tobytes())
        self._unite(found)
        kind = np.asarray(self.y[:1]).dtype.kind
        self.job = [f"array={X.dtype} {X.shape} {X.strides}", f"target={kind} {digest.hexdigest()}"]
        if self.path is not None:
            facts = os.stat(self.path)
            self.job.append(f"file={self.path} {facts.st_size} {facts.st_mtime_ns} {_place(X)}")
        self._open("X" if self.path is None else self.path)

    def _table(self, first: int, rows: int) -> c_void_p:
        some = slice(first, first + rows)
        X = np.asarray(self.X[some])
        table = self._part(
            Rows(X if X.dtype in _data.FLOATS else X.astype(np.float64)),
            self.y[some],
            None if self.weight is None else self.weight[some],
        )
        self.held, handle = table.kept, table.handle
        return handle


def _place(X: np.memmap) -> int:
    """Where its first number is in the file: a slice keeps the offset of the whole."""
    whole = X
    while isinstance(whole.base, np.memmap):
        whole = whole.base
    return int(whole.offset + X.ctypes.data - whole.ctypes.data)
