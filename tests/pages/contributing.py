#!/usr/bin/env python3
"""Compiles and runs the code of CONTRIBUTING.md, taken from the page: its example kinds, their rows and its preset.

usage: contributing.py WORK COMPILER LIBRARY FLAG...   LIBRARY is the static library of the tests, with what it is linked with

The rows of the page go into copies of the library's tables, so the program has all real kinds and the examples. A row of the
page must also agree with the real table: without the example it is the real one, `/* ... */` being any part of it."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def blocks(page):
    """Pairs of the text before a block of C and the block."""
    parts = re.split(r"^```(\w*)\n(.*?)^```$", page, flags=re.M | re.S)
    return [(parts[i - 1], parts[i + 1]) for i in range(1, len(parts), 3) if parts[i] == "c"]


def words(text):
    return " ".join(text.split())


def fail(text):
    sys.exit(f"FAIL: CONTRIBUTING.md: {text}")


def named(before, pattern):
    """The last file that the text before a block names."""
    found = re.findall(rf"`(src/{pattern})`", before)
    return found[-1] if found else None


def add_rows(real, block, name, table):
    """The real table with the rows of the example; the page must show the real rows before them."""
    for statement in block.split(";"):
        mine = words(statement)
        if not mine:
            continue
        shown = re.sub(rf", &?{name}\b", "", mine)
        pattern = re.escape(shown).replace(re.escape("/* ... */"), ".*?").replace(r"\ ", r"\s+").replace(r"\{", r"\{\s*")
        found = re.search(pattern, real, flags=re.S)
        if shown == mine or not found:
            fail(f"its row does not fit {table}: {mine}")
        end, old = r",\s*NULL\}$", found.group()
        new = re.sub(end, f", &{name}, NULL}}", old) if re.search(end, old) else f"{old}, {name}"
        real = real.replace(old, new)
    return real


def extract(page, work):
    """Writes what the page has into `work`; returns the sources and the preset's name."""
    sources, preset, kind = [], None, None
    for before, block in blocks(page):
        table = named(before, r"(?:cut|leaf|pick|vote)/(?:cuts|leaves|picks|votes)\.c")
        example = re.match(r"/\* (\w+\.c) - ", block)
        if example:
            if not named(before, rf"\w+/{re.escape(example[1])}"):
                fail(f"no folder is named for {example[1]}")
            if any(path.name == example[1] for path in (ROOT / "src").rglob("*.c")):
                fail(f"{example[1]} is a file of src already")
            kind = re.search(r"^const svf_\w+ (svf_\w+) = ", block, flags=re.M)[1]
            sources.append((example[1], block))
        elif block.startswith("{"):
            path = "src/settings/presets.c"
            preset = re.match(r'\{"([^"]+)"', block)[1]
            head = "static const svf_method_info presets[] = {"
            real = (ROOT / path).read_text()
            if head not in real:
                fail(f"{path} has no {head}")
            sources.append(("presets.c", real.replace(head, f"{head}\n{block.rstrip().rstrip(',')},", 1)))
        elif re.match(r"[A-Z]+\(", block):
            if words(block) not in words((ROOT / "src/settings/settings.def").read_text()):
                fail(f"src/settings/settings.def has no row {words(block)}")
        elif table:
            sources.append((Path(table).name, add_rows((ROOT / table).read_text(), block, kind, table)))
        else:
            fail(f"what is this block for?\n{block}")
    for name, text in sources:
        (work / name).write_text(text)
    return [work / name for name, _ in sources], preset


def main(work, compiler, *link):
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    sources, preset = extract((ROOT / "CONTRIBUTING.md").read_text(), work)
    if len(sources) < 9 or not preset:
        fail(f"nine files and a preset are expected, not {[path.name for path in sources]}, {preset}")
    program = work / "contributing"
    subprocess.run(
        [compiler, "-std=c11", "-O1", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-Wmissing-prototypes",
         f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{ROOT}/tests", *sources, ROOT / "tests/pages/contributing.c",
         *link, "-o", program], check=True)  # fmt: skip
    subprocess.run([program, preset], check=True)
    print(f"{len(sources)} files of CONTRIBUTING.md compile and run: {', '.join(path.name for path in sources)}")


main(*sys.argv[1:])
