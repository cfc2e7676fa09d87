"""Prediction beside scikit-learn's forests: rows per second of whole tables, and the time of a single row."""
import collections
import ctypes
import pathlib
import sys
import tempfile
import time

import numpy
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

import common

Problem = collections.namedtuple("Problem", "n d classes trees")
FIRST = Problem(80000, 20, 2, 10)
OTHERS = [Problem(10000, 48, 24, 10), Problem(10000, 500, 2, 10)]
PEER = "RandomForestClassifier(100)"
FORESTS = {"rsvt": {"method": "rsvt"},
           "rsvt, single precision": {"method": "rsvt", "precision": "single"},
           "rsvt-full": {"method": "rsvt-full"},
           "rsvt-full, constant leaves, 100 trees": {"method": "rsvt-full", "leaf": "constant", "trees": 100,
                                                     "min_leaf_factor": 0, "min_leaf": 5}}


class Matrix(ctypes.Structure):
    _fields_ = [("values", ctypes.c_void_p), ("float32", ctypes.c_int), ("rows", ctypes.c_size_t),
                ("columns", ctypes.c_size_t), ("row_stride", ctypes.c_ssize_t), ("column_stride", ctypes.c_ssize_t)]


class Run(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_int), ("callback", ctypes.c_void_p), ("user", ctypes.c_void_p),
                ("memory_limit", ctypes.c_size_t)]


class Prediction(ctypes.Structure):
    _fields_ = [("values", ctypes.c_void_p), ("scores", ctypes.c_void_p), ("probabilities", ctypes.c_void_p),
                ("leaves", ctypes.c_void_p), ("unseen", ctypes.c_size_t)]


class Library:
    """libsvforest, as svforest.h has it; a failure ends the bench with its message."""

    def __init__(self, path):
        self.calls = ctypes.CDLL(path)
        self.message = ctypes.create_string_buffer(1024)

    def make(self, function, *arguments):
        """What a function hands out through its last pointer but one."""
        made = ctypes.c_void_p()
        self.check(getattr(self.calls, function)(*arguments, ctypes.byref(made), self.message))
        return made

    def check(self, status):
        if status:
            sys.exit(self.message.value.decode())

    def table(self, X):
        matrix = Matrix(X.ctypes.data, 1, *X.shape, X.shape[1], 1)
        return self.make("svf_table_new", ctypes.byref(matrix), None)


class Forest:
    """A model file and a table as C programs have them."""

    def __init__(self, library, model, X):
        self.library, self.X = library, X
        self.forest = library.make("svf_forest_load", str(model).encode())
        self.table = library.table(X)
        self.values = numpy.empty(len(X))

    def predict(self, threads, table=None):
        run, out = Run(threads), Prediction(self.values.ctypes.data)
        self.library.check(self.library.calls.svf_predict(self.forest, table or self.table, ctypes.byref(run),
                                                          ctypes.byref(out), self.library.message))

    def predict_matrix(self, threads):
        """The same, the table made anew from the matrix."""
        table = self.library.table(self.X)
        self.predict(threads, table)
        self.library.calls.svf_table_free(table)

    def close(self):
        self.library.calls.svf_table_free(self.table)
        self.library.calls.svf_forest_free(self.forest)


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_in_turn(contenders, rounds):
    """The best of the rounds of each, in turn so that a busy moment hits none alone."""
    times = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            times[name].append(seconds(contender))
    return {name: min(runs) for name, runs in times.items()}


class Bench:
    """One problem: the models of both sides, trained once."""

    def __init__(self, options, program, problem, folder):
        self.program, self.problem, self.folder = program, problem, folder
        self.library = Library(options.library)
        self.data = folder / "data.csv"
        program.run("synth", "classification", "-n", problem.n, "-d", problem.d, "--classes", problem.classes,
                    "-o", self.data)
        frame = common.read_set(self.data)
        self.X, self.y = common.features(frame).astype(numpy.float32), common.labels(frame)
        self.forests = {name: self.forest(**settings) for name, settings in FORESTS.items()}
        trained = {"random_state": 0, "n_jobs": program.threads}
        self.peers = {PEER: RandomForestClassifier(100, **trained).fit(self.X, self.y),
                      "ExtraTreesClassifier(100)": ExtraTreesClassifier(100, **trained).fit(self.X, self.y)}

    def forest(self, method, **settings):
        model = self.folder / "model.svf"
        self.program.train(self.data, model, method, **{"trees": self.problem.trees, **settings})
        made = Forest(self.library, model, self.X)
        model.unlink()  # it stays mapped
        return made

    def contenders(self, threads):
        ours = {name: lambda f=forest: f.predict(threads) for name, forest in self.forests.items()}
        ours["rsvt, and the table from the matrix"] = lambda: self.forests["rsvt"].predict_matrix(threads)
        for peer in self.peers.values():
            peer.n_jobs = threads
        return ours | {name: lambda p=peer: p.predict(self.X) for name, peer in self.peers.items()}

    def close(self):
        for forest in self.forests.values():
            forest.close()


def show_tables(bench, rounds):
    """Whole tables with one thread and with all; returns the ratios of rsvt to the random forest."""
    ratios = []
    for threads in sorted({1, bench.program.threads}):
        times = best_in_turn(bench.contenders(threads), rounds)
        n, d, classes, trees = bench.problem
        print(f"## {n} x {d}, {classes} classes, trees={trees}; {threads} thread{'s' * (threads > 1)}\n")
        table = common.Table(("predicting labels", 37), "ms", "million rows/s", "against RF(100)")
        for name, best in times.items():
            table.row(name, f"{1e3 * best:.1f}", f"{n / best / 1e6:.2f}", f"{times[PEER] / best:.1f}x")
        print(flush=True)
        ratios.append(times[PEER] / times["rsvt"])
    return ratios


def show_row(bench, rounds):
    """A single row, asked for again and again; the call from Python is in the times of both."""
    library, forest = bench.library, bench.forests["rsvt"].forest
    predictor = library.make("svf_predictor_new", forest)
    value, row = ctypes.c_double(), bench.X[0].astype(float)
    out = Prediction(ctypes.addressof(value))
    arguments = predictor, ctypes.c_void_p(row.ctypes.data), ctypes.byref(out), None
    peer = RandomForestClassifier(10, random_state=0, n_jobs=1).fit(bench.X, bench.y)

    def many(count, call, *words):
        return lambda: [call(*words) for _ in range(count)]

    count = 5000
    times = best_in_turn({"svforest": many(count, library.calls.svf_predictor_row, *arguments),
                          "empty": many(count, library.calls.svf_version),
                          "peer": many(count // 100, peer.predict, bench.X[:1])}, rounds)
    library.calls.svf_predictor_free(predictor)
    ours, empty, theirs = times["svforest"] / count, times["empty"] / count, times["peer"] / (count // 100)
    print("## one row, 10 trees, d = 20\n")
    table = common.Table(("predicting one row", 37), "microseconds", "ratio")
    table.row("rsvt, svf_predictor_row", f"{1e6 * ours:.2f}", "1x")
    table.row("of which the call from Python, about", f"{1e6 * empty:.2f}", "")
    table.row("RandomForestClassifier(10)", f"{1e6 * theirs:.1f}", f"{theirs / ours:.0f}x")
    print(flush=True)
    return theirs / ours


def judge(what, ratio, least):
    print(f"{what}: {ratio:.1f}x, at least {least}x: {'PASS' if ratio >= least else 'miss'}")
    return ratio >= least


def run(options):
    program = common.Program(options)
    common.print_machine(program)
    verdicts = []
    for problem in [FIRST, *(OTHERS if options.all else [])]:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(options, program, problem, pathlib.Path(folder))
            ratios = show_tables(bench, options.rounds)
            if problem == FIRST:
                verdicts = [("rsvt against RF(100), worst number of threads", min(ratios), 10),
                            ("a single row against RF(10)", show_row(bench, options.rounds), 20)]
            bench.close()
    return all([judge(*verdict) for verdict in verdicts])


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--library", default=str(common.ROOT / "build" / "libsvforest.so"), help="the same, to load")
    arguments.add_argument("--rounds", type=int, default=5, help="of which the best counts")
    arguments.add_argument("--all", action="store_true", help="also many classes, and many features")
    sys.exit(0 if run(arguments.parse_args()) else 1)
