"""The package and the command are the same thing: bits of predictions, bytes of models, both ways, for every method."""

import csv
import io
import json

import numpy as np
import pytest

import svforest

CLASSIFIERS = [n for n in svforest.__all__ if n.endswith("Classifier")]
REGRESSORS = [n for n in svforest.__all__ if n.endswith("Regressor")]


def options(cls):
    """What makes a method quick, and the same bits everywhere."""
    quick = {"cpu": "portable", "random_state": 3, "n_estimators": 3}
    if svforest.methods[cls()._method_name].is_committee:
        return {"cpu": "portable", "random_state": 3, "effort": 1}
    if "n_estimators" in cls._defaults and cls._defaults["n_estimators"] == 1:
        del quick["n_estimators"]
    return quick


def write(path, X, y):
    """CSV with all digits; columns are named a, b, ..., target t."""
    names = [chr(ord("a") + j) for j in range(X.shape[1])]
    with open(path, "w") as out:
        print(*names, "t", sep=",", file=out)
        for row, target in zip(X.tolist(), y.tolist()):
            print(*map(repr, row), target, sep=",", file=out)
    return names


def columns(text):
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], np.array(rows[1:])


def train(command, model, path, out):
    settings = ["-s", "cpu=portable", "-s", f"seed={model.seed_}"]
    if model.get_params().get("n_estimators") is not None:
        settings += ["-s", f"trees={model.n_estimators}"]
    if model.get_params().get("effort") is not None:
        settings += ["-s", f"effort={model.effort}"]
    method = model._method_name
    task = "class" if hasattr(model, "classes_") else "regress"
    command("train", "-q", "-m", method, *settings, "--task", task, "-o", out, path)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classes(name, command, classes, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = classes
    cls = getattr(svforest, name)
    names = write(tmp_path / "t.csv", X, y)
    frame = pd.DataFrame(X, columns=names)
    model = cls(**options(cls)).fit(frame, y)
    train(command, model, tmp_path / "t.csv", tmp_path / "c.svf")
    _, shares = columns(command("predict", tmp_path / "c.svf", tmp_path / "t.csv", "--proba"))
    np.testing.assert_array_equal(shares[:, -3:].astype(float), model.predict_proba(frame))
    _, said = columns(command("predict", tmp_path / "c.svf", tmp_path / "t.csv"))
    np.testing.assert_array_equal(said[:, -1].astype(int), model.predict(frame))
    # a model of the command, read here
    loaded = svforest.load(tmp_path / "c.svf")
    np.testing.assert_array_equal(loaded.classes_, model.classes_)
    assert loaded.classes_.dtype.kind == "i" and list(loaded.feature_names_in_) == names
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    # a model of the package, read by the command
    model.save(tmp_path / "p.svf")
    _, again = columns(command("predict", tmp_path / "p.svf", tmp_path / "t.csv", "--proba"))
    np.testing.assert_array_equal(again, shares)


@pytest.mark.parametrize("name", REGRESSORS)
def test_numbers(name, command, numbers, tmp_path):
    X, y = numbers
    cls = getattr(svforest, name)
    np.save(tmp_path / "t.npy", np.column_stack([X, y]))
    model = cls(**options(cls)).fit(X, y)
    train(command, model, tmp_path / "t.npy", tmp_path / "c.svf")
    _, said = columns(command("predict", tmp_path / "c.svf", tmp_path / "t.npy"))
    np.testing.assert_array_equal(said[:, -1].astype(float), model.predict(X))
    if model.settings_["vote"] == "boost":  # trees that are added up have no spread
        with pytest.raises(ValueError, match="do not give a spread"):
            model.predict_interval(X, 0.8)
    else:
        _, ends = columns(command("predict", tmp_path / "c.svf", tmp_path / "t.npy", "--interval", 0.8))
        np.testing.assert_allclose(ends[:, -2:].astype(float), model.predict_interval(X, 0.8), rtol=1e-9, atol=1e-9)
    loaded = cls.load(tmp_path / "c.svf")
    assert not hasattr(loaded, "feature_names_in_")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    # the same table, so the same bytes but for the target's name
    assert loaded.settings_ == model.settings_


def test_text_classes_and_categories_cross(command, tmp_path):
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": random.normal(size=200),
            "colour": random.choice(["red", "blue", "\u00e9carlate"], 200),
            "grade": pd.Categorical(random.choice([3, 1, 2], 200)),
        }
    )
    frame.loc[::7, "colour"] = None
    frame.loc[::5, "size"] = np.nan
    y = np.where((frame["colour"] == "red") ^ (frame["size"] > 0), "yes", "no")
    frame.assign(t=y).to_csv(tmp_path / "t.csv", index=False)
    model = svforest.RSVTFullClassifier(random_state=0, cpu="portable").fit(frame, y)
    model.save(tmp_path / "m.svf")
    _, shares = columns(command("predict", tmp_path / "m.svf", tmp_path / "t.csv", "--proba"))
    np.testing.assert_array_equal(shares[:, -2:].astype(float), model.predict_proba(frame))
    loaded = svforest.load(tmp_path / "m.svf")
    assert loaded.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))


@pytest.mark.parametrize("names", (["inf", "nan"], ["1", "inf"], ["-Infinity", "2.5"], ["1", "nan"]))
def test_classes_that_read_as_no_number(names, classes, tmp_path):
    X, y = classes
    model = svforest.RFClassifier(n_estimators=2, random_state=0).fit(X, np.array(names)[np.minimum(y, 1)])
    model.save(tmp_path / "m.svf")
    loaded = svforest.load(tmp_path / "m.svf")
    assert loaded.classes_.tolist() == sorted(names)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_names_that_are_not_utf8(command, tmp_path):
    """They are kept as they are, as Python does with names of files, and drawn with a sign for what is no letter."""
    X = np.arange(180.0).reshape(90, 2) % 17
    y = np.array(["klein", "gro\udcdf"])[(X[:, 0] > 8).astype(int)]
    lines = ["gr\xf6\xdfe,b,t"] + [f"{a:g},{b:g},{t}" for (a, b), t in zip(X, np.char.replace(y, "\udcdf", "\xdf"))]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode("latin-1"))
    command("train", "-q", "-m", "rf", "-s", "trees=3", "-o", tmp_path / "m.svf", tmp_path / "t.csv")
    loaded = svforest.load(tmp_path / "m.svf")
    assert loaded.classes_.tolist() == ["gro\udcdf", "klein"] and loaded.feature_names_in_[0] == "gr\udcf6\udcdfe"
    model = svforest.RFClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert model.forest_.class_names() == loaded.classes_.tolist() and loaded.score(X, y) > 0.9
    pytest.importorskip("matplotlib").use("Agg")
    ax = svforest.plot.confusion_matrix(loaded, X, y)
    assert ax.get_xticklabels()[0].get_text() == "gro\ufffd"
    svforest.plot.tree(loaded).figure.canvas.draw()


def test_bytes_and_settings(command, classes, tmp_path):
    """The settings of a loaded model come back as keywords, and train the same bytes."""
    X, y = classes
    model = svforest.SVForestClassifier(
        "rf", n_estimators=4, max_features=2, rows="subsample", class_weight={0: 1, 1: 2, 2: 3}, random_state=5
    ).fit(X, y)
    model.save(tmp_path / "m.svf")
    loaded = svforest.load(tmp_path / "m.svf")
    for name in ("method", "n_estimators", "max_features", "rows", "class_weight"):
        assert loaded.get_params()[name] == model.get_params()[name], name
    again = svforest.SVForestClassifier(**loaded.get_params()).fit(X, y)
    assert again.forest_.to_bytes() == model.forest_.to_bytes()
    told = json.loads(command("info", "--json", tmp_path / "m.svf"))
    assert told["method"] == "rf"
    command("verify", tmp_path / "m.svf")


def test_wrong_class(classes, numbers, tmp_path):
    svforest.RFRegressor(n_estimators=2).fit(*numbers).save(tmp_path / "r.svf")
    with pytest.raises(ValueError, match="regressor"):
        svforest.RFClassifier.load(tmp_path / "r.svf")
    with pytest.raises(ValueError, match="method='rf'"):
        svforest.ETRegressor.load(tmp_path / "r.svf")
    with pytest.raises(FileNotFoundError):
        svforest.load(tmp_path / "no.svf")
    (tmp_path / "bad.svf").write_bytes(b"no model")
    with pytest.raises(ValueError):
        svforest.load(tmp_path / "bad.svf")
