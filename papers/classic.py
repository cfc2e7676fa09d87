"""The slides on classic forests: their pictures, and their claims put to the test."""

import figures
import tables
from tasks import Task

# Pictures: title: method, settings, set of points.
ONE = {"features": 1}
PICTURES = {
    "rotation": {
        "RF, 1 tree": ("rf", {"trees": 1, **ONE}, "moons"),
        "RF, 200 trees": ("rf", {"trees": 200, **ONE}, "moons"),
        "rotated, 1 tree": ("random-rotation", {"trees": 1, **ONE}, "moons"),
        "rotated, 200 trees": ("random-rotation", {"trees": 200, **ONE}, "moons"),
    },
    "spirals": {
        "CART": ("rf", {"trees": 1, "rows": "all", "features": "all"}, "spirals"),
        "CCT": ("ccf", {"trees": 1}, "spirals"),
        "RF, 200 trees": ("rf", {"trees": 200}, "spirals"),
        "CCF, 200 trees": ("ccf", {"trees": 200}, "spirals"),
    },
}
COUNTS = [1, 2, 5, 10, 20, 50, 100, 200]
SMOOTH = ["vehicle", "segment", "spirals"]
OBLIQUE = ["rf", "random-rotation", "random-projection", "rotation-forest", "ccf"]
CORRELATED, ANGLES, SPLITS = ["spirals", "vowel", "segment"], [0, 15, 30, 45], 5
BALANCES = {"as they are": {}, "weights": {"class_weight": "balanced"}, "balanced bootstraps": {"rows": "balanced"}}
SHARES = [0.5, 0.2, 0.1, 0.05, 0.02]


def tasks(options):
    made = [
        Task(
            "classic/pictures",
            f"{sheet}/{title}",
            "lab.plane",
            {"kind": kind, "rows": 400, "method": method, "side": 90, "settings": settings},
        )
        for sheet, panels in PICTURES.items()
        for title, (method, settings, kind) in panels.items()
    ]
    made += [
        Task(
            "classic/trees",
            f"{name}/{method}",
            "lab_classic.curve",
            {"name": name, "method": method, "counts": COUNTS[:4] if options.quick else COUNTS},
            sets=() if name == "spirals" else (name,),
            weight=1,
        )
        for name in SMOOTH
        for method in ("rf", "ccf")
    ]
    made += [
        Task(
            "classic/oblique",
            f"{name}/{method}/{state}",
            "lab_classic.oblique",
            {"name": name, "method": method, "state": state},
            sets=() if name == "spirals" else (name,),
            weight=0.5,
        )
        for name in (CORRELATED[:1] if options.quick else CORRELATED)
        for method in OBLIQUE
        for state in range(1 if options.quick else options.splits or SPLITS)
    ]
    made += [
        Task(
            "classic/angle",
            f"{angle}/{method}/{state}",
            "lab_classic.turned",
            {"angle": angle, "method": method, "state": state},
            weight=0.3,
        )
        for angle in (ANGLES[:1] if options.quick else ANGLES)
        for method in OBLIQUE
        for state in range(1 if options.quick else options.splits or SPLITS)
    ]
    return made + [
        Task(
            "classic/uneven",
            f"{share}/{way}/{state}",
            "lab_classic.uneven",
            {"share": share, "settings": BALANCES[way], "state": state},
            weight=0.2,
        )
        for share in SHARES
        for way in BALANCES
        for state in range(1 if options.quick else options.splits or SPLITS)
    ]


def group(store, file, what):
    """{key without its last part: [values]}"""
    found = {}
    for key, result in store.all(file).items():
        if "over" not in result:
            found.setdefault(key.rsplit("/", 1)[0], []).append(result[what])
    return found


def drawn(store, pages, sheet):
    maps = [
        figures.Map(title, kept["classes"], kept["leaves"] if settings["trees"] == 1 else None, kept["points"])
        for title, (_, settings, _) in PICTURES[sheet].items()
        if (kept := store.get("classic/pictures", f"{sheet}/{title}")) and "classes" in kept
    ]
    return pages.picture(f"classic-{sheet}", maps, f"Regions of the plane: {', '.join(PICTURES[sheet])}")


def trees(store, pages):
    charts = []
    for name in SMOOTH:
        kept = {m: store.get("classic/trees", f"{name}/{m}") for m in ("rf", "ccf")}
        for what, word in (("error", "test error"), ("noise", "answers that another seed changes")):
            lines = {m: [(int(c), v) for c, v in r[what].items()] for m, r in kept.items() if r and what in r}
            if lines:
                charts.append(figures.Chart(name, "trees", word, lines, log_x=True))
    return pages.picture("classic-trees", charts, "Error and disagreement of forests against the number of trees")


def oblique_table(store):
    found = group(store, "classic/oblique", "accuracy")
    table = tables.Table("accuracy, % (deviation)", *(f"`{m}`" for m in OBLIQUE))
    for name in CORRELATED:
        table.row(name, *(tables.figure(found.get(f"{name}/{m}", [])) for m in OBLIQUE))
    turned = group(store, "classic/angle", "accuracy")
    for angle in ANGLES:
        table.row(f"line at {angle} degrees", *(tables.figure(turned.get(f"{angle}/{m}", [])) for m in OBLIQUE))
    return table


def uneven_table(store):
    rare, whole = group(store, "classic/uneven", "rare"), group(store, "classic/uneven", "balanced")
    table = tables.Table(
        "share of the rare class",
        *(cell for way in BALANCES for cell in (f"{way}: rare class found, %", "balanced accuracy, %")),
    )
    for share in SHARES:
        table.row(
            share,
            *(
                cell
                for way in BALANCES
                for cell in (
                    tables.figure(rare.get(f"{share}/{way}", [])),
                    tables.figure(whole.get(f"{share}/{way}", [])),
                )
            ),
        )
    return table


def page(store, pages):
    oblique, uneven = oblique_table(store), uneven_table(store)
    splits = len(group(store, "classic/oblique", "accuracy").get("spirals/rf", []))
    return dict(
        rotation=drawn(store, pages, "rotation"),
        spirals=drawn(store, pages, "spirals"),
        trees=trees(store, pages),
        oblique=pages.table("classic-oblique", oblique),
        uneven=pages.table("classic-uneven", uneven),
        splits=f"{splits} splits" if splits else "not measured yet",
        source=pages.source("classic/"),
    )
