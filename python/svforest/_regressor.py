"""The regressor."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, Iterator

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from . import _compat, _library
from ._classifier import seen_by_none
from ._explain import check_level
from ._data import Table
from ._estimator import BaseForest
from ._forest import Forest
from ._frames import vector


class ForestRegressor(RegressorMixin, BaseForest):
    _task = _library.REGRESS

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains the forest.

        Parameters
        ----------
        X : array-like, sparse matrix, or frame of pandas, polars or Arrow, shape (n_samples, n_features)
            NaN is a missing value. In frames, columns of text and of categories are categories, columns of
            dates are dates.
        y : array-like or column of pandas, polars or Arrow, shape (n_samples,)
            The numbers to predict.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts, not negative.

        Returns
        -------
        self : the fitted estimator
        """
        return self._fit(X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The value of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        values = self._values(X)
        return np.array([values]) if isinstance(values, float) else values

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """What the first 1, 2, ... trees predict.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Yields
        ------
        y : ndarray of shape (n_samples,)
        """
        stages = self._stages(X)
        for tree in range(stages.shape[1]):
            yield stages[:, tree].copy()

    def predict_trees(self, X: Any) -> np.ndarray:
        """What each tree says alone: the spread over the trees tells how sure they are.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples, n_trees)
        """
        return self._stages(X, alone=True)

    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Between which numbers the value of each row may be expected, as ``svforest predict --interval`` says.

        After `calibrate`, or if the model was trained with ``interval='conformal'``, the interval holds the value with
        probability ``level`` or more, if rows come from where those of the calibration came from. Else it is a rule of thumb: the
        prediction plus and minus a normal quantile times a spread, made of how much the trees differ and of what their leaves
        expect to err by. Nothing is guaranteed then.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        level : float, default=0.9
            The share of values that is to lie within, between 0 and 1.

        Returns
        -------
        ends : ndarray of shape (n_samples, 2)
            The lower and the upper end. They meet where no leaf has two rows and the trees agree.

        Examples
        --------
        >>> from sklearn.datasets import make_friedman1
        >>> from svforest import RFRegressor
        >>> X, y = make_friedman1(600, random_state=0)
        >>> low, high = RFRegressor(random_state=0).fit(X[:300], y[:300]).predict_interval(X[300:]).T
        >>> bool(((low < y[300:]) & (y[300:] < high)).mean() > 0.8)
        True
        """
        check_level(level)
        check_is_fitted(self, "forest_")
        calibrated = self.forest_.calibration_rows > 0
        reach = self.forest_.conformal(level) if calibrated else NormalDist().inv_cdf((1 + level) / 2)
        if calibrated and not self.forest_.has_spreads:
            values = self._ask(X, "values")[0]
            return values[:, None] + reach * np.array([-1, 1])
        values, spreads = self._ask(X, "values", "spreads")
        with np.errstate(invalid="ignore"):
            width = np.where(spreads > 0, reach * spreads, 0)
        return values[:, None] + np.outer(width, [-1, 1])

    def _check_target(self, y: np.ndarray, continued: Forest | None) -> np.ndarray:
        return np.ascontiguousarray(y, dtype=np.float64)

    def _set_target(self, table: Table, y: np.ndarray) -> None:
        table.set_values(y)

    def _check_truth(self, y: Any) -> np.ndarray:
        return np.ascontiguousarray(_compat.check_y(vector(y), numeric=True), dtype=np.float64)

    def _set_truth(self, table: Table, y: np.ndarray) -> None:
        table.set_values(y)

    def _out_of_bag(self, forest: Forest, table: Table, y: np.ndarray, weight: Any) -> dict[str, Any]:
        answers = forest.oob(table, len(y), self.n_jobs)
        known = seen_by_none(answers["values"])
        if callable(self.oob_score):
            score = self.oob_score(y[known], answers["values"][known])
        else:
            sample_weight = None if weight is None else weight[known]
            score = r2_score(y[known], answers["values"][known], sample_weight=sample_weight)
        return {"oob_score_": score, "oob_curve_": answers["curve"], "oob_prediction_": answers["values"]}
