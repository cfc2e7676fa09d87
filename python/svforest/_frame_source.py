"""Rows of `fit_from_disk` that come as frames, one after the other."""

from __future__ import annotations

import hashlib
from ctypes import c_void_p
from typing import Any, Iterator

import numpy as np

from . import _data, _library
from ._data import Rows, Table
from ._dates import dates_of_text
from ._frames import frame_rows, vector
from ._labels import Text
from ._sources import Rowwise, column_name, print_of_target


class Frames(Rowwise):
    """Frames, or pairs of X and y, or triples with weights; `make` gives a new iterator each time."""

    def __init__(self, X: Any, y: Any, weight: Any, learner: Any) -> None:
        self.make = X if callable(X) else lambda: X
        self.target, self.weight_name = column_name(y, "y", "frames"), column_name(weight, "sample_weight", "frames")
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
        self.rows, found, kinds, self.prints = 0, [], {}, []
        first = None
        for number, (X, y, weight) in enumerate(self._parts()):
            if number and self.weighed != (weight is not None):
                some = "no weights" if self.weighed else "weights"
                raise ValueError(f"frame {number} has {some}, unlike frame 0: give all of them weights, or none")
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
            found.append(self._look(y))
            self.prints.append(_print(names, rows, y, weight))
            self.rows += len(X)
        if first is None:
            raise ValueError("there are no frames with rows")
        self.dates = {j for j, all_dates in kinds.items() if all_dates}
        self._unite(found)
        known = learner.__dict__.get("feature_names_in_")
        self.names = None if known is None else [str(name) for name in known]
        self.job = [f"frames={hashlib.sha256(b''.join(self.prints)).hexdigest()}"]

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
            self.at, self.start, self.end, self.number = self._parts(), 0, 0, -1
        while row >= self.end:
            self._next_frame()
            self.start, self.end = self.end, self.end + len(self.frame[0])
        return self.start, self.frame

    def _next_frame(self) -> None:
        """The next frame, which must be what the survey saw."""
        self.number += 1
        last = self.number == len(self.prints) - 1
        self.frame = next(self.at, None)  # type: ignore[arg-type]
        if self.frame is not None:
            X, y, weight = self.frame
            rows = self._rows(X)
            same = self.prints[self.number] == _print(_names(X, rows), rows, y, weight)
        if self.frame is None or not same or (last and next(self.at, None) is not None):  # type: ignore[arg-type]
            self.at = None
            raise ValueError(
                f"frame {self.number} is not what it was when the frames were first read: they must be the same each time"
            )


def _names(X: Any, rows: Rows) -> list[str]:
    if rows.names is not None:
        return rows.names
    return [str(name) for name in X.columns] if hasattr(X, "columns") else [f"x{j + 1}" for j in range(rows.shape[1])]


def _print(names: list[str], rows: Rows, y: np.ndarray, weight: np.ndarray | None) -> bytes:
    """What two frames have in common if they are the same."""
    digest = hashlib.sha256(repr((names, rows.shape, y.dtype.kind)).encode())
    for column in rows.columns if rows.array is None else [rows.array]:
        if isinstance(column, tuple):
            digest.update("\0".join(map(str, column[1])).encode(errors="surrogatepass"))
        values = column[0] if isinstance(column, tuple) else getattr(column, "days", column)
        digest.update(np.ascontiguousarray(values).tobytes())
    digest.update(print_of_target(y))
    digest.update(b"" if weight is None else np.asarray(weight, np.float64).tobytes())
    return digest.digest()


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
