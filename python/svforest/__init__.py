"""Forests whose leaves are support vector machines, as scikit-learn estimators.

>>> import svforest
>>> from sklearn.datasets import load_wine
>>> X, y = load_wine(return_X_y=True)
>>> model = svforest.RSVTClassifier(random_state=0).fit(X, y)
>>> model.score(X, y) > 0.9
True

`SVForestClassifier` and `SVForestRegressor` take any method and every setting; a class per method, `RSVTClassifier`,
`RFRegressor` and so on, has the settings that the method reads, with its defaults. `methods` and `settings` list what
there is.
"""

from __future__ import annotations

import os
from typing import Any

from ._classes import PUBLIC as _public
from ._compare import compare
from ._estimator import _load
from ._export import export
from ._library import CLASS as _class_task
from ._library import library as _c
from ._run import TableWarning
from ._tables import KINDS as kinds
from ._tables import METHODS as methods
from ._tables import SETTINGS as settings
from ._tune import tune

__version__: str = _c.svf_version().decode()

globals().update(_public)


def __getattr__(name: str) -> Any:
    """The plots, and what they need, are imported when they are wanted."""
    if name != "plot":
        raise AttributeError(f"module 'svforest' has no attribute {name!r}")
    import importlib

    return importlib.import_module("svforest.plot")


__all__ = [*_public, "TableWarning", "load", "compare", "tune", "export", "plot", "methods", "settings", "kinds"]


def __dir__() -> list[str]:
    return sorted([*__all__, "__all__", "__doc__", "__version__"])


def load(path: str | os.PathLike[str]) -> Any:
    """Reads a model file, written here or by the command, as the estimator that it is.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    estimator : SVForestClassifier or SVForestRegressor

    Examples
    --------
    >>> import svforest, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = svforest.RFClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/iris.svf")
    ...     again = svforest.load(folder + "/iris.svf")
    >>> bool((again.predict_proba(X) == model.predict_proba(X)).all())
    True
    """
    forest = _load(path)
    name = "SVForestClassifier" if forest.info.task == _class_task else "SVForestRegressor"
    return _public[name]._of_forest(forest)
