"""The page on a model: that of the command, from arrays and frames, and what it refuses."""

import numpy as np
import pytest

from svforest import AutoClassifier, RFClassifier, RFRegressor


def test_command(command, classes, tmp_path):
    X, y = classes
    model = RFClassifier(n_estimators=5, random_state=0).fit(X[:150], y[:150])
    model.save(tmp_path / "model.svf")
    columns = [f"x{j + 1}" for j in range(X.shape[1])]
    rows = np.column_stack([X[150:], y[150:]])
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", fmt="%.17g", header=",".join([*columns, "target"]), comments="")
    command("report", tmp_path / "model.svf", tmp_path / "rows.csv", "-o", tmp_path / "there.html")
    model.report(X[150:], y[150:], tmp_path / "here.html")
    here, there = (tmp_path / "here.html").read_text(), (tmp_path / "there.html").read_text()
    assert here.replace("rf on a table", "rf on rows.csv") == there


def test_frames(tmp_path):
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    X = pandas.DataFrame({"<a>": random.normal(size=200), "kind": random.choice(["x & y", "z"], 200)})
    y = np.where(X["<a>"] + (X["kind"] == "z") > 0.5, "<yes>", "no")
    AutoClassifier(effort=1, random_state=0).fit(X, y).report(X, y, tmp_path / "page.html", resamples=20)
    page = (tmp_path / "page.html").read_text()
    assert "&#60;yes&#62;" in page and "x &#38; y" in page and "<yes>" not in page and "<a>" not in page
    assert "Leaderboard" in page


def test_draws(numbers, tmp_path):
    X, y = numbers
    model = RFRegressor(n_estimators=5, random_state=0).fit(X, y)

    def page(**options):
        model.report(X, y, tmp_path / "page.html", resamples=30, **options)
        return (tmp_path / "page.html").read_bytes()

    assert page() == page(random_state=0) != page(random_state=1)
    weight = np.ones(len(y))
    assert page(sample_weight=weight) == page()
    weight[: len(y) // 2] = 0
    assert page(sample_weight=weight) != page()


def test_refusals(numbers, tmp_path):
    X, y = numbers
    model = RFRegressor(n_estimators=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="as many"):
        model.report(X, y[:-1], tmp_path / "page.html")
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="resamples"):
            model.report(X, y, tmp_path / "page.html", resamples=wrong)
    with pytest.raises(OSError, match="nowhere"):
        model.report(X, y, tmp_path / "nowhere" / "page.html")
    assert not list(tmp_path.iterdir())
