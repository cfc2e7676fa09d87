"""What outlier.py measures: a preset on splits of a set, as they are and with one outlier planted in the training rows."""
import collections
import functools
import hashlib
import pathlib
import sys
import tempfile

import numpy
import pandas
from sklearn.model_selection import train_test_split

import common

sys.path.insert(0, str(common.ROOT / "papers"))  # first: names there may be names here, too
import data  # noqa: E402  of papers/

DRAWN = 3000  # most rows of a set that splits are drawn from
WIDEST = 150  # most columns of a set after encoding
LEAST_R2 = -1.0  # a worse R2 counts as this, so that one set cannot decide a mean
HIDDEN = 1000  # the planted value hides a column if it makes the column's range so many times larger
MISSING = ("", "?", "na", "nan")

Set = collections.namedtuple("Set", "name task rows features numbers")  # numbers: how many of the features are


def paths(name):
    return [data.DATA / f"{name}.csv.gz"] if name.startswith("mixed/") else data.files(name)


@functools.lru_cache(maxsize=None)
def table(name):
    """At most DRAWN rows of a set, drawn once, as text, and how many rows it has."""
    frame = pandas.concat([common.read_set(path) for path in paths(name)], ignore_index=True)
    return frame if len(frame) <= DRAWN else frame.sample(DRAWN, random_state=0).sort_index(), len(frame)


def numbers_of(frame):
    """The features that are numbers, missing ones as NaN."""
    features = frame.iloc[:, :-1]
    missing = features.apply(lambda column: column.str.lower().isin(MISSING))
    parsed = features.apply(pandas.to_numeric, errors="coerce")
    return parsed.loc[:, (parsed.notna() | missing).all()]


def describe(name):
    """The set; None if it is too wide."""
    frame, rows = table(name)
    numbers = numbers_of(frame).columns
    levels = sum(frame[column].nunique() for column in frame.columns[:-1] if column not in numbers)
    text = pandas.to_numeric(frame.iloc[:, -1], errors="coerce").isna().any()
    task = "class" if name in data.CLASSES or text else "regress"
    return Set(name, task, rows, frame.shape[1] - 1, len(numbers)) if len(numbers) + levels <= WIDEST else None


def sets():
    """Every set that is there, numeric and mixed, without those that are too wide."""
    mixed = sorted(f"mixed/{path.name.split('.')[0]}" for path in (data.DATA / "mixed").glob("*.csv.gz"))
    names = [*data.CLASSES, *data.NUMBERS]
    for name in names:
        if not data.there(name):
            print(f"skipped: {name} is not in {common.shown(data.DATA)} (SVFOREST_DATA says where data sets are)",
                  file=sys.stderr)
    found = [describe(name) for name in [*filter(data.there, names), *mixed]]
    return [one for one in found if one]


def split(frame, task, state, rows):
    """A third for testing, stratified if every class has two rows; at most so many rows of the others for training."""
    labels = frame.iloc[:, -1]
    even = task == "class" and labels.value_counts().min() > 1
    train, test = train_test_split(frame, test_size=1 / 3, stratify=labels if even else None, random_state=state)
    return train[:rows], test


def plant(train, state, value):
    """The rows with the value in one cell of a column that varies, and whether it hides the column's other values."""
    numbers = numbers_of(train)
    numbers = numbers.loc[:, numbers.nunique() > 1]
    random = numpy.random.default_rng(state)
    column, row = numbers.columns[random.integers(numbers.shape[1])], random.integers(len(train))
    planted = train.copy()
    planted.iloc[row, planted.columns.get_loc(column)] = value
    others = numbers[column].drop(train.index[row])
    low, high = others.min(), others.max()
    hides = low < high and max(high, float(value)) - min(low, float(value)) > HIDDEN * (high - low)
    return planted, bool(hides)


@functools.lru_cache(maxsize=None)
def files(name, task, state, rows, values):
    """A split as CSV: the test rows, and by planted value ('clean': none) the training rows and whether it hides a column."""
    train, test = split(table(name)[0], task, state, rows)
    planted = {value: plant(train, state, value) for value in values}
    return test.to_csv(index=False), {value: (frame.to_csv(index=False), hides)
                                      for value, (frame, hides) in {"clean": (train, False), **planted}.items()}


class Trial:
    """A preset with settings, trained and tested by the command."""

    def __init__(self, program, method, settings, task):
        self.program, self.method, self.task = program, method, task
        self.words = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]

    def train(self, rows, folder, seed, *more):
        """The finished process; rows: CSV; the model is model.svf."""
        (folder / "train.csv").write_text(rows, encoding="utf-8")
        return self.program.call("train", "-m", self.method, *self.words, *more, "--seed", seed, "--task", self.task,
                                 "--threads", 1, "--json", "-o", folder / "model.svf", folder / "train.csv")

    def score(self, rows, test, folder, seed):
        """Accuracy in % or R2 on the test file, and what training wrote to stderr."""
        done = self.train(rows, folder, seed)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(done.args)}: {done.stderr}")
        report = self.program.eval(folder / "model.svf", test)
        score = 100 * report["accuracy"] if self.task == "class" else max(report["r2"], LEAST_R2)
        return round(score, 4), done.stderr


def measure(program, trial, name, same):
    """Scores by planted value; for how many tables a value hides a column, and how often train said so. same: splits,
    values, rows, which the result is kept with."""
    scores, hidden, remarks = {value: [] for value in ("clean", *same["values"])}, 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for state in range(same["splits"]):
            test, trains = files(name, trial["task"], state, same["rows"], tuple(same["values"]))
            (folder / "test.csv").write_text(test, encoding="utf-8")
            for value, (rows, hides) in trains.items():
                score, said = Trial(program, **trial).score(rows, folder / "test.csv", folder, state)
                scores[value].append(score)
                hidden += hides
                remarks += hides and "scale=robust" in said
    return {**same, "scores": scores, "hidden": hidden, "remarks": remarks}


def probe(task):
    """A small table, as CSV, with what scaling meets: an outlier, many zeros, two values, categories, missing cells."""
    random = numpy.random.default_rng(1)
    columns = {"plain": random.normal(size=90), "wide": random.normal(size=90) * 1e3, "zeros": random.poisson(.3, 90),
               "two": random.integers(0, 2, 90), "word": random.choice(list("abc"), 90)}
    total = columns["plain"] + columns["wide"] / 1e3 + columns["two"] + (columns["word"] == "a")
    columns["target"] = numpy.where(total > .8, "yes", "no") if task == "class" else total
    frame = pandas.DataFrame({name: [str(cell) for cell in column] for name, column in columns.items()})
    frame.iloc[3, 0], frame.iloc[7, 1], frame.iloc[11, 4] = "1e8", "", ""
    return frame.to_csv(index=False)


def version(program, method, settings, task):
    """A hash of what the preset answers on the probe, the same on every x86-64; None and why if it refuses the settings."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        done = Trial(program, method, settings, task).train(probe(task), folder, 0, "-s", "cpu=portable")
        if done.returncode != 0:
            return None, done.stderr.strip()
        score = ["--score"] if task == "class" else []
        answers = program.run("predict", *score, folder / "model.svf", folder / "train.csv")
    return hashlib.sha256(answers.encode()).hexdigest()[:12], None
