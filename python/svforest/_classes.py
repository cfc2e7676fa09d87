"""The public classes: SVForestClassifier and SVForestRegressor, which take any method and every setting, and a class for each
method and task, made at import. Keywords, defaults and documentation of all come from the library's tables."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

from ._classifier import ForestClassifier
from ._estimator import BaseForest, signature_of
from ._keywords import ALIASES, AS_METHOD, CLASSES, SHARES, WORDS, Class
from ._library import CLASS, REGRESS
from ._regressor import ForestRegressor
from ._tables import Setting

BASE = {CLASS: ForestClassifier, REGRESS: ForestRegressor}

OWN_HELP = {
    "time_limit": (
        "float, default=None",
        "For ``method='auto'``: seconds that training may take. Members that would pass it are left out. Without ``effort``, "
        "as many members as fit.",
    ),
    "plan": (
        "str, default=None",
        "For ``method='auto'``: the members, as ``plan_`` of an earlier fit names them. The same plan, table and seed give the "
        "same model.",
    ),
    "oob_score": (
        "bool or callable, default=False",
        "After fitting, score by the rows that each tree did not see: accuracy or R2, or ``oob_score(y_true, y_pred)``. "
        "Needs ``rows`` other than 'all'.",
    ),
    "warm_start": (
        "bool, default=False",
        "Add trees to those that are there: the result is that of one run with all of them, so data and settings must "
        "be the same. Rounds of boosting are added with ``stop_rounds=0``.",
    ),
    "n_jobs": ("int, default=None", "Threads of fit and predict; None and -1: all processors. Never changes a result."),
    "random_state": (
        "int, RandomState or None, default=None",
        "The same integer gives the same forest, and the forest that the command gives with that seed.",
    ),
    "verbose": ("int, default=0", "Above 0: show how far fitting is."),
}
CLASS_WEIGHT_HELP = (
    "What a row counts by its class: None (1), 'balanced' (rows / (classes * rows of its class), rows counted by their "
    "weights), or a dict of weights"
)


def _type_text(setting: Setting) -> str:
    words = [repr(word) for word in (*setting.words, *WORDS.get(setting.keyword, []))]
    if setting.name == "class_weight":
        return "dict, 'balanced' or None"
    if setting.type in ("choice", "kind"):
        return f"{{{', '.join(words)}}}"
    kind = {"integer": "int", "number": "float", "list": "list of float", "count": "int"}[setting.type]
    return ", ".join([kind, *(["float"] if setting.keyword in SHARES else []), *words])


SHARE_HELP = {
    "max_features": "; a float: that share of the features; 'log2': their logarithm; None: all",
    "min_samples_leaf": "; a float below 1: that share of the rows",
}


def _setting_text(setting: Setting, defaults: dict[str, Any]) -> str:
    default = defaults[setting.keyword]
    shown = "" if default is None and setting.name != "class_weight" else f", default={default!r}"
    about = CLASS_WEIGHT_HELP if setting.name == "class_weight" else setting.help[0].upper() + setting.help[1:]
    if default == AS_METHOD:
        about += ", or 'method': as the method has it"
    about += SHARE_HELP.get(setting.keyword, "")
    known = "" if setting.keyword == setting.name else f" (the setting ``{setting.name}``)"
    text = f"{setting.keyword} : {_type_text(setting)}{shown}\n"
    return text + textwrap.fill(about + known + ".", 110, initial_indent="    ", subsequent_indent="    ")


def _parameters_text(cls: Class, defaults: dict[str, Any]) -> str:
    parts = [_setting_text(setting, defaults) for setting in cls.settings]
    own = {name: OWN_HELP[name] for name in cls.own}
    parts += [f"{name} : {kind}\n{textwrap.indent(about, '    ')}" for name, (kind, about) in own.items()]
    if not cls.method:
        listed = "One of " + ", ".join(repr(name) for name in cls.methods) + "."
        about = textwrap.fill(listed, 110, initial_indent="    ", subsequent_indent="    ")
        parts.insert(0, f"method : str, default={defaults['method']!r}\n{about}")
    return "\n".join(parts)


ATTRIBUTES = """
Attributes
----------
{classes}n_features_in_ : int
    Columns seen by `fit`.
feature_names_in_ : ndarray of str
    Their names, where X was a frame.
feature_importances_ : ndarray of shape (n_features,)
    By the gain of cuts and by the weights of leaf machines. What shuffling a feature costs tells
    ``sklearn.inspection.permutation_importance``.
{own}settings_ : dict
    Every setting of the model, by the library's names.
"""

OF_FOREST = """\
metric_weights_ : ndarray of shape (n_features,) or None
    What each feature weighs in a metric that the leaf machines learned.
oob_score_, {oob} :
    With ``oob_score``: the score, and the answers out of bag.
oob_curve_ : ndarray of shape (n_trees,)
    With ``oob_score``: {measure} out of bag of the first 1, 2, ... trees.
"""

OF_COMMITTEE = """\
leaderboard_ : pandas.DataFrame, or a NumPy record array where pandas is not there
    {if_auto}A row per member, the heaviest first: ``settings``, ``weight``, ``score`` on held-out rows, ``seconds`` of
    training (NaN after loading), and why it was ``left_out``, or ''.
held_out_score_ : float
    {if_auto}The score of the whole on rows that had no say in it, by ``aim``; ``held_out_error_`` is its standard error.
plan_ : str
    {if_auto}The members that were trained, for ``plan``.
"""

EXAMPLE = """
Examples
--------
>>> from sklearn.datasets import {data}
>>> from svforest import {name}
>>> X, y = {data}({options})
>>> model = {name}({quick}random_state=0).fit(X, y)
>>> model.predict(X[:1]).shape
(1,)
>>> model.score(X, y) > {score}
True
"""


VOTED = (
    "``predict`` is the class that most trees say. ``predict_proba`` is the mean of their probabilities, and its largest may be "
    "another class: on noisy, uneven classes for a third of the rows. ``vote='mean'`` makes both say the same."
)


def _head(cls: Class) -> str:
    if cls.method:
        voted = cls.task == CLASS and not cls.method.is_committee and cls.method.values["vote"] == "majority"
        about = textwrap.fill(VOTED, 110) + "\n\n" if voted else ""
        return f"{cls.method.title}.\n\n{about}" + textwrap.fill(f"Method ``{cls.method.name}``: {cls.method.paper}.", 110)
    return (
        f"A committee of several methods for {'classes' if cls.task == CLASS else 'numbers'}; or any method, with any setting.\n\n"
        "``method='auto'`` trains several methods, weighs each by rows held out, and answers for all of them. It takes\n"
        "``effort`` (1 is quick, 5 the default, 9 takes long), ``time_limit``, ``plan``, ``aim``, ``class_weight`` and ``cpu``; it\n"
        "chooses all other settings itself, so name a method to give them. A named method is a row of settings; what is left at\n"
        "None is as the method has it, and a setting that has no meaning with the others is refused."
    )


def _own_attributes(cls: Class) -> str:
    classes = cls.task == CLASS
    forest = OF_FOREST.format(
        oob="oob_decision_function_" if classes else "oob_prediction_",
        measure="accuracy" if classes else "mean squared error",
    )
    if not cls.method:
        return OF_COMMITTEE.format(if_auto="Of ``method='auto'``: ") + forest
    return OF_COMMITTEE.format(if_auto="") if cls.method.is_committee else forest


def _doc(cls: Class, defaults: dict[str, Any]) -> str:
    classes = cls.task == CLASS
    attributes = ATTRIBUTES.format(
        classes="classes_ : ndarray\n    The classes.\n" if classes else "", own=_own_attributes(cls)
    )
    example = EXAMPLE.format(
        name=cls.name,
        data="load_iris" if classes else "make_friedman1",
        options="return_X_y=True" if classes else "n_samples=150, random_state=0",
        quick="effort=1, " if not cls.method or cls.method.is_committee else "",
        score=0.8 if classes else 0.3,
    )
    return f"{_head(cls)}\n\nParameters\n----------\n{_parameters_text(cls, defaults)}\n{attributes}{example}"


def _complete(made: type[BaseForest], cls: Class) -> type[BaseForest]:
    """Gives a class its keywords, their defaults and its documentation, all from the library's table."""
    signature = signature_of(cls.defaults)

    def __init__(self: BaseForest, *args: Any, **keywords: Any) -> None:
        BaseForest.__init__(self, *args, **keywords)

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = signature.replace(parameters=[own, *signature.parameters.values()])  # type: ignore
    __init__.__qualname__ = f"{cls.name}.__init__"
    made.__init__ = __init__  # type: ignore[misc]
    made.__signature__ = signature  # type: ignore[attr-defined]
    made.__doc__ = _doc(cls, cls.defaults)
    made.__module__ = "svforest"
    made._method = cls.method.name if cls.method else None
    made._defaults = cls.defaults
    return made


class SVForestClassifier(ForestClassifier):
    """Any method for classes, with any setting. `_complete` writes keywords and documentation."""


class SVForestRegressor(ForestRegressor):
    """Any method for numbers, with any setting. `_complete` writes keywords and documentation."""


OF_ANY_METHOD: dict[int, type[BaseForest]] = {CLASS: SVForestClassifier, REGRESS: SVForestRegressor}


def _of_method(cls: Class) -> type[BaseForest]:
    """A class such as RFClassifier: one method, whose settings alone are its keywords."""
    return type(cls.name, (BASE[cls.task],), {})


PUBLIC: dict[str, type[BaseForest]] = {
    cls.name: _complete(_of_method(cls) if cls.method else OF_ANY_METHOD[cls.task], cls) for cls in CLASSES
}
PUBLIC.update({alias: PUBLIC[name] for alias, name in ALIASES.items()})
