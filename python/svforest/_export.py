"""Models for other programs: `export`, which compares what it made with the model before it writes."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _library
from ._data import Rows, Table
from ._forest import Forest
from ._image import LEFT_OUT, Image
from ._onnx_encode import Inputs

_ROWS, _CLOSE = 1000, 1e-6
_UNSEEN = "no category of the training table"


@dataclass(frozen=True)
class Exported:
    """What `export` wrote, and how it compared: the largest difference is in units of the range of the answers."""

    path: str
    rows: int
    largest_difference: float


def export(model: Any, path: str | os.PathLike[str], format: str = "onnx", *, force: bool = False) -> Exported:
    """Writes a model as an ONNX file, for programs that have onnxruntime and not svforest.

    The model must have constant or linear leaves, and so must every member of a committee. Encoding, missing values and
    categories are in the file. Before it is written, it answers 1000 rows in onnxruntime, some with values at the thresholds of
    cuts, missing values and unknown categories; if an answer differs from that of `predict`, nothing is written.
    ``pip install svforest[onnx]`` has what this needs. The command ``svforest export`` writes C.

    Parameters
    ----------
    model : fitted estimator
    path : str or path
        The file appears under its name when it is complete.
    format : {'onnx'}
    force : bool, default=False
        Replace a file that exists.

    Returns
    -------
    exported : Exported
        ``path``, ``rows`` that were compared and the ``largest_difference``, a share of the range of the answers.

    Raises
    ------
    ValueError
        The model has no form in ONNX; the message says why.
    """
    if format != "onnx":
        hint = "; the command 'svforest export' writes C" if format == "c" else ""
        raise ValueError(f"format={format!r}: must be 'onnx'{hint}")
    check_is_fitted(model, "forest_")
    path = os.fspath(path)
    if os.path.exists(path) and not force:
        raise FileExistsError(f"{path} exists; name another file, or replace it with force=True")
    labels = model.classes_ if model.forest_.classes else None
    made = _build(model.forest_, labels)
    rows, difference = _compare(model.forest_, labels, made)
    _write(path, made.SerializeToString())
    return Exported(path, rows, difference)


def _build(forest: Forest, labels: np.ndarray | None) -> Any:
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as error:
        raise ImportError(f"export needs onnx and onnxruntime ({error}): pip install 'svforest[onnx]'") from None
    from ._onnx import build

    try:
        return build(forest.to_bytes(), labels, _library.library.svf_version().decode())
    except ValueError as error:
        raise ValueError(f"this model cannot be exported to ONNX: {error}") from None


def _write(path: str, data: bytes) -> None:
    """Under its name when it is complete."""
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=os.path.basename(path) + ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


# ---- the comparison ----


class _Drawn:
    """Rows around the middle of the columns, a third of their values at thresholds of cuts, some missing or unknown."""

    def __init__(self, image: Image) -> None:
        self.random, self.members = np.random.default_rng(0), [member for member, _ in image.members()]
        first = self.members[0]
        self.inputs = Inputs.of(first)
        self.columns: list[Any] = [np.full(_ROWS, np.nan) for _ in first.FEAT]
        self.texts: list[np.ndarray] = []
        for j in self.inputs.numbers:
            self.columns[j] = self._number(j)
        for j in self.inputs.categories:
            levels = first.levels(first.FEAT[j])
            codes = self.random.integers(-1, len(levels) + 1, _ROWS)
            self.columns[j] = codes.astype(np.int32), [*levels, _UNSEEN]
            self.texts.append(np.array([*levels, _UNSEEN, ""], object)[codes])
        for j, feature in enumerate(first.FEAT):
            if first.COLS["level"][feature["first"]] == LEFT_OUT:
                self.columns[j] = np.full(_ROWS, -1, np.int32), [_UNSEEN]

    def _number(self, j: int) -> np.ndarray:
        column = self.members[0].FEAT["first"][j]
        middle, spread = self._decoded(self.members[0], column, self.members[0].COLS["fill"][column]), 1.0
        scale = float(self.members[0].COLS["scale"][column])
        if scale > 0:
            spread = 1 / scale
        value = middle + spread * self.random.normal(size=_ROWS) * self.random.choice([0.3, 1, 3], _ROWS)
        thresholds = np.concatenate([self._thresholds(member, j) for member in self.members])
        if len(thresholds):
            at = self.random.random(_ROWS) < 1 / 3
            value[at] = self.random.choice(thresholds, at.sum())
        value[self.random.random(_ROWS) < 0.05] = np.nan
        return value

    @staticmethod
    def _decoded(image: Image, column: int, encoded: Any) -> Any:
        shift, scale = float(image.COLS["shift"][column]), float(image.COLS["scale"][column])
        return shift + np.asarray(encoded, float) / (scale if scale > 0 else 1)

    def _thresholds(self, image: Image, j: int) -> np.ndarray:
        column, node = image.FEAT["first"][j], image.NODE
        along = (node["right"] > 0) & (node["count"] < 2) & (node["first"] == column)
        return self._decoded(image, column, node["threshold"][along])


def _compare(forest: Forest, labels: np.ndarray | None, made: Any) -> tuple[int, float]:
    """ValueError: an answer differs."""
    import onnxruntime

    from ._onnx import names_of

    image = Image(forest.to_bytes())
    drawn = _Drawn(image)
    classes = forest.classes > 0
    with Table(Rows(columns=drawn.columns, count=_ROWS)) as table:
        value, *shares, _ = forest.predict(table, _ROWS, None, "values", *(["probabilities"] if classes else []))
    given: dict[str, Any] = {}
    if drawn.inputs.numbers:
        given["X"] = np.stack([drawn.columns[j] for j in drawn.inputs.numbers], axis=1)
    if drawn.inputs.categories:
        given["categories"] = np.stack(drawn.texts, axis=1)
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    said = session.run(None, given)
    wanted, got = (shares[0], said[1]) if classes else (value, said[0])
    span = 1.0 if classes else float(np.ptp(wanted)) or float(np.abs(wanted).max()) or 1.0
    difference = float(np.abs(got - wanted).max()) / span
    if not difference <= _CLOSE:
        raise ValueError(f"this model cannot be exported to ONNX: answers differ from predict's by {difference:.1e} of their range")
    if classes:
        _compare_labels(said[0], names_of(labels)[value.astype(int)], wanted)
    return _ROWS, difference


def _compare_labels(said: np.ndarray, wanted: np.ndarray, shares: np.ndarray) -> None:
    """Where the two most probable classes are equally so, either is right."""
    two = np.sort(shares, axis=1)[:, -2:]
    if ((said != wanted) & (two[:, -1] - two[:, 0] > _CLOSE)).any():
        raise ValueError("this model cannot be exported to ONNX: it gives other classes than predict")
