"""The classifier: classes and their names, class weights, probabilities and decision values."""

from __future__ import annotations

import warnings
from typing import Any, Iterator

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from . import _compat, _library
from ._data import Table
from ._explain import check_level
from ._estimator import BY_KEYWORD, BaseForest
from ._forest import Forest
from ._frames import vector
from ._keywords import AS_METHOD
from ._labels import classes_of, label_text, labels_of
from ._tables import Settings


class ForestClassifier(ClassifierMixin, BaseForest):
    _task = _library.CLASS

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains the forest.

        Parameters
        ----------
        X : array-like, sparse matrix, or frame of pandas, polars or Arrow, shape (n_samples, n_features)
            NaN is a missing value. In frames, columns of text and of categories are categories, columns of
            dates are dates.
        y : array-like or column of pandas, polars or Arrow, shape (n_samples,)
            The classes: booleans, numbers or text.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts, not negative.

        Returns
        -------
        self : the fitted estimator
        """
        return self._fit(X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        values = self._values(X)
        if isinstance(values, float):
            return self.classes_[int(values) : int(values) + 1].copy()
        return self.classes_.take(values.astype(np.intp))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class: the mean over the trees, or of a committee the calibrated sum over its members.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``. With ``method='auto'`` and under the votes mean and boost `predict` gives the
            class with the largest probability; under other votes not always.
        """
        return self._ask(X, "probabilities")[0]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """The vote's score of each class; the class that `predict` gives has the largest.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        score : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            For two classes, the score of the second less that of the first. Under a majority vote scores are shares of
            votes; there the probability, in steps smaller than a vote, tells equal shares apart.
        """
        values, scores, shares = self._ask(X, "values", "scores", "probabilities")
        if self.settings_["committee"] == "no" and self.settings_["vote"] == "majority":
            scores += shares / (2 * self.forest_.trees)
        won, each = values.astype(np.intp), np.arange(len(scores))
        best = scores.max(axis=1)
        short = scores.argmax(axis=1) != won
        scores[each[short], won[short]] = np.nextafter(best[short], np.inf)
        return scores if len(self.classes_) != 2 else scores[:, 1] - scores[:, 0]

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """What the first 1, 2, ... trees predict.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Yields
        ------
        y : ndarray of shape (n_samples,)
        """
        stages = self._stages(X).astype(np.intp)
        for tree in range(stages.shape[1]):
            yield self.classes_.take(stages[:, tree])

    def predict_trees(self, X: Any) -> np.ndarray:
        """What each tree says alone.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples, n_trees)
        """
        return self.classes_.take(self._stages(X, alone=True).astype(np.intp))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """The class probabilities of the first 1, 2, ... trees.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Yields
        ------
        p : ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self, "forest_")
        rows = self._check_rows(X)
        with self._table(rows) as table:
            shares = self.forest_.shares(table, rows.shape[0], self.n_jobs)
        for tree in range(shares.shape[1]):
            yield shares[:, tree]

    def predict_set(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Which classes are in a set that holds the true class with probability ``level`` or more.

        The model must be calibrated (see `calibrate`) or trained with ``interval='conformal'``, and rows must come from where
        those of the calibration came from.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        level : float, default=0.9
            Between 0 and 1.

        Returns
        -------
        member : ndarray of bool, shape (n_samples, n_classes)
            In the order of ``classes_``. The most probable class is always a member.

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from svforest import RFClassifier
        >>> X, y = load_digits(return_X_y=True)
        >>> model = RFClassifier(random_state=0).fit(X[:800], y[:800]).calibrate(X[800:1300], y[800:1300])
        >>> member = model.predict_set(X[1300:], level=0.9)
        >>> bool(member[range(len(member)), y[1300:]].mean() > 0.85)
        True
        """
        check_level(level)
        check_is_fitted(self, "forest_")
        if not self.forest_.calibration_rows:
            raise ValueError(
                "sets need a calibrated model: call calibrate(X, y) with rows that it was not trained on, or train with "
                "interval='conformal'"
            )
        p = self.predict_proba(X)
        member = 1 - p <= self.forest_.conformal(level)
        member[np.arange(len(p)), p.argmax(axis=1)] = True
        return member

    # ---- the target ----

    def _check_target(self, y: np.ndarray, continued: Forest | None) -> np.ndarray:
        classes, codes = classes_of(y)
        if continued is None:
            self.classes_, self.n_classes_ = classes, len(classes)
        elif [label_text(label) for label in classes.tolist()] != continued.class_names():
            raise ValueError(
                f"y has the classes {classes.tolist()}, and warm_start adds trees to a forest with the classes "
                f"{self.classes_.tolist()}: they must be the same"
            )
        return codes

    def _set_target(self, table: Table, codes: np.ndarray) -> None:
        table.set_classes(codes, [label_text(label) for label in self.classes_.tolist()])

    def _set_class_weight(self, settings: Settings, table: Table, codes: np.ndarray) -> None:
        setting, wanted = BY_KEYWORD["class_weight"], self.class_weight
        if isinstance(wanted, str) and wanted == AS_METHOD:
            return
        if isinstance(wanted, dict):
            y = self.classes_[codes]
            table.set_class_weights(compute_class_weight(wanted, classes=self.classes_, y=y))
            wanted = "given"
        settings.set(setting, wanted)

    def _check_truth(self, y: Any) -> np.ndarray:
        return _compat.check_y(vector(y), numeric=False)

    def _set_truth(self, table: Table, y: np.ndarray) -> None:
        """Classes that training did not know are none of the model's."""
        classes, codes = classes_of(y)
        table.set_classes(codes, [label_text(label) for label in classes.tolist()])

    # ---- out of bag, files ----

    def _out_of_bag(self, forest: Forest, table: Table, codes: np.ndarray, weight: Any) -> dict[str, Any]:
        answers = forest.oob(table, len(codes), self.n_jobs)
        known = seen_by_none(answers["values"])
        y, said = self.classes_[codes[known]], self.classes_[answers["values"][known].astype(np.intp)]
        if callable(self.oob_score):
            score = self.oob_score(y, said)
        else:
            score = float(np.average(y == said, weights=None if weight is None else weight[known]))
        shares = answers["probabilities"]
        return {"oob_score_": score, "oob_curve_": answers["curve"], "oob_decision_function_": shares}

    def _loaded(self) -> None:
        names = self.forest_.class_names()
        self.classes_ = labels_of(names)
        self.n_classes_ = len(names)
        if self.class_weight == "given":
            self.class_weight = dict(zip(self.classes_.tolist(), self.forest_.class_weights()))


def seen_by_none(values: np.ndarray) -> np.ndarray:
    """Which rows have an out-of-bag answer."""
    known = ~np.isnan(values)
    if not known.any():
        raise ValueError("no row is out of bag: take more trees, or rows='bootstrap'")
    if not known.all():
        warnings.warn("Some rows are in the bags of all trees: there are too few trees for an out-of-bag answer.")
    return known
