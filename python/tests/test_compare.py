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
        assert sorted(table["method"]) == sorted(methods) and list(table["method"]) == [r["method"] for r in told["results"]]
        assert np.all(np.diff(table["mean"]) * (1 if measure == 0 else -1) >= 0)
        for row, other in zip(table["scores"], told["results"]):
            assert list(row) == other["scores"]
        np.testing.assert_allclose(table["mean"], [r["mean"] for r in told["results"]])
        np.testing.assert_allclose(table["sd"], [r["sd"] for r in told["results"]])
        assert (np.asarray(table["mean"]) > measure).all() and (np.asarray(table["seconds"]) > 0).all()


def test_compare_takes_all_methods_and_frames(classes):
    X, y = classes
    table = svforest.compare(X[:60], y[:60] > 0, folds=2, n_estimators=2)
    assert set(table["method"]) == {n for n, m in svforest.methods.items() if m.allows(1) and not m.is_committee}
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
    with pytest.warns(UserWarning, match="1 of the combinations do not go together.*cuts along one feature"):
        model = svforest.tune(
            X, y, "tbrf-c", search="grid", tries={"range": ["data", "cell"], "oblique": ["no", "yes"]}, trees=2
        )
    assert len(model.tuning_) == 3
    with pytest.raises(ValueError, match="trees is both set"):
        svforest.tune(X, y, "rf", tries={"trees": [1, 2]}, trees=5)


def test_refusals(classes):
    with pytest.raises(ValueError, match="method rf: .*has no meaning"):
        svforest.compare(*classes, ["rf"], loss="hinge")
    with pytest.raises(TypeError, match="no setting 'tree'"):
        svforest.compare(*classes, ["rf"], tree=3)
    with pytest.raises(ValueError, match="search"):
        svforest.tune(*classes, "rf", search="luck")
    with pytest.raises(ValueError, match="task"):
        svforest.compare(*classes, task="cluster")
    with pytest.raises(ValueError, match="inconsistent"):
        svforest.compare(classes[0], classes[1][:-1])


@pytest.fixture(scope="module")
def toy():
    X = np.random.default_rng(5).normal(size=(60, 4))
    return X, (X[:, 0] > 0).astype(int)


SEARCHES = [lambda *a, **k: svforest.compare(*a, ["rf"], **k), lambda *a, **k: svforest.tune(*a, "rf", **k)]


@pytest.mark.parametrize("search", SEARCHES, ids=["compare", "tune"])
@pytest.mark.parametrize(
    "keywords, error, words",
    [
        ({"sample_weight": [1.0]}, ValueError, "sample_weight.shape == \\(1,\\)"),
        ({"sample_weight": np.ones((60, 2))}, ValueError, "1D array|2D"),
        ({"sample_weight": [float("nan")] * 60}, ValueError, "NaN"),
        ({"random_state": None}, TypeError, "random_state=None: must be a whole number"),
        ({"random_state": -1}, ValueError, "random_state=-1: must be 0 or more"),
        ({"random_state": 2**60}, ValueError, "random_state=.*must be an integer in"),
        ({"folds": 2.5}, TypeError, "folds=2.5: must be a whole number"),
        ({"folds": -1}, ValueError, "folds=-1: must be 2 or more"),
        ({"folds": 61}, ValueError, "61 folds of 60 rows"),
        ({"seed": 3}, ValueError, "seed: .*given as random_state"),
        ({"trees": 3, "n_estimators": 3}, ValueError, "trees and n_estimators are one setting"),
        ({"n_jobs": 2**40}, ValueError, "must be at most 1024"),
        ({"n_jobs": "2"}, TypeError, "n_jobs='2': must be a whole number"),
        ({"max_features": "log3"}, ValueError, "max_features='log3': must be one of"),
        ({"task": "regress", "class_weight": "balanced"}, ValueError, "class_weight has no meaning"),
        ({"class_weight": {0: -1}}, ValueError, "class weight must be"),
    ],
)
def test_arguments_of_both(search, keywords, error, words, toy, monkeypatch):
    monkeypatch.setattr(svforest._compare.Forest, "train", None)  # nothing runs
    with pytest.raises(error, match=words):
        search(*toy, **keywords)


def test_compare_takes_auto(toy):
    table = svforest.compare(*toy, ["auto", "rf"], folds=2, effort=1)
    assert set(table["method"]) == {"auto", "rf"}
    with pytest.raises(ValueError, match="effort is for the method auto"):
        svforest.compare(*toy, ["rf"], effort=1)
    with pytest.raises(ValueError, match="method auto: .*name a method"):
        svforest.compare(*toy, ["auto"], trees=3)


def test_arguments_of_compare(toy):
    for repeats, error in ((0, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match=f"repeats={repeats}"):
            svforest.compare(*toy, ["rf"], repeats=repeats)
    with pytest.raises(ValueError, match="methods is empty"):
        svforest.compare(*toy, [])
    with pytest.raises(ValueError, match="magic"):
        svforest.compare(*toy, ["rf", "magic"], verbose="never reached")
    assert list(svforest.compare(*toy, "rf", folds=2, trees=2)["method"]) == ["rf"]


@pytest.mark.parametrize(
    "keywords, error, words",
    [
        ({"candidates": 0}, ValueError, "candidates=0: must be 1 or more"),
        ({"candidates": 2.5}, TypeError, "candidates=2.5"),
        ({"budget": "1"}, TypeError, "budget='1': must be a number of seconds"),
        ({"budget": -1}, ValueError, "budget of -1"),
        ({"tries": {"n_estimators": [1, 2]}, "trees": 5}, ValueError, "trees is both set and to be tried"),
        ({"tries": {"seed": [1, 2]}}, ValueError, "given as random_state, and not tried"),
        ({"tries": {"max_depth": 3}}, TypeError, "max_depth=3: must be a list"),
        ({"tries": {"max_features": "sqrt"}}, TypeError, "must be a list"),
        ({"tries": {"max_features": []}}, ValueError, "write the values to try"),
        ({"tries": ["max_depth"]}, TypeError, "tries: must be a dict"),
    ],
)
def test_arguments_of_tune(keywords, error, words, toy):
    with pytest.raises(error, match=words):
        svforest.tune(*toy, "rf", **keywords)


def test_settings_are_those_of_the_estimators(toy):
    X, y = toy
    same = lambda **given: svforest.compare(X, y, "rf", folds=2, trees=5, **given)["scores"][0]
    assert same(max_features=0.5) == same(features=2) and same(max_features="log2") == same(features=2)
    assert same(max_features=None) == same(features="all") != same(features=1)
    assert same(min_samples_leaf=0.2) == same(min_leaf=6)  # of the 30 rows that a fold trains on
    weighed = lambda weight: same(class_weight=weight, min_leaf=12)
    assert weighed({1: 30.0}) != weighed(None) == weighed("none") and weighed({0: 1}) == weighed(None)
    assert same(class_weight="method") == same()


def test_tune_trains_what_it_searched(toy):
    X, y = toy
    options = dict(candidates=2, search="random", folds=2, trees=3)
    model = svforest.tune(X, y, "rf", max_features=None, min_samples_leaf=0.1, class_weight={1: 2.0}, **options)
    assert (model.max_features, model.min_samples_leaf, model.class_weight) == ("all", 6, {1: 2.0})
    assert (model.settings_["features"], model.settings_["class_weight"]) == ("all", "given")
    model = svforest.tune(X, y, "rf", tries={"max_features": [0.5, None], "min_samples_leaf": [0.1]}, **options)
    assert model.max_features in (2, "all") and model.min_samples_leaf == 6
    model = svforest.tune(X, y, "rf", sample_weight=np.arange(60.0), **options)
    alone = svforest.SVForestClassifier(**model.get_params()).fit(X, y, sample_weight=np.arange(60.0))
    assert model.forest_.to_bytes() == alone.forest_.to_bytes()


def test_tune_takes_an_estimator(toy):
    """As scikit-learn has it: the estimator first. Its method, keywords and seed are those of the search."""
    X, y = toy
    options = {"candidates": 3, "folds": 3}
    start = svforest.CCFClassifier(n_estimators=4, class_weight={0: 1.0, 1: 2.0}, random_state=5, oob_score=False)
    model = svforest.tune(start, X, y, **options)
    assert type(model) is svforest.CCFClassifier and not hasattr(start, "forest_")
    assert (model.n_estimators, model.random_state, model.class_weight) == (4, 5, {0: 1.0, 1: 2.0})
    named = svforest.tune(X, y, "ccf", trees=4, class_weight={0: 1.0, 1: 2.0}, random_state=5, **options)
    assert model.forest_.to_bytes() == named.forest_.to_bytes()
    assert list(model.tuning_["mean"]) == list(named.tuning_["mean"])
    for other in (svforest.tune(X, y, start, **options), svforest.tune(start, X, y, n_estimators=4, **options)):
        assert other.forest_.to_bytes() == model.forest_.to_bytes()
    assert svforest.tune(start, X, y, trees=2, **options).n_estimators == 2
    any_method = svforest.SVForestClassifier("rf", n_estimators=3, random_state=1)
    model = svforest.tune(any_method, X, y, tries={"max_depth": [1, 2]}, folds=3)
    assert model.method == "rf" and model.n_estimators == 3 and model.max_depth in (1, 2)
    assert type(svforest.tune(svforest.RFRegressor, X, y, trees=2, **options)) is svforest.RFRegressor


def test_tune_without_a_method_searches_among_methods(toy, command, tmp_path):
    X, y = toy
    model = svforest.tune(X, y, effort=1, random_state=4, cpu="portable")
    assert model.method == "auto" and model.plan == model.plan_ and len(model.tuning_) > 6
    again = svforest.SVForestClassifier(**model.get_params()).fit(X, y)
    assert again.forest_.to_bytes() == model.forest_.to_bytes()
    flags = ["--effort", 1, "--seed", 4, "-s", "cpu=portable"]
    told = json.loads(command("tune", "--json", *flags, as_csv(tmp_path / "t.csv", X, y)))
    assert told["plan"] == model.plan_ and told["score"] == model.held_out_score_
    assert svforest.tune(X, y, budget=0.01).score(X, y) > 0.5
    for keywords in ({"search": "grid"}, {"candidates": 3}, {"folds": 3}, {"tries": {"trees": [1, 2]}}):
        with pytest.raises(ValueError, match="is for the settings of one method: name it"):
            svforest.tune(X, y, **keywords)
    with pytest.raises(ValueError, match="trees=3.*name a method|n_estimators=3.*name a method"):
        svforest.tune(X, y, trees=3)


def test_tune_explains_itself(toy):
    from sklearn.tree import DecisionTreeClassifier

    X, y = toy
    with pytest.raises(TypeError, match=r"tune\(estimator, X, y\): y is missing"):
        svforest.tune(svforest.CCFClassifier(), X)
    with pytest.raises(TypeError, match="must be the name of a method, or an estimator of svforest"):
        svforest.tune(DecisionTreeClassifier(), X, y)
    with pytest.raises(ValueError, match="CCFClassifier is for task='class'"):
        svforest.tune(svforest.CCFClassifier(), X, y, task="regress")
    with pytest.raises(TypeError, match="CCFClassifier does not read group_size; tune"):
        svforest.tune(svforest.CCFClassifier(), X, y, tries={"group_size": [2, 3]})
    with pytest.raises(TypeError, match="does not read group_size"):
        svforest.tune(svforest.CCFClassifier(), X, y, group_size=2)
    with pytest.raises(TypeError, match="random_state=RandomState.*must be a whole number"):
        svforest.tune(svforest.CCFClassifier(random_state=np.random.RandomState(0)), X, y)


@pytest.mark.parametrize("name", [n for n in svforest.__all__ if n.endswith(("Classifier", "Regressor"))])
def test_what_tune_proposes_is_a_keyword(name, toy):
    """An estimator of every class comes back as one of that class."""
    X, y = toy
    cls = getattr(svforest, name)
    if svforest.methods[cls()._method_name].is_committee:
        assert type(svforest.tune(cls(effort=1), X, y)) is cls
        return
    model = cls(random_state=0, **({"n_estimators": 2} if cls._defaults.get("n_estimators") != 1 else {}))
    assert type(svforest.tune(model, X, y, candidates=2, folds=2)) is cls


def test_dir_is_what_is_public():
    shown = [name for name in dir(svforest) if not name.startswith("__")]
    assert shown == sorted(svforest.__all__)
    assert all(hasattr(svforest, name) for name in dir(svforest))
