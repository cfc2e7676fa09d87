"""Distributions with a known Bayes rule, and what a forest's cells look like: the measurements of the chapter on consistency."""
import numpy

import methods

TESTED = 20_000  # new rows for each forest
SPREAD = 0.7     # of a part of the mixture


def draw(kind, n, d, seed):
    """Rows and classes."""
    random = numpy.random.default_rng([seed, d, n])
    y = random.integers(0, 2, n)
    noise = random.standard_normal((n, d))
    if kind == "twonorm":  # N(a, I) against N(-a, I), a = 2/sqrt(d) in every feature: risk Phi(-2) in any dimension
        return noise + (2 / numpy.sqrt(d)) * (2 * y - 1)[:, None], y
    if kind == "ringnorm":  # N(0, 4I) against N(a, I), a = 1/sqrt(d) in every feature
        return numpy.where(y[:, None] == 0, 2 * noise, noise + 1 / numpy.sqrt(d)), y
    return centres(d)[y, random.integers(0, 3, n)] + SPREAD * noise, y


def centres(d):
    """Of the mixture: [class, part, feature]."""
    return numpy.random.default_rng(7).uniform(-2, 2, size=(2, 3, d)) * numpy.sqrt(2 / d)


def lean(kind, X):
    """Logarithm of the odds of class 1 at each row: the Bayes rule is its sign."""
    d = X.shape[1]
    if kind == "twonorm":
        return 4 / numpy.sqrt(d) * X.sum(axis=1)
    if kind == "ringnorm":
        wide, narrow = (X**2).sum(axis=1) / 8 + d * numpy.log(2), ((X - 1 / numpy.sqrt(d)) ** 2).sum(axis=1) / 2
        return wide - narrow
    logs = [-((X[:, None, :] - of) ** 2).sum(axis=2) / (2 * SPREAD**2) for of in centres(d)]
    return numpy.logaddexp.reduce(logs[1], axis=1) - numpy.logaddexp.reduce(logs[0], axis=1)


def run(kind, n, d, forests, shapes, method, settings):
    """Means over forests, each with rows of its own and new rows of its own; with the cells of all trees if wanted."""
    each = [one(kind, n, d, seed, shapes, method, settings) for seed in range(forests)]
    found = {what: float(numpy.mean([of[what] for of in each])) for what in each[0]}
    if forests > 1:
        found["noise"] = float(numpy.std([of["excess"] for of in each], ddof=1) / numpy.sqrt(forests))
    return {**found, "forests": forests}


def one(kind, n, d, seed, shapes, method, settings):
    """The excess of one forest over the Bayes risk, and its standard error.

    A forest that is against the Bayes rule at x errs there more often than it by |P(1 | x) - P(0 | x)|. The mean of that
    over new rows has the expectation of the error minus the risk, without the noise of the new rows' classes."""
    X, y = draw(kind, n, d, seed)
    test, truth = draw(kind, TESTED, d, 1000 + seed)
    model = methods.make(method, seed, **settings).fit(X, y)
    said, odds = model.predict(test), lean(kind, test)
    lost = numpy.where(said != (odds > 0), numpy.abs(numpy.tanh(odds / 2)), 0.0)
    found = {"excess": lost.mean(), "noise": lost.std() / numpy.sqrt(TESTED), "error": numpy.mean(said != truth),
             "bayes": numpy.mean((odds > 0) != truth)}
    return {**found, **cells(model, test, d)} if shapes else found


def cells(model, test, d):
    """Means over new rows and trees: diameter and side of the cell in units of the data's box, its rows, its depth."""
    at = model.apply(test)
    rows = []
    for tree in range(at.shape[1]):
        shapes = boxes(model.forest_, tree, d)
        codes, counts = numpy.unique(at[:, tree], return_counts=True)
        share = counts / counts.sum()
        values = numpy.array([[*shapes[code], model.forest_.leaf_rows(tree, int(code))] for code in codes])
        bound = (1 - 1 / (4 * d)) ** values[:, 2]
        rows.append([*(share @ values), share @ bound, len(shapes)])
    names = ("diameter", "side", "depth", "rows", "bound", "leaves")
    return dict(zip(names, numpy.mean(rows, axis=0)))


def boxes(forest, tree, d):
    """{leaf: (diameter / sqrt(d), mean side, depth)} of the cells, cut out of the unit cube."""
    nodes, found = forest.nodes(tree), {}
    todo = [(0, numpy.zeros(d), numpy.ones(d), 0)]
    while todo:
        number, low, high, depth = todo.pop()
        node = nodes[number]
        if node.is_leaf:
            sides = high - low
            found[node.leaf] = (float(numpy.sqrt((sides**2).sum() / d)), float(sides.mean()), depth)
            continue
        column, place = node.columns[0], min(max(node.threshold / node.weights[0], 0.0), 1.0)
        left_high, right_low = high.copy(), low.copy()
        left_high[column] = right_low[column] = place
        todo += [(node.left, low, left_high, depth + 1), (node.right, right_low, high, depth + 1)]
    return found
