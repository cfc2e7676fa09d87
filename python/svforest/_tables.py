"""The library's own tables: settings, methods, kinds; and how their texts and Python's values become each other.

Nothing is listed here that the library lists: a new method or setting appears by itself. What stands here is the
names under which users of scikit-learn know some of the settings.
"""

from __future__ import annotations

import functools
import re
from ctypes import create_string_buffer
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from . import _library
from ._library import library

FAMILIAR = {
    "trees": "n_estimators",
    "min_leaf": "min_samples_leaf",
    "features": "max_features",
    "min_gain": "min_impurity_decrease",
    "max_leaves": "max_leaf_nodes",
    "tolerance": "tol",
    "seed": "random_state",
}


@dataclass(frozen=True)
class Setting:
    """One row of the table of settings; `keyword` is its name in Python."""

    name: str
    type: str
    standard: str
    range: str
    help: str

    @property
    def keyword(self) -> str:
        return FAMILIAR.get(self.name, self.name)

    @property
    def words(self) -> list[str]:
        """The words among the values that it may have."""
        if self.type == "kind":
            return [kind.name for kind in KINDS if kind.seam == self.name]
        words = self.range.split("|")
        return words if self.type == "choice" else words[:-1] if self.type == "count" else []

    @property
    def is_flag(self) -> bool:
        """Is it yes or no, so that True and False are values, too?"""
        return set(self.words) == {"yes", "no"}


@dataclass(frozen=True)
class Kind:
    """One kind of one of the four choices, and the settings it reads."""

    seam: str
    name: str
    help: str
    settings: tuple[str, ...]


@dataclass(frozen=True)
class Method:
    """One published method: a row of settings."""

    name: str
    title: str
    paper: str
    settings: str

    @functools.cached_property
    def values(self) -> dict[str, Any]:
        """Every setting as the method has it."""
        with Settings(self.name) as settings:
            return settings.values()

    @functools.cached_property
    def reads(self) -> list[Setting]:
        """The settings that mean something to it, also with another choice of rows."""
        with Settings(self.name) as settings:
            mine = {s.name for i, s in enumerate(SETTINGS) if library.svf_settings_reads(settings.handle, i)}
        return [s for s in SETTINGS if s.name in mine or s.name == "sample_fraction" and "rows" in mine]

    @property
    def is_committee(self) -> bool:
        """Does it train several forests that answer together?"""
        return self.values["committee"] == "yes"

    def allows(self, task: int) -> bool:
        """Is it for classes, for numbers?"""
        with Settings(self.name) as settings:
            try:
                _library.call("svf_settings_check", settings.handle, task)
            except ValueError:
                return False
        return True

    @functools.cached_property
    def class_stem(self) -> str:
        """'rsvt-full' is RSVTFull: words keep their letters, abbreviations are in capitals."""
        words = self.name.split("-")
        return "".join(w.capitalize() if len(w) >= 4 and re.search("[aeiouy]", w) else w.upper() for w in words)


class Settings:
    """The settings of a job, in the library; to be used in a `with`."""

    def __init__(self, method: str) -> None:
        self.handle = _library.make("svf_settings_new", str(method).encode())

    def __enter__(self) -> "Settings":
        return self

    def __exit__(self, *_: object) -> None:
        library.svf_settings_free(self.handle)
        self.handle = None

    def set(self, setting: Setting, value: Any) -> None:
        try:
            _library.call("svf_settings_set", self.handle, setting.name.encode(), text_of(setting, value).encode())
        except ValueError as error:
            said = str(error).split(": ", 1)[-1]
            raise ValueError(f"{setting.keyword}={value!r}: {said}") from None

    def values(self) -> dict[str, Any]:
        return {s.name: value_of(s, read_setting(self.handle, s)) for s in SETTINGS}


def read_setting(settings: Any, setting: Setting) -> str:
    """The text of a setting of a handle."""
    buffer = create_string_buffer(4096)
    if library.svf_settings_get(settings, setting.name.encode(), buffer, len(buffer)) != _library.OK:
        raise ValueError(f"the library knows no setting {setting.name}")
    return buffer.value.decode()


def number_text(value: float) -> str:
    """As the library writes numbers that name a class or a category: 2.0 is '2'."""
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)


def text_of(setting: Setting, value: Any) -> str:
    """A Python value as the text of a setting."""
    if isinstance(value, bool) and setting.is_flag:
        return "yes" if value else "no"
    if value is None:
        return "none" if "none" in setting.words else "0"
    if isinstance(value, str):
        return value
    if isinstance(value, Real) and not isinstance(value, bool):
        return str(int(value)) if isinstance(value, Integral) else repr(float(value))
    if setting.type == "list" and hasattr(value, "__len__"):
        return ",".join(repr(float(v)) for v in value)
    raise TypeError(f"{setting.keyword}: {value!r} is neither a number nor text")


def value_of(setting: Setting, text: str) -> Any:
    """The text of a setting as a Python value."""
    if setting.type == "integer" or (setting.type == "count" and text.isdigit()):
        return int(text)
    if setting.type == "number":
        return float(text)
    if setting.type == "list":
        return tuple(float(part) for part in text.split(","))
    return text


def _decoded(info: Any, fields: list[str]) -> list[str]:
    return [getattr(info, field).decode() for field in fields]


def _kind(info: _library.KindInfo) -> Kind:
    names, i = [], 0
    while info.settings[i]:
        names.append(info.settings[i].decode())
        i += 1
    return Kind(*_decoded(info, ["seam", "name", "help"]), tuple(names))


SETTINGS = [
    Setting(*_decoded(library.svf_setting_at(i).contents, ["name", "type", "standard", "range", "help"]))
    for i in range(library.svf_setting_count())
]
KINDS = [_kind(library.svf_kind_at(i)) for i in range(library.svf_kind_count())]
METHODS = {
    method.name: method
    for method in (
        Method(*_decoded(library.svf_method_at(i).contents, ["name", "title", "paper", "settings"]))
        for i in range(library.svf_method_count())
    )
}

