"""Every plot draws what it says, on the axis it was given."""

import numpy as np
import pytest

import svforest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot as plt

from svforest import RFClassifier, RFRegressor, RSVTFullClassifier, plot


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def plane():
    X = np.random.default_rng(0).normal(size=(200, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


def test_all_are_tested():
    assert set(plot.__all__) == {name[5:] for name in globals() if name.startswith("test_")} - {"all_are_tested"}
    assert svforest.plot is plot


def test_decision_regions(plane):
    X, y = plane
    model = RSVTFullClassifier(n_estimators=5, random_state=0).fit(X, y)
    ax = plt.subplots()[1]
    assert plot.decision_regions(model, X, y, ax=ax, resolution=50) is ax
    shown = ax.images[0].get_array()
    assert set(np.unique(shown)) == {0, 1} and len(ax.collections) > 2
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["other", "same"]
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["left", "up"])
    ax = plot.decision_regions(RSVTFullClassifier(n_estimators=2).fit(frame, y), frame, y, tree=None, resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("left", "up")
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"left": X[:, 0], "up": X[:, 1]})
    plot.decision_regions(RSVTFullClassifier(n_estimators=2).fit(table, y), table, y, resolution=20)
    with pytest.raises(ValueError, match="two features"):
        plot.decision_regions(model, np.zeros((3, 3)))


def test_error_by_trees(plane, numbers):
    X, y = plane
    model = RFClassifier(n_estimators=7, random_state=0).fit(X[:100], y[:100])
    ax = plot.error_by_trees(model, X[100:], y[100:], label="rf")
    line = ax.get_lines()[0].get_ydata()
    assert len(line) == 7 and line[-1] == pytest.approx(1 - model.score(X[100:], y[100:]))
    model = RFRegressor(n_estimators=4, random_state=0).fit(*numbers)
    line = plot.error_by_trees(model, *numbers).get_lines()[0].get_ydata()
    assert line[-1] == pytest.approx(np.mean((model.predict(numbers[0]) - numbers[1]) ** 2))


def test_error_by_depth(plane):
    X, y = plane
    model = RFClassifier(n_estimators=5, max_features="all", random_state=0)
    ax = plot.error_by_depth(model, X[:100], y[:100], X[100:], y[100:], depths=[1, 3, 6])
    own, other = (line.get_ydata() for line in ax.get_lines())
    assert own[0] > own[-1] and len(other) == 3 and not hasattr(model, "forest_")


def test_confusion_matrix(plane):
    X, y = plane
    model = RFClassifier(n_estimators=2, max_depth=1, random_state=0).fit(X, y)
    ax = plot.confusion_matrix(model, X, y)
    counts = [int(text.get_text()) for text in ax.texts]
    assert sum(counts) == 200 and counts[0] + counts[3] == round(200 * model.score(X, y))
    shares = [float(text.get_text()) for text in plot.confusion_matrix(model, X, y, normalize=True).texts]
    assert sum(shares) == pytest.approx(2, abs=0.02)


def test_importance(numbers):
    pd = pytest.importorskip("pandas")
    X, y = numbers
    frame = pd.DataFrame(X, columns=list("abcde"))
    ax = plot.importance(RFRegressor(n_estimators=5, random_state=0).fit(frame, y), most=3)
    assert {t.get_text() for t in ax.get_yticklabels()} == set("abc") and len(ax.patches) == 3
    ax = plot.importance(RSVTFullClassifier(n_estimators=3, random_state=0).fit(frame, y > 8))
    assert len(ax.patches) == 10  # cuts and leaves


def test_metric():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (150, 6))
    y = np.sin(3 * X[:, 4]) + X[:, 1] ** 2
    model = svforest.LSSVMRegressor(metric="full", metric_rounds=2, kernel="laplace", random_state=0).fit(X, y)
    weight = model.metric_weights_
    assert weight.shape == (6,) and weight.sum() == pytest.approx(1) and set(np.argsort(weight)[-2:]) == {1, 4}
    ax = plot.metric(model, most=2)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["x5", "x2"] and "laplace" in ax.get_xlabel()
    own = svforest.XRFMRegressor(cell_rows=80, random_state=0).fit(X, y)  # two leaves, each with a metric of its own
    weight = own.metric_weights_
    assert weight.sum() == pytest.approx(1) and set(np.argsort(weight)[-2:]) == {1, 4}
    plain = svforest.LSSVMRegressor(random_state=0).fit(X, y)
    assert plain.metric_weights_ is None
    with pytest.raises(ValueError, match="no learned metric"):
        plot.metric(plain)


def test_tree(plane):
    X, y = plane
    model = RFClassifier(n_estimators=2, max_features="all", random_state=0).fit(X, y)
    ax = plot.tree(model, 1, max_depth=2)
    boxes = [text.get_text() for text in ax.texts if text.get_text() not in ("yes", "no")]
    root = model.forest_.nodes(1)[0]
    column = model.forest_.encoded()[root.columns[0]]
    bound = root.threshold / root.weights[0] / column.scale + column.shift
    assert f"x{column.feature + 1}\n< {bound:.4g}" in boxes
    goes_left = model.apply(X)[:, 1] < 10**9
    left = X[:, column.feature] < bound
    assert len(boxes) <= 7 and goes_left.all() and 0 < left.sum() < 200
    assert any("rows" in box or box == "..." for box in boxes)
    plot.tree(svforest.CCFClassifier(n_estimators=1, random_state=0).fit(X, y))
    plot.tree(svforest.LinearSVMClassifier().fit(X, y))


def test_regression_fit(numbers):
    X, y = numbers
    model = RFRegressor(n_estimators=8, random_state=0).fit(X, y)
    ax = plot.regression_fit(model, X, y, feature=2)
    line = ax.get_lines()[0]
    at = np.median(X, axis=0)[None].repeat(2, 0)
    at[:, 2] = line.get_xdata()[[0, -1]]
    np.testing.assert_allclose(line.get_ydata()[[0, -1]], model.predict(at))
    with pytest.raises(ValueError, match="interval"):
        plot.regression_fit(model, X, y, interval=90)


def test_waterfall(numbers):
    X, y = numbers
    model = RFRegressor(n_estimators=5, random_state=0).fit(X, y)
    explained = model.explain(X[:3], X[:20])
    ax = plot.waterfall(explained, 1)
    assert len(ax.patches) == 5 and sum(bar.get_width() for bar in ax.patches) == pytest.approx(explained.values[1].sum())
    largest = np.abs(explained.values[1]).argmax()
    assert ax.get_yticklabels()[0].get_text() == f"x{largest + 1} = {X[1, largest]:.4g}"
    ax = plot.waterfall(explained, 1, most=3, ax=plt.subplots()[1])
    assert [label.get_text() for label in ax.get_yticklabels()][2] == "3 others"
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(explained.values[1].sum())
    with pytest.raises(ValueError, match="1 or more"):
        plot.waterfall(explained, most=0)


def test_summary(plane, classes):
    X, y = plane
    explained = RFClassifier(n_estimators=5, random_state=0).fit(X, y).explain(X[:50], X[100:110])
    ax = plot.summary(explained)
    assert {label.get_text() for label in ax.get_yticklabels()} == {"x1", "x2"}
    points = np.concatenate([c.get_offsets()[:, 0] for c in ax.collections])
    assert sorted(points) == pytest.approx(sorted(explained.values[:, :, 1].ravel()))
    assert plot.summary(explained, output="other", most=1, ax=plt.subplots()[1]).get_yticklabels()
    explained = RFClassifier(n_estimators=2, random_state=0).fit(*classes).explain(classes[0][:5], classes[0][:9])
    with pytest.raises(ValueError, match="3 outputs"):
        plot.summary(explained)
    with pytest.raises(ValueError, match="must be one of"):
        plot.summary(explained, output="3")
