"""What each feature adds to the answer to each row: the method `explain` of estimators, and what it returns."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._data import Rows
from ._dates import Dates
from ._forest import EXPLAINED, Forest
from ._frames import vector


def seed_of(random_state: Any) -> int:
    """A whole number is a seed itself; anything else that scikit-learn takes gives one."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            check_random_state(random_state)  # says what a user of scikit-learn expects
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


@dataclass
class Explanation:
    """Contributions of features to answers, under the names that `shap.Explanation` has for them.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_classes)
        What each feature adds.
    base_values : ndarray of shape (n_samples,) or (n_samples, n_classes)
        The mean answer to the background rows. With `values` it adds up to the answer.
    data : ndarray of shape (n_samples, n_features)
        The rows; codes for categories, days since 1970-01-01 for dates.
    display_data : ndarray of shape (n_samples, n_features)
        The rows as they were.
    feature_names, output_names : list of str
        The second is None where there is one output.
    error_std : ndarray like values
        Standard errors; 0 where a contribution is exact.
    """

    values: np.ndarray
    base_values: np.ndarray
    data: np.ndarray
    display_data: np.ndarray
    feature_names: list[str]
    output_names: list[str] | None
    error_std: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape


def _made(**parts: Any) -> Any:
    """shap's own class where shap is installed: its plots take no other."""
    try:
        from shap import Explanation as Theirs
    except ImportError:
        return Explanation(**parts)
    return Theirs(**parts)


def _columns(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """The rows as numbers, and as they are to be shown."""
    if rows.array is not None:
        numbers = np.array(rows.array, dtype=np.float64)
        return numbers, numbers
    numbers, shown = np.empty(rows.shape), np.empty(rows.shape, dtype=object)
    for j, column in enumerate(rows.columns):
        if isinstance(column, tuple):
            codes, levels = column
            numbers[:, j] = np.where(codes < 0, np.nan, codes)
            shown[:, j] = np.array([*levels, None], dtype=object)[codes]
        else:
            days = column.days if isinstance(column, Dates) else column
            numbers[:, j] = shown[:, j] = days
    return numbers, shown


def _widened(columns: np.ndarray, width: int) -> np.ndarray:
    """With empty columns for features that the model makes of others."""
    more = np.full((len(columns), width - columns.shape[1]), np.nan)
    return columns if not more.size else np.hstack([columns, more.astype(columns.dtype)])


def check_level(level: Any) -> None:
    if not isinstance(level, Real) or not 0 < level < 1:
        raise ValueError(f"level={level!r}: must be a number between 0 and 1")


class Explains:
    """What all estimators say of their answers."""

    forest_: Forest
    n_jobs: int | None

    def explain(
        self, X: Any, background: Any = None, *, of: str = "answer", permutations: int | None = None, random_state: Any = 0
    ) -> Any:
        """What each feature adds to the answer to each row: Shapley values against background rows.

        They add up, with the mean answer to the background rows, to the predicted number or to the probability of each
        class. Exact for trees with constant or linear leaves whose cuts look at one feature each, and for rows that differ
        from the background rows in at most 6 features; else means over random orders of the features.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        background : the same of any number of rows, default=None
            What the rows are compared with; a hundred rows are often enough. None: the training rows that the model keeps,
            if it was trained with ``background=N``.
        of : {'answer', 'log-odds', 'margin'}, default='answer'
            What is explained: the predicted number or the probabilities; log(p / (1 - p)) of each probability p; the scores
            of a boosted classifier.
        permutations : int, default=None
            Pairs of orders per background row, where orders are drawn; None: 64 for each row of X, and at least 2.
        random_state : int, RandomState or None, default=0
            Names the orders.

        Returns
        -------
        explanation : Explanation
            ``values`` of shape (n_samples, n_features), for classes (n_samples, n_features, n_classes), ``base_values``,
            ``data``, ``feature_names`` and ``error_std``. If the package shap is installed it is a ``shap.Explanation``,
            which ``shap.plots`` takes.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from svforest import RFClassifier
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> model = RFClassifier(random_state=0).fit(X, y)
        >>> explained = model.explain(X[:5], background=X[::4])
        >>> explained.values.shape
        (5, 13, 3)
        >>> answer = explained.base_values + explained.values.sum(axis=1)
        >>> bool((abs(answer - model.predict_proba(X[:5])) < 1e-12).all())
        True
        """
        check_is_fitted(self, "forest_")
        if of not in EXPLAINED:
            raise ValueError(f"of={of!r}: must be one of {', '.join(map(repr, EXPLAINED))}")
        rows = self._check_rows(X)  # type: ignore[attr-defined]
        behind = None if background is None else self._check_rows(background)  # type: ignore[attr-defined]
        options = {"of": of, "permutations": permutations or 0, "seed": seed_of(random_state)}
        with self._table(rows) as table:  # type: ignore[attr-defined]
            if behind is None:
                said = self.forest_.explain(table, None, rows.shape[0], self.n_jobs, **options)
            else:
                with self._table(behind) as other:  # type: ignore[attr-defined]
                    said = self.forest_.explain(table, other, rows.shape[0], self.n_jobs, **options)
        *parts, unseen = said
        if unseen:
            warnings.warn(f"{unseen} cells hold categories that training did not know; they count as missing")
        return self._explanation(rows, *parts)

    def _explanation(self, rows: Rows, values: np.ndarray, errors: np.ndarray, bases: np.ndarray) -> Any:
        names, classes = self.forest_.feature_names(), None
        numbers, shown = (_widened(columns, len(names)) for columns in _columns(rows))
        if self.forest_.classes:
            classes = self.forest_.class_names()
            values, errors = np.moveaxis(values, 1, 2), np.moveaxis(errors, 1, 2)
        else:
            values, errors, bases = values[:, 0], errors[:, 0], bases[0]
        return _made(
            values=np.ascontiguousarray(values),
            base_values=np.broadcast_to(bases, (len(values), *np.shape(bases))).copy(),
            data=numbers,
            display_data=shown,
            feature_names=names,
            output_names=classes,
            error_std=np.ascontiguousarray(errors),
        )

    def calibrate(self, X: Any, y: Any) -> Any:
        """Measures the model on rows that it was not trained on, so that its intervals and sets hold.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            A few hundred rows, from where the rows to be predicted come from.
        y : array-like or column of shape (n_samples,)
            Their classes or values.

        Returns
        -------
        self : the estimator
            `predict_interval` of regressors and `predict_set` of classifiers now hold the truth with the probability that
            is asked for. Predictions are as before. `save` keeps what was measured, and a new `fit` forgets it.

        Examples
        --------
        >>> from sklearn.datasets import make_friedman1
        >>> from svforest import RFRegressor
        >>> X, y = make_friedman1(900, noise=1, random_state=0)
        >>> model = RFRegressor(random_state=0).fit(X[:300], y[:300]).calibrate(X[300:600], y[300:600])
        >>> low, high = model.predict_interval(X[600:], level=0.9).T
        >>> bool(abs(((low <= y[600:]) & (y[600:] <= high)).mean() - 0.9) < 0.06)
        True
        """
        check_is_fitted(self, "forest_")
        rows, y = self._check_rows(X), self._check_truth(y)  # type: ignore[attr-defined]
        if len(y) != rows.shape[0]:
            raise ValueError(f"X has {rows.shape[0]} rows, and y has {len(y)}: they must be as many")
        with self._table(rows) as table:  # type: ignore[attr-defined]
            self._set_truth(table, y)  # type: ignore[attr-defined]
            self.forest_ = self.forest_.calibrate(table, self.n_jobs)
        return self

    def report(
        self,
        X: Any,
        y: Any,
        path: str | os.PathLike[str],
        *,
        sample_weight: Any = None,
        resamples: int = 500,
        random_state: Any = 0,
    ) -> None:
        """Writes a page to look at: what the model is, and how good its answers are.

        One HTML file with all pictures in it: scores with bootstrap intervals, confusion, ROC and precision-recall curves
        and calibration of classes, residuals and coverage of numbers, importance and partial dependence of features, the
        hardest rows, and what the columns hold. It is that of the command's verb ``report``.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
            Best rows that the model was not trained on.
        y : array-like or column of shape (n_samples,)
            Their classes or values.
        path : str or path
            The file, which is replaced if it exists.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts.
        resamples : int, default=500
            Bootstrap samples of the rows.
        random_state : int, RandomState or None, default=0
            Names the draws: the same number gives the same page.

        Examples
        --------
        >>> import os, tempfile
        >>> from sklearn.datasets import load_wine
        >>> from svforest import RFClassifier
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> model = RFClassifier(random_state=0).fit(X[::2], y[::2])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = os.path.join(folder, "wine.html")
        ...     model.report(X[1::2], y[1::2], page)
        ...     os.path.getsize(page) < 2_000_000
        True
        """
        check_is_fitted(self, "forest_")
        if isinstance(resamples, bool) or not isinstance(resamples, (int, np.integer)) or resamples < 1:
            raise ValueError(f"resamples={resamples!r}: must be a whole number, 1 or more")
        rows, y = self._check_rows(X), self._check_truth(y)  # type: ignore[attr-defined]
        if len(y) != rows.shape[0]:
            raise ValueError(f"X has {rows.shape[0]} rows, and y has {len(y)}: they must be as many")
        if sample_weight is not None:
            sample_weight = _check_sample_weight(vector(sample_weight, "sample_weight"), y, dtype=np.float64)
        with self._table(rows) as table:  # type: ignore[attr-defined]
            self._set_truth(table, y)  # type: ignore[attr-defined]
            if sample_weight is not None:
                table.set_weights(sample_weight)
            self.forest_.report(table, path, self.n_jobs, seed=seed_of(random_state), resamples=int(resamples))
