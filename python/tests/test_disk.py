"""fit_from_disk: files, mapped arrays and frames give the bytes of memory and of the command; Ctrl-C, and what is refused."""

import os
import pickle
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import svforest
from svforest import _frame_source, _sources
from svforest._disk import size_of

pd = pytest.importorskip("pandas")

ROWS = 6000
METHODS = {
    "rsvt-full": {"method": "rsvt-full", "n_estimators": 2},
    "rf": {"method": "rf", "n_estimators": 3},
    "tbrf-g": {"method": "tbrf-g", "n_estimators": 2, "splits_per_row": 0.15},
    "metric-forest": {"method": "metric-forest", "n_estimators": 1, "metric_rows": 100, "cell_rows": 50},
}
COMMON = {"partition_rows": 1000, "random_state": 5}
MEMORY = ["1MB", "3MB", None] if os.environ.get("SVFOREST_TESTS") == "long" else ["1MB"]


@pytest.fixture(scope="module")
def mixed():
    """Numbers, text that is blank at first, text that is all dates, text that is dates at first, categories, times."""
    random = np.random.default_rng(4)
    day = np.array([f"2024-01-{1 + i % 28:02}" for i in range(ROWS)], object)
    late = day.copy()
    late[4321] = "soon"
    frame = pd.DataFrame(
        {
            "age": np.where(np.arange(ROWS) % 13, random.integers(1, 90, ROWS), np.nan),
            "colour": np.where(np.arange(ROWS) < 900, None, random.choice(["red", "blue", "green"], ROWS)),
            "day": day,
            "late": late,
            "size": pd.Categorical(random.integers(1, 5, ROWS)),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 300, ROWS), "D"),
        }
    )
    code = (frame.age.fillna(40) / 30 + (frame.colour == "red")).astype(int).clip(0, 2)
    return frame, pd.Series(np.array(["9", "10", "11"])[code], name="bought")


def bytes_of(model):
    return model.forest_.to_bytes()


def pieces(X, y, count):
    """Uneven frames, one of them without rows."""
    ends = (np.linspace(0, 1, count + 1) ** 1.3 * len(X)).astype(int).tolist()
    for first, end in zip(ends, [*ends[1:-1], ends[-1]]):
        yield X[first:end], y[first:end]
    yield X[:0], y[:0]


def made(task, **keywords):
    return {"class": svforest.SVForestClassifier, "number": svforest.SVForestRegressor}[task](**keywords)


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("method", METHODS)
def test_mapped_arrays(arrays, tmp_path, method, memory):
    X, y = arrays
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    keywords = {**METHODS[method], **COMMON}
    for task, target in (("class", y), ("number", X[:, 0] * 3 + X[:, 1])):
        if task == "number" and method == "rsvt-full":
            continue
        model = made(task, **keywords).fit_from_disk(mapped, target, memory=memory)
        assert bytes_of(model) == bytes_of(made(task, **keywords).fit(X.astype(np.float32), target))
        assert model.n_features_in_ == 5 and model.seed_ == 5
    assert os.listdir(tmp_path) == ["X.npy"]


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("method", METHODS)
def test_paths_have_the_bytes_of_the_command(arrays, tmp_path, method, memory):
    """In memory, from disk, and read by Python."""
    X, y = arrays
    table = pd.DataFrame(X, columns=list("abcde")).assign(kind=np.array(["no", "some", "all"])[y])
    table.to_csv(tmp_path / "t.csv", index=False)
    keywords = {**METHODS[method], **COMMON}
    settings = {"n_estimators": "trees", "random_state": "seed", "method": None}
    words = [f"-s {settings.get(k, k)}={v}" for k, v in keywords.items() if settings.get(k, k)]
    run = ["train", "-q", "-m", method, *" ".join(words).split(), "-o", str(tmp_path / "m.svf"), str(tmp_path / "t.csv")]
    subprocess.run([Path(svforest.__file__).parent / "bin" / "svforest", *run], check=True)
    model = svforest.SVForestClassifier(**keywords).fit_from_disk(tmp_path / "t.csv", memory=memory)
    assert bytes_of(model) == (tmp_path / "m.svf").read_bytes()
    assert model.classes_.tolist() == ["all", "no", "some"]
    assert model.feature_names_in_.tolist() == list("abcde")
    assert model.predict(table[list("abcde")]).shape == (ROWS,)
    assert sorted(os.listdir(tmp_path)) == ["m.svf", "t.csv"]


def test_paths_with_named_columns(arrays, tmp_path):
    X, y = arrays
    weight = np.arange(ROWS) % 4 * 0.5
    table = pd.DataFrame(X, columns=list("abcde")).assign(w=weight)
    table.insert(0, "kind", y)
    table.to_csv(tmp_path / "t.csv", index=False)
    keywords = {**METHODS["rsvt-full"], **COMMON, "class_weight": {0: 1.0, 1: 2.0, 2: 0.5}}
    model = svforest.SVForestClassifier(**keywords).fit_from_disk(str(tmp_path / "t.csv"), "kind", "w", memory="1MB")
    local = svforest.SVForestClassifier(**keywords).fit(table[list("abcde")], y, weight)
    np.testing.assert_array_equal(model.predict_proba(table[list("abcde")]), local.predict_proba(table[list("abcde")]))
    assert model.classes_.tolist() == [0, 1, 2]
    mapped = svforest.SVForestClassifier(**keywords).fit_from_disk(X, y, weight, memory="1MB", scratch=tmp_path)
    assert bytes_of(mapped) == bytes_of(svforest.SVForestClassifier(**keywords).fit(X, y, weight))


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("count", [3, 11])
@pytest.mark.parametrize("method", ["rsvt-full", "rf", "metric-forest"])
def test_frames(mixed, tmp_path, method, count, memory):
    keywords = {**METHODS[method], **COMMON}
    local = svforest.SVForestClassifier(**keywords).fit(*mixed)
    model = svforest.SVForestClassifier(**keywords)
    model.fit_from_disk(lambda: pieces(*mixed, count), memory=memory, scratch=tmp_path)
    assert bytes_of(model) == bytes_of(local)
    assert model.feature_names_in_.tolist() == list(mixed[0].columns)
    assert model.classes_.tolist() == ["10", "11", "9"]
    np.testing.assert_array_equal(model.predict(mixed[0]), local.predict(mixed[0]))
    assert not os.listdir(tmp_path)


def test_frames_of_other_kinds(arrays, mixed, tmp_path):
    """A list of frames with a column for the target, weights, polars, Arrow, arrays."""
    X, y = arrays
    keywords = {**METHODS["rf"], **COMMON}
    how = {"memory": "2MB", "scratch": tmp_path}
    table = mixed[0].assign(bought=mixed[1], w=1 + np.arange(ROWS) % 2)
    takes_weights = svforest.SVForestClassifier(**METHODS["rsvt-full"], **COMMON)
    weighed = bytes_of(takes_weights.fit(*mixed, table.w))
    frames = [table[i : i + 700] for i in range(0, ROWS, 700)]
    assert bytes_of(takes_weights.fit_from_disk(frames, "bought", "w", **how)) == weighed
    triples = [(frame.drop(columns=["bought", "w"]), frame.bought, frame.w) for frame in frames]
    assert bytes_of(takes_weights.fit_from_disk(triples, **how)) == weighed
    model = svforest.SVForestClassifier(**keywords).fit_from_disk(lambda: pieces(X, y, 4), **how)
    assert bytes_of(model) == bytes_of(svforest.SVForestClassifier(**keywords).fit(X, y))
    numbers = pd.DataFrame(X, columns=list("abcde")).assign(kind=y)
    local = bytes_of(svforest.SVForestClassifier(**keywords).fit(numbers[list("abcde")], y))
    frames = [numbers[i : i + 700] for i in range(0, ROWS, 700)]
    assert bytes_of(svforest.SVForestClassifier(**keywords).fit_from_disk(frames, "kind", **how)) == local
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    plain = table.drop(columns=["w", "size"])
    for whole, cut in (
        (pl.from_pandas(plain), lambda t, i: t.slice(i, 700)),
        (pa.Table.from_pandas(plain, preserve_index=False), lambda t, i: t.slice(i, 700)),
    ):
        rest = whole.drop("bought") if hasattr(whole, "get_column") else whole.drop_columns(["bought"])
        local = svforest.SVForestClassifier(**keywords).fit(rest, whole["bought"])
        frames = [cut(whole, i) for i in range(0, ROWS, 700)]
        assert bytes_of(svforest.SVForestClassifier(**keywords).fit_from_disk(frames, "bought", **how)) == bytes_of(local)
    batches = pa.Table.from_pandas(plain, preserve_index=False).to_batches(max_chunksize=900)
    assert bytes_of(svforest.SVForestClassifier(**keywords).fit_from_disk(batches, "bought", **how)) == bytes_of(local)
    assert not os.listdir(tmp_path)


def test_the_model_is_an_ordinary_one(arrays, tmp_path):
    model = svforest.SVForestClassifier(**METHODS["rf"], **COMMON).fit_from_disk(*arrays, scratch=tmp_path)
    assert bytes_of(pickle.loads(pickle.dumps(model))) == bytes_of(model)
    assert not hasattr(clone(model), "forest_")
    model.save(tmp_path / "m.svf")
    np.testing.assert_array_equal(svforest.load(tmp_path / "m.svf").predict_proba(arrays[0]), model.predict_proba(arrays[0]))
    assert model.score(*arrays) > 0.6


@pytest.mark.parametrize("when", [1, 9000, 14000, 17500])
def test_interrupted_and_continued(interruptible, arrays, tmp_path, when):
    """Ctrl-C while rows are read: the folder stays, and a second call continues. At first rows are counted, then drawn, then routed."""
    X, y = arrays
    keywords = {**METHODS["rsvt-full"], **COMMON}
    seen = 0

    def frames(stop):
        nonlocal seen
        for i in range(0, ROWS, 500):
            before, seen = seen, seen + 500
            if stop and before < when <= seen:
                os.kill(os.getpid(), signal.SIGINT)
            yield X[i : i + 500], y[i : i + 500]

    model = svforest.SVForestClassifier(**keywords)
    with pytest.raises(KeyboardInterrupt):
        model.fit_from_disk(lambda: frames(True), memory="1MB", scratch=tmp_path)
    assert not hasattr(model, "forest_")
    there = set(os.listdir(tmp_path / "table.svf.parts")) if when > 1 else set()
    assert ("cuts" in there) == (when > 12000)
    seen = 0
    model.fit_from_disk(lambda: frames(False), memory="1MB", scratch=tmp_path)
    assert seen == (2 if "cuts" in there else 3) * ROWS
    assert bytes_of(model) == bytes_of(svforest.SVForestClassifier(**keywords).fit(X, y))
    assert not os.listdir(tmp_path)


def test_another_job_is_refused(arrays, tmp_path):
    X, y = arrays
    model = svforest.SVForestClassifier(**METHODS["rf"], **COMMON)
    (tmp_path / "table.svf.parts").mkdir()
    for name in ("job", "cuts"):
        (tmp_path / "table.svf.parts" / name).write_text("other")
    with pytest.raises(ValueError, match="holds the parts of another job"):
        model.fit_from_disk(X, y, scratch=tmp_path)
    assert not hasattr(model, "forest_")


def test_in_another_thread(arrays, tmp_path):
    models = []

    def work():
        models.append(svforest.SVForestClassifier(**METHODS["rf"], **COMMON).fit_from_disk(*arrays, scratch=tmp_path))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert bytes_of(models[0]) == bytes_of(svforest.SVForestClassifier(**METHODS["rf"], **COMMON).fit(*arrays))


def test_what_it_says(arrays, tmp_path, capsys):
    svforest.SVForestClassifier(**METHODS["rf"], **COMMON, verbose=1).fit_from_disk(*arrays, scratch=tmp_path)
    said = capsys.readouterr().err
    assert f"scratch space in {tmp_path}/table.svf.parts: about" in said
    assert "svforest: done" in said


def test_unknown_categories_are_counted(tmp_path):
    X = pd.DataFrame({"a": np.arange(ROWS) % 7, "b": [f"odd{i}" if i % 10 == 0 else "usual" for i in range(ROWS)]})
    keywords = {**METHODS["rf"], **COMMON}
    frames = [(X[:2000], X.a[:2000] > 3), (X[2000:], X.a[2000:] > 3)]
    with pytest.warns(svforest.TableWarning, match="categories that the sample does not have"):
        svforest.SVForestClassifier(**keywords).fit_from_disk(frames, scratch=tmp_path)


# ---- what is refused ----


def test_sizes():
    assert [size_of(size) for size in (None, 5, "5", "2kB", "1.5 MB", "2gb")] == [0, 5, 5, 2000, 1500000, 2 * 10**9]
    for wrong in (0, -1, "much", "5 XB", "MB", ""):
        with pytest.raises(ValueError, match="memory must be a size"):
            size_of(wrong)


def refuses(error, match, *words, keywords=COMMON, method="rf", scratch=None, **more):
    model = svforest.SVForestClassifier(method, **keywords)
    with pytest.raises(error, match=match):
        model.fit_from_disk(*words, scratch=scratch, **more)
    assert not hasattr(model, "forest_")


def test_what_is_refused(arrays, tmp_path):
    X, y = arrays
    pairs = [(X[:3000], y[:3000]), (X[3000:], y[3000:])]
    refuses(ValueError, "scratch must be a folder", X, y)
    refuses(ValueError, "partition_rows must be a number", X, y, keywords={}, scratch=tmp_path)
    refuses(ValueError, "held-out rows", X, y, method="auto", scratch=tmp_path)
    refuses(ValueError, "oob_score needs all rows", X, y, keywords={**COMMON, "oob_score": True}, scratch=tmp_path)
    refuses(ValueError, "trees of vote=boost", X, y, method="boost", scratch=tmp_path)
    refuses(ValueError, "draws all 6000 rows", X, y, keywords={"partition_rows": ROWS}, scratch=tmp_path, memory="1GB")
    refuses(FileNotFoundError, "there is no file", tmp_path / "absent.csv")
    refuses(ValueError, "y of an array is an array", X, "kind", scratch=tmp_path)
    refuses(ValueError, "X has 6000 rows and y 5999", X, y[:-1], scratch=tmp_path)
    refuses(TypeError, "comes once", iter(pairs), scratch=tmp_path)
    refuses(TypeError, "a frame in memory is for fit", pd.DataFrame(X), "a", scratch=tmp_path)
    refuses(TypeError, "is int: give a path", 7, scratch=tmp_path)
    refuses(ValueError, "no frames with rows", [], scratch=tmp_path)
    refuses(ValueError, "frame 1 has other columns than frame 0", [pairs[0], (X[:, :4], y)], scratch=tmp_path)
    refuses(ValueError, "frame 1 has 3000 rows in X and 2999 in y", [pairs[0], (X[3000:], y[3001:])], scratch=tmp_path)
    refuses(ValueError, "or give pairs", [X], scratch=tmp_path)
    refuses(ValueError, "there is no column 'z'", [pd.DataFrame(X, columns=list("abcde"))], "z", scratch=tmp_path)
    refuses(ValueError, "X has no rows", X[:0], y[:0], scratch=tmp_path)
    for kind in ("datetime64[s]", "timedelta64[s]", complex):
        refuses(TypeError, "an array here is of numbers", np.ones((ROWS, 2)).astype(kind), y, scratch=tmp_path)
    infinite = X.copy()
    infinite[5000, 1] = np.inf
    refuses(ValueError, "inf", infinite, y, scratch=tmp_path, memory="1MB")
    refuses(ValueError, "the memory", X, y, scratch=tmp_path, memory=100)
    gone = y.astype(float)
    gone[77] = np.nan
    refuses(ValueError, "y is missing in 1 of 6000 rows", X, gone, scratch=tmp_path)
    blank = [(pd.DataFrame({"a": [1.0] * 3000}), y[:3000]), (pd.DataFrame({"a": ["x"] * 3000}), y[3000:])]
    refuses(ValueError, "column 'a' is a number in .* and a category in", blank, scratch=tmp_path)


def test_frames_that_change(arrays, tmp_path):
    X, y = arrays
    frame = pd.DataFrame(X, columns=list("abcde"))
    half = ROWS // 2

    def first_then(first, then):
        """Frames whose second half is another one from the second pass on."""
        passes = 0

        def make():
            nonlocal passes
            passes += 1
            yield frame[:half], y[:half]
            yield from [first] if passes == 1 else then

        return make

    good = (frame[half:], y[half:])
    other = frame[half:].copy()
    other.iloc[7, 2] = 99
    for then in (
        [],
        [(frame[half:-1], y[half:-1])],
        [good, (frame[:300], y[:300])],
        [(frame[half:], y[half:] + 1)],
        [(frame[half:], y[::-1][:half])],
        [(frame.loc[half:, list("edcba")], y[half:])],
        [(frame.loc[half:, list("ab")], y[half:])],
        [(frame[half:].assign(f=1.0), y[half:])],
        [(other, y[half:])],
    ):
        refuses(ValueError, "frame 1 is not what it was", first_then(good, then), scratch=tmp_path)
    weight = np.ones(half)
    for given, said in ((weight, None), "frame 1 has no weights"), ((None, weight), "frame 1 has weights"):
        parts = [(frame[:half], y[:half], given[0]), (frame[half:], y[half:], given[1])]
        refuses(ValueError, said, parts, scratch=tmp_path)


def stopped_by_cuts(table, scratch):
    """Reads rows until the cuts are there."""

    def read(self, first, rows):
        if list(scratch.glob("*/cuts")):
            raise KeyboardInterrupt
        return table(self, first, rows)

    return read


def test_other_rows_do_not_continue(arrays, tmp_path, monkeypatch):
    """Scratch files of other rows of the same shape and target are not taken for those of this table."""
    X, y = arrays
    mapped = np.lib.format.open_memmap(tmp_path / "wide.npy", "w+", np.float32, (ROWS, 10))
    mapped[:] = np.hstack([X, X[::-1]])
    frame = pd.DataFrame(X, columns=list("abcde"))
    changed = frame.copy()
    changed.iloc[-1, -1] += 1
    scratch = tmp_path / "scratch"
    for before, after in (
        ((X, y), (X[::-1], y)),
        ((X, y == 1), (X, (y == 1).astype(int))),
        ((mapped[:, :5], y), (mapped[:, 5:], y)),
        (([(frame, y)],), ([(changed, y)],)),
    ):
        scratch.mkdir()
        model = svforest.SVForestClassifier(**METHODS["rf"], **COMMON)
        with monkeypatch.context() as patch:
            for kind in (_sources.Array, _frame_source.Frames):
                patch.setattr(kind, "_table", stopped_by_cuts(kind._table, scratch))
            with pytest.raises(KeyboardInterrupt):
                model.fit_from_disk(*before, memory="1MB", scratch=scratch)
        with pytest.raises(ValueError, match="holds the parts of another job"):
            model.fit_from_disk(*after, memory="1MB", scratch=scratch)
        shutil.rmtree(scratch)
