"""Distributions with a known Bayes rule, and what a forest's cells look like: the measurements of the chapter on consistency."""
import numpy

import methods

TESTED = 20_000  # rows that the errors of a forest and of the Bayes rule are counted on
TREES = 2        # whose cells are measured


def draw(kind, n, d, seed):
    """Rows, classes, and the class that the Bayes rule gives each row."""
    random = numpy.random.default_rng([seed, d, n])
    y = random.integers(0, 2, n)
    noise = random.standard_normal((n, d))
    if kind == "twonorm":  # N(a, I) against N(-a, I), a = 2/sqrt(d) in every feature: risk Phi(-2) in any dimension
        X = noise + (2 / numpy.sqrt(d)) * (2 * y - 1)[:, None]
        return X, y, (X.sum(axis=1) > 0).astype(int)
    if kind == "ringnorm":  # N(0, 4I) against N(a, I), a = 1/sqrt(d) in every feature
        a = 1 / numpy.sqrt(d)
        X = numpy.where(y[:, None] == 0, 2 * noise, noise + a)
        wide, narrow = -(X**2).sum(axis=1) / 8 - d * numpy.log(2), -((X - a) ** 2).sum(axis=1) / 2
        return X, y, (narrow > wide).astype(int)
    centres = numpy.random.default_rng(7).uniform(-2, 2, size=(2, 3, d)) * numpy.sqrt(2 / d)
    part = random.integers(0, 3, n)
    X = centres[y, part] + 0.7 * noise
    logs = [-((X[:, None, :] - centres[c]) ** 2).sum(axis=2) / (2 * 0.7**2) for c in (0, 1)]
    dense = [numpy.logaddexp.reduce(log, axis=1) for log in logs]
    return X, y, (dense[1] > dense[0]).astype(int)


def run(kind, n, d, seed, method, settings):
    """Excess of the error over that of the Bayes rule on the same rows, and the cells that those rows fall in."""
    X, y, _ = draw(kind, n, d, seed)
    test, truth, best = draw(kind, TESTED, d, 1000 + seed)
    model = methods.make(method, seed, **settings).fit(X, y)
    error, bayes = float(numpy.mean(model.predict(test) != truth)), float(numpy.mean(best != truth))
    return {"excess": error - bayes, "error": error, "bayes": bayes, **cells(model, test, d)}


def cells(model, test, d):
    """Means over test rows, and over two trees: diameter and side of the cell in units of the data's box, its rows, its depth."""
    at = model.apply(test)
    rows = []
    for tree in range(min(TREES, at.shape[1])):
        shapes = boxes(model.forest_, tree, d)
        codes, counts = numpy.unique(at[:, tree], return_counts=True)
        share = counts / counts.sum()
        values = numpy.array([[*shapes[code], model.forest_.leaf_rows(tree, int(code))] for code in codes])
        bound = (1 - 1 / (4 * d)) ** values[:, 2]
        rows.append([*(share @ values), share @ bound, len(shapes)])
    names = ("diameter", "side", "depth", "rows", "bound", "leaves")
    return dict(zip(names, map(float, numpy.mean(rows, axis=0))))


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
