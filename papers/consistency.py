"""Chapter 4 of the thesis made visible: as n grows, do cells shrink, do they keep rows, does the error go to the Bayes risk?"""

import math

import figures
import tables
from tasks import Task

KINDS = ["twonorm", "ringnorm", "mixture"]
SIZES = [250, 1000, 4000, 16_000, 64_000, 512_000]
CUTS = {"rsvt": ("rsvt", {}), "rsvt-full": ("rsvt-full", {}), "cell": ("rsvt-full", {"range": "cell"})}
MANY = {"rsvt-200": ("rsvt", {"trees": 200})}  # with constant leaves alone: is it the number of trees that the error is of?
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
    cases += [(kind, d, "rsvt-200", "constant", "sqrt") for kind in kinds for d in (2, 20)]
    cases += [(kind, d, "rsvt-full", "SVM without class weights", "sqrt") for kind in kinds for d in (2, 20)]
    cases += [(kind, 2, "rsvt-full", leaf, rule) for kind in kinds for leaf in PLAIN for rule in ("constant", "share")]
    return [task(*case, n) for n in sizes for case in cases]


def task(kind, d, cut, leaf, rule, n):
    method, more = {**CUTS, **MANY}[cut]
    settings = {**more, **LEAVES[leaf], **RULES[rule](n)}
    smaller = SIZES[SIZES.index(n) - 1] if n in SIZES[1:] else None
    count = forests(cut, leaf, n)
    return Task(
        f"consistency/{kind}-{d}",
        f"{cut}/{leaf}/{rule}/{n}",
        "lab_consistency.run",
        # Cuts do not depend on what the leaves hold: the cells are those of constant leaves.
        {"kind": kind, "n": n, "d": d, "forests": count, "shapes": has_cells(cut, leaf), "method": method, "settings": settings},
        weight=count * (0.03 + n / 100_000),
        limit=180,
        after=smaller and f"{cut}/{leaf}/{rule}/{smaller}",
        same={"forests": count},
    )


def has_cells(cut, leaf):
    return cut in CUTS and leaf == "constant"


def forests(cut, leaf, n):
    """How many are measured: trees of `rsvt` are small and differ much, those of large n take long."""
    if cut == "rsvt":
        return 20 if leaf == "constant" or n <= 64_000 else 5
    if cut in MANY:
        return 5 if n <= 64_000 else 3
    return max(1, min(10, 64_000 // n))


def at(store, kind, d, cut, leaf, rule, n):
    """The result, or None."""
    kept = store.get(f"consistency/{kind}-{d}", f"{cut}/{leaf}/{rule}/{n}")
    return kept if kept and "forests" in kept else None


def curve(store, kind, d, cut, leaf, rule, what, sure=False):
    """[(n, value), ...] of what is kept; sure: only where the excess is more than two standard errors."""
    found = []
    for n in SIZES:
        kept = at(store, kind, d, cut, leaf if what == "excess" else "constant", rule, n)
        if kept and (not sure or kept["excess"] > 2 * kept["noise"]):
            found.append((n, kept[what]))
    return found


def rate(points):
    """Slope of log value over log n by least squares; None for fewer than three."""
    if len(points) < 3:
        return None
    logs = [(math.log(n), math.log(value)) for n, value in points]
    x, y = tables.mean([a for a, _ in logs]), tables.mean([b for _, b in logs])
    return sum((a - x) * (b - y) for a, b in logs) / sum((a - x) ** 2 for a, _ in logs)


def said(slope):
    return "-" if slope is None else f"{slope:+.2f}"


def cut_name(cut):
    return f"`{cut}`" if cut != "cell" else "cell side"


def cases(leaves, rules=("sqrt",), cuts=tuple(CUTS)):
    return [(kind, d, cut, leaf, rule) for kind in KINDS for d in (2, 20) for cut in cuts for leaf in leaves for rule in rules]


def rate_table(store):
    titles = "excess ~ n^rate", "d", "cuts", "leaves", "l", "n = 250", "largest n", "there", "two errors there", "rate", "points"
    table = tables.Table(*titles)
    for case in cases(LEAVES, RULES, [*CUTS, *MANY]):
        points, sure = curve(store, *case, "excess"), curve(store, *case, "excess", sure=True)
        if len(points) > 1:
            kind, d, cut, leaf, rule = case
            last = at(store, *case, points[-1][0])
            ends = f"{points[0][1]:.4f}", points[-1][0], f"{last['excess']:.4f}", f"{2 * last['noise']:.4f}"
            table.row(kind, d, cut_name(cut), leaf, RULE_NAMES[rule], *ends, said(rate(sure)), len(sure))
    return table


def cell_table(store):
    """The cells at the least n and at the greatest."""
    titles = "cells", "d", "cuts", "l", "n", "leaves of a tree", "depth", "rows", "diameter", "rate of diameter"
    table = tables.Table(*titles)
    for case in cases(["constant"], RULES):
        kind, d, cut, leaf, rule = case
        sizes = [n for n in SIZES if at(store, *case, n)]
        if len(sizes) < 2:
            continue
        first, last = (at(store, *case, n) for n in (sizes[0], sizes[-1]))
        shown = [f"{first[w]:.{k}f} to {last[w]:.{k}f}" for w, k in (("leaves", 1), ("depth", 1), ("rows", 0), ("diameter", 3))]
        span = f"{sizes[0]} to {sizes[-1]}"
        table.row(kind, d, cut_name(cut), RULE_NAMES[rule], span, *shown, said(rate(curve(store, *case, "diameter"))))
    return table


def rule_table(store):
    """The excess at the greatest n under the three rules."""
    table = tables.Table("excess, d = 2", "leaves", "n", *RULE_NAMES.values())
    for kind in KINDS:
        for leaf in PLAIN:
            of = {rule: curve(store, kind, 2, "rsvt-full", leaf, rule, "excess") for rule in RULES}
            common = set.intersection(*({n for n, _ in points} for points in of.values()))
            if common:
                table.row(kind, leaf, max(common), *(f"{dict(points)[max(common)]:.4f}" for points in of.values()))
    return table


def count_table(store):
    """How many forests are behind a figure."""
    table = tables.Table("forests", *(f"n = {n}" for n in SIZES))
    for name, chosen in (
        ("`rsvt`, constant leaves", cases(["constant"], cuts=["rsvt"])),
        ("`rsvt`, SVM", cases(["SVM"], cuts=["rsvt"])),
        ("`rsvt-200`", cases(["constant"], cuts=MANY)),
        ("`rsvt-full`, cell side", cases(LEAVES, RULES, ["rsvt-full", "cell"])),
    ):
        counts = [sorted({kept["forests"] for case in chosen if (kept := at(store, *case, n))}) for n in SIZES]
        table.row(name, *(" or ".join(map(str, of)) or "-" for of in counts))
    return table


NAMES = {
    "excess": "excess error (share of new rows)",
    "diameter": "diameter (share of the box's)",
    "rows": "training rows in the cell",
    "depth": "depth (cuts above the cell)",
}


def chart(store, title, what, lines, more=()):
    """A chart of some cases; an excess within its own noise has no place on a logarithmic axis."""
    lines = {name: curve(store, *case, what, sure=what == "excess") for name, case in lines.items()}
    lines.update(more)
    if not any(lines.values()):
        return None
    log_y = what != "depth"  # which grows as the logarithm of n
    return figures.Chart(title, "n (training rows)", NAMES[what], lines, log_x=True, log_y=log_y, dashed=dict(more))


def error_charts(store, name, lines, variants=((2, None), (20, None))):
    """A panel for each of the variants (d, leaf) and each distribution."""
    return [chart(store, name(kind, d, leaf), "excess", lines(kind, d, leaf)) for d, leaf in variants for kind in KINDS]


def shape_charts(store):
    charts = []
    for d in (2, 20):
        of = {cut: ("twonorm", d, cut, "constant", "sqrt") for cut in CUTS}
        bounds = {
            "bound, cell": curve(store, *of["cell"], "bound"),
            "side, cell": curve(store, *of["cell"], "side"),
            "bound, rsvt-full": curve(store, *of["rsvt-full"], "bound"),
        }
        for what in ("diameter", "rows", "depth"):
            charts.append(chart(store, f"twonorm, d = {d}", what, of, bounds if what == "diameter" else {}))
    return charts


def pictures(store, pages):
    plain = lambda kind, d, leaf: f"{kind}, d = {d}"
    errors = error_charts(
        store,
        plain,
        lambda kind, d, _: {f"{cut}, {leaf}": (kind, d, cut, leaf, "sqrt") for cut in [*CUTS, *MANY] for leaf in PLAIN},
    )
    rules = error_charts(
        store,
        lambda kind, d, leaf: f"{kind}, d = {d}, {leaf} leaves",
        lambda kind, d, leaf: {name: (kind, d, "rsvt-full", leaf, rule) for rule, name in RULE_NAMES.items()},
        [(2, leaf) for leaf in PLAIN],
    )
    weights = error_charts(
        store, plain, lambda kind, d, _: {leaf: (kind, d, "rsvt-full", leaf, "sqrt") for leaf in LEAVES}
    )
    return {
        name: pages.picture(f"consistency-{name}", charts, text, 3)
        for name, charts, text in (
            ("errors", errors, "Excess error over the Bayes risk against n"),
            ("rules", rules, "Excess error under three rules for the least rows of a leaf"),
            ("weights", weights, "Excess error of rsvt-full with and without class weights in its leaves"),
            ("cells", shape_charts(store), "Diameter, rows and depth of cells against n, on twonorm"),
        )
    }


def span(store, d, what, digits):
    """'2.2-2.9 at n = 250 and 8.0-17.3 at n = 64000': of `rsvt`, least and greatest of the three distributions."""
    curves = [dict(curve(store, kind, d, "rsvt", "constant", "sqrt", what)) for kind in KINDS]
    sizes = [n for n in SIZES if any(n in of for of in curves)]
    ends = [(n, sorted(of[n] for of in curves if n in of)) for n in (sizes[:1] + sizes[-1:])]
    return " and ".join(f"{of[0]:.{digits}f}-{of[-1]:.{digits}f} at n = {n}" for n, of in ends)


def page(store, pages):
    spans = (("leaves", 1), ("depth", 1), ("diameter", 3))
    return dict(
        **{f"{what}{d}": span(store, d, what, digits) for what, digits in spans for d in (2, 20)},
        table=pages.table("consistency", rate_table(store)),
        shapes=pages.table("consistency-cells", cell_table(store)),
        ruled=rule_table(store).markdown(),
        counts=count_table(store).markdown(),
        source=pages.source("consistency/"),
        **pictures(store, pages),
    )
