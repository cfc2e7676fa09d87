"""Chapter 4 of the thesis made visible: as n grows, do cells shrink, do they keep rows, does the error go to the Bayes risk?"""
import math

import figures
import tables
from tasks import Task

TITLE = "Consistency: what is proven, and what is seen"
KINDS = ["twonorm", "ringnorm", "mixture"]
SIZES = [250, 1000, 4000, 16_000, 64_000, 512_000]
CUTS = {"rsvt": ("rsvt", {}), "rsvt-full": ("rsvt-full", {}), "cell": ("rsvt-full", {"range": "cell"})}
LEAVES = {"constant": {"leaf": "constant"}, "SVM": {}}
# The least rows of a leaf: the theorem's, and two that break its conditions.
RULES = {"sqrt": lambda n: {}, "constant": lambda n: {"min_leaf_factor": 0, "min_leaf": 16},
         "share": lambda n: {"min_leaf_factor": 0, "min_leaf": max(1, n // 16)}}
RULE_NAMES = {"sqrt": "l = sqrt(n)", "constant": "l = 16", "share": "l = n/16"}


def tasks(options):
    sizes = [250, 1000] if options.quick else [n for n in SIZES if n <= (options.rows or n)]
    kinds = KINDS[:1] if options.quick else KINDS
    cases = [(kind, d, cut, leaf, "sqrt") for kind in kinds for d in (2, 20) for cut in CUTS for leaf in LEAVES]
    cases += [(kind, 2, "rsvt-full", leaf, rule) for kind in kinds for leaf in LEAVES for rule in ("constant", "share")]
    return [task(*case, n) for n in sizes for case in cases]


def task(kind, d, cut, leaf, rule, n):
    method, more = CUTS[cut]
    settings = {**more, **LEAVES[leaf], **RULES[rule](n)}
    smaller = SIZES[SIZES.index(n) - 1] if n in SIZES[1:] else None
    return Task(f"consistency/{kind}-{d}", f"{cut}/{leaf}/{rule}/{n}", "lab_consistency.run",
                {"kind": kind, "n": n, "d": d, "seed": 0, "method": method, "settings": settings}, weight=0.3 + n / 100_000,
                limit=60, after=smaller and f"{cut}/{leaf}/{rule}/{smaller}")


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
    table = tables.Table("excess error ~ n^rate", "d", "cuts", "leaves", "l", "n = 250", "largest n", "there", "rate",
                         "rate of diameter", "rows per leaf there", "depth there")
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
    table.row(kind, d, f"`{cut}`" if cut != "cell" else "cell side", leaf, RULE_NAMES[rule], f"{points[0][1]:.4f}", points[-1][0],
              f"{points[-1][1]:.4f}", said[0], said[1], f"{rows:.0f}", f"{depth:.1f}")


def chart(store, title, what, cases, log_y=True, more=()):
    """A chart of some cases; values of 0 or less have no place on a logarithmic axis."""
    lines = {name: [(n, v) for n, v in curve(store, *case, what) if v > 0 or not log_y] for name, case in cases.items()}
    lines.update(more)
    lines = {name: line for name, line in lines.items() if line}
    return figures.Chart(title, "n", what, lines, log_x=True, log_y=log_y, dashed=dict(more)) if lines else None


def pictures(store, pages):
    errors = [chart(store, f"{kind}, d = {d}", "excess", {f"{cut}, {leaf}": (kind, d, cut, leaf, "sqrt")
                                                         for cut in CUTS for leaf in LEAVES})
              for d in (2, 20) for kind in KINDS]
    rules = [chart(store, f"{kind}, d = 2, {leaf} leaves", "excess", {name: (kind, 2, "rsvt-full", leaf, rule)
                                                                      for rule, name in RULE_NAMES.items()})
             for leaf in LEAVES for kind in KINDS]
    shapes = []
    for d in (2, 20):
        for what in ("diameter", "rows", "depth"):
            cases = {cut: ("twonorm", d, cut, "constant", "sqrt") for cut in CUTS}
            more = {"bound, cell": curve(store, *cases["cell"], "bound"), "bound, rsvt-full": curve(store, *cases["rsvt-full"], "bound"),
                    "side, cell": curve(store, *cases["cell"], "side")} if what == "diameter" else {}
            shapes.append(chart(store, f"twonorm, d = {d}", what, cases, more=more))
    made = {}
    for name, charts, text in (("errors", errors, "Excess error over the Bayes risk against n"),
                               ("rules", rules, "Excess error under three rules for the least rows of a leaf"),
                               ("cells", shapes, "Diameter, rows and depth of cells against n")):
        charts = [one for one in charts if one]
        made[name] = pages.picture(f"consistency-{name}", figures.sheet(charts, 3), text) if charts else ""
    return made


def page(store, pages):
    table = rate_table(store)
    pages.table("consistency", table)
    return TEXT.format(table=table.markdown(), source=pages.source("consistency/"), **pictures(store, pages))


TEXT = """Chapter 4 of the thesis proves that a totally random tree is consistent: its error goes to the Bayes risk L* as n grows, if the least number l of rows
in a leaf goes to infinity and l/n to 0. Here that is looked at, on three distributions whose Bayes rule is known.

**What is proven**, for one tree, constant leaves (the majority class of the cell), cuts that are uniform on the *side of the cell*, and
rows in the unit cube with a density above 0: the expected side of a cell after K cuts is at most (1 - 1/(4d))^K, K goes to infinity, and so
do the rows of a leaf; hence the error goes to L*. A majority vote of such trees is consistent too (Biau, Devroye and Lugosi 2008).
No rate is proven.

**What is not**: cuts uniform between the least and the greatest value of the node's rows (`rsvt-full`, what the method does), a branch that
ends at its first refused cut (`rsvt`), and machines in the leaves. twonorm, ringnorm and mixture are normal densities: not in a cube, so that
the cube is the box of the training rows, which grows with n.

**What is measured**: forests of 10 trees, one for each n (seed 0). *Excess* is the error minus that of the Bayes rule on the same 20,000 new rows: its own
noise is about 0.001 to 0.002, so smaller values say nothing. Diameter (over sqrt(d)) and side are of the cell that a new row falls in, in units of the box;
rows are the training rows in that cell, depth the cuts above it. Rates are least-squares slopes of logarithms.

## The error

{errors}

## Other rules for l

l = 16 does not grow, l = n/16 is not small against n: each breaks a condition of the theorem, and `rsvt-full` in two dimensions shows what follows.

{rules}

## The cells

The dashed lines are the bound (1 - 1/(4d))^K, averaged over the K that were measured, and the mean side that it bounds.

{cells}

## Rates

{table}

{source}
"""
