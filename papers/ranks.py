"""The mean-rank table: every method of the library and its peers on every classification set, on the same splits."""

import collections

import data
import methods
import tables
from tasks import Task

ROWS, SPLITS, LIMIT = 1000, 3, 120
FEWER = {"rcf": 20, "rf-svm": 20, "rsvf": 20}  # trees of the costly ones, instead of 100
QUICK_SETS = ["iris", "wine", "vehicle"]
# Expected seconds a split, where it is far from a tenth of one.
WEIGHTS = {"rcf": 4, "rsvf": 1, "ls-svm": 1, "tbrf-g": 2, "sklearn HGB": 4, "LightGBM": 2}


def tasks(options):
    """Split by split, so that the table is whole, if coarse, after the first."""
    names = QUICK_SETS if options.quick else options.sets.split(",") if options.sets else data.CLASSES
    rows = 300 if options.quick else options.rows or ROWS
    splits = 2 if options.quick else options.splits or SPLITS
    contenders = [*methods.ours("class"), *methods.PEERS]
    return [
        task(name, method, state, rows, options) for state in range(splits) for name in names for method in contenders
    ]


def task(name, method, state, rows, options):
    import lab

    count = len(lab.whole(name)[0]) if data.there(name) else rows
    args = {"name": name, "method": method, "state": state, "rows": rows}
    same = {"rows": min(rows, count)}
    if method in FEWER:
        same["trees"] = options.trees or FEWER[method]
        args["settings"] = {"trees": same["trees"]}
    return Task(
        f"ranks/{name}",
        f"{method}/{state}",
        "lab.contest",
        args,
        sets=(name,),
        same=same,
        weight=WEIGHTS.get(method, 0.2),
        module=methods.package(method),
        limit=options.limit or LIMIT,
        after=f"{method}/0" if state else None,
    )


Line = collections.namedtuple("Line", "method rank accuracy best measured train predict")


def gather(store):
    """{set: {method: [result of split 0, 1, ...]}} of the splits that all measured methods of the set have."""
    found = {}
    for file in store.names("ranks/"):
        by_method = collections.defaultdict(dict)
        for key, result in store.all(file).items():
            method, state = key.rsplit("/", 1)
            if "over" not in result:
                by_method[method][int(state)] = result
        common = set.intersection(*(set(states) for states in by_method.values())) if by_method else set()
        of = {method: [states[s] for s in sorted(common)] for method, states in by_method.items()}
        if common:
            found[file.split("/", 1)[1]] = of
    return found


def accuracy(results):
    return tables.mean([result["accuracy"] for result in results])


def lines(found):
    """The table's lines, best rank first, and the sets it is over: those on which every method was measured."""
    everyone = sorted({method for of in found.values() for method in of})
    common = [name for name in sorted(found) if all(method in found[name] for method in everyone)]
    ranks = collections.defaultdict(list)
    for name in common:
        scores = [round(accuracy(found[name][method]), 9) for method in everyone]
        for method, rank in zip(everyone, tables.ranks(scores)):
            ranks[method].append(rank)
    made = [line(method, found, common, ranks[method]) for method in everyone] if common else []
    return sorted(made, key=lambda one: (one.rank, one.method)), common


def line(method, found, common, ranks):
    runs = [found[name][method] for name in common]
    train = tables.geometric([tables.mean([r["train"] for r in results]) for results in runs])
    predict = tables.geometric([tables.mean([1000 * r["predict"] / r["tested"] for r in results]) for results in runs])
    best = sum(rank == 1 for rank in ranks)
    return Line(
        method,
        tables.mean(ranks),
        tables.mean([accuracy(results) for results in runs]),
        best,
        sum(method in of for of in found.values()),
        train,
        predict,
    )


def summary(store):
    """The table that docs/methods.md has, too."""
    made, common = lines(gather(store))
    table = tables.Table("method", "mean rank", "mean accuracy, %", "first on", "training, s", "1000 rows, ms")
    for one in made:
        table.row(
            shown(store, one.method),
            f"{one.rank:.1f}",
            f"{one.accuracy:.1f}",
            one.best,
            tables.significant(one.train),
            tables.significant(1000 * one.predict),
        )
    return table, common


def shown(store, method):
    """Its name, and the number of trees where that is not its own."""
    trees = {result["trees"] for of in gather(store).values() for result in of.get(method, []) if "trees" in result}
    name = method if method in methods.PEERS else f"`{method}`"
    return f"{name}, {' or '.join(map(str, sorted(trees)))} trees" if trees else name


def conditions(store):
    """A sentence that says what was measured, from the results themselves."""
    found = gather(store)
    made, common = lines(found)
    if not made:
        return "Nothing is measured yet."
    splits = [len(next(iter(of.values()))) for name, of in found.items() if name in common]
    most = max(result["rows"] for of in found.values() for results in of.values() for result in results)
    few, many = min(splits), max(splits)
    return (
        f"{len(made)} methods on {len(common)} sets, {few if few == many else f'{few} to {many}'} "
        f"split{'s' if many > 1 else ''} of each with a third for testing, of larger sets {most} rows drawn once"
    )


def details(store):
    """Accuracy of every method on every set."""
    found = gather(store)
    made, _ = lines(found)
    order = [one.method for one in made] or sorted({method for of in found.values() for method in of})
    table = tables.Table("accuracy, % (deviation)", "rows", "splits", *order)
    for name, of in found.items():
        first = next(iter(of.values()))
        cells = [tables.figure([r["accuracy"] for r in of[m]]) if m in of else over(store, name, m) for m in order]
        table.row(name, first[0]["rows"], len(first), *cells)
    return table


def over(store, name, method):
    kept = store.get(f"ranks/{name}", f"{method}/0")
    return f"over {kept['over']} s" if kept else "-"


def page(store, pages):
    table, common = summary(store)
    found = gather(store)
    left, missing = sorted(set(found) - set(common)), [name for name in data.CLASSES if name not in found]
    notes = (
        [f"Not in the means, since some method is over its limit of time or not measured yet there: {', '.join(left)}."]
        if left
        else []
    )
    notes += [f"Not measured: {', '.join(missing)}."] if missing else []
    full = details(store)
    pages.table("ranks-sets", full)
    return dict(
        conditions=conditions(store),
        table=pages.table("ranks", table),
        notes=" ".join(notes),
        sets=transposed(full).markdown(),
        source=pages.source("ranks/"),
    )


def transposed(table):
    """Methods down and sets across, without deviations, which the CSV has."""
    turned = tables.Table("accuracy, %", *(row[0] for row in table.rows))
    for number, title in enumerate(table.titles[1:], 1):
        turned.row(title, *(row[number].split(" (")[0] for row in table.rows))
    return turned
