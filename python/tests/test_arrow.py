"""Tables, record batches and columns that come through the Arrow C data interface."""

import datetime
import decimal
import warnings

import numpy as np
import pytest

import svforest
from svforest import RFClassifier, RFRegressor
from svforest._arrow_columns import read_columns, read_vector

pa = pytest.importorskip("pyarrow")


class Capsules:
    """What a library that nobody has heard of hands over."""

    def __init__(self, X):
        if hasattr(X, "__arrow_c_stream__"):
            self.__arrow_c_stream__ = lambda: X.__arrow_c_stream__()
        else:
            self.__arrow_c_array__ = lambda: X.__arrow_c_array__()


def column(array):
    """The numbers or (codes, names) of one column."""
    names, columns, rows = read_columns(pa.table({"a": array}))
    assert names == ["a"] and rows == len(array)
    return columns[0]


def texts(column):
    codes, names = column
    return [None if code < 0 else names[code] for code in codes]


def table(rows=200):
    random = np.random.default_rng(4)
    level = random.choice(["low", "mid", "high"], rows)
    return pa.table(
        {
            "number": random.normal(size=rows),
            "single": random.normal(size=rows).astype(np.float32),
            "whole": pa.array([None if i % 9 == 0 else i % 5 for i in range(rows)], pa.int16()),
            "flag": random.random(rows) < 0.5,
            "text": pa.array([None if i % 7 == 0 else ["cat", "dog", "\u00e9lan"][i % 3] for i in range(rows)]),
            "level": pa.array(level).dictionary_encode(),
        }
    )


@pytest.fixture
def X():
    return table()


@pytest.fixture
def y(X):
    text, number = X["text"].to_pylist(), X["number"].to_numpy()
    return np.where((np.array(text) == "cat") ^ (number > 0.2), "in", "out")


def trained(X, y):
    return RFClassifier(n_estimators=3, random_state=0).fit(X, y)


def chunked(X):
    """Batches of their own, each with a dictionary of its own."""
    parts = []
    for start in range(0, len(X), 37):
        part = X.slice(start, 37)
        level = pa.array(part["level"].to_pylist()).dictionary_encode()
        parts.append(part.set_column(5, "level", level))
    return pa.concat_tables(parts)


SOURCES = {
    "batch": lambda X: X.combine_chunks().to_batches()[0],
    "chunks": chunked,
    "slice": lambda X: pa.concat_tables([X.slice(3, 11), X]).slice(11),
    "capsules": Capsules,
    "batch_capsules": lambda X: Capsules(X.combine_chunks().to_batches()[0].to_struct_array()),
    "large": lambda X: X.set_column(4, "text", X["text"].cast(pa.large_string())),
    "binary": lambda X: X.set_column(4, "text", X["text"].cast(pa.binary())),
    "reader": lambda X: X.to_reader(max_chunksize=50),
    "plain_levels": lambda X: X.set_column(5, "level", pa.array(X["level"].to_pylist())),
    "polars": lambda X: pytest.importorskip("polars").from_arrow(X),
    "pandas": lambda X: pytest.importorskip("pandas") and X.to_pandas(),
}


@pytest.mark.parametrize("source", SOURCES)
def test_sources_give_the_same(source, X, y):
    model = trained(X, y)
    assert model.feature_names_in_.tolist() == X.column_names and model.n_features_in_ == 6
    assert model.score(X, y) > 0.9
    if source in ("reader", "slice"):
        make = SOURCES[source]
    else:
        same = SOURCES[source](X)
        make = lambda _: same
    assert trained(make(X), y).forest_.to_bytes() == model.forest_.to_bytes()
    np.testing.assert_array_equal(model.predict_proba(make(X)), model.predict_proba(X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (model.predict(make(X)) == model.predict(X)).all()


def test_string_views():
    if not hasattr(pa, "string_view"):
        pytest.skip("this pyarrow has no string_view")
    words = ["", "a", "twelve bytes", "more than twelve bytes", None, "more than twelve bytes in another buffer"] * 3
    array = pa.chunked_array([words[:7], words[7:]], pa.string_view())
    wanted = [word or None for word in words]
    assert texts(column(array)) == wanted and texts(column(array.slice(2, 9))) == wanted[2:11]
    with pytest.raises(ValueError, match="y contains NaN: row 5 is missing"):
        read_vector(array, "y")


NUMBERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("missing", [False, True])
def test_numbers(kind, missing):
    numbers = np.array([0, 1, 2, 100, 7, 8, 9, 10, 11, 12], kind)
    array = pa.array(numbers, mask=numbers == 7) if missing else pa.array(numbers)
    wanted = np.where(numbers == 7, np.nan, numbers.astype(float)) if missing else numbers.astype(float)
    for some in (array, array.slice(3), pa.chunked_array([array.slice(0, 2), array.slice(2)]), array.slice(9), array[:0]):
        got = column(some)
        np.testing.assert_array_equal(got, wanted[len(wanted) - len(some) :] if len(some) else wanted[:0])
        assert got.dtype == (np.float32 if kind in ("float16", "float32") else np.float64)


def test_numbers_are_not_copied():
    for kind in (np.float32, np.float64):
        numbers = np.arange(20, dtype=kind)
        got = column(pa.array(numbers).slice(4))
        assert got.ctypes.data == numbers.ctypes.data + 4 * numbers.itemsize and not got.flags.writeable


@pytest.mark.parametrize("offset", [0, 1, 7, 8, 13])
def test_booleans(offset):
    flags = [i % 3 == 0 if i % 5 else None for i in range(40)]
    wanted = [np.nan if flag is None else float(flag) for flag in flags]
    np.testing.assert_array_equal(column(pa.array(flags).slice(offset)), wanted[offset:])
    np.testing.assert_array_equal(read_vector(pa.array([True, False, True] * 5).slice(offset), "y"), ([True, False, True] * 5)[offset:])


def test_decimals_and_nothing():
    exact = [decimal.Decimal(text) for text in ("0.10", "-12.34", "99999999999999999999.99")]
    for kind in (pa.decimal128(22, 2), pa.decimal256(22, 2)):
        np.testing.assert_array_equal(column(pa.array([*exact, None], kind)), [0.1, -12.34, 1e20, np.nan])
    np.testing.assert_array_equal(column(pa.array([1200, 3400], pa.decimal128(9, 2)).cast(pa.decimal128(9, -2))), [1200, 3400])
    assert np.isnan(column(pa.nulls(3))).all()
    for empty in (pa.array([None, ""], pa.string()), pa.array([None, None], pa.string()).dictionary_encode()):
        assert np.isnan(column(empty)).all()  # no value: numbers, as in a CSV


@pytest.mark.parametrize("index", [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()])
def test_dictionaries(index):
    def make(codes, values):
        return pa.DictionaryArray.from_arrays(pa.array(codes, index), pa.array(values))

    first = make([0, 2, None, 1], ["b", "unused", None])
    assert texts(column(first)) == ["b", None, None, "unused"] and column(first)[1] == ["b", "unused"]
    second = make([1, 0, 1], ["a", "b"])
    joined = pa.chunked_array([first.slice(0, 3), second])
    assert texts(column(joined)) == ["b", None, None, "b", "a", "b"] and column(joined)[1] == ["a", "b"]
    assert texts(column(make([0, 1, 0], [3, 10]))) == ["3", "10", "3"]
    assert texts(column(make([0, 1, 0], [2.0, 2.5]))) == ["2", "2.5", "2"]
    with pytest.raises(ValueError, match="y contains NaN: row 2 is missing"):
        read_vector(joined, "y")
    assert read_vector(pa.chunked_array([second, second]), "y").tolist() == ["b", "a", "b"] * 2
    assert read_vector(make([0, 1, 0], [3, 10]), "y").tolist() == [3, 10, 3]


NOW = datetime.datetime(2020, 1, 2, 3, 4, tzinfo=datetime.timezone.utc)
REFUSED = {
    "time": (pa.array([NOW.time()] * 4), "holds times"),
    "duration": (pa.array([1] * 4, pa.duration("ms")), "holds times"),
    "dates": (pa.array([NOW.date()] * 4).dictionary_encode(), "holds times"),
    "list": (pa.array([[1]] * 4), r"Arrow type '\+l'; turn them into numbers or text"),
    "struct": (pa.array([{"b": 1}] * 4), r"Arrow type '\+s'"),
    "bytes": (pa.array([b"ab"] * 4, pa.binary(2)), "Arrow type 'w:2'"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_columns(kind):
    array, words = REFUSED[kind]
    with pytest.raises(ValueError, match="column 'when' .*" + words):
        RFClassifier().fit(pa.table({"a": [1.0, 2, 3, 4], "when": array}), [0, 1, 0, 1])
    if kind != "struct":
        with pytest.raises(ValueError, match="y .*" + words):
            RFClassifier().fit(pa.table({"a": [1.0, 2, 3, 4]}), array)


def test_nothing_there(X, y):
    model = trained(X, y)
    with pytest.raises(ValueError, match="0 sample"):
        model.predict(X.slice(0, 0))
    with pytest.raises(ValueError, match="0 sample"):
        model.predict(pa.Table.from_batches([], X.schema))
    with pytest.raises(ValueError, match="Expected 2D array"):
        model.predict(X["number"])
    with pytest.raises(ValueError, match="0 feature"):
        model.predict(pa.array([{}] * 9))
    with pytest.raises(ValueError, match="contains infinity"):
        model.fit(pa.table({"a": [1.0, np.inf, 2, 3], "b": ["x", "y", "x", "y"]}), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
    with pytest.raises(ValueError, match="both named 'a'|'a'"):
        model.fit(pa.table([pa.array([1.0, 2]), pa.array([3.0, 4])], names=["a", "a"]), [0, 1])
    model, reader = trained(X, y), X.to_reader()
    model.predict(reader)
    with pytest.raises((ValueError, OSError)):
        model.predict(reader)


def test_rows_that_are_missing_as_a_whole():
    rows = pa.array([{"a": 1.0, "b": "x"}, None, {"a": 3.0, "b": None}, {"a": 4.0, "b": "y"}, {"a": 5.0, "b": "x"}])
    _, (a, b), count = read_columns(rows.slice(1))
    np.testing.assert_array_equal(a, [np.nan, 3, 4, 5])
    assert texts(b) == [None, None, "y", "x"] and count == 4


def test_names_must_agree(X, y):
    model = trained(X, y)
    with pytest.raises(ValueError, match="feature names should match(.|\n)*unseen at fit time:\n- word(.|\n)*now missing:\n- text"):
        model.predict(X.rename_columns(["number", "single", "whole", "flag", "word", "level"]))
    with pytest.raises(ValueError, match="same order"):
        model.predict(X.select(X.column_names[::-1]))
    numeric = X.select(["number", "single"])
    array = np.column_stack([numeric["number"], numeric["single"]])
    plain = trained(array, y)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        np.testing.assert_array_equal(plain.predict_proba(numeric), plain.predict_proba(array))
    with warnings.catch_warnings(), pytest.raises(ValueError, match="X has 1 features, but RFClassifier is expecting 2"):
        warnings.simplefilter("ignore")
        plain.predict(numeric.select(["number"]))
    with warnings.catch_warnings(), pytest.raises(ValueError, match="column 'text' holds text or categories"):
        warnings.simplefilter("ignore")
        plain.predict(X.select(["number", "text"]))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        trained(numeric, y).predict(array)


LABELS = {
    "bool": [True, False],
    "int": [3, -7],
    "text": ["yes", "no"],
    "float": [1.0, 2.0],
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("maker", ["array", "chunked", "dictionary", "polars", "pandas", "nullable", "category"])
def test_labels(kind, maker, X, y):
    """Labels keep their type, from whatever they come."""
    labels = [LABELS[kind][value == "in"] for value in y]
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    made = {
        "array": lambda: pa.array(labels),
        "chunked": lambda: pa.chunked_array([labels[:50], labels[50:]]),
        "dictionary": lambda: pa.array(labels).dictionary_encode(),
        "polars": lambda: pl.Series(labels),
        "pandas": lambda: pd.Series(labels),
        "nullable": lambda: pd.Series(labels).convert_dtypes(),
        "category": lambda: pd.Series(labels, dtype="category"),
    }[maker]()
    model = trained(X, made)
    if (kind, maker) != ("float", "nullable"):  # pandas makes whole numbers of these
        assert model.classes_.dtype.kind in {"bool": "b", "int": "i", "float": "f", "text": "OU"}[kind]
    assert model.classes_.tolist() == sorted(LABELS[kind])
    assert model.forest_.to_bytes() == trained(X, np.array(labels)).forest_.to_bytes()
    assert model.score(X, labels) > 0.9
    reloaded = svforest.SVForestClassifier._of_forest(model.forest_)
    assert reloaded.classes_.tolist() == model.classes_.tolist()
    assert reloaded.classes_.dtype.kind == {"bool": "b", "int": "i", "float": "i", "text": "U"}[kind]


def test_weights_and_numbers(X):
    y, weight = X["number"], pa.array(np.arange(200.0))
    keywords = dict(n_estimators=3, random_state=0)
    model = RFRegressor(**keywords).fit(X, y, sample_weight=weight)
    same = RFRegressor(**keywords).fit(X, y.to_numpy(), sample_weight=np.arange(200.0))
    assert model.forest_.to_bytes() == same.forest_.to_bytes()
    with pytest.raises(ValueError, match="sample_weight contains NaN: row 2"):
        RFRegressor(**keywords).fit(X, y, sample_weight=pa.array([1.0, None] * 100))


def test_compare_and_tune(X, y):
    found = svforest.compare(X, pa.array(y), ["rf"], folds=2, trees=3)
    same = svforest.compare(X, y, ["rf"], folds=2, trees=3)
    assert found["scores"][0] == same["scores"][0]
    options = dict(folds=2, candidates=2, trees=3)
    tuned = svforest.tune(X.to_reader(max_chunksize=60), pa.array(y), "rf", **options)  # it can be read only once
    assert tuned.forest_.to_bytes() == svforest.tune(X, y, "rf", **options).forest_.to_bytes()
    assert tuned.feature_names_in_.tolist() == X.column_names
