"""Training on tables larger than memory: `fit_from_disk`, the work of ``svforest train --from-disk``."""

from __future__ import annotations

import os
import sys
from ctypes import byref, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import compute_class_weight

from . import _library
from ._forest import Forest
from ._frame_source import Frames
from ._keywords import AS_METHOD
from ._labels import labels_of
from ._library import library, text_from
from ._run import remarks, running
from ._sources import Array, File, Source
from ._tables import METHODS, SETTINGS, Settings

_CLASS_WEIGHT = next(setting for setting in SETTINGS if setting.name == "class_weight")
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


def size_of(memory: int | str | None) -> int:
    """Bytes: a number, or text such as '500MB'; None: what the library takes."""
    if memory is None:
        return 0
    if isinstance(memory, str):
        number = memory.rstrip("bBkKmMgGtT ")
        unit = _UNITS.get(memory[len(number) :].strip().lower())
        try:
            memory = float(number) * unit if unit else 0
        except ValueError:
            memory = 0
    if not 1 <= memory < 1e15:
        raise ValueError("memory must be a size: bytes, or text such as '500MB' or '2GB'")
    return int(memory)


class FromDisk:
    """Mixed into every estimator."""

    def fit_from_disk(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        memory: int | str | None = None,
        scratch: str | os.PathLike[str] | None = None,
    ) -> Any:
        """Trains the forest on a table larger than memory, as ``svforest train --from-disk`` does.

        A sample of ``partition_rows`` rows, which must be set, decides the cuts; all rows train the leaves, by way of scratch files.
        The model has the bytes that `fit` gives for the whole table with the same ``partition_rows`` and ``random_state``, and
        for a path those of the command. `docs/scale.md` lists the methods that can be trained so.

        A call that was interrupted or failed leaves its scratch files. The same call, with the same ``random_state``, then continues.

        Parameters
        ----------
        X : path, array, iterable of frames, or function that returns one
            A path is a CSV, NPY or LIBSVM file, not gzipped. An array may be a `numpy.memmap`: it is read in blocks of rows. Frames
            (pandas, polars, Arrow, arrays) come one after the other, three times, so an iterator is not enough: give a
            function that makes it, such as ``lambda: pandas.read_csv("big.csv", chunksize=100_000)``, or something that
            can be iterated again, such as a list.
        y : str, int or array, optional
            Of a path or of frames, the name of the target's column; of a path also its number from 1, and by default the last
            column. For an array, the targets of its rows. If the target is no column of the frames, give pairs ``(X, y)`` or
            triples ``(X, y, sample_weight)`` instead of frames.
        sample_weight : str or array, optional
            In the same way, what each row counts.
        memory : int or str, optional
            Bytes to stay within, such as ``"500MB"``; by default a quarter of the machine's memory. The interpreter, the
            frames that an iterator makes, and the target of an array come on top.
        scratch : path, optional
            Folder in which the folder of scratch files is made. By default that of the file; arrays and frames that have
            no file need it.

        Returns
        -------
        self : the fitted estimator

        Examples
        --------
        >>> import tempfile
        >>> import numpy as np
        >>> from svforest import RFClassifier
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     X = np.lib.format.open_memmap(folder + "/X.npy", "w+", np.float32, (5000, 4))
        ...     X[:] = np.random.default_rng(0).normal(size=X.shape)
        ...     y = X[:, 0] + X[:, 1] > 0
        ...     model = RFClassifier(partition_rows=1000, random_state=0).fit_from_disk(X, y, memory="10MB")
        ...     bool(model.score(X, y) > 0.9)
        True
        """
        self._refuse_keywords_on_disk()
        learner = type(self)(**self.get_params(deep=False))  # type: ignore[attr-defined]
        for name in [name for name in vars(self) if name.endswith("_") and name not in self._defaults]:  # type: ignore
            delattr(self, name)
        with _source(X, y, sample_weight, learner) as source:
            folder = _folder(source.path, scratch)
            _train(learner, source, folder, size_of(memory))
        kept = {name: value for name, value in vars(learner).items() if name.endswith("_") and name not in self._defaults}  # type: ignore
        vars(self).update(kept)
        return self

    def _refuse_keywords_on_disk(self) -> None:
        name = self._method_name  # type: ignore[attr-defined]
        if METHODS[name].is_committee:
            raise ValueError(
                f"method={name!r} weights its members by their scores on held-out rows, which needs the whole table in memory: "
                "name a method that can be trained in parts, such as method='rsvt-full'"
            )
        for keyword in ("oob_score", "warm_start"):
            if getattr(self, keyword):
                raise ValueError(f"{keyword} needs all rows in memory: leave it out")
        if not isinstance(getattr(self, "partition_rows", None), (int, np.integer)):
            raise ValueError("say how many rows decide the cuts: partition_rows must be a number here, such as 100_000")


def _source(X: Any, y: Any, weight: Any, learner: Any) -> Source:
    kind = File if isinstance(X, (str, os.PathLike)) else Array if isinstance(X, np.ndarray) else Frames
    return kind(X, y, weight, learner)


def _folder(path: str | None, scratch: str | os.PathLike[str] | None) -> str:
    """Of the scratch files; the command makes the same for a model beside its table."""
    if path is None and scratch is None:
        raise ValueError("say where the scratch files may be: scratch must be a folder here")
    name = "table" if path is None else Path(path).name
    return os.path.join(os.fspath(scratch) if scratch is not None else str(Path(path or "").parent), f"{name}.svf.parts")


def _train(learner: Any, source: Source, folder: str, memory: int) -> None:
    """Makes an estimator fitted."""
    seed = learner._draw_seed()
    with Settings(learner._method_name) as settings:
        learner._configure(settings, (source.rows, source.features), seed)
        weights = _set_class_weight(learner, settings)
        _library.call("svf_settings_check", settings.handle, learner._task)
        prepare, tell = _prepare(source, weights), _library.Remark(lambda _, text: _tell(learner.verbose, text))
        options = _library.DiskOptions(
            folder=os.fsencode(folder),
            job="".join(f"{line}\n" for line in [*source.job, f"class_weight={weights}"]).encode(errors="surrogateescape"),
            memory=memory,
            prepare=prepare,
            tell=tell,
        )
        try:
            with remarks() as remark, running(learner.n_jobs, learner.verbose) as run:
                run.remark = remark
                made = _library.make(
                    "svf_train_from_disk", settings.handle, source.chunks, byref(options), byref(run)
                )
        except (ValueError, OSError, MemoryError):
            source.raise_own()
            raise
    learner.forest_, learner.seed_ = Forest(made), seed
    source.describe(learner)


def _set_class_weight(learner: Any, settings: Settings) -> dict[Any, float] | None:
    """Weights by class are set when the classes are known."""
    wanted = getattr(learner, "class_weight", AS_METHOD)
    if isinstance(wanted, str) and wanted == AS_METHOD:
        return None
    settings.set(_CLASS_WEIGHT, "given" if isinstance(wanted, dict) else wanted)
    return wanted if isinstance(wanted, dict) else None


def _prepare(source: Source, weights: dict[Any, float] | None) -> Any:
    def weigh(_: Any, table: int, said: Any) -> int:
        if weights is None:
            return _library.OK
        return source.guarded(said, lambda: _weigh(source, weights, c_void_p(table)))

    return _library.Prepare(weigh)


def _weigh(source: Source, weights: dict[Any, float], table: c_void_p) -> None:
    names = [text_from(library.svf_table_class_name(table, c)) for c in range(library.svf_table_classes(table))]
    classes = labels_of(names) if source.classes is None else source.classes
    each = np.ascontiguousarray(compute_class_weight(weights, classes=classes, y=classes), np.float64)
    _library.call("svf_table_set_class_weights", table, each.ctypes.data)


def _tell(verbose: int, text: bytes) -> None:
    if verbose:
        sys.stderr.write(text.decode(errors="replace") + "\n")
