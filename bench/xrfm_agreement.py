"""xrfm beside the authors' package at equal settings: accuracy, R2, and how far the answers are apart. The package draws the rows
for a cut by chance, so it is compared with itself under another seed, too."""
import datetime
import importlib.metadata
import os
import pathlib
import platform
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is loaded: both have one thread

import numpy
import pandas

import common
import outlier_lab
import tables_lab  # puts papers/ on the path
from store import Store

RESULTS = common.ROOT / "bench" / "results"
SETS = ("hpp", "sarcos_testpart", "pts", "segment", "spambase", "letter")
SPLITS, MOST_ROWS = 3, 3000  # of training
WIDTH, RIDGE, ROUNDS, CELL = 10.0, 1e-3, 3, 1000
POINTS, R2 = 1.0, .01  # how far the means of the splits may be apart
OURS = {"gamma": 1 / WIDTH, "C": 1 / RIDGE, "metric_rounds": ROUNDS, "metric_judges": 0, "cell_rows": CELL,
        "metric_rows": 20000, "direction_rows": 20000, "scale": "standard", "calibration": "none"}


def read(name):
    frame = pandas.concat([common.read_set(path) for path in outlier_lab.paths(name)], ignore_index=True)
    return frame, outlier_lab.describe(name).task


def package(task, seed, train, test):
    """Seconds, and the answers of the package: values, or scores of the classes."""
    import torch
    import xrfm
    torch.set_num_threads(1)
    x, z = common.features(train), common.features(test)
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1
    x, z = ((part - mean) / deviation for part in (x, z))
    names, y = None, train.iloc[:, -1].to_numpy(dtype=float) if task == "regress" else None
    if task == "class":
        names, y = numpy.unique(train.iloc[:, -1], return_inverse=True)
    centre = y.mean() if task == "regress" else 0
    target = torch.tensor(y - centre, dtype=torch.float32 if task == "regress" else torch.int64)
    machine = {"kernel": "l2", "exponent": 1.0, "bandwidth": WIDTH, "diag": False, "bandwidth_mode": "constant"}
    fit = {"reg": RIDGE, "early_stop_rfm": False, "return_best_params": False, "verbose": False}
    model = xrfm.xRFM(rfm_params={"model": machine, "fit": {**fit, "iters": ROUNDS}},
                      default_rfm_params={"model": machine, "fit": {**fit, "iters": 0, "get_agop_best_model": True}},
                      max_leaf_size=CELL, refill_size=0, use_temperature_tuning=False, random_state=seed, verbose=False,
                      device="cpu", n_threads=1)
    start = time.process_time()
    rows = torch.tensor(x, dtype=torch.float32)
    model.fit(rows, target, rows, target)  # rows to judge are asked for, and with these settings decide nothing
    seconds = time.process_time() - start
    asked = torch.tensor(z, dtype=torch.float32)
    answers = model.predict(asked) if task == "regress" else model.predict_proba(asked)
    answers = numpy.asarray(answers).astype(float)
    return seconds, answers.ravel() + centre if task == "regress" else answers, names


def apart(task, mine, theirs, classes, names, spread):
    """Root mean squared difference of the answers over the target's deviation; or the share of rows with another class, in %."""
    if task == "regress":
        return float(numpy.sqrt(((mine - theirs) ** 2).mean()) / spread)
    one = [tables_lab.plain(classes[i]) for i in mine.argmax(axis=1)]
    other = [tables_lab.plain(names[i]) for i in theirs.argmax(axis=1)]
    return 100 * float(numpy.mean([a != b for a, b in zip(one, other)]))


def measure(program, frame, task, state):
    train, test = outlier_lab.split(frame, task, state, MOST_ROWS)
    target = test.iloc[:, -1]
    seconds, mine, classes = tables_lab.ours(program, "xrfm", OURS, task, state, train, test)
    theirs_seconds, theirs, names = package(task, state, train, test)
    again = package(task, SPLITS + state, train, test)[1]
    spread = target.to_numpy(dtype=float).std() if task == "regress" else 1
    return {"score": tables_lab.judged(task, mine, classes, target)["score"],
            "package": tables_lab.judged(task, theirs, names, target)["score"],
            "apart": round(apart(task, mine, theirs, classes, names, spread), 6),
            "package_apart": round(apart(task, again, theirs, names, names, spread), 6),
            "seconds": round(seconds, 4), "package_seconds": round(theirs_seconds, 4)}


def facts(program):
    releases = {name: importlib.metadata.version(name) for name in ("xrfm", "torch")}
    return {"date": datetime.date.today().isoformat(), "svforest": program.run("--version").strip(),
            "machine": common.processor_name(), "python": platform.python_version(), **releases}


def results_of(program, store, name, render):
    """The results of all splits that are there or can be measured, and the task."""
    frame, task = read(name)
    version = {} if render else {"version": tables_lab.version(program, "xrfm", OURS, task),
                                 "peer": f"xrfm {importlib.metadata.version('xrfm')}"}
    found = []
    for state in range(SPLITS):
        kept = store.get("xrfm", f"{name}/{state}")
        if not render and (not kept or any(kept[what] != value for what, value in version.items())):
            store.put("xrfm", f"{name}/{state}", {**version, **measure(program, frame, task, state)}, facts(program))
        found.append(store.get("xrfm", f"{name}/{state}"))
    return [result for result in found if result], task


def mean(results, what):
    return float(numpy.mean([result[what] for result in results]))


def compare(program, options):
    store, fine, judged = Store(RESULTS), True, 0
    names = options.sets.split(",") if options.sets else SETS
    table = common.Table(("set", 18), "ours", "package", "apart", "package apart", "s", "package s")
    lines = []
    for name in names:
        if not all(pathlib.Path(path).exists() for path in outlier_lab.paths(name)):
            print(f"skipped: {name} is not in {common.shown(common.DATA)} (SVFOREST_DATA says where data sets are)", file=sys.stderr)
            continue
        results, task = results_of(program, store, name, options.render)
        if not results:
            continue
        digits, bar = (4, R2) if task == "regress" else (2, POINTS)
        table.row(name, *(f"{mean(results, what):.{digits}f}" for what in ("score", "package", "apart", "package_apart")),
                  f"{mean(results, 'seconds'):.2f}", f"{mean(results, 'package_seconds'):.2f}")
        lines.append((name, task, mean(results, "score") - mean(results, "package"), bar, digits))
    for name, task, difference, bar, digits in lines:
        what = f"{name}: {'R2' if task == 'regress' else 'accuracy'} is within {bar} of the package's"
        fine = common.judge(what, f"{difference:+.{digits}f}", abs(difference) <= bar) and fine
        judged += 1
    return fine and judged > 0


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--sets", help="only these sets, with commas between")
    arguments.add_argument("--render", action="store_true", help="print the table of the stored results, without measuring")
    given = arguments.parse_args()
    ran = common.Program(given)
    ran.threads = 1
    common.print_machine(ran)
    sys.exit(0 if compare(ran, given) else 1)
