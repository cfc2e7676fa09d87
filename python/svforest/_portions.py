"""Training in parts: the steps of the library as functions of bytes, so that they can run anywhere. Every function is pure: the
same arguments give the same bytes."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Iterable, Sequence

import numpy as np

from . import _library
from ._data import Rows, Table
from ._library import Cells, PortionInfo, library
from ._run import running


class Portion:
    """Owns cuts, rows or leaves of the library."""

    def __init__(self, handle: c_void_p) -> None:
        self.handle = handle

    def __del__(self) -> None:
        handle = self.__dict__.pop("handle", None)
        if handle is not None:
            library.svf_portion_free(handle)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Portion":
        return cls(_library.make("svf_portion_from_bytes", data, len(data)))

    def to_bytes(self) -> bytes:
        size = c_size_t()
        return ctypes.string_at(library.svf_portion_bytes(self.handle, byref(size)), size.value)

    @property
    def info(self) -> PortionInfo:
        info = PortionInfo()
        library.svf_portion_describe(self.handle, byref(info))
        return info


def thin(settings: c_void_p, numbers: np.ndarray, codes: np.ndarray | None, classes: list[str]) -> np.ndarray:
    """Which rows with these numbers may be in the sample, as places."""
    numbers = np.ascontiguousarray(numbers, np.uint64)
    place, count = np.empty(len(numbers), np.uintp), c_size_t()
    with Table(Rows(np.broadcast_to(np.float64(0), (len(numbers), 1)))) as table:
        if codes is not None:
            table.set_classes(codes, classes)
        _library.call(
            "svf_table_sample", settings, table.handle, numbers.ctypes.data, place.ctypes.data, byref(count)
        )
    return place[: count.value].astype(np.intp)


def partition(settings: c_void_p, table: Table, numbers: np.ndarray, rows: int, n_jobs: int) -> bytes:
    """The cuts of all trees, from the sample of a table of so many rows."""
    numbers = np.ascontiguousarray(numbers, np.uint64)
    with running(n_jobs) as run:
        made = _library.make("svf_partition", settings, table.handle, numbers.ctypes.data, rows, byref(run))
    return Portion(made).to_bytes()


def route(cuts: Portion, table: Table, first: int, n_jobs: int) -> Portion:
    """The rows of a chunk for all cells."""
    with running(n_jobs) as run:
        return Portion(_library.make("svf_route", cuts.handle, table.handle, first, None, byref(run)))


def select(cuts: Portion, rows: Portion, cells: Cells) -> Portion:
    """Of rows for all cells those for some."""
    return Portion(_library.make("svf_portion_select", cuts.handle, rows.handle, byref(cells)))


def counts(cuts: Portion, rows: Portion) -> np.ndarray:
    """How many rows each cell has that they were routed to."""
    count = np.zeros(rows.info.cells.count, np.uint64)
    _library.call("svf_portion_count", cuts.handle, rows.handle, count.ctypes.data)
    return count


def fit(cuts: Portion, rows: Sequence[Portion], cells: Cells, n_jobs: int) -> bytes:
    """The leaves of some cells."""
    with running(n_jobs) as run:
        made = _library.make("svf_fit", cuts.handle, _handles(rows), len(rows), byref(cells), byref(run))
    return Portion(made).to_bytes()


def merge(cuts: Portion, leaves: Sequence[Portion]) -> c_void_p:
    """The model, as a handle."""
    return _library.make("svf_portion_merge", cuts.handle, _handles(leaves), len(leaves))


def _handles(parts: Iterable[Portion]) -> Any:
    handles = [part.handle for part in parts]
    return (c_void_p * max(len(handles), 1))(*handles)
