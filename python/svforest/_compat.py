"""What differs between the releases of scikit-learn that the package works with."""

from __future__ import annotations

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


def check_y(y: Any, numeric: bool) -> np.ndarray:
    y = validation._check_y(y, multi_output=False, y_numeric=numeric)
    return column_or_1d(y)
