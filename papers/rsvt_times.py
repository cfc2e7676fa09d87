"""RSVT, figures 5.2 and 5.3: training time against rows, features and classes, beside what the thesis says."""

import figures
import tables
from tasks import Task

# Name: trees, features, classes.
TIMES = {
    "1 tree": (1, 20, 2),
    "5 trees": (5, 20, 2),
    "10 trees": (10, 20, 2),
    "d = 100": (1, 100, 2),
    "d = 200": (1, 200, 2),
    "d = 500": (1, 500, 2),
    "4 classes": (1, 8, 4),
    "10 classes": (1, 20, 10),
    "24 classes": (1, 48, 24),
}
PANELS = {
    "Trees, d = 20": ["1 tree", "5 trees", "10 trees"],
    "Features, one tree": ["d = 100", "d = 200", "d = 500"],
    "Classes, one tree": ["4 classes", "10 classes", "24 classes"],
}
# What the text of the thesis says: rows trained on, seconds. The figures themselves are pictures without numbers.
SAID = {"10 trees": (80_000, 20), "d = 500": (100_000, 70), "24 classes": (90_000, 200)}
SIZES, PEER_MOST, LIMIT = [10_000, 20_000, 50_000, 100_000], 20_000, 60


def tasks(quick):
    sizes = [2000, 4000] if quick else SIZES
    made = [timing("rsvt", name, n) for name in TIMES for n in sizes]
    made += [timing("sklearn", name, n) for name in TIMES for n in sizes if n <= PEER_MOST]
    return made + [timing("rsvt", name, rows_for(name)) for name in SAID if not quick]


def rows_for(name):
    """How many rows there must be for two thirds of them to be those of the thesis."""
    return SAID[name][0] * 3 // 2


def timing(who, name, n):
    trees, d, classes = TIMES[name]
    before = SIZES[SIZES.index(n) - 1] if n in SIZES[1:] and who == "sklearn" else None
    return Task(
        "rsvt/time",
        f"{name}/{n}/{who}",
        "lab_rsvt.seconds",
        {"who": who, "n": n, "d": d, "classes": classes, "trees": trees},
        weight=n / 20_000 if who == "rsvt" else n / 2000,
        limit=LIMIT,
        after=before and f"{name}/{before}/{who}",
    )


def seconds(store):
    """{(name, who): [(rows trained on, seconds), ...]}"""
    found = {}
    for key, result in store.all("rsvt/time").items():
        if "over" not in result:
            name, n, who = key.split("/")
            found.setdefault((name, who), []).append((int(n) * 2 // 3, result["seconds"]))
    return {which: sorted(points) for which, points in found.items()}


def charts(store):
    kept = seconds(store)
    made = []
    for title, names in PANELS.items():
        lines = {
            f"{label}, {name}": kept.get((name, who), [])
            for who, label in (("rsvt", "svforest"), ("sklearn", "on scikit-learn"))
            for name in names
        }
        if any(lines.values()):
            thesis = {f"thesis, {name}": [SAID[name]] for name in names if name in SAID}
            lines.update(thesis)
            made.append(
                figures.Chart(title, "rows trained on", "seconds", lines, log_x=True, log_y=True, marks=list(thesis))
            )
    return made


def table(store):
    """Where the thesis says a number: ours on as many rows."""
    kept = seconds(store)
    made = tables.Table("training", "rows trained on", "thesis, s", "`rsvt`, s")
    for name, (rows, said) in SAID.items():
        ours = dict(kept.get((name, "rsvt"), [])).get(rows)
        made.row(name, f"{rows:,}", said, tables.significant(ours) if ours else "not measured")
    return made
