"""What tables.py measures: a method of ours or a peer on one split of a table of mixed columns."""
import collections
import functools
import hashlib
import io
import pathlib
import resource
import tempfile

import numpy
import pandas

import common
import outlier_lab
import tables_peers

FOLDER = common.DATA / "mixed"
LEAST = 1e-6  # a probability below this counts as this in the log-loss, so that one row cannot decide it

Set = collections.namedtuple("Set", "name task rows")


@functools.lru_cache(maxsize=None)
def table(name):
    return common.read_set(FOLDER / f"{name}.csv.gz")


def describe(name):
    frame = table(name)
    text = pandas.to_numeric(frame.iloc[:, -1], errors="coerce").isna().any()
    return Set(name, "class" if text else "regress", len(frame))


def sets():
    """Those of classes first."""
    found = [describe(path.name.split(".")[0]) for path in sorted(FOLDER.glob("*.csv.gz"))]
    return sorted(found, key=lambda one: one.task)


def typed(frame):
    """The features as pandas reads them from a CSV file in which just a blank cell is missing, and the target."""
    text = io.StringIO(frame.to_csv(index=False))
    read = pandas.read_csv(text, keep_default_na=False, na_values=[""])
    for name in tables_peers.texts(read):
        read[name] = read[name].astype(object)
    return read.iloc[:, :-1], read.iloc[:, -1]


def typed_pair(train, test):
    """Features and target of the training rows, and the features of the test rows with columns of the same kinds."""
    (features, target), (rows, _) = typed(train), typed(test)
    text = tables_peers.texts(features)
    kinds = {name: object if name in text else "float64" for name in features}
    return features, target, rows.astype(kinds)


def ours(program, method, settings, task, state, train, test):
    """Processor seconds of the whole command, with reading the table and writing the model, and the answers."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        test.to_csv(folder / "test.csv", index=False)
        trial = outlier_lab.Trial(program, method, settings, task)
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = trial.train(train.to_csv(index=False), folder, state)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(done.args)}: {done.stderr}")
        proba = ["--proba"] if task == "class" else []
        frame = pandas.read_csv(io.StringIO(program.run("predict", *proba, folder / "model.svf", folder / "test.csv")))
    seconds = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    return seconds, frame.to_numpy() if task == "class" else frame.iloc[:, 0].to_numpy(), list(frame.columns)


def plain(label):
    """A label as a model writes it: a number in one form, +1 as 1."""
    try:
        return f"{float(label):.17g}"
    except ValueError:
        return str(label)


def judged(task, answers, classes, target):
    """The scores of answers to the test rows."""
    if task == "regress":
        value = target.to_numpy(dtype=float)
        return {"score": round(float(1 - ((answers - value) ** 2).sum() / ((value - value.mean()) ** 2).sum()), 6)}
    place = {plain(text): number for number, text in enumerate(classes)}
    label = numpy.array([place.get(plain(text), len(classes)) for text in target])
    answers = numpy.column_stack([answers, numpy.zeros(len(label))])  # of classes that no training row had
    right = numpy.clip(answers[numpy.arange(len(label)), label], LEAST, 1)
    return {"score": round(100 * float((answers.argmax(axis=1) == label).mean()), 4),
            "log_loss": round(float(-numpy.log(right).mean()), 6)}


def measure(program, method, settings, one, state, same):
    """One result: score (accuracy in % or R2), log-loss, seconds; with what it was measured with."""
    train, test = outlier_lab.split(table(one.name), one.task, state, None)
    return {**same, **compare(program, method, settings, one.task, state, train, test)}


def compare(program, method, settings, task, state, train, test):
    """The scores and seconds of a method on one split."""
    if method in tables_peers.ALL:
        features, target, rows = typed_pair(train, test)
        seconds, answers, classes = tables_peers.answers(method, task, state, features, target, rows)
    else:
        seconds, answers, classes = ours(program, method, settings, task, state, train, test)
    return {"seconds": round(seconds, 4), **judged(task, answers, classes, test.iloc[:, -1])}


def probe(task):
    """outlier_lab.probe with what such tables have besides: names, dates, a category of many levels, one of rare ones."""
    frame = pandas.read_csv(io.StringIO(outlier_lab.probe(task)), dtype=str, na_filter=False)
    random = numpy.random.default_rng(2)
    day = pandas.Timestamp("2020-01-30") + pandas.to_timedelta(random.integers(0, 900, len(frame)), unit="D")
    columns = {"day": day.strftime("%Y-%m-%d"), "name": [f"n{i}" for i in range(len(frame))],
               "many": [f"m{i}" for i in random.integers(0, 40, len(frame))],
               "rare": [f"r{int(v)}" for v in random.exponential(2, len(frame))]}
    for place, (name, cells) in enumerate(columns.items()):
        frame.insert(place, name, list(cells))
    return frame.to_csv(index=False)


def version(program, method, settings, task):
    """Of a peer its release; of ours a hash of its model of the probe, the same on every x86-64; None: it takes no part."""
    if method in tables_peers.ALL:
        return tables_peers.version(method)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        trial = outlier_lab.Trial(program, method, settings, task)
        if trial.train(probe(task), folder, 0, "-s", "cpu=portable").returncode != 0:
            return None
        return hashlib.sha256((folder / "model.svf").read_bytes()).hexdigest()[:12]
