"""The search for good settings: what `svforest tune` does."""

from __future__ import annotations

import warnings
from ctypes import byref, c_void_p
from numbers import Real
from typing import Any, Iterable, Mapping, Sequence

from . import _library
from ._classes import PUBLIC
from ._estimator import resolved
from ._library import CLASS, library
from ._problem import Problem, apply, by_setting, frame, whole
from ._run import running, threads_of
from ._tables import Setting, Settings, text_of, value_of


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
        The seed of folds, candidates and forests. It is a number, so that the search can be made again.
    sample_weight : array-like of shape (n_samples,), optional
    n_jobs, verbose : int
        As in the estimators.
    **settings
        Settings that stay as they are given, under the library's names or the estimators' keywords. Values are those
        of the class of a method: ``max_features`` may be a share, 'log2' or None (all), ``min_samples_leaf`` a share of
        all rows, ``class_weight`` a dict. The same goes for the values of ``tries``, but for the dict.

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
    threads_of(n_jobs)
    seed = whole("random_state", random_state, 0)
    problem = Problem.of(X, y, task, sample_weight)
    given, shape = problem.given(settings), problem.rows.array.shape
    options = _options(search, budget, candidates, whole("folds", folds, 2), _tries(tries, given, shape))
    cls = PUBLIC["SVForestClassifier" if problem.task == CLASS else "SVForestRegressor"]
    method = method or cls._defaults["method"]
    with Settings(method) as start, problem.table(given) as table:
        apply(start, given, seed, shape)
        model = cls(method, n_jobs=n_jobs, random_state=seed, **_kept(start, given))
        found = c_void_p()
        try:
            with running(n_jobs, verbose, "tuning") as run:
                _library.call("svf_tune", start.handle, table.handle, byref(options), byref(run), byref(found))
            told, chosen = _candidates(found), _chosen(found)
        finally:
            library.svf_tuning_free(found)
    model.set_params(**chosen).fit(X, y, sample_weight=sample_weight)
    model.tuning_ = told
    return model


def _kept(start: Settings, given: Mapping[Setting, Any]) -> dict[str, Any]:
    """What was given, as keywords with the very values that the search has; class weights may be those of classes."""
    values = start.values()
    return {s.keyword: value if s.name == "class_weight" else values[s.name] for s, value in given.items()}


def _tries(tries: Mapping[str, Any] | None, given: Mapping[Setting, Any], shape: tuple[int, int]) -> list[str]:
    """What is to be tried, as the library reads it: name=value|value."""
    if not isinstance(tries or {}, Mapping):
        raise TypeError("tries: must be a dict of settings, each with a list of values")
    texts = []
    for setting, values in by_setting(tries or {}).items():
        if setting in given:
            raise ValueError(f"{setting.name} was set and is to be tried as well: leave out one of the two")
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise TypeError(f"tries: {setting.keyword}={values!r}: must be a list of values")
        texts.append(f"{setting.name}=" + "|".join(text_of(setting, resolved(setting, v, shape)) for v in values))
    return texts


def _options(search: str, budget: Any, candidates: Any, folds: int, tries: list[str]) -> _library.TuneOptions:
    kinds = ["halving", "random", "grid"]
    if search not in kinds:
        raise ValueError(f"search={search!r}: must be one of {'|'.join(kinds)}")
    if budget is not None and not isinstance(budget, Real):
        raise TypeError(f"budget={budget!r}: must be a number of seconds")
    most = 0 if candidates is None else whole("candidates", candidates, 1)
    options = _library.TuneOptions(search=kinds.index(search), folds=folds, candidates=most, budget=budget or 0)
    if tries:
        options.kept = _library.texts(tries)  # the options only point to it
        options.tries, options.try_count = options.kept, len(tries)
    return options


def _pairs(text: str) -> dict[str, Any]:
    """'name=value name=value' as keywords."""
    named = by_setting(dict(pair.split("=", 1) for pair in text.split()))
    return {setting.keyword: value_of(setting, value) for setting, value in named.items()}


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
    return frame(rows)


def _chosen(tuning: c_void_p) -> dict[str, Any]:
    info, best = _library.TuningInfo(), _library.CandidateInfo()
    library.svf_tuning_describe(tuning, byref(info))
    library.svf_tuning_candidate(tuning, info.best, byref(best))
    return _pairs(best.settings.decode())
