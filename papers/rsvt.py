"""RSVT (Buekers 2020): tables 5.1 and 5.2, figures 5.1 to 5.3, 2.1 and 3.2 of the thesis."""

import figures
import tables
from tasks import Task

THESIS_SPLIT = 754046  # random_state of the thesis's splits and forests

# Accuracy in %, Table 5.2 (RF, ET, RSVT), and the variance of Table 5.1.
PRINTED = {
    "wine": (96.67, 95.00, 95.00, 2.37e-06),
    "breast_cancer_wdbc": (95.26, 95.79, 96.84, 2.77e-06),
    "urban_land_cover": (81.07, 82.45, 73.96, 0.44e-02),
    "vehicle": (72.34, 71.99, 74.11, 3.61e-05),
    "contraceptive": (51.32, 50.10, 52.34, 5.53e-05),
    "segment": (96.88, 97.01, 92.08, 3.81e-05),
    "madelon": (70.33, 67.33, 58.00, 9.57e-06),
    "spambase": (95.70, 95.76, 93.94, 2.15e-08),
    "digits_sklearn": (96.66, 98.50, 96.66, 6.93e-05),
    "isolet_part": (94.23, 95.13, 95.83, 4.42e-05),
}
OWN_SPLIT = {"urban_land_cover", "madelon", "isolet_part"}
METHODS = {"sklearn RF": 0, "sklearn ET": 1, "rsvt": 2, "rsvt-full": 2}
SPLITS, LIMIT, FACTORS = 10, 200, [1 / 3 + i * (3 - 1 / 3) / 9 for i in range(10)]
CURVES = ["wine", "vehicle", "contraceptive", "segment"]
COUNTS = [*range(1, 11), *range(20, 101, 10)]
# Figures 5.2 and 5.3: name, trees, features, classes, largest n; and what the text of the thesis says of them.
TIMES = {
    "1 tree": (1, 20, 2, 100_000),
    "5 trees": (5, 20, 2, 100_000),
    "10 trees": (10, 20, 2, 100_000),
    "d = 100": (1, 100, 2, 100_000),
    "d = 200": (1, 200, 2, 100_000),
    "d = 500": (1, 500, 2, 50_000),
    "4 classes": (1, 8, 4, 100_000),
    "10 classes": (1, 20, 10, 100_000),
    "24 classes": (1, 48, 24, 100_000),
}
SAID = {"10 trees": (80_000, 20), "d = 500": (100_000, 70), "24 classes": (90_000, 200)}
SIZES, PEER_MOST = [10_000, 20_000, 50_000, 100_000], 20_000

FEWER_ROWS = (
    "the training part here is one of the thesis's four groups of speakers, 1,560 of 6,238 rows; the figures cannot be "
    "compared."
)
EXPLAINED = {f"isolet_part, {who}": FEWER_ROWS for who in ("`rsvt`", "sklearn RF", "sklearn ET")}


def tasks(options):
    sets = ["wine", "urban_land_cover"] if options.quick else list(PRINTED)
    splits = 2 if options.quick else options.splits or SPLITS
    made = [
        table52(name, method, state, options.limit or LIMIT)
        for name in sets
        for method in METHODS
        for state in [*range(splits if name not in ("madelon", "isolet_part") else min(3, splits)), THESIS_SPLIT]
    ]
    made += [
        Task(
            f"rsvt/factor-{name}",
            f"{p:.3f}",
            "lab_rsvt.folds",
            {"name": folded(name), "p": p},
            sets=(folded(name),),
            weight={"madelon": 9, "isolet_part": 30}.get(name, 0.8),
            after=None if p == FACTORS[0] else f"{FACTORS[0]:.3f}",
            limit=options.limit or LIMIT,
        )
        for name in sets
        for p in FACTORS[: 2 if options.quick else None]
    ]
    made += [
        Task("rsvt/trees", name, "lab_rsvt.curve", {"name": name, "counts": COUNTS}, sets=(name,), weight=3)
        for name in CURVES[: 1 if options.quick else None]
    ]
    sizes = [2000, 4000] if options.quick else SIZES
    made += [
        timing(who, name, n)
        for name in TIMES
        for n in sizes
        for who, most in (("rsvt", TIMES[name][3]), ("sklearn", PEER_MOST))
        if n <= most
    ]
    made += [
        Task(
            "rsvt/plane",
            key,
            "lab.plane",
            {
                "kind": "moons",
                "rows": 200,
                "method": "rsvt-full",
                "side": 100,
                "settings": {"trees": trees, "leaf": leaf, "vote": "majority"},
            },
        )
        for key, trees, leaf in [
            ("constant", 1, "constant"),
            ("machines", 1, "linear-svm"),
            ("forest", 10, "linear-svm"),
        ]
    ]
    return sorted(made, key=lambda task: task.weight)  # the costly ones last


def folded(name):
    """What is cross-validated: the training part where there is one."""
    return f"{name}.train" if name in OWN_SPLIT else name


def table52(name, method, state, limit):
    do, what = ("lab.fixed", "seed") if name in OWN_SPLIT else ("lab.contest", "state")
    return Task(
        f"rsvt/accuracy-{name}",
        f"{method}/{state}",
        do,
        {"name": name, "method": method, what: state},
        sets=(name, f"{name}.train") if name in OWN_SPLIT else (name,),
        after=f"{method}/0" if state else None,
        limit=limit,
        weight={"madelon": 5, "isolet_part": 40}.get(name, 0.7),
    )


def timing(who, name, n):
    trees, d, classes, _ = TIMES[name]
    return Task(
        "rsvt/time",
        f"{name}/{n}/{who}",
        "lab_rsvt.seconds",
        {"who": who, "n": n, "d": d, "classes": classes, "trees": trees},
        weight=n / 20_000 if who == "rsvt" else n / 2000,
        limit=60,
        after=(
            None
            if n == SIZES[0] or who == "rsvt"
            else f"{name}/{SIZES[SIZES.index(n) - 1]}/{who}" if n in SIZES else None
        ),
    )


def accuracies(store, name, method):
    """Those of the drawn splits, and the one of the thesis's split."""
    kept = {
        key: result["accuracy"]
        for key, result in store.all(f"rsvt/accuracy-{name}").items()
        if key.rsplit("/", 1)[0] == method and "over" not in result
    }
    thesis = kept.pop(f"{method}/{THESIS_SPLIT}", None)
    return list(kept.values()), thesis


def accuracy_table(store):
    table = tables.Table(
        "accuracy, %",
        "splits",
        *(
            f"{title}{more}"
            for title in ("`rsvt`", "sklearn RF", "sklearn ET")
            for more in ("", ", thesis's split", ", printed", ", deviations")
        ),
        "`rsvt-full`",
    )
    far, why = {}, dict(EXPLAINED)
    for name, printed in PRINTED.items():
        cells = []
        for method in ("rsvt", "sklearn RF", "sklearn ET"):
            values, thesis = accuracies(store, name, method)
            wanted = printed[METHODS[method]]
            off = tables.apart(values, wanted) if len(values) > 1 else None
            line = f"{name}, {f'`{method}`' if method == 'rsvt' else method}"
            far[line] = off
            if thesis and values and abs(thesis - wanted) <= 2 * (tables.deviation(values) or 0):
                why.setdefault(line, f"it is the split: on the thesis's own, ours is {thesis:.2f}.")
            cells += [
                tables.figure(values),
                f"{thesis:.2f}" if thesis else "-",
                f"{wanted:.2f}",
                tables.shown_apart(off),
            ]
        full, _ = accuracies(store, name, "rsvt-full")
        table.row(name, len(accuracies(store, name, "sklearn RF")[0]), *cells, tables.figure(full))
    return table, far, why


def same_digits(store):
    """How many printed figures come out on the thesis's own split, to the digit."""
    pairs = {method: [] for method in ("sklearn RF", "sklearn ET", "rsvt")}
    for name, printed in PRINTED.items():
        for method, found in pairs.items():
            ours = accuracies(store, name, method)[1]
            if ours is not None:
                found.append(abs(ours - printed[METHODS[method]]) < 0.00501)
    said = [f"{sum(found)} of {len(found)} of {method}" for method, found in pairs.items()]
    return f"On it these printed figures come out to the digit: {', '.join(said)}."


def variance_table(store):
    table = tables.Table("data set", "mean accuracy, %", "variance over ten p", "printed", "least and most, %")
    for name, printed in PRINTED.items():
        values = [r["accuracy"] for r in store.all(f"rsvt/factor-{name}").values() if "over" not in r]
        if len(values) < 2:
            kept = store.get(f"rsvt/factor-{name}", f"{FACTORS[0]:.3f}")
            why = f"over {kept['over']} s" if kept and "over" in kept else "not measured"
            table.row(name, why, "-", f"{printed[3]:.2e}", "-")
            continue
        variance = tables.deviation([value / 100 for value in values]) ** 2
        table.row(
            name,
            f"{tables.mean(values):.1f}",
            f"{variance:.2e}",
            f"{printed[3]:.2e}",
            f"{min(values):.1f} to {max(values):.1f}",
        )
    return table


def time_charts(store):
    kept = {tuple(key.split("/")): r["seconds"] for key, r in store.all("rsvt/time").items() if "over" not in r}
    charts = []
    for title, names in (
        ("Trees, d = 20", ["1 tree", "5 trees", "10 trees"]),
        ("Features, one tree", ["d = 100", "d = 200", "d = 500"]),
        ("Classes, one tree", ["4 classes", "10 classes", "24 classes"]),
    ):
        lines = {}
        for who, label in (("rsvt", "svforest"), ("sklearn", "on scikit-learn")):
            for name in names:
                lines[f"{label}, {name}"] = sorted(
                    (int(n), s) for (k, n, w), s in kept.items() if k == name and w == who
                )
        lines.update({f"thesis, {name}": [SAID[name]] for name in names if name in SAID})
        if any(lines.values()):
            charts.append(
                figures.Chart(
                    title,
                    "n (two thirds are trained on)",
                    "seconds",
                    lines,
                    log_x=True,
                    log_y=True,
                    marks=[name for name in lines if name.startswith("thesis")],
                )
            )
    return charts


def maps(store):
    titles = {
        "constant": "One tree, a class per cell",
        "machines": "One tree, a machine per cell",
        "forest": "Ten trees with machines",
    }
    found = {key: store.get("rsvt/plane", key) for key in titles}
    return [
        figures.Map(titles[key], kept["classes"], kept["leaves"] if key != "forest" else None, kept["points"])
        for key, kept in found.items()
        if kept
    ]


def curves(store):
    return [
        figures.Chart(
            name,
            "trees",
            "cross-validated accuracy, %",
            {"rsvt": [(int(m), a) for m, a in kept["curve"].items()]},
            log_x=True,
            zero=False,
        )
        for name, kept in store.all("rsvt/trees").items()
        if "curve" in kept
    ]


def page(store, pages):
    accuracy, far, why = accuracy_table(store)
    return dict(
        same=same_digits(store),
        accuracy=pages.table("rsvt-table-5.2", accuracy),
        beyond=tables.beyond(far, why),
        variance=pages.table("rsvt-table-5.1", variance_table(store)),
        trees=pages.picture("rsvt-figure-5.1", curves(store), "Cross-validated accuracy against the number of trees"),
        time=pages.picture("rsvt-figure-5.2", time_charts(store), "Training time against rows", 3),
        plane=pages.picture(
            "rsvt-figure-3.2", maps(store), "Partitions of the plane with classes and with machines", 3
        ),
        source=pages.source("rsvt/"),
    )
