"""Measurements that only the page of RCF needs."""
import itertools
import json
import math
import pathlib
import subprocess
import tempfile

import numpy

import data
import lab
import methods


def grid(method, features):
    """The settings that a method is tried with."""
    root = max(1, int(math.sqrt(features)))
    if method == "rf":
        return [{"features": r} for r in sorted({1, root, min(features, 2 * root), features})]
    shapes = [{"features": r, "max_depth": depth} for r, depth in itertools.product(sorted({1, root}), (2, 4))]
    ways = [{"degrees": degree} for degree in range(1, 10)] if method == "rf-svm" else [{"bound_scale": g} for g in (0.001, 0.01)]
    return [{**shape, **way} for shape in shapes for way in ways]


def partition(name, method, state, trees, tries):
    """Test error in % of the settings with the least validation error."""
    X, y = lab.whole(name)
    order = numpy.random.default_rng(state).permutation(len(X))
    train, valid, test = numpy.split(order, [int(.6 * len(X)), int(.8 * len(X))])

    def error(settings, rows, count):
        model = methods.make(method, state, trees=count, **settings).fit(X[train], y[train])
        return 100 * float(numpy.mean(model.predict(X[rows]) != y[rows]))

    tried = grid(method, X.shape[1])
    best = tried[int(numpy.argmin([error(settings, valid, tries) for settings in tried]))]
    return {"error": error(best, test, trees), "settings": best, "trees": trees, "tries": tries}


def bound(name, trees):
    """Test errors of the first trees, and the bound and criterion of each; the command knows the bound."""
    train_X, test_X, train_y, test_y = lab.split(*lab.whole(name), 0)
    model = methods.make("rcf", 0, trees=trees, max_depth=2).fit(train_X, train_y)
    errors = [float(numpy.mean(answers != test_y)) for answers in model.staged_predict(test_X)]
    with tempfile.TemporaryDirectory() as folder:
        table, saved = pathlib.Path(folder) / "train.csv", pathlib.Path(folder) / "model.svf"
        columns = list(model.forest_.feature_names())
        rows = [",".join([*map(repr, map(float, x)), str(c)]) for x, c in zip(train_X, train_y)]
        table.write_text("\n".join([",".join([*columns, "target"]), *rows]) + "\n", encoding="utf-8")
        model.save(saved)
        words = [data.ROOT / "build" / "svforest", "info", saved, "--bound", table, "--threads", "1", "--json"]
        said = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    told = said["bound_trees"]
    return {"test": errors, "bounds": [t["bound"] for t in told], "criteria": [t["criterion"] for t in told],
            "worth": said["bound_worth"]}
