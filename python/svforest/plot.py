"""Pictures of forests and of what they say. Every function takes an axis (None: a new one) and returns it.

Needs matplotlib: ``pip install svforest[plot]``.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import confusion_matrix as _confusion_matrix
from sklearn.utils.validation import check_is_fitted

try:
    from matplotlib import pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.colors import ListedColormap
except ImportError as error:  # pragma: no cover
    raise ImportError("svforest.plot needs matplotlib: pip install matplotlib") from error

from ._drawing import COLORS, DARK, LIGHT, Drawing, shown
from ._explained_plots import draw_summary, draw_waterfall

__all__ = [
    "decision_regions",
    "error_by_trees",
    "error_by_depth",
    "confusion_matrix",
    "importance",
    "metric",
    "tree",
    "regression_fit",
    "waterfall",
    "summary",
]


def _axis(ax: Axes | None) -> Axes:
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _colors(count: int) -> list[Any]:
    return COLORS[:count] if count <= len(COLORS) else list(plt.get_cmap("turbo")(np.linspace(0, 1, count)))


def _tidy(ax: Axes) -> Axes:
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _feature_names(model: Any) -> list[str]:
    return [shown(name) for name in model.forest_.feature_names()]


def decision_regions(model: Any, X: Any, y: Any = None, *, tree: int | None = 0, ax: Any = None, resolution: int = 300) -> Axes:
    """Which class the forest gives where, for two features, with the cells of one of its trees.

    Parameters
    ----------
    model : fitted classifier of two features
    X : array of shape (n_samples, 2)
        Its range is shown, and its rows as points.
    y : array of shape (n_samples,), optional
        Their classes.
    tree : int or None
        The tree whose cells are drawn; None: no cells.
    ax : matplotlib axis, optional
    resolution : int
        Points of the grid along each side.

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> from svforest import RSVTFullClassifier, plot
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> ax = plot.decision_regions(RSVTFullClassifier(random_state=0).fit(X, y), X, y)
    """
    check_is_fitted(model, "forest_")
    points = np.asarray(X, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or model.n_features_in_ != 2:
        raise ValueError("decision regions are drawn for two features")
    ax = _axis(ax)
    low, high = points.min(axis=0), points.max(axis=0)
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    sides = [np.linspace(low[j], high[j], resolution) for j in range(2)]
    grid = np.column_stack([side.ravel() for side in np.meshgrid(*sides)])
    asked = _like(X, grid)
    colors = _colors(len(model.classes_))
    code = np.searchsorted(model.classes_, model.predict(asked)).reshape(resolution, resolution)
    extent = (low[0], high[0], low[1], high[1])
    options = {"cmap": ListedColormap(colors), "vmin": -0.5, "vmax": len(colors) - 0.5, "aspect": "auto"}
    ax.imshow(code, origin="lower", extent=extent, alpha=0.3, interpolation="nearest", **options)
    if tree is not None:
        _draw_cells(ax, model.apply(asked)[:, tree].reshape(resolution, resolution), sides)
    if y is not None:
        for c, label in enumerate(model.classes_):
            here = np.asarray(y) == label
            ax.scatter(*points[here].T, s=12, color=colors[c], edgecolor="white", linewidth=0.4, label=shown(label))
        ax.legend(title="class", frameon=True, loc="best")
    names = _feature_names(model)
    ax.set(xlabel=names[0], ylabel=names[1], xlim=extent[:2], ylim=extent[2:])
    return ax


def _like(X: Any, grid: np.ndarray) -> Any:
    """The grid as a frame where X is one."""
    if hasattr(X, "from_pydict"):  # a table or a record batch of pyarrow, whose columns are arrays
        return type(X).from_pydict(dict(zip(X.schema.names, grid.T)))
    return type(X)(dict(zip(X.columns, grid.T))) if hasattr(X, "columns") else grid


def _draw_cells(ax: Axes, leaf: np.ndarray, sides: list[np.ndarray]) -> None:
    """Lines where the leaf changes: a contour around each."""
    for number in np.unique(leaf):
        if (leaf == number).all():
            continue
        ax.contour(*sides, (leaf == number).astype(float), levels=[0.5], colors=DARK, linewidths=0.7)


def error_by_trees(model: Any, X: Any, y: Any, *, ax: Any = None, label: str | None = None) -> Axes:
    """The error of the first 1, 2, ... trees: share of wrong classes, or mean squared error.

    Parameters
    ----------
    model : fitted estimator
    X, y : rows that are best not those it was trained on
    ax : matplotlib axis, optional
        Several models may share one.
    label : str, optional
        Name in the legend.

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> from svforest import RFRegressor, plot
    >>> from sklearn.datasets import make_friedman1
    >>> X, y = make_friedman1(300, random_state=0)
    >>> ax = plot.error_by_trees(RFRegressor(random_state=0).fit(X[:200], y[:200]), X[200:], y[200:])
    """
    ax = _axis(ax)
    errors = [_error(model, np.asarray(y), said) for said in model.staged_predict(X)]
    ax.plot(np.arange(1, len(errors) + 1), errors, label=label, color=_next_color(ax), linewidth=1.6)
    ax.set(xlabel="trees", ylabel=_error_name(model))
    if label:
        ax.legend(frameon=False)
    return _tidy(ax)


def error_by_depth(model: Any, X: Any, y: Any, X_test: Any, y_test: Any, *, depths: Sequence[int] = range(1, 11), ax: Any = None) -> Axes:
    """The error of trees of bounded depth, on the training rows and on others; trains once for each depth.

    Parameters
    ----------
    model : estimator with ``max_depth``
        A copy is trained.
    X, y, X_test, y_test : rows to train on, and others
    depths : sequence of int
    ax : matplotlib axis, optional

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> from svforest import RFClassifier, plot
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(400, noise=0.3, random_state=0)
    >>> model = RFClassifier(n_estimators=20, random_state=0)
    >>> ax = plot.error_by_depth(model, X[:200], y[:200], X[200:], y[200:], depths=[1, 2, 4, 8])
    """
    ax = _axis(ax)
    own, other = [], []
    for depth in depths:
        grown = clone(model).set_params(max_depth=int(depth)).fit(X, y)
        own.append(_error(grown, np.asarray(y), grown.predict(X)))
        other.append(_error(grown, np.asarray(y_test), grown.predict(X_test)))
    ax.plot(depths, own, label="training rows", color=LIGHT, linewidth=1.6, marker="o", markersize=4)
    ax.plot(depths, other, label="other rows", color=COLORS[0], linewidth=1.6, marker="o", markersize=4)
    ax.set(xlabel="deepest leaf", ylabel=_error_name(model))
    ax.legend(frameon=False)
    return _tidy(ax)


def _next_color(ax: Axes) -> str:
    return COLORS[len(ax.get_lines()) % len(COLORS)]


def _error(model: Any, y: np.ndarray, said: np.ndarray) -> float:
    return float(np.mean(y != said)) if is_classifier(model) else float(np.mean((y - said) ** 2))


def _error_name(model: Any) -> str:
    return "share of wrong classes" if is_classifier(model) else "mean squared error"


def confusion_matrix(model: Any, X: Any, y: Any, *, ax: Any = None, normalize: bool = False) -> Axes:
    """How often each class was taken for each.

    Parameters
    ----------
    model : fitted classifier
    X, y : rows and their classes
    ax : matplotlib axis, optional
    normalize : bool
        Shares of each true class instead of counts.

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> from svforest import RSVTClassifier, plot
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = plot.confusion_matrix(RSVTClassifier(random_state=0).fit(X, y), X, y)
    """
    ax = _axis(ax)
    counts = _confusion_matrix(y, model.predict(X), labels=model.classes_)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(share, cmap="Blues", vmin=0, vmax=1)
    for (i, j), count in np.ndenumerate(counts):
        text = f"{share[i, j]:.2f}" if normalize else str(count)
        ax.text(j, i, text, ha="center", va="center", color="white" if share[i, j] > 0.5 else DARK)
    ticks = np.arange(len(model.classes_))
    ax.set(xlabel="predicted", ylabel="true")
    ax.set_xticks(ticks, [shown(label) for label in model.classes_])
    ax.set_yticks(ticks, [shown(label) for label in model.classes_])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def importance(model: Any, *, most: int = 20, ax: Any = None) -> Axes:
    """What the model owes to each feature: by the gain of cuts, and by the weights of the leaf machines.

    Parameters
    ----------
    model : fitted estimator
    most : int
        Features shown, the most important first.
    ax : matplotlib axis, optional

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> from svforest import RSVTFullClassifier, plot
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ax = plot.importance(RSVTFullClassifier(random_state=0).fit(X, y))
    """
    check_is_fitted(model, "forest_")
    ax = _axis(ax)
    kinds = {"gain of cuts": None, "weights in leaves": None}
    kinds = {name: values for name, values in zip(kinds, model.forest_.importances()) if values.any()}
    order = np.argsort(-np.asarray(model.feature_importances_), kind="stable")[:most]
    names, height = _feature_names(model), 0.8 / max(len(kinds), 1)
    for i, (name, values) in enumerate(kinds.items()):
        place = np.arange(len(order)) + (i - (len(kinds) - 1) / 2) * height
        ax.barh(place, values[order], height=0.9 * height, label=name, color=COLORS[i])
    ax.set_yticks(np.arange(len(order)), [names[j] for j in order])
    ax.invert_yaxis()
    ax.set_xlabel("importance")
    if kinds:
        ax.legend(frameon=False)
    return _tidy(ax)


def metric(model: Any, *, most: int = 20, ax: Any = None) -> Axes:
    """What each feature weighs in the metric that the leaf machines learned.

    Parameters
    ----------
    model : fitted estimator with a learned metric
    most : int
        Features shown, the heaviest first.
    ax : matplotlib axis, optional

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> from svforest import LSSVMRegressor, plot
    >>> from sklearn.datasets import make_friedman1
    >>> X, y = make_friedman1(200, random_state=0)
    >>> ax = plot.metric(LSSVMRegressor(metric="diagonal", random_state=0).fit(X, y))
    """
    check_is_fitted(model, "forest_")
    weight = model.metric_weights_
    if weight is None:
        raise ValueError("the model has no learned metric: train MetricForestRegressor, or set metric='auto'")
    ax = _axis(ax)
    order, names = np.argsort(-weight, kind="stable")[:most], _feature_names(model)
    ax.barh(np.arange(len(order)), weight[order], color=COLORS[0])
    ax.set_yticks(np.arange(len(order)), [names[j] for j in order])
    ax.invert_yaxis()
    settings = model.settings_
    ax.set_xlabel(f"weight in the metric ({settings['kernel']}, {settings['metric']})")
    return _tidy(ax)


def tree(model: Any, number: int = 0, *, max_depth: int = 3, ax: Any = None) -> Axes:
    """A tree as a drawing: its cuts, and what its leaves hold.

    Parameters
    ----------
    model : fitted estimator
    number : int
        Which tree.
    max_depth : int
        Deeper nodes are left out; "..." stands for them.
    ax : matplotlib axis, optional

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> from svforest import RSVTFullClassifier, plot
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = plot.tree(RSVTFullClassifier(random_state=0).fit(X, y))
    """
    check_is_fitted(model, "forest_")
    if ax is None:
        ax = plt.subplots(figsize=(11, 2 + 1.5 * max_depth), layout="constrained")[1]
    drawing = Drawing(model, number, max_depth)
    drawing.place(0, 0)
    drawing.draw(ax)
    return ax


def regression_fit(model: Any, X: Any, y: Any, *, feature: int = 0, interval: float = 0.9, ax: Any = None) -> Axes:
    """Predictions along one feature, the others at their medians, with the interval that holds a share of the trees.

    Parameters
    ----------
    model : fitted regressor
    X : array of shape (n_samples, n_features)
        Its rows are shown as points.
    y : array of shape (n_samples,)
    feature : int
    interval : float
        The share of the trees. It tells how much the trees differ, and not where a new y will lie.
    ax : matplotlib axis, optional

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> import numpy as np
    >>> from svforest import RFRegressor, plot
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(200, 1))
    >>> y = np.sin(X[:, 0]) + np.random.default_rng(1).normal(scale=0.2, size=200)
    >>> ax = plot.regression_fit(RFRegressor(min_samples_leaf=5, random_state=0).fit(X, y), X, y)
    """
    check_is_fitted(model, "forest_")
    if is_classifier(model):
        raise ValueError("regression_fit is for regressors; see decision_regions")
    if not 0 < interval < 1:
        raise ValueError(f"interval={interval}: must lie between 0 and 1")
    ax = _axis(ax)
    points = np.asarray(X, dtype=float)
    line = np.repeat(np.nanmedian(points, axis=0)[None], 400, axis=0)
    line[:, feature] = np.linspace(np.nanmin(points[:, feature]), np.nanmax(points[:, feature]), 400)
    asked = _like(X, line)
    ends = np.quantile(model.predict_trees(asked), [(1 - interval) / 2, (1 + interval) / 2], axis=1)
    ax.scatter(points[:, feature], y, s=10, color=LIGHT, label="rows")
    ax.fill_between(line[:, feature], *ends, color=COLORS[0], alpha=0.2, linewidth=0, label=f"{interval:.0%} of the trees")
    ax.plot(line[:, feature], model.predict(asked), color=COLORS[0], linewidth=1.8, label="forest")
    ax.set(xlabel=_feature_names(model)[feature], ylabel="value")
    ax.legend(frameon=False)
    return _tidy(ax)


def waterfall(explanation: Any, row: int = 0, *, output: Any = None, most: int = 10, ax: Any = None) -> Axes:
    """How the contributions of features lead from the base to the answer to one row, the largest at the top.

    Parameters
    ----------
    explanation : what `explain` returns
    row : int
    output : int or str, optional
        The class, by position or name; of two classes the second is the default.
    most : int
        Lines; the last one is the sum of the features that are not shown.
    ax : matplotlib axis, optional

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> from svforest import RFRegressor, plot
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = RFRegressor(n_estimators=20, random_state=0).fit(X, y)
    >>> ax = plot.waterfall(model.explain(X[:3], background=X[::8]), row=2)
    """
    if most < 1:
        raise ValueError(f"most={most}: must be 1 or more")
    ax = _axis(ax)
    draw_waterfall(ax, explanation, row, output, most)
    return _tidy(ax)


def summary(explanation: Any, *, output: Any = None, most: int = 20, ax: Any = None) -> Axes:
    """What each feature adds to the answers to many rows: a point per row, its colour the value of the feature.

    Parameters
    ----------
    explanation : what `explain` returns
    output : int or str, optional
        The class, by position or name; of two classes the second is the default.
    most : int
        Features shown, those with the largest mean contribution in size first.
    ax : matplotlib axis, optional

    Returns
    -------
    ax : matplotlib axis

    Examples
    --------
    >>> from svforest import RFClassifier, plot
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RFClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> ax = plot.summary(model.explain(X, background=X[::5]), output="2")
    """
    ax = _axis(ax)
    draw_summary(ax, explanation, output, most)
    return _tidy(ax)
