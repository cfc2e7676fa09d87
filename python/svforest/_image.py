"""A model file as arrays: what docs/format.md says, in NumPy. The library has checked every byte before."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Iterator

import numpy as np

from ._tables import SETTINGS

_HEADER = 32
_COMMITTEE = 2
_SECTION = np.dtype([("tag", "S4"), ("item", "<u4"), ("offset", "<u8"), ("bytes", "<u8")])
_TEXT = [("offset", "<u4"), ("length", "<u4")]
_ITEMS = {
    "META": [
        *[("task", "<u4"), ("named", "<u4"), ("rows", "<u8"), ("features", "<u8"), ("columns", "<u8"), ("classes", "<u8")],
        ("target", _TEXT),
    ],
    "FEAT": [
        ("name", _TEXT),
        *((name, "<u4") for name in ("first_level", "levels", "first", "width", "recipe", "parts")),
    ],
    "LEVL": _TEXT,
    "COLS": [("shift", "<f8"), ("scale", "<f8"), ("fill", "<f8"), ("feature", "<u4"), ("level", "<i4")],
    "CLAS": [("name", _TEXT), ("weight", "<f8")],
    "TREE": [
        *[("first_node", "<u8"), ("first_leaf", "<u8"), ("nodes", "<u4"), ("leaves", "<u4")],
        *[("number", "<u4"), ("depth", "<u4"), ("weight", "<f8"), ("oob", "<f8")],
    ],
    "NODE": [("right", "<u4"), ("first", "<u4"), ("count", "<u4"), ("threshold", "<f4")],
    "TERM": [("column", "<u4"), ("weight", "<f4")],
    "LEAF": [("first", "<u8"), ("length", "<u4"), ("rows", "<u4")],
    "HEAD": [("curve", "<u8"), *((name, "<f8") for name in ("smooth", "slope", "shift", "score", "error"))],
    "MEMB": [("offset", "<u8"), ("bytes", "<u8"), ("weight", "<f8"), ("score", "<f8")],
}

CODE, INDICATOR, LEFT_OUT = -2, -3, -5  # what an encoded column may hold; from 0 on: a level
DATES = range(-23, -19)


class Image:
    """A forest or a committee. Sections are attributes: arrays of their items."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        version, sections = np.frombuffer(data, "<u4", 2, 8)
        self.is_committee = version == _COMMITTEE
        table = np.frombuffer(data, _SECTION, sections, _HEADER)
        self._section = {entry["tag"].decode(): entry for entry in table}

    def __getattr__(self, tag: str) -> Any:
        if tag not in _ITEMS:
            raise AttributeError(tag)
        return self._items(tag, np.dtype(_ITEMS[tag]))

    def _items(self, tag: str, item: np.dtype) -> np.ndarray:
        entry = self._section.get(tag)
        count = 0 if entry is None else int(entry["bytes"]) // item.itemsize
        return np.frombuffer(self.data, item, count, int(entry["offset"]) if count else 0)

    @cached_property
    def numbers(self) -> np.ndarray:
        """Those of the leaves, as doubles."""
        return self._items("NUMB", np.dtype(f"<f{self._section['NUMB']['item']}")).astype(np.float64)

    @property
    def statistics(self) -> np.ndarray:
        return self._items("STAT", np.dtype("<f4"))

    @cached_property
    def settings(self) -> dict[str, str]:
        """Every setting as text; one that is not in the file has its default."""
        lines = bytes(self._items("SETT", np.dtype("u1"))).decode().splitlines()
        said = dict(line.split("=", 1) for line in lines if not line.startswith("id="))
        return {**{setting.name: setting.standard for setting in SETTINGS}, **said}

    @cached_property
    def _texts(self) -> bytes:
        return bytes(self._items("STRS", np.dtype("u1")))

    def text(self, record: Any) -> str:
        first = int(record["offset"])
        return self._texts[first : first + int(record["length"])].decode(errors="replace")

    @property
    def classes(self) -> list[str]:
        return [self.text(record) for record in self.CLAS["name"]]

    def levels(self, feature: Any) -> list[str]:
        first = int(feature["first_level"])
        return [self.text(record) for record in self.LEVL[first : first + int(feature["levels"])]]

    def members(self) -> Iterator[tuple["Image", float]]:
        """The forests that answer together, and their weights; of one forest, itself."""
        if not self.is_committee:
            yield self, 1.0
            return
        start = int(self._section["BODY"]["offset"])
        for member in self.MEMB:
            first = start + int(member["offset"])
            yield Image(self.data[first : first + int(member["bytes"])]), float(member["weight"])
