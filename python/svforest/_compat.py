"""What differs between the releases of scikit-learn that the package works with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils import validation

_new = hasattr(validation, "validate_data")  # since 1.6


def validate(estimator: Any, X: Any, y: Any = None, *, reset: bool = True, numeric: bool = False, **options: Any) -> Any:
    """Checks X, and y if given, and remembers (reset) or compares number and names of the features."""
    if y is not None:
        options.update(y_numeric=numeric)
    y = "no_validation" if y is None else y
    if _new:
        return validation.validate_data(estimator, X, y, reset=reset, **options)
    return estimator._validate_data(X, y, reset=reset, **options)


def check_features(estimator: Any, X: Any, *, reset: bool) -> None:
    """Number and names of the features alone, of a frame that is no array of numbers."""
    if _new:
        validation._check_feature_names(estimator, X, reset=reset)
        validation._check_n_features(estimator, X, reset=reset)
        return
    estimator._check_feature_names(X, reset=reset)
    estimator._check_n_features(X, reset=reset)


def check_names(estimator: Any, names: list[str], *, reset: bool) -> None:
    """The same of a table whose names scikit-learn does not find, in its words."""
    if reset:
        estimator.feature_names_in_, estimator.n_features_in_ = np.array(names, dtype=object), len(names)
        return
    own = type(estimator).__name__
    if not hasattr(estimator, "feature_names_in_"):
        warnings.warn(f"X has feature names, but {own} was fitted without feature names")
        if len(names) != estimator.n_features_in_:
            raise ValueError(
                f"X has {len(names)} features, but {own} is expecting {estimator.n_features_in_} features as input."
            )
        return
    known = estimator.feature_names_in_.tolist()
    if names == known:
        return
    said = "The feature names should match those that were passed during fit.\n"
    strange, gone = sorted(set(names) - set(known)), sorted(set(known) - set(names))
    if strange:
        said += "Feature names unseen at fit time:\n" + "".join(f"- {name}\n" for name in strange[:5])
    if gone:
        said += "Feature names seen at fit time, yet now missing:\n" + "".join(f"- {name}\n" for name in gone[:5])
    raise ValueError(said if strange or gone else said + "Feature names must be in the same order as they were in fit.\n")


def check_y(y: Any, numeric: bool) -> np.ndarray:
    y = validation._check_y(y, multi_output=False, y_numeric=numeric)
    return column_or_1d(y)
