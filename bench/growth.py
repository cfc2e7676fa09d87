"""Training time of rsvt against rows, features and classes, with fitted exponents, and peak memory."""
import collections
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import common

Run = collections.namedtuple("Run", "n d classes seconds megabytes leaves")
ROWS = [Run(n, 20, 2, 0, 0, 0) for n in (10_000, 30_000, 100_000, 300_000, 1_000_000)]
FEATURES = [Run(10_000, d, 2, 0, 0, 0) for d in (20, 50, 100, 200, 500)]
CLASSES = [Run(10_000, 48, classes, 0, 0, 0) for classes in (2, 4, 8, 16, 24)]
MOST_PER_ROW, MOST_MEMORY = 1.5, 4  # times from 1e5 to 1e6 rows; times the data in single precision


# A process starts with the peak of the one that it was forked from: a small one stands between.
BETWEEN = """import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
status, usage = os.wait4(child, 0)[1:]
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(status != 0)"""


def measure(program, run, method, trees, rounds, folder):
    """The best time of some rounds, and the most memory of any."""
    data, model = folder / "data.csv", folder / "model.svf"
    program.run("synth", "classification", "-n", run.n, "-d", run.d, "--classes", run.classes, "-o", data)
    seconds, memory, leaves = math.inf, 0, 0
    for _ in range(rounds):
        words = [program.path, "train", "-q", "-m", method, "-s", f"trees={trees}", "--threads", str(program.threads), "-o",
                 str(model), str(data), "--json"]
        done = subprocess.run([sys.executable, "-ISc", BETWEEN, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(words)} failed: {done.stderr}")
        report = common.json.loads(done.stdout)
        seconds, memory = min(seconds, report["seconds"]), max(memory, int(done.stderr.split()[-1]) / 1024)
        leaves = report["leaves"]
    return run._replace(seconds=seconds, megabytes=memory, leaves=leaves)


def exponent(runs, name):
    """Slope of log seconds over log size, by least squares."""
    x = [math.log(getattr(run, name)) for run in runs]
    y = [math.log(run.seconds) for run in runs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def sweep(program, title, runs, name, method, trees, rounds):
    print(f"\n## {method}, {trees} tree{'s' if trees > 1 else ''}: time against {title}\n")
    table = common.Table(("rows x features, classes", 26), "seconds", "us per row", "leaves", "peak MB", "x data")
    done = []
    for run in runs:
        with tempfile.TemporaryDirectory() as folder:
            run = measure(program, run, method, trees, rounds, pathlib.Path(folder))
        done.append(run)
        table.row(f"{run.n} x {run.d}, {run.classes}", f"{run.seconds:.3f}", f"{1e6 * run.seconds / run.n:.1f}",
                  run.leaves, f"{run.megabytes:.0f}", f"{run.megabytes * 2**20 / (4 * run.n * run.d):.1f}")
    print(f"\nseconds grow with {title} to the power {exponent(done, name):.2f}", flush=True)
    return done


def instructions(program):
    """Instructions per fit of whole leaves under valgrind: a count that no other program disturbs."""
    if not shutil.which("valgrind"):
        print("\nvalgrind is not there: no instruction counts")
        return
    print("\n## Instructions per fit (callgrind; 5 values of C x 3 folds, and 2 on all rows, for each machine)\n")
    table = common.Table(("rows x features, classes", 26), "million", "per fit")
    for n, d, classes in ((300, 20, 2), (2000, 20, 2), (600, 48, 24), (600, 200, 2)):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder) / "data.csv"
            program.run("synth", "classification", "-n", n, "-d", d, "--classes", classes, "-o", data)
            words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
                     "--toggle-collect=svf_machines_train", program.path, "train", "-m", "linear-svm", "--threads", "1",
                     "-o", f"{folder}/m.svf", str(data)]
            text = subprocess.run(words, capture_output=True, text=True, check=False).stderr
        found = re.search(r"Collected : (\d+)", text)
        if not found:
            sys.exit(f"valgrind failed:\n{text}")
        count = int(found.group(1))
        fits = 17 * (1 if classes == 2 else classes)
        table.row(f"{n} x {d}, {classes}", f"{count / 1e6:.2f}", f"{count / fits:.0f}")


def main(options):
    program = common.Program(options)
    common.print_machine(program)
    passes = True
    for method in ("rsvt", "rsvt-full"):
        runs = {run.n: run for run in sweep(program, "rows", ROWS, "n", method, 10, options.rounds)}
        small, large = runs[100_000], runs[1_000_000]
        ratio = (large.seconds / large.n) / (small.seconds / small.n)
        memory = large.megabytes * 2**20 / (4 * large.n * large.d)
        fine = ratio <= MOST_PER_ROW and memory < MOST_MEMORY
        passes = passes and fine
        print(f"{method}: time per row from 1e5 to 1e6 rows x {ratio:.2f} (at most {MOST_PER_ROW}), peak memory "
              f"{memory:.1f} times the data (below {MOST_MEMORY}): {'PASS' if fine else 'miss'}")
        sweep(program, "features", FEATURES, "d", method, 1, options.rounds)
        sweep(program, "classes", CLASSES, "classes", method, 1, options.rounds)
    instructions(program)
    return passes


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3, help="of which the best counts")
    sys.exit(0 if main(arguments.parse_args()) else 1)
