"""Measurements that only the thesis's page needs."""
import time

import numpy
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold, train_test_split

import lab
import methods


def folds(name, p, seed=0):
    """Mean accuracy of five folds, not shuffled, with leaves of at least p sqrt(n) rows; the seed is the forests'."""
    X, y = lab.whole(name)
    found = []
    for train, test in StratifiedKFold(5).split(X, y):
        model = methods.make("rsvt", seed, min_leaf_factor=p).fit(X[train], y[train])
        found.append(100 * float(numpy.mean(model.predict(X[test]) == y[test])))
    return {"accuracy": float(numpy.mean(found))}


def curve(name, counts):
    """Mean accuracy of five folds when the first trees vote."""
    X, y = lab.whole(name)
    right = numpy.zeros(max(counts))
    for train, test in StratifiedKFold(5).split(X, y):
        model = methods.make("rsvt", 0, trees=max(counts)).fit(X[train], y[train])
        right += [numpy.mean(answers == y[test]) for answers in model.staged_predict(X[test])]
    return {"curve": {str(count): 100 * float(right[count - 1]) / 5 for count in counts}}


def seconds(who, n, d, classes, trees):
    """Processor seconds of training on two thirds of a made set, as in the thesis's listing B.8."""
    informative = {"n_classes": classes, "n_informative": classes} if classes > 2 else {}
    X, y = make_classification(n_samples=n, n_features=d, random_state=0, **informative)
    X, _, y, _ = train_test_split(X, y, test_size=1 / 3, random_state=0)
    if who == "rsvt":
        model = methods.make("rsvt", 0, trees=trees)
    else:
        from sklearn_rsvt import SklearnRSVT
        model = SklearnRSVT(trees, n_jobs=1)
    return {"seconds": least_seconds(lambda: model.fit(X, y))}


def least_seconds(work, enough=1.0, most=5):
    """Of brief work the least of several calls: what runs beside it on the machine only adds."""
    found = []
    while len(found) < most and sum(found) < enough:
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)
