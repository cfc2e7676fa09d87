"""The tables and the page that tables.py makes of its results."""
import collections
import pathlib
import string

import tables  # of papers/
from tables_peers import ALL, PEERS

TEXT = pathlib.Path(__file__).parent / "tables.md.in"
DIGITS = {"class": 1, "regress": 3}


def key(method, settings):
    return " ".join([method, *(f"{name}={value}" for name, value in settings.items())])


def gather(store, sets, methods, splits):
    """{set: {method: [result of each split]}} of the methods that all splits were measured of."""
    found = {}
    for one in sets:
        kept = {method: [store.get(f"tables/{one.name}", f"{method}/{state}") for state in range(splits)]
                for method in methods}
        found[one] = {method: results for method, results in kept.items()
                      if all(result and "score" in result for result in results)}
    return found


def column(results, what):
    return [result[what] for result in results]


def gap(of):
    """rf less scikit-learn's forest over the splits: mean and its standard error."""
    ours, theirs = column(of["rf"], "score"), column(of["sklearn RF"], "score")
    differences = [a - b for a, b in zip(ours, theirs)]
    return tables.mean(differences), tables.deviation(differences) / len(differences) ** 0.5


def compared(found):
    return {one: of for one, of in found.items() if "rf" in of and "sklearn RF" in of}


def level(found):
    """{set: is rf at or above scikit-learn's forest, within one standard error?}"""
    return {one: gap(of)[0] + gap(of)[1] >= 0 for one, of in compared(found).items()}


def speed(found, rows):
    """{set of more rows than these: how many times as fast rf is trained}"""
    return {one: tables.mean(column(of["sklearn RF"], "seconds")) / tables.mean(column(of["rf"], "seconds"))
            for one, of in compared(found).items() if one.rows > rows}


def shown(method):
    return method if method in ALL else f"`{method}`"


def score_table(found, methods, task):
    title = "accuracy, %" if task == "class" else "R2"
    table = tables.Table(f"{title} (deviation)", "rows", *map(shown, methods))
    for one, of in found.items():
        if one.task == task:
            table.row(one.name, one.rows, *(tables.figure(column(of[m], "score"), DIGITS[task]) if m in of else "-"
                                            for m in methods))
    return table.markdown()


def loss_table(found, methods):
    table = tables.Table("log-loss", *map(shown, methods))
    for one, of in found.items():
        if one.task == "class":
            table.row(one.name, *(f"{tables.mean(column(of[m], 'log_loss')):.3f}" if m in of else "-" for m in methods))
    return table.markdown()


def rank_lists(found, methods, task, what, sign):
    """{method: [mean rank over the splits, of each table of the task]}, of the methods that were measured on all of them"""
    those = [of for one, of in found.items() if one.task == task]
    there = [method for method in methods if those and all(method in of for of in those)]
    lists = collections.defaultdict(list)
    for of in those:
        by_split = zip(*([sign * score for score in column(of[method], what)] for method in there))
        ranks = [tables.ranks(scores) for scores in by_split]
        for number, method in enumerate(there):
            lists[method].append(tables.mean([split[number] for split in ranks]))
    return lists


def spread(values):
    if not values:
        return "-"
    return f"{tables.mean(values):.2f} ({(tables.deviation(values) or 0) / len(values) ** 0.5:.2f})"


def rank_table(found, methods):
    lists = [rank_lists(found, methods, *of) for of in (("class", "score", 1), ("class", "log_loss", -1), ("regress", "score", 1))]
    table = tables.Table("mean rank (standard error over the tables)", "accuracy", "log-loss", "R2", "training, s")
    for method in methods:
        times = [tables.mean(column(of[method], "seconds")) for of in found.values() if method in of]
        table.row(shown(method), *(spread(one[method]) for one in lists),
                  tables.significant(tables.geometric(times)) if times else "-")
    return table.markdown()


def time_table(found, methods):
    table = tables.Table("training, s", "rows", *map(shown, methods))
    for one, of in found.items():
        table.row(one.name, one.rows, *(tables.significant(tables.mean(column(of[m], "seconds"))) if m in of else "-"
                                        for m in methods))
    return table.markdown()


def forest_table(found):
    """rf beside scikit-learn's forest, a line for each table."""
    table = tables.Table("`rf` less sklearn RF (standard error)", "rows", "score", "level", "times as fast")
    fast = speed(found, 0)
    for one, of in compared(found).items():
        mean, error = gap(of)
        digits = DIGITS[one.task] + 1
        table.row(one.name, one.rows, f"{mean:+.{digits}f} ({error:.{digits}f})", "yes" if level(found)[one] else "no",
                  f"{fast[one]:.1f}")
    return table.markdown()


def parts(found, methods):
    made = {"ranks": rank_table(found, methods), "accuracy": score_table(found, methods, "class"),
            "r2": score_table(found, methods, "regress"), "loss": loss_table(found, methods),
            "times": time_table(found, methods)}
    return {**made, "forests": forest_table(found)} if compared(found) else made


def measured(store, found):
    """A sentence for each run that results come from."""
    runs = []
    for one in found:
        runs += [run for run in store.runs(f"tables/{one.name}") if run not in runs]
    return "; ".join(", ".join(run.values()) for run in sorted(runs, key=lambda run: run["date"]))


def verdict(found):
    """What the comparison of the two forests says, in sentences."""
    even, fast = level(found), speed(found, 1000)
    behind = [one.name for one, fine in even.items() if not fine]
    said = (f"`rf` is at or above scikit-learn's forest, within one standard error, on {sum(even.values())} of {len(even)} tables"
            + (f"; it is behind on {', '.join(behind)}." if behind else "."))
    slow = [one.name for one, times in fast.items() if times < 2]
    return (f"{said} On the {len(fast)} tables of more than 1,000 rows it is trained {min(fast.values()):.1f} to "
            f"{max(fast.values()):.1f} times as fast" + (f", less than twice on {', '.join(slow)}." if slow else "."))


def page(store, found, methods):
    releases = sorted({result["version"] for of in found.values() for m, results in of.items() if m in PEERS
                       for result in results})
    return string.Template(TEXT.read_text(encoding="utf-8")).substitute(
        parts(found, methods), tables=len(found), verdict=verdict(found), releases=", ".join(releases),
        measured=measured(store, found))
