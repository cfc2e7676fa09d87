"""Explanations: what the command writes, sums, shapes, categories, and agreement with shap where it is installed."""

import os

import numpy as np
import pytest

from svforest import (
    AutoClassifier,
    BoostClassifier,
    CCFClassifier,
    ETRegressor,
    RFClassifier,
    RFRegressor,
    TBRFLRegressor,
)

LONG = os.environ.get("SVFOREST_TESTS") == "long"


def adds_up(explained, answer):
    total = explained.base_values + explained.values.sum(axis=1)
    assert np.abs(total - answer).max() <= 1e-12 * max(1, np.abs(answer).max())
    assert explained.error_std.shape == explained.values.shape


def test_numbers(numbers):
    X, y = numbers
    for model in (RFRegressor(n_estimators=10), ETRegressor(n_estimators=5), TBRFLRegressor(n_estimators=2)):
        model.set_params(random_state=0, background=20).fit(X, y)
        explained = model.explain(X[:30])
        assert explained.values.shape == (30, 5) and (explained.data == X[:30]).all()
        assert explained.feature_names == ["x1", "x2", "x3", "x4", "x5"] and not explained.error_std.any()
        adds_up(explained, model.predict(X[:30]))
        assert np.abs(explained.values[:, 3:]).mean() < np.abs(explained.values[:, :3]).mean()


def test_classes(classes):
    X, y = classes
    model = RFClassifier(n_estimators=10, random_state=0).fit(X, y)
    explained = model.explain(X[:20], X[100:130])
    assert explained.values.shape == (20, 5, 3) and explained.output_names == ["0", "1", "2"]
    adds_up(explained, model.predict_proba(X[:20]))
    p = np.clip(model.predict_proba(X[:20]), 1e-6, 1 - 1e-6)
    adds_up(model.explain(X[:20], X[100:105], of="log-odds"), np.log(p / (1 - p)))
    boosted = BoostClassifier(n_estimators=20, random_state=0).fit(X, y)
    adds_up(boosted.explain(X[:20], X[100:130], of="margin"), boosted.decision_function(X[:20]))
    committee = AutoClassifier(effort=1, background=5, random_state=0).fit(X, y)
    adds_up(committee.explain(X[:3]), committee.predict_proba(X[:3]))


def test_sampling():
    X = np.random.default_rng(0).normal(size=(150, 9))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    model = CCFClassifier(n_estimators=5, random_state=0).fit(X, y)
    few, many = (model.explain(X[:3], X[50:54], permutations=n) for n in (4, 64))
    assert 0 < many.error_std.max() < few.error_std.max()
    adds_up(few, model.predict_proba(X[:3]))
    again = model.explain(X[:3], X[50:54], permutations=4)
    assert (again.values == few.values).all()
    assert (model.explain(X[:3], X[50:54], permutations=4, random_state=1).values != few.values).any()


def test_frames_and_the_command(command, tmp_path):
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    X = pd.DataFrame({"size": random.normal(size=80), "colour": random.choice(["red", "blue", "green"], 80)})
    X.loc[3, "colour"] = None
    y = np.where((X["size"] > 0) & (X["colour"] == "red"), "yes", "no")
    model = RFClassifier(n_estimators=5, background=10, random_state=0).fit(X, y)
    explained = model.explain(X[:6])
    assert explained.feature_names == ["size", "colour"] and explained.display_data[0][1] == X["colour"][0]
    assert np.isnan(explained.data[3, 1])
    adds_up(explained, model.predict_proba(X[:6]))
    model.save(tmp_path / "model.svf")
    X[:6].to_csv(tmp_path / "rows.csv", index=False)
    lines = command("explain", tmp_path / "model.svf", tmp_path / "rows.csv").splitlines()
    assert lines[0] == "base,size,colour"
    said = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    assert (said[:, 1:] == explained.values[:, :, 1]).all() and (said[:, 0] == explained.base_values[:, 1]).all()


def test_refusals(numbers, classes):
    model = RFRegressor(n_estimators=2).fit(*numbers)
    with pytest.raises(ValueError, match="background"):
        model.explain(numbers[0][:2])
    with pytest.raises(ValueError, match="must be one of"):
        model.explain(numbers[0][:2], numbers[0], of="probability")
    with pytest.raises(ValueError, match="predicts a number"):
        model.explain(numbers[0][:2], numbers[0], of="log-odds")
    with pytest.raises(ValueError, match="features"):
        model.explain(numbers[0][:2], numbers[0][:, :3])
    with pytest.raises(ValueError, match="sums of trees"):
        RFClassifier(n_estimators=2).fit(*classes).explain(classes[0][:2], classes[0], of="margin")


def trees_of(forest, features):
    """Our trees as the arrays that shap takes: cuts on one column each, with values that are not encoded."""
    encoded, trees = forest.encoded(), []
    for t in range(forest.trees):
        nodes = forest.nodes(t)
        left, right = (np.array([getattr(n, side) or -1 for n in nodes]) for side in ("left", "right"))
        column = np.array([-2 if n.is_leaf else encoded[n.columns[0]].feature for n in nodes])
        bound = [0.0 if n.is_leaf else forest.decode(encoded[n.columns[0]], n.threshold) for n in nodes]
        value = [[float(forest.leaf_text(t, n.leaf).split()[-1]) if n.is_leaf else 0.0] for n in nodes]
        trees.append({"children_left": left, "children_right": right, "children_default": right, "features": column,
                      "thresholds": np.array(bound), "values": np.array(value), "node_sample_weight": np.ones(len(nodes))})
    return trees


@pytest.mark.skipif(not LONG, reason="a long test: SVFOREST_TESTS=long")
def test_agrees_with_shap(numbers):
    shap = pytest.importorskip("shap")
    X, y = numbers
    y = np.round(y)
    X = np.round(X * 64) / 64  # halves of steps are between values, whatever is rounded
    model = RFRegressor(n_estimators=10, max_depth=6, random_state=0, background=30).fit(X, y)
    trees = trees_of(model.forest_, X.shape[1])
    for tree in trees:
        tree["thresholds"] = np.floor(tree["thresholds"] * 64 - 1e-6) / 64 + 1 / 128  # ours go left below, theirs at or below
        tree["values"] /= len(trees)
    background = X[100:150]
    explainer = shap.TreeExplainer({"trees": trees}, background, feature_perturbation="interventional")
    ours = model.explain(X[:40], background)
    theirs = explainer.shap_values(X[:40])
    assert np.abs(ours.values - theirs).max() <= 1e-6 * np.ptp(y)


@pytest.mark.skipif(not LONG, reason="a long test: SVFOREST_TESTS=long")
def test_plots_of_shap_take_them(classes):
    shap = pytest.importorskip("shap")
    plt = pytest.importorskip("matplotlib.pyplot")
    model = RFClassifier(n_estimators=10, random_state=0).fit(*classes)
    explained = model.explain(classes[0][:50], classes[0][100:120])
    for draw, part in ((shap.plots.waterfall, explained[0, :, 1]), (shap.plots.beeswarm, explained[:, :, 0]),
                       (shap.plots.bar, explained[:, :, 2]), (shap.plots.scatter, explained[:, 0, 1])):
        draw(part, show=False)
        plt.close("all")
