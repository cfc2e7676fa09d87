"""train --from-disk: seconds, peak memory and scratch space by rows, within a limit of address space that is far below the table."""
import math
import pathlib
import subprocess
import sys
import tempfile
import threading

import numpy

import common
from growth import BETWEEN

FEATURES, CLASSES, BLOCK = 20, 3, 1 << 18
ROWS = (1_000_000, 4_000_000, 20_000_000)
SPARE = 200_000_000  # bytes above a quarter of the table that the whole program may have
MOST_EXPONENT = 1.1
NOTES = common.ROOT / "bench" / "results" / "from_disk.json"


def write(path, rows):
    """float32 rows of features and a class, made block by block; a curved border between the classes, and noise."""
    table = numpy.lib.format.open_memmap(path, "w+", numpy.float32, (rows, FEATURES + 1))
    for first in range(0, rows, BLOCK):
        draw = numpy.random.default_rng((7, first))
        block = draw.normal(size=(min(BLOCK, rows - first), FEATURES)).astype(numpy.float32)
        score = block[:, 0] + block[:, 1] * block[:, 2] + 0.5 * block[:, 3] ** 2 + 0.3 * draw.normal(size=len(block))
        table[first:first + len(block), :-1] = block
        table[first:first + len(block), -1] = numpy.digitize(score, (0, 1))
    table.flush()


def limit_of(rows):
    """Two limits in bytes: the address space of the program, and its --memory."""
    quarter = rows * FEATURES * 4 // 4
    return quarter + SPARE, max(quarter, 80_000_000)


class Watch(threading.Thread):
    """The most bytes that a folder ever has."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.most, self.over = folder, 0, threading.Event()

    def run(self):
        while not self.over.wait(0.2):
            size = 0
            for path in self.folder.glob("*"):
                try:
                    size += path.stat().st_size
                except OSError:
                    pass  # it has just been removed
            self.most = max(self.most, size)


def measure(program, rows, options, folder):
    data, model = folder / "table.npy", folder / "m.svf"
    write(data, rows)
    whole, memory = limit_of(rows)
    words = [program.path, "train", "--json", "-m", "rsvt-full", "-s", f"trees={options.trees}", "-s",
             f"partition_rows={options.partition_rows}", "--from-disk", "--memory", f"{memory}B", "--threads",
             str(program.threads), "-o", str(model), str(data)]
    watch = Watch(folder / "m.svf.parts")
    watch.start()
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({whole}, {whole}))\n{BETWEEN}"
    done = subprocess.run([sys.executable, "-ISc", limited, *words], capture_output=True, text=True, check=False)
    watch.over.set()
    watch.join()
    if done.returncode:
        sys.exit(f"{' '.join(words)} within {whole} bytes failed: {done.stderr}")
    report = common.json.loads(done.stdout)
    left = [path.name for path in folder.iterdir() if path not in (data, model)]
    if left:
        sys.exit(f"left behind: {', '.join(left)}")
    return {"seconds": report["seconds"], "read_seconds": report["read_seconds"], "leaves": report["leaves"],
            "peak": int(done.stderr.split()[-1]) * 1024, "limit": whole, "memory": memory, "scratch": watch.most,
            "threads": program.threads, "machine": common.processor_name(), "version": program.run("--version").strip()}


def exponent(found):
    """Slope of log seconds over log rows, by least squares."""
    x, y = [math.log(rows) for rows in found], [math.log(one["seconds"] + one["read_seconds"]) for one in found.values()]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def main():
    options = common.parser(__doc__)
    options.add_argument("--rows", type=int, nargs="*", default=ROWS)
    options.add_argument("--trees", type=int, default=10)
    options.add_argument("--partition-rows", type=int, default=100_000)
    options.add_argument("--folder", help="where tables and scratch files are made; 2 x 10^7 rows need 25 GB (default: /tmp)")
    common.add_notes(options)
    options.set_defaults(notes=str(NOTES))
    chosen = options.parse_args()
    program = common.Program(chosen)
    common.print_machine(program)
    notes, found = common.Notes(chosen.notes), {}
    table = common.Table(("rows x 20, float32", 20), "seconds", "reading", "us per row", "peak MB", "limit MB", "table MB",
                         "scratch MB")
    for rows in chosen.rows:
        key = f"rsvt-full {chosen.trees} {chosen.partition_rows} {rows} {program.threads}"
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            one = notes.figure(key, lambda: measure(program, rows, chosen, pathlib.Path(folder)))
        found[rows] = one
        total = one["seconds"] + one["read_seconds"]
        table.row(f"{rows}", f"{total:.1f}", f"{one['read_seconds']:.1f}", f"{1e6 * total / rows:.1f}",
                  f"{one['peak'] / 1e6:.0f}", f"{one['limit'] / 1e6:.0f}", f"{4 * FEATURES * rows / 1e6:.0f}",
                  f"{one['scratch'] / 1e6:.0f}")
    print()
    fine = common.judge("memory", "all within a quarter of the table and 200 MB of address space",
                        all(one["peak"] <= one["limit"] for one in found.values()))
    if len(found) > 1:
        power = exponent(found)
        fine &= common.judge("time", f"grows with rows to the power {power:.2f}, at most {MOST_EXPONENT}", power <= MOST_EXPONENT)
    sys.exit(not fine)


if __name__ == "__main__":
    main()
