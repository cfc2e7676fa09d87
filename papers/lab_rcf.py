"""Measurements that only the page of RCF needs.

The forests that `rcf` chooses among and those of `rf-svm` have the same trees and the same machines: a leaf's machine
depends on the leaf and on its degree. So nine forests of `rf-svm`, one of each degree, say what every `rcf` of their shape
would say, whatever its bound_scale and its sequences: each leaf speaks from the forest of the degree that the bound gives
it. With sequences=all that is the library's own forest to the last bits; drawn sequences are other draws.
"""
import json
import math
import pathlib
import subprocess
import tempfile

import numpy

import data
import lab
import methods

DEGREES, SCALES, DRAWN = range(1, 10), (0.001, 0.01, 0.1, 1), 10


class Partition:
    """60% of the rows to train, 20% to choose settings, 20% to test."""

    def __init__(self, name, state):
        X, y = lab.whole(name)
        order = numpy.random.default_rng(state).permutation(len(X))
        train, self.valid, self.test = numpy.split(order, [int(.6 * len(X)), int(.8 * len(X))])
        self.X, self.y = X[train], y[train]
        self.asked_X, self.asked_y = X[numpy.r_[self.valid, self.test]], y[numpy.r_[self.valid, self.test]]
        self.classes = numpy.unique(self.y)
        self.state = state

    def judge(self, shares):
        """Validation error, the squared error of the probabilities (it parts equals), and test error; in % but for that."""
        wrong = self.classes[shares.argmax(axis=1)] != self.asked_y
        off = shares - (self.classes == self.asked_y[:, None])
        cut = len(self.valid)
        return 100 * float(wrong[:cut].mean()), float((off[:cut] ** 2).sum(axis=1).mean()), 100 * float(wrong[cut:].mean())

    def fit(self, method, trees, **settings):
        return methods.make(method, self.state, trees=trees, **settings).fit(self.X, self.y)


class Degrees:
    """Forests of one shape, one of each degree, and what every tree of them says."""

    def __init__(self, part, trees, features, max_depth):
        self.part, self.trees, self.features = part, trees, features
        forests = [part.fit("rf-svm", trees, features=features, max_depth=max_depth, degrees=d, vote="majority")
                   for d in DEGREES]  # a majority vote asks hard leaves, as the bound does; probabilities are the same
        self.leaf, self.asked_leaf = forests[0].apply(part.X), forests[0].apply(part.asked_X)
        self.right = numpy.array([forest.predict_trees(part.X) == part.y[:, None] for forest in forests])
        self.shares = numpy.array([self._alone(forest) for forest in forests])  # degree, tree, row, class
        self.depths = [leaf_depths(forests[0].forest_.nodes(tree)) for tree in range(trees)]

    def _alone(self, forest):
        sums = numpy.array(list(forest.staged_predict_proba(self.part.asked_X)))
        sums *= numpy.arange(1, self.trees + 1)[:, None, None]
        return numpy.diff(sums, axis=0, prepend=0)

    def of_degree(self, degree):
        return self.shares[degree - 1].mean(axis=0)

    def composite(self, scale, sequences):
        """What the forest says whose leaves have the degrees that the bound prefers."""
        rows, total = numpy.arange(len(self.part.asked_X)), 0
        for tree in range(self.trees):
            terms = self._terms(tree, scale)
            taken = terms.argmin(axis=0) if sequences == "all" else self._drawn(tree, terms, sequences)
            total = total + self.shares[taken[self.asked_leaf[:, tree]], tree, rows]
        return total / self.trees

    def _drawn(self, tree, terms, sequences):
        leaves = terms.shape[1]
        drawn = numpy.random.default_rng((self.part.state, tree)).integers(len(DEGREES), size=(sequences, leaves))
        return drawn[terms[drawn, numpy.arange(leaves)].sum(axis=1).argmin()]

    def _terms(self, tree, scale):
        """degree x leaf: what each leaf adds to the criterion (docs/rcf.md)."""
        depth, m, r = self.depths[tree], len(self.part.X), self.features
        columns = self.part.X.shape[1]
        count = [numpy.bincount(self.leaf[:, tree], hit, len(depth)) for hit in self.right[:, :, tree]]
        weight, right = numpy.bincount(self.leaf[:, tree], minlength=len(depth)), numpy.array(count)
        questions = numpy.sqrt(2 * depth * (r * (1 + math.log(columns / r)) + math.log(2 * m * r)) / m)
        machines = numpy.array([growth(math.comb(columns + d, d), m) for d in DEGREES])
        penalty = 8 * len(self.part.classes) * scale * (questions + machines[:, None])
        return (weight - right) / m + numpy.minimum(penalty, right / m)


def growth(v, m):
    """The bound's term for machines of VC dimension v."""
    return math.sqrt(2 * min(v * (1 + math.log(m / v)) / m, math.log(2))) if v < m else math.sqrt(2 * math.log(2))


def leaf_depths(nodes):
    """Of the leaves of a tree, by their number."""
    found, open_nodes = {}, [(0, 0)]
    while open_nodes:
        at, depth = open_nodes.pop()
        if nodes[at].is_leaf:
            found[nodes[at].leaf] = depth
        else:
            open_nodes += [(nodes[at].left, depth + 1), (nodes[at].right, depth + 1)]
    return numpy.array([found[leaf] for leaf in range(len(found))])


def widths(features, shares):
    """How many features a node looks at: 1, sqrt(F/2), sqrt F, 2 sqrt F, F, or some of these."""
    every = {"1": 1, "sqrt F/2": math.sqrt(features / 2), "sqrt F": math.sqrt(features), "2 sqrt F": 2 * math.sqrt(features),
             "F": features}
    return sorted({min(features, max(1, int(every[share]))) for share in shares})


def search(part, shares, depths, tries):
    """{method: [(settings, validation error, squared error, test error)]} of all that are tried."""
    tried = {"rf": [], "rcf": [], "rf-svm": []}
    for r in widths(part.X.shape[1], shares):
        forest = part.fit("rf", tries, features=r)
        tried["rf"].append(({"features": r}, *part.judge(forest.predict_proba(part.asked_X))))
        for depth in depths:
            shape, made = {"features": r, "max_depth": depth}, Degrees(part, tries, r, depth)
            for degree in DEGREES:
                tried["rf-svm"].append(({**shape, "degrees": degree}, *part.judge(made.of_degree(degree))))
            for scale in SCALES:
                for sequences in (DRAWN, "all"):
                    way = {**shape, "bound_scale": scale, "sequences": sequences}
                    tried["rcf"].append((way, *part.judge(made.composite(scale, sequences))))
    return tried


def table(name, partitions, trees, tries, shares, depths):
    """Of each method what was chosen for the set and for each partition, and the test errors of that in %."""
    parts = [Partition(name, state) for state in range(partitions)]
    tried = [search(part, shares, depths, tries) for part in parts]
    told = {"partitions": partitions, "trees": trees, "tries": tries, "shares": shares, "depths": depths}
    return told | {method: judged(method, parts, [of[method] for of in tried], trees) for method in tried[0]}


def judged(method, parts, tried, trees):
    """A method's choice for the set and its choices for each partition; the library trains the forests that are tested."""
    settings = [way for way, *_ in tried[0]]
    assert all([way for way, *_ in of] == settings for of in tried)  # a choice for the set: what is tried is the same
    figures = numpy.array([[found for _, *found in of] for of in tried])  # partition, settings, what judge says
    tests = figures[:, :, 2]
    one, apart = [chosen(figures.mean(axis=0))] * len(parts), [chosen(of) for of in figures]
    made = [{at: part.judge(part.fit(method, trees, **settings[at]).predict_proba(part.asked_X))[2] for at in {*both}}
            for part, *both in zip(parts, one, apart)]
    least = {"set": tests[:, tests.mean(axis=0).argmin()], "partition": tests.min(axis=1)}
    return {"tried": len(settings)} | {
        way: {"settings": [settings[at] for at in taken], "valid": [of[at, 0] for of, at in zip(figures, taken)],
              "errors": [errors[at] for errors, at in zip(made, taken)], "least": least[way].tolist()}
        for way, taken in (("set", one), ("partition", apart))}


def chosen(figures):
    """The number of the settings with the least validation error, of equals (but for rounding) the least squared error."""
    return min(range(len(figures)), key=lambda at: (round(figures[at, 0], 9), figures[at, 1]))


def agreement(name, trees):
    """How far the probabilities of the library's forests are from those put together, with all sequences."""
    part, shape = Partition(name, 0), {"features": 2, "max_depth": 3}
    made = Degrees(part, trees, **shape)
    forests = [part.fit("rcf", trees, bound_scale=scale, sequences="all", **shape) for scale in SCALES]
    off = [abs(forest.predict_proba(part.asked_X) - made.composite(scale, "all")).max() for scale, forest in zip(SCALES, forests)]
    return {"off": float(max(off)), "forests": len(off)}


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
