"""The encoding of rows as ONNX: n x columns floats, NaN where a value is missing, to the last bit those of the library.

Numbers come in the input X. Categories come as text in the input `categories`: a table of all levels, of "" (missing) and of what
training did not know gives the columns of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ._image import CODE, DATES, INDICATOR, LEFT_OUT, Image
from ._onnx_graph import ML, Graph

_ENCODED_LIMIT, _UNSCALED_LIMIT = 1e6, 1e15  # src/data/encode.h


@dataclass
class Inputs:
    """Which features of a table each input has, in order."""

    numbers: list[int] = field(default_factory=list)
    categories: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, image: Image) -> "Inputs":
        """ValueError: a feature cannot be an input."""
        made = cls()
        for j, feature in enumerate(image.FEAT):
            level = image.COLS["level"][feature["first"]]
            if feature["recipe"]:
                raise ValueError(f"{image.text(feature['name'])} is made of other columns, and ONNX gets columns as they are")
            if level in DATES:
                raise ValueError(f"{image.text(feature['name'])} is a date, and ONNX has no calendar")
            if level != LEFT_OUT:
                (made.categories if feature["levels"] else made.numbers).append(j)
        return made


class _Scale:
    """The map from a value to its encoded column, for many columns."""

    def __init__(self, image: Image, columns: np.ndarray) -> None:
        record = image.COLS[columns]
        self.half, self.twice = record["shift"] / 2, 2 * record["scale"]
        self.limit = np.where((record["shift"] == 0) & (record["scale"] == 1), _UNSCALED_LIMIT, _ENCODED_LIMIT)
        self.clipped = image.settings["scale"] == "robust"

    def __call__(self, x: np.ndarray) -> np.ndarray:
        z = np.clip((x / 2 - self.half) * self.twice, -self.limit, self.limit)
        return (z / np.sqrt(1 + z * z / 9) if self.clipped else z).astype(np.float32)

    def write(self, graph: Graph, x: str) -> str:
        z = graph.op("Sub", graph.times(x, 0.5), graph.constant(self.half))
        z = graph.within(graph.times(z, self.twice), -self.limit, self.limit)
        if self.clipped:
            square = graph.op("Div", graph.op("Mul", z, z), graph.constant(9.0))
            z = graph.op("Div", z, graph.op("Sqrt", graph.plus(square, 1.0)))
        return graph.cast(z, np.float32)


class Encoding:
    """The encoded rows of a forest in a graph; `columns` says how many there are."""

    def __init__(self, graph: Graph, image: Image) -> None:
        self.graph, self.image, self.inputs = graph, image, Inputs.of(image)
        self.columns = len(image.COLS)
        self._parts: list[tuple[np.ndarray, str]] = []

    def write(self) -> str:
        self._numbers()
        statistic = 0
        for j, feature in enumerate(self.image.FEAT):
            if not feature["levels"]:
                continue
            levels, width = int(feature["levels"]), int(feature["width"])
            own = self.image.COLS["level"][feature["first"]]
            size = (levels + 2) * width if own <= -4 and own != LEFT_OUT else 0
            self._category(j, self.image.statistics[statistic : statistic + size].reshape(-1, width))
            statistic += size
        left_out = np.flatnonzero(self.image.COLS["level"] == LEFT_OUT)
        if len(left_out):
            self._parts.append((left_out, self.graph.zeros(self._any_input, len(left_out))))
        order = np.argsort(np.concatenate([columns for columns, _ in self._parts]))
        names = [name for _, name in self._parts]
        x = self.graph.op("Concat", *names, axis=1) if len(names) > 1 else names[0]
        return x if (order == np.arange(len(order))).all() else self.graph.take(x, order)

    @property
    def _any_input(self) -> str:
        return "X" if self.inputs.numbers else "categories"

    def _numbers(self) -> None:
        graph, features = self.graph, self.image.FEAT[self.inputs.numbers]
        if not len(features):
            return
        first = features["first"].astype(int)
        self._parts.append((first, _Scale(self.image, first).write(graph, "X")))
        told = np.flatnonzero(features["width"] == 2)
        if len(told):
            indicators = first[told] + 1
            scale = _Scale(self.image, indicators)
            missing = graph.op("IsNaN", graph.take("X", told))
            yes, no = (graph.constant(scale(np.full(len(told), value))) for value in (1.0, 0.0))
            self._parts.append((indicators, graph.op("Where", missing, yes, no)))

    def _category(self, j: int, statistics: np.ndarray) -> None:
        """By code: the levels, then missing, then unseen."""
        feature, graph = self.image.FEAT[j], self.graph
        levels, columns = self.image.levels(feature), feature["first"].astype(int) + np.arange(feature["width"])
        role = self.image.COLS["level"][columns]
        table = np.full((len(levels) + 2, len(columns)), np.nan, np.float32)
        told = role[-1] == INDICATOR
        if len(statistics):
            table = np.concatenate([statistics[2:], statistics[1:2], statistics[:1]])
        elif role[0] == CODE:
            table[: len(levels), 0] = np.arange(len(levels))
        else:
            inner = len(columns) - told
            scale = _Scale(self.image, columns[:inner])
            for code in range(len(levels)):
                table[code, :inner] = scale((role[:inner] == code).astype(np.float64))
        if told:
            table = table.copy()
            table[:, -1] = _Scale(self.image, columns[-1:])(np.isnan(table[:, :1]).astype(np.float64))[:, 0]
        text = graph.take("categories", self.inputs.categories.index(j))
        code = graph.op(
            "LabelEncoder",
            text,
            domain=ML,
            keys_strings=[*levels, ""],
            values_int64s=list(range(len(levels) + 1)),
            default_int64=len(levels) + 1,
        )
        self._parts.append((columns, graph.op("Gather", graph.constant(table), code, axis=0)))
