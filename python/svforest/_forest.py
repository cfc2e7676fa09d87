"""A trained forest: a handle of the library, what it says of rows and of itself."""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from . import _library
from ._data import Table
from ._library import library, text_from
from ._run import remarks, running
from ._tables import SETTINGS, read_setting, value_of


EXPLAINED = ("answer", "log-odds", "margin")  # in the order of svf_explain_what


@dataclass(frozen=True)
class Node:
    """A node of a tree: a leaf, a plane, or a cut of a category. Rows with sum(weight * x[column]) < threshold go left, x
    being encoded; at a cut of a category those whose category is not one of `levels`."""

    left: int
    right: int
    leaf: int
    columns: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    levels: tuple[str, ...] | None = None

    @property
    def is_leaf(self) -> bool:
        return self.left == 0


class Forest:
    """Owns a forest of the library. Threads may share it."""

    def __init__(self, handle: c_void_p) -> None:
        self.handle = handle
        self.info = _library.ForestInfo()
        library.svf_forest_describe(handle, byref(self.info))
        self.classes, self.trees, self.columns = self.info.classes, self.info.trees, self.info.features
        self._predictors: list[_Predictor] = []

    def __del__(self) -> None:
        predictors, self._predictors = getattr(self, "_predictors", []), []
        for predictor in predictors:
            library.svf_predictor_free(predictor.handle)
        handle = self.__dict__.pop("handle", None)
        if handle is not None:
            library.svf_forest_free(handle)

    # ---- where it comes from and goes to ----

    @classmethod
    def train(
        cls, settings: c_void_p, table: Table, n_jobs: int | None, verbose: int = 0, before: "Forest | None" = None
    ) -> tuple["Forest", KeyboardInterrupt | None]:
        """The forest, and Ctrl-C if that ended boosting: the rounds that were done are a model. With `before`, rounds are added to
        that forest."""
        made, name = None, "svf_train" if before is None else "svf_train_more"
        first = [] if before is None else [before.handle]
        try:
            with remarks() as remark, running(n_jobs, verbose) as run:
                run.remark = remark
                made = cls(_library.make(name, *first, settings, table.handle, byref(run)))
        except KeyboardInterrupt as stopped:
            if made is None or made.settings()["vote"] != "boost":
                raise
            return made, stopped
        return made, None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Forest":
        return cls(_library.make("svf_forest_load", os.fsencode(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Forest":
        return cls(_library.make("svf_forest_from_bytes", data, len(data)))

    @classmethod
    def merge(cls, parts: Sequence["Forest"]) -> "Forest":
        handles = (c_void_p * len(parts))(*(part.handle for part in parts))
        return cls(_library.make("svf_forest_merge", handles, len(parts)))

    def save(self, path: str | os.PathLike[str]) -> None:
        _library.call("svf_forest_save", self.handle, os.fsencode(path))

    def to_bytes(self) -> bytes:
        size = c_size_t()
        return ctypes.string_at(library.svf_forest_bytes(self.handle, byref(size)), size.value)

    def __reduce__(self) -> Any:
        return Forest.from_bytes, (self.to_bytes(),)

    # ---- what it says of rows ----

    def predict(self, table: Table, rows: int, n_jobs: int | None, *wanted: str) -> tuple[np.ndarray, ...]:
        """'values', 'scores', 'probabilities', 'spreads' or 'leaves' of the rows, and the number of unknown categories."""
        shapes = {"values": rows, "spreads": rows, "leaves": (rows, self.trees)}
        out = [
            np.empty(shapes.get(name, (rows, self.info.scores)), np.int32 if name == "leaves" else np.float64)
            for name in wanted
        ]
        prediction = _library.Prediction(**{name: array.ctypes.data for name, array in zip(wanted, out)})
        with running(n_jobs) as run:
            _library.call("svf_predict", self.handle, table.handle, byref(run), byref(prediction))
        return *out, prediction.unseen

    def stages(self, table: Table, rows: int, n_jobs: int | None, alone: bool = False) -> np.ndarray:
        """rows x trees: what the first trees say together, or what each says alone."""
        out = np.empty((rows, self.trees))
        stages = _library.Stages(**{"alone" if alone else "values": out.ctypes.data})
        with running(n_jobs) as run:
            _library.call("svf_predict_stages", self.handle, table.handle, byref(run), byref(stages))
        return out

    def shares(self, table: Table, rows: int, n_jobs: int | None) -> np.ndarray:
        """rows x trees x classes: the probabilities that the first trees give together."""
        out = np.empty((rows, self.trees, self.classes))
        with running(n_jobs) as run:
            stages = _library.Stages(shares=out.ctypes.data)
            _library.call("svf_predict_stages", self.handle, table.handle, byref(run), byref(stages))
        return out

    def row_value(self, row: np.ndarray) -> float | None:
        """The class code or value of one row of doubles; None if it cannot be said this way. Takes a predictor that is
        free, so that threads do not meet."""
        try:
            predictor = self._predictors.pop()
        except IndexError:
            predictor = _Predictor(self.handle)
        status = library.svf_predictor_row(predictor.handle, row.ctypes.data, predictor.wanted, None)
        value = predictor.value[0]
        self._predictors.append(predictor)
        return value if status == _library.OK else None

    def oob(self, table: Table, rows: int, n_jobs: int | None) -> dict[str, np.ndarray]:
        """Out-of-bag values and (classes) probabilities of the training rows, and the result of the first trees."""
        out = {"values": np.empty(rows), "curve": np.empty(self.trees)}
        if self.classes:
            out["probabilities"] = np.empty((rows, self.classes))
        answers = _library.OobAnswers(**{name: array.ctypes.data for name, array in out.items()})
        with running(n_jobs) as run:
            _library.call("svf_forest_oob", self.handle, table.handle, byref(run), byref(answers))
        return out

    def explain(
        self, table: Table, background: Table | None, rows: int, n_jobs: int | None, of: str, permutations: int, seed: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """rows x explained classes x features: contributions and their standard errors; the base of each class; and the
        number of unknown categories."""
        shape = rows, max(self.classes, 1), self.info.features + self.info.made
        out, errors, bases = np.empty(shape), np.empty(shape), np.empty(shape[1])
        asked = _library.Explanation(
            background=None if background is None else background.handle,
            what=EXPLAINED.index(of),
            class_code=-1,
            permutations=permutations,
            seed=seed,
            contributions=out.ctypes.data,
            errors=errors.ctypes.data,
            bases=bases.ctypes.data,
        )
        with running(n_jobs) as run:
            _library.call("svf_explain", self.handle, table.handle, byref(run), byref(asked))
        return out, errors, bases, asked.unseen

    # ---- how far its answers are from the truth ----

    def calibrate(self, table: Table, n_jobs: int | None) -> "Forest":
        """The same forest with conformal scores of the rows of a table that has a target."""
        with running(n_jobs) as run:
            return Forest(_library.make("svf_forest_calibrate", self.handle, table.handle, byref(run)))

    @property
    def calibration_rows(self) -> int:
        return library.svf_forest_calibrated(self.handle)

    def conformal(self, level: float) -> float:
        """The score that a new row stays below with that probability."""
        return library.svf_forest_conformal(self.handle, level)

    @property
    def has_spreads(self) -> bool:
        return bool(library.svf_forest_has_spreads(self.handle))

    def report(self, table: Table, path: str | os.PathLike[str], n_jobs: int | None, **options: int) -> None:
        """Writes a page on its answers to the rows of a table that has a target; options: as in svf_report_options."""
        wanted = _library.ReportOptions(**options)
        with running(n_jobs) as run:
            _library.call("svf_forest_report", self.handle, table.handle, byref(wanted), byref(run), os.fsencode(path))

    # ---- what it says of itself ----

    def settings(self) -> dict[str, Any]:
        handle = library.svf_forest_settings(self.handle)
        return {s.name: value_of(s, read_setting(handle, s)) for s in SETTINGS}

    def class_names(self) -> list[str]:
        return [text_from(library.svf_forest_class_name(self.handle, i)) for i in range(self.classes)]

    def class_weights(self) -> list[float]:
        return [library.svf_forest_class_weight(self.handle, i) for i in range(self.classes)]

    def feature_names(self) -> list[str]:
        count = self.info.features + self.info.made
        return [text_from(library.svf_forest_feature_name(self.handle, i)) for i in range(count)]

    def categories(self, feature: int) -> int:
        """How many categories a feature has; 0: it is a number or a date."""
        return library.svf_forest_categories(self.handle, feature)

    def takes_text(self, feature: int) -> bool:
        """A feature of categories, of dates or, as it is left out, of anything."""
        left_out = bool(library.svf_forest_is_left_out(self.handle, feature))
        return self.categories(feature) > 0 or self.is_date(feature) or left_out

    def is_date(self, feature: int) -> bool:
        return bool(library.svf_forest_is_date(self.handle, feature))

    def importances(self) -> tuple[np.ndarray, np.ndarray]:
        """By the gain of cuts and by the weights of leaf machines; each sums to 1, or is all 0."""
        count = self.info.features + self.info.made
        gain, leaf = np.empty(count), np.empty(count)
        _library.call("svf_forest_importance", self.handle, gain.ctypes.data, leaf.ctypes.data)
        return gain, leaf

    def metric(self) -> np.ndarray | None:
        """What each feature weighs in a learned metric; None: the forest has none. Sums to 1."""
        weight = np.empty(self.info.features + self.info.made)
        return weight if library.svf_forest_metric(self.handle, weight.ctypes.data) else None

    @staticmethod
    def decode(column: _library.EncodedInfo, encoded: float) -> float:
        """The value of a column that is encoded so."""
        return library.svf_encoded_decode(byref(column), encoded)

    def encoded(self) -> list[_library.EncodedInfo]:
        """How each encoded column comes about."""
        columns = [_library.EncodedInfo() for _ in range(self.info.encoded)]
        for i, column in enumerate(columns):
            library.svf_forest_encoded(self.handle, i, byref(column))
        return columns

    def nodes(self, tree: int) -> list[Node]:
        """The nodes of a tree; 0 is the root."""
        info = _library.TreeInfo()
        library.svf_forest_tree(self.handle, tree, byref(info))
        return [self._node(tree, i) for i in range(info.nodes)]

    def _node(self, tree: int, number: int) -> Node:
        info = _library.NodeInfo()
        library.svf_forest_node(self.handle, tree, number, byref(info))
        if info.centres:
            raise ValueError("the cells of a Voronoi partition are no tree of cuts")
        if info.by_levels:
            column = info.terms[0].feature
            levels = self._levels(tree, number, column)
            return Node(info.left, info.right, info.leaf, (column,), (1.0,), float("nan"), levels)
        terms = [info.terms[i] for i in range(info.term_count)]
        columns, weights = tuple(t.feature for t in terms), tuple(t.weight for t in terms)
        return Node(info.left, info.right, info.leaf, columns, weights, info.threshold)

    def _levels(self, tree: int, number: int, column: int) -> tuple[str, ...]:
        """The categories that go right at a node."""
        info = _library.EncodedInfo()
        library.svf_forest_encoded(self.handle, column, byref(info))
        codes = (ctypes.c_uint32 * self.categories(info.feature))()
        count = library.svf_forest_node_levels(self.handle, tree, number, codes)
        return tuple(text_from(library.svf_forest_category_name(self.handle, info.feature, codes[i])) for i in range(count))

    def leaf_rows(self, tree: int, leaf: int) -> int:
        info = _library.LeafInfo()
        library.svf_forest_leaf(self.handle, tree, leaf, byref(info))
        return info.rows

    def leaf_text(self, tree: int, leaf: int) -> str:
        """One line that says what the leaf holds."""
        size = library.svf_forest_leaf_text(self.handle, tree, leaf, None, 0)
        buffer = ctypes.create_string_buffer(size + 1)
        library.svf_forest_leaf_text(self.handle, tree, leaf, buffer, len(buffer))
        return buffer.value.decode(errors="replace")


class _Predictor:
    """A predictor of the library, with a place for its answer."""

    def __init__(self, forest: c_void_p) -> None:
        self.handle = _library.make("svf_predictor_new", forest)
        self.value = (ctypes.c_double * 1)()
        self.prediction = _library.Prediction(values=ctypes.addressof(self.value))
        self.wanted = byref(self.prediction)
