"""A tree as boxes and lines; and the colours of all plots."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from ._library import bytes_of

# Told apart also by those who do not see all colours (Okabe and Ito).
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"]
DARK, LIGHT = "#333333", "#BBBBBB"


def shown(name: Any) -> str:
    """A name that can be drawn: bytes of it that are no UTF-8 have a sign in their place."""
    return (name if isinstance(name, bytes) else bytes_of(str(name))).decode(errors="replace")


class Drawing:
    """Where the nodes of a tree are put: leaves side by side, a cut above the middle of its two sides."""

    def __init__(self, model: Any, number: int, max_depth: int) -> None:
        self.forest, self.number, self.max_depth = model.forest_, number, max_depth
        self.nodes, self.encoded = model.forest_.nodes(number), model.forest_.encoded()
        self.names = [shown(name) for name in model.forest_.feature_names()]
        self.at: dict[int, tuple[float, float]] = {}
        self.width = 0

    def place(self, node: int, depth: int) -> float:
        ends = self.nodes[node].is_leaf or depth == self.max_depth
        if ends:
            x = float(self.width)
            self.width += 1
        else:
            x = (self.place(self.nodes[node].left, depth + 1) + self.place(self.nodes[node].right, depth + 1)) / 2
        self.at[node] = (x, -float(depth))
        return x

    def draw(self, ax: Any) -> None:
        for number, (x, y) in self.at.items():
            node = self.nodes[number]
            inner = not node.is_leaf and node.left in self.at
            for child, word in ((node.left, "yes"), (node.right, "no")) if inner else ():
                cx, cy = self.at[child]
                ax.plot([x, cx], [y, cy], color=LIGHT, linewidth=1.2, zorder=1)
                ax.text((x + cx) / 2, (y + cy) / 2, word, ha="center", va="center", fontsize=7, color="#777777",
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})
            edge = COLORS[2] if node.is_leaf else COLORS[0] if inner else LIGHT
            text = self._leaf_text(node) if node.is_leaf else self._cut_text(node) if inner else "..."
            ax.text(x, y, text, ha="center", va="center", fontsize=7, zorder=2, linespacing=1.3,
                    bbox={"facecolor": "white", "edgecolor": edge, "boxstyle": "round,pad=0.45"})
        ax.set(xlim=(-0.6, self.width - 0.4), ylim=(min(y for _, y in self.at.values()) - 0.5, 0.4))
        ax.axis("off")

    def _leaf_text(self, node: Any) -> str:
        said = self.forest.leaf_text(self.number, node.leaf)
        wide = max(16, 110 // max(self.width, 1))
        head = f"{self.forest.leaf_rows(self.number, node.leaf)} rows"
        return "\n".join([head, *textwrap.wrap(said, wide, max_lines=4, placeholder=" ...")])

    def _cut_text(self, node: Any) -> str:
        """In units of the data if one number is cut."""
        if node.levels is not None:
            few = [shown(level) for level in node.levels[:3]]
            more = [f"... {len(node.levels) - 3} more"] if len(node.levels) > 3 else []
            return "\n".join([f"{self.names[self.encoded[node.columns[0]].feature]} is not", *few, *more])
        if len(node.columns) != 1:
            terms = [f"{w:+.2g} {self._column(c)}" for c, w in zip(node.columns, node.weights)]
            few = terms[:3] + ([f"... {len(terms) - 3} more"] if len(terms) > 3 else [])
            return "\n".join([*few, f"< {node.threshold:.3g}"])
        column, weight = self.encoded[node.columns[0]], node.weights[0]
        name = self.names[column.feature]
        if column.category is not None:
            return f"{name} is not\n{shown(column.category)}"
        if column.part is not None and column.part != b"days":
            name = self._column(node.columns[0])
        bound = node.threshold / weight if weight else float("nan")
        value = self.forest.decode(column, bound) if column.scale else bound
        said = f"{value:.4g}"
        if column.part == b"days" and column.scale:
            said = str(np.datetime64(round(value * 1440), "m"))
        return f"{name}\n{'<' if weight >= 0 else '>'} {said}"

    def _column(self, number: int) -> str:
        column = self.encoded[number]
        name = self.names[column.feature]
        if column.part is not None:
            of = "" if column.part_class is None else f" {shown(column.part_class)}"
            return f"{name}[{column.part.decode()}{of}]"
        return name if column.category is None else f"{name}={shown(column.category)}"
