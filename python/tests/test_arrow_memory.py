"""The Arrow C data interface by hand: what is released and when, and arrays that are not as the specification has them.
Nothing but NumPy is needed."""

import ctypes
import gc

import numpy as np
import pytest

from svforest import RFClassifier
from svforest._arrow import Array, Schema, Stream
from svforest._arrow_columns import read_columns, read_vector

capsule_of = ctypes.pythonapi.PyCapsule_New
capsule_of.restype, capsule_of.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
NAME = b"arrow_array_stream"  # a capsule does not copy it
EIO = 5
WHY = ctypes.create_string_buffer(b"the disk is gone")
LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))  # ctypes cannot return a text of its own


class Column:
    """A column as the structures tell it: format, buffers (arrays or None), and what differs from a plain one."""

    def __init__(self, format, *buffers, length=4, dictionary=None, **fields):
        self.format, self.buffers, self.dictionary = format.encode(), buffers, dictionary
        self.fields = {"length": length, **fields}


class Producer:
    """A stream of batches that counts what it has handed over and what came back."""

    def __init__(self, columns, batches=1, fails_at=None, **fields):
        self.columns, self.batches, self.fails_at = columns, batches, fails_at
        self.fields = {"length": 4, "n_children": len(columns), **fields}
        self.open, self.made, self.kept = {"schema": 0, "array": 0}, 0, []

    def keep(self, thing):
        self.kept.append(thing)
        return thing

    def releaser(self, structure, name):
        kind = dict(structure._fields_)["release"]

        def release(pointer):
            self.open[name] -= 1
            pointer.contents.release = kind()

        self.open[name] += 1
        return self.keep(kind(release))

    def pointers(self, kind, structures):
        made = [self.keep(ctypes.pointer(structure)) for structure in structures]
        return self.keep((ctypes.POINTER(kind) * max(len(made), 1))(*made))

    def schema(self, column):
        made = self.keep(Schema(format=column.format, name=b"a"))
        if column.dictionary:
            made.dictionary = ctypes.pointer(self.schema(column.dictionary))
        return made

    def array(self, column):
        addresses = [None if b is None else self.keep(b).ctypes.data for b in column.buffers]
        buffers = self.keep((ctypes.c_void_p * max(len(addresses), 1))(*addresses))
        made = self.keep(Array(n_buffers=len(addresses), buffers=buffers, **column.fields))
        if column.dictionary and column.dictionary.buffers:
            made.dictionary = ctypes.pointer(self.array(column.dictionary))
        return made

    def __arrow_c_stream__(self):
        def get_schema(_, out):
            children = self.pointers(Schema, [self.schema(column) for column in self.columns])
            made = Schema(format=b"+s", n_children=len(self.columns), children=children)
            made.release = self.releaser(made, "schema")
            out[0] = made
            return 0

        def get_next(_, out):
            if self.made == self.fails_at:
                return EIO
            made = Array(n_buffers=1, buffers=self.keep((ctypes.c_void_p * 1)()), **self.fields)
            made.children = self.pointers(Array, [self.array(column) for column in self.columns])
            if self.made < self.batches:
                made.release = self.releaser(made, "array")
            self.made += 1
            out[0] = made
            return 0

        kinds = {**dict(Stream._fields_), "get_last_error": LAST_ERROR}
        calls = {"get_schema": get_schema, "get_next": get_next, "get_last_error": lambda _: ctypes.addressof(WHY)}
        made = {name: self.keep(kinds[name](call)) for name, call in calls.items()}
        made["get_last_error"] = ctypes.cast(made["get_last_error"], dict(Stream._fields_)["get_last_error"])
        stream = self.keep(Stream(**made))
        stream.release = self.keep(kinds["release"](lambda _: None))  # the capsule here has no destructor to call it
        return capsule_of(ctypes.addressof(stream), NAME, None)


TEXT = Column("u", None, np.array([0, 1, 2, 3, 4], np.int32), np.frombuffer(b"abab", np.uint8))
NUMBERS = Column("g", None, np.arange(4.0))


def all_released(producer):
    gc.collect()
    return not any(producer.open.values())


@pytest.mark.parametrize("batches", [0, 1, 3])
def test_everything_is_released(batches):
    producer = Producer([NUMBERS, TEXT], batches)
    names, (numbers, text), count = read_columns(producer)
    assert count == 4 * batches and names == ["a", "a"]
    np.testing.assert_array_equal(numbers, [*range(4)] * batches)
    if batches == 1:  # the numbers were not copied, so their owner is still there
        assert producer.open == {"schema": 0, "array": 1}
        view = numbers[1:]
        del numbers
        gc.collect()
        assert producer.open["array"] == 1 and view.tolist() == [1, 2, 3]
        del view
        assert all_released(producer)
    else:
        assert all_released(producer)


BITS = np.array([0b1011], np.uint8)  # row 2 is missing
SIZES = np.array([16], np.int64)
VIEWED = np.frombuffer(b"sixteen letters.", np.uint8)


def views(length, buffer, offset):
    """Four texts, each a length, a prefix, and the place of the rest."""
    return Column("vu", None, np.array([length, 0, buffer, offset] * 4, np.int32), VIEWED, SIZES)


BROKEN = {
    "no numbers": (Column("g", None, None), "buffer 1 of an Arrow array is not there"),
    "no buffers": (Column("g", length=4), "buffer 1"),
    "short": (Column("g", None, np.arange(3.0), length=3), "column 2 of an Arrow array is shorter"),
    "negative length": (Column("g", None, np.arange(4.0), length=-1), "shorter"),
    "negative offset": (Column("g", None, np.arange(4.0), offset=-1), "shorter"),
    "offsets fall": (Column("u", None, np.array([0, 2, 1, 3, 4], np.int32), TEXT.buffers[2]), "do not ascend"),
    "offsets below 0": (Column("U", None, np.arange(-1, 4), TEXT.buffers[2]), "do not ascend"),
    "no dictionary": (Column("c", None, np.zeros(4, np.int8), dictionary=Column("u")), "no dictionary"),
    "code too large": (Column("c", None, np.array([0, 1, 2, 4], np.int8), dictionary=TEXT), "outside of the dictionary"),
    "code below 0": (Column("c", None, np.array([0, 1, 2, -1], np.int8), dictionary=TEXT), "outside of the dictionary"),
    "huge code": (Column("L", None, np.full(4, 2**64 - 1, np.uint64), dictionary=TEXT), "outside of the dictionary"),
    "view too long": (views(17, 0, 0), "outside of its memory"),
    "view past the end": (views(13, 0, 5), "outside of its memory"),
    "view before the start": (views(13, 0, -1), "outside of its memory"),
    "view of no buffer": (views(13, 1, 0), "outside of its memory"),
    "view of length -1": (views(-1, 0, 0), "outside of its memory"),
    "codes that are floats": (Column("g", None, np.zeros(4), dictionary=TEXT), "holds values of the Arrow type"),
    "unknown type": (Column("?"), "Arrow type '?'"),
    "no type": (Column(""), "Arrow type ''"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_arrays(case):
    column, words = BROKEN[case]
    producer = Producer([NUMBERS, column])
    try:
        RFClassifier().fit(producer, [0, 1, 0, 1])
    except ValueError as error:
        assert words in str(error)
    else:
        pytest.fail("was taken")
    assert all_released(producer)


@pytest.mark.parametrize("fields, words", [({"n_children": 3}, "3 columns, its schema 1"), ({"length": -5}, "length -5")])
def test_broken_batches(fields, words):
    producer = Producer([NUMBERS], **fields)
    try:
        read_columns(producer)
    except ValueError as error:
        assert words in str(error)
    else:
        pytest.fail("was taken")
    assert all_released(producer)


@pytest.mark.parametrize("fails_at", [0, 1, 2])
def test_a_stream_that_fails(fails_at):
    producer = Producer([NUMBERS], 3, fails_at)
    try:
        read_columns(producer)
    except ValueError as error:
        assert str(error) == "an Arrow stream ends early: the disk is gone"
    else:
        pytest.fail("was taken")
    assert all_released(producer)


def test_odd_arrays_that_are_allowed():
    """Counts that nobody has counted, validity that is not there, memory that is not aligned, unused memory."""
    odd = np.frombuffer(b"\0" + np.arange(5.0).tobytes(), np.uint8)[1:]
    for column, wanted in (
        (Column("g", BITS, np.arange(4.0), null_count=-1), [0, 1, np.nan, 3]),
        (Column("g", BITS, np.arange(4.0), null_count=0), [0, 1, 2, 3]),
        (Column("g", None, np.arange(4.0), null_count=-1), [0, 1, 2, 3]),
        (Column("g", None, odd, offset=1), [1, 2, 3, 4]),
        (Column("g", None, np.arange(9.0), length=9), [0, 1, 2, 3]),
        (Column("n", length=4), [np.nan] * 4),
        (Column("b", None, np.array([0b01010101, 0b1], np.uint8), offset=5), [0, 1, 0, 1]),
    ):
        _, (got,), _ = read_columns(Producer([column]))
        np.testing.assert_array_equal(got, wanted)
        assert got.flags.aligned
    _, (got,), count = read_columns(Producer([Column("u", None, None, None, length=0)], length=0))
    assert count == 0 and len(got) == 0
    _, ((codes, names),), _ = read_columns(Producer([views(13, 0, 3)]))
    assert names == ["teen letters."] and codes.tolist() == [0] * 4
    assert read_vector(Producer([NUMBERS]), "y") is None
