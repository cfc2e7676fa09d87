"""Training and prediction on collections of dask, with the bytes of one machine.

>>> from svforest.dask import SVForestClassifier              # doctest: +SKIP
>>> from distributed import Client                            # doctest: +SKIP
>>> model = SVForestClassifier("rsvt-full", partition_rows=100_000, random_state=0, client=Client())  # doctest: +SKIP
>>> model.fit(X, y).predict_proba(X)                          # doctest: +SKIP

`fit` is a graph of pure tasks, each a step of training in parts (docs/scale.md): look at the partitions, thin their rows to the
sample, cuts, route each partition, fit the leaves of some cells, merge. dask moves the data and repeats what was lost; nothing here
opens a connection, and no task is bound to a worker. The model is that of the class of the same name in `svforest`, fitted in memory
with the same `partition_rows` and `random_state`, byte for byte, whatever the partitions and the workers.
"""

from __future__ import annotations

import inspect
import os
import warnings
from typing import Any, Callable

import numpy as np

try:
    import dask
    import dask.array
except ImportError as error:
    raise ImportError("svforest.dask needs dask: install it with pip install 'svforest[dask]'") from error

from . import _dask_tasks as tasks
from . import _library
from ._classes import PUBLIC
from ._estimator import BaseForest, signature_of
from ._forest import Forest
from ._portions import Portion
from ._run import TableWarning
from ._tables import METHODS

__all__ = ["SVForestClassifier", "SVForestRegressor"]

METHOD = {_library.CLASS: "rsvt-full", _library.REGRESS: "metric-forest"}
PARTITION_ROWS = 100_000
GROUP_BYTES = 1 << 27  # of the rows that one task of `fit` is sent
FAN_IN = 8  # partitions that one task joins


# ---- collections ----


def _is_collection(X: Any) -> bool:
    return dask.is_dask_collection(X) and (hasattr(X, "to_delayed") or hasattr(X, "dask"))


def _need_collection(X: Any, what: str, own: str) -> None:
    if _is_collection(X):
        return
    raise TypeError(
        f"{what} is no collection of dask, but {type(X).__name__}: make one of it (dask.dataframe.from_pandas, "
        f"dask.array.from_array), or take svforest.{own}, which trains in memory"
    )


def _parts(X: Any, like: Any = None) -> list[Any]:
    """Partitions as delayed objects; arrays are cut along rows only, and where `like` is one, as it is."""
    if not isinstance(X, dask.array.Array):
        return list(X.to_delayed())
    if X.ndim == 2:
        X = X.rechunk({1: -1})
    if isinstance(like, dask.array.Array) and not np.isnan(X.shape[0]) and not np.isnan(like.shape[0]):
        if X.shape[0] == like.shape[0]:
            X = X.rechunk({0: like.chunks[0]})
    return list(X.to_delayed().ravel())


def _aligned(X: Any, other: Any, what: str) -> list[Any]:
    parts, own = _parts(other, X), _parts(X)
    if len(parts) != len(own):
        raise ValueError(f"X has {len(own)} partitions and {what} {len(parts)}: they must be divided alike")
    return parts


def _reduce(function: Callable[[list[Any]], Any], parts: list[Any]) -> Any:
    """Joins parts, some at a time, so that no task has all of them."""
    while True:
        parts = [function(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
        if len(parts) == 1:
            return parts[0]


def _groups(cells: int, bytes_sent: int, threads: int) -> list[tuple[int, int]]:
    """Ranges of cells: four for each thread, or more where rows would be too many for one task."""
    count = min(cells, max(4 * threads, -(-bytes_sent // GROUP_BYTES)))
    ends = [cells * i // count for i in range(count + 1)]
    return [(start, end - start) for start, end in zip(ends, ends[1:])]


# ---- estimators ----


class _Distributed:
    """Mixed into the classes of `svforest`: `fit` and the predictions take collections. A fitted model answers for arrays and
    frames, too, and `save` writes the file that every other model has."""

    client: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains the forest on the workers.

        Parameters
        ----------
        X : dask frame or dask array, shape (n_samples, n_features)
            It is read three times, a partition at a time: `persist` it where that is slow and the workers have the memory.
        y : dask series or one-dimensional dask array
            Divided as X is.
        sample_weight : the same, optional

        Returns
        -------
        self : the fitted estimator
        """
        own = type(self).__name__
        self._refuse_keywords()
        for part, what in ((X, "X"), (y, "y"), (sample_weight, "sample_weight")):
            if part is not None or what != "sample_weight":
                _need_collection(part, what, own)
        parts = _parts(X), _aligned(X, y, "y"), None if sample_weight is None else _aligned(X, sample_weight, "sample_weight")
        fitted = self._train_parts(*parts)
        for name in [name for name in vars(self) if name.endswith("_") and name not in self._defaults]:
            delattr(self, name)
        vars(self).update(fitted)
        return self

    def predict(self, X: Any) -> Any:
        """As in memory; of a collection a lazy one."""
        return self._lazily(X, "predict") if _is_collection(X) else super().predict(X)  # type: ignore[misc]

    def to_local(self) -> Any:
        """The fitted estimator of `svforest`, which knows nothing of dask."""
        made = self._plain()
        vars(made).update({name: value for name, value in vars(self).items() if name.endswith("_")})
        return made

    # ---- what it is made of ----

    def _plain(self) -> BaseForest:
        """The class in memory with the same keywords."""
        keywords = {name: getattr(self, name) for name in self._defaults if name != "client"}
        return PUBLIC[type(self).__name__](**keywords)

    def __getstate__(self) -> dict[str, Any]:
        """A client is a connection, which no file holds."""
        return {**super().__getstate__(), "client": None}  # type: ignore[misc]

    def __sklearn_clone__(self) -> Any:
        from sklearn.base import clone

        return type(self)(**clone(self._plain()).get_params(deep=False), client=self.client)

    def _compute(self, delayed: Any) -> Any:
        return dask.compute(delayed)[0] if self.client is None else self.client.compute(delayed, sync=True)

    @property
    def _threads(self) -> int:
        """Of all workers."""
        if self.client is not None:
            return max(1, sum(self.client.nthreads().values()))
        return os.cpu_count() or 1

    def _refuse_keywords(self) -> None:
        name = self._method_name
        if METHODS[name].is_committee:
            raise ValueError(
                f"method={name!r} is not trained on dask: members are weighted by their scores on held-out rows, which needs "
                "the whole table in one place; name a method that can be trained in parts, such as "
                f"method={METHOD[self._task]!r}, or train on a part of the rows"
            )
        for keyword in ("oob_score", "warm_start"):
            if getattr(self, keyword):
                raise ValueError(f"{keyword} needs all rows in one place, and dask has them apart: leave it out")
        if not self.partition_rows or self.partition_rows == "all":
            raise ValueError("say how many rows decide the cuts: partition_rows must be a number here")

    def _check_settings(self, job: tasks.Job) -> None:
        """Before anything is moved; class weights need classes, and are set where these are."""
        with job.settings() as settings:
            _library.call("svf_settings_check", settings.handle, self._task)

    def _train_parts(self, X: list[Any], y: list[Any], weight: list[Any] | None) -> dict[str, Any]:
        weights = weight or [None] * len(X)
        lazy = dask.delayed
        classify = self._task == _library.CLASS
        looks = self._compute(lazy(list)([lazy(tasks.look)(*part, classify) for part in zip(X, y, weights)]))
        tasks.refuse_targets(looks)
        tasks.refuse_other_columns(looks)
        job = self._job(looks)
        if job.rows <= int(self.partition_rows):
            model, attributes = self._compute(lazy(tasks.train)(job, X, y, weight))
            return self._fitted(job, Forest.from_bytes(model), attributes)
        self._check_settings(job)
        first = np.cumsum([0] + [look.rows for look in looks]).tolist()
        shared = lazy(job, traverse=False)
        kept = [lazy(tasks.keep)(shared, *part, start) for part, start in zip(zip(X, y, weights), first)]
        sample = _reduce(lambda some: lazy(tasks.join)(shared, some), kept)
        cuts, attributes = self._compute(lazy(tasks.decide_cuts)(shared, sample))
        there = [i for i, look in enumerate(looks) if look.rows]
        parts = [(X[i], y[i], weights[i], first[i]) for i in there]
        model, unseen = self._compute(self._leaves(shared, cuts, parts, job))
        if unseen:
            warnings.warn(
                f"{unseen} cells hold categories that the {self.partition_rows} rows of the sample do not have; they count as "
                "missing",
                TableWarning,
                stacklevel=3,
            )
        return self._fitted(job, Forest.from_bytes(model), attributes)

    def _job(self, looks: list[tasks.Look]) -> tasks.Job:
        found = [look.classes for look in looks if look.classes is not None]
        classes = np.unique(np.concatenate(found)) if found else None
        rows, columns = sum(look.rows for look in looks), len(next(look.columns for look in looks if look.rows))
        plain = self._plain()
        plain.random_state = None  # drawn here, once
        return tasks.Job(plain, self._draw_seed(), rows, columns, classes)

    def _leaves(self, job: Any, cuts: bytes, parts: list[Any], known: tasks.Job) -> Any:
        """The graph of route, fit and merge."""
        lazy, info = dask.delayed, Portion.from_bytes(cuts).info
        groups = _groups(int(info.cells.count), known.rows * info.trees * (4 * known.columns + 16), self._threads)
        shared = lazy(cuts)
        routed = [lazy(tasks.route)(job, shared, X, y, weight, first, groups) for X, y, weight, first in parts]
        told = _reduce(lambda some: lazy(tasks.add_up)(some), [lazy(tasks.told_of)(part) for part in routed])
        fitted = [
            lazy(tasks.fit)(shared, [lazy(tasks.piece_of)(part, g) for part in routed], group)
            for g, group in enumerate(groups)
        ]
        return lazy(tasks.merge)(shared, told, fitted)

    def _fitted(self, job: tasks.Job, forest: Forest, attributes: dict[str, Any]) -> dict[str, Any]:
        return {**attributes, "forest_": forest, "seed_": job.seed}

    def _lazily(self, X: Any, ask: str) -> Any:
        """The answers for each partition, where it is."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "forest_")
        model = self.to_local()
        model.n_jobs = 1
        classes = len(model.classes_) if ask == "predict_proba" else None
        kind = np.float64 if ask == "predict_proba" or self._task == _library.REGRESS else model.classes_.dtype
        if isinstance(X, dask.array.Array):
            X = X.rechunk({1: -1})
            axes = {"drop_axis": 1} if classes is None else {"chunks": (X.chunks[0], (classes,))}
            meta: Any = np.empty((0,) * (1 if classes is None else 2), kind)
            return X.map_blocks(_answer, model=model, ask=ask, kind=kind, dtype=kind, meta=meta, **axes)
        import pandas as pd

        if classes is None:
            meta = pd.Series(np.empty(0, kind), name=ask, index=X._meta.index[:0])
        else:
            meta = pd.DataFrame(np.empty((0, classes)), columns=list(model.classes_), index=X._meta.index[:0])
        return X.map_partitions(_answer_frame, model, ask, kind, meta=meta)


def _answer(X: np.ndarray, model: BaseForest, ask: str, kind: Any) -> np.ndarray:
    if not len(X):
        return np.empty((0,) if ask == "predict" else (0, len(model.classes_)), kind)
    return getattr(model, ask)(X)


def _answer_frame(X: Any, model: BaseForest, ask: str, kind: Any) -> Any:
    import pandas as pd

    found = _answer(X, model, ask, kind)
    if ask == "predict":
        return pd.Series(found, index=X.index, name=ask)
    return pd.DataFrame(found, index=X.index, columns=list(model.classes_))


class _Classifies(_Distributed):
    def predict_proba(self, X: Any) -> Any:
        """As in memory; of a collection a lazy one, a frame for frames with the classes as columns."""
        return self._lazily(X, "predict_proba") if _is_collection(X) else super().predict_proba(X)  # type: ignore[misc]


ABOUT = """{first}, trained on collections of dask.

Keywords are those of `svforest.{name}`, and ``client``. Methods that can be trained in parts are in docs/scale.md; others are refused,
and so is ``method='auto'``. With at most ``partition_rows`` rows any method but 'auto' is trained, in one task.

Parameters
----------
method : str, default={method!r}
partition_rows : int, default={rows}
    Rows, drawn by their number, that decide encoding, scale, metric and the cuts of all trees; all rows train the leaves.
client : distributed.Client, default=None
    Where to compute; None: where `dask.compute` does.
"""


def _make(name: str, mixed: type) -> type:
    base = PUBLIC[name]
    defaults = {**base._defaults, "method": METHOD[base._task], "partition_rows": PARTITION_ROWS, "client": None}
    signature = signature_of(defaults)
    first = {"SVForestClassifier": "A forest for classes", "SVForestRegressor": "A forest for numbers"}[name]
    about = ABOUT.format(first=first, name=name, method=METHOD[base._task], rows=PARTITION_ROWS)
    members = {"__doc__": about, "__module__": __name__, "__signature__": signature, "_defaults": defaults}
    made = type(name, (mixed, base), members)

    def __init__(self: BaseForest, *args: Any, **keywords: Any) -> None:
        BaseForest.__init__(self, *args, **keywords)

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = signature.replace(parameters=[own, *signature.parameters.values()])  # type: ignore
    made.__init__ = __init__  # type: ignore[misc]
    return made


SVForestClassifier = _make("SVForestClassifier", _Classifies)
SVForestRegressor = _make("SVForestRegressor", _Distributed)
