"""The texts under which a model file knows classes and categories, and what they were before."""

from __future__ import annotations

from typing import Any, Iterable, Union

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from ._dates import Dates
from ._library import bytes_of, text_from
from ._tables import number_text

# A column: numbers, NaN where missing; dates; or categories, as codes (-1: missing) and their names.
Column = Union[np.ndarray, Dates, "tuple[np.ndarray, list[str]]"]


class Text(tuple):
    """Categories that were plain text, and so may be meant as dates."""


def label_text(value: Any) -> str:
    """What a class or a category is called in a model file: 1 and 1.0 are '1', True is 'True'."""
    if isinstance(value, bytes):
        return text_from(value)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        return str(value)
    return str(int(value)) if isinstance(value, (int, np.integer)) else number_text(value)


def labels_of(names: list[str]) -> np.ndarray:
    """Names of classes as the labels that they were: booleans, integers, numbers, or text. The command keeps the
    spelling of true and false that a file has."""
    if [name.lower() for name in names] in (["false", "true"], ["false"], ["true"]):
        return np.array([name.lower() == "true" for name in names])
    for kind in (np.int64, np.float64):
        try:
            labels = np.array([kind(name) for name in names])
        except (ValueError, OverflowError):
            continue
        if np.isfinite(labels).all() and [label_text(label) for label in labels.tolist()] == names:
            return labels
    return np.array(names)


def classes_of(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The classes in order, and the code of each row; whole numbers that lie close together without sorting."""
    if y.dtype.kind in "iu" and len(y) and int(y.max()) - int(y.min()) <= 2 * len(y):
        wide = y if y.dtype.itemsize == 8 else y.astype(np.int64)  # narrow ones do not hold their own span
        low = wide.min()
        place = (wide - low).astype(np.intp, copy=False)
        there = np.bincount(place) > 0
        return (np.flatnonzero(there).astype(wide.dtype) + low).astype(y.dtype), (np.cumsum(there) - 1)[place]
    check_classification_targets(y)
    return np.unique(y, return_inverse=True)


def coded(chunks: Iterable[tuple[np.ndarray, list[bytes | None]]]) -> Column:
    """One column of chunks that have codes (-1: missing) and texts of their own. Levels are the texts that occur, in
    bytewise order as the command has them; None and '' are missing. A column without any value is one of numbers,
    as in a CSV."""
    level: dict[bytes, int] = {}
    parts = []
    for codes, texts in chunks:
        new = np.full(len(texts) + 1, -1, np.int32)  # the last is that of code -1
        for old in np.flatnonzero(np.bincount(codes + 1, minlength=1)[1:]):
            text = texts[old]
            if text:
                new[old] = level.setdefault(text, len(level))
        parts.append(new[codes])
    codes = np.concatenate(parts) if parts else np.empty(0, np.int32)
    if not level:
        return np.full(len(codes), np.nan)
    levels = sorted(level)
    rank = np.full(len(levels) + 1, -1, np.int32)
    rank[[level[text] for text in levels]] = np.arange(len(levels))
    return rank[codes], [text_from(text) for text in levels]


def numbered(texts: Iterable[Any], count: int) -> tuple[np.ndarray, list[Any]]:
    """A chunk of texts, as codes and the texts that they number."""
    seen: dict[Any, int] = {}
    codes = np.fromiter((seen.setdefault(text, len(seen)) for text in texts), dtype=np.intp, count=count)
    return codes, list(seen)


def encode(values: list[Any]) -> Column:
    """Values of any kind as categories; None and NaN are missing."""
    texts = (None if value is None or value != value else label_text(value) for value in values)
    codes, seen = numbered(texts, len(values))
    return as_text(coded([(codes, [None if text is None else bytes_of(text) for text in seen])]))


def as_text(column: Column) -> Column:
    return Text(column) if isinstance(column, tuple) else column
