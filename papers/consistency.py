"""Chapter 4 of the thesis made visible: as n grows, do cells shrink, do they keep rows, does the error go to the Bayes risk?"""

import math

import figures
import tables
from tasks import Task

KINDS = ["twonorm", "ringnorm", "mixture"]
SIZES = [250, 1000, 4000, 16_000, 64_000, 512_000]
CUTS = {"rsvt": ("rsvt", {}), "rsvt-full": ("rsvt-full", {}), "cell": ("rsvt-full", {"range": "cell"})}
LEAVES = {"constant": {"leaf": "constant"}, "SVM": {}, "SVM without class weights": {"class_weight": "none"}}
PLAIN = ["constant", "SVM"]  # what every cut has; the third is for rsvt-full alone
# The least rows of a leaf: the theorem's, and two that break its conditions.
RULES = {
    "sqrt": lambda n: {},
    "constant": lambda n: {"min_leaf_factor": 0, "min_leaf": 16},
    "share": lambda n: {"min_leaf_factor": 0, "min_leaf": max(1, n // 16)},
}
RULE_NAMES = {"sqrt": "l = sqrt(n)", "constant": "l = 16", "share": "l = n/16"}


def tasks(options):
    sizes = [250, 1000] if options.quick else [n for n in SIZES if n <= (options.rows or n)]
    kinds = KINDS[:1] if options.quick else KINDS
    cases = [(kind, d, cut, leaf, "sqrt") for kind in kinds for d in (2, 20) for cut in CUTS for leaf in PLAIN]
    cases += [(kind, d, "rsvt-full", "SVM without class weights", "sqrt") for kind in kinds for d in (2, 20)]
    cases += [(kind, 2, "rsvt-full", leaf, rule) for kind in kinds for leaf in PLAIN for rule in ("constant", "share")]
    return [task(*case, n) for n in sizes for case in cases]


def task(kind, d, cut, leaf, rule, n):
    method, more = CUTS[cut]
    settings = {**more, **LEAVES[leaf], **RULES[rule](n)}
    smaller = SIZES[SIZES.index(n) - 1] if n in SIZES[1:] else None
    return Task(
        f"consistency/{kind}-{d}",
        f"{cut}/{leaf}/{rule}/{n}",
        "lab_consistency.run",
        {"kind": kind, "n": n, "d": d, "seed": 0, "method": method, "settings": settings},
        weight=0.3 + n / 100_000,
        limit=60,
        after=smaller and f"{cut}/{leaf}/{rule}/{smaller}",
    )


def curve(store, kind, d, cut, leaf, rule, what):
    """[(n, value), ...] of what is kept."""
    found = []
    for n in SIZES:
        kept = store.get(f"consistency/{kind}-{d}", f"{cut}/{leaf}/{rule}/{n}")
        if kept and "over" not in kept:
            found.append((n, kept[what]))
    return found


def rate(points):
    """Slope of log value over log n by least squares; None where fewer than three are above 0."""
    logs = [(math.log(n), math.log(value)) for n, value in points if value > 0]
    if len(logs) < 3:
        return None
    x, y = tables.mean([a for a, _ in logs]), tables.mean([b for _, b in logs])
    return sum((a - x) * (b - y) for a, b in logs) / sum((a - x) ** 2 for a, _ in logs)


def rate_table(store):
    table = tables.Table(
        "excess error ~ n^rate",
        "d",
        "cuts",
        "leaves",
        "l",
        "n = 250",
        "largest n",
        "there",
        "rate",
        "rate of diameter",
        "rows per leaf there",
        "depth there",
    )
    for kind in KINDS:
        for d in (2, 20):
            for cut in CUTS:
                for leaf in LEAVES:
                    for rule in RULES:
                        points = curve(store, kind, d, cut, leaf, rule, "excess")
                        if len(points) > 1:
                            add(table, store, (kind, d, cut, leaf, rule), points)
    return table


def add(table, store, case, points):
    kind, d, cut, leaf, rule = case
    slopes = [rate(points), rate(curve(store, *case, "diameter"))]
    said = ["-" if slope is None else f"{slope:+.2f}" for slope in slopes]
    rows, depth = (curve(store, *case, what)[-1][1] for what in ("rows", "depth"))
    table.row(
        kind,
        d,
        f"`{cut}`" if cut != "cell" else "cell side",
        leaf,
        RULE_NAMES[rule],
        f"{points[0][1]:.4f}",
        points[-1][0],
        f"{points[-1][1]:.4f}",
        said[0],
        said[1],
        f"{rows:.0f}",
        f"{depth:.1f}",
    )


def chart(store, title, what, cases, log_y=True, more=()):
    """A chart of some cases; values of 0 or less have no place on a logarithmic axis."""
    lines = {name: [(n, v) for n, v in curve(store, *case, what) if v > 0 or not log_y] for name, case in cases.items()}
    lines.update(more)
    lines = {name: line for name, line in lines.items() if line}
    return figures.Chart(title, "n", what, lines, log_x=True, log_y=log_y, dashed=dict(more)) if lines else None


def pictures(store, pages):
    errors = [
        chart(
            store,
            f"{kind}, d = {d}",
            "excess",
            {f"{cut}, {leaf}": (kind, d, cut, leaf, "sqrt") for cut in CUTS for leaf in PLAIN},
        )
        for d in (2, 20)
        for kind in KINDS
    ]
    rules = [
        chart(
            store,
            f"{kind}, d = 2, {leaf} leaves",
            "excess",
            {name: (kind, 2, "rsvt-full", leaf, rule) for rule, name in RULE_NAMES.items()},
        )
        for leaf in PLAIN
        for kind in KINDS
    ]
    weights = [
        chart(store, f"{kind}, d = {d}", "excess", {leaf: (kind, d, "rsvt-full", leaf, "sqrt") for leaf in LEAVES})
        for d in (2, 20)
        for kind in KINDS
    ]
    shapes = []
    for d in (2, 20):
        for what in ("diameter", "rows", "depth"):
            cases = {cut: ("twonorm", d, cut, "constant", "sqrt") for cut in CUTS}
            more = (
                {
                    "bound, cell": curve(store, *cases["cell"], "bound"),
                    "side, cell": curve(store, *cases["cell"], "side"),
                    "bound, rsvt-full": curve(store, *cases["rsvt-full"], "bound"),
                }
                if what == "diameter"
                else {}
            )
            shapes.append(chart(store, f"twonorm, d = {d}", what, cases, more=more))
    made = {}
    for name, charts, text in (
        ("errors", errors, "Excess error over the Bayes risk against n"),
        ("rules", rules, "Excess error under three rules for the least rows of a leaf"),
        ("weights", weights, "Excess error of rsvt-full with and without class weights in its leaves"),
        ("cells", shapes, "Diameter, rows and depth of cells against n"),
    ):
        made[name] = pages.picture(f"consistency-{name}", charts, text, 3)
    return made


def page(store, pages):
    table = pages.table("consistency", rate_table(store))
    return dict(table=table, source=pages.source("consistency/"), **pictures(store, pages))
