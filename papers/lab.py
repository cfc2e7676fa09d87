"""Measuring: data sets as arrays, splits, contenders, processor time. Everything that needs NumPy or scikit-learn."""
import collections
import functools
import time

import numpy
import pandas
from sklearn.model_selection import train_test_split

import data
import methods


@functools.lru_cache(maxsize=None)
def whole(name):
    """X and y of a set; classes are the codes of their labels."""
    frame = pandas.concat([pandas.read_csv(path) for path in data.files(name)], ignore_index=True)
    X, y = frame.iloc[:, :-1].to_numpy(dtype=float), frame.iloc[:, -1].to_numpy()
    if name.split(".")[0] not in data.NUMBERS:
        y = numpy.unique(y, return_inverse=True)[1]
    return X, y


def capped(name, rows):
    """The set, or that many rows of it, drawn once and for all."""
    X, y = whole(name)
    if len(X) <= rows:
        return X, y
    chosen = numpy.sort(numpy.random.default_rng(0).permutation(len(X))[:rows])
    return X[chosen], y[chosen]


def split(X, y, state, share=1 / 3):
    """Training and test rows; stratified where every class has two rows or more."""
    few = min(collections.Counter(y.tolist()).values()) < 2
    return train_test_split(X, y, test_size=share, stratify=None if few else y, random_state=state)


def contest(name, method, state, rows=10**9, share=1 / 3, settings=None):
    """One contender on one split of a set: accuracy in %, processor seconds of training and of prediction."""
    X, y = capped(name, rows)
    train_X, test_X, train_y, test_y = split(X, y, state, share)
    return {**judged(method, state, train_X, train_y, test_X, test_y, settings), "rows": len(X), **(settings or {})}


def fixed(name, method, seed, settings=None):
    """The same on the set's own split: the seed is the forest's."""
    (train_X, train_y), (test_X, test_y) = own_split(name)
    return judged(method, seed, train_X, train_y, test_X, test_y, settings)


def own_split(name):
    X, y = whole(name)
    cut = len(pandas.read_csv(data.files(name)[0], usecols=[0]))
    return (X[:cut], y[:cut]), (X[cut:], y[cut:])


def judged(method, seed, train_X, train_y, test_X, test_y, settings=None):
    model = methods.make(method, seed, **settings or {})
    train, _ = timed(lambda: model.fit(train_X, train_y), 0.05)
    predict, answers = timed(lambda: model.predict(test_X), 0.02)
    return {"accuracy": 100 * float(numpy.mean(answers == test_y)), "train": train, "predict": predict,
            "tested": len(test_y)}


def timed(work, least):
    """Processor seconds of one call, and what it gave; brief work is repeated, for the clock ticks coarsely."""
    start, calls, spent = time.process_time(), 0, 0.0
    while spent < least and calls < 20:
        answer = work()
        calls += 1
        spent = time.process_time() - start
    return spent / calls, answer


# ---- the plane ----


def plane_set(kind, rows, seed=0):
    """Points of the unit square with their classes."""
    random = numpy.random.default_rng(seed)
    if kind == "spirals":
        turn, y = 3 * numpy.pi * numpy.sqrt(random.random(rows)), random.integers(0, 2, rows)
        X = numpy.column_stack([turn * numpy.cos(turn + numpy.pi * y), turn * numpy.sin(turn + numpy.pi * y)])
        X += random.normal(scale=0.4, size=X.shape)
    else:
        from sklearn.datasets import make_moons
        X, y = make_moons(rows, noise=0.2, random_state=seed)
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / (high - low), y


def plane(kind, rows, method, side, settings):
    """The classes that a forest gives on a grid of the square, and the cells of its first tree, as rows of letters."""
    X, y = plane_set(kind, rows)
    model = methods.make(method, 0, **settings).fit(X, y)
    ticks = (numpy.arange(side) + 0.5) / side
    grid = numpy.array([(x, height) for height in ticks for x in ticks])
    leaves = numpy.unique(model.apply(grid)[:, 0], return_inverse=True)[1]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    text = "".join(letters[leaf % len(letters)] for leaf in leaves), "".join(str(c) for c in model.predict(grid))
    parts = [[whole_text[i * side:(i + 1) * side] for i in range(side)] for whole_text in text]
    points = [[round(float(a), 3), round(float(b), 3), int(c)] for (a, b), c in zip(X, y)]
    return {"leaves": parts[0], "classes": parts[1], "points": points}
