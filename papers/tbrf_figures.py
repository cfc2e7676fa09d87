"""TBRF, figures 3 to 5, 7 and 8: borders, kinds of leaves, and what the settings do."""

import math

import figures
import tables
from tasks import Task

LEAVES = ["tbrf-c", "tbrf-l", "tbrf-g"]
LINES = {
    "vp-svm, one partition": ("vp-svm", 1),
    "tbrf-g, 1 tree": ("tbrf-g", 1),
    "tbrf-g, 4 trees": ("tbrf-g", 4),
    "tbrf-g, 50 trees": ("tbrf-g", 50),
}
STAGED, COUNTS, ROWS = ["pts", "sarcos_testpart"], [1, 2, 5, 10, 20], 4000
# Figures 7 and 8: a stand-in each, the forest that is varied, and what is varied in it.
SWEEPS = {
    "figure-7": (
        "pts",
        "tbrf-c",
        {"trees": 20},
        {
            "trees": [1, 5, 20, 50, 100],
            "cells": [10, 50, 100, 250, 500],
            "tree_candidates": [1, 2, 5, 10, 30],
            "splits_per_row": [0.05, 0.1, 0.2, 0.4, 0.8],
        },
    ),
    "figure-8": (
        "aep",
        "tbrf-g",
        {"trees": 5},
        {
            "trees": [1, 2, 5, 10],
            "cells": [5, 10, 20, 50],
            "tree_candidates": [1, 2, 5, 10],
            "splits_per_row": [0.0025, 0.005, 0.01, 0.02],
        },
    ),
}
WORDS = {
    "trees": "T, trees",
    "cells": "m, cells",
    "tree_candidates": "k, candidates",
    "splits_per_row": "pro, splits per row",
}


def tasks(rows):
    """rows: at most so many of a set."""
    made = [
        Task("tbrf/lines", name, "lab_tbrf.line", {"method": method, "trees": trees, "rows": 600, "side": 400})
        for name, (method, trees) in LINES.items()
    ]
    made += [
        Task(
            "tbrf/stages",
            f"{name}/{method}",
            "lab_tbrf.stages",
            {"name": name, "method": method, "rows": min(rows, ROWS), "counts": COUNTS},
            sets=(name,),
            weight=6 if method == "tbrf-g" else 1,
        )
        for name in STAGED
        for method in LEAVES
    ]
    for figure, (name, method, base, varied) in SWEEPS.items():
        made += [
            Task(
                f"tbrf/{figure}",
                f"{what}/{value}",
                "lab_tbrf.contest",
                {
                    "name": name,
                    "method": method,
                    "state": 0,
                    "rows": min(rows, ROWS),
                    "settings": {**base, what: value},
                },
                sets=(name,),
                weight=4 if method == "tbrf-g" else 0.5,
            )
            for what, values in varied.items()
            for value in (values[:2] if rows < ROWS else values)
        ]
    return made


def line_panels(store):
    panels = []
    for name in LINES:
        found = store.get("tbrf/lines", name)
        if found and "over" not in found:
            side = len(found["answers"]) - 1
            lines = {
                "rows": [tuple(p) for p in found["points"]],
                "answers": [(i / side, a) for i, a in enumerate(found["answers"])],
                "sine": [(i / 200, math.sin(12 * i / 200)) for i in range(201)],
            }
            panels.append(
                figures.Chart(
                    f"{name}: largest step {found['largest_step']:.3f}",
                    "x",
                    "y",
                    lines,
                    zero=False,
                    small=["rows"],
                    dashed=["sine"],
                    plain=["answers"],
                )
            )
    return panels


def stages(store, name):
    """{method: [(trees, seconds, error), ...]}"""
    found = {method: store.get("tbrf/stages", f"{name}/{method}") for method in LEAVES}
    return {method: kept["curve"] for method, kept in found.items() if kept and "curve" in kept}


def stage_panels(store):
    found = {name: stages(store, name) for name in STAGED}
    return [
        figures.Chart(
            f"{name}, {ROWS} rows",
            "processor seconds of training",
            "mean squared error",
            {method: [(s, e) for _, s, e in curve] for method, curve in of.items()},
            log_x=True,
            log_y=True,
        )
        for name, of in found.items()
        if of
    ]


def stage_words(store):
    """The error of all trees."""
    said = []
    for name in STAGED:
        shown = [f"{method} {tables.significant(curve[-1][2], 3)}" for method, curve in stages(store, name).items()]
        said.append(f"{name}: {', '.join(shown) or 'not measured'}")
    return "; ".join(said)


def swept(store, figure, what):
    """[(value, error, seconds), ...] of a setting."""
    found = {key.split("/")[1]: r for key, r in store.all(f"tbrf/{figure}").items() if key.split("/")[0] == what}
    return sorted((float(value), r["mse"], r["train"]) for value, r in found.items() if "over" not in r)


def sweep_panels(store, figure):
    """Two of each setting: the error, and the seconds."""
    name, method, _, varied = SWEEPS[figure]
    panels = []
    for what in varied:
        points = swept(store, figure, what)
        if len(points) > 1:
            shown = (f"{method} on {name}: %s by {WORDS[what].split(',')[0]}", WORDS[what])
            errors, seconds = [(x, e) for x, e, _ in points], [(x, s) for x, _, s in points]
            panels += [
                figures.Chart(shown[0] % "error", shown[1], "mean squared error", {"error": errors}, log_x=True, zero=False),
                figures.Chart(shown[0] % "time", shown[1], "processor seconds", {"seconds": seconds}, log_x=True),
            ]
    return panels


def sweep_table(store, figure):
    """Error and time at both ends, and where the error is least."""
    table = tables.Table("setting", "from", "to", "error at the ends", "least error at", "seconds at the ends")
    for what in SWEEPS[figure][3]:
        points = swept(store, figure, what)
        if len(points) > 1:
            (x, e, s), (to, last, spent) = points[0], points[-1]
            best = min(points, key=lambda point: point[1])
            error = " and ".join(tables.significant(value, 3) for value in (e, last))
            took = " and ".join(tables.significant(value) for value in (s, spent))
            table.row(WORDS[what], f"{x:g}", f"{to:g}", error, f"{best[0]:g}", took)
        else:
            table.row(WORDS[what], *["not measured"] * 5)
    return table


def page(store, pages):
    made = {
        "rows": ROWS,
        "lines": pages.picture("tbrf-figure-4", line_panels(store), "A noisy sine under VP-SVM and TBRF"),
        "stages": pages.picture("tbrf-figure-5", stage_panels(store), "Error against time for three kinds of leaves"),
        "stage_words": stage_words(store),
    }
    for figure, (name, method, _, _) in SWEEPS.items():
        short, text = figure.replace("-", ""), f"Error and time of {method} on {name}"
        made[short] = pages.picture(f"tbrf-{figure}", sweep_panels(store, figure), text, 4)
        made[f"{short}_table"] = sweep_table(store, figure).markdown()
    return made
