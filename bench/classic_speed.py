"""Training time of rf and et at 100 trees beside scikit-learn's forests and ranger, one run each, in turn."""
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy
from sklearn.ensemble import (ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier,
                              RandomForestRegressor)

import common

TREES = 100
Problem = collections.namedtuple("Problem", "name classes make")
PEERS = {("rf", True): RandomForestClassifier, ("rf", False): RandomForestRegressor,
         ("et", True): ExtraTreesClassifier, ("et", False): ExtraTreesRegressor}

# R reads the table, then times training alone. Fully grown trees, as many features, the same rows.
RANGER = """
library(ranger)
a <- commandArgs(TRUE)
d <- read.csv(a[1]); classes <- a[2] == "True"; extra <- a[3] == "et"; threads <- as.integer(a[4])
names(d)[ncol(d)] <- "target"
if (classes) d$target <- as.factor(d$target)
p <- ncol(d) - 1
rule <- if (extra) "extratrees" else if (classes) "gini" else "variance"
t <- system.time(ranger(dependent.variable.name = "target", data = d, num.trees = as.integer(a[5]),
  mtry = if (classes) floor(sqrt(p)) else p, min.node.size = 1, probability = classes, splitrule = rule,
  num.random.splits = 1, replace = !extra, sample.fraction = 1, num.threads = threads,
  oob.error = FALSE, verbose = FALSE))
cat(t[["elapsed"]])
"""


def from_file(file):
    def make(_program, folder):
        paths = common.find_set(file)
        if not paths:
            return None
        common.read_set(paths[0]).to_csv(folder / "data.csv", index=False)
        return folder / "data.csv"
    return make


def synthetic(n, d, classes):
    def make(program, folder):
        program.run("synth", "classification", "-n", n, "-d", d, "--classes", classes, "-o", folder / "data.csv")
        return folder / "data.csv"
    return make


PROBLEMS = [
    Problem("letter", True, from_file("letter.train")),
    Problem("pts", False, from_file("pts")),
    Problem("100,000 x 20", True, synthetic(100000, 20, 2)),
    Problem("20,000 x 200", True, synthetic(20000, 200, 5)),
]


def time_ours(program, method, data):
    return program.train(data, data.with_suffix(".svf"), method, trees=TREES)["seconds"]


def time_sklearn(program, method, classes, data):
    frame = common.read_set(data)
    x, y = common.features(frame).astype(numpy.float32), common.labels(frame)
    model = PEERS[method, classes](n_estimators=TREES, random_state=0, n_jobs=program.threads)
    start = time.perf_counter()
    model.fit(x, y)
    return time.perf_counter() - start


def time_ranger(program, method, classes, data):
    """None where R or ranger is not there."""
    if not shutil.which("Rscript"):
        return None
    done = subprocess.run(["Rscript", "-e", RANGER, data, str(classes), method, str(program.threads), str(TREES)],
                          capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else None


def choose(problems, names):
    """Those named, with semicolons between; None: all."""
    return [problem for problem in problems if not names or problem.name in names.split(";")]


def show(table, method, problem, seconds):
    """One line; returns whether we are not slower than the faster peer."""
    mine, *others = seconds
    fastest = min(other for other in others if other is not None)
    cells = ["-" if s is None else f"{s:.2f}" for s in seconds]
    table.row(f"{method} {problem.name}", *cells, f"{fastest / mine:.1f}", common.verdict(mine <= fastest))
    return mine <= fastest


def measure(program, method, problem):
    """Seconds of ours, scikit-learn and ranger; None where the set is absent."""
    with tempfile.TemporaryDirectory() as folder:
        data = problem.make(program, pathlib.Path(folder))
        return data and [time_ours(program, method, data), time_sklearn(program, method, problem.classes, data),
                         time_ranger(program, method, problem.classes, data)]


def run(options):
    program, notes = common.Program(options), common.Notes(options.notes)
    common.print_machine(program)
    if not shutil.which("Rscript"):
        print("skipped: ranger (Debian: r-cran-ranger)", file=sys.stderr)
    table = common.Table(("training, seconds", 17), "svforest", "scikit-learn", "ranger", "ratio", "verdict")
    verdicts = []
    for problem in choose(PROBLEMS, options.sets):
        for method in options.methods.split(","):
            seconds = notes.figure(f"{method} {problem.name}", lambda m=method, p=problem: measure(program, m, p))
            if seconds:
                verdicts.append(show(table, method, problem, seconds))
    print("\nratio: the faster peer's time over ours")
    return common.judge("not slower than the faster peer", f"{sum(verdicts)} of {len(verdicts)}", all(verdicts))


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--sets", help="only these, with semicolons between")
    arguments.add_argument("--methods", default="rf,et", help="with commas between")
    common.add_notes(arguments)
    sys.exit(0 if run(arguments.parse_args()) else 1)
