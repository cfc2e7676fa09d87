"""TBRF beside VP-SVM, scikit-learn's extra-trees and the paper's figures: accuracy, time, growth."""
import pathlib
import sys
import tempfile
import time

import numpy
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.kernel_ridge import KernelRidge

import common

SETS = ["pts", "aep", "hpp", "sarcos_testpart", "friedman1"]
PAPER = {"pts": 13.43, "aep": 5261.9, "hpp": 1226.7}
TBRF = ["tbrf-c", "tbrf-l", "tbrf-g"]
WIDTHS = [0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.5, 2.5, 4, 7]
COSTS = [0.1, 0.5, 2, 10, 50, 200, 1000, 5000, 20000, 100000]


class Verdicts:
    """What was asked for, line by line."""

    def __init__(self):
        self.misses = 0

    def line(self, passed, text):
        self.misses += not passed
        print(f"{'pass' if passed else 'MISS'}  {text}", flush=True)


def write_splits(name, program, folder, splits):
    """Train and test files of each split; None: the set is not there."""
    if name == "friedman1":
        program.run("synth", "friedman1", "-n", 10000, "-d", 10, "--seed", 1, "-o", folder / "whole.csv")
        table = common.read_set(folder / "whole.csv")
    else:
        paths = common.find_set(name)
        if not paths:
            return None
        table = common.read_set(paths[0])
    files = []
    for split in range(splits):
        order = numpy.random.default_rng(split).permutation(len(table))
        count = round(0.7 * len(table))
        pair = [folder / f"{name}.{split}.{part}.csv" for part in ("train", "test")]
        table.iloc[order[:count]].to_csv(pair[0], index=False)
        table.iloc[order[count:]].to_csv(pair[1], index=False)
        files.append(pair)
    return files


def matrices(pair):
    tables = [common.read_set(path).to_numpy(dtype=float) for path in pair]
    return tables[0][:, :-1], tables[0][:, -1], tables[1][:, :-1], tables[1][:, -1]


def train(program, pair, method, model, **settings):
    """Seconds of training, and the mean squared error on the test part."""
    report = program.report("train", "-m", method, *(word for item in settings.items()
                            for word in ("-s", "{}={}".format(*item))), "--task", "regress", "--threads",
                            program.threads, "-o", model, pair[0])
    return report["seconds"], program.eval(model, pair[1])["mse"]


def extra_trees(pair, threads):
    x, y, x_test, y_test = matrices(pair)
    began = time.perf_counter()
    forest = ExtraTreesRegressor(100, n_jobs=threads, random_state=0).fit(x, y)
    seconds = time.perf_counter() - began
    return seconds, float(numpy.mean((forest.predict(x_test) - y_test) ** 2))


def judge_accuracy(found, verdicts):
    for name, errors in found.items():
        method = min(TBRF, key=errors.get)
        if name in PAPER:
            verdicts.line(errors[method] <= PAPER[name],
                          f"{name}: {method} {errors[method]:.5g}, the paper's TBRF {PAPER[name]}")
        verdicts.line(errors[method] < errors["vp-svm"],
                      f"{name}: {method} {errors[method]:.5g} under vp-svm {errors['vp-svm']:.5g}")
    if "sarcos_testpart" in found:
        e = found["sarcos_testpart"]
        verdicts.line(e["tbrf-g"] < e["tbrf-c"], f"sarcos_testpart: tbrf-g {e['tbrf-g']:.4g} under tbrf-c {e['tbrf-c']:.4g}")
    if "pts" in found:
        e = found["pts"]
        verdicts.line(e["tbrf-c"] <= 1.03 * e["tbrf-l"], f"pts: tbrf-c {e['tbrf-c']:.4g} within 3% of tbrf-l {e['tbrf-l']:.4g}")


def measure(program, method, pair, folder):
    """Seconds and error of one method on one split."""
    return extra_trees(pair, program.threads) if method == "ET" else train(program, pair, method, folder / "m.svf")


def accuracy(program, folder, splits, notes, verdicts):
    """Mean over the splits; each figure of one method on one split is a note of its own."""
    found = {}
    table = common.Table(("set", 16), "paper", *TBRF, "vp-svm", "ET(100)", "seconds of each")
    for name in SETS:
        files = write_splits(name, program, folder, splits)
        if not files:
            continue
        errors, seconds = {}, {}
        for method in [*TBRF, "vp-svm", "ET"]:
            runs = [notes.figure(f"{name} {split} {method}", lambda p=pair, m=method: measure(program, m, p, folder))
                    for split, pair in enumerate(files)]
            seconds[method], errors[method] = numpy.mean(runs, axis=0)
        found[name] = errors
        table.row(name, PAPER.get(name, ""), *(f"{errors[m]:.5g}" for m in errors),
                  " ".join(f"{s:.1f}" for s in seconds.values()))
    print()
    judge_accuracy(found, verdicts)


def kernel_ridge(pair, fits):
    """Seconds for the whole grid on 5,000 rows, scaled up from `fits` of them, and the error of the best that was fitted."""
    x, y, x_test, y_test = matrices(pair)
    low, span = x.min(0), numpy.ptp(x, 0)
    x, x_test = ((part - low) / numpy.where(span > 0, span, 1) for part in (x[:5000], x_test))
    y = y[:5000]
    unit = numpy.sqrt(2 * x.var(0).sum())
    grid = [(width, cost) for width in WIDTHS for cost in COSTS]
    chosen = [grid[i] for i in numpy.linspace(0, len(grid) - 1, fits).astype(int)] if fits else grid
    seconds, best = 0, numpy.inf
    for width, cost in chosen:
        machine = KernelRidge(alpha=1 / cost, kernel="rbf", gamma=1 / (2 * (width * unit) ** 2))
        began = time.perf_counter()
        machine.fit(x, y - y.mean())
        seconds += time.perf_counter() - began
        best = min(best, float(numpy.mean((machine.predict(x_test) + y.mean() - y_test) ** 2)))
    return seconds * len(grid) / len(chosen), best


def times(program, folder, fits, verdicts):
    files = write_splits("pts", program, folder, 1)
    if not files:
        return
    pair, model = files[0], folder / "m.svf"
    ours, theirs = train(program, pair, "tbrf-c", model), extra_trees(pair, program.threads)
    verdicts.line(ours[0] <= theirs[0], f"pts: tbrf-c {ours[0]:.2f} s (MSE {ours[1]:.4g}), ExtraTreesRegressor(100) "
                  f"{theirs[0]:.2f} s (MSE {theirs[1]:.4g}): {theirs[0] / ours[0]:.1f} times")
    ours, theirs = train(program, pair, "tbrf-g", model), kernel_ridge(pair, fits)
    verdicts.line(ours[0] < theirs[0], f"pts: tbrf-g on all rows {ours[0]:.1f} s (MSE {ours[1]:.4g}), KernelRidge, the same "
                  f"grid on 5,000 rows, {theirs[0]:.1f} s (MSE {theirs[1]:.4g} at best): {theirs[0] / ours[0]:.1f} times")
    print()
    table = common.Table(("tbrf-g, 1 tree", 16), "seconds", "MSE")
    for rows in [50, 100, 200, 400]:
        seconds, error = train(program, pair, "tbrf-g", model, cell_rows=rows, trees=1)
        table.row(f"{rows} rows a cell", f"{seconds:.2f}", f"{error:.4g}")
    print()


def growth(program, folder, verdicts):
    table = common.Table(("tbrf-c, 10 trees", 16), "seconds", "MSE")
    sizes, seconds = [10000, 100000, 1000000], []
    program.run("synth", "friedman1", "-n", 5000, "-d", 10, "--seed", 9, "-o", folder / "test.csv")
    for n in sizes:
        program.run("synth", "friedman1", "-n", n, "-d", 10, "-o", folder / "train.csv")
        used, error = train(program, (folder / "train.csv", folder / "test.csv"), "tbrf-c", folder / "m.svf", trees=10)
        seconds.append(used)
        table.row(f"{n:,} rows", f"{used:.2f}", f"{error:.4g}")
    slope = numpy.polyfit(numpy.log(sizes), numpy.log(seconds), 1)[0]
    print()
    verdicts.line(slope <= 1.15, f"growth from 10^4 to 10^6 rows: exponent {slope:.3f}, at most 1.15")


def main():
    options = common.parser(__doc__)
    options.add_argument("--quick", action="store_true", help="one split, and ten of KernelRidge's fits")
    options.add_argument("--splits", type=int, default=5)
    options.add_argument("--fits", type=int, default=0, help="fits of KernelRidge to time; 0: the whole grid")
    options.add_argument("--only", choices=["accuracy", "time", "growth"])
    options.add_argument("--sets", help="a,b,c: instead of all")
    common.add_notes(options)
    chosen = options.parse_args()
    if chosen.sets:
        SETS[:] = chosen.sets.split(",")
    program, verdicts = common.Program(chosen), Verdicts()
    common.print_machine(program)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if chosen.only in (None, "accuracy"):
            accuracy(program, folder, 1 if chosen.quick else chosen.splits,
                     common.Notes(chosen.notes), verdicts)
        if chosen.only in (None, "time"):
            times(program, folder, chosen.fits or (10 if chosen.quick else 0), verdicts)
        if chosen.only in (None, "growth"):
            growth(program, folder, verdicts)
    sys.exit(verdicts.misses > 0)


if __name__ == "__main__":
    main()
