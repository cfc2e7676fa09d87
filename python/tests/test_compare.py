"""compare is `svforest cv`, tune is `svforest tune`."""

import json
import sys

import numpy as np
import pytest

import svforest


def as_csv(path, X, y):
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    return path


def test_compare_is_cv(command, classes, numbers, tmp_path):
    for (X, y), methods, measure in ((classes, ["rsvt", "rf"], 0.5), (numbers, ["et", "ccf"], 0)):
        table = svforest.compare(X, y, methods, folds=3, repeats=2, random_state=4, trees=4, cpu="portable")
        path = as_csv(tmp_path / "t.csv", X, y)
        flags = ["-m", ",".join(methods), "-k", 3, "-r", 2, "--seed", 4, "-s", "trees=4", "-s", "cpu=portable"]
        told = json.loads(command("cv", "--json", "-q", *flags, path))
        assert list(table["method"]) == methods
        for row, other in zip(table["scores"], told["results"]):
            assert list(row) == other["scores"]
        np.testing.assert_allclose(table["mean"], [r["mean"] for r in told["results"]])
        np.testing.assert_allclose(table["sd"], [r["sd"] for r in told["results"]])
        assert (np.asarray(table["mean"]) > measure).all() and (np.asarray(table["seconds"]) > 0).all()


def test_compare_takes_all_methods_and_frames(classes):
    X, y = classes
    table = svforest.compare(X[:60], y[:60] > 0, folds=2, n_estimators=2)
    assert list(table["method"]) == [n for n, m in svforest.methods.items() if m.allows(1)]
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X).assign(word=np.where(y > 1, "a", "b"))
    frame.columns = frame.columns.astype(str)
    assert svforest.compare(frame, y > 1, ["rf"], folds=2, trees=3)["mean"][0] > 0.95


def test_without_pandas(classes, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    table = svforest.compare(*classes, ["linear-svm"], folds=2)
    assert isinstance(table, np.recarray) and table["mean"][0] > 0.4
    assert table["method"][0] == "linear-svm" and len(table["scores"][0]) == 2


def test_tune_is_the_commands(command, classes, tmp_path):
    X, y = classes
    model = svforest.tune(X, y, "rf", candidates=6, search="random", folds=3, random_state=2, trees=5, cpu="portable")
    path = as_csv(tmp_path / "t.csv", X, y)
    flags = ["-m", "rf", "--search", "random", "--candidates", 6, "-k", 3, "--seed", 2]
    told = json.loads(command("tune", "--json", "-q", *flags, "-s", "trees=5", "-s", "cpu=portable", path))
    assert list(model.tuning_["settings"]) == [r["settings"] for r in told["results"]]
    np.testing.assert_array_equal(model.tuning_["mean"], [r["mean"] for r in told["results"]])
    for name, value in told["settings"].items():
        assert str(model.settings_[name]) == value, name
    assert model.score(X, y) > 0.6 and model.n_estimators == 5


def test_tune_within_a_budget_and_values(numbers):
    X, y = numbers
    model = svforest.tune(X, y, "rf", budget=1.0, trees=5)
    assert model.score(X, y) > 0.5 and len(model.tuning_) >= 1
    model = svforest.tune(X, y, "rf", search="grid", tries={"max_features": [1, 5], "max_depth": [1, 4]}, trees=5)
    assert len(model.tuning_) == 4 and (model.max_features, model.max_depth) == (5, 4)


def test_tune_says_what_it_left_out(numbers):
    X, y = numbers
    with pytest.warns(UserWarning, match="1 of the combinations do not go together.*axis-parallel"):
        model = svforest.tune(
            X, y, "tbrf-c", search="grid", tries={"range": ["data", "cell"], "oblique": ["no", "yes"]}, trees=2
        )
    assert len(model.tuning_) == 3
    with pytest.raises(ValueError, match="trees was set"):
        svforest.tune(X, y, "rf", tries={"trees": [1, 2]}, trees=5)


def test_refusals(classes):
    with pytest.raises(ValueError, match="method rf: .*has no meaning"):
        svforest.compare(*classes, ["rf"], loss="hinge")
    with pytest.raises(TypeError, match="no setting 'tree'"):
        svforest.compare(*classes, ["rf"], tree=3)
    with pytest.raises(ValueError, match="search"):
        svforest.tune(*classes, search="luck")
    with pytest.raises(ValueError, match="task"):
        svforest.compare(*classes, task="cluster")
    with pytest.raises(ValueError, match="inconsistent"):
        svforest.compare(classes[0], classes[1][:-1])
