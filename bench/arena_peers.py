"""A contestant of arena.py that is not ours, measured alone in a process and a Python environment of its own.

arena.py calls ask(), which runs this file. It learns from train.csv, answers test.csv, and prints what it found as JSON; the
answers are in answers.npy: probabilities in the order of the sorted labels of the training rows, or numbers.
"""
import argparse
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

import common
import tables_peers

STRETCH = 30  # after so many times its budget, and a minute, a contestant counts as failed


def xgboost(task, state, train, threads):
    from xgboost import XGBClassifier, XGBRegressor
    return (XGBClassifier if task == "class" else XGBRegressor)(n_jobs=threads, random_state=state, enable_categorical=True)


def extra(task, state, train, threads):
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
    return (ExtraTreesClassifier if task == "class" else ExtraTreesRegressor)(n_jobs=threads, random_state=state)


# As tables_peers.PEERS: package, what makes the model, what prepares the frames.
FIXED = {
    **tables_peers.PEERS,
    "sklearn ET": ("scikit-learn", extra, tables_peers.one_hot),
    "XGBoost": ("xgboost-cpu", xgboost, tables_peers.categories),
}


class Fixed:
    """A method with default settings."""

    def __init__(self, name, task, state, threads):
        self.name, self.task, self.state, self.threads = name, task, state, threads

    def fit(self, train, target, test):
        _, make, prepare = FIXED[self.name]
        self.model = make(self.task, self.state, train, self.threads)
        train, self.test = prepare(train, test)
        self.model.fit(train, target)

    def answer(self):
        return self.model.predict(self.test) if self.task == "regress" else self.model.predict_proba(self.test)


class Flaml:
    """FLAML in so many seconds, told to make the log-loss least."""

    def __init__(self, task, state, threads, seconds):
        self.told = {"task": "classification" if task == "class" else "regression", "seed": state, "n_jobs": threads,
                     "time_budget": seconds, "verbose": 0, "metric": "log_loss" if task == "class" else "r2"}

    def fit(self, train, target, test):
        from flaml import AutoML
        self.model, self.test = AutoML(), test
        self.model.fit(*tables_peers.categories(train, test)[:1], target, **self.told)
        self.test = tables_peers.categories(train, test)[1]

    def answer(self):
        proba = self.told["task"] == "classification"
        return self.model.predict_proba(self.test) if proba else self.model.predict(self.test)


class AutoGluon:
    """AutoGluon in so many seconds with its default preset, told to make the log-loss least."""

    def __init__(self, task, state, threads, seconds):
        self.task, self.threads, self.seconds = task, threads, seconds

    def fit(self, train, target, test):
        from autogluon.tabular import TabularPredictor
        self.test, kinds = test, len(set(target))
        problem = "regression" if self.task == "regress" else "binary" if kinds == 2 else "multiclass"
        self.model = TabularPredictor(
            label="target of the arena", problem_type=problem, verbosity=0, path=tempfile.mkdtemp(dir="."),
            eval_metric="log_loss" if self.task == "class" else None)
        self.model.fit(train.assign(**{"target of the arena": target}), time_limit=self.seconds, num_cpus=self.threads)

    def answer(self):
        if self.task == "regress":
            return self.model.predict(self.test).to_numpy()
        proba = self.model.predict_proba(self.test)
        return proba.reindex(columns=range(int(max(proba.columns)) + 1), fill_value=0).to_numpy()


class Xrfm:
    """The authors' package with its defaults and the preparation that its guide recommends; a fifth of the rows judge."""

    def __init__(self, task, state, threads, _seconds):
        self.task, self.state, self.threads = task, state, threads

    def prepare(self, train, test):
        """Numbers standardised, a missing one at the mean; 0/1 columns of categories as they are, with what tells it so."""
        import torch
        from sklearn.compose import make_column_transformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler
        text = tables_peers.texts(train)
        numbers = [name for name in train.columns if name not in text]
        encoder = make_column_transformer(
            (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), numbers),
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), text))
        x, z = (numpy.asarray(part, dtype=numpy.float32) for part in (encoder.fit_transform(train), encoder.transform(test)))
        told, start = None, len(numbers)
        if text:
            sizes = [len(levels) for levels in encoder.transformers_[1][1].categories_]
            starts = numpy.cumsum([start, *sizes])
            told = {"numerical_indices": torch.arange(start),
                    "categorical_indices": [torch.arange(int(a), int(b)) for a, b in zip(starts, starts[1:])],
                    "categorical_vectors": [torch.eye(size) for size in sizes]}
        return x, z, told

    def fit(self, train, target, test):
        import torch
        from sklearn.model_selection import train_test_split
        from xrfm import xRFM
        x, z, told = self.prepare(train, test)
        target = numpy.asarray(target)
        often = self.task == "class" and numpy.bincount(target).min() > 1
        parts = train_test_split(x, target, test_size=.2, random_state=self.state, stratify=target if often else None)
        self.centre = parts[2].mean() if self.task == "regress" else 0
        self.spread = parts[2].std() if self.task == "regress" else 1
        kind = torch.float32 if self.task == "regress" else torch.int64
        x, judged = (torch.tensor(part) for part in parts[:2])
        y, aim = (torch.tensor((part - self.centre) / self.spread if self.task == "regress" else part, dtype=kind)
                  for part in parts[2:])
        self.model = xRFM(device="cpu", n_threads=self.threads, random_state=self.state, categorical_info=told, verbose=False)
        self.model.fit(x, y, judged, aim)
        self.test = torch.tensor(z)

    def answer(self):
        if self.task == "regress":
            return numpy.asarray(self.model.predict(self.test)).ravel() * self.spread + self.centre
        return numpy.asarray(self.model.predict_proba(self.test))


# Those in an environment of their own: package, what it is, environment. TIMED: they take a budget.
APART = {"FLAML": ("flaml", Flaml, ".venv-arena-flaml"),
         "AutoGluon": ("autogluon.tabular", AutoGluon, ".venv-arena-autogluon"),
         "xrfm package": ("xrfm", Xrfm, ".venv-metric-xrfm")}
TIMED = ("FLAML", "AutoGluon")
NAMES = [*FIXED, *TIMED]
ALL = [*FIXED, *APART]


def environment(name):
    """Its interpreter; None: the environment is not there."""
    if name in FIXED:
        return sys.executable
    path = common.ROOT / APART[name][2] / "bin" / "python"
    return str(path) if path.exists() else None


def version(name):
    """Of its package, in its environment; None: it is not installed."""
    package, python = (FIXED.get(name) or APART[name])[0], environment(name)
    if not python:
        return None
    code = f"import importlib.metadata as found; print(found.version({package!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return f"{package} {done.stdout.strip()}" if done.returncode == 0 else None


def ask(name, task, state, threads, seconds, train, test):
    """What a contestant reports, and its answers to the test rows."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        train.to_csv(folder / "train.csv", index=False)
        test.to_csv(folder / "test.csv", index=False)
        words = [environment(name), __file__, name, task, "--state", state, "--threads", threads, "--seconds", seconds]
        threads_of = {f"{pool}_NUM_THREADS": str(threads) for pool in ("OMP", "OPENBLAS", "MKL")}
        done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, check=False,
                              timeout=60 + STRETCH * (seconds or 60), env={**os.environ, **threads_of})
        if done.returncode != 0:
            raise RuntimeError(f"{name}: {done.stderr[-2000:]}")
        return json.loads(done.stdout.splitlines()[-1]), numpy.load(folder / "answers.npy")


def main(given):
    import tables_lab
    train, test = common.read_set("train.csv"), common.read_set("test.csv")
    features, target, rows = tables_lab.typed_pair(train, test)
    if given.task == "class":
        labels = sorted(set(target.astype(str)))
        target = target.astype(str).map({label: number for number, label in enumerate(labels)}).to_numpy()
    made = (Fixed(given.name, given.task, given.state, given.threads) if given.name in FIXED else
            APART[given.name][1](given.task, given.state, given.threads, given.seconds))
    start = time.perf_counter()
    made.fit(features, target, rows)
    middle = time.perf_counter()
    answers = made.answer()
    seconds = {"seconds": middle - start, "answering": time.perf_counter() - middle}
    numpy.save("answers.npy", numpy.asarray(answers, dtype=float))
    print(json.dumps({what: round(value, 4) for what, value in seconds.items()}))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name", choices=ALL)
    options.add_argument("task", choices=("class", "regress"))
    options.add_argument("--state", type=int, default=0)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--seconds", type=float, default=0, help="the budget of one that takes one")
    main(options.parse_args())
