#!/usr/bin/env python3
"""docs/architecture.md: every file on the page and on its map exists, and every function of a walk is defined in a file of
its row. A name in backquotes outside of the walks must occur somewhere in the tree. No two files below src have the same name:
what the page promises of names is tested here, too."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/architecture.md"
FOLDERS = ("src", "include", "python")
PATH = re.compile(r"(?:src|include|python)/[\w./]+")
WORD = re.compile(r"_?[a-z][a-z0-9]*(?:_[a-z0-9]+)+|SVF_\w+|[A-Z]\w+")

faults = []


def fault(text):
    faults.append(f"{PAGE.name}: {text}")


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


def defined(name, text):
    """In C a function begins at the margin; in Python it is a def or a class."""
    return re.search(rf"^(?:[a-z].*?[\s*]{name}\(|\s*(?:def|class) {name}\b)", text, flags=re.M)


def check_paths(page):
    paths = {word for word in quoted(page) if PATH.fullmatch(word)}
    picture = re.search(r"\]\((img/\w+\.svg)\)", page)
    if not picture:
        return fault("has no picture")
    paths |= set(PATH.findall((PAGE.parent / picture[1]).read_text()))
    for path in sorted(paths):
        if not (ROOT / path).exists():
            fault(f"there is no {path}")
    return paths


def check_walk(rows):
    """The number of functions that were looked up."""
    count = 0
    for row in rows:
        _, functions, files = (cell.strip() for cell in row.strip().strip("|").split(" | "))
        texts = {path: (ROOT / path).read_text() for path in quoted(files) if (ROOT / path).is_file()}
        used = {path for name in quoted(functions) for path, text in texts.items() if defined(name, text)}
        for name in quoted(functions):
            count += 1
            if not any(defined(name, text) for text in texts.values()):
                fault(f"{name} is not defined in {files}")
        for path in texts.keys() - used:
            fault(f"no function of its row is in {path}: {functions}")
    return count


def check_words(page):
    """Names outside of the walks."""
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.suffix in (".c", ".h", ".py", ".def")]
    tree = "\n".join(file.read_text() for file in files)
    known = set(re.findall(r"\w+", tree))
    for word in quoted(page):
        if WORD.fullmatch(word) and word not in known:
            fault(f"{word} occurs nowhere in the tree")


def check_names(files):
    """A name stands for one file, or for a source and its header."""
    folders = {}
    for file in files:
        folders.setdefault(file.stem, set()).add(file.parent)
    for name, found in sorted(folders.items()):
        if len(found) > 1:
            fault(f"{name} is the name of files in {' and '.join(str(f.relative_to(ROOT)) for f in sorted(found))}")


def main():
    page = PAGE.read_text()
    walks = re.split(r"^## Walk \d+.*$", page, flags=re.M)[1:]
    rows = [[line for line in walk.splitlines() if line.startswith("|")][2:] for walk in walks]
    if len(walks) != 3 or min(map(len, rows)) < 5:
        fault("three walks are expected")
    paths = check_paths(page) or ()
    functions = sum(map(check_walk, rows))
    check_words(page)
    check_names(file for file in (ROOT / "src").rglob("*") if file.is_file())
    if faults:
        sys.exit("\n".join(faults))
    print(f"{PAGE.name}: {len(paths)} files and {functions} functions exist")


main()
