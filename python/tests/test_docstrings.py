"""The examples in docstrings run; docstrings, signatures and the type stub say the same as the classes."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import svforest

MODULES = ["svforest"] + [f"svforest.{m.name}" for m in pkgutil.iter_modules(svforest.__path__) if m.name[:3] != "lib"]
FOUND = {name: cls for name, cls in vars(svforest).items() if inspect.isclass(cls) and hasattr(cls, "_defaults")}
CLASSES = {name: cls for name, cls in FOUND.items() if name == cls.__name__}


def run(text, name, where):
    test = doctest.DocTestParser().get_doctest(text, {}, name, where, 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test)
    return runner.failures, runner.tries


@pytest.mark.parametrize("name", MODULES)
def test_modules(name):
    if name.endswith(("plot", "_drawing")):
        pytest.importorskip("matplotlib").use("Agg")
    if name.endswith(".dask"):
        pytest.importorskip("dask.array")
    module = importlib.import_module(name)
    for finder in doctest.DocTestFinder(exclude_empty=True).find(module, globs={}):
        failures, _ = run(finder.docstring or "", finder.name, name)
        assert not failures, finder.name


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name):
    doc = CLASSES[name].__doc__
    failures, tries = run(doc, name, "svforest")
    assert not failures and tries >= 5
    for keyword in CLASSES[name]().get_params():
        assert f"\n{keyword} : " in doc, keyword
    for method in ("fit", "predict", "staged_predict", "apply", "save", "load"):
        assert inspect.getdoc(getattr(CLASSES[name], method))


def test_stub():
    path = Path(svforest.__file__).with_suffix(".pyi")
    if not path.exists():
        pytest.skip("the stub is made with the wheel")
    tree = ast.parse(path.read_text())
    stubs = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    assert set(stubs) == set(CLASSES)
    for name, node in stubs.items():
        args = node.body[0].args
        said = [arg.arg for arg in args.args + args.kwonlyargs][1:]
        assert said == list(CLASSES[name]._defaults)
    known = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    known |= {alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    aliases = {node.targets[0].id: node.value.id for node in tree.body if isinstance(node, ast.Assign)}
    assert aliases == {name: cls.__name__ for name, cls in FOUND.items() if name not in CLASSES}
    known |= {*aliases}
    known |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    assert set(svforest.__all__) <= known | set(stubs)


def test_stub_says_what_scikit_learn_users_may_give():
    path = Path(svforest.__file__).with_suffix(".pyi")
    if not path.exists():
        pytest.skip("the stub is made with the wheel")
    tree = ast.parse(path.read_text())
    (init,) = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "RFClassifier")
    hints = {arg.arg: ast.unparse(arg.annotation) for arg in init.args.kwonlyargs}
    assert hints["max_features"].startswith("int | float | Literal[") and "'log2'" in hints["max_features"]
    assert hints["min_samples_leaf"] == "int | float | None" and hints["n_estimators"] == "int | None"
    doc = svforest.RFClassifier.__doc__
    assert "\nmin_samples_leaf : int, float, " in doc and "'log2', default" in doc
