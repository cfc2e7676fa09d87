"""What calibrated probabilities bring to least-squares leaves: log-loss and accuracy with calibration=none and logistic."""
import io
import math
import pathlib
import sys
import tempfile

import numpy
import pandas
from sklearn.model_selection import train_test_split

import common

METHODS = ("ls-svm", "tbrf-g", "tbrf-l", "vp-svm", "metric-forest", "xrfm")
SPLITS, TRAINING, TESTING = 3, 1000, 2000  # at most so many rows of each split
LEAST = 1e-6  # a probability below this counts as this, so that one row cannot decide the log-loss
SMALL = {"tbrf-g": {"trees": 5}, "tbrf-l": {"trees": 10}, "metric-forest": {"cell_rows": 300, "metric_rows": 600}}
KINDS, CLASSES = ("none", "logistic"), 50


def names():
    """Every classification set there is, those of mixed columns last."""
    found = {path.name.split(".")[0] for path in common.DATA.glob("*.csv.gz")}
    found = [*sorted(found), *(f"mixed/{path.name.split('.')[0]}" for path in sorted(common.DATA.glob("mixed/*.csv.gz")))]
    return [name for name in found if of_classes(load(name).iloc[:, -1])]


def load(name):
    parts = [common.DATA / f"{name}{part}.csv.gz" for part in ("", ".train", ".test")]
    return pandas.concat([common.read_set(path) for path in parts if path.exists()], ignore_index=True)


def of_classes(target):
    numbers = pandas.to_numeric(target, errors="coerce")
    return target.nunique() <= CLASSES and (numbers.isna().any() or bool((numbers % 1 == 0).all()))


def split(frame, state):
    """Stratified; classes of one row train."""
    target = frame.iloc[:, -1]
    often = target.map(target.value_counts()) > 1
    train, test = train_test_split(frame[often], test_size=1 / 3, stratify=target[often], random_state=state)
    train = pandas.concat([train, frame[~often]])
    return train.sample(min(TRAINING, len(train)), random_state=state), test.sample(min(TESTING, len(test)), random_state=state)


def ask(program, folder, method, kind):
    """Probabilities of the test rows."""
    program.train(folder / "train.csv", folder / "model.svf", method, calibration=kind, **SMALL.get(method, {}))
    return pandas.read_csv(io.StringIO(program.run("predict", "--proba", folder / "model.svf", folder / "test.csv")))


def spelt(label):
    """+1 and 1.0 are the class 1."""
    try:
        return float(label)
    except ValueError:
        return label


def losses(answers, target):
    """Log-loss of each row, and whether it is classified right; a class that did not train has no probability."""
    column = {spelt(text): place for place, text in enumerate(answers.columns)}
    value, own = answers.to_numpy(), [column.get(spelt(text), -1) for text in target]
    right = [value[i, place] if place >= 0 else 0 for i, place in enumerate(own)]
    return -numpy.log(numpy.clip(right, LEAST, 1)), value.argmax(axis=1) == numpy.array(own)


def measure(program, name, method):
    """For both kinds the mean log-loss and accuracy; and the standard error of the difference of the log-losses."""
    frame, apart, sums = load(name), [], {kind: [[], []] for kind in KINDS}
    for state in range(SPLITS):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            train, test = split(frame, state)
            train.to_csv(folder / "train.csv", index=False), test.to_csv(folder / "test.csv", index=False)
            rows = {kind: losses(ask(program, folder, method, kind), test.iloc[:, -1].astype(str)) for kind in KINDS}
        for kind in KINDS:
            for total, each in zip(sums[kind], rows[kind]):
                total.append(float(each.mean()))
        gap = rows["logistic"][0] - rows["none"][0]
        apart.append(gap.std(ddof=1) / math.sqrt(len(gap)))
    return {**{kind: [float(numpy.mean(values)) for values in sums[kind]] for kind in KINDS},
            "error": float(numpy.mean(apart))}


def worse(found):
    return found["logistic"][0] > found["none"][0] * 1.02 + found["error"]


def report(program, method, sets, notes):
    table = common.Table((method, 24), "none", "logistic", "error", "accuracy", "calibrated")
    kept = {}
    for name in sets:
        found = kept[name] = notes.figure(f"{method}/{name}", lambda name=name: measure(program, name, method))
        table.row(name, *(f"{found[kind][0]:.4f}" for kind in KINDS), f"{found['error']:.4f}",
                  *(f"{100 * found[kind][1]:.1f}" for kind in KINDS))
    print()
    lower = sum(found["logistic"][0] < found["none"][0] for found in kept.values())
    fine = common.judge(f"{method}: log-loss is lower on 3 of 4 sets", f"{lower} of {len(kept)}", 4 * lower >= 3 * len(kept))
    higher = [name for name, found in kept.items() if worse(found)]
    return common.judge(f"{method}: nowhere higher by 2% and one standard error", ", ".join(higher) or "none", not higher) and fine


def main():
    options = common.parser(__doc__)
    options.add_argument("--methods", default=",".join(METHODS), help="only these, with commas between")
    options.add_argument("sets", metavar="SET", nargs="*", help="only these")
    common.add_notes(options)
    given = options.parse_args()
    program, notes = common.Program(given), common.Notes(given.notes)
    common.print_machine(program)
    sets = [name for name in names() if not given.sets or name in given.sets]
    if not sets:
        sys.exit("skipped: no such set is there (SVFOREST_DATA says where data sets are)")
    sys.exit(0 if all([report(program, method, sets, notes) for method in given.methods.split(",")]) else 1)


if __name__ == "__main__":
    main()
