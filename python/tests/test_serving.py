"""The example serve.py answers as predict does, from standard input and from a socket."""

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import svforest

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "serve.py"


@pytest.fixture
def served(tmp_path):
    pd = pytest.importorskip("pandas")
    random = np.random.default_rng(4)
    X = pd.DataFrame({"a": random.random(80), "colour": random.choice(["red", "blue"], 80)})
    X.loc[::9, "a"] = np.nan
    y = np.where((X.a.fillna(0.5) > 0.4) ^ (X.colour == "red"), "yes", "no")
    model = svforest.RFClassifier(n_estimators=5, random_state=1).fit(X, y)
    model.save(tmp_path / "m.svf")
    rows = ["" if a != a else repr(a) for a in X.a.tolist()]
    return tmp_path, [f"{a},{colour}\n" for a, colour in zip(rows, X.colour)], model.predict(X).tolist()


def test_standard_input(served):
    folder, rows, wanted = served
    run = subprocess.run(
        [sys.executable, SCRIPT, folder / "m.svf"], input="".join([*rows, "1\n"]), capture_output=True, text=True
    )
    *said, error = run.stdout.splitlines()
    assert said == wanted and error.startswith("error: ") and run.returncode == 0
    assert run.stderr.startswith("81 rows, 50% within ")


def test_socket(served):
    folder, rows, wanted = served
    with subprocess.Popen(
        [sys.executable, SCRIPT, folder / "m.svf", folder / "door"], stderr=subprocess.PIPE, text=True
    ) as server:
        for _ in range(600):
            if (folder / "door").exists():
                break
            time.sleep(0.1)
        time.sleep(0.1)
        said = []
        for part in (rows[:30], rows[30:]):
            with socket.socket(socket.AF_UNIX) as guest:
                guest.connect(str(folder / "door"))
                with guest.makefile("rw") as stream:
                    for row in part:
                        stream.write(row)
                        stream.flush()
                        said.append(stream.readline().strip())
        server.send_signal(signal.SIGTERM)
        _, told = server.communicate(timeout=60)
    assert said == wanted and told.startswith("80 rows") and not (folder / "door").exists()
