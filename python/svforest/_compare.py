"""Methods on the same folds, and the search for good settings: what `svforest cv` and `svforest tune` do."""

from __future__ import annotations

import time
import warnings
from ctypes import byref, c_void_p
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
from sklearn.utils.multiclass import type_of_target

from . import _compat, _data, _library
from ._classes import PUBLIC
from ._classifier import classes_of
from ._data import Rows, Table, label_text
from ._forest import Forest
from ._library import CLASS, REGRESS, library
from ._run import running
from ._tables import METHODS, SETTINGS, Settings, text_of, value_of

_BY_NAME = {name: setting for setting in SETTINGS for name in (setting.name, setting.keyword)}


def compare(
    X: Any,
    y: Any,
    methods: Sequence[str] | None = None,
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
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    methods : list of str, optional
        Names of methods; None: all that there are for the task.
    task : {'auto', 'class', 'regress'}
        'auto': as scikit-learn takes y: text and whole numbers are classes.
    folds, repeats : int
        How often, and on how many parts, it is done; repeats have folds of their own.
    random_state : int
        The seed of folds and forests.
    sample_weight : array-like of shape (n_samples,), optional
    n_jobs, verbose : int
        As in the estimators.
    **settings
        Changed in every method, under the library's names or the estimators' keywords: ``n_estimators=50``.

    Returns
    -------
    table : pandas.DataFrame, or a NumPy record array where pandas is not there
        A row per method: ``mean`` and ``sd`` of accuracy or mean squared error, mean ``seconds`` of training and
        ``predict_seconds``, and the ``scores`` of all splits. What ``svforest cv --json`` tells.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import svforest
    >>> table = svforest.compare(*load_iris(return_X_y=True), ["linear-svm", "rsvt"], folds=3)
    >>> [str(name) for name in table["method"]]
    ['linear-svm', 'rsvt']
    >>> bool((table["mean"] > 0.8).all())
    True
    """
    kind, rows, target = _training(X, y, task)
    names = [name for name in METHODS if METHODS[name].allows(kind)] if methods is None else list(methods)
    with Table(rows) as table:
        _set_target(table, kind, target, sample_weight)
        found = {name: _Contender(name, {**settings, "seed": random_state}, kind) for name in names}
        for repeat in range(repeats):
            for train, test in _splits(table, len(rows.array), folds, random_state + repeat):
                for contender in found.values():
                    contender.fight(train, test, n_jobs, verbose)
    return _frame([contender.row() for contender in found.values()])


def tune(
    X: Any,
    y: Any,
    method: str | None = None,
    *,
    budget: float | None = None,
    task: str = "auto",
    search: str = "halving",
    candidates: int | None = None,
    folds: int = 5,
    tries: Mapping[str, Sequence[Any]] | None = None,
    random_state: int = 0,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    **settings: Any,
) -> Any:
    """Looks for good settings of a method by cross-validation, and trains with the best.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    method : str, optional
        None: what `SVForestClassifier` or `SVForestRegressor` take.
    budget : float, optional
        Seconds that the search may take. None: none, and the same seed gives the same answer.
    task : {'auto', 'class', 'regress'}
    search : {'halving', 'random', 'grid'}
        Many candidates on few rows and few on many, drawn ones, or all.
    candidates : int, optional
        Most that are tried.
    folds : int
    tries : dict, optional
        Values to try of each setting; None: those that the library proposes for the method. A setting cannot be both
        given and tried; combinations that do not go together are left out with a warning.
    random_state : int
        The seed of folds, candidates and forests.
    sample_weight : array-like of shape (n_samples,), optional
    n_jobs, verbose : int
        As in the estimators.
    **settings
        Settings that stay as they are given, under the library's names or the estimators' keywords.

    Returns
    -------
    estimator : fitted SVForestClassifier or SVForestRegressor
        With the best settings as keywords; ``tuning_`` is a table (as of `compare`) of the candidates in the order
        they ran: ``settings`` that differ from the method's, ``mean``, ``sd``, the share of ``rows`` they last ran with,
        ``seconds``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import svforest
    >>> model = svforest.tune(*load_iris(return_X_y=True), "rf", candidates=4, trees=10)
    >>> model.method, len(model.tuning_)
    ('rf', 4)
    """
    kind, rows, target = _training(X, y, task)
    cls = PUBLIC["SVForestClassifier" if kind == CLASS else "SVForestRegressor"]
    method = method or cls._defaults["method"]
    with Settings(method) as start, Table(rows) as table:
        _set_target(table, kind, target, sample_weight)
        for name, value in {**settings, "seed": random_state}.items():
            start.set(_named(name), value)
        options = _tune_options(search, budget, candidates, folds, tries)
        found = c_void_p()
        try:
            with running(n_jobs, verbose, "tuning") as run:
                _library.call("svf_tune", start.handle, table.handle, byref(options), byref(run), byref(found))
            told, chosen = _candidates(found), _chosen(found)
        finally:
            library.svf_tuning_free(found)
    model = cls(method, n_jobs=n_jobs, random_state=random_state, **_keywords(settings), **chosen)
    model.fit(X, y, sample_weight=sample_weight)
    model.tuning_ = told
    return model


# ---- what both need ----


def _training(X: Any, y: Any, task: str) -> tuple[int, Rows, np.ndarray]:
    """The task, the rows, and the target checked."""
    if task not in ("auto", "class", "regress"):
        raise ValueError(f"task={task!r}: must be one of auto|class|regress")
    if task == "auto":
        task = "regress" if type_of_target(y).startswith("continuous") else "class"
    kind = CLASS if task == "class" else REGRESS
    rows = _data.frame_rows(X) if _data.is_frame(X) else None
    y = _compat.check_y(y, numeric=kind == REGRESS)
    rows = rows or Rows(_data.check_numbers(X))
    if len(y) != len(rows.array):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(rows.array), len(y)]}")
    if hasattr(X, "columns"):
        rows.names = [str(name) for name in X.columns]
    return kind, rows, y


def _set_target(table: Table, kind: int, target: np.ndarray, weight: Any) -> None:
    if kind == CLASS:
        classes, codes = classes_of(target)
        table.set_classes(codes, [label_text(label) for label in classes.tolist()])
    else:
        table.set_values(target)
    if weight is not None:
        table.set_weights(np.asarray(weight, dtype=np.float64))


def _named(name: str) -> Any:
    if name not in _BY_NAME:
        raise TypeError(f"there is no setting {name!r}; svforest.settings lists them")
    return _BY_NAME[name]


def _keywords(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {_named(name).keyword: value for name, value in settings.items()}


def _frame(rows: list[dict[str, Any]]) -> Any:
    try:
        import pandas as pd
    except ImportError:
        columns = list(rows[0])
        values = [[row[c] for row in rows] for c in columns]
        dtypes = [object if isinstance(v[0], (str, list)) else np.float64 for v in values]
        table = np.empty(len(rows), dtype=list(zip(columns, dtypes)))
        for c, v in zip(columns, values):
            table[c][:] = v
        return table.view(np.recarray)
    return pd.DataFrame(rows)


# ---- compare ----


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

    def __init__(self, method: str, settings: dict[str, Any], task: int) -> None:
        self.method, self.scores = method, []  # type: ignore[var-annotated]
        self.training = self.predicting = 0.0
        self.given = [(_named(name), value) for name, value in settings.items()]
        self.task = task

    def fight(self, train: _Part, test: _Part, n_jobs: int | None, verbose: int) -> None:
        with Settings(self.method) as settings:
            for setting, value in self.given:
                settings.set(setting, value)
            try:
                _library.call("svf_settings_check", settings.handle, self.task)
            except ValueError as error:
                raise ValueError(f"method {self.method}: {error}") from None
            start = time.perf_counter()
            forest = Forest.train(settings.handle, train, n_jobs, verbose)
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


# ---- tune ----


def _tune_options(search: str, budget: Any, candidates: Any, folds: int, tries: Any) -> _library.TuneOptions:
    kinds = ["halving", "random", "grid"]
    if search not in kinds:
        raise ValueError(f"search={search!r}: must be one of {'|'.join(kinds)}")
    options = _library.TuneOptions(search=kinds.index(search), folds=folds, candidates=candidates or 0, budget=budget or 0)
    if tries:
        texts = [
            f"{_named(name).name}=" + "|".join(text_of(_named(name), value) for value in values)
            for name, values in tries.items()
        ]
        options.kept = _library.texts(texts)  # the options only point to it
        options.tries, options.try_count = options.kept, len(texts)
    return options


def _pairs(text: str) -> dict[str, Any]:
    """'name=value name=value' as keywords."""
    named = (pair.split("=", 1) for pair in text.split())
    return {_BY_NAME[name].keyword: value_of(_BY_NAME[name], value) for name, value in named}


def _candidates(tuning: c_void_p) -> Any:
    info = _library.TuningInfo()
    library.svf_tuning_describe(tuning, byref(info))
    if info.refused:
        why = info.refusal.decode()
        warnings.warn(f"{info.refused} of the combinations do not go together and were left out: {why}", stacklevel=3)
    rows = []
    for index in range(info.candidates):
        one = _library.CandidateInfo()
        library.svf_tuning_candidate(tuning, index, byref(one))
        rows.append(
            {
                "settings": one.settings.decode(),
                "mean": one.score,
                "sd": one.deviation,
                "rows": one.rows,
                "seconds": one.seconds,
            }
        )
    return _frame(rows)


def _chosen(tuning: c_void_p) -> dict[str, Any]:
    info, best = _library.TuningInfo(), _library.CandidateInfo()
    library.svf_tuning_describe(tuning, byref(info))
    library.svf_tuning_candidate(tuning, info.best, byref(best))
    return _pairs(best.settings.decode())
