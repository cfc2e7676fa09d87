"""Methods on the same folds: what `svforest cv` does."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from . import _library
from ._data import Table
from ._forest import Forest
from ._frames import frame
from ._library import library
from ._problem import Problem, apply, whole
from ._run import threads_of
from ._tables import METHODS, Setting, Settings


def compare(
    X: Any,
    y: Any,
    methods: str | Sequence[str] | None = None,
    *,
    task: str = "auto",
    folds: int = 5,
    repeats: int = 1,
    random_state: int = 0,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    **settings: Any,
) -> Any:
    """Compares methods by cross-validation; every method sees the same folds.

    Parameters
    ----------
    X, y, sample_weight, n_jobs, verbose
        As in the estimators.
    methods : str or list of str, optional
        Names of methods; None: all that there are for the task but ``auto``, which takes as long as many of them.
    task : {'auto', 'class', 'regress'}
        'auto': as scikit-learn takes y: text and whole numbers are classes.
    folds, repeats : int
        On how many parts, two or more, and how often it is done; repeats have folds of their own.
    random_state : int
        The seed of folds and forests. It is a number, so that the comparison can be made again.
    **settings
        Changed in every method (``effort`` and ``aim``: in ``auto``), under the library's names or the estimators' keywords:
        ``n_estimators=50``. ``max_features`` may be a fraction, 'log2' or None (all), ``min_samples_leaf`` a fraction of the rows
        trained on, ``class_weight`` a dict.

    Returns
    -------
    table : pandas.DataFrame, or a NumPy record array where pandas is not there
        A row per method, the best first: ``mean`` and ``sd`` of accuracy or mean squared error, mean ``seconds`` of training and
        ``predict_seconds``, and the ``scores`` of all splits. What ``svforest cv --json`` tells.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import svforest
    >>> table = svforest.compare(*load_iris(return_X_y=True), ["linear-svm", "rsvt"], folds=3)
    >>> sorted(map(str, table["method"]))
    ['linear-svm', 'rsvt']
    >>> bool((table["mean"] > 0.8).all())
    True
    """
    threads_of(n_jobs)
    folds, repeats, seed = whole("folds", folds, 2), whole("repeats", repeats, 1), whole("random_state", random_state, 0)
    problem = Problem.of(X, y, task, sample_weight)
    given = problem.given(settings)
    found = _contenders(_names(methods, problem.task), given, seed, problem)
    with problem.table(given) as table:
        for repeat in range(repeats):
            for train, test in _splits(table, len(problem.target), folds, seed + repeat):
                for contender in found:
                    contender.fight(train, test, n_jobs, verbose)
    return _ranked([contender.row() for contender in found], problem.task)


def _contenders(names: list[str], given: Mapping[Setting, Any], seed: int, problem: Problem) -> list[_Contender]:
    if not any(METHODS[name].is_committee for name in names if name in METHODS):
        for setting in given:
            if setting.name in OF_AUTO:
                raise ValueError(f"{setting.name} is for the method auto, which is not among those that are compared")
    return list({name: _Contender(name, given, seed, problem) for name in names}.values())


def _ranked(rows: list[dict[str, Any]], task: int) -> Any:
    better = -1 if task == _library.CLASS else 1
    return frame(sorted(rows, key=lambda row: (math.isnan(row["mean"]), better * row["mean"])))

OF_AUTO = ("effort", "aim")


def _names(methods: str | Sequence[str] | None, task: int) -> list[str]:
    if methods is None:
        return [name for name, method in METHODS.items() if method.allows(task) and not method.is_committee]
    names = [methods] if isinstance(methods, str) else list(methods)
    if not names:
        raise ValueError("methods is empty: name at least one, or leave it out for all")
    return names


class _Part(Table):
    """Some rows of a table; the library copies them."""

    def __init__(self, table: Table, rows: np.ndarray) -> None:
        self.count = len(rows)
        rows = np.ascontiguousarray(rows, dtype=np.uintp)
        self.handle = _library.make("svf_table_take", table.handle, rows.ctypes.data, len(rows))


def _splits(table: Table, rows: int, folds: int, seed: int) -> Iterator[tuple[_Part, _Part]]:
    fold = np.empty(rows, dtype=np.int32)
    _library.call("svf_table_folds", table.handle, folds, seed, fold.ctypes.data)
    for number in range(folds):
        with _Part(table, np.flatnonzero(fold != number)) as train, _Part(table, np.flatnonzero(fold == number)) as test:
            yield train, test


class _Contender:
    """A method and what it did so far."""

    def __init__(self, method: str, given: Mapping[Setting, Any], seed: int, problem: Problem) -> None:
        committee = METHODS[method].is_committee if method in METHODS else False
        self.given = {s: value for s, value in given.items() if committee or s.name not in OF_AUTO}
        self.method, self.seed = method, seed
        self.scores: list[float] = []
        self.training = self.predicting = 0.0
        self.columns = problem.rows.shape[1]
        with self._settings(len(problem.target)) as settings:
            try:
                _library.call("svf_settings_check", settings.handle, problem.task)
            except ValueError as error:
                raise ValueError(f"method {method}: {error}") from None

    @contextmanager
    def _settings(self, rows: int) -> Iterator[Settings]:
        with Settings(self.method) as settings:
            apply(settings, self.given, self.seed, (rows, self.columns))
            yield settings

    def fight(self, train: _Part, test: _Part, n_jobs: int | None, verbose: int) -> None:
        with self._settings(train.count) as settings:
            start = time.perf_counter()
            forest, stopped = Forest.train(settings.handle, train, n_jobs, verbose)
            if stopped is not None:  # fewer rounds than asked for are no result of the method
                raise stopped
            middle = time.perf_counter()
        values, _ = forest.predict(test, test.count, n_jobs, "values")
        self.training += middle - start
        self.predicting += time.perf_counter() - middle
        self.scores.append(library.svf_table_measure(test.handle, values.ctypes.data))

    def row(self) -> dict[str, Any]:
        splits = len(self.scores)
        return {
            "method": self.method,
            "mean": float(np.mean(self.scores)),
            "sd": float(np.std(self.scores, ddof=1)) if splits > 1 else float("nan"),
            "seconds": self.training / splits,
            "predict_seconds": self.predicting / splits,
            "scores": self.scores,
        }
