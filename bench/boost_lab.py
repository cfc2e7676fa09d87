"""What boost.py measures: a method on one split of a set, and the speed of boosting beside LightGBM's."""
import math
import pathlib
import tempfile
import time

import numpy
import pandas

import common
import outlier_lab
import tables_lab
import data  # of papers/

MOST_ROWS = 12_000  # of training
MANY = 3000  # sets of more rows are split once, others three times


def sets():
    """All sets that are there, those of classes first."""
    names = [name for name in (*data.CLASSES, *data.NUMBERS) if data.there(name)]
    names += [f"mixed/{path.name.split('.')[0]}" for path in sorted((data.DATA / "mixed").glob("*.csv.gz"))]
    return sorted(map(describe, names), key=lambda one: one.task)


def table(name):
    return pandas.concat([common.read_set(path) for path in outlier_lab.paths(name)], ignore_index=True)


def describe(name):
    frame = table(name)
    text = pandas.to_numeric(frame.iloc[:, -1], errors="coerce").isna().any()
    return tables_lab.Set(name, "class" if name in data.CLASSES or text else "regress", len(frame))


def splits(one):
    return 1 if one.rows > MANY else 3


def measure(program, method, settings, one, state, same):
    train, test = outlier_lab.split(table(one.name), one.task, state, MOST_ROWS)
    return {**same, **tables_lab.compare(program, method, settings, one.task, state, train, test)}


# ---- speed, at equal settings ----

def lightgbm_train(rows, target, trees, threads):
    """The model, and seconds with binning."""
    import lightgbm
    given = {"objective": "regression", "num_leaves": 31, "learning_rate": .1, "min_data_in_leaf": 20, "lambda_l2": 1,
             "max_bin": 255, "num_threads": threads, "verbose": -1}
    start = time.perf_counter()
    model = lightgbm.train(given, lightgbm.Dataset(rows, target, params={"max_bin": 255, "verbose": -1}), trees)
    return model, time.perf_counter() - start


def our_train(program, path, model, trees):
    return program.train(path, model, "boost", trees=trees, stop_rounds=0, max_leaves=31, min_leaf=20, learning_rate=.1,
                         leaf_prior=1, bins=255, tree_features=1)["seconds"]


def predictions(program, path, model, theirs, rows):
    """Seconds of ours and theirs for all rows."""
    mine = program.eval(model, path)["predict_seconds"]
    start = time.perf_counter()
    theirs.predict(rows, num_threads=program.threads)
    return mine, time.perf_counter() - start


def speed(program, n, trees, rounds):
    """The least seconds of several rounds in turn: training of ours and LightGBM's, prediction of both."""
    least = [math.inf] * 4
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        path, model = folder / "data.csv", folder / "model.svf"
        program.run("synth", "friedman1", "-n", n, "-d", 20, "-o", path)
        frame = pandas.read_csv(path).to_numpy()
        rows, target = numpy.ascontiguousarray(frame[:, :-1]), frame[:, -1].copy()
        for _ in range(rounds):
            theirs, seconds = lightgbm_train(rows, target, trees, program.threads)
            now = [our_train(program, path, model, trees), seconds, *predictions(program, path, model, theirs, rows)]
            least = [min(pair) for pair in zip(least, now)]
    return least
