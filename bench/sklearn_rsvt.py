"""Random Support Vector Trees written on scikit-learn: the peer that svforest's rsvt is timed against.

The tree is ExtraTreeClassifier with one random feature per node, which ends a branch at a refused cut (preset rsvt, not
rsvt-full). LinearSVC keeps its own tolerance, looser than svforest's: that favours this side.
"""
import math
import warnings

import numpy
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC
from sklearn.tree import ExtraTreeClassifier

GRID = {"C": [0.25, 0.5, 1, 2, 4]}


def fit_leaf(X, y, n_jobs):
    """The leaf's machine; a plain label where the leaf is pure."""
    counts = numpy.sort(numpy.unique(y, return_counts=True)[1])
    if len(counts) == 1:
        return y[0]
    machine = LinearSVC(dual=len(X) < X.shape[1], class_weight="balanced", random_state=0)
    with warnings.catch_warnings():  # rare classes in a fold, steps of the dual solver
        warnings.simplefilter("ignore")
        if counts[-2] < 2:  # a fold would leave one class only
            return machine.fit(X, y)
        return GridSearchCV(machine, GRID, cv=3, n_jobs=n_jobs).fit(X, y).best_estimator_


def ask_leaf(leaf, X):
    return leaf.predict(X) if isinstance(leaf, LinearSVC) else numpy.full(len(X), leaf)


class SklearnRSVT(ClassifierMixin, BaseEstimator):
    def __init__(self, n_estimators=10, random_state=0, n_jobs=1):
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.n_jobs = n_jobs

    def grow(self, X, y, number):
        seed = self.random_state * self.n_estimators + number
        least = int(math.sqrt(len(X)))
        return ExtraTreeClassifier(max_features=1, min_samples_leaf=least, random_state=seed).fit(X, y)

    def fit(self, X, y):
        self.scaler_ = MinMaxScaler().fit(X)
        X = self.scaler_.transform(X)
        self.classes_, y = numpy.unique(y, return_inverse=True)
        self.trees_ = [self.grow(X, y, number) for number in range(self.n_estimators)]
        rows = {(t, node): numpy.flatnonzero(at == node)
                for t, at in enumerate(tree.apply(X) for tree in self.trees_) for node in numpy.unique(at)}
        places = sorted(rows, key=lambda place: -len(rows[place]))
        # Few leaves: the cores share the grid of each instead.
        outer, inner = (self.n_jobs, 1) if len(places) >= 2 * self.n_jobs else (1, self.n_jobs)
        fits = Parallel(n_jobs=outer)(delayed(fit_leaf)(X[rows[place]], y[rows[place]], inner) for place in places)
        self.leaves_ = dict(zip(places, fits))
        return self

    def predict(self, X):
        X = self.scaler_.transform(X)
        votes = numpy.zeros((len(X), len(self.classes_)))
        for t, tree in enumerate(self.trees_):
            at = tree.apply(X)
            for node in numpy.unique(at):
                rows = numpy.flatnonzero(at == node)
                votes[rows, ask_leaf(self.leaves_[t, node], X[rows])] += 1
        return self.classes_[votes.argmax(axis=1)]
