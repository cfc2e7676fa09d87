"""docs/stability.md: public names of earlier versions are there, and the version is that of the header."""

import re
from pathlib import Path

import svforest

ROOT = Path(__file__).parents[2]


def test_names():
    lines = (ROOT / "tests" / "cli" / "names.txt").read_text().splitlines()
    wanted = {line.removeprefix("python ") for line in lines if line.startswith("python ")}
    assert len(wanted) > 50 and wanted <= set(svforest.__all__)
    assert all(getattr(svforest, name) for name in wanted - {"plot"})


def test_version():
    header = (ROOT / "include" / "svforest.h").read_text()
    assert svforest.__version__ == ".".join(re.findall(r"^#define SVF_VERSION_[A-Z]+ ([0-9]+)$", header, re.M))
