"""Leaves as ONNX, in double: what the leaves of a row say, n x trees x k scores and probabilities (k classes, or 1).

Constant leaves are rows of one table. For linear leaves, each tree looks up the machines of the row's leaf and multiplies
them with the row; the rest are the formulas of src/leaf/code_machines.inc and code_ls.inc, which exported C has, too, with a mask for the
classes that a leaf does not know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._image import Image
from ._onnx_graph import Graph

LINEAR, QUADRATIC, STEP, FORMS = 0, 1, 5, 6  # src/leaf/ls_svm.h: forms of least-squares machines
ONE_VS_ONE = 1  # src/svm/linear_machines.h
_ABSENT = -1e300


def write_answers(graph: Graph, image: Image, x: str, leaf: str, k: int) -> tuple[str, str]:
    """Scores and probabilities; alike for numbers. x: encoded rows; leaf: n x trees. ValueError: there is no form in ONNX."""
    kind = image.settings["leaf"]
    if kind == "constant":
        return _constant(graph, image, leaf, k)
    if kind not in _KINDS:
        raise ValueError(f"leaf={kind} has no form in ONNX: constant and linear leaves have one")
    fill = graph.constant(image.COLS["fill"].astype(np.float32))
    filled = graph.cast(graph.op("Where", graph.op("IsNaN", x), fill, x), np.float64)
    said = []
    for t, tree in enumerate(image.TREE):
        first = int(tree["first_leaf"])
        leaves = [_numbers(image, i) for i in range(first, first + int(tree["leaves"]))]
        at = _Leaves(graph, graph.take(leaf, t), len(leaves), len(image.COLS))
        said.append([graph.op("Unsqueeze", part, graph.constant([1], np.int64)) for part in _KINDS[kind](at, leaves, filled, k)])
    scores, shares = ([pair[i] for pair in said] for i in (0, 1))
    return tuple(graph.op("Concat", *parts, axis=1) if len(parts) > 1 else parts[0] for parts in (scores, shares))


def _numbers(image: Image, leaf: int) -> np.ndarray:
    first = int(image.LEAF["first"][leaf])
    return image.numbers[first : first + int(image.LEAF["length"][leaf])]


def _constant(graph: Graph, image: Image, leaf: str, k: int) -> tuple[str, str]:
    first, length = image.LEAF["first"].astype(np.int64), image.LEAF["length"]
    place = np.minimum(first[:, None] + np.arange(k), len(image.numbers) - 1)
    value = image.numbers[place]
    pure = length < k  # the code of its class alone
    value[pure] = image.numbers[first[pure], None] == np.arange(k)
    leaf = graph.plus(leaf, image.TREE["first_leaf"].astype(np.int64), np.int64)
    shares = graph.op("Gather", graph.constant(value), leaf, axis=0)
    return (shares if k == 1 else graph.plus(graph.times(shares, 2.0), -1.0)), shares


@dataclass
class _Leaves:
    """The leaves of a tree, of which rows look up what is theirs."""

    graph: Graph
    leaf: str  # n
    count: int
    columns: int  # of an encoded row

    def look_up(self, table: Any) -> str:
        """Of a table with an entry per leaf; a tree of one leaf has the entry for all rows."""
        table = self.graph.constant(np.asarray(table, np.float64))
        return table if self.count == 1 else self.graph.op("Gather", table, self.leaf, axis=0)

    def flag(self, table: Any) -> str:
        return self.graph.op("Greater", self.look_up(table), self.graph.constant(0.5))

    def machines(self, w: np.ndarray, x: str) -> str:
        """n x machines: w is leaves x machines x (columns + 1), the bias last."""
        graph, w = self.graph, np.asarray(w)
        if self.count == 1:
            product = graph.op("MatMul", x, graph.constant(w[0, :, :-1].T))
        else:
            column = graph.op("Unsqueeze", x, graph.constant([2], np.int64))
            product = graph.op("MatMul", self.look_up(w[:, :, :-1]), column)
            product = graph.op("Squeeze", product, graph.constant([2], np.int64))
        return graph.op("Add", product, self.look_up(w[:, :, -1]))

    def spread(self, own: str, present: np.ndarray) -> str:
        """Scores of all classes: one that is absent has -1, or less where all are below."""
        graph, there = self.graph, self.flag(present)
        best = graph.most(graph.op("Where", there, own, graph.constant(_ABSENT)), 1)
        least = graph.op("Where", graph.op("Greater", best, graph.constant(-1.0)), graph.constant(-1.0), graph.plus(best, -1.0))
        return graph.op("Where", there, own, least)

    def share_out(self, part: str, present: np.ndarray) -> str:
        """Parts, 0 where absent, over their sum; equal ones if that is 0."""
        graph, total = self.graph, self.graph.total(part, 1)
        some = graph.op("Greater", total, graph.constant(0.0))
        over = graph.op("Where", some, total, graph.constant(1.0))
        even = self.look_up(present / present.sum(axis=1, keepdims=True))
        return graph.op("Where", some, graph.op("Div", part, over), even)


# ---- margin machines ----


def _margin(at: _Leaves, leaves: list[np.ndarray], x: str, k: int) -> list[str]:
    """m, scheme, 3 numbers of training, m codes, 2 m of sigmoids, machines."""
    graph, count = at.graph, len(leaves)
    m = np.array([leaf[0] for leaf in leaves], int)
    codes = [leaf[5 : 5 + n].astype(int) for leaf, n in zip(leaves, m)]
    present, slope, shift = np.zeros((count, k)), np.zeros((count, k)), np.zeros((count, k))
    second = np.zeros((count, k))  # of two classes the first has what the second leaves
    for i, (leaf, code) in enumerate(zip(leaves, codes)):
        present[i, code] = 1
        if m[i] == 1:
            shift[i, code] = -500  # a sigmoid of 1
            continue
        curve = leaf[5 + m[i] : 5 + 3 * m[i]].reshape(-1, 2)
        slope[i, code], shift[i, code] = curve.T
        if m[i] == 2:
            second[i, code[0]] = 1
    several = [int(leaf[1]) for leaf, n in zip(leaves, m) if n > 1]
    own = (_pairs if several and several[0] == ONE_VS_ONE else _rest)(at, leaves, codes, x, k)
    z = graph.op("Add", graph.op("Mul", at.look_up(slope), own), at.look_up(shift))
    part = graph.op("Mul", graph.sigmoid(z), at.look_up(present - second))
    left = graph.op("Mul", at.look_up(second), graph.op("Sub", graph.constant(1.0), graph.total(part, 1)))
    part = graph.op("Add", part, left)
    return [at.spread(own, present), at.share_out(part, present)]


def _rest(at: _Leaves, leaves: list[np.ndarray], codes: list[np.ndarray], x: str, k: int) -> str:
    """A machine per class; of two classes one with both signs."""
    w = np.zeros((len(leaves), k, at.columns + 1))
    for i, (leaf, code) in enumerate(zip(leaves, codes)):
        m = len(code)
        if m == 1:
            w[i, code, -1] = 1
            continue
        machine = leaf[5 + 3 * m :].reshape(-1, w.shape[2])
        w[i, code] = machine if len(machine) == m else np.concatenate([-machine, machine])
    return at.machines(w, x)


def _pairs(at: _Leaves, leaves: list[np.ndarray], codes: list[np.ndarray], x: str, k: int) -> str:
    """A machine for every two classes, whose margins, held within 1, are votes."""
    graph, first, second = at.graph, *np.triu_indices(k, 1)
    number = {pair: p for p, pair in enumerate(zip(first.tolist(), second.tolist()))}
    w = np.zeros((len(leaves), len(first), at.columns + 1))
    small, vote, alone = np.zeros((len(leaves), 1)), np.zeros((len(leaves), len(first))), np.zeros((len(leaves), k))
    for i, (leaf, code) in enumerate(zip(leaves, codes)):
        m = len(code)
        if m == 1:
            alone[i, code] = 1
            continue
        own = [number[int(code[a]), int(code[b])] for a in range(m) for b in range(a + 1, m)]
        w[i, own] = leaf[5 + 3 * m :].reshape(-1, w.shape[2])
        small[i] = 1 / (2 * m)
        vote[i, own] = 1 / ((m - 1) * (1 + small[i, 0]))
    margin = graph.within(at.machines(w, x), -1.0, 1.0)
    side = graph.op("Less", margin, graph.constant(0.0))
    side = graph.op("Where", side, graph.constant(-1.0), graph.constant(1.0))
    part = graph.op("Add", side, graph.op("Mul", at.look_up(small), margin))
    part = graph.op("Mul", part, at.look_up(vote))
    signs = np.zeros((len(first), k))
    signs[np.arange(len(first)), first], signs[np.arange(len(first)), second] = 1, -1
    return graph.op("Add", graph.op("MatMul", part, graph.constant(signs)), at.look_up(alone))


# ---- least-squares machines ----


def _least_squares(at: _Leaves, leaves: list[np.ndarray], x: str, k: int) -> list[str]:
    """m (0: a number), form, 2 numbers of training, m codes, the curve, machines."""
    parsed = [_SquaresLeaf(leaf) for leaf in leaves]
    for leaf in parsed:
        if leaf.form not in (LINEAR, QUADRATIC, STEP):
            raise ValueError("its least-squares leaves have a kernel of distances: linear ones have a form in ONNX")
    width = at.columns
    if parsed[0].form == STEP:
        return [_steps(at, parsed, x)] * 2
    if any(leaf.form == QUADRATIC for leaf in parsed):
        first, second = np.triu_indices(at.columns)
        products = at.graph.op("Mul", at.graph.take(x, first), at.graph.take(x, second))
        x, width = at.graph.op("Concat", x, products, axis=1), width + len(first)
    w = np.zeros((len(leaves), k if parsed[0].m else 1, width + 1))
    for i, leaf in enumerate(parsed):
        leaf.place(w[i])
    own = at.machines(w, x)
    return [own] * 2 if not parsed[0].m else _squares_classes(at, parsed, own, k)


class _SquaresLeaf:
    def __init__(self, leaf: np.ndarray) -> None:
        self.m, form = int(leaf[0]), int(leaf[1])
        self.form, calibrated = form % FORMS, form >= FORMS
        at = 4 + self.m
        self.code = leaf[4:at].astype(int)
        rows, self.slope, self.shift = 0.0, 0.0, 0.0
        if calibrated:
            rows, at = float(leaf[at]), at + 1
            if self.m > 1:
                (self.slope, self.shift), at = leaf[at : at + 2].tolist(), at + 2
        self.curved = calibrated and self.m > 1
        self.alike = 1 / (rows + 1) if calibrated else 0.0  # the part of a probability that all classes have alike
        self.added = 1 / (rows + self.m) if self.m else 1.0
        self.machines = leaf[at:]

    def place(self, w: np.ndarray) -> None:
        """Machines to the places of their classes; w: k x (columns + 1)."""
        machine = self.machines.reshape(-1, w.shape[1])
        if self.m == 0:
            w[:] = machine
        elif self.m == 1:
            w[self.code, -1] = 1
        else:
            w[self.code] = machine if self.m > 2 else np.concatenate([-machine, machine])


def _steps(at: _Leaves, leaves: list[_SquaresLeaf], x: str) -> str:
    """Sums of weight * (x - low), x held between two ends."""
    graph, d = at.graph, at.columns
    low, high, weight = (np.zeros((len(leaves), d)) for _ in range(3))
    constant = np.zeros((len(leaves), 1))
    for i, leaf in enumerate(leaves):
        part = leaf.machines[:-1].reshape(-1, 4)
        column = part[:, 0].astype(int)
        low[i, column], high[i, column], weight[i, column] = part[:, 1], part[:, 2], part[:, 3]
        constant[i] = leaf.machines[-1]
    ends = at.look_up(low), at.look_up(high)
    held = graph.op("Min", graph.op("Max", x, ends[0]), ends[1])
    part = graph.op("Mul", at.look_up(weight), graph.op("Sub", held, ends[0]))
    return graph.op("Add", graph.total(part, 1), at.look_up(constant))


def _squares_classes(at: _Leaves, leaves: list[_SquaresLeaf], own: str, k: int) -> list[str]:
    graph = at.graph
    present = np.zeros((len(leaves), k))
    first = np.zeros((len(leaves), k))
    for i, leaf in enumerate(leaves):
        present[i, leaf.code] = 1
        if leaf.m == 2:
            first[i, leaf.code[0]] = 1
    plain = graph.op("Max", graph.plus(own, 1.0), graph.constant(0.0))
    plain = graph.op("Mul", plain, at.look_up(present))
    share = at.share_out(plain, present)
    curved = [np.array([[leaf.curved and (leaf.m == 2) == two] for leaf in leaves]) for two in (False, True)]
    slope, shift = at.look_up([[leaf.slope] for leaf in leaves]), at.look_up([[leaf.shift] for leaf in leaves])
    line = graph.op("Mul", slope, own)
    if curved[0].any():
        half = graph.op("Add", graph.times(plain, 0.5), at.look_up([[leaf.added] for leaf in leaves]))
        z = graph.op("Add", line, graph.op("Mul", shift, graph.op("Log", half)))
        z = graph.op("Where", at.flag(present), z, graph.constant(_ABSENT))
        share = graph.op("Where", at.flag(curved[0]), graph.op("Softmax", z, axis=1), share)
    if curved[1].any():
        sigmoid = graph.sigmoid(graph.op("Add", line, shift))
        second = graph.op("Mul", sigmoid, at.look_up(present - first))
        rest = graph.op("Sub", graph.constant(1.0), graph.total(second, 1))
        two = graph.op("Add", second, graph.op("Mul", at.look_up(first), rest))
        share = graph.op("Where", at.flag(curved[1]), two, share)
    alike = np.array([[leaf.alike] for leaf in leaves])
    if alike.any():
        share = graph.op("Add", graph.op("Mul", share, at.look_up(1 - alike)), at.look_up(alike / k))
    return [at.spread(own, present), share]


_KINDS = {"linear-svm": _margin, "ls-svm": _least_squares}
