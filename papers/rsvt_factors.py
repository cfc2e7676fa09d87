"""RSVT, table 5.1 and figure 5.1: what the factor p and the number of trees do to the accuracy of five folds."""

import math

import data
import figures
import tables
from tasks import Task

# Variance of the accuracy over p, Table 5.1.
PRINTED = {
    "wine": 2.37e-06,
    "breast_cancer_wdbc": 2.77e-06,
    "urban_land_cover": 0.44e-02,
    "vehicle": 3.61e-05,
    "contraceptive": 5.53e-05,
    "segment": 3.81e-05,
    "madelon": 9.57e-06,
    "spambase": 2.15e-08,
    "digits_sklearn": 6.93e-05,
    "isolet_part": 4.42e-05,
}
FACTORS = [1 / 3 + i * (3 - 1 / 3) / 9 for i in range(10)]
ROWS = {"wine": 178, "spambase": 4601}
LIKELY = 4  # 97.5% of Fisher's F(9, 9) are below 4.03: ratios of variances of ten values each
CURVES = ["wine", "vehicle", "contraceptive", "segment"]
COUNTS = [*range(1, 11), *range(20, 101, 10)]


def tasks(sets, quick, limit):
    made = [
        Task(
            f"rsvt/factor-{name}",
            factor_key(p, seed),
            "lab_rsvt.folds",
            {"name": folded(name), "p": p, "seed": seed},
            sets=(folded(name),),
            weight={"madelon": 9, "isolet_part": 60}.get(name, 0.8),
            after=None if p == FACTORS[0] else factor_key(FACTORS[0]),
            limit=limit,
        )
        for name in sets
        for number, p in enumerate(FACTORS[: 2 if quick else None])
        for seed in sorted({0, number})  # the same for every p, and one of its own
    ]
    return made + [
        Task("rsvt/trees", name, "lab_rsvt.curve", {"name": name, "counts": COUNTS}, sets=(name,), weight=3)
        for name in CURVES[: 1 if quick else None]
    ]


def factor_key(p, seed=0):
    return f"{p:.3f}/{seed}" if seed else f"{p:.3f}"


def folded(name):
    """What is cross-validated: the training part where there is one."""
    return f"{name}.train" if name in data.SPLIT else name


def missing(store, file, key):
    """Why there is no figure."""
    kept = store.get(file, key)
    return f"over {kept['over']} s" if kept and "over" in kept else "not measured"


def factors(store, name, own):
    """Accuracies over p in %, those that there are: with a seed of its own for each p, or the same."""
    found = [store.get(f"rsvt/factor-{name}", factor_key(p, i if own else 0)) for i, p in enumerate(FACTORS)]
    return [kept["accuracy"] for kept in found if kept and "over" not in kept]


def variance(values):
    """Of accuracies in %, as shares; None of fewer than two."""
    return (tables.deviation(values) / 100) ** 2 if len(values) > 1 else None


def shown_variance(store, name, values):
    if len(values) < 2:
        return missing(store, f"rsvt/factor-{name}", factor_key(FACTORS[0]))
    of = "" if len(values) == len(FACTORS) else f" ({len(values)} of {len(FACTORS)} p)"
    return f"{variance(values):.2e}{of}"


def variance_table(store):
    table = tables.Table(
        "variance over ten p",
        "a seed for each p",
        "printed",
        "printed / ours",
        "one seed for all",
        "mean accuracy, %",
        "least and most, %",
    )
    for name, printed in PRINTED.items():
        own, same = factors(store, name, True), factors(store, name, False)
        fine = len(own) > 1
        table.row(
            name,
            shown_variance(store, name, own),
            f"{printed:.2e}",
            tables.significant(printed / variance(own)) if fine and variance(own) else "-",
            shown_variance(store, name, same),
            f"{tables.mean(own):.1f}" if fine else "-",
            f"{min(own):.1f} to {max(own):.1f}" if fine else "-",
        )
    return table


def variance_words(store):
    """What the table says, in numbers."""
    found = {name: factors(store, name, True) for name in PRINTED}
    ours = {name: variance(values) for name, values in found.items() if len(values) >= len(FACTORS) - 1 and variance(values)}
    if not ours:
        return "Not measured."
    ratios = {name: PRINTED[name] / found for name, found in ours.items()}
    beyond = [f"{name} ({tables.significant(r)})" for name, r in ratios.items() if not 1 / LIKELY < r < LIKELY]
    largest = max(ours, key=ours.get)
    return (
        f"The largest variance here, of {largest}, is a deviation of {100 * math.sqrt(ours[largest]):.1f} points: p matters "
        f"as little as the thesis says. Variances of ten normal numbers each that are equal in truth come out within a "
        f"factor of {LIKELY} of each other in 95 of 100 cases; so do {len(ratios) - len(beyond)} of these {len(ratios)} printed ones and ours"
        + (f", not {', '.join(beyond)}." if beyond else ".")
    )


def row_words(store):
    """Deviations in rows, where a row is much."""
    said = []
    for name, rows in ROWS.items():
        ours = variance(factors(store, name, True))
        if ours:
            both = [rows * math.sqrt(found) for found in (PRINTED[name], ours)]
            said.append(f"{name}, printed {both[0]:.1f} rows of {rows:,}, ours {both[1]:.1f}")
    isolet = "Isolet here is one of the thesis's four groups of speakers, and not the same set."
    return f"Two of these are deviations of less than a row: {'; '.join(said)}. {isolet}" if said else isolet


def urban_words(store):
    printed = PRINTED["urban_land_cover"]
    following = max(figure for name, figure in PRINTED.items() if name != "urban_land_cover")
    ours = variance(factors(store, "urban_land_cover", True))
    return (
        f"The printed variance of urban land cover is a deviation of {100 * math.sqrt(printed):.1f} points and "
        f"{printed / following:.0f} times the next largest of the thesis"
        + (f"; here its deviation is {100 * math.sqrt(ours):.1f} points" if ours else "")
        + ". A slip in the printed exponent (0.44e-04) would explain it, which cannot be checked."
    )


def curves(store):
    """{set: {trees: accuracy}}"""
    kept = {name: store.get("rsvt/trees", name) for name in CURVES}
    return {
        name: {int(m): a for m, a in found["curve"].items()} for name, found in kept.items() if found and "curve" in found
    }


def curve_charts(store):
    made = []
    for name, curve in curves(store).items():
        spread = tables.deviation(factors(store, name, True))
        made.append(
            figures.Chart(
                f"{name}: deviation of one forest {spread:.1f}" if spread else name,
                "trees",
                "cross-validated accuracy, %",
                {"rsvt": list(curve.items())},
                log_x=True,
                zero=False,
            )
        )
    return made


def curve_table(store):
    table = tables.Table("accuracy, %", "1 tree", "10 trees", "100 trees", "most less least", "deviation of one forest")
    found = curves(store)
    for name in CURVES:
        curve, spread = found.get(name), tables.deviation(factors(store, name, True))
        cells = [f"{curve[m]:.1f}" for m in (1, 10, 100)] if curve else ["not measured"] * 3
        spans = f"{max(curve.values()) - min(curve.values()):.1f}" if curve else "-"
        table.row(name, *cells, spans, f"{spread:.1f}" if spread else "not measured")
    return table
