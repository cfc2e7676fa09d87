"""Columns of Arrow arrays as the library takes them: numbers, where they are if they can stay there; dates as
days; text and dictionaries as categories."""

from __future__ import annotations

import struct
from typing import Any, Iterator

import numpy as np

from ._arrow import Field, Piece, read
from ._dates import Dates, dates_of, refuse_dates
from ._labels import Column, as_text, coded, label_text, numbered
from ._library import bytes_of, text_from

_NUMBERS = dict(zip("cCsSiIlLefg", ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")))
_CODES = set("cCsSiIlL")
_TEXT = {"u": np.int32, "z": np.int32, "U": np.int64, "Z": np.int64, "vu": None, "vz": None}  # the type of offsets
_INLINE = 12  # bytes of a text that a view holds itself


def read_columns(X: Any) -> tuple[list[str], list[Column], int] | None:
    """Names, columns and the number of rows; None if it is a single column without a name."""
    field, chunks = read(X)
    if field.format != "+s":
        return None
    names = [column.name for column in field.children]
    columns = [_column(column, [chunk.child(j) for chunk in chunks]) for j, column in enumerate(field.children)]
    return names, columns, sum(chunk.count for chunk in chunks)


def read_vector(X: Any, what: str) -> np.ndarray | None:
    """A single column with the type that it has: booleans, numbers or text. None if there are several columns."""
    field, chunks = read(X)
    if field.format == "+s":
        return None
    if _unit(field.format) is not None:
        refuse_dates(np.empty(0, "datetime64[D]"), what)
    _refuse(field, what)
    parts, row = [], 0
    for chunk in chunks:
        gone = _gone(field, chunk)
        if gone.any():
            raise ValueError(f"Input {what} contains NaN: row {row + gone.argmax() + 1} is missing")
        parts.append(_vector(field, chunk))
        row += chunk.count
    return np.concatenate(parts) if parts else np.empty(0)


def _gone(field: Field, chunk: Piece) -> np.ndarray:
    """Which rows are missing, themselves or in the dictionary."""
    if field.format == "n":
        return np.ones(chunk.count, bool)
    gone = chunk.missing()
    gone = np.zeros(chunk.count, bool) if gone is None else gone.copy()
    if field.dictionary is not None:
        codes, texts = _chunk(field, chunk)
        gone |= np.array([text is None for text in texts] + [True])[codes]
    return gone


def _vector(field: Field, chunk: Piece) -> np.ndarray:
    """The values of a chunk in which none is missing."""
    if field.dictionary is None and field.format not in _TEXT:
        return _values(field, chunk)
    codes, texts = _chunk(field, chunk)
    if field.dictionary is not None and field.dictionary.format not in _TEXT:
        return _values(field.dictionary, _dictionary(chunk))[codes]
    return np.array([None if text is None else text_from(text) for text in texts] + [None], object)[codes]


def _column(field: Field, chunks: list[Piece]) -> Column:
    unit = _unit(field.format) if field.dictionary is None else None
    if unit is not None:
        return _dates(unit, chunks)
    _refuse(field, f"column {field.name!r}")
    if field.dictionary is not None:
        return coded(_chunk(field, chunk) for chunk in chunks)
    if field.format in _TEXT:
        return as_text(coded(_chunk(field, chunk) for chunk in chunks))
    return _numbers(field, chunks)


def _unit(kind: str) -> str | None:
    """The unit that dates (tdD, tdm) and timestamps (tss:ZONE to tsn:ZONE) count in; None: it is something else."""
    if kind in ("tdD", "tdm"):
        return {"tdD": "D", "tdm": "ms"}[kind]
    if kind[:2] == "ts" and kind[3:4] == ":":
        return {"s": "s", "m": "ms", "u": "us", "n": "ns"}.get(kind[2])
    return None


def _dates(unit: str, chunks: list[Piece]) -> Dates:
    """With a zone they are in UTC; without they are taken as such."""
    days = [np.empty(0)]
    for chunk in chunks:
        counts = chunk.view(1, np.int32 if unit == "D" else np.int64, chunk.first, chunk.count).astype(np.int64)
        gone = chunk.missing()
        if gone is not None:
            counts[gone] = 0
        part = dates_of(counts.view(f"datetime64[{unit}]")).days
        if gone is not None:
            part[gone] = np.nan
        days.append(part)
    return Dates(np.concatenate(days))


def _refuse(field: Field, what: str) -> None:
    """What is no column of numbers, text or categories."""
    kind = (field.dictionary or field).format
    if kind[:1] == "t":
        raise ValueError(f"{what} holds times; turn them into numbers first")
    known = kind in _NUMBERS or kind in _TEXT or kind in ("b", "n") or kind.startswith("d:")
    if not known or (field.dictionary is not None and field.format not in _CODES):
        raise ValueError(f"{what} holds values of the Arrow type {kind!r}; turn them into numbers or text first")


def _numbers(field: Field, chunks: list[Piece]) -> np.ndarray:
    """The memory itself if it is one chunk of floats without gaps, else a copy."""
    parts = [_values(field, chunk) for chunk in chunks]
    gaps = [chunk.missing() for chunk in chunks]
    if len(parts) == 1 and gaps[0] is None and parts[0].dtype in (np.float32, np.float64):
        return np.require(parts[0], requirements="A")
    out = np.empty(sum(map(len, parts)), np.float32 if field.format in ("e", "f") else np.float64)
    at = 0
    for part, gone in zip(parts, gaps):
        room = out[at : at + len(part)]
        room[:] = part
        if gone is not None:
            room[gone] = np.nan
        at += len(part)
    return out


def _values(field: Field, chunk: Piece) -> np.ndarray:
    """Numbers or booleans of a chunk, whatever they are where one is missing."""
    if field.format == "n":
        return np.full(chunk.count, np.nan)
    if field.format == "b":
        return chunk.bits(1)
    if field.format.startswith("d:"):
        return _decimals(field, chunk)
    return chunk.view(1, _NUMBERS[field.format], chunk.first, chunk.count)


def _decimals(field: Field, chunk: Piece) -> np.ndarray:
    """The nearest double of each, as of its text in a CSV."""
    _, scale, bits = (*map(int, field.format[2:].split(",")), 128)[:3]
    size = bits // 8
    memory = chunk.view(1, np.uint8, chunk.first * size, chunk.count * size).tobytes()
    whole = (int.from_bytes(memory[i : i + size], "little", signed=True) for i in range(0, len(memory), size))
    top, bottom = 10 ** max(-scale, 0), 10 ** max(scale, 0)
    return np.array([number * top / bottom for number in whole], np.float64)


def _chunk(field: Field, chunk: Piece) -> tuple[np.ndarray, list[bytes | None]]:
    """Codes (-1: missing) and texts of a chunk."""
    if field.dictionary is None:
        codes, texts = numbered(_texts(field, chunk), chunk.count)
        limit = len(texts)
    else:
        texts = _dictionary_texts(field.dictionary, _dictionary(chunk))
        codes, limit = _values(field, chunk).astype(np.int64), len(texts)
    gone = chunk.missing()
    if gone is not None:
        codes[gone] = -1
    kept = codes if gone is None else codes[~gone]
    if kept.size and not (0 <= kept.min() and kept.max() < limit):
        raise ValueError(f"column {field.name!r}: a code is outside of the dictionary of {limit} values")
    return codes, texts


def _dictionary(chunk: Piece) -> Piece:
    if not chunk.array.dictionary:
        raise ValueError("an Arrow array has codes and no dictionary")
    return Piece.all_of(chunk.array.dictionary.contents, chunk.owner)


def _dictionary_texts(field: Field, values: Piece) -> list[bytes | None]:
    texts: Any = _texts(field, values) if field.format in _TEXT else None
    if texts is None:
        texts = (bytes_of(label_text(value)) for value in _values(field, values).tolist())
    gone = values.missing()
    return [None if gone is not None and gone[i] else text for i, text in enumerate(texts)]


def _texts(field: Field, chunk: Piece) -> Iterator[bytes | None]:
    if _TEXT[field.format] is None:
        return _viewed_texts(chunk)
    offsets = chunk.view(1, _TEXT[field.format], chunk.first, chunk.count + 1 if chunk.count else 0)
    if len(offsets) and (offsets[0] < 0 or (np.diff(offsets) < 0).any()):
        raise ValueError(f"column {field.name!r}: the offsets of its texts do not ascend")
    start = int(offsets[0]) if len(offsets) else 0
    memory = chunk.view(2, np.uint8, start, int(offsets[-1]) - start if len(offsets) else 0).tobytes()
    ends = (offsets - start).tolist()
    return (memory[a:b] for a, b in zip(ends, ends[1:]))


def _viewed_texts(chunk: Piece) -> Iterator[bytes | None]:
    """Texts by views of 16 bytes each; equal views, of which there are many in a column of categories, are read once."""
    views = chunk.view(1, np.uint8, 16 * chunk.first, 16 * chunk.count).tobytes()
    buffers = max(chunk.array.n_buffers - 3, 0)
    sizes = chunk.view(chunk.array.n_buffers - 1, np.int64, 0, buffers)
    memory = [memoryview(chunk.view(2 + i, np.uint8, 0, int(size))) for i, size in enumerate(sizes)]
    gone = chunk.missing()
    known: dict[bytes, bytes] = {}
    for i in range(chunk.count):
        if gone is not None and gone[i]:
            yield None  # its view may be anything
            continue
        view = views[16 * i : 16 * i + 16]
        if view not in known:
            known[view] = _viewed(view, memory)
        yield known[view]


def _viewed(view: bytes, memory: list[memoryview]) -> bytes:
    """A length, and the text itself or where it is: prefix, buffer, offset."""
    length, _, buffer, offset = struct.unpack("=4i", view)
    if 0 <= length <= _INLINE:
        return view[4 : 4 + length]
    if length < 0 or not 0 <= buffer < len(memory) or not 0 <= offset <= len(memory[buffer]) - length:
        raise ValueError("a text of an Arrow array is outside of its memory")
    return memory[buffer][offset : offset + length].tobytes()
