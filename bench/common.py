"""What the benches share: where things are, running the command, data sets, tables, facts of the machine."""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys

import numpy
import pandas
import sklearn

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("SVFOREST_DATA") or ROOT / "data")


def parser(text):
    """Options that every bench has."""
    options = argparse.ArgumentParser(description=text)
    options.add_argument("--command", default=str(ROOT / "build" / "svforest"), help="the program to measure")
    options.add_argument("--threads", type=int, default=processors(), help="of the program and of its peers")
    return options


def processors():
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


class Program:
    """The svforest command; a failure of it ends the bench with its message."""

    def __init__(self, options):
        if not os.access(options.command, os.X_OK):
            sys.exit(f"{shown(options.command)} is not there: run ./dev build first")
        self.path = options.command
        self.threads = options.threads

    def call(self, *words):
        """The finished process, whatever its status."""
        return subprocess.run([self.path, *map(str, words)], capture_output=True, text=True, check=False)

    def run(self, *words):
        done = self.call(*words)
        if done.returncode != 0:
            sys.exit(f"{' '.join(done.args)}\nended with status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def report(self, *words):
        """What a verb says under --json."""
        return json.loads(self.run(*words, "--json"))

    def train(self, data, model, method, seed=0, **settings):
        pairs = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
        return self.report("train", "-m", method, *pairs, "--seed", seed, "--threads", self.threads, "-o", model, data)

    def eval(self, model, data):
        return self.report("eval", model, data, "--threads", self.threads)


def find_set(*files):
    """Paths of a data set's files; None, and a message, where one is absent."""
    paths = [DATA / f"{file}.csv.gz" for file in files]
    for path in paths:
        if not path.exists():
            print(f"skipped: {path.name} is not in {shown(DATA)} (SVFOREST_DATA says where data sets are)",
                  file=sys.stderr)
            return None
    return paths


def read_set(path):
    """A data set as text, so that a part of it can be written exactly as its source prints it."""
    return pandas.read_csv(path, dtype=str, na_filter=False)


def features(frame):
    """The features as numbers."""
    return frame.iloc[:, :-1].to_numpy(dtype=float)


def labels(frame):
    """The last column, as numbers where it is numbers: the order of the labels steers a stratified split."""
    last = frame.iloc[:, -1]
    try:
        return pandas.to_numeric(last).to_numpy()
    except ValueError:
        return last.to_numpy(dtype=object)


class Notes:
    """Figures that stay in a file from run to run, so that a long bench can be run set by set; without a file, none stay."""

    def __init__(self, path):
        self.path = path and pathlib.Path(path)
        self.kept = json.loads(self.path.read_text()) if self.path and self.path.exists() else {}

    def figure(self, key, measure):
        """What is kept under this key; else what measure() gives, which is kept unless it is None."""
        if key not in self.kept:
            found = measure()
            if found is None:
                return None
            self.kept[key] = found
            if self.path:
                self.path.write_text(json.dumps(self.kept))
        return self.kept[key]


def judge(what, said, fine):
    """A line that says whether a bar is reached."""
    print(f"{what}: {said}: {verdict(fine)}")
    return fine


class Table:
    """A Markdown table whose lines are printed as they come. The first column is text, the others stand right."""

    def __init__(self, first, *titles):
        self.widths = [first[1]] + [max(6, len(title)) for title in titles]
        self.row(first[0], *titles)
        print("|" + "-" * (self.widths[0] + 2) + "|" + "".join("-" * (w + 1) + ":|" for w in self.widths[1:]))

    def row(self, first, *cells):
        cells = [f"{cell:>{width}}" for cell, width in zip(cells, self.widths[1:])]
        print("| " + " | ".join([f"{first:<{self.widths[0]}}", *cells]) + " |", flush=True)


def add_notes(options):
    options.add_argument("--notes", help="file of figures: those in it are not measured again, new ones are added")


def verdict(fine):
    return "PASS" if fine else "miss"


def shown(path):
    """A path as short as it can be said from here."""
    return os.path.relpath(path) if pathlib.Path(path).is_relative_to(pathlib.Path.cwd()) else str(path)


def processor_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as facts:
            names = [line.split(":", 1)[1].strip() for line in facts if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def print_machine(program):
    """One line that says what the figures below were measured on."""
    load = f"load {os.getloadavg()[0]:.1f} at the start"
    versions = f"Python {platform.python_version()}, NumPy {numpy.__version__}, scikit-learn {sklearn.__version__}"
    print(f"{program.run('--version').strip()}; {processor_name()}, {processors()} cores, "
          f"{program.threads} threads used, {load}; {versions}\n", flush=True)
