"""What ctypes is told, beside the headers in include/: each structure field by field, each function argument by argument."""

import ctypes
import re
from pathlib import Path

import pytest

from svforest import _library

HEADERS = sorted((Path(__file__).resolve().parents[2] / "include").glob("svforest*.h"))
NUMBERS = {
    "int": ctypes.c_int,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "size_t": ctypes.c_size_t,
    "ptrdiff_t": ctypes.c_ssize_t,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
}


def read_headers():
    """The headers without comments, as structures {name: body} and functions {name: (gives, [takes])}."""
    text = re.sub(r"/\*.*?\*/", " ", "\n".join(header.read_text() for header in HEADERS), flags=re.S)
    structures = dict(re.findall(r"struct (svf_\w+) \{(.*?)\}", text, flags=re.S))
    enums = set(re.findall(r"\} (svf_\w+);", text)) - set(structures)
    functions = {}
    for gives, name, takes in re.findall(r"SVF_API ([\w\s\*]+?)(svf_\w+)\(([^;]*)\);", text):
        takes = [] if takes.strip() == "void" else re.split(r",", takes)
        functions[name] = (gives.strip(), [take.strip() for take in takes])
    return structures, enums, functions


STRUCTURES, ENUMS, FUNCTIONS = read_headers()
MIRRORED = {
    "svf_" + re.sub(r"(?<!^)([A-Z])", r"_\1", cls.__name__).lower(): cls
    for cls in vars(_library).values()
    if isinstance(cls, type) and issubclass(cls, ctypes.Structure) and cls is not ctypes.Structure
}


def is_address(kind):
    return kind in (ctypes.c_void_p, ctypes.c_char_p) or issubclass(kind, (ctypes._Pointer, ctypes._CFuncPtr))


def agrees(c, kind):
    """Is that ctypes type what C passes? c: the type as the header writes it, '*' for an address."""
    if "*" in c or c in ("svf_callback", "svf_remark"):
        return is_address(kind)
    if c in ENUMS:
        return kind is ctypes.c_int
    if c in NUMBERS:
        return kind is NUMBERS[c]
    return MIRRORED[c] is kind


def fields_of(body):
    """(type, name) of each field; several may share one line."""
    for line in body.split(";"):
        line = " ".join(line.split())
        function = re.fullmatch(r"[\w ]+\(\*(\w+)\)\(.*\)", line)
        if function:
            yield "*", function[1]
        elif line:
            first, *others = line.split(",")
            kind, name = re.fullmatch(r"((?:const |struct )*\w+[ \*const]*?)(\w+(?:\[\w+\])?)", first).groups()
            for declared in (kind.count("*") * "*" + name, *others):
                plain = re.sub(r"const|\*|\s", "", kind)
                yield ("*" if "*" in declared else plain), re.sub(r"[\*\s]", "", declared)


@pytest.mark.parametrize("name", MIRRORED)
def test_structure(name):
    here = MIRRORED[name]._fields_
    there = list(fields_of(STRUCTURES[name]))
    assert [field for field, _ in here] == [field.split("[")[0] for _, field in there]
    for (field, kind), (c, written) in zip(here, there):
        if "[" in written:
            assert kind is ctypes.c_char * int(written.split("[")[1].rstrip("]")), field
        else:
            assert agrees(c, kind), field


@pytest.mark.parametrize("name", [*_library._checked, *_library._plain])
def test_function(name):
    gives, takes = FUNCTIONS[name]
    function = getattr(_library.library, name)
    assert len(function.argtypes) == len(takes)
    for kind, take in zip(function.argtypes, takes):
        c = "*" if "*" in take or "[" in take else re.sub(r"const ", "", take).split()[0]
        assert agrees(c, kind), take
    if name in _library._checked:
        assert gives == "svf_status" and "svf_message *" in takes[-1]
    elif gives == "void":
        assert function.restype is None
    else:
        assert agrees("*" if "*" in gives else gives.replace("const ", ""), function.restype), gives
