"""What classifier and regressor share: keywords from the table of settings, fitting, and what can be asked."""

from __future__ import annotations

import inspect
import math
import os
import warnings
from dataclasses import replace
from typing import Any, Iterator

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _committee, _compat, _data, _library
from ._data import FLOATS, Rows, Table
from ._disk import FromDisk
from ._explain import Explains, seed_of
from ._forest import Forest
from ._frames import column_names, frame_rows, vector
from ._keywords import OWN
from ._tables import METHODS, SETTINGS, Setting, Settings

BY_KEYWORD = {setting.keyword: setting for setting in SETTINGS}

# What a training gives: fitted attributes, and Ctrl-C if the members or rounds that were done by then are the model.
Trained = tuple[dict[str, Any], KeyboardInterrupt | None]


class BaseForest(Explains, FromDisk, BaseEstimator):
    """Subclasses have a task; those made of a preset a method, too."""

    _task = _library.AUTO
    _method: str | None = None
    _defaults: dict[str, Any] = {}  # of the keywords, in order

    def __init__(self, *args: Any, **keywords: Any) -> None:
        for name in keywords:
            if name not in self._defaults and name in BY_KEYWORD:
                raise TypeError(f"{type(self).__name__} does not read {name}; {_who_reads(self._method)}")
        bound = inspect.signature(type(self)).bind(*args, **keywords)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # before scikit-learn 1.6
        return {"allow_nan": True}

    # ---- keywords and settings ----

    def _given(self) -> Iterator[tuple[Setting, Any]]:
        """The settings that differ from those of the method."""
        for keyword, default in self._defaults.items():
            value, setting = getattr(self, keyword), BY_KEYWORD.get(keyword)
            if setting and keyword not in OWN and keyword != "class_weight":
                if value is not None if self._method is None else not _same(value, default):
                    yield setting, value

    def _configure(self, settings: Settings, shape: tuple[int, int], seed: int) -> None:
        method = METHODS[self._method_name]
        for setting, value in self._given():
            if method.is_committee and setting not in method.reads:
                raise ValueError(
                    f"{setting.keyword}={value!r}: method={method.name!r} chooses it for each of its members; to set it, name a "
                    "method, such as method='rf'"
                )
            settings.set(setting, resolved(setting, value, shape))
        settings.set(BY_KEYWORD["random_state"], seed)

    def _draw_seed(self) -> int:
        return seed_of(self.random_state)

    @property
    def _method_name(self) -> str:
        name = self._method or self.method
        if name not in METHODS:
            raise ValueError(f"method={name!r}: there is no such method; there are {', '.join(METHODS)}")
        return name

    # ---- fitting ----

    def __sklearn_is_fitted__(self) -> bool:
        return "forest_" in vars(self)

    def _fit(self, X: Any, y: Any, sample_weight: Any, wide: bool = False) -> Any:
        """Trains or, with warm_start, goes on. If that fails, whatever the reason, what was fitted before is forgotten;
        under warm_start it stays as it was. wide: a committee searches as `tune` does."""
        _committee.check_keywords(self, METHODS[self._method_name])
        continued = vars(self).get("forest_") if getattr(self, "warm_start", False) else None
        if continued is None:
            for name in [name for name in vars(self) if name.endswith("_") and name not in self._defaults]:
                delattr(self, name)
        before = dict(vars(self))
        try:
            fitted, stopped = self._train(X, y, sample_weight, continued, wide)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise
        vars(self).update(fitted)
        if stopped is not None:  # the members, or rounds, that were done are a model, and whoever called is told
            raise stopped
        return self

    def _train(self, X: Any, y: Any, sample_weight: Any, continued: Forest | None, wide: bool) -> Trained:
        """The forest and what goes with it, as attributes; and Ctrl-C, if that ended it early."""
        rows, y = self._check_training(X, y, reset=continued is None)
        target = self._check_target(y, continued)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(vector(sample_weight, "sample_weight"), target, dtype=np.float64)
        with self._table(rows) as table:
            self._set_target(table, target)
            if sample_weight is not None:
                table.set_weights(sample_weight)
            seed = self._draw_seed() if continued is None else self.seed_
            if METHODS[self._method_name].is_committee:
                return self._assemble(table, rows, target, seed, wide)
            forest, stopped = self._grow(table, rows, target, seed, continued)
            out_of_bag = self._out_of_bag(forest, table, target, sample_weight) if self.oob_score else {}
        for name in ("oob_score_", "oob_curve_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)
        return {**out_of_bag, "forest_": forest, "seed_": seed}, stopped

    def _grow(
        self, table: Table, rows: Rows, target: np.ndarray, seed: int, continued: Forest | None
    ) -> tuple[Forest, KeyboardInterrupt | None]:
        with Settings(self._method_name) as settings:
            self._configure(settings, rows.shape, seed)
            self._set_class_weight(settings, table, target)
            self._check_interval(settings.values(), continued)
            if continued is not None:
                there = continued.settings()["trees"]
                trees = settings.values()["trees"] - there
                if trees < 0:
                    raise ValueError(
                        f"n_estimators={trees + there} must be larger or equal to the {there} "
                        "trees that are there when warm_start==True"
                    )
                if trees == 0:
                    warnings.warn("Warm-start fitting without increasing n_estimators does not fit new trees.")
                    return continued, None
                if settings.values()["vote"] == "boost":
                    _library.call("svf_settings_check", settings.handle, self._task)
                    return Forest.train(settings.handle, table, self.n_jobs, self.verbose, continued)
                settings.set(BY_KEYWORD["first_tree"], continued.info.first_tree + continued.trees)
                settings.set(BY_KEYWORD["n_estimators"], trees)
            _library.call("svf_settings_check", settings.handle, self._task)
            forest, stopped = Forest.train(settings.handle, table, self.n_jobs, self.verbose)
        return forest if continued is None else Forest.merge([continued, forest]), stopped

    def _check_interval(self, values: dict[str, Any], continued: Forest | None) -> None:
        """What does not go together with rows held apart for intervals."""
        if values["interval"] == "none":
            return
        if self.oob_score:
            raise ValueError(
                "oob_score asks the rows that the forest was trained on, and interval='conformal' holds some of them apart: leave "
                "one of the two out"
            )
        if continued is not None and values["vote"] != "boost":
            raise ValueError(
                "warm_start drops what the intervals were measured by, so interval='conformal' would not hold: fit anew, or "
                "call calibrate with rows kept apart when all trees are there"
            )

    def _assemble(self, table: Table, rows: Rows, target: np.ndarray, seed: int, wide: bool) -> Trained:
        """Trains a committee; returns it with the attributes of the estimator that describe it."""
        with Settings(self._method_name) as settings:
            self._configure(settings, rows.shape, seed)
            self._set_class_weight(settings, table, target)
            _library.call("svf_settings_check", settings.handle, self._task)
            budget = self.time_limit or 0
            made = _committee.train(settings.handle, table, self.n_jobs, self.verbose, budget, self.plan, wide)
        forest, tried, stopped = made
        return {"forest_": forest, **_committee.attributes(forest, tried), "seed_": seed}, stopped

    def _check_training(self, X: Any, y: Any, reset: bool) -> tuple[Rows, Any]:
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        rows, y, numeric = frame_rows(X), vector(y), self._task == _library.REGRESS
        if rows is not None:
            self._check_columns(X, rows, reset)
            rows = rows.to_learn()
            y = _compat.check_y(y, numeric=numeric)
            check_consistent_length(rows, y)
        else:
            X, y = _compat.validate(self, X, y, reset=reset, numeric=numeric, **_data.array_options(X))
            rows = Rows(_data.dense(X))
        if rows.shape[0] < 2:
            raise ValueError(f"Found array with {rows.shape[0]} sample(s) while a minimum of 2 is required.")
        names = self.__dict__.get("feature_names_in_")
        rows.names = None if names is None else [str(name) for name in names]
        return rows, y

    def _check_columns(self, X: Any, rows: Rows, reset: bool) -> None:
        """Number and names of the columns of a frame."""
        if rows.names is None:
            _compat.check_features(self, X, reset=reset)
        else:
            _compat.check_names(self, rows.names, reset=reset)

    def _table(self, rows: Rows) -> Table:
        try:
            return Table(rows)
        except _library.DataError:
            for block in rows.blocks:
                _data.check_numbers(block, input_name="X")  # an infinite number, in scikit-learn's words
            raise

    def _set_class_weight(self, settings: Settings, table: Table, target: np.ndarray) -> None:
        pass

    # ---- prediction ----

    def _check_rows(self, X: Any) -> Rows:
        if type(X) is np.ndarray and X.dtype in FLOATS and X.shape[1:] == (self.forest_.columns,) and len(X):
            if "feature_names_in_" not in self.__dict__:
                return Rows(X)  # infinite numbers are the library's to find
        rows = frame_rows(X)
        if rows is not None:
            self._check_columns(X, rows, reset=False)
            for column in rows.categories:
                if not self.forest_.takes_text(column):
                    name = column_names(X, rows)[column]
                    raise ValueError(f"column {name!r} holds text or categories; the model needs numbers")
            return replace(rows, names=None)  # they are in order
        return Rows(_data.dense(_compat.validate(self, X, reset=False, **_data.array_options(X))))

    def _ask(self, X: Any, *wanted: str) -> tuple[np.ndarray, ...]:
        check_is_fitted(self, "forest_")
        rows = self._check_rows(X)
        with self._table(rows) as table:
            *out, unseen = self.forest_.predict(table, rows.shape[0], self.n_jobs, *wanted)
        if unseen:
            warnings.warn(f"{unseen} cells hold categories that training did not know; they count as missing")
        return tuple(out)

    def _values(self, X: Any) -> np.ndarray | float:
        """Class codes or values of the rows; of a single plain row a number, by the shortest way there is."""
        forest = self.__dict__.get("forest_")
        if (
            forest is not None
            and type(X) is np.ndarray
            and X.shape == (1, forest.columns)
            and "feature_names_in_" not in self.__dict__
        ):
            if X.dtype == FLOATS[0] or X.strides[1] != 8:
                X = np.ascontiguousarray(X, np.float64)
            if X.dtype == FLOATS[1]:
                value = forest.row_value(X)
                if value is not None:
                    return value
        return self._ask(X, "values")[0]

    def apply(self, X: Any) -> np.ndarray:
        """The leaf that each row falls into, in every tree.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)

        Returns
        -------
        leaves : ndarray of int32, shape (n_samples, n_trees)
            Numbers of leaves, from 0 in each tree.
        """
        return self._ask(X, "leaves")[0]

    def _stages(self, X: Any, alone: bool = False) -> np.ndarray:
        check_is_fitted(self, "forest_")
        rows = self._check_rows(X)
        with self._table(rows) as table:
            return self.forest_.stages(table, rows.shape[0], self.n_jobs, alone)

    @property
    def feature_importances_(self) -> np.ndarray:
        """What the model owes to each feature: by the gain of the cuts, by the weights of the leaf machines, or, where
        it has both, the mean of the two. Sums to 1, or is all 0."""
        check_is_fitted(self, "forest_")
        kinds = [kind for kind in self.forest_.importances() if kind.any()]
        return np.mean(kinds, axis=0) if kinds else np.zeros(self.forest_.columns)

    @property
    def metric_weights_(self) -> np.ndarray | None:
        """What each feature weighs in the metric that the leaf machines learned; sums to 1. None: there is no such metric.
        Kernel, kind of metric and scale are in `settings_`."""
        check_is_fitted(self, "forest_")
        return self.forest_.metric()

    @property
    def settings_(self) -> dict[str, Any]:
        """Every setting that the model was trained with, by the library's names."""
        check_is_fitted(self, "forest_")
        return self.forest_.settings()

    # ---- files ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the command ``svforest`` writes and reads.

        Parameters
        ----------
        path : str or path
            It is written beside and then renamed: never half a model.
        """
        check_is_fitted(self, "forest_")
        self.forest_.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Any:
        """Reads a model file, written here or by the command.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        estimator : fitted estimator of this class
            Its keywords are the settings of the model.
        """
        return cls._of_forest(_load(path))

    @classmethod
    def _of_forest(cls, forest: Forest) -> Any:
        method, settings = forest.info.method.decode(), forest.settings()
        if forest.info.task != cls._task:
            raise ValueError(f"the model is a {['', 'classifier', 'regressor'][forest.info.task]}; so is not {cls.__name__}")
        if cls._method not in (None, method):
            raise ValueError(f"the model was trained with method={method!r}, which is not that of {cls.__name__}")
        standard = METHODS[method].values if method in METHODS else {}
        keywords = {"method": method} if cls._method is None else {}
        for setting in SETTINGS:
            if setting.keyword in cls._defaults and settings[setting.name] != standard.get(setting.name):
                keywords[setting.keyword] = settings[setting.name]
        keywords["random_state"] = settings["seed"]
        made = cls(**keywords)
        made.forest_, made.seed_, made.n_features_in_ = forest, settings["seed"], forest.columns
        names = forest.feature_names()[: forest.columns]
        if names != [f"x{i + 1}" for i in range(forest.columns)]:
            made.feature_names_in_ = np.array(names, dtype=object)
        vars(made).update(_committee.attributes(forest, []))
        made._loaded()
        return made

    def _loaded(self) -> None:
        pass


def _load(path: str | os.PathLike[str]) -> Forest:
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {os.fspath(path)}")
    return Forest.load(path)


def _who_reads(method: str | None) -> str:
    if method in METHODS and METHODS[method].is_committee:
        return "it chooses that for each of its members, and the class of a method, such as RFClassifier, takes it"
    return f"SVForestClassifier and SVForestRegressor, with method='{method}', take every setting"


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, (list, tuple, np.ndarray)) or isinstance(default, tuple):
        return isinstance(value, (list, tuple, np.ndarray)) and tuple(value) == default
    return type(value) is type(default) and value == default or value is default


def resolved(setting: Setting, value: Any, shape: tuple[int, int]) -> Any:
    """Shares of rows or features, as scikit-learn has them, in numbers; what has a bound of 0 has none."""
    if isinstance(value, (float, np.floating)) and setting.keyword == "min_samples_leaf" and 0 < value < 1:
        return math.ceil(value * shape[0])
    if setting.keyword == "max_features":
        if isinstance(value, (float, np.floating)) and 0 < value <= 1:
            return max(1, int(value * shape[1]))
        if value is None:
            return "all"
        if value == "log2":
            return max(1, int(math.log2(shape[1])))
    return value


def signature_of(defaults: dict[str, Any]) -> inspect.Signature:
    """The signature of a class: its method may be given by place, all else by name."""
    kinds = {True: inspect.Parameter.POSITIONAL_OR_KEYWORD, False: inspect.Parameter.KEYWORD_ONLY}
    return inspect.Signature(
        [inspect.Parameter(name, kinds[name == "method"], default=value) for name, value in defaults.items()]
    )
