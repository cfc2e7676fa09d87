#!/usr/bin/env python3
"""Digests of models, to show that a change of the code changes no model. See README.md."""

import argparse
import csv
import gzip
import hashlib
import io
import itertools
import os
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Files below SVFOREST_DATA, and the task. titanicp and epa2021 have categories and missing values.
TABLES = {
    "wine": ("wine.csv.gz", "class"),
    "vehicle": ("vehicle.csv.gz", "class"),
    "titanicp": ("mixed/titanicp.csv.gz", "class"),
    "epa2021": ("mixed/epa2021.csv.gz", "regress"),
    "hpp": ("hpp.csv.gz", "regress"),
    "aep": ("aep.csv.gz", "regress"),
}
THREADS = (1, 3)
CPUS = ("auto", "portable")  # auto: the default
REFUSED = 2  # the exit status of a combination that is not legal, such as a regression method on classes


def sections(image):
    """The tag and the bytes of each section of a model file; docs/format.md has the layout."""
    if image[:8] != b"svforest":
        sys.exit("digests: not a model file")
    for i in range(struct.unpack_from("<I", image, 12)[0]):
        tag, _, offset, size = struct.unpack_from("<4sIQQ", image, 32 + 24 * i)
        yield tag.decode(), image[offset : offset + size]


def old_words(text, words):
    for new, old in words:
        text = re.sub(rf"(?<![\w-]){re.escape(new)}(?![\w-])", old, text)
    return text


def content(image, words):
    """What a model file holds, without places and checksums, and in the words of before."""
    members, parts = None, []
    for tag, data in sections(image):
        if tag == "SETT" or tag == "PLAN":
            data = old_words(data.decode(), words).encode()
        elif tag == "MEMB":  # offset and length of a member depend on the length of its words
            members = [struct.unpack_from("<QQ", data, at) for at in range(0, len(data), 32)]
            data = b"".join(data[at + 16 : at + 32] for at in range(0, len(data), 32))
        elif tag == "BODY":
            data = b"".join(content(data[at : at + size], words) for at, size in members)
        parts += [tag.encode(), struct.pack("<Q", len(data)), data]
    return b"".join(parts)


def digest(image, words):
    return hashlib.sha256(content(image, words)).hexdigest()[:32]


def take_rows(path, rows, to):
    """Writes a CSV of so many rows, spread evenly over the file."""
    with gzip.open(path, "rt", newline="") as file:
        head, *lines = list(csv.reader(file))
    lines = [lines[i * len(lines) // rows] for i in range(rows)] if len(lines) > rows else lines
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *lines])
    to.write_text(out.getvalue())


def find_tables(names, rows, work):
    """Paths of the tables by name; a name that is a file is taken as it is."""
    data, found = Path(os.environ.get("SVFOREST_DATA", "data")), {}
    for name in names:
        if name not in TABLES:
            found[Path(name).stem] = Path(name).resolve()
        elif (data / TABLES[name][0]).exists():
            found[name] = work / f"{name}.csv"
            take_rows(data / TABLES[name][0], rows, found[name])
        else:
            print(f"digests: skipped {name}: there is no {data / TABLES[name][0]}", file=sys.stderr)
    return found


def methods_of(program):
    text = subprocess.run([program, "methods"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (\S+) ", text.split("\n\n")[0], flags=re.M)


def train(program, method, table, path, threads, cpu, seed, words, work):
    """One line of the list."""
    name = f"{method} {table} threads={threads} cpu={cpu}"
    model = work / f"{name}.svf"
    command = [program, "train", "-q", "-m", method, "--seed", str(seed), "--threads", str(threads), "-s", f"cpu={cpu}"]
    command += ["--effort", "1"] if method == "auto" else []
    command += ["--task", TABLES[table][1]] if table in TABLES else []
    done = subprocess.run([*command, "-o", model, path], capture_output=True, text=True)
    if done.returncode == REFUSED:
        return f"{'refused':32}  {name}"
    if done.returncode:
        sys.exit(f"digests: {name}: exit status {done.returncode}: {done.stderr.strip()}")
    image = model.read_bytes()
    model.unlink()
    return f"{digest(image, words)}  {name}"


def make(args):
    words = [pair.split("=", 1) for pair in args.word]
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        tables = find_tables(args.tables.split(",") if args.tables else TABLES, args.rows, work)
        methods = args.methods.split(",") if args.methods else methods_of(args.program)
        jobs = itertools.product(methods, tables.items(), THREADS, CPUS)
        with ThreadPoolExecutor(args.jobs) as pool:
            lines = pool.map(
                lambda j: train(args.program, j[0], j[1][0], j[1][1], j[2], j[3], args.seed, words, work), jobs
            )
            for line in lines:
                print(line, flush=True)


def read(path):
    """Digests by name."""
    with open(path) as file:
        return {name: found for found, name in (line.split(maxsplit=1) for line in file.read().splitlines())}


def compare(args):
    old, new = read(args.old), read(args.new)
    faults = [f"only in {args.old}: {name}" for name in old if name not in new]
    faults += [f"only in {args.new}: {name}" for name in new if name not in old]
    faults += [f"differs: {name}" for name in old if name in new and old[name] != new[name]]
    for name in new:
        other = re.sub(r"threads=\d+", f"threads={THREADS[0]}", name)
        if new[name] != new.get(other, new[name]):
            faults.append(f"the number of threads changes the model: {name}")
    print("\n".join(faults) or f"{len(new)} models are equal")
    sys.exit(1 if faults or not new else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(required=True)
    verb = verbs.add_parser("make", help="train, and print a list of digests")
    verb.add_argument("program", help="path of svforest")
    verb.add_argument("--methods", help="comma-separated; default: all")
    verb.add_argument("--tables", help=f"comma-separated names or CSV files; default: {','.join(TABLES)}")
    verb.add_argument("--rows", type=int, default=300, help="rows to take of each table (default: 300)")
    verb.add_argument("--seed", type=int, default=1)
    verb.add_argument("--jobs", type=int, default=1, help="models to train at a time (default: 1)")
    verb.add_argument("--word", action="append", default=[], metavar="NEW=OLD", help="a renamed word in the settings")
    verb.set_defaults(run=make)
    verb = verbs.add_parser("compare", help="compare two lists; exit status 1 if a model differs")
    verb.add_argument("old")
    verb.add_argument("new")
    verb.set_defaults(run=compare)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
