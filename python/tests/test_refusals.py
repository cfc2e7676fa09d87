"""Bad input raises what users of scikit-learn expect."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from scipy import sparse

import svforest
from svforest import RFClassifier, RFRegressor, RSVTClassifier, SVForestClassifier, SVForestRegressor


@pytest.mark.parametrize(
    "keywords, words",
    [
        ({"n_estimators": 0}, r"n_estimators=0: must be an integer in 1\.\."),
        ({"n_estimators": "many"}, "n_estimators='many': must be an integer"),
        ({"n_estimators": 2.5}, "must be an integer"),
        ({"max_features": "some"}, "max_features='some': must be one of"),
        ({"leaf": "oak"}, "there is no such leaf"),
        ({"method": "magic"}, "there is no such method; there are rsvt"),
        ({"sample_fraction": 0.5}, "has no meaning"),
        ({"class_weight": "heavy"}, "class_weight='heavy'"),
        ({"class_weight": {0: -1}}, "class weight must be"),
        ({"random_state": -1}, "Seed must be"),
        ({"n_jobs": 0}, "n_jobs == 0"),
        ({"n_jobs": 2**40}, "n_jobs=1099511627776: must be at most 1024"),
        ({"C_grid": [1, float("nan")]}, "C_grid"),
    ],
)
def test_settings(keywords, words, classes):
    model = SVForestClassifier(**{"method": "ccf", **keywords})
    with pytest.raises(ValueError, match=words):
        model.fit(*classes)
    assert not hasattr(model, "forest_")


def test_wrong_types(classes):
    with pytest.raises(TypeError, match="n_estimators"):
        RSVTClassifier(n_estimators=[3]).fit(*classes)
    for n_jobs in ("2", 1.5):
        with pytest.raises(TypeError, match=f"n_jobs={n_jobs!r}: must be a whole number"):
            RSVTClassifier(n_jobs=n_jobs).fit(*classes)
    with pytest.raises(TypeError, match="unexpected keyword argument 'depth'"):
        RSVTClassifier(depth=3)
    with pytest.raises(TypeError, match="does not read group_size; SVForestClassifier"):
        RSVTClassifier(group_size=3)
    with pytest.raises(ValueError, match="target is a number"):
        SVForestRegressor("rsvt").fit(*classes)


def test_data(classes):
    X, y = classes
    model = RSVTClassifier(n_estimators=2, random_state=0)
    with pytest.raises(NotFittedError):
        model.predict(X)
    bad = X.copy()
    bad[3, 2] = np.inf
    for other in (bad, bad.astype(np.float32), np.asfortranarray(bad)):
        with pytest.raises(ValueError, match="Input X contains infinity"):
            model.fit(other, y)
    model.fit(X, y)
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(bad)
    with pytest.raises(ValueError, match="contains infinity"):
        model.predict(bad[3:4])
    with pytest.raises(ValueError, match="X has 4 features, but RSVTClassifier is expecting 5"):
        model.predict(X[:, :4])
    with pytest.raises(ValueError, match="Reshape your data|1D array"):
        model.predict(X[0])
    with pytest.raises(ValueError, match="0 sample"):
        model.predict(X[:0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
    with pytest.raises(ValueError, match="could not convert string to float"):
        model.fit(np.full((4, 2), "a", dtype=object), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, X[:, 0])
    with pytest.raises(ValueError, match="requires y to be passed"):
        model.fit(X, None)
    with pytest.raises(ValueError, match="y contains NaN|NaN"):
        RFRegressor(n_estimators=2).fit(X, np.full(len(X), np.nan))
    with pytest.raises(ValueError, match="1d array|multioutput|y should be"):
        RFRegressor(n_estimators=2).fit(X, np.column_stack([y, y]))


def test_layouts_give_the_same(classes):
    X, y = classes
    X = X.astype(np.float32)
    wide = np.zeros((300, 10), np.float32)
    wide[:, ::2] = X
    odd = np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(np.float32).reshape(X.shape)
    layouts = [X, np.asfortranarray(X), X.astype(np.float64), wide[:, ::2], X[::-1][::-1], X.tolist(), odd]
    layouts += [sparse.csr_matrix(X), sparse.coo_matrix(X)]
    models = [RSVTClassifier(n_estimators=3, random_state=0).fit(layout, y) for layout in layouts]
    assert len({model.forest_.to_bytes() for model in models}) == 1
    said = models[0].predict_proba(X)
    for layout in layouts:
        np.testing.assert_array_equal(models[0].predict_proba(layout), said)
    assert models[0].fit(X.astype(int), y).predict(X.astype(int)).shape == (300,)


def test_one_row_is_like_many(classes, numbers):
    for model, (X, y) in ((RSVTClassifier(n_estimators=3), classes), (RFRegressor(n_estimators=3), numbers)):
        model.fit(X, y)
        many = model.predict(X)
        for other in (X, X.astype(np.float32).astype(np.float64), np.asfortranarray(X), X[:, ::-1][:, ::-1]):
            many = model.predict(other)
            for i in (0, 7, 299):
                one = model.predict(other[i : i + 1])
                assert one.shape == (1,) and one[0] == many[i] and one.dtype == many.dtype
        assert model.predict(X[:1].astype(np.float32)) == model.predict(np.repeat(X[:1].astype(np.float32), 2, 0))[0]
        assert model.predict(X[:1].tolist()) == model.predict(X)[0]


def test_missing_values(classes):
    X, y = classes
    X = X.copy()
    X[::3, 1] = np.nan
    model = RFClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8 and model.predict(np.full((1, 5), np.nan)).shape == (1,)


def test_labels(classes):
    X, y = classes
    for labels in (["b", "a", "c"], [10, -3, 7], [4.0, 2.0, -3.0], [True, False, True], np.array(["x", "y", "z"], object)):
        target = np.asarray(labels)[y]
        model = RSVTClassifier(n_estimators=3, random_state=0).fit(X, target)
        np.testing.assert_array_equal(model.classes_, np.unique(target))
        assert set(model.predict(X)) <= set(target) and model.score(X, target) > 0.55
    with pytest.raises(ValueError):
        svforest.RSVTClassifier().fit(X, np.array([None, "a", 1.0], object)[y])


def test_sparse_that_cannot_fit():
    huge = sparse.csr_matrix((100_000, 100_000_000))
    with pytest.raises(ValueError, match="GiB with its zeros"):
        RSVTClassifier().fit(huge, np.arange(100_000) % 2)


def test_voronoi_cells_are_no_tree_of_cuts(numbers):
    model = SVForestRegressor("vp-svm", random_state=0).fit(*numbers)
    with pytest.raises(ValueError, match="Voronoi"):
        model.forest_.nodes(0)
