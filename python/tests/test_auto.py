"""The default classes: a committee of several methods."""

import pickle
import re
import sys

import numpy as np
import pytest

import svforest
from svforest import AutoClassifier, AutoRegressor, RFClassifier, SVForestClassifier, SVForestRegressor

PLAN = "effort=1 task=class folds=2 repeats=1; rf trees=3; ccf trees=2"


def test_it_is_the_default(classes, numbers):
    for general, own, (X, y) in (
        (SVForestClassifier, AutoClassifier, classes),
        (SVForestRegressor, AutoRegressor, numbers),
    ):
        model = general(effort=1, random_state=0).fit(X, y)
        assert model.method == "auto" and model.score(X, y) > 0.6
        assert model.forest_.to_bytes() == own(effort=1, random_state=0).fit(X, y).forest_.to_bytes()


def test_a_plan_makes_the_same_again(classes, command, tmp_path):
    X, y = classes
    model = SVForestClassifier(plan=PLAN, random_state=3).fit(X, y)
    assert model.plan_ == PLAN
    for n_jobs in (1, 2, 3):
        again = AutoClassifier(plan=model.plan_, effort=9, random_state=3, n_jobs=n_jobs).fit(X, y)
        assert again.forest_.to_bytes() == model.forest_.to_bytes()
    model.save(tmp_path / "m.svf")
    for other in (svforest.load(tmp_path / "m.svf"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        assert other.plan_ == PLAN and other.held_out_score_ == model.held_out_score_
    command("verify", tmp_path / "m.svf")


def test_leaderboard(classes, tmp_path, monkeypatch):
    X, y = classes
    model = SVForestClassifier(effort=2, random_state=0).fit(X, y)
    board = model.leaderboard_
    assert list(board.dtype.names if isinstance(board, np.ndarray) else board.columns) == [
        "settings", "weight", "score", "seconds", "left_out",
    ]
    members = model.plan_.split("; ")[1:]
    method = lambda settings: settings.split(" ")[0]
    assert sorted(map(method, board["settings"])) == sorted(map(method, members))
    assert sum(board["weight"]) == pytest.approx(1) and np.all(np.diff(board["weight"]) <= 0)
    assert np.all(np.asarray(board["seconds"], float) > 0) and set(board["left_out"]) == {""}
    assert model.held_out_error_ > 0
    model.save(tmp_path / "m.svf")
    loaded = SVForestClassifier.load(tmp_path / "m.svf").leaderboard_
    assert list(loaded["settings"]) == [s for s, w in zip(board["settings"], board["weight"]) if w > 0]
    assert np.isnan(np.asarray(loaded["seconds"], float)).all()
    monkeypatch.setitem(sys.modules, "pandas", None)
    plain = SVForestClassifier(plan=PLAN, random_state=0).fit(X, y).leaderboard_
    assert isinstance(plain, np.recarray) and set(plain["settings"]) == {"rf trees=3", "ccf trees=2"}
    assert not hasattr(RFClassifier(n_estimators=2).fit(X, y), "leaderboard_")


def test_a_time_limit_leaves_members_out(classes):
    X, y = classes
    model = SVForestClassifier(time_limit=0.01, random_state=0).fit(X, y)
    assert model.plan_.startswith("effort=9") and model.score(X, y) > 0.5


@pytest.mark.parametrize(
    "keywords, words",
    [
        ({"n_estimators": 50}, r"n_estimators=50: method='auto' chooses it for each of its members; .* name a method"),
        ({"max_depth": 3}, "max_depth=3: method='auto' chooses it"),
        ({"oob_score": True}, "oob_score=True: method='auto' is a committee"),
        ({"warm_start": True}, "warm_start=True: method='auto' is a committee"),
        ({"effort": 10}, r"effort=10: must be an integer in 1\.\.9"),
        ({"aim": "mse"}, "aim=mse or mae is for numbers"),
        ({"time_limit": 0}, "time_limit=0: must be a number of seconds"),
        ({"plan": "rf"}, "a plan begins with"),
        ({"plan": PLAN.replace("class", "regress")}, "the plan was made for task=regress"),
        ({"method": "rf", "effort": 3}, "effort is for a committee"),
        ({"method": "rf", "time_limit": 3}, "time_limit=3: it is for method='auto', and this is method='rf'"),
        ({"method": "rf", "plan": PLAN}, "it is for method='auto'"),
    ],
)
def test_refusals(keywords, words, classes):
    with pytest.raises(ValueError, match=words):
        SVForestClassifier(**keywords).fit(*classes)


def test_refusals_of_the_own_class():
    with pytest.raises(TypeError, match="AutoClassifier does not read n_estimators; it chooses that for each"):
        AutoClassifier(n_estimators=3)
    with pytest.raises(TypeError, match="warm_start"):
        AutoRegressor(warm_start=True)


def test_what_only_one_forest_has(classes):
    X, y = classes
    model = SVForestClassifier(plan=PLAN, random_state=0).fit(X, y)
    for ask in (model.apply, model.predict_trees, lambda X: list(model.staged_predict(X))):
        with pytest.raises(ValueError, match="ask one of its members"):
            ask(X)
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_progress_ends_with_done(classes, capsys, monkeypatch):
    X, y = classes
    for tqdm in (True, False):
        if not tqdm:
            monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        SVForestClassifier(effort=1, random_state=0, verbose=1).fit(np.tile(X, (15, 1)), np.tile(y, 15))
        shown = capsys.readouterr().err
        assert shown.rstrip().splitlines()[-1].lstrip("\r").startswith("svforest: done, ")
        assert " left" not in shown or re.search(r"[1-3]/3 (ccf|rf|et)\b", shown)  # which members show depends on the machine
        assert "members trained, " in shown


def test_the_most_probable_class_is_predicted(classes):
    X, y = classes
    model = SVForestClassifier(effort=1, random_state=0).fit(X[::2], y[::2])
    p = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
