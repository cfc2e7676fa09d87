"""SVM-KNN (Zhang, Berg, Maire and Malik 2006) on scikit-learn parts: a linear machine for every query, trained on its
nearest rows. The peer of rsvf.py."""
import warnings

import numpy
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import LinearSVC


class SVMKNN:
    """One machine per query on its K nearest rows; where they are of one class there is nothing to train."""

    def __init__(self, neighbours, C=1.0):
        self.neighbours = neighbours
        self.C = C

    def fit(self, x, y):
        self.x, self.y = numpy.asarray(x), numpy.asarray(y)
        self.index = NearestNeighbors(n_neighbors=self.neighbours).fit(self.x)
        return self

    def predict(self, x):
        near = self.index.kneighbors(x, return_distance=False)
        return numpy.array([self._ask(row, rows) for row, rows in zip(numpy.asarray(x), near)], dtype=self.y.dtype)

    def _ask(self, row, rows):
        labels = self.y[rows]
        if (labels == labels[0]).all():
            return labels[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine = LinearSVC(C=self.C, dual=True, max_iter=1000).fit(self.x[rows], labels)
        return machine.predict(row[None, :])[0]

    def score(self, x, y):
        return float(numpy.mean(self.predict(x) == numpy.asarray(y)))
