"""The search for good settings: what `svforest tune` does."""

from __future__ import annotations

import warnings
from ctypes import byref, c_void_p
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Iterable, Mapping, Sequence

from . import _library
from ._classes import OF_ANY_METHOD
from ._data import Table
from ._estimator import BaseForest, resolved
from ._frames import frame, held, vector
from ._keywords import OWN
from ._library import CLASS, library
from ._problem import Problem, apply, by_setting, whole
from ._run import running, threads_of
from ._tables import METHODS, Setting, Settings, text_of, value_of


def tune(
    X: Any,
    y: Any,
    method: Any = None,
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
    X, y, sample_weight, n_jobs, verbose
        As in the estimators.
    method : str or estimator, optional
        None: a committee (``method='auto'``) of several methods with many settings each; its ``plan`` makes it again, and
        ``tuning_`` is its ``leaderboard_``. ``effort`` may then be given, but not ``search``, ``candidates``, ``folds`` and ``tries``.
        An estimator gives its method, its task and the keywords that differ from their defaults; what is given here overrules
        them. It may come first, as in scikit-learn: ``tune(CCFClassifier(), X, y)``. It is not changed.
    budget : float, optional
        Seconds that the search may take. None: no limit, and the same seed gives the same answer.
    task : {'auto', 'class', 'regress'}
    search : {'halving', 'random', 'grid'}
        Many candidates on few rows and few on many, drawn ones, or all.
    candidates, folds : int
        Most candidates that are tried; parts of the cross-validation.
    tries : dict, optional
        Values to try of each setting; None: those that the library proposes for the method. A setting cannot be both
        given and tried; combinations that do not go together are left out with a warning.
    random_state : int
        The seed of folds, candidates and forests: a number, so that the search can be made again. 0: that of the estimator.
    **settings
        Settings that stay as they are given, under the library's names or the estimators' keywords. ``max_features`` may be a
        fraction, 'log2' or None (all), ``min_samples_leaf`` a fraction of all rows, ``class_weight`` a dict. ``tries`` takes such
        values, too, but no dict.

    Returns
    -------
    estimator : fitted SVForestClassifier or SVForestRegressor, or an estimator of the class that was given
        With the best settings as keywords. ``tuning_`` is a table of the candidates in the order they ran (as of `compare`):
        ``settings`` that differ from the method's, ``mean``, ``sd``, the fraction of ``rows`` they last ran with, ``seconds``.

    Examples
    --------
    >>> import svforest, sklearn.datasets
    >>> model = svforest.tune(*sklearn.datasets.load_iris(return_X_y=True), "rf", candidates=4, trees=10)
    >>> model.method, len(model.tuning_)
    ('rf', 4)
    """
    asked = _Asked(budget, search, candidates, folds, tries, random_state, n_jobs, verbose)
    return _tune(X, y, method, task, sample_weight, settings, asked)


@dataclass
class _Asked:
    """What `tune` was asked for, beside data and method; `n_jobs`, `verbose` and `random_state` may come from an estimator."""

    budget: float | None
    search: str
    candidates: int | None
    folds: int
    tries: Mapping[str, Sequence[Any]] | None
    random_state: int
    n_jobs: int | None
    verbose: int

    def join(self, start_from: "_Start") -> None:
        self.n_jobs, self.verbose = start_from.own("n_jobs", self.n_jobs), start_from.own("verbose", self.verbose)
        threads_of(self.n_jobs)
        self.random_state = whole("random_state", start_from.own("random_state", self.random_state), 0)


def _tune(X: Any, y: Any, method: Any, task: str, sample_weight: Any, settings: dict[str, Any], asked: _Asked) -> Any:
    if hasattr(X, "get_params"):  # an estimator, as scikit-learn has it first
        X, y, method = y, method, X
        if y is None:
            raise TypeError("tune(estimator, X, y): y is missing")
    start_from = _Start.of(method, task, settings)
    asked.join(start_from)
    X, y = held(X), vector(y)
    problem = Problem.of(X, y, start_from.task, sample_weight)
    given, shape = problem.given(start_from.settings), problem.rows.shape
    folds, texts = whole("folds", asked.folds, 2), _tries(asked.tries, given, shape)
    options = _options(asked.search, asked.budget, asked.candidates, folds, texts)
    start_from.check_tries(asked.tries)
    cls = start_from.cls or OF_ANY_METHOD[problem.task]
    name = start_from.method or cls._defaults["method"]
    if METHODS[name].is_committee:
        _refuse_of_one_method(
            search=asked.search != "halving", candidates=asked.candidates, folds=asked.folds != 5, tries=asked.tries
        )
        own = {"n_jobs": asked.n_jobs, "verbose": asked.verbose, "random_state": asked.random_state, "time_limit": asked.budget}
        model = cls(**{**start_from.rest, **own}, **{s.keyword: value for s, value in given.items()})
        return _tune_methods(model, X, y, sample_weight)
    with Settings(name) as start, problem.table(given) as table:
        apply(start, given, asked.random_state, shape)
        own = {"n_jobs": asked.n_jobs, "random_state": asked.random_state, **({} if cls._method else {"method": name})}
        model = cls(**{**start_from.rest, **own, **_kept(start, given)})
        told, chosen = _search(start, table, options, asked)
    model.set_params(**chosen).fit(X, y, sample_weight=sample_weight)
    model.tuning_ = told
    return model


def _search(start: Settings, table: Table, options: _library.TuneOptions, asked: _Asked) -> tuple[Any, dict[str, Any]]:
    """The table of candidates, and the settings of the best as keywords."""
    found = c_void_p()
    try:
        with running(asked.n_jobs, asked.verbose, "tuning") as run:
            _library.call("svf_tune", start.handle, table.handle, byref(options), byref(run), byref(found))
        return _candidates(found), _chosen(found)
    finally:
        library.svf_tuning_free(found)


def _refuse_of_one_method(**given: Any) -> None:
    for name, value in given.items():
        if value:
            raise ValueError(f"{name} is for the settings of one method: name it, as in tune(X, y, 'rf')")


def _tune_methods(model: BaseForest, X: Any, y: Any, sample_weight: Any) -> BaseForest:
    """A committee of many settings of several methods; what was found is its plan."""
    model._fit(X, y, sample_weight, wide=True)
    model.tuning_ = model.leaderboard_
    return model.set_params(plan=model.plan_, time_limit=None)


@dataclass(frozen=True)
class _Start:
    """Where a search begins: a method, or an estimator with what was set in it."""

    method: str | None
    task: str
    settings: dict[str, Any]
    cls: type[BaseForest] | None = None
    rest: dict[str, Any] = field(default_factory=dict)  # keywords that are no settings

    @classmethod
    def of(cls, method: Any, task: str, settings: dict[str, Any]) -> "_Start":
        if method is None or isinstance(method, str):
            return cls(method, task, settings)
        if isinstance(method, type) and issubclass(method, BaseForest):
            method = method()
        if not isinstance(method, BaseForest):
            raise TypeError(f"method={method!r}: must be the name of a method, or an estimator of svforest")
        own = "class" if method._task == CLASS else "regress"
        if task not in ("auto", own):
            raise ValueError(f"task={task!r}: {type(method).__name__} is for task={own!r}")
        rest = {name: getattr(method, name) for name in OWN if name in method._defaults}
        return cls(method._method_name, own, {**_set_in(method), **_keywords(settings)}, type(method), rest)

    def own(self, name: str, given: Any) -> Any:
        """A keyword that is no setting: as it was given or, where it was not, as the estimator has it."""
        return self.rest[name] if not given and self.rest.get(name) is not None else given

    def check_tries(self, tries: Mapping[str, Any] | None) -> None:
        """The estimator that comes out must have what was tried among its keywords."""
        for setting in by_setting(tries or {}):
            if self.cls is not None and setting.keyword not in self.cls._defaults:
                raise TypeError(
                    f"tries: {self.cls.__name__} does not read {setting.keyword}; tune(X, y, {self.method!r}) tries any setting"
                )


def _set_in(model: BaseForest) -> dict[str, Any]:
    """The settings that differ from those of the method, by keyword."""
    found = {setting.keyword: value for setting, value in model._given()}
    if "class_weight" in model._defaults and model.class_weight != model._defaults["class_weight"]:
        found["class_weight"] = model.class_weight
    return found


def _keywords(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {setting.keyword: value for setting, value in by_setting(settings).items()}


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
            raise ValueError(f"{setting.name} is both set and to be tried: leave out one of the two")
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
        warnings.warn(f"{info.refused} of the combinations do not go together and were left out: {why}", stacklevel=5)
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
