"""The Arrow C data interface: the memory of tables and columns, whoever made them, by the capsules that they hand over.

The structures are those of the specification (arrow.apache.org/docs/format/CDataInterface.html); neither pyarrow nor
polars is imported. Nothing is copied here: arrays of NumPy look at the memory, and keep its owner alive. The owner of
an array is its capsule or, in a stream, an object that releases it in the end.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


Schema._fields_ = [
    *((name, c_char_p) for name in ("format", "name", "metadata")),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", CFUNCTYPE(None, POINTER(Schema))),
    ("private_data", c_void_p),
]
Array._fields_ = [
    *((name, c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", CFUNCTYPE(None, POINTER(Array))),
    ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(Stream))),
    ("release", CFUNCTYPE(None, POINTER(Stream))),
    ("private_data", c_void_p),
]

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


class _Owner:
    """A structure that a stream has filled: whoever asked for it has to release it, once."""

    def __init__(self, kind: type[Structure]) -> None:
        self.structure: Any = kind()

    def __del__(self, byref: Any = byref) -> None:  # at the end of Python the module may be gone
        if self.structure.release:
            self.structure.release(byref(self.structure))


@dataclass(frozen=True)
class Field:
    """The type of an array, of its children and of its dictionary."""

    name: str
    format: str
    children: tuple["Field", ...]
    dictionary: "Field | None"

    @classmethod
    def of(cls, schema: Schema) -> "Field":
        children = tuple(cls.of(schema.children[i].contents) for i in range(schema.n_children))
        dictionary = cls.of(schema.dictionary.contents) if schema.dictionary else None
        name = (schema.name or b"").decode(errors="surrogateescape")
        return cls(name, (schema.format or b"").decode(), children, dictionary)


@dataclass(frozen=True)
class Piece:
    """Rows first..first+count-1 of an array. `gone` marks those that are missing by the array around it."""

    array: Array
    owner: Any
    first: int
    count: int
    gone: np.ndarray | None = None

    @classmethod
    def all_of(cls, array: Array, owner: Any) -> "Piece":
        if array.length < 0 or array.offset < 0:
            raise ValueError(f"an Arrow array has length {array.length} and offset {array.offset}")
        return cls(array, owner, array.offset, array.length)

    def child(self, number: int) -> "Piece":
        """The same rows of a column of a struct, whose own offset counts for its columns, too."""
        array = self.array.children[number].contents
        if array.offset < 0 or array.length < self.first + self.count:
            raise ValueError(f"column {number + 1} of an Arrow array is shorter than the array")
        return Piece(array, self.owner, array.offset + self.first, self.count, self.missing())

    def view(self, buffer: int, dtype: Any, first: int, count: int) -> np.ndarray:
        """So many numbers of a buffer, where they are."""
        size = np.dtype(dtype).itemsize
        if count <= 0:
            return np.empty(0, dtype)
        address = self.array.buffers[buffer] if buffer < self.array.n_buffers else None
        if not address:
            raise ValueError(f"buffer {buffer} of an Arrow array is not there")
        memory = (c_char * (count * size)).from_address(address + first * size)
        memory.owner = self.owner
        numbers = np.frombuffer(memory, dtype)
        numbers.flags.writeable = False
        return numbers

    def bits(self, buffer: int) -> np.ndarray:
        """A buffer with a bit per row."""
        start = self.first // 8
        packed = self.view(buffer, np.uint8, start, (self.first + self.count + 7) // 8 - start)
        skipped = self.first - 8 * start
        return np.unpackbits(packed, bitorder="little")[skipped : skipped + self.count].astype(bool)

    def missing(self) -> np.ndarray | None:
        """Which rows are missing; None: none is."""
        gone = self.gone
        if self.array.null_count != 0 and self.array.n_buffers and self.array.buffers[0]:
            own = ~self.bits(0)
            gone = own if gone is None else own | gone
        return gone if gone is not None and gone.any() else None


def is_arrow(X: Any) -> bool:
    """Has it the interface? pandas has as well, but needs pyarrow for it; NumPy knows its columns without."""
    return (hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")) and not hasattr(X, "iloc")


def read(X: Any) -> tuple[Field, list[Piece]]:
    """The type and the chunks of an object that has the interface."""
    if hasattr(X, "__arrow_c_stream__"):
        return _read_stream(X.__arrow_c_stream__())
    schema, array = X.__arrow_c_array__()
    field = Field.of(_in(schema, Schema, b"arrow_schema"))
    return field, [_checked(field, Piece.all_of(_in(array, Array, b"arrow_array"), array))]


def _in(capsule: Any, kind: Any, name: bytes) -> Any:
    structure = kind.from_address(_pointer(capsule, name))
    if not structure.release:
        raise ValueError("this Arrow object was handed over before; it can be read only once")
    return structure


def _read_stream(capsule: Any) -> tuple[Field, list[Piece]]:
    stream = _in(capsule, Stream, b"arrow_array_stream")
    schema = _Owner(Schema)
    _call(stream, stream.get_schema(byref(stream), byref(schema.structure)))
    field, pieces = Field.of(schema.structure), []
    while True:
        owner = _Owner(Array)
        _call(stream, stream.get_next(byref(stream), byref(owner.structure)))
        if not owner.structure.release:
            return field, pieces
        pieces.append(_checked(field, Piece.all_of(owner.structure, owner)))


def _call(stream: Stream, code: int) -> None:
    if code:
        why = stream.get_last_error(byref(stream)) or b"error %d" % code
        raise ValueError("an Arrow stream ends early: " + why.decode(errors="replace"))


def _checked(field: Field, piece: Piece) -> Piece:
    if piece.array.n_children != len(field.children):
        raise ValueError(f"an Arrow array has {piece.array.n_children} columns, its schema {len(field.children)}")
    return piece
