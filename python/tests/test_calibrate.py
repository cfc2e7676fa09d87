"""Calibrated models: intervals and sets hold, are kept in files, and are those of the command."""

import pickle

import numpy as np
import pytest

import svforest
from svforest import AutoRegressor, BoostRegressor, RFClassifier, RFRegressor


def friedman(rows, seed):
    random = np.random.default_rng(seed)
    X = random.uniform(size=(rows, 5))
    return X, 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 5 * X[:, 2] + random.normal(size=rows)


@pytest.mark.parametrize("model", [RFRegressor(n_estimators=20), BoostRegressor(n_estimators=30), AutoRegressor(effort=1)])
def test_intervals(model, tmp_path):
    X, y = friedman(1000, 5)
    model.set_params(random_state=0).fit(*friedman(300, 3))
    before = model.predict(X)
    assert model.calibrate(*friedman(400, 4)) is model and (model.predict(X) == before).all()
    for level in (0.5, 0.9):
        low, high = model.predict_interval(X, level).T
        assert abs(((low <= y) & (y <= high)).mean() - level) < 0.06
    model.save(tmp_path / "model.svf")
    again = svforest.load(tmp_path / "model.svf")
    assert (again.predict_interval(X) == model.predict_interval(X)).all()
    assert (pickle.loads(pickle.dumps(model)).predict_interval(X) == model.predict_interval(X)).all()
    assert model.fit(*friedman(300, 3)).forest_.calibration_rows == 0


@pytest.mark.parametrize("model", [RFRegressor(n_estimators=20), BoostRegressor(n_estimators=30), AutoRegressor(effort=1)])
def test_at_training(model, command, tmp_path):
    X, y = friedman(1000, 5)
    model.set_params(random_state=0, interval="conformal", interval_fraction=0.4).fit(*friedman(600, 3))
    assert model.forest_.calibration_rows == 240 and model.forest_.info.rows == 360
    low, high = model.predict_interval(X, 0.9).T
    assert abs(((low <= y) & (y <= high)).mean() - 0.9) < 0.06
    model.save(tmp_path / "model.svf")
    assert '"calibration_rows": 240' in command("info", tmp_path / "model.svf", "--json").replace('":240', '": 240')
    assert (svforest.load(tmp_path / "model.svf").predict_interval(X) == model.predict_interval(X)).all()


def test_at_training_sets(classes):
    X, y = classes
    model = RFClassifier(n_estimators=30, random_state=0, interval="conformal").fit(X[:210], y[:210])
    held = model.predict_set(X[210:], 0.8)[np.arange(90), y[210:]]
    assert 0.65 < held.mean() < 0.97


def test_at_training_refused(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match="leave one of the two out"):
        RFRegressor(n_estimators=2, interval="conformal", oob_score=True).fit(X, y)
    with pytest.raises(ValueError, match="weights"):
        RFRegressor(n_estimators=2, interval="conformal").fit(X, y, sample_weight=np.arange(1, len(y) + 1))
    with pytest.raises(ValueError, match="is for interval=conformal"):
        RFRegressor(n_estimators=2, interval_fraction=0.3).fit(X, y)
    model = RFRegressor(n_estimators=2, interval="conformal", warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="fit anew"):
        model.set_params(n_estimators=4).fit(X, y)
    boost = BoostRegressor(n_estimators=4, stop_rounds=0, interval="conformal", warm_start=True, random_state=0).fit(X, y)
    boost.set_params(n_estimators=8).fit(X, y)
    assert boost.forest_.trees == 8 and boost.forest_.calibration_rows > 0


def test_command(command, tmp_path):
    model = RFRegressor(n_estimators=5, random_state=0).fit(*friedman(200, 1)).calibrate(*friedman(50, 2))
    X, _ = friedman(20, 3)
    model.save(tmp_path / "model.svf")
    np.savetxt(tmp_path / "rows.csv", X, delimiter=",", fmt="%.17g", header="x1,x2,x3,x4,x5", comments="")
    lines = command("predict", tmp_path / "model.svf", tmp_path / "rows.csv", "--interval", 0.9).splitlines()
    said = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    assert (said[:, 1:] == model.predict_interval(X, 0.9)).all()


def test_sets(classes):
    X, y = classes
    names = np.array(["low", "middle", "high"])[y]
    model = RFClassifier(n_estimators=30, random_state=0).fit(X[:120], names[:120])
    with pytest.raises(ValueError, match="calibrated"):
        model.predict_set(X)
    model.calibrate(X[120:210], names[120:210])
    member = model.predict_set(X[210:], 0.8)
    assert member.shape == (90, 3) and member.any(axis=1).all()
    held = member[np.arange(90), np.searchsorted(model.classes_, names[210:])]
    assert 0.65 < held.mean() < 0.95
    assert member.sum() <= model.predict_set(X[210:], 0.95).sum()
    odd = RFClassifier(n_estimators=3, random_state=0).fit(X, y).calibrate(X[:4], [0, 1, 2, 7])
    assert odd.predict_set(X, 0.8).all()  # a class that training did not know counts as missed


def test_refusals(numbers):
    X, y = numbers
    model = RFRegressor(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="as many"):
        model.calibrate(X, y[:-1])
    with pytest.raises(ValueError):
        model.calibrate(X[:, :2], y)
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.predict_interval(X, 1)
