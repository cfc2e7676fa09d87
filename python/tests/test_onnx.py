"""Models as ONNX: onnxruntime answers as predict does, for every method that has a form there; the others say why not."""

import importlib.util
import json
import os
import sys

import numpy as np
import pytest

import svforest
from svforest._tables import METHODS

ABSENT = [name for name in ("onnx", "onnxruntime") if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*categories that training did not know"),
    pytest.mark.filterwarnings("ignore::svforest.TableWarning"),
]
needs_onnx = pytest.mark.skipif(bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)}")

REFUSED = {
    **dict.fromkeys(["chi2-svm", "poly-svm", "rbf-svm", "rcf", "rf-svm"], "leaf=kernel-svm"),
    **dict.fromkeys(["ls-svm", "metric-forest", "tbrf-g", "vp-svm", "xrfm"], "kernel of distances"),
}
SMALL = {"n_estimators": 5}


def table(rows, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 6)) * [1, 1e-3, 1, 1e4, 1, 1] + [0, 1, 0, 1e6, 0, 0]
    X[:, 4] = random.integers(0, 3, rows)
    value = X[:, 0] + (X[:, 2] > 0) * X[:, 5] + 0.1 * random.normal(size=rows)
    X[random.random(X.shape) < 0.04] = np.nan
    return X, value


def mixed(rows, seed):
    """A frame with categories of two, of few and of many levels, missing cells, and names that are left out."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(seed)
    colour = random.choice(["red", "green", "tea, hot", "blå"], rows).astype(object)
    size = random.exponential(size=rows)
    value = size * (colour == "red") + random.normal(size=rows)
    colour[random.random(rows) < 0.05] = None
    place = np.array([f"p{i}" for i in random.integers(0, 80, rows)], object)
    place[random.random(rows) < 0.05] = None
    size[random.random(rows) < 0.05] = np.nan
    names = [f"row {seed} {i}" for i in range(rows)]
    side = random.choice(["left", "right"], rows)
    return pandas.DataFrame({"colour": colour, "size": size, "place": place, "side": side, "name": names}), value


def made(method, task, **keywords):
    """A small model of a method."""
    cls = getattr(svforest, f"SVForest{task}")
    small = SMALL if any(s.name == "trees" for s in METHODS[method].reads) else {}
    return cls(method=method, random_state=0, **{**small, **keywords})


def compare(model, path, given, rows):
    """The answers of onnxruntime to rows that were not trained on."""
    import onnxruntime

    exported = svforest.export(model, path)
    assert exported.path == str(path) and exported.rows == 1000 and exported.largest_difference <= 1e-6
    session = onnxruntime.InferenceSession(str(path))
    said = session.run(None, given)
    if len(said) == 1:
        wanted = model.predict(rows)
        assert said[0].shape == wanted.shape and np.abs(said[0] - wanted).max() <= 1e-5 * np.ptp(wanted)
        return session
    assert np.abs(said[1] - model.predict_proba(rows)).max() <= 1e-5
    assert (said[0].astype(str) == model.predict(rows).astype(str)).all()
    return session


def classes_of(value, count):
    return np.digitize(value, np.quantile(value, np.arange(1, count) / count))


@needs_onnx
@pytest.mark.parametrize("method", [m for m in METHODS if not METHODS[m].is_committee])
@pytest.mark.parametrize("task", [0, 2, 3])
def test_methods(method, task, tmp_path):
    (X, value), (Z, _) = table(250, 1), table(400, 2)
    if not METHODS[method].allows(1 if task else 2):
        pytest.skip("the method is not for that target")
    model = made(method, "Classifier" if task else "Regressor").fit(X, classes_of(value, task) if task else value)
    path = tmp_path / "model.onnx"
    if method in REFUSED:
        with pytest.raises(ValueError, match=REFUSED[method]):
            svforest.export(model, path)
        assert not os.listdir(tmp_path)
        return
    session = compare(model, path, {"X": Z}, Z)
    assert session.run(None, {"X": Z[:1]})[0].shape == (1,)
    assert os.listdir(tmp_path) == ["model.onnx"]


@needs_onnx
@pytest.mark.parametrize("method", ["rf", "et", "boost", "boost-l", "tbrf-l", "ccf", "rotation-forest"])
def test_categories_of_numbers(method, tmp_path):
    (rows, value), (others, _) = mixed(300, 1), mixed(200, 2)
    model = made(method, "Regressor").fit(rows, value)
    compare(model, tmp_path / "model.onnx", *inputs(others))


@needs_onnx
@pytest.mark.parametrize(
    "method, keywords",
    [
        ("rf", {}),
        ("rf", {"vote": "weighted"}),
        ("rf", {"vote": "simple"}),
        ("rf", {"vote": "majority"}),
        ("rsvt", {"vote": "max-confidence", "one_hot_levels": 2}),
        ("rsvt-full", {"multiclass": "one-vs-one", "scale": "robust"}),
        ("rsvt-full", {"multiclass": "crammer-singer", "precision": "single"}),
        ("linear-svm", {"missing_indicator": 0}),
        ("random-projection", {"leaf": "ls-svm", "min_samples_leaf": 10, "leaf_features": "quadratic"}),
        ("random-projection", {"leaf": "ls-svm", "min_samples_leaf": 10, "calibration": "logistic"}),
    ],
)
@pytest.mark.parametrize("count", [2, 3])
def test_categories_of_classes(method, keywords, count, tmp_path):
    (rows, value), (others, _) = mixed(300, 1), mixed(200, 2)
    label = np.array(["low", "high", "other"])[classes_of(value, count)]
    model = made(method, "Classifier", **keywords).fit(rows, label)
    given, others = inputs(others)
    session = compare(model, tmp_path / "model.onnx", given, others)
    facts = session.get_modelmeta().custom_metadata_map
    assert json.loads(facts["categories"]) == ["colour", "place", "side"] and json.loads(facts["X"]) == ["size"]
    assert json.loads(facts["classes"]) == model.classes_.tolist()


def inputs(rows):
    """What ONNX gets of such a frame, with some levels that training did not have."""
    rows = rows.copy()
    rows.loc[3:6, "colour"] = "of no name"
    rows.loc[9:12, "place"] = "nowhere"
    given = {"X": rows[["size"]].to_numpy(), "categories": rows[["colour", "place", "side"]].fillna("").to_numpy(object)}
    return given, rows


@needs_onnx
@pytest.mark.parametrize(
    "plan, count",
    [
        ("effort=1 task=class folds=2 repeats=1; rf trees=5; ccf trees=5; boost trees=9; rsvt trees=5", 2),
        ("effort=1 task=class folds=2 repeats=1; rf trees=5; ccf trees=5; boost trees=9; rsvt trees=5", 3),
        ("effort=1 task=regress folds=2 repeats=1; rf trees=5; boost trees=9; tbrf-l trees=3", 0),
    ],
)
def test_committees(plan, count, tmp_path):
    (rows, value), (others, _) = mixed(300, 1), mixed(200, 2)
    model = getattr(svforest, "AutoClassifier" if count else "AutoRegressor")(plan=plan, random_state=0)
    model.fit(rows, classes_of(value, count) if count else value)
    compare(model, tmp_path / "model.onnx", *inputs(others))
    model.save(tmp_path / "model.svf")
    compare(svforest.load(tmp_path / "model.svf"), tmp_path / "again.onnx", *inputs(others))
    assert (tmp_path / "again.onnx").read_bytes() == (tmp_path / "model.onnx").read_bytes()


@needs_onnx
def test_odd_models(tmp_path):
    X, value = table(250, 1)
    roots = svforest.RFRegressor(n_estimators=3, max_leaf_nodes=1, random_state=0).fit(X, value)
    compare(roots, tmp_path / "roots.onnx", {"X": X}, X)
    far = svforest.RFRegressor(n_estimators=5, random_state=0).fit(X, value * 1e-3 + 1e7)
    compare(far, tmp_path / "far.onnx", {"X": X}, X)
    stump = svforest.RFClassifier(n_estimators=1, max_depth=1, random_state=0).fit(X, value > 0)
    compare(stump, tmp_path / "stump.onnx", {"X": X}, X)


@needs_onnx
def test_refusals(tmp_path, numbers):
    X, y = numbers
    model = svforest.RFRegressor(n_estimators=2, random_state=0).fit(X, y)
    path = tmp_path / "model.onnx"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="force=True"):
        svforest.export(model, path)
    assert path.read_text() == "mine"
    assert svforest.export(model, path, force=True).rows == 1000
    with pytest.raises(ValueError, match="the command 'svforest export' writes C"):
        svforest.export(model, tmp_path / "model.c", "c")
    with pytest.raises(FileNotFoundError):
        svforest.export(model, tmp_path / "no" / "model.onnx")
    cells = svforest.VPSVMRegressor(cells=4, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="nearest centre"):
        svforest.export(cells, tmp_path / "x.onnx")
    pandas = pytest.importorskip("pandas")
    dated = pandas.DataFrame({"x": X[:, 0], "when": pandas.date_range("2024-01-01", periods=len(X))})
    with pytest.raises(ValueError, match="when is a date"):
        svforest.export(svforest.RFRegressor(n_estimators=2).fit(dated, y), tmp_path / "x.onnx")
    assert os.listdir(tmp_path) == ["model.onnx"]


@needs_onnx
def test_made_features(tmp_path, command):
    X, value = table(100, 1)
    lines = [",".join(map(repr, [*row, y])) for row, y in zip(np.nan_to_num(X).tolist(), value.tolist())]
    (tmp_path / "rows.csv").write_text("a,b,c,d,e,f,y\n" + "\n".join(lines) + "\n")
    command("train", "-q", "-m", "rf", "-s", "trees=2", "--feature", "g=a*b", "-o", tmp_path / "m.svf", tmp_path / "rows.csv")
    with pytest.raises(ValueError, match="g is made of other columns"):
        svforest.export(svforest.load(tmp_path / "m.svf"), tmp_path / "m.onnx")


@needs_onnx
def test_a_difference_is_found(tmp_path, monkeypatch, classes):
    """A graph that answers otherwise is not written."""
    from svforest import _onnx

    X, y = classes
    model = svforest.RFClassifier(n_estimators=5, random_state=0).fit(X, y)
    write = _onnx.write_leaves

    def wrong(graph, image, x):
        return write(graph, image, graph.times(x, 0.99, np.float32))

    monkeypatch.setattr(_onnx, "write_leaves", wrong)
    with pytest.raises(ValueError, match="answers differ from"):
        svforest.export(model, tmp_path / "model.onnx")
    assert not os.listdir(tmp_path)


def test_without_the_packages(monkeypatch, tmp_path, numbers):
    monkeypatch.setitem(sys.modules, "onnx", None)
    model = svforest.RFRegressor(n_estimators=1).fit(*numbers)
    with pytest.raises(ImportError, match=r"svforest\[onnx\]"):
        svforest.export(model, tmp_path / "model.onnx")
