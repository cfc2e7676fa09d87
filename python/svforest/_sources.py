"""Where the rows of `fit_from_disk` come from: a file, an array that may be mapped, or frames that come one after the other."""

from __future__ import annotations

import ctypes
import hashlib
import os
from ctypes import byref, c_void_p
from typing import Any, Callable, Iterator

import numpy as np

from . import _compat, _data, _library
from ._data import Rows, Table
from ._dates import dates_of_text
from ._frames import frame_rows, vector
from ._labels import Text, classes_of, label_text
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


def source_of(X: Any, y: Any, weight: Any, learner: Any) -> Source:
    if isinstance(X, (str, os.PathLike)):
        return _File(X, y, weight, learner)
    if isinstance(X, np.ndarray):
        return _Array(X, y, weight, learner)
    return _Frames(X, y, weight, learner)


def _name(column: Any, what: str, of: str) -> str | None:
    if column is None or isinstance(column, str) or (isinstance(column, (int, np.integer)) and of == "a path"):
        return None if column is None else str(column)
    raise TypeError(f"{what} of {of} is the name of a column, not {type(column).__name__}")


class _File(Source):
    """CSV, NPY or LIBSVM."""

    def __init__(self, path: Any, y: Any, weight: Any, learner: Any) -> None:
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"there is no file {self.path}")
        target, weighed = _name(y, "y", "a path"), _name(weight, "sample_weight", "a path")
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


class _Rows(Source):
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

    def _look(self, y: Any, digest: Any) -> np.ndarray | None:
        """Checks some of the target; its classes."""
        y = np.asarray(y)
        missing = sum(value is None or value != value for value in y.tolist()) if y.dtype.kind in "fO" else 0
        if missing:
            raise ValueError(f"y is missing in {missing} of {len(y)} rows; leave these out")
        plain = y.dtype.kind in "biuf"
        digest.update(np.asarray(y, np.float64).tobytes() if plain else "\0".join(map(label_text, y.tolist())).encode())
        return classes_of(_compat.check_y(y, numeric=False))[0] if self.classify else None

    def _unite(self, found: list[np.ndarray]) -> None:
        self.classes = np.unique(np.concatenate(found)) if self.classify else None

    def describe(self, learner: Any) -> None:
        if self.classify:
            learner.classes_, learner.n_classes_ = self.classes, len(self.classes)  # type: ignore[arg-type]


class _Array(_Rows):
    """An array, in memory or mapped."""

    def __init__(self, X: np.ndarray, y: Any, weight: Any, learner: Any) -> None:
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} dimensions; a table has two")
        if y is None or isinstance(y, str):
            raise ValueError("y of an array is an array: the target of each row")
        self.X, self.y, self.weight = X, vector(y), vector(weight, "sample_weight")
        self.classify, self.weighed = learner._task == _library.CLASS, weight is not None
        for part, what in ((self.y, "y"), (self.weight, "sample_weight")):
            if part is not None and len(part) != len(X):
                raise ValueError(f"X has {len(X)} rows and {what} {len(part)}")
        self.rows, self.features = X.shape
        _compat.check_features(learner, X, reset=True)
        digest, found = hashlib.sha256(), []
        for first in range(0, self.rows, BLOCK):
            found.append(self._look(self.y[first : first + BLOCK], digest))
            if self.weighed:
                digest.update(np.asarray(self.weight[first : first + BLOCK], np.float64).tobytes())
        self._unite(found)
        self.path = os.fspath(X.filename) if isinstance(X, np.memmap) and X.filename else None
        self.job = [f"array={X.dtype} {X.shape} {X.strides}", f"target={digest.hexdigest()}"]
        if self.path is not None:
            facts = os.stat(self.path)
            self.job.append(f"file={self.path} {facts.st_size} {facts.st_mtime_ns} {X.offset}")
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


class _Frames(_Rows):
    """Frames, or pairs of X and y, or triples with weights; `make` gives a new iterator each time."""

    def __init__(self, X: Any, y: Any, weight: Any, learner: Any) -> None:
        self.make = X if callable(X) else lambda: X
        self.target, self.weight_name = _name(y, "y", "frames"), _name(weight, "sample_weight", "frames")
        self.classify = learner._task == _library.CLASS
        if not callable(X):
            if not hasattr(X, "__iter__") or hasattr(X, "columns"):
                raise TypeError(
                    f"X is {type(X).__name__}: give a path, an array, an iterable of frames, or a function that returns one; "
                    "a frame in memory is for fit"
                )
            if iter(X) is X:
                raise TypeError(
                    "X is an iterator, which comes once, and its frames are needed three times: give a function that makes it"
                )
        self._survey(learner)
        self.at: Iterator[Any] | None = None
        self._open("the frames")

    # ---- what there is ----

    def _survey(self, learner: Any) -> None:
        self.rows, digest, found, kinds = 0, hashlib.sha256(), [], {}
        first = None
        for number, (X, y, weight) in enumerate(self._parts()):
            self.weighed = weight is not None
            for part, what in ((y, "y"), (weight, "sample_weight")):
                if part is not None and len(part) != len(X):
                    raise ValueError(f"frame {number} has {len(X)} rows in X and {len(part)} in {what}")
            rows = self._rows(X)
            names = _names(X, rows)
            if first is None:
                first, self.features = names, rows.shape[1]
                learner._check_columns(X, rows, reset=True)
            elif names != first or rows.shape[1] != self.features:
                raise ValueError(f"frame {number} has other columns than frame 0: {_few(names)} and {_few(first)}")
            for j, column in enumerate(rows.columns):
                if isinstance(column, Text):
                    kinds[j] = kinds.get(j, True) and dates_of_text(*column) is not None
            found.append(self._look(y, digest))
            if weight is not None:
                digest.update(np.asarray(weight, np.float64).tobytes())
            self.rows += len(X)
        if first is None:
            raise ValueError("there are no frames with rows")
        self.dates = {j for j, all_dates in kinds.items() if all_dates}
        self._unite(found)
        known = learner.__dict__.get("feature_names_in_")
        self.names = None if known is None else [str(name) for name in known]
        self.job = [f"frames={self.rows} rows of {_few(first)}", f"target={digest.hexdigest()}"]

    def _parts(self) -> Iterator[tuple[Any, Any, Any]]:
        """X, y and weights of each frame that has rows."""
        for frame in self.make():
            if self.target is None:
                if not isinstance(frame, tuple) or len(frame) not in (2, 3):
                    raise ValueError("say which column of the frames is the target (y), or give pairs (X, y)")
                X, y, weight = frame if len(frame) == 3 else (*frame, None)
                y, weight = vector(y), vector(weight, "sample_weight")
            else:
                X, (y, weight) = _without(frame, [self.target, self.weight_name])
            if len(X):
                yield X, np.asarray(y), None if weight is None else np.asarray(weight, np.float64)

    @staticmethod
    def _rows(X: Any) -> Rows:
        rows = frame_rows(X)
        return Rows(_data.check_numbers(X, input_name="X")) if rows is None else rows

    # ---- rows of it ----

    def _table(self, first: int, rows: int) -> c_void_p:
        pieces: list[Table] = []
        try:
            while rows:
                start, (X, y, weight) = self._frame_with(first)
                some = slice(first - start, min(first - start + rows, len(X)))
                learned = self._rows(_slice(X, some))
                learned.columns = [
                    dates_of_text(*column) or column if j in self.dates and isinstance(column, Text) else column
                    for j, column in enumerate(learned.columns)
                ]
                pieces.append(self._part(learned, y[some], None if weight is None else weight[some]))
                first, rows = first + some.stop - some.start, rows - (some.stop - some.start)
            if len(pieces) == 1:
                self.held, handle = pieces[0].kept, pieces.pop().handle
                return handle
            handles = (c_void_p * len(pieces))(*(piece.handle for piece in pieces))
            return _library.make("svf_table_join", handles, len(pieces))
        finally:
            for piece in pieces:
                piece.__exit__()

    def _frame_with(self, row: int) -> tuple[int, Any]:
        """The frame that has a row, and the number of its first; starts again where that is over."""
        if self.at is None or row < self.start:
            self.at, self.start, self.end = self._parts(), 0, 0
        while row >= self.end:
            self.frame = next(self.at, None)
            if self.frame is None:
                self.at = None
                raise ValueError(f"there were {self.rows} rows at first and now {self.end}: the frames must be the same each time")
            self.start, self.end = self.end, self.end + len(self.frame[0])
        return self.start, self.frame


def _names(X: Any, rows: Rows) -> list[str]:
    if rows.names is not None:
        return rows.names
    return [str(name) for name in X.columns] if hasattr(X, "columns") else [f"x{j + 1}" for j in range(rows.shape[1])]


def _few(names: list[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


def _slice(X: Any, some: slice) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[some]
    return X.slice(some.start, some.stop - some.start) if hasattr(X, "slice") else X[some]


def _without(frame: Any, names: list[str | None]) -> tuple[Any, list[Any]]:
    """The frame without some columns, and these."""
    if not hasattr(frame, "columns"):
        raise ValueError(f"y names a column, and {type(frame).__name__} has none: give pairs (X, y)")
    there = [name for name in names if name is not None]
    arrow = hasattr(frame, "num_columns")
    known = list(frame.schema.names) if arrow else [str(name) for name in frame.columns]
    for name in there:
        if name not in known:
            raise ValueError(f"there is no column {name!r} in a frame with {_few(known)}")
    left = [name for name in known if name not in there]
    rest = frame[left] if hasattr(frame, "iloc") else frame.select(left)
    return rest, [None if name is None else vector(frame.column(name) if arrow else frame[name], name) for name in names]
