"""Builds an ONNX graph: adds operators one by one and returns the name of each result."""

from __future__ import annotations

from typing import Any

import numpy as np

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8  # the oldest that have what is needed
ML = "ai.onnx.ml"


class Graph:
    """Nodes and constants; equal constants are stored once."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._known: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._names = 0

    def _name(self) -> str:
        self._names += 1
        return f"t{self._names}"

    def constant(self, value: Any, kind: Any = None) -> str:
        from onnx import numpy_helper

        array = np.asarray(value, kind)
        key = array.dtype.str, array.shape, repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
        if key not in self._known:
            self._known[key] = self._name()
            self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), self._known[key]))
        return self._known[key]

    def op(self, kind: str, *inputs: str, domain: str = "", name: str | None = None, **attributes: Any) -> str:
        """The first output of an operator."""
        return self.ops(kind, *inputs, domain=domain, names=[name or self._name()], **attributes)[0]

    def ops(self, kind: str, *inputs: str, names: list[str] | int, domain: str = "", **attributes: Any) -> list[str]:
        from onnx import helper

        outputs = [self._name() for _ in range(names)] if isinstance(names, int) else names
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, domain=domain, **attributes))
        return outputs

    # ---- what is written often ----

    def take(self, array: str, indices: Any, axis: int = 1) -> str:
        """Items along an axis; a single number takes the axis away."""
        return self.op("Gather", array, self.constant(indices, np.int64), axis=axis)

    def cast(self, array: str, kind: Any) -> str:
        from onnx import helper

        return self.op("Cast", array, to=helper.np_dtype_to_tensor_dtype(np.dtype(kind)))

    def times(self, array: str, factor: Any, kind: Any = np.float64) -> str:
        return self.op("Mul", array, self.constant(factor, kind))

    def plus(self, array: str, term: Any, kind: Any = np.float64) -> str:
        return self.op("Add", array, self.constant(term, kind))

    def total(self, array: str, axis: int, keepdims: bool = True) -> str:
        return self.op("ReduceSum", array, self.constant([axis], np.int64), keepdims=int(keepdims))

    def most(self, array: str, axis: int) -> str:
        return self.op("ReduceMax", array, axes=[axis], keepdims=1)

    def within(self, array: str, low: Any, high: Any) -> str:
        """Held between two bounds; NaN stays."""
        for test, bound in (("Less", low), ("Greater", high)):
            bound = self.constant(bound, np.float64)
            array = self.op("Where", self.op(test, array, bound), bound, array)
        return array

    def sigmoid(self, z: str) -> str:
        """1 / (1 + exp(z)), which falls."""
        e = self.op("Exp", self.within(z, -500.0, 500.0))
        return self.op("Div", self.constant(1.0), self.plus(e, 1.0))

    def zeros(self, like: str, width: int) -> str:
        """n x width floats."""
        from onnx import numpy_helper

        rows = self.op("Shape", like, start=0, end=1)
        shape = self.op("Concat", rows, self.constant([width], np.int64), axis=0)
        return self.op("ConstantOfShape", shape, value=numpy_helper.from_array(np.zeros(1, np.float32)))

    def top(self, array: str, axis: int, k: int) -> str:
        """1.0 at the first of the largest along an axis, else 0."""
        best = self.op("ArgMax", array, axis=axis, keepdims=1)
        return self.cast(self.op("Equal", best, self.constant(np.arange(k), np.int64)), np.float64)
