"""What arena.py measures: a method of ours or another contestant on one split of a table."""
import collections
import io
import pathlib
import tempfile
import time

import pandas
from sklearn.model_selection import train_test_split

import arena_peers
import common
import outlier_lab
import tables_lab
import data  # of papers/, which outlier_lab puts on the path

MOST, SMALL, SPLITS = 12000, 3000, 3  # training rows; up to SMALL rows a table is split three times
MOST_OF = {"ls-svm": 5000}  # it factors a matrix of all rows
TWICE = {"usps_libsvm", "digits_sklearn"}  # the rows of usps and of a part of optdigits again

Set = collections.namedtuple("Set", "name task rows splits own")  # own: the split that the set comes with


def describe(name):
    frames = [common.read_set(path) for path in outlier_lab.paths(name)]
    text = pandas.to_numeric(frames[0].iloc[:, -1], errors="coerce").isna().any()
    rows = sum(map(len, frames))
    return Set(name, "class" if name in data.CLASSES or text else "regress", rows, SPLITS if rows <= SMALL else 1,
               len(frames) == 2)


def sets(wanted=None):
    """Every table that is there: the papers' classification and regression sets, then the mixed ones."""
    mixed = sorted(f"mixed/{path.name.split('.')[0]}" for path in tables_lab.FOLDER.glob("*.csv.gz"))
    names = [name for name in [*data.CLASSES, *data.NUMBERS] if name not in TWICE and data.there(name)]
    return [describe(name) for name in [*names, *mixed] if not wanted or name in wanted]


def split(one, state, most=MOST):
    """Training and test rows as text: the set's own split, else a third for testing, stratified where it can be."""
    frames = [common.read_set(path) for path in outlier_lab.paths(one.name)]
    train, test = frames if one.own else outlier_lab.split(frames[0], one.task, state, None)
    if len(train) > most:
        train = train_test_split(train, train_size=most, random_state=state)[0]
    return train, test


def ours(program, method, settings, one, state, train, test):
    """What a method of ours reports, its answers, and its classes."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        train.to_csv(folder / "train.csv", index=False)
        test.to_csv(folder / "test.csv", index=False)
        words = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        start = time.perf_counter()
        said = program.report("train", "-m", method, *words, "--seed", state, "--task", one.task, "--threads",
                              program.threads, "-o", folder / "model.svf", folder / "train.csv")
        middle = time.perf_counter()
        proba = ["--proba"] if one.task == "class" else []
        text = program.run("predict", *proba, "--threads", program.threads, folder / "model.svf", folder / "test.csv")
        report = {"seconds": round(middle - start, 4), "answering": round(time.perf_counter() - middle, 4),
                  "bytes": (folder / "model.svf").stat().st_size}
        report |= {f"own_{what}": said[what] for what in ("score", "score_error") if isinstance(said.get(what), float)}
    frame = pandas.read_csv(io.StringIO(text))
    return report, frame.to_numpy() if one.task == "class" else frame.iloc[:, 0].to_numpy(), list(frame.columns)


def measure(program, method, settings, one, state, seconds, same):
    """One result: score (accuracy in % or R2), log-loss, seconds of training and of answering."""
    train, test = split(one, state, MOST_OF.get(method, MOST))
    if method in arena_peers.ALL:
        report, answers = arena_peers.ask(method, one.task, state, program.threads, seconds, train, test)
        classes = sorted(set(train.iloc[:, -1].astype(str)))
        report |= {"budget": seconds} if seconds else {}
    else:
        report, answers, classes = ours(program, method, settings, one, state, train, test)
    return {**same, **report, "tested": len(test), **tables_lab.judged(one.task, answers, classes, test.iloc[:, -1])}


def scores(**given):
    """A result without its seconds."""
    return {what: value for what, value in measure(**given).items() if what not in ("seconds", "answering")}


def version(program, method, settings, task):
    """Of a peer its release; of ours as in tables_lab; None: it takes no part."""
    if method in arena_peers.ALL:
        return arena_peers.version(method)
    return tables_lab.version(program, method, settings, task)
