"""What users of scikit-learn do with an estimator."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

import svforest
from svforest import BoostClassifier, BoostLRegressor, BoostRegressor, ETRegressor, RFClassifier, RFRegressor, RSVTClassifier, RSVTFullClassifier, SVForestClassifier


def test_copies(classes):
    X, y = classes
    model = RSVTClassifier(n_estimators=4, random_state=0).fit(X, y)
    shares = model.predict_proba(X)
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.predict_proba(X), shares)
        assert other.forest_.to_bytes() == model.forest_.to_bytes()
    fresh = clone(model)
    assert not hasattr(fresh, "forest_") and fresh.get_params() == model.get_params()
    del model
    np.testing.assert_array_equal(other.predict_proba(X), shares)


def test_tools_of_scikit_learn(classes, numbers):
    X, y = classes
    pipe = make_pipeline(StandardScaler(), RSVTClassifier(n_estimators=3, random_state=0))
    assert pipe.fit(X, y).score(X, y) > 0.6
    grid = GridSearchCV(pipe, {"rsvtclassifier__vote": ["majority", "mean"], "rsvtclassifier__C": [0.0, 1.0]}, cv=2)
    assert grid.fit(X, y).best_score_ > 0.5
    assert cross_val_score(RFClassifier(n_estimators=5, random_state=0), X, y, cv=3).mean() > 0.6
    assert cross_val_score(RFRegressor(n_estimators=10, random_state=0), *numbers, cv=3).mean() > 0.5
    both = GridSearchCV(RFClassifier(n_estimators=3, random_state=0), {"max_depth": [1, 3]}, cv=2).fit(X, y)
    assert both.best_params_["max_depth"] == 3
    shares = CalibratedClassifierCV(RSVTClassifier(n_estimators=3, random_state=0), cv=2).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_warm_start_gives_the_forest_of_one_run(classes, numbers):
    for cls, (X, y) in ((RSVTFullClassifier, classes), (RFRegressor, numbers)):
        model = cls(n_estimators=2, warm_start=True, random_state=None).fit(X, y)
        model.set_params(n_estimators=5).fit(X, y)
        whole = cls(n_estimators=5, random_state=model.seed_).fit(X, y)
        assert model.forest_.to_bytes() == whole.forest_.to_bytes()
        with pytest.warns(UserWarning, match="does not fit new trees"):
            model.fit(X, y)
        with pytest.raises(ValueError, match="must be larger or equal"):
            model.set_params(n_estimators=3).fit(X, y)
        with pytest.raises(ValueError):
            model.set_params(n_estimators=6).fit(X[::2], y[::2])


def test_warm_start_adds_rounds(classes, numbers):
    for cls, (X, y) in ((BoostClassifier, classes), (BoostRegressor, numbers), (BoostLRegressor, numbers)):
        model = cls(n_estimators=3, stop_rounds=0, warm_start=True, random_state=0).fit(X, y)
        model.set_params(n_estimators=8).fit(X, y)
        whole = cls(n_estimators=8, stop_rounds=0, random_state=0).fit(X, y)
        assert model.settings_["trees"] == 8 and model.forest_.trees == whole.forest_.trees
        np.testing.assert_allclose(model.predict(X), whole.predict(X), rtol=1e-6)
        stages = list(model.staged_predict(X))
        assert len(stages) == model.forest_.trees and (stages[-1] == model.predict(X)).all()
        with pytest.warns(UserWarning, match="does not fit new trees"):
            model.fit(X, y)
        with pytest.raises(ValueError, match="add rounds with stop_rounds=0"):
            model.set_params(n_estimators=9, stop_rounds=5).fit(X, y)
        with pytest.raises(ValueError, match="trained on different tables"):
            model.set_params(stop_rounds=0).fit(X[::2], y[::2])
        assert model.settings_["trees"] == 8


def test_a_refused_warm_start_changes_nothing(classes):
    X, y = classes
    model = RFClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X, y)
    before = {name: value for name, value in vars(model).items() if name != "n_estimators"}
    model.set_params(n_estimators=4)
    for other, target, words in (
        (X, y + 1, r"y has the classes \[1, 2, 3\].*the classes \[0, 1, 2\]"),
        (X, np.minimum(y, 1), r"y has the classes \[0, 1\]"),
        (X[:, :4], y, "X has 4 features, but RFClassifier is expecting 5"),
        (X[::2], y[::2], "trained on different tables"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(other, target)
        now = dict(vars(model))
        assert now.pop("n_estimators") == 4 and now.keys() == before.keys()
        assert all(now[name] is before[name] for name in now), words
    model.fit(X, y.astype(float))  # the same classes
    assert model.forest_.trees == 4 and model.classes_ is before["classes_"]


def test_a_refused_fit_leaves_nothing(classes):
    X, y = classes
    for warm in (False, True):
        model = RFClassifier(n_estimators=2, warm_start=warm, sample_fraction=0.5)
        with pytest.raises(NotFittedError):
            check_is_fitted(model)
        with pytest.raises(ValueError, match="no meaning"):
            model.fit(X, y)
        assert set(vars(model)) == set(model.get_params())
        with pytest.raises(NotFittedError):
            check_is_fitted(model)
    model = RFClassifier(n_estimators=30, oob_score=True).fit(X, y)
    check_is_fitted(model)
    with pytest.raises(ValueError):
        model.set_params(n_estimators=0).fit(X, y)
    assert set(vars(model)) == set(model.get_params())


def test_out_of_bag(classes, numbers):
    X, y = classes
    model = RFClassifier(n_estimators=60, oob_score=True, random_state=0).fit(X, y)
    assert model.oob_decision_function_.shape == (300, 3)
    said = model.classes_[model.oob_decision_function_.argmax(axis=1)]
    assert model.oob_score_ == pytest.approx(np.mean(said == y)) and 0.5 < model.oob_score_ < 0.98
    assert model.oob_curve_.shape == (60,) and model.oob_curve_[-1] == pytest.approx(model.oob_score_)
    model.set_params(oob_score=balanced_accuracy_score).fit(X, y)
    assert model.oob_score_ == pytest.approx(balanced_accuracy_score(y, said))
    X, y = numbers
    model = RFRegressor(n_estimators=60, oob_score=True, random_state=0).fit(X, y)
    rest = ((y - model.oob_prediction_) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert model.oob_score_ == pytest.approx(1 - rest)
    assert model.oob_curve_[-1] == pytest.approx(np.mean((y - model.oob_prediction_) ** 2))
    assert model.oob_curve_[-1] < model.oob_curve_[4]
    model.set_params(oob_score=mean_absolute_error).fit(X, y)
    assert model.oob_score_ == pytest.approx(np.mean(np.abs(y - model.oob_prediction_)))
    model.set_params(oob_score=False).fit(X, y)
    assert not hasattr(model, "oob_score_") and not hasattr(model, "oob_curve_")
    with pytest.raises(ValueError, match="rows=all"):
        ETRegressor(n_estimators=3, oob_score=True).fit(X, y)
    with pytest.warns(UserWarning, match="too few trees"):
        RFRegressor(n_estimators=2, oob_score=True, random_state=0).fit(X, y)


def test_stages_leaves_and_importance(classes, numbers):
    X, y = classes
    model = RSVTFullClassifier(n_estimators=6, random_state=0).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 6
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    smaller = clone(model).set_params(n_estimators=3).fit(X, y)
    np.testing.assert_array_equal(stages[2], smaller.predict(X))
    shares = list(model.staged_predict_proba(X))
    assert len(shares) == 6
    np.testing.assert_array_equal(shares[-1], model.predict_proba(X))
    np.testing.assert_array_equal(shares[2], smaller.predict_proba(X))
    alone = clone(model).set_params(n_estimators=1).fit(X, y).predict(X)
    np.testing.assert_array_equal(model.predict_trees(X)[:, 0], alone)
    leaves = model.apply(X)
    assert leaves.shape == (300, 6)
    for tree in range(6):
        counts = np.bincount(leaves[:, tree])
        assert [model.forest_.leaf_rows(tree, leaf) for leaf in range(len(counts))] == counts.tolist()
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert set(model.feature_importances_.argsort()[-3:]) == {0, 1, 2}
    X, y = numbers
    model = RFRegressor(n_estimators=6, random_state=0).fit(X, y)
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    np.testing.assert_allclose(model.predict_trees(X).mean(axis=1), model.predict(X))
    assert set(model.feature_importances_.argsort()[-3:]) == {0, 1, 2}


@pytest.mark.parametrize("vote", ["majority", "mean", "max-confidence", "weighted", "simple"])
def test_decision_agrees_with_predict(classes, vote):
    X, y = classes
    rows = "bootstrap" if vote == "weighted" else None
    model = SVForestClassifier("rsvt-full", vote=vote, rows=rows, n_estimators=4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.classes_[model.decision_function(X).argmax(axis=1)], model.predict(X))
    model.fit(X, y > 0)
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X))
    assert model.decision_function(X).shape == (300,)


def test_weights(classes):
    X, y = classes
    weight = np.where(y == 0, 50.0, 1.0)
    model = RSVTClassifier(n_estimators=3, class_weight=None, random_state=0)
    plain, heavy = model.fit(X, y).predict(X), clone(model).fit(X, y, sample_weight=weight).predict(X)
    given = clone(model).set_params(class_weight={0: 50}).fit(X, y).predict(X)
    assert (heavy == 0).sum() > (plain == 0).sum() + 20 and (given == 0).sum() > (plain == 0).sum() + 20
    balanced = SVForestClassifier("rsvt", n_estimators=3, random_state=0).fit(X, y)
    named = RSVTClassifier(n_estimators=3, random_state=0, class_weight="balanced").fit(X, y)
    assert balanced.forest_.to_bytes() == named.forest_.to_bytes()  # as the method has it
    with pytest.raises(ValueError, match="weight"):
        model.fit(X, y, sample_weight=-weight)
    without = clone(model).set_params(class_weight={0: 0}).fit(X, y)
    left_out = clone(model).fit(X, y, sample_weight=np.where(y == 0, 0.0, 1.0))
    assert not (without.predict(X) == 0).any()
    np.testing.assert_array_equal(without.predict_proba(X), left_out.predict_proba(X))
    with pytest.raises(ValueError, match="all 0"):
        clone(model).set_params(class_weight=dict.fromkeys(np.unique(y), 0)).fit(X, y)


@pytest.mark.parametrize("method", ["rf", "et", "ccf", "rsvt", "rsvf", "ls-svm"])
def test_a_heavier_class_is_predicted_more(method):
    random = np.random.default_rng(0)
    X, new = random.normal(size=(500, 4)), random.normal(size=(1000, 4))
    y = random.random(500) < 1 / (1 + np.exp(-X[:, 0] - X[:, 1]))
    share = [
        SVForestClassifier(method, class_weight={True: weight}, random_state=0).fit(X, y).predict(new).mean()
        for weight in (0.2, 1, 5)
    ]
    assert share[0] + 0.05 < share[1] and share[1] + 0.05 < share[2]


def test_seeds_and_threads(classes):
    X, y = classes
    one = RSVTClassifier(n_estimators=3, random_state=7, n_jobs=1).fit(X, y).forest_.to_bytes()
    assert RSVTClassifier(n_estimators=3, random_state=7, n_jobs=-1).fit(X, y).forest_.to_bytes() == one
    assert RSVTClassifier(n_estimators=3, random_state=8).fit(X, y).forest_.to_bytes() != one
    state = np.random.RandomState(0)
    drawn = [RSVTClassifier(n_estimators=3, random_state=state).fit(X, y).seed_ for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_familiar_values(classes):
    X, y = classes
    kept = lambda **keywords: RFClassifier(n_estimators=2, **keywords).fit(X, y).settings_
    assert kept(max_features=None)["features"] == "all" and kept(max_features=1.0)["features"] == 5
    assert kept(max_features="log2")["features"] == 2 and kept(max_features=0.5)["features"] == 2
    assert kept(max_features="sqrt")["features"] == "sqrt" and kept(max_features=3)["features"] == 3
    assert kept(min_samples_leaf=0.1)["min_leaf"] == 30 and kept(min_samples_leaf=4)["min_leaf"] == 4
    assert kept(max_depth=None)["max_depth"] == 0 and kept(max_depth=2)["max_depth"] == 2
    linear = svforest.LinearSVMClassifier(bias=False, C_grid=[0.5, 2], tol=1e-4).fit(X, y).settings_
    assert (linear["bias"], linear["C_grid"], linear["tolerance"]) == ("no", (0.5, 2.0), 1e-4)


def test_every_method_has_its_classes():
    for name, method in svforest.methods.items():
        classes = {n: getattr(svforest, n) for n in svforest.__all__ if n.endswith(("Classifier", "Regressor"))}
        found = [n for n, cls in classes.items() if cls._method == name and cls.__name__ == n]
        assert found and all(n.startswith(method.class_stem) for n in found)
        if not method.is_committee:
            assert getattr(svforest, found[0])().get_params()["n_estimators"] == method.values["trees"]


def test_tbrf_by_its_bare_name(numbers):
    assert svforest.TBRFRegressor is svforest.TBRFCRegressor
    model = svforest.TBRFRegressor(n_estimators=2, random_state=0).fit(*numbers)
    assert model.forest_.to_bytes() == svforest.TBRFCRegressor(n_estimators=2, random_state=0).fit(*numbers).forest_.to_bytes()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(numbers[0]), model.predict(numbers[0]))


def test_intervals(numbers):
    X, y = numbers
    model = RFRegressor(n_estimators=30, min_samples_leaf=3, random_state=0).fit(X[::2], y[::2])
    ends, wide = model.predict_interval(X), model.predict_interval(X, level=0.99)
    assert ends.shape == (300, 2) and (wide[:, 0] < ends[:, 0]).all() and (ends[:, 1] < wide[:, 1]).all()
    np.testing.assert_allclose(ends.mean(axis=1), model.predict(X))
    # at least as wide as the trees differ
    assert (ends[:, 1] - ends[:, 0] > 2 * 1.6448 * model.predict_trees(X).std(axis=1)).all()
    assert ((ends[1::2, 0] < y[1::2]) & (y[1::2] < ends[1::2, 1])).mean() > 0.8
    assert model.predict_interval(X[:1]).shape == (1, 2)
    for level in (0, 1, 90, float("nan"), "0.9"):
        with pytest.raises(ValueError, match="level="):
            model.predict_interval(X, level)
    assert not hasattr(RFClassifier, "predict_interval")


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_codes_of_whole_numbers(kind):
    """The quick way is np.unique's answer."""
    from svforest._classifier import classes_of

    limits = np.iinfo(kind)
    for y in ([3, 1, 3, 7], [limits.min, limits.max, 5], [limits.max, limits.max - 1], [5], [0, 1, 1, 2, 0]):
        y = np.array(y, dtype=kind)
        classes, codes = classes_of(y)
        expected, expected_codes = np.unique(y, return_inverse=True)
        assert classes.dtype == y.dtype
        np.testing.assert_array_equal(classes, expected)
        np.testing.assert_array_equal(codes, expected_codes)
    y = np.tile(np.array([limits.max, limits.max - 200] if limits.max > 200 else [-100, 100], dtype=kind), 200)
    for codes, expected in zip(classes_of(y), np.unique(y, return_inverse=True)):  # a span that int8 does not hold
        np.testing.assert_array_equal(codes, expected)
    assert RFClassifier(n_estimators=2).fit(np.zeros((400, 1)), y).classes_.tolist() == sorted({*y.tolist()})


@pytest.fixture(scope="module")
def noisy():
    """Uneven classes, of which much is luck."""
    random = np.random.default_rng(7)
    X = random.normal(size=(240, 4))
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 1.5 * random.normal(size=240)


@pytest.mark.parametrize("method", [name for name, method in svforest.methods.items() if method.allows(1)])
def test_the_most_probable_class_is_predicted(method, noisy):
    """By auto and by every method whose trees are averaged or added up; where they vote, the docstring says otherwise."""
    X, z = noisy
    values = svforest.methods[method].values
    committee = values["committee"] == "yes"
    options = {"effort": 1} if committee else {"n_estimators": 4} if values["trees"] > 1 else {}
    agrees = []
    for bounds in ([1.2], [-0.5, 1.5]):
        model = SVForestClassifier(method, random_state=0, **options).fit(X[::2], np.digitize(z, bounds)[::2])
        p = model.predict_proba(X)
        agrees.append(np.array_equal(model.predict(X), model.classes_[p.argmax(axis=1)]))
        scores = model.decision_function(X)
        best = scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0).astype(int)
        np.testing.assert_array_equal(model.predict(X), model.classes_[best])
    cls = next(c for c in vars(svforest).values() if getattr(c, "_method", None) == method and c._task == 1)
    voted = values["vote"] == "majority" and not committee
    assert all(agrees) or voted
    assert ("``predict_proba`` is the mean" in "".join(cls.__doc__.splitlines(True)[:6])) == voted
