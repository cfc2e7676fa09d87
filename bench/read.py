"""Reading time of tables beside pandas, scikit-learn and NumPy, peak memory, and what training takes on the same file."""
import ctypes
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import pandas
from sklearn.datasets import load_svmlight_file

import common

MEGABYTE = 1000 * 1000
BLOCK = 20000  # rows that are made; a file is the same rows over and over
# times as fast as the peer
MUST = {"CSV, 4 decimals": 3, "CSV, all digits": 3, "CSV, text in quotes": 3, "CSV, all in quotes": 3,
        "NPY, float64": 0.5}


class Options(ctypes.Structure):
    """svf_read_options of svforest.h."""
    _fields_ = [("format", ctypes.c_int), ("target", ctypes.c_char_p), ("drop", ctypes.c_void_p),
                ("drop_count", ctypes.c_size_t), ("weight", ctypes.c_char_p), ("task", ctypes.c_int),
                ("model", ctypes.c_void_p), ("memory_limit", ctypes.c_size_t), ("threads", ctypes.c_int),
                ("keep", ctypes.c_void_p), ("keep_count", ctypes.c_size_t), ("id", ctypes.c_void_p),
                ("id_count", ctypes.c_size_t), ("keep_ids", ctypes.c_int)]


def library(program):
    """The shared library that stands beside the program."""
    path = pathlib.Path(program.path).parent / "libsvforest.so"
    if not path.exists():
        sys.exit(f"{common.shown(path)} is not there: this bench needs the shared library")
    return ctypes.CDLL(str(path))


def svforest(lib, path, threads):
    """From a file to a table, which is freed again."""
    table, message, options = ctypes.c_void_p(), ctypes.create_string_buffer(4096), Options(threads=threads)
    if lib.svf_table_read(str(path).encode(), ctypes.byref(options), ctypes.byref(table), message):
        sys.exit(message.value.decode())
    lib.svf_table_free(table)


def numbers(random, form):
    """Lines of 20 numbers and a class."""
    x, y = random.normal(size=(BLOCK, 20)), random.integers(0, 2, BLOCK)
    return [",".join([*(form(v) for v in row), str(label)]) for row, label in zip(x.tolist(), y)]


def sparse(random):
    """Lines of LIBSVM: 20 of 40 columns."""
    lines = []
    for label in random.integers(0, 2, BLOCK):
        index = numpy.sort(random.choice(40, 20, replace=False)) + 1
        values = random.normal(size=20).tolist()
        lines.append(" ".join([str(label), *(f"{i}:{v:.6f}" for i, v in zip(index, values))]))
    return lines


def words(random):
    """Lines of quoted sentences, categories and numbers, and a class in words."""
    colours, cities = ["red", "green", "light blue", ""], [f"city {i}" for i in range(500)]
    lines = []
    for i in range(BLOCK):
        c, t, v = random.integers(0, 4), random.integers(0, 500), random.normal()
        said = f'"{cities[t]}, the ""{c}""{chr(10) if i % 50 == 0 else " "}of {t % 7}"'
        lines.append(f'{colours[c]},{cities[t]},{said},{v:.6f},{i % 97},{"yes" if v > 0 else "no"}')
    return lines


def quoted(random):
    """Lines in which every cell is in quotes: two categories, five numbers, a class in words."""
    colours, cities = ["red", "green", "light blue"], [f"city {i}" for i in range(500)]
    lines = []
    for i in range(BLOCK):
        values = random.normal(size=4)
        cells = [colours[i % 3], cities[random.integers(500)], *(f"{v:.4f}" for v in values), i % 97,
                 "yes" if values[0] > 0 else "no"]
        lines.append(",".join(f'"{cell}"' for cell in cells))
    return lines


def write(path, header, lines, size, opener=open):
    block = "".join(line + "\n" for line in lines)
    with opener(path, "wt") as file:
        file.write(header)
        for _ in range(max(1, round(size / len(block)))):
            file.write(block)
    return path


def make_files(folder, size):
    """name: (path, peer, what the peer does)."""
    random = numpy.random.default_rng(0)
    head = ",".join([*(f"x{j}" for j in range(1, 21)), "y\n"])
    short = numbers(random, "{:.4f}".format)
    files = {
        "CSV, 4 decimals": (write(folder / "short.csv", head, short, size), pandas.read_csv),
        "CSV, all digits": (write(folder / "full.csv", head, numbers(random, repr), size), pandas.read_csv),
        "CSV, text in quotes": (write(folder / "words.csv", "colour,city,said,v,i,y\n", words(random), size / 2),
                                pandas.read_csv),
        "CSV, all in quotes": (write(folder / "quoted.csv", '"colour","city","a","b","c","d","i","y"\n', quoted(random),
                                     size / 2), pandas.read_csv),
        "CSV, 4 decimals, gzip": (write(folder / "short.csv.gz", head, short, size / 4, gzip_quick), pandas.read_csv),
        "LIBSVM": (write(folder / "rows.svm", "", sparse(random), size / 4), load_svmlight_file),
        "NPY, float64": (folder / "rows.npy", numpy.load),
    }
    numpy.save(folder / "rows.npy", random.normal(size=(round(size / 21 / 8), 21)))
    return files


def gzip_quick(path, mode):
    return gzip.open(path, mode, compresslevel=1)


def seconds(job):
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def on_one_core(job):
    """Some releases of pandas read with as many threads as there are processors; here they have one."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        job()
    finally:
        os.sched_setaffinity(0, cores)


def best(jobs, rounds):
    """The best of the rounds of each job, in turn so that a busy moment hits none alone."""
    times = [[seconds(job) for job in jobs] for _ in range(rounds)]
    return [min(column) for column in zip(*times)]


PEAK = """{prepare}
def peak():
    with open("/proc/self/status") as facts:
        return next(int(line.split()[1]) for line in facts if line.startswith("VmHWM")) / 1000
before = peak()
kept = {read}
print(peak() - before)"""


def peak(prepare, read):
    """Megabytes that a reader adds to the peak of a process of its own."""
    done = subprocess.run([sys.executable, "-c", PEAK.format(prepare=prepare, read=read)], capture_output=True,
                          text=True, check=True, cwd=pathlib.Path(__file__).parent)
    return float(done.stdout)


def peaks(program, path, peer):
    ours = (f"import common, read\nclass Program: path = {str(program.path)!r}\nlib = read.library(Program)",
            f"read.svforest(lib, {str(path)!r}, {program.threads})")
    module = "sklearn.datasets" if peer is load_svmlight_file else peer.__module__.split(".")[0]
    theirs = f"from {module} import {peer.__name__} as peer", f"peer({str(path)!r})"
    return peak(*ours), peak(*theirs)


def show_reading(program, files, rounds):
    """One line for each file; returns how many times as fast as the peer, all threads against all it takes."""
    lib = library(program)
    table = common.Table(("reading", 22), "MB", "seconds", "peer", "ratio", "1 thread", "peer, 1 core", "ratio, 1 to 1",
                         "all to 1", "peak MB", "peer's")
    ratios = {}
    for name, (path, peer) in files.items():
        ours, alone, theirs, pinned = best([
            lambda p=path: svforest(lib, p, program.threads), lambda p=path: svforest(lib, p, 1),
            lambda p=path, f=peer: f(p), lambda p=path, f=peer: on_one_core(lambda: f(p))], rounds)
        ratios[name] = theirs / ours, pinned / ours
        memory = peaks(program, path, peer)
        table.row(name, f"{path.stat().st_size / MEGABYTE:.0f}", f"{ours:.3f}", f"{theirs:.3f}",
                  f"{theirs / ours:.2f}x", f"{alone:.3f}", f"{pinned:.3f}", f"{pinned / alone:.2f}x",
                  f"{pinned / ours:.2f}x", *(f"{m:.0f}" for m in memory))
    print(flush=True)
    return ratios


def show_training(program, path, folder):
    report = program.train(path, folder / "model.svf", "rsvt", trees=10)
    print(f"{path.name}, {report['rows']} x {report['features']}: read in {report['read_seconds']:.2f} s, rsvt trained (10 trees) in "
          f"{report['seconds']:.2f} s\n", flush=True)


def run(options):
    program = common.Program(options)
    common.print_machine(program)
    print(f"peers: pandas {pandas.__version__} (read_csv, C engine), load_svmlight_file, numpy.load\n")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = make_files(folder, options.size * MEGABYTE)
        ratios = show_reading(program, files, options.rounds)
        if not options.quick:
            show_training(program, files["CSV, 4 decimals"][0], folder)
    passes = True
    for name, must in MUST.items():
        for ratio, cores in zip(ratios[name], ("all cores", "one core")):
            passes &= common.judge(f"{name}: {program.threads} threads at least {must} times as fast as the peer on {cores}",
                                   f"{ratio:.2f}", ratio >= must)
    return passes


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3, help="of which the best counts")
    arguments.add_argument("--size", type=int, default=200, help="megabytes of the files of numbers")
    arguments.add_argument("--quick", action="store_true", help="without training")
    sys.exit(0 if run(arguments.parse_args()) else 1)
