"""Training on dask: the bytes of one machine whatever the partitions and workers, lost workers, and what is refused."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import svforest

pytest.importorskip("dask.array")
pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")

import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from dask import delayed  # noqa: E402
from sklearn.base import clone  # noqa: E402

from svforest import _dask_tasks as tasks, dask as on_dask  # noqa: E402

pytestmark = pytest.mark.usefixtures("bounded")
SECONDS, ROWS = 120, 700
METHODS = {
    "rf": {"method": "rf", "n_estimators": 4},
    "rsvt-full": {"method": "rsvt-full", "n_estimators": 3},
    "metric-forest": {"method": "metric-forest", "n_estimators": 2, "metric_rows": 100, "cell_rows": 120},
}
NUMBERS = {"rf": METHODS["rf"], "tbrf-g": {"method": "tbrf-g", "n_estimators": 2}, "metric-forest": METHODS["metric-forest"]}
COMMON = {"partition_rows": 150, "random_state": 5}


@pytest.fixture(scope="module")
def mixed():
    """Numbers, text, categories of whole numbers, dates; classes that are text and look like numbers."""
    random = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "age": np.where(np.arange(ROWS) % 13, random.integers(1, 90, ROWS), np.nan),
            "colour": random.choice(["red", "blue", "green"], ROWS),
            "size": pd.Categorical(random.integers(1, 5, ROWS)),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 300, ROWS), "D"),
        }
    )
    code = (frame.age.fillna(40) / 30 + (frame.colour == "red")).astype(int).clip(0, 2)
    return frame, pd.Series(np.array(["9", "10", "11"])[code], name="bought")


@pytest.fixture(scope="module", params=[1, 2, 4])
def client(request):
    with distributed.LocalCluster(
        n_workers=request.param, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def processes():
    """Workers that can be killed."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            yield client


def bytes_of(model):
    return model.forest_.to_bytes()


def cut(X, y, parts):
    """Uneven partitions."""
    ends = np.unique(np.linspace(0, 1, parts + 1) ** 1.3 * len(X)).astype(int)
    chunks = tuple(np.diff(ends).tolist())
    return da.from_array(X, chunks=(chunks, X.shape[1])), da.from_array(y, chunks=(chunks,))


def frames(X, y, parts):
    """Partitions as they come from a reader, the second of them empty."""
    ends = np.linspace(0, len(X), parts).astype(int).tolist()
    ends.insert(1, ends[1])
    each = [slice(a, b) for a, b in zip(ends, ends[1:])]
    tables = [delayed(X.iloc[rows]) for rows in each]
    targets = [delayed(y.iloc[rows]) for rows in each]
    return dd.from_delayed(tables, meta=X.iloc[:0], verify_meta=False), dd.from_delayed(targets, meta=y.iloc[:0])


@pytest.mark.parametrize("parts", [3, 11])
@pytest.mark.parametrize("method", METHODS)
def test_classes_have_the_bytes_of_memory(client, arrays, method, parts):
    keywords = {**METHODS[method], **COMMON}
    model = on_dask.SVForestClassifier(**keywords, client=client).fit(*cut(*arrays, parts))
    assert bytes_of(model) == bytes_of(svforest.SVForestClassifier(**keywords).fit(*arrays))


@pytest.mark.parametrize("parts", [3, 11])
@pytest.mark.parametrize("method", NUMBERS)
def test_numbers_have_the_bytes_of_memory(client, arrays, method, parts):
    X = arrays[0].astype(np.float32)
    y = X[:, 0] * 3 + X[:, 1]
    keywords = {**NUMBERS[method], **COMMON}
    model = on_dask.SVForestRegressor(**keywords, client=client).fit(*cut(X, y, parts))
    assert bytes_of(model) == bytes_of(svforest.SVForestRegressor(**keywords).fit(X, y))


@pytest.mark.parametrize("parts", [3, 11])
@pytest.mark.parametrize("method", METHODS)
def test_frames_have_the_bytes_of_memory(client, mixed, method, parts):
    keywords = {**METHODS[method], **COMMON}
    model = on_dask.SVForestClassifier(**keywords, client=client).fit(*frames(*mixed, parts))
    local = svforest.SVForestClassifier(**keywords).fit(*mixed)
    assert bytes_of(model) == bytes_of(local)
    assert model.feature_names_in_.tolist() == list(mixed[0].columns)
    assert model.classes_.tolist() == ["10", "11", "9"]


def test_weights(processes, arrays):
    X, y = arrays
    weight = np.arange(ROWS) % 4 * 0.5
    keywords = {**METHODS["rsvt-full"], **COMMON, "class_weight": {0: 1.0, 1: 2.0, 2: 0.5}}
    parts = cut(X, y, 4)
    model = on_dask.SVForestClassifier(**keywords, client=processes)
    model.fit(*parts, sample_weight=da.from_array(weight, chunks=parts[1].chunks))
    assert bytes_of(model) == bytes_of(svforest.SVForestClassifier(**keywords).fit(X, y, weight))


@pytest.mark.parametrize("method", ["rsvf", "boost", "rf"])
def test_small_tables_are_trained_whole(processes, arrays, method):
    keywords = {"method": method, "n_estimators": 2, "random_state": 1}
    model = on_dask.SVForestClassifier(**keywords, partition_rows=ROWS, client=processes).fit(*cut(*arrays, 3))
    assert bytes_of(model) == bytes_of(svforest.SVForestClassifier(**keywords).fit(*arrays))


def test_without_a_client(arrays):
    keywords = {**METHODS["rf"], **COMMON}
    import dask

    with dask.config.set(scheduler="threads"):
        model = on_dask.SVForestClassifier(**keywords).fit(*cut(*arrays, 3))
    assert bytes_of(model) == bytes_of(svforest.SVForestClassifier(**keywords).fit(*arrays))


def test_predictions_are_lazy(processes, arrays, mixed):
    keywords = {**METHODS["rf"], **COMMON}
    X, y = cut(*arrays, 3)
    model = on_dask.SVForestClassifier(**keywords, client=processes).fit(X, y)
    for ask in ("predict", "predict_proba"):
        found = getattr(model, ask)(X)
        assert isinstance(found, da.Array)
        assert found.shape == getattr(model, ask)(arrays[0]).shape
        np.testing.assert_array_equal(found.compute(), getattr(model, ask)(arrays[0]))
    X, y = frames(*mixed, 3)
    model = on_dask.SVForestClassifier(**keywords, client=processes).fit(X, y)
    labels, shares = model.predict(X).compute(), model.predict_proba(X).compute()
    np.testing.assert_array_equal(labels, model.predict(mixed[0]))
    np.testing.assert_array_equal(shares.to_numpy(), model.predict_proba(mixed[0]))
    assert labels.index.equals(mixed[0].index)
    assert shares.columns.tolist() == model.classes_.tolist()
    model = on_dask.SVForestRegressor(**keywords, client=processes).fit(*cut(arrays[0], arrays[0][:, 0], 3))
    found = model.predict(da.from_array(arrays[0], chunks=(100, 2)))
    np.testing.assert_array_equal(found.compute(), model.predict(arrays[0]))


def test_the_model_is_an_ordinary_one(processes, arrays, tmp_path):
    model = on_dask.SVForestClassifier(**METHODS["rf"], **COMMON, client=processes).fit(*cut(*arrays, 3))
    model.save(tmp_path / "m.svf")
    again = svforest.load(tmp_path / "m.svf")
    np.testing.assert_array_equal(again.predict_proba(arrays[0]), model.predict_proba(arrays[0]))
    local = model.to_local()
    assert type(local) is svforest.SVForestClassifier
    assert bytes_of(pickle.loads(pickle.dumps(model))) == bytes_of(local)
    assert clone(model).client is processes
    assert clone(model).get_params()["n_estimators"] == 4


def test_unknown_categories_are_missing_and_counted(processes, mixed):
    X, y = mixed[0].copy(), mixed[1]
    X["colour"] = np.where(np.arange(ROWS) % 10, X["colour"], [f"odd{i}" for i in range(ROWS)])
    keywords = {**METHODS["rsvt-full"], **COMMON, "one_hot_levels": 200}
    local = svforest.SVForestClassifier(**keywords).fit(X, y)
    with pytest.warns(svforest.TableWarning, match="categories that the 150 rows of the sample do not have"):
        model = on_dask.SVForestClassifier(**keywords, client=processes).fit(*frames(X, y, 4))
    assert bytes_of(model) == bytes_of(local)


def test_a_blank_partition(processes, mixed):
    X, y = mixed[0].copy(), mixed[1]
    X.loc[:300, "colour"] = None
    keywords = {**METHODS["rf"], **COMMON}
    model = on_dask.SVForestClassifier(**keywords, client=processes).fit(*frames(X, y, 8))
    assert bytes_of(model) == bytes_of(svforest.SVForestClassifier(**keywords).fit(X, y))


# ---- what is refused ----


def parts_of(tables, y):
    ends = np.cumsum([0] + [len(table) for table in tables])
    targets = [delayed(y.iloc[a:b]) for a, b in zip(ends, ends[1:])]
    X = dd.from_delayed([delayed(table) for table in tables], meta=tables[0].iloc[:0], verify_meta=False)
    return X, dd.from_delayed(targets, meta=y.iloc[:0])


def test_other_columns_and_types(processes, mixed):
    X, y = mixed
    model = on_dask.SVForestClassifier(**METHODS["rf"], **COMMON, client=processes)
    with pytest.raises(ValueError, match="partition 1 has other columns than partition 0: .*years"):
        model.fit(*parts_of([X[:300], X[300:].rename(columns={"age": "years"})], y))
    with pytest.raises(ValueError, match="column 'age' is text in partition 1 and float64 in partition 0"):
        model.fit(*parts_of([X[:300], X[300:].assign(age="old")], y))
    with pytest.raises(ValueError, match="partition 0 has 300 rows in X and 301 in y"):
        first, second = parts_of([X[:300], X[300:]], y)[0], parts_of([X[:301], X[301:]], y)[1]
        model.fit(first, second)
    with pytest.raises(ValueError, match="X has 2 partitions and y 3"):
        model.fit(parts_of([X[:300], X[300:]], y)[0], parts_of([X[:200], X[200:300], X[300:]], y)[1])
    assert not hasattr(model, "forest_")


def test_what_cannot_be_trained(processes, arrays):
    X, y = cut(*arrays, 3)
    refused = {
        "auto": "not trained on dask: members are weighted",
        "boost": "trees of vote=boost correct each other",
        "rsvf": "needs trained leaves",
    }
    for method, why in refused.items():
        with pytest.raises(ValueError, match=why):
            on_dask.SVForestClassifier(method, partition_rows=150, client=processes).fit(X, y)
    for keyword in ("oob_score", "warm_start"):
        with pytest.raises(ValueError, match=f"{keyword} needs all rows"):
            on_dask.SVForestClassifier("rf", client=processes, **{keyword: True}).fit(X, y)
    with pytest.raises(TypeError, match="X is no collection of dask, but ndarray"):
        on_dask.SVForestClassifier("rf", client=processes).fit(arrays[0], y)
    with pytest.raises(TypeError, match="y is no collection of dask, but ndarray"):
        on_dask.SVForestClassifier("rf", client=processes).fit(X, arrays[1])


def test_a_missing_target_and_an_infinite_number(processes, arrays):
    X, y = arrays[0].copy(), arrays[0][:, 0].copy()
    y[444] = np.nan
    model = on_dask.SVForestRegressor(**METHODS["rf"], **COMMON, client=processes)
    with pytest.raises(ValueError, match="partition [12]: the target is missing in 1 of"):
        model.fit(*cut(X, y, 3))
    y[444], X[500, 1] = 0, np.inf
    with pytest.raises(ValueError, match="infin"):
        model.fit(*cut(X, y, 3))


def test_a_lost_row_is_seen():
    sent = np.array([3, 4])
    tasks.check_counts(sent, sent, 7)
    with pytest.raises(RuntimeError, match="4 rows were sent to cell 1 and 3 came"):
        tasks.check_counts(sent, np.array([3, 3]), 7)
    with pytest.raises(RuntimeError, match="have 7 rows, and should have 8"):
        tasks.check_counts(sent, sent, 8)


def test_dask_is_not_installed():
    code = "import sys; sys.modules['dask'] = None; import svforest.dask"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "svforest.dask needs dask: install it with pip install 'svforest[dask]'" in done.stderr


# ---- lost workers ----


KILLS = int(os.environ.get("SVFOREST_KILLS", "1"))  # in each phase


@pytest.fixture
def killable(tmp_path):
    """Workers of one test, and a look for files that they left. A nanny gives its worker up if the new one starts slowly."""
    folder = tmp_path / "workers"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", local_directory=str(folder)
    ) as cluster, distributed.Client(cluster) as client:
        yield client
    assert not [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"]


@pytest.mark.parametrize("phase", ["look", "keep", "join", "decide_cuts", "route", "fit", "merge"])
@pytest.mark.parametrize("kill", range(KILLS))
def test_a_worker_is_killed(killable, arrays, tmp_path, phase, kill):
    """A task of the phase ends its process, each time another one; the nanny starts a new one, and dask does again what was
    lost."""
    client = killable
    marks = tmp_path / phase
    marks.mkdir()

    def trap(folder, name, number):
        import os
        import signal
        from pathlib import Path

        from svforest import _dask_tasks as module

        plain = getattr(module, name)

        def deadly(*words):
            for mark in range(number + 1):  # the first tasks go by
                try:
                    (Path(folder) / str(mark)).touch(exist_ok=False)
                except FileExistsError:
                    continue
                if mark < number:
                    return plain(*words)
                os.kill(os.getpid(), signal.SIGKILL)
            return plain(*words)

        deadly.__name__, deadly.__qualname__ = name, name
        setattr(module, name, deadly)

    number = kill % 5 if phase in ("look", "keep", "route", "fit") else 0  # which have that many tasks
    client.run(trap, str(marks), phase, number)
    keywords = {**METHODS["rsvt-full"], **COMMON}
    model = on_dask.SVForestClassifier(**keywords, client=client).fit(*cut(*arrays, 5))
    assert (marks / str(number)).exists()
    assert bytes_of(model) == bytes_of(svforest.SVForestClassifier(**keywords).fit(*arrays))
