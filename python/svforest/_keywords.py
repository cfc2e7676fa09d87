"""Which classes there are, their keywords and defaults: from the library's tables alone, for the classes themselves and
for their type stubs, which are made before anything is installed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._library import CLASS, REGRESS, library
from ._tables import METHODS, SETTINGS, Method, Setting

OF_FOREST: dict[str, Any] = {"oob_score": False, "warm_start": False}
OF_COMMITTEE: dict[str, Any] = {"time_limit": None, "plan": None}
OF_ALL: dict[str, Any] = {"n_jobs": None, "random_state": None, "verbose": 0}
OWN: dict[str, Any] = {**OF_FOREST, **OF_COMMITTEE, **OF_ALL}  # keywords that are no settings
AS_METHOD = "method"  # the class weights that the method has

# What users of scikit-learn give beside the library's own values; `resolved` in _estimator.py makes numbers of it.
SHARES = {"max_features", "min_samples_leaf"}  # floats
WORDS = {"max_features": ["log2"]}

# TBRF comes with three kinds of leaf; by its bare name it is known for numbers, and then means the one with constant leaves.
ALIASES = {"TBRFRegressor": "TBRFCRegressor"}

_SUFFIX = {CLASS: "Classifier", REGRESS: "Regressor"}


@dataclass(frozen=True)
class Class:
    """A public class: one task, one method or (None) any."""

    task: int
    method: Method | None

    @property
    def name(self) -> str:
        return (self.method.class_stem if self.method else "SVForest") + _SUFFIX[self.task]

    @property
    def settings(self) -> list[Setting]:
        """Those that are keywords of their own."""
        taken = {"committee", *OWN, *(["class_weight"] if self.task == REGRESS else [])}
        return [s for s in (self.method.reads if self.method else SETTINGS) if s.keyword not in taken]

    @property
    def methods(self) -> list[str]:
        return [name for name, method in METHODS.items() if method.allows(self.task)]

    @property
    def defaults(self) -> dict[str, Any]:
        """Keywords and their defaults: the method's own or, where any method may come, None."""
        head = {} if self.method else {"method": library.svf_method_default(self.task).decode()}
        return {**head, **{s.keyword: self._default(s) for s in self.settings}, **self.own}

    @property
    def own(self) -> dict[str, Any]:
        """Keywords that are no settings, and their defaults."""
        committee = self.method is not None and self.method.is_committee
        of_committee = OF_COMMITTEE if committee or not self.method else {}
        return {**({} if committee else OF_FOREST), **of_committee, **OF_ALL}

    def _default(self, setting: Setting) -> Any:
        if setting.name == "class_weight":
            value = self.method.values["class_weight"] if self.method else AS_METHOD
            return None if value == "none" else value
        return self.method.values[setting.name] if self.method else None


CLASSES = [Class(task, None) for task in _SUFFIX]
CLASSES += [Class(task, method) for task in _SUFFIX for method in METHODS.values() if method.allows(task)]
