"""What Python adds to the library: time of fit and predict beside the bare calls of C, one row beside scikit-learn, and
the memory that fit takes beside the data."""
import ctypes
import subprocess
import sys
import time

import numpy
from sklearn.linear_model import LogisticRegression

import common
import svforest
from svforest import _library
from svforest._library import library

ROWS, COLUMNS = 100_000, 20
MOST_OVERHEAD = 1.03  # of the time of C


def make_set(rows=ROWS, columns=COLUMNS):
    random = numpy.random.default_rng(0)
    X = random.normal(size=(rows, columns)).astype(numpy.float32)
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=rows) > 0).astype(int)


class Bare:
    """The calls that a program in C makes, on arrays that are there already."""

    def __init__(self, X, y, method, threads):
        self.X, self.codes, self.values = X, y.astype(numpy.int32), numpy.empty(len(X))
        step = X.itemsize
        self.matrix = _library.Matrix(X.ctypes.data, step == 4, *X.shape, *(s // step for s in X.strides))
        self.settings = _library.make("svf_settings_new", method.encode())
        self.run = _library.Run(threads=threads)
        self.names = _library.texts(["0", "1"])
        self.forest = None

    def table(self):
        return _library.make("svf_table_borrow", ctypes.byref(self.matrix), None)

    def fit(self):
        table = self.table()
        _library.call("svf_table_set_classes", table, self.codes.ctypes.data, self.names, 2)
        library.svf_forest_free(self.forest)
        self.forest = _library.make("svf_train", self.settings, table, ctypes.byref(self.run))
        library.svf_table_free(table)

    def predict(self):
        table = self.table()
        wanted = _library.Prediction(values=self.values.ctypes.data)
        _library.call("svf_predict", self.forest, table, ctypes.byref(self.run), ctypes.byref(wanted))
        library.svf_table_free(table)


def seconds(job, times=1):
    start = time.perf_counter()
    for _ in range(times):
        job()
    return (time.perf_counter() - start) / times


def best_in_turn(jobs, rounds, times=1):
    """The best seconds of each job, run in turn."""
    best = [float("inf")] * len(jobs)
    for _ in range(rounds):
        best = [min(b, seconds(job, times)) for b, job in zip(best, jobs)]
    return best


def overhead(method, options, X, y):
    bare = Bare(X, y, method, options.threads)
    model = svforest.SVForestClassifier(method, random_state=0, n_jobs=options.threads)
    fits = best_in_turn([bare.fit, lambda: model.fit(X, y)], options.rounds)
    predicts = best_in_turn([bare.predict, lambda: model.predict(X)], 8 * options.rounds)
    assert (model.predict(X) == bare.values.astype(int)).all()
    return {"fit": fits, "predict": predicts}


def one_row(method, X, y):
    """Microseconds of a row: svforest, the peer."""
    model = svforest.SVForestClassifier(method, random_state=0).fit(X[:5000], y[:5000])
    peer = LogisticRegression().fit(X[:5000], y[:5000])
    row = X[:1].astype(numpy.float64)
    return [1e6 * s for s in best_in_turn([lambda: model.predict(row), lambda: peer.predict(row)], 5, 500)]


MEMORY = """
import sys, numpy, svforest
sys.path.insert(0, "bench")
from python import make_set

def peak():
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM")) * 1024

X, y = make_set(1_000_000, 32)
model = svforest.SVForestClassifier(sys.argv[1], n_estimators=1, random_state=0, n_jobs=1)
model.fit(X[:1000], y[:1000])
open("/proc/self/clear_refs", "w").write("5")
before = peak()
model.fit(X, y)
print((peak() - before) / X.nbytes)
"""


def copies(method):
    """Peak memory that fit adds, in sizes of the data: float32 in C order, 32 columns, one tree."""
    done = subprocess.run([sys.executable, "-c", MEMORY, method], cwd=common.ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return float(done.stdout)


def show(head, rows):
    table = common.Table(("", 20), *head[1:])
    for row in rows:
        table.row(*row)


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    common.print_machine(common.Program(options))
    X, y = make_set()
    rows, missed = [], False
    for method in ("rsvt", "rsvt-full"):
        for name, (c, python) in overhead(method, options, X, y).items():
            missed |= python > c * MOST_OVERHEAD
            rows.append([f"{method}, {name}", f"{1e3 * c:.1f}", f"{1e3 * python:.1f}", f"{python / c:.3f}"])
    print(f"{ROWS} x {COLUMNS} float32, milliseconds; judged: at most {MOST_OVERHEAD} times C")
    show(["", "C", "Python", "ratio"], rows)
    rows = []
    for method in ("rsvt", "rf"):
        own, peer = one_row(method, X, y)
        missed |= own > peer
        rows.append([method, f"{own:.1f}", f"{peer:.1f}", f"{peer / own:.1f}"])
    print("\none row, microseconds; judged: not slower than LogisticRegression")
    show(["", "svforest", "LogisticRegression", "ratio"], rows)
    rows = [[method, f"{copies(method):.2f}"] for method in ("rsvt", "rsvt-full", "rf", "linear-svm")]
    print("\npeak memory that fit adds to 1000000 x 32 float32, in sizes of the data")
    show(["", "sizes"], rows)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
