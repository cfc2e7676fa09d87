"""Trees as ONNX: the number of the leaf that a row falls into, in every tree.

Cuts along a column compare its float with the threshold, as the library does. A cut along an oblique direction looks at one more
column, the sum over its terms, added up in float one after the other in the order of the library; a cut of a category at a column
that has 1 for the levels that go right. So every row falls into the leaf that the library gives it.
"""

from __future__ import annotations

import numpy as np

from ._image import Image
from ._onnx_graph import ML, Graph

_MOST_LEAVES = 2**24  # of a tree: their numbers pass through floats


def write_leaves(graph: Graph, image: Image, x: str) -> str:
    """n x trees: numbers of leaves, from 0 in each tree. x: the encoded rows. ValueError: a cut has no form in ONNX."""
    tree, node = image.TREE, image.NODE
    if not (node["right"] > 0).any():
        return graph.cast(graph.zeros(x, len(tree)), np.int64)
    if tree["leaves"].max() > _MOST_LEAVES:
        raise ValueError(f"a tree has more than {_MOST_LEAVES} leaves, and ONNX gives their numbers as floats")
    number = np.arange(len(node)) - np.repeat(tree["first_node"].astype(np.int64), tree["nodes"])
    if ((node["right"] > 0) & (node["right"] == number + 1)).any():
        raise ValueError("its cells are those of the nearest centre (cut=voronoi), and ONNX has trees of cuts only")
    columns = _Columns(graph, image, x)
    feature = columns.of_nodes()
    is_leaf = node["right"] == 0
    threshold = np.where(columns.by_levels, np.float32(0.5), node["threshold"])
    of_tree = np.repeat(np.arange(len(tree)), tree["nodes"])
    leaves = graph.op(
        "TreeEnsembleRegressor",
        columns.write(),
        domain=ML,
        n_targets=len(tree),
        aggregate_function="SUM",
        post_transform="NONE",
        nodes_treeids=of_tree.tolist(),
        nodes_nodeids=number.tolist(),
        nodes_featureids=np.where(is_leaf, 0, feature).tolist(),
        nodes_values=np.where(is_leaf, 0, threshold).astype(float).tolist(),
        nodes_modes=np.where(is_leaf, "LEAF", "BRANCH_LT").tolist(),
        nodes_truenodeids=np.where(is_leaf, 0, number + 1).tolist(),
        nodes_falsenodeids=np.where(is_leaf, 0, node["right"]).tolist(),
        nodes_missing_value_tracks_true=np.where(is_leaf, 0, node["count"] % 2).tolist(),
        target_treeids=of_tree[is_leaf].tolist(),
        target_nodeids=number[is_leaf].tolist(),
        target_ids=of_tree[is_leaf].tolist(),
        target_weights=node["first"][is_leaf].astype(float).tolist(),
    )
    return graph.cast(leaves, np.int64)


class _Columns:
    """What the nodes look at: the encoded columns, then a sum for each oblique cut, then sets of levels."""

    def __init__(self, graph: Graph, image: Image, x: str) -> None:
        self.graph, self.image, self.x = graph, image, x
        node = image.NODE
        cut = node["right"] > 0
        self.by_levels = cut & np.isnan(node["threshold"])
        self.oblique = np.flatnonzero(cut & ~self.by_levels & (node["count"] > 1))
        self.sets: dict[int, dict[bytes, int]] = {}  # of a column: right or left for each code, and which set it is

    def of_nodes(self) -> np.ndarray:
        """Which of them each node looks at."""
        node, base = self.image.NODE, len(self.image.COLS)
        feature = node["first"].astype(np.int64)
        feature[self.oblique] = base + np.arange(len(self.oblique))
        found = {i: self._set(i) for i in np.flatnonzero(self.by_levels)}
        first, at = {}, base + len(self.oblique)
        for column, sets in self.sets.items():
            first[column], at = at, at + len(sets)
        for i, (column, place) in found.items():
            feature[i] = first[column] + place
        return feature

    def _set(self, i: int) -> tuple[int, int]:
        """The column of codes that a node looks at, and which of its sets it asks."""
        node, term = self.image.NODE[i], self.image.TERM
        first, count = int(node["first"]), int(node["count"]) // 2
        column, listed = int(term["column"][first]), int(term["weight"][first])
        words = term[first + 1 : first + count].view("<u4")
        feature = self.image.FEAT[self.image.COLS["feature"][column]]
        right = np.zeros(int(feature["levels"]), bool)
        if listed:
            right[words[:listed]] = True
        elif len(words):
            bits = np.unpackbits(words.view(np.uint8), bitorder="little")[: len(right)]
            right[: len(bits)] = bits
        sets = self.sets.setdefault(column, {})
        return column, sets.setdefault(right.tobytes(), len(sets))

    def write(self) -> str:
        parts = [self.x]
        if len(self.oblique):
            parts.append(self._sums())
        parts += [self._members(column, sets) for column, sets in self.sets.items()]
        return self.graph.op("Concat", *parts, axis=1) if len(parts) > 1 else self.x

    def _sums(self) -> str:
        """Sums of fewer terms go on with a column of zeros."""
        graph, node = self.graph, self.image.NODE[self.oblique]
        count, none = node["count"].astype(np.int64) // 2, len(self.image.COLS)
        x = graph.op("Concat", self.x, graph.zeros(self.x, 1), axis=1)
        total = ""
        for i in range(count.max()):
            there = i < count
            term = self.image.TERM[np.where(there, node["first"].astype(np.int64) + i, 0)]
            weight = np.where(there, term["weight"], np.float32(0))
            part = graph.times(graph.take(x, np.where(there, term["column"], none)), weight, np.float32)
            total = graph.op("Add", total, part) if i else part
        return total

    def _members(self, column: int, sets: dict[bytes, int]) -> str:
        """1 for a level of each set, 0 for others, NaN where the value is missing."""
        graph = self.graph
        table = np.array([np.frombuffer(right, bool) for right in sets], np.float32).T
        table = np.concatenate([table, np.full((1, len(sets)), np.nan, np.float32)])
        code = graph.take(self.x, column)
        missing = graph.op("IsNaN", code)
        code = graph.op("Where", missing, graph.constant(len(table) - 1, np.float32), code)
        return graph.op("Gather", graph.constant(table), graph.cast(code, np.int64), axis=0)
