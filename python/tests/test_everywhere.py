"""The same bytes everywhere: in memory, from disk with chunks of three sizes, on dask with any workers and partitions, and by files
with parts in any order. For all methods and tables with SVFOREST_TESTS=long, else for one of each."""

import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

import svforest

pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")

import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from dask import delayed  # noqa: E402

from svforest import dask as on_dask  # noqa: E402

pytestmark = pytest.mark.usefixtures("bounded")
SECONDS = 300
LONG = os.environ.get("SVFOREST_TESTS") == "long"
COMMON = {"partition_rows": 1000, "random_state": 5}
METHODS = {
    "rsvt-full": {"n_estimators": 2},
    "rf": {"n_estimators": 3},
    "tbrf-g": {"n_estimators": 2, "splits_per_row": 0.1},
    "metric-forest": {"n_estimators": 1, "metric_rows": 100, "cell_rows": 60},
}
CASES = [(method, table) for method in METHODS for table in ("plain", "mixed", "digits", "numbers")]
CASES = [(method, table) for method, table in CASES if (method, table) != ("rsvt-full", "numbers")]  # classes alone
CASES = CASES if LONG else [("rsvt-full", "mixed"), ("metric-forest", "numbers"), ("tbrf-g", "plain"), ("rf", "digits")]


def plain():
    draw = np.random.default_rng(1)
    X = draw.normal(size=(12000, 20))
    X[::17, 2] = np.nan
    noise = 0.3 * draw.normal(size=len(X))
    return X, np.array(["low", "middle", "top"])[np.digitize(X[:, 0] + X[:, 1] * X[:, 3] + noise, [-0.6, 0.6])]


def numbers():
    X = np.random.default_rng(2).normal(size=(12000, 20)).astype(np.float32)
    return X, (X[:, 0] * 3 + X[:, 1] * X[:, 2]).astype(np.float64)


def mixed():
    draw, n = np.random.default_rng(4), 12000
    frame = pd.DataFrame(
        {
            "age": np.where(np.arange(n) % 13, draw.integers(1, 90, n), np.nan),
            "colour": draw.choice(["red", "blue", "green"], n),
            "when": [f"2024-01-{1 + i % 28:02}" for i in range(n)],
            "size": draw.normal(size=n),
            **{f"noise{j}": draw.normal(size=n) for j in range(12)},
        }
    )
    code = (frame.age.fillna(40) / 30 + (frame.colour == "red") + frame["size"] / 2).astype(int).clip(0, 2)
    return frame, np.array(["no", "some", "all"], object)[code]


def digits():
    X, y = load_digits(return_X_y=True)
    return X, np.array([f"digit {i}" for i in range(10)], object)[y]


MEMORY = {"digits": ["2MB", "3MB", "50MB"]}  # for chunks of three sizes; the last one is all rows
TABLES = {"plain": plain, "numbers": numbers, "mixed": mixed, "digits": digits}


class Case:
    """A method and a table, and the model of memory."""

    def __init__(self, method, table):
        self.X, self.y = TABLES[table]()
        self.memory = MEMORY.get(table, ["4MB", "8MB", "50MB"])
        self.task = "Regressor" if table == "numbers" else "Classifier"
        self.method, self.keywords = method, {"method": method, **METHODS[method], **COMMON}
        self.local = self.estimator().fit(self.X, self.y)

    def estimator(self, module=svforest, **more):
        return getattr(module, f"SVForest{self.task}")(**self.keywords, **more)

    def pieces(self, count):
        """Uneven pieces of the rows."""
        ends = (np.linspace(0, 1, count + 1) ** 1.3 * len(self.y)).astype(int).tolist()
        for first, end in zip(ends, ends[1:]):
            yield self.X[first:end], self.y[first:end]

    def same(self, model):
        return model.forest_.to_bytes() == self.local.forest_.to_bytes()

    @property
    def settings(self):
        """As options of the command."""
        names = {"n_estimators": "trees", "random_state": "seed"}
        pairs = ((names.get(name, name), value) for name, value in self.keywords.items() if name != "method")
        task = "class" if self.task == "Classifier" else "regress"
        return ["-m", self.method, *(word for name, value in pairs for word in ("-s", f"{name}={value}")), "--task", task]

    def write(self, path, first=0, end=None):
        X = self.X if hasattr(self.X, "columns") else pd.DataFrame(self.X, columns=[f"c{j}" for j in range(self.X.shape[1])])
        X.astype({c: np.float64 for c in X.select_dtypes("float32")}).assign(target=self.y)[first:end].to_csv(path, index=False)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(case))
def case(request):
    return Case(*request.param)


def command(*words):
    subprocess.run([Path(svforest.__file__).parent / "bin" / "svforest", *map(str, words)], check=True)


@pytest.mark.parametrize("count", [3, 11])
@pytest.mark.parametrize("size", range(3))
def test_from_disk(case, tmp_path, size, count):
    model = case.estimator().fit_from_disk(lambda: case.pieces(count), memory=case.memory[size], scratch=tmp_path)
    assert case.same(model)
    assert not os.listdir(tmp_path)


def test_files(case, tmp_path):
    """The command: in memory, from disk with three sizes of chunks, and by parts in any order; and Python's answers."""
    case.write(tmp_path / "t.csv")
    command("train", "-q", *case.settings, "-o", tmp_path / "whole.svf", tmp_path / "t.csv")
    whole = (tmp_path / "whole.svf").read_bytes()
    for memory in case.memory:
        command("train", "-q", *case.settings, "--from-disk", "--memory", memory, "-o", tmp_path / "m.svf", tmp_path / "t.csv")
        assert (tmp_path / "m.svf").read_bytes() == whole
        model = case.estimator().fit_from_disk(tmp_path / "t.csv", memory=memory)
        assert model.forest_.to_bytes() == whole
    names = {f"c{j}": column for j, column in enumerate(case.X.T)} if isinstance(case.X, np.ndarray) else case.X
    np.testing.assert_array_equal(svforest.load(tmp_path / "whole.svf").predict(pd.DataFrame(names)), case.local.predict(case.X))
    for count, parts in ((3, 5), (11, 2)):
        assert by_parts(case, tmp_path / str(count), count, parts) == whole
    assert sorted(os.listdir(tmp_path)) == ["11", "3", "m.svf", "t.csv", "whole.svf"]


def by_parts(case, folder, count, parts):
    folder.mkdir()
    shuffle = random.Random(count).shuffle
    ends = np.linspace(0, len(case.y), count + 1).astype(int).tolist()
    for i, (first, end) in enumerate(zip(ends, ends[1:])):
        case.write(folder / f"{i}.csv", first, end)
    cuts = folder / "t.cuts"
    command("partition", "-q", *case.settings, "-o", cuts, *(folder / f"{i}.csv" for i in range(count)))
    order = list(range(count))
    shuffle(order)
    how = ["--task", case.settings[-1]]
    for i in order:
        command("route", "-q", *how, cuts, folder / f"{i}.csv", "--first", ends[i], "-o", folder / f"{i}.rows")
    some = list(range(1, parts + 1))
    shuffle(some)
    for part in some:
        shuffle(order)
        rows = [folder / f"{i}.rows" for i in order]
        command("fit", "-q", cuts, *rows, "--part", f"{part}/{parts}", "-o", folder / f"{part}.leaves")
    shuffle(some)
    command("merge", "-q", cuts, *(folder / f"{part}.leaves" for part in some), "-o", folder / "m.svf")
    return (folder / "m.svf").read_bytes()


@pytest.fixture(scope="module", params=[1, 2, 4])
def client(request):
    with distributed.LocalCluster(
        n_workers=request.param, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.mark.parametrize("count", [3, 11])
def test_on_dask(client, case, count):
    parts = list(case.pieces(count))
    if isinstance(case.X, np.ndarray):
        chunks = tuple(len(y) for _, y in parts)
        X, y = da.from_array(case.X, chunks=(chunks, case.X.shape[1])), da.from_array(case.y, chunks=(chunks,))
    else:
        X = dd.from_delayed([delayed(part) for part, _ in parts], meta=case.X[:0], verify_meta=False)
        targets = [delayed(pd.Series(y, index=part.index)) for part, y in parts]
        y = dd.from_delayed(targets, meta=pd.Series(case.y[:0]), verify_meta=False)
    assert case.same(case.estimator(on_dask, client=client).fit(X, y))
