"""A model goes round: trained in Python or by the command, saved, loaded, and asked in both. Label type, column type and
source of the table make no difference, and what the libraries write as CSV is what the command reads."""

import csv
import datetime
import io

import numpy as np
import pytest

import svforest

ROWS = 90
LABELS = {"bool": [False, True], "int": [-2, 10], "text": ["ja", "nein"]}
DTYPES = {"bool": "b", "int": "i", "text": "U"}
COLUMNS = {
    "float": [0.1, -2.5, 1e-3, None],
    "int": [3, 1, 200, None],
    "bool": [True, False, True, None],
    "text": ["rot", "gr\u00fcn", "a, b", None],
    "category": ["low", "mid", "high", None],
    "day": [datetime.date(2024, 2, 29), datetime.date(1969, 12, 31), datetime.date(2024, 3, 1), None],
    "time": [*(datetime.datetime(2024, 1, day, 7 * day, 59, 59, 999999) for day in (1, 2, 3)), None],
}


def data(column, label, missing=True):
    """Two columns and the labels, as lists; some cells are missing."""
    random = np.random.default_rng(7)
    size = random.normal(size=ROWS)
    kind = random.integers(0, 4 if missing else 3, ROWS)
    labels = [LABELS[label][int((k == 1) ^ (s > 0))] for k, s in zip(kind, size)]
    return size.tolist(), [COLUMNS[column][k] for k in kind], labels


class Pandas:
    def __init__(self, column, label):
        pd = pytest.importorskip("pandas")
        kind = {"int": "Int64", "bool": "boolean", "category": "category"}.get(column)
        size, cells, labels = data(column, label)
        self.X = pd.DataFrame({"size": size, "cell": pd.Series(cells, dtype=kind)})
        self.y = pd.Series(labels, name="t")

    def write(self, path):
        self.X.assign(t=self.y).to_csv(path, index=False)


class Polars:
    def __init__(self, column, label):
        pl = pytest.importorskip("polars")
        size, cells, labels = data(column, label)
        kind = {"category": pl.Categorical}.get(column)
        self.X, self.y = pl.DataFrame({"size": size, "cell": pl.Series(cells, dtype=kind)}), pl.Series("t", labels)

    def write(self, path):
        self.X.with_columns(self.y).write_csv(path)


class Arrow:
    def __init__(self, column, label):
        pa = pytest.importorskip("pyarrow")
        size, cells, labels = data(column, label)
        cells = pa.array(cells)
        cells = cells.dictionary_encode() if column == "category" else cells
        whole = pa.table({"size": size, "cell": cells})
        self.X, self.y = pa.concat_tables([whole.slice(0, 40), whole.slice(40)]), pa.array(labels)

    def write(self, path):
        from pyarrow import csv as writer

        cells = self.X["cell"]
        cells = cells.cast(getattr(cells.type, "value_type", cells.type))  # it writes no dictionaries
        writer.write_csv(self.X.set_column(1, "cell", cells).append_column("t", self.y), path)


class NumPy:
    """Values of one type: floats, integers, booleans or dates in both columns."""

    def __init__(self, column, label):
        if column in ("text", "category"):
            pytest.skip("an array of NumPy holds numbers")
        size, cells, labels = data(column, label, missing=column == "float")
        size = size if column == "float" else [s > 0 for s in size]
        kind = {"float": float, "int": int, "bool": bool, "day": "M8[D]", "time": "M8[us]"}[column]
        if column in ("day", "time"):
            size = [COLUMNS[column][s] for s in size]
        nothing = np.nan if kind is float else None
        self.X = np.array([[nothing if c is None else c for c in row] for row in zip(size, cells)], kind)
        self.y = np.array(labels)

    def write(self, path):
        write(path, *self.X.T.tolist(), self.y.tolist())


class Csv:
    """The command trains; Python asks with what the file says."""

    def __init__(self, column, label):
        self.data = data(column, label)
        self.X = Pandas(column, label).X

    def write(self, path):
        write(path, *self.data)


def write(path, size, cells, labels):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["size", "cell", "t"])
        out.writerows((s, "" if c is None or c != c else c, t) for s, c, t in zip(size, cells, labels))


def said(text):
    rows = list(csv.reader(io.StringIO(text)))
    return np.array(rows[1:])


SOURCES = {"pandas": Pandas, "polars": Polars, "arrow": Arrow, "numpy": NumPy, "csv": Csv}


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("source", SOURCES)
def test_round(source, column, label, command, tmp_path):
    made = SOURCES[source](column, label)
    made.write(tmp_path / "t.csv")
    options = dict(n_estimators=4, random_state=2, cpu="portable")
    settings = ["-m", "ccf", "-s", "trees=4", "-s", "cpu=portable", "--seed", "2", "--task", "class"]
    command("train", "-q", *settings, "-o", tmp_path / "c.svf", tmp_path / "t.csv")
    if source == "csv":
        model = svforest.load(tmp_path / "c.svf")
    else:
        model = svforest.CCFClassifier(**options).fit(made.X, made.y)
    model.save(tmp_path / "p.svf")
    loaded = svforest.load(tmp_path / "p.svf")
    assert loaded.classes_.tolist() == LABELS[label] and loaded.classes_.dtype.kind == DTYPES[label]
    shares, labels = model.predict_proba(made.X), model.predict(made.X)
    np.testing.assert_array_equal(loaded.predict_proba(made.X), shares)
    np.testing.assert_array_equal(loaded.predict(made.X), labels)
    assert np.mean(labels == np.array(data(column, label, source != "numpy" or column == "float")[2])) > 0.8
    # by the command: the model of the package, and one that the command has trained of the same rows
    for trained in ("p.svf", "c.svf"):
        got = said(command("predict", "-q", tmp_path / trained, tmp_path / "t.csv", "--proba"))
        np.testing.assert_array_equal(got[:, -2:].astype(float), shares)
        told = said(command("predict", "-q", tmp_path / trained, tmp_path / "t.csv"))[:, -1]
        assert [text.lower() for text in told] == [str(value).lower() for value in labels]
    # a model of the command, asked in Python
    other = svforest.load(tmp_path / "c.svf")
    assert other.classes_.tolist() == LABELS[label] and other.classes_.dtype.kind == DTYPES[label]
    if source == "numpy":  # the file has names, the array has none
        del other.feature_names_in_
    np.testing.assert_array_equal(other.predict_proba(made.X), shares)
