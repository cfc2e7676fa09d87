"""What compare and tune are handed, checked before anything runs, and the tables that they answer with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Mapping

import numpy as np
from sklearn.utils import check_consistent_length, compute_class_weight
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight

from . import _compat, _data
from ._labels import classes_of
from ._data import Rows, Table
from ._estimator import resolved
from ._frames import column_names, frame_rows, vector
from ._keywords import AS_METHOD
from ._labels import label_text
from ._library import CLASS, REGRESS
from ._tables import SETTINGS, Setting, Settings

_BY_NAME = {name: setting for setting in SETTINGS for name in (setting.name, setting.keyword)}


@dataclass(frozen=True)
class Problem:
    """A task with its rows, target (class codes, or numbers) and weights."""

    task: int
    rows: Rows
    target: np.ndarray
    classes: np.ndarray | None
    weight: np.ndarray | None

    @classmethod
    def of(cls, X: Any, y: Any, task: str, sample_weight: Any) -> "Problem":
        if task not in ("auto", "class", "regress"):
            raise ValueError(f"task={task!r}: must be one of auto|class|regress")
        y = vector(y)
        if task == "auto":
            task = "regress" if type_of_target(y).startswith("continuous") else "class"
        kind = CLASS if task == "class" else REGRESS
        rows = frame_rows(X)
        y = _compat.check_y(y, numeric=kind == REGRESS)
        names = column_names(X, rows)
        rows = replace(Rows(_data.check_numbers(X)) if rows is None else rows.to_learn(), names=names)
        check_consistent_length(rows, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(vector(sample_weight, "sample_weight"), y, dtype=np.float64)
        classes, target = classes_of(y) if kind == CLASS else (None, y)
        return cls(kind, rows, target, classes, sample_weight)

    def table(self, given: Mapping[Setting, Any]) -> Table:
        """The table, with the class weights among the settings that are given."""
        table = Table(self.rows)
        try:
            self._fill(table, next((value for setting, value in given.items() if setting.name == "class_weight"), None))
        except BaseException:
            table.__exit__()
            raise
        return table

    def _fill(self, table: Table, class_weight: Any) -> None:
        if self.classes is None:
            table.set_values(self.target)
        else:
            table.set_classes(self.target, [label_text(label) for label in self.classes.tolist()])
        if self.weight is not None:
            table.set_weights(self.weight)
        if isinstance(class_weight, dict):
            y = self.classes[self.target]
            table.set_class_weights(compute_class_weight(class_weight, classes=self.classes, y=y))

    def given(self, settings: Mapping[str, Any]) -> dict[Setting, Any]:
        """The settings that a user gives by any of their names, each once; not the seed, which is random_state."""
        given = by_setting(settings)
        if self.task == REGRESS and any(setting.name == "class_weight" for setting in given):
            raise ValueError("class_weight has no meaning where the target is a number: leave it out")
        return given


def by_setting(named: Mapping[str, Any]) -> dict[Setting, Any]:
    """What was named, in the library's words or the estimators', by the settings that are meant."""
    found: dict[Setting, Any] = {}
    for name, value in named.items():
        if name not in _BY_NAME:
            raise TypeError(f"there is no setting {name!r}; svforest.settings lists them")
        setting = _BY_NAME[name]
        if setting.name == "seed":
            raise ValueError(f"{name}: the seed of folds and forests is given as random_state, and not tried")
        if setting in found:
            raise ValueError(f"{setting.name} and {setting.keyword} are one setting: leave out one of the two")
        found[setting] = value
    return found


def apply(settings: Settings, given: Mapping[Setting, Any], seed: int, shape: tuple[int, int]) -> None:
    """Sets what was given as the estimators do, for a table of that shape."""
    for setting, value in given.items():
        if setting.name == "class_weight" and isinstance(value, dict):
            value = "given"
        if setting.name != "class_weight" or value != AS_METHOD:
            settings.set(setting, resolved(setting, value, shape))
    settings.set(_BY_NAME["seed"], seed)


def whole(name: str, value: Any, least: int) -> int:
    """An argument that must be a whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}={value!r}: must be a whole number, {least} or more")
    if value < least:
        raise ValueError(f"{name}={value!r}: must be {least} or more")
    return int(value)
