"""A model as an ONNX graph: encoding, trees, leaves, vote, and the weights and the calibration of a committee."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ._image import Image
from ._onnx_encode import Encoding, Inputs
from ._onnx_graph import IR_VERSION, ML, ML_OPSET, OPSET, Graph
from ._onnx_leaves import write_answers
from ._onnx_trees import write_leaves

_NONE, _LOGISTIC, _TEMPERATURE = range(3)  # curves of a committee
_MOST_BYTES = 2**31 - 1


def build(data: bytes, labels: np.ndarray | None, version: str) -> Any:
    """The ONNX model of a model file. labels: what the classes are called; None: the model answers with a number. ValueError says
    what has no form in ONNX."""
    from onnx import TensorProto, helper

    image, graph = Image(data), Graph()
    first = next(image.members())[0]
    inputs, k = Inputs.of(first), max(len(first.classes), 1)
    said = [(_Forest(graph, member, k), weight) for member, weight in image.members()]
    votes, shares = _committee(graph, image, said, k) if image.is_committee else (said[0][0].votes, said[0][0].shares)
    batch = ["rows"]
    given = []
    if inputs.numbers:
        given.append(helper.make_tensor_value_info("X", TensorProto.DOUBLE, [*batch, len(inputs.numbers)]))
    if inputs.categories:
        given.append(helper.make_tensor_value_info("categories", TensorProto.STRING, [*batch, len(inputs.categories)]))
    if labels is None:
        graph.op("Squeeze", votes, graph.constant([1], np.int64), name="value")
        outputs = [helper.make_tensor_value_info("value", TensorProto.DOUBLE, batch)]
    else:
        kind = _write_label(graph, votes, shares, labels)
        graph.op("Identity", shares, name="probabilities")
        outputs = [
            helper.make_tensor_value_info("label", kind, batch),
            helper.make_tensor_value_info("probabilities", TensorProto.DOUBLE, [*batch, k]),
        ]
    made = helper.make_model(
        helper.make_graph(graph.nodes, "svforest", given, outputs, graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)],
        ir_version=IR_VERSION,
        producer_name="svforest",
        producer_version=version,
    )
    helper.set_model_props(made, _facts(first, inputs))
    if made.ByteSize() > _MOST_BYTES:
        raise ValueError(f"it would take {made.ByteSize() / 2**30:.1f} GiB, and an ONNX file holds 2")
    return made


def _facts(image: Image, inputs: Inputs) -> dict[str, str]:
    """What the inputs and the answers are called."""
    names = [image.text(feature["name"]) for feature in image.FEAT]
    facts = {"X": [names[j] for j in inputs.numbers], "categories": [names[j] for j in inputs.categories]}
    facts["target"] = image.text(image.META["target"][0])
    facts["classes"] = image.classes
    return {name: json.dumps(value) for name, value in facts.items() if value}


class _Forest:
    """votes and shares: n x k; of numbers both are the answer."""

    def __init__(self, graph: Graph, image: Image, k: int) -> None:
        self.graph, self.k = graph, k
        vote = image.settings["vote"]
        if vote not in _VOTES:
            raise ValueError(f"vote={vote} has no form in ONNX")
        self.weight = image.TREE["weight"].astype(np.float64)
        x = Encoding(graph, image).write()
        said = 1 if vote == "boost" else k
        scores, shares = write_answers(graph, image, x, write_leaves(graph, image, x), said)
        self.votes, self.shares = _VOTES[vote](self, scores, shares)

    def _sum(self, answers: str) -> str:
        """The weighted mean over the trees."""
        total = self.graph.total(self.graph.times(answers, self.weight[:, None]), 1, keepdims=False)
        return self.graph.op("Div", total, self.graph.constant(self.weight.sum()))

    def mean(self, scores: str, shares: str) -> tuple[str, str]:
        mean = self._sum(shares)
        return mean, mean

    def majority(self, scores: str, shares: str) -> tuple[str, str]:
        return self._sum(self.graph.top(scores, 2, self.k)), self._sum(shares)

    def confidence(self, scores: str, shares: str) -> tuple[str, str]:
        """Of each class the largest lead over the second in any tree."""
        graph, best = self.graph, self.graph.top(scores, 2, self.k)
        if self.k == 1:
            return graph.most(graph.times(scores, 0.0), 1), self._sum(shares)
        values, _ = graph.ops("TopK", scores, graph.constant([2], np.int64), names=2, axis=2)
        lead = graph.op("Sub", graph.take(values, [0], axis=2), graph.take(values, [1], axis=2))
        leads = graph.op("ReduceMax", graph.op("Mul", best, lead), axes=[1], keepdims=0)
        return leads, self._sum(shares)

    def boost(self, scores: str, shares: str) -> tuple[str, str]:
        """Sums of the trees, of k > 2 classes one each; then a logistic link."""
        graph, k = self.graph, self.k
        sums = 1 if k <= 2 else k
        parts = graph.times(scores, self.weight[:, None])
        parts = graph.op("Reshape", parts, graph.constant([-1, len(self.weight) // sums, sums], np.int64))
        total = graph.total(parts, 1, keepdims=False)
        if k == 1:
            return total, total
        if k > 2:
            return total, graph.op("Softmax", total, axis=1)
        both = graph.times(total, np.array([[-0.5, 0.5]]))
        return both, graph.sigmoid(graph.times(both, -2.0))


_VOTES = {
    "mean": _Forest.mean,
    "weighted": _Forest.mean,
    "simple": _Forest.mean,
    "majority": _Forest.majority,
    "max-confidence": _Forest.confidence,
    "boost": _Forest.boost,
}


def _committee(graph: Graph, image: Image, said: list[tuple[_Forest, float]], k: int) -> tuple[str, str]:
    parts = [graph.times(forest.shares if k > 1 else forest.votes, weight) for forest, weight in said]
    p = graph.op("Sum", *parts) if len(parts) > 1 else parts[0]
    head = image.HEAD[0]
    curve, smooth, slope, shift = int(head["curve"]), *(float(head[name]) for name in ("smooth", "slope", "shift"))
    if curve == _NONE or k == 1:
        return p, p
    p = graph.plus(graph.times(p, 1 - smooth), smooth / k)
    if curve == _LOGISTIC:
        log = graph.op("Log", p)
        z = graph.op("Sub", graph.take(log, [1]), graph.take(log, [0]))
        z = graph.plus(graph.times(z, slope), shift)
        p = graph.sigmoid(graph.times(z, np.array([[-1.0, 1.0]])))
    else:
        p = graph.op("Softmax", graph.times(graph.op("Log", p), slope), axis=1)
    return p, p


def _write_label(graph: Graph, votes: str, shares: str, labels: np.ndarray) -> int:
    """The class with most votes; of equals the first of the most probable."""
    from onnx import TensorProto

    most = graph.op("GreaterOrEqual", votes, graph.most(votes, 1))
    best = graph.op("ArgMax", graph.op("Where", most, shares, graph.constant(-1.0)), axis=1, keepdims=0)
    names = names_of(labels)
    graph.op("Gather", graph.constant(names), best, axis=0, name="label")
    return TensorProto.STRING if names.dtype == object else TensorProto.INT64


def names_of(labels: np.ndarray) -> np.ndarray:
    """Labels as ONNX gives them: whole numbers, or else text."""
    return labels.astype(np.int64) if labels.dtype.kind in "iu" else np.array([str(label) for label in labels.tolist()], object)
