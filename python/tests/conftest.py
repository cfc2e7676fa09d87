"""What the tests share: the command, and small sets."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

COMMAND = os.environ.get("SVFOREST_COMMAND") or Path(__file__).parents[2] / "build" / "svforest"


@pytest.fixture(scope="session")
def command():
    """Runs the command and gives what it prints."""
    if not shutil.which(COMMAND):
        pytest.skip(f"there is no command at {COMMAND}; './dev build' makes it")

    def run(*words):
        done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def interruptible():
    """A shell that starts us in the background has Ctrl-C ignored; here it is heard."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def bounded(request):
    """No test may hang: each of the module has SECONDS."""

    def end(number, frame):
        raise TimeoutError(f"the test took more than {request.module.SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(request.module.SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def arrays(request):
    """As many rows as the module's ROWS, three classes, missing values."""
    rows, random = request.module.ROWS, np.random.default_rng(3)
    X = random.normal(size=(rows, 5))
    X[::17, 2] = np.nan
    return X, np.digitize(X[:, 0] + X[:, 1] * X[:, 3] + 0.3 * random.normal(size=rows), [-0.6, 0.6])


@pytest.fixture(scope="session")
def classes():
    """300 rows of 5 features, three classes."""
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 5))
    return X, np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=300), [-0.6, 0.6])


@pytest.fixture(scope="session")
def numbers():
    random = np.random.default_rng(2)
    X = random.uniform(size=(300, 5))
    return X, 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 5 * X[:, 2] + random.normal(size=300)
