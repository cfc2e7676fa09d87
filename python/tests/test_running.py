"""Ctrl-C, threads, fork, progress, and what is copied."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import svforest
from svforest import RFClassifier, RSVTClassifier


pytestmark = pytest.mark.usefixtures("interruptible")


@pytest.fixture(scope="module")
def slow():
    """Training takes many seconds."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60_000, 20))
    return svforest.RFClassifier(n_estimators=2000, random_state=0), X, (X[:, :4].prod(axis=1) > 0).astype(int)


def interrupt_soon(after=0.7):
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_interrupt_stops_and_leaves_unfitted(slow, classes):
    model, X, y = slow
    small = svforest.RFClassifier(n_estimators=2).fit(*classes)
    for estimator in (model, small.set_params(n_estimators=2000)):
        timer, start = interrupt_soon(), time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X, y)
        assert time.monotonic() - start < 5
        timer.join()
        with pytest.raises(NotFittedError):
            estimator.predict(X)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert RSVTClassifier(n_estimators=2).fit(*classes).score(*classes) > 0.5  # the process is sound


def test_interrupt_leaves_a_warm_start_as_it_was(slow):
    _, X, y = slow
    model = RFClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X, y)
    forest, said = model.forest_, model.predict(X[:100])
    timer = interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_estimators=2000).fit(X, y)
    timer.join()
    assert model.forest_ is forest and (model.predict(X[:100]) == said).all()


def test_interrupt_keeps_the_rounds_that_are_done(slow):
    _, X, y = slow
    model = svforest.BoostClassifier(n_estimators=100_000, stop_rounds=0, random_state=0)
    timer = interrupt_soon(2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    timer.join()
    assert 0 < model.settings_["trees"] < 100_000 and model.score(X[:1000], y[:1000]) > 0.5


def test_a_handler_of_the_user_is_called(slow):
    model, X, y = slow
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        timer = interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]


def test_other_threads_run_while_it_trains(slow):
    """The interpreter is free: a thread that counts gets on while another trains."""
    _, X, y = slow
    small = svforest.RFClassifier(n_estimators=20, n_jobs=1, random_state=0)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    small.fit(X[:15000], y[:15000])
    took = time.monotonic() - start
    stop.set()
    thread.join()
    assert counted[0] > 100 * took


def test_fits_at_once(classes):
    X, y = classes
    alone = RSVTClassifier(n_estimators=4, random_state=0).fit(X, y)
    with ThreadPoolExecutor(8) as pool:
        fits = [pool.submit(RSVTClassifier(n_estimators=4, random_state=0).fit, X, y) for _ in range(24)]
        assert {fit.result().forest_.to_bytes() for fit in fits} == {alone.forest_.to_bytes()}
        rows = [pool.submit(alone.predict, X[i : i + 1]) for i in range(300)]
        assert [row.result()[0] for row in rows] == alone.predict(X).tolist()


def test_fork_after_fit(classes):
    """A child uses the model of its parent, trains its own, and ends in order."""
    X, y = classes
    model = RSVTClassifier(n_estimators=4, random_state=0).fit(X, y)
    said = model.predict(X)
    child = os.fork()
    if child == 0:
        fine = (model.predict(X) == said).all() and model.predict(X[:1])[0] == said[0]
        other = RSVTClassifier(n_estimators=4, random_state=0).fit(X, y)
        fine &= other.forest_.to_bytes() == model.forest_.to_bytes()
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(model.predict(X), said)


def test_verbose(slow, capsys, monkeypatch):
    _, X, y = slow
    model = RFClassifier(n_estimators=200, n_jobs=1, verbose=1, random_state=0)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    model.fit(X[:8000], y[:8000])
    shown = capsys.readouterr().err
    assert "svforest:" in shown and "s left (" in shown and shown.endswith("\n")
    monkeypatch.undo()
    model.set_params(verbose=0).fit(X[:2000], y[:2000])
    assert capsys.readouterr() == ("", "")


def test_verbose_by_tqdm(slow, capsys):
    pytest.importorskip("tqdm")
    _, X, y = slow
    RFClassifier(n_estimators=30, n_jobs=1, verbose=1, random_state=0).fit(X[:8000], y[:8000])
    assert "%|" in capsys.readouterr().err


def test_a_loaded_library_is_needed(tmp_path):
    """Without the library beside the modules, the error says what to do."""
    source = os.path.dirname(svforest.__file__)
    code = f"""
    import sys, types
    package = types.ModuleType("svforest"); package.__path__ = [{str(tmp_path)!r}]
    sys.modules["svforest"] = package
    import svforest._library
    """
    (tmp_path / "_library.py").write_text(open(os.path.join(source, "_library.py")).read())
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode and "pip install" in done.stderr


def test_remarks_on_the_table_are_warnings():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    X[3, 1] = 1e9
    with pytest.warns(svforest.TableWarning, match="column 'x2': the range is more than a thousand times") as caught:
        svforest.RSVTClassifier(random_state=0).fit(X, y)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svforest.RSVTClassifier(scale="robust", random_state=0).fit(X, y)


PARALLEL = """
import numpy as np
from joblib import Parallel, delayed
from svforest import RSVTClassifier
from svforest._run import threads_of

X = np.random.default_rng(0).normal(size=(200, 3))
y = (X[:, 0] > 0).astype(int)
fit = lambda seed: (RSVTClassifier(random_state=seed).fit(X, y), threads_of(None))
for seed, (model, threads) in enumerate(Parallel(n_jobs=2)(delayed(fit)(seed) for seed in range(2))):
    assert model.forest_.to_bytes() == fit(seed)[0].forest_.to_bytes()
    assert threads == 1
"""


@pytest.mark.skipif(os.environ.get("SVFOREST_TESTS") != "long", reason="starts processes that import everything")
def test_jobs_within_jobs_of_joblib():
    """Other processes train the same, with one thread each, and hand the models back."""
    subprocess.run([sys.executable, "-c", PARALLEL], check=True)
