"""Measurements that only the page of TBRF needs: regression."""
import time

import numpy
from sklearn.model_selection import train_test_split

import lab
import methods


def regressor(method, seed, settings):
    if method != "sklearn ET":
        return methods.own("SVForestRegressor", method, seed, settings)
    from sklearn.ensemble import ExtraTreesRegressor
    return ExtraTreesRegressor(random_state=seed, n_jobs=1, **settings)


def contest(name, method, state, rows=10**9, settings=None):
    """Mean squared error on 30% of the rows, and processor seconds of training."""
    train_X, test_X, train_y, test_y = train_test_split(*lab.capped(name, rows), test_size=.3, random_state=state)
    model = regressor(method, state, settings or {})
    start = time.process_time()
    model.fit(train_X, train_y)
    seconds = time.process_time() - start
    return {"mse": float(numpy.mean((model.predict(test_X) - test_y) ** 2)), "train": seconds}


def stages(name, method, rows, counts):
    """Error of the first trees of one forest, and the processor seconds that they took: their share of the whole."""
    train_X, test_X, train_y, test_y = train_test_split(*lab.capped(name, rows), test_size=.3, random_state=0)
    model = regressor(method, 0, {"trees": max(counts)})
    start = time.process_time()
    model.fit(train_X, train_y)
    each = (time.process_time() - start) / max(counts)
    errors = [float(numpy.mean((answers - test_y) ** 2)) for answers in model.staged_predict(test_X)]
    return {"curve": [[count, count * each, errors[count - 1]] for count in counts]}


def line(method, trees, rows, side):
    """A noisy sine under a method, as in bench/figure4.py: its answers on a grid."""
    random = numpy.random.default_rng(1)
    x = random.random(rows)
    y = numpy.sin(12 * x) + 0.3 * random.standard_normal(rows)
    settings = {"trees": trees, "cells": 8, "widths": [0.5, 1], "C_grid": [1, 10, 100]}
    if method != "vp-svm":
        settings["splits_per_row"] = 0
    model = regressor(method, 3, settings).fit(x[:, None], y)
    grid = numpy.linspace(0, 1, side)
    answers = model.predict(grid[:, None])
    return {"answers": [round(float(a), 4) for a in answers], "largest_step": float(numpy.abs(numpy.diff(answers)).max()),
            "points": [[round(float(a), 3), round(float(b), 3)] for a, b in zip(x[:200], y[:200])]}
