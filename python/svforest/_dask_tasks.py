"""What svforest.dask runs on the workers: pure functions of partitions, cuts, pieces of rows and leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _data, _library, _portions
from ._data import Rows, Table
from ._estimator import BaseForest
from ._forest import Forest
from ._frames import frame_rows, vector
from ._labels import label_text
from ._library import Cells
from ._portions import Portion
from ._tables import Settings


# ---- partitions ----


@dataclass(frozen=True)
class Look:
    """What is known of one partition before anything is done with it."""

    rows: int
    targets: int
    missing: int  # targets
    weights: int | None
    columns: tuple[tuple[str, str], ...]  # name and type
    classes: np.ndarray | None


@dataclass(frozen=True)
class Sample:
    """Rows that may decide the cuts, with their numbers in the whole table."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    number: np.ndarray


def _type_of(column: Any) -> str:
    """The type of a column of pandas, or '' if it is blank: then it may be anything."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return "category" if column.notna().any() else ""
    if not (pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype)):
        return str(column.dtype)
    found = pd.api.types.infer_dtype(column, skipna=True)
    return {"empty": "", "string": "text"}.get(found, found)


def _columns_of(X: Any) -> tuple[tuple[str, str], ...]:
    if hasattr(X, "iloc"):
        return tuple((str(name), _type_of(X.iloc[:, j])) for j, name in enumerate(X.columns))
    return tuple((f"x{j + 1}", str(X.dtype)) for j in range(X.shape[1]))


def look(X: Any, y: Any, weight: Any, classify: bool) -> Look:
    target = np.asarray(vector(y))
    missing = sum(value is None or value != value for value in target.tolist()) if target.dtype.kind in "fO" else 0
    classes = np.unique(target) if classify and len(y) and not missing else None
    return Look(len(X), len(y), missing, None if weight is None else len(weight), _columns_of(X), classes)


def refuse_other_columns(looks: list[Look]) -> None:
    """Partitions without rows say nothing; the first type of a column is that of all."""
    first = next((i for i, look in enumerate(looks) if look.rows), None)
    if first is None:
        raise ValueError("X has no rows")
    known = list(looks[first].columns)
    source = [first] * len(known)
    for i, look in enumerate(looks):
        if not look.rows:
            continue
        if [name for name, _ in look.columns] != [name for name, _ in known]:
            raise ValueError(
                f"partition {i} has other columns than partition {first}: {_names(look.columns)} and {_names(tuple(known))}"
            )
        for j, (name, kind) in enumerate(look.columns):
            if not known[j][1]:
                known[j], source[j] = (name, kind), i
            elif kind and kind != known[j][1]:
                raise ValueError(
                    f"column {name!r} is {kind} in partition {i} and {known[j][1]} in partition {source[j]}: "
                    "give it one type, for example with astype"
                )


def _names(columns: tuple[tuple[str, str], ...]) -> str:
    names = [name for name, _ in columns[:6]]
    return ", ".join(names) + (", ..." if len(columns) > 6 else "")


def refuse_targets(looks: list[Look]) -> None:
    for i, look in enumerate(looks):
        for what, count in (("y", look.targets), ("sample_weight", look.weights)):
            if count is not None and count != look.rows:
                raise ValueError(f"partition {i} has {look.rows} rows in X and {count} in {what}")
        if look.missing:
            raise ValueError(f"partition {i}: the target is missing in {look.missing} of {look.rows} rows; leave these out")


def _take(X: Any, place: np.ndarray) -> Any:
    return X.iloc[place] if hasattr(X, "iloc") else X[place]


def _stack(parts: list[Any]) -> Any:
    """Rows under each other; a column of categories has those of all parts."""
    if not hasattr(parts[0], "iloc"):
        return np.concatenate(parts)
    import pandas as pd

    parts = [part.copy(deep=False) for part in parts]
    for j in range(parts[0].shape[1]):
        columns = [part.iloc[:, j] for part in parts]
        if all(isinstance(column.dtype, pd.CategoricalDtype) for column in columns):
            united = pd.api.types.union_categoricals(columns, ignore_order=True).categories
            for part, column in zip(parts, columns):
                part.isetitem(j, column.cat.set_categories(united, ordered=False))
    return pd.concat(parts, ignore_index=True)


# ---- tasks ----


@dataclass(frozen=True)
class Job:
    """What all tasks of one fit know: small, and the same on every worker."""

    estimator: BaseForest  # not fitted, of the class in memory
    seed: int
    rows: int
    columns: int
    classes: np.ndarray | None

    def settings(self) -> Settings:
        made = Settings(self.estimator._method_name)
        self.estimator._configure(made, (self.rows, self.columns), self.seed)
        return made

    @property
    def names(self) -> list[str]:
        return [] if self.classes is None else [label_text(label) for label in self.classes.tolist()]

    def codes(self, y: np.ndarray) -> np.ndarray | None:
        return None if self.classes is None else np.searchsorted(self.classes, y)


def _thin(job: Job, sample: Sample) -> Sample:
    with job.settings() as settings:
        place = _portions.thin(settings.handle, sample.number, job.codes(sample.y), job.names)
    weight = None if sample.weight is None else sample.weight[place]
    return Sample(_take(sample.X, place), sample.y[place], weight, sample.number[place])


def keep(job: Job, X: Any, y: Any, weight: Any, first: int) -> Sample | None:
    """The rows of a partition that may decide the cuts."""
    if not len(X):
        return None
    number = np.arange(first, first + len(X), dtype=np.uint64)
    weight = None if weight is None else np.asarray(weight, np.float64)
    return _thin(job, Sample(X, np.asarray(vector(y)), weight, number))


def join(job: Job, parts: list[Sample | None]) -> Sample | None:
    """The rows of several partitions that may decide the cuts."""
    there = [part for part in parts if part is not None]
    if not there:
        return None
    weights = [part.weight for part in there if part.weight is not None]
    joined = Sample(
        _stack([part.X for part in there]),
        np.concatenate([part.y for part in there]),
        np.concatenate(weights) if weights else None,
        np.concatenate([part.number for part in there]),
    )
    return _thin(job, joined)


def decide_cuts(job: Job, sample: Sample) -> tuple[bytes, dict[str, Any]]:
    """The cuts, and the attributes that checking X and y leaves."""
    estimator = _learner(job.estimator)
    rows, y = estimator._check_training(sample.X, sample.y, reset=True)
    target = estimator._check_target(y, None)
    with job.settings() as settings, estimator._table(rows) as table:
        estimator._set_target(table, target)
        if sample.weight is not None:
            table.set_weights(sample.weight)
        estimator._set_class_weight(settings, table, target)
        _library.call("svf_settings_check", settings.handle, estimator._task)
        cuts = _portions.partition(settings.handle, table, sample.number, job.rows, 1)
    return cuts, _attributes(estimator)


def train(job: Job, X: list[Any], y: list[Any], weight: list[Any] | None) -> tuple[bytes, dict[str, Any]]:
    """The whole table in one task: partition_rows has all rows."""
    estimator = _learner(job.estimator)
    there = [i for i, part in enumerate(X) if len(part)]
    estimator.random_state, estimator.partition_rows = job.seed, None
    weights = None if weight is None else np.concatenate([np.asarray(weight[i], np.float64) for i in there])
    estimator.fit(_stack([X[i] for i in there]), np.concatenate([np.asarray(vector(y[i])) for i in there]), weights)
    return estimator.forest_.to_bytes(), _attributes(estimator)


def _learner(estimator: BaseForest) -> BaseForest:
    """A copy of its own, with one thread: dask runs as many tasks as a worker has threads."""
    made = type(estimator)(**estimator.get_params(deep=False))
    made.n_jobs = 1
    return made


def _attributes(estimator: BaseForest) -> dict[str, Any]:
    kept = ("classes_", "n_classes_", "n_features_in_", "feature_names_in_")
    return {name: value for name, value in vars(estimator).items() if name in kept}


def _chunk(job: Job, X: Any, y: Any, weight: Any) -> Table:
    """A partition as a table with its target; columns are in the order of the sample's."""
    rows = frame_rows(X)
    if rows is None:
        rows = Rows(_data.check_numbers(X, input_name="X"))
    rows.names = None
    table = Table(rows)
    y = np.asarray(vector(y))
    if job.classes is None:
        table.set_values(y)
    else:
        table.set_classes(job.codes(y), job.names)
    if weight is not None:
        table.set_weights(weight)
    return table


def route(job: Job, cuts: bytes, X: Any, y: Any, weight: Any, first: int, groups: list[tuple[int, int]]) -> Any:
    """How many rows go to each cell, how many categories are unknown, how many rows have a weight; and the rows of each group of
    cells."""
    opened = Portion.from_bytes(cuts)
    weight = None if weight is None else np.asarray(weight, np.float64)
    with _chunk(job, X, y, weight) as table:
        rows = _portions.route(opened, table, first, 1)
    pieces = [_portions.select(opened, rows, Cells(*group)).to_bytes() for group in groups]
    kept = len(X) if weight is None else int(np.count_nonzero(weight > 0))
    return (_portions.counts(opened, rows), int(rows.info.unseen), kept), pieces


def told_of(routed: Any) -> Any:
    return routed[0]


def piece_of(routed: Any, group: int) -> bytes:
    return routed[1][group]


def add_up(parts: list[Any]) -> Any:
    counts, unseen, kept = zip(*parts)
    return np.sum(counts, axis=0), sum(unseen), sum(kept)


def fit(cuts: bytes, pieces: list[bytes], group: tuple[int, int]) -> tuple[np.ndarray, bytes]:
    """The leaves of some cells, and how many rows each cell had."""
    opened = Portion.from_bytes(cuts)
    rows = [Portion.from_bytes(piece) for piece in pieces]
    found = np.sum([_portions.counts(opened, part) for part in rows], axis=0)
    return found, _portions.fit(opened, rows, Cells(*group), 1)


def merge(cuts: bytes, told: Any, fitted: list[tuple[np.ndarray, bytes]]) -> tuple[bytes, int]:
    """The model and the number of unknown categories, if no row was lost on its way."""
    counts, unseen, kept = told
    opened = Portion.from_bytes(cuts)
    check_counts(counts, np.concatenate([found for found, _ in fitted]), kept * opened.info.trees)
    leaves = [Portion.from_bytes(part) for _, part in fitted]
    return Forest(_portions.merge(opened, leaves)).to_bytes(), unseen


def check_counts(sent: np.ndarray, received: np.ndarray, all_rows: int) -> None:
    wrong = np.flatnonzero(sent != received)
    if len(wrong):
        cell = wrong[0]
        raise RuntimeError(
            f"{sent[cell]} rows were sent to cell {cell} and {received[cell]} came: partitions are not the same each time they "
            "are computed; persist() them first"
        )
    if int(sent.sum()) != all_rows:
        raise RuntimeError(f"the cells of all trees have {sent.sum()} rows, and should have {all_rows}")
