"""Writes the type stub of the package, from the tables of the library that was just built: stubs.py LIBRARY OUT."""

import importlib
import shutil
import sys
import tempfile
import types
from pathlib import Path

HERE = Path(__file__).parent / "svforest"
HEAD = '''"""Forests whose leaves are support vector machines, as scikit-learn estimators."""

import os
from typing import Any, Callable, Literal, Mapping, Sequence

import numpy as np

from . import plot as plot
from ._classifier import ForestClassifier
from ._compare import compare as compare
from ._export import Exported
from ._export import export as export
from ._regressor import ForestRegressor
from ._run import TableWarning as TableWarning
from ._tables import Kind, Method, Setting
from ._tune import tune as tune

__version__: str
methods: dict[str, Method]
settings: list[Setting]
kinds: list[Kind]

def load(path: str | os.PathLike[str]) -> ForestClassifier | ForestRegressor: ...
'''
OWN = {
    "time_limit": "float | None",
    "plan": "str | None",
    "oob_score": "bool | Callable[[np.ndarray, np.ndarray], float]",
    "warm_start": "bool",
    "n_jobs": "int | None",
    "random_state": "int | np.random.RandomState | None",
    "verbose": "int",
    "method": "str",
    "class_weight": "Mapping[Any, float] | str | None",
}


def modules(library: Path, folder: Path) -> types.ModuleType:
    """The modules that need nothing but the library, imported beside a copy of it."""
    for name in ("_library.py", "_tables.py", "_keywords.py"):
        shutil.copy(HERE / name, folder)
    shutil.copy(library, folder / f"libsvforest{library.suffix}")
    package = types.ModuleType("svforest")
    package.__path__ = [str(folder)]
    sys.modules["svforest"] = package
    return importlib.import_module("svforest._keywords")


def hint(setting: object, tables: types.ModuleType) -> str:
    words = ", ".join(repr(word) for word in (*setting.words, *tables.WORDS.get(setting.keyword, [])))
    plain = {"integer": "int", "number": "float", "list": "Sequence[float]", "count": "int"}
    kinds = ["bool" if setting.is_flag else plain.get(setting.type), "float" if setting.keyword in tables.SHARES else ""]
    return " | ".join(part for part in (*kinds, f"Literal[{words}]" if words else "", "None") if part)


def stub(cls: object, tables: types.ModuleType) -> str:
    hints = {**{setting.keyword: hint(setting, tables) for setting in cls.settings}, **OWN}
    keywords = [f"        {name}: {hints[name]} = {value!r}," for name, value in cls.defaults.items()]
    keywords.insert(0 if cls.method else 1, "        *,")
    base = "Forest" + ("Classifier" if cls.name.endswith("Classifier") else "Regressor")
    return "\n".join([f"class {cls.name}({base}):", "    def __init__(", "        self,", *keywords, "    ) -> None: ..."])


def main(library: str, out: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tables = modules(Path(library), Path(folder))
        text = HEAD + "".join(f"\n{stub(cls, tables)}\n" for cls in tables.CLASSES)
        text += "".join(f"\n{alias} = {name}\n" for alias, name in tables.ALIASES.items())
    Path(out).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
