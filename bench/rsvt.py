"""Training time of rsvt beside scikit-learn's forests and the same algorithm written on scikit-learn."""
import collections
import pathlib
import sys
import tempfile
import time

from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

import common
from sklearn_rsvt import SklearnRSVT

Problem = collections.namedtuple("Problem", "n d classes trees")
Timing = collections.namedtuple("Timing", "seconds leaves")
FIRST = Problem(80000, 20, 2, 10)
OTHERS = [Problem(10000, 48, 24, 1), Problem(10000, 500, 2, 1)]
PEER, FOREST = "rsvt on scikit-learn", "ExtraTreesClassifier(100)"
WANTED = {FIRST: {PEER: 60, FOREST: 10}, OTHERS[0]: {PEER: 60}, OTHERS[1]: {PEER: 30}}  # times rsvt's seconds


class Bench:
    """One problem, and everything that is timed on it. Times are of training alone; reading is apart."""

    def __init__(self, program, problem, folder):
        self.program, self.problem = program, problem
        self.data, self.model = folder / "data.csv", folder / "model.svf"
        program.run("synth", "classification", "-n", problem.n, "-d", problem.d, "--classes", problem.classes,
                    "-o", self.data)
        frame = common.read_set(self.data)
        self.X, self.y = common.features(frame), common.labels(frame)

    def svforest(self, method):
        """After a run that is not timed: a virtual machine gives back the memory of a program that has ended, and finding it again
        can take longer than to train. The others run in this process, which keeps its own."""
        for _ in range(2):
            report = self.program.train(self.data, self.model, method, trees=self.problem.trees)
        return Timing(report["seconds"], report["leaves"])

    def sklearn(self, model):
        start = time.perf_counter()
        model.fit(self.X, self.y)
        return Timing(time.perf_counter() - start, getattr(model, "leaves_", None) and len(model.leaves_))

    def contenders(self):
        forest = {"n_estimators": 100, "random_state": 0, "n_jobs": self.program.threads}
        return {
            "svforest rsvt": lambda: self.svforest("rsvt"),
            "svforest rsvt-full": lambda: self.svforest("rsvt-full"),
            FOREST: lambda: self.sklearn(ExtraTreesClassifier(**forest)),
            "RandomForestClassifier(100)": lambda: self.sklearn(RandomForestClassifier(**forest)),
        }

    def slow_peer(self):
        return self.sklearn(SklearnRSVT(self.problem.trees, n_jobs=self.program.threads))


def best(bench, rounds):
    """The best of the rounds of each contender, in turn so that a busy moment hits none alone; the slow one twice."""
    contenders = bench.contenders()
    timings = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            timings[name].append(contender())
    timings[PEER] = [bench.slow_peer() for _ in range(2)]
    return {name: min(runs, key=lambda run: run.seconds) for name, runs in timings.items()}


def show(problem, timings):
    print(f"## {problem.n} x {problem.d}, {problem.classes} classes, trees={problem.trees}\n")
    table = common.Table(("training", 27), "seconds", "against rsvt", "against rsvt-full", "leaves")
    for name, (seconds, leaves) in timings.items():
        ratios = [seconds / timings[f"svforest {method}"].seconds for method in ("rsvt", "rsvt-full")]
        table.row(name, f"{seconds:.3f}", *(f"{ratio:.2f}x" for ratio in ratios), leaves or "-")
    print(flush=True)


def run(options):
    program = common.Program(options)
    common.print_machine(program)
    results = {}
    for problem in [FIRST, *(OTHERS if options.all else [])]:
        with tempfile.TemporaryDirectory() as folder:
            results[problem] = best(Bench(program, problem, pathlib.Path(folder)), options.rounds)
        show(problem, results[problem])
    return all([judge(problem, timings) for problem, timings in results.items()])


def judge(problem, timings):
    passes = True
    for peer, wanted in WANTED[problem].items():
        ratio = timings[peer].seconds / timings["svforest rsvt"].seconds
        passes = passes and ratio >= wanted
        print(f"{problem.n} x {problem.d}, {problem.classes} classes: {ratio:.1f}x {peer} (at least {wanted}): "
              f"{'PASS' if ratio >= wanted else 'miss'}")
    return passes


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3, help="of which the best counts")
    arguments.add_argument("--all", action="store_true", help="also many classes, and many features")
    sys.exit(0 if run(arguments.parse_args()) else 1)
