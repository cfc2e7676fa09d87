"""TBRF (Hang, Chen and Suykens 2019): table 1, figures 3 to 5, 7 and 8."""

import math

import figures
import tables
from tasks import Task

METHODS = ["tbrf-c", "tbrf-l", "tbrf-g", "vp-svm", "sklearn ET"]
# Printed mean squared error of TBRF, with its kind of leaf.
PRINTED = {"pts": (13.43, "C"), "aep": (5261.9, "C"), "hpp": (1226.7, "C"), "sarcos_testpart": None}
SPLITS, LIMIT = 3, 120
SHARES = {"pts": 1, "aep": 1, "hpp": 0.5, "sarcos_testpart": 0.2}  # of the time that the largest takes
LINES = {
    "vp-svm, one partition": ("vp-svm", 1),
    "tbrf-g, 1 tree": ("tbrf-g", 1),
    "tbrf-g, 4 trees": ("tbrf-g", 4),
    "tbrf-g, 50 trees": ("tbrf-g", 50),
}
COUNTS, ROWS = [1, 2, 5, 10, 20], 4000
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
EXPLAINED = {
    "pts, tbrf-c": "the preset cuts between the least and the greatest value of a cell's rows, which is some 10% better than the "
    "paper's cuts of the cell's side ([what is done](../tbrf.md))."
}


def tasks(options):
    names = ["sarcos_testpart"] if options.quick else PRINTED
    rows = 600 if options.quick else 10**9
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
        for name in ("pts", "sarcos_testpart")
        for method in METHODS[:3]
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
            for value in (values[:2] if options.quick else values)
        ]
    made += [
        Task(
            f"tbrf/table-{name}",
            f"{method}/{state}",
            "lab_tbrf.contest",
            {"name": name, "method": method, "state": state, "rows": rows},
            sets=(name,),
            limit=options.limit or LIMIT,
            weight=(40 if method == "tbrf-g" else 7) * SHARES[name],
            after=f"{method}/0" if state else None,
        )
        for state in range(1 if options.quick else options.splits or SPLITS)
        for name in names
        for method in METHODS
    ]
    return sorted(made, key=lambda task: task.weight)  # the costly ones last


def values(store, name, method, what):
    return [
        r[what]
        for key, r in store.all(f"tbrf/table-{name}").items()
        if key.rsplit("/", 1)[0] == method and "over" not in r
    ]


def digits(number):
    return max(0, 3 - int(math.log10(abs(number) + 1e-9)))


def error_table(store):
    table = tables.Table("mean squared error", "paper's TBRF", *METHODS, "tbrf-c, deviations", "seconds of each")
    far = {}
    for name, printed in PRINTED.items():
        found = {method: values(store, name, method, "mse") for method in METHODS}
        cells = []
        for method in METHODS:
            over = store.get(f"tbrf/table-{name}", f"{method}/0")
            cells.append(
                tables.figure(found[method], digits(found[method][0]))
                if found[method]
                else f"over {over['over']} s" if over else "not measured"
            )
        off = tables.apart(found["tbrf-c"], printed[0]) if printed and len(found["tbrf-c"]) > 1 else None
        far[f"{name}, tbrf-c"] = off
        seconds = [
            tables.significant(tables.mean(s)) if (s := values(store, name, m, "train")) else "-" for m in METHODS
        ]
        table.row(
            name, printed[0] if printed else "another split", *cells, tables.shown_apart(off), " / ".join(seconds)
        )
    return table, far


def pictures(store, pages):
    made, kept = {}, {name: store.get("tbrf/lines", name) for name in LINES}
    panels = []
    for name, found in kept.items():
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
    made["lines"] = pages.picture("tbrf-figure-4", panels, "A noisy sine under VP-SVM and TBRF")
    panels = []
    for name in ("pts", "sarcos_testpart"):
        lines = {
            m: [(s, e) for _, s, e in r["curve"]]
            for m in METHODS[:3]
            if (r := store.get("tbrf/stages", f"{name}/{m}")) and "curve" in r
        }
        if lines:
            panels.append(
                figures.Chart(
                    f"{name}, {ROWS} rows",
                    "processor seconds of training",
                    "mean squared error",
                    lines,
                    log_x=True,
                    log_y=True,
                )
            )
    made["stages"] = pages.picture("tbrf-figure-5", panels, "Error against time for three kinds of leaves")
    for figure, (name, method, _, varied) in SWEEPS.items():
        panels = [panel for what in varied for panel in sweep(store, figure, name, method, what)]
        made[figure.replace("-", "")] = pages.picture(
            f"tbrf-{figure}", panels, f"Error and time of {method} on {name}", 4
        )
    return made


def sweep(store, figure, name, method, what):
    """Two panels: the error, and the seconds."""
    points = []
    for key, result in store.all(f"tbrf/{figure}").items():
        if key.split("/")[0] == what and "over" not in result:
            points.append((float(key.split("/")[1]), result["mse"], result["train"]))
    points.sort()
    if len(points) < 2:
        return []
    return [
        figures.Chart(
            f"{method}, {name}",
            WORDS[what],
            "mean squared error",
            {"error": [(x, e) for x, e, _ in points]},
            log_x=True,
            zero=False,
        ),
        figures.Chart(
            f"{method}, {name}",
            WORDS[what],
            "processor seconds",
            {"seconds": [(x, s) for x, _, s in points]},
            log_x=True,
        ),
    ]


def page(store, pages):
    table, far = error_table(store)
    return dict(
        table=pages.table("tbrf-table-1", table),
        beyond=tables.beyond(far, EXPLAINED),
        source=pages.source("tbrf/"),
        limit=LIMIT,
        rows=ROWS,
        **pictures(store, pages),
    )
