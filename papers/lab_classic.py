"""Measurements that only the page of the classic forests needs."""
import numpy

import lab
import methods


def rows_of(name, state):
    X, y = lab.plane_set("spirals", 600, state) if name == "spirals" else lab.whole(name)
    return lab.split(X, y, state)


def curve(name, method, counts):
    """Error of the first trees, and the share of test rows on which two forests of that size disagree."""
    train_X, test_X, train_y, test_y = rows_of(name, 0)
    forests = [methods.make(method, seed, trees=max(counts)).fit(train_X, train_y) for seed in (0, 1)]
    stages = [list(forest.staged_predict(test_X)) for forest in forests]
    return {"error": {str(c): float(numpy.mean(stages[0][c - 1] != test_y)) for c in counts},
            "noise": {str(c): float(numpy.mean(stages[0][c - 1] != stages[1][c - 1])) for c in counts}}


def oblique(name, method, state):
    train_X, test_X, train_y, test_y = rows_of(name, state)
    return lab.judged(method, state, train_X, train_y, test_X, test_y)


def turned(angle, method, state):
    """Two normal features, the class is the side of a line that is turned by an angle against the first axis."""
    random = numpy.random.default_rng([state, angle])
    X = random.standard_normal((4200, 2))
    turn = numpy.deg2rad(angle)
    y = (X @ [numpy.cos(turn), numpy.sin(turn)] > 0).astype(int)
    return lab.judged(method, state, X[:200], y[:200], X[200:], y[200:])


def uneven(share, settings, state):
    """How much of a rare class is found, in %, and the mean of that over both classes."""
    random = numpy.random.default_rng(state)

    def draw(n, rare):
        y = (random.random(n) < rare).astype(int)
        return random.standard_normal((n, 5)) + 0.8 * y[:, None], y

    X, y = draw(1000, share)
    test_X, test_y = draw(4000, 0.5)
    answers = methods.make("rf", state, **settings).fit(X, y).predict(test_X)
    rare, common = (float(numpy.mean(answers[test_y == c] == c)) for c in (1, 0))
    return {"rare": 100 * rare, "balanced": 50 * (rare + common)}
