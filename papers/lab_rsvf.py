"""Measurements that only the page of RSVF needs."""
import numpy
from sklearn.preprocessing import StandardScaler
from svm_knn import SVMKNN  # of bench/

import lab
import methods


def knn(neighbours):
    """Error of SVM-KNN on letter, features standardised."""
    (train_X, train_y), (test_X, test_y) = lab.own_split("letter")
    scaler = StandardScaler().fit(train_X)
    model = SVMKNN(neighbours).fit(scaler.transform(train_X), train_y)
    return {"error": 1 - model.score(scaler.transform(test_X), test_y)}


def curve(name, method, rows, counts):
    """Error of the first trees of one forest of depth 5."""
    train_X, test_X, train_y, test_y = lab.split(*lab.capped(name, rows), 0)
    model = methods.make(method, 0, trees=max(counts), max_depth=5).fit(train_X, train_y)
    errors = [float(numpy.mean(answers != test_y)) for answers in model.staged_predict(test_X)]
    return {"curve": {str(count): errors[count - 1] for count in counts}, "rows": len(train_X) + len(test_X)}
