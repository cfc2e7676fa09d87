"""The tables and the page that arena.py makes of its results."""
import collections
import pathlib
import string

import arena_peers
import tables  # of papers/
from tables_page import DIGITS, column, key, spread

__all__ = ["key", "gather", "mixed", "all_ranks", "lead", "parts", "page"]
TEXT = pathlib.Path(__file__).parent / "arena.md.in"
JUDGED = {"accuracy": ("class", "score", 1), "log-loss": ("class", "log_loss", -1), "R2": ("regress", "score", 1)}


def gather(store, sets, methods):
    """{set: {method: [result of each split]}} of the methods that all splits were measured of."""
    found = {}
    for one in sets:
        kept = {method: [store.get(f"arena/{one.name}", f"{method}/{state}") for state in range(one.splits)]
                for method in methods}
        found[one] = {method: results for method, results in kept.items()
                      if all(result and "score" in result for result in results)}
    return found


def mixed(found):
    return {one: of for one, of in found.items() if one.name.startswith("mixed/")}


def able(found, methods, task):
    """The methods that were measured on some table of the task, and the tables that all of these were measured on."""
    those = {one: of for one, of in found.items() if one.task == task}
    some = [method for method in methods if any(method in of for of in those.values())]
    return some, {one: of for one, of in those.items() if all(method in of for method in some)}


def rank_lists(found, methods, task, what, sign):
    """{method: [mean rank over the splits, of each table]}"""
    some, those = able(found, methods, task)
    lists = collections.defaultdict(list)
    for of in those.values():
        by_split = zip(*([sign * score for score in column(of[method], what)] for method in some))
        ranks = [tables.ranks(scores) for scores in by_split]
        for number, method in enumerate(some):
            lists[method].append(tables.mean([split[number] for split in ranks]))
    return lists


def all_ranks(found, methods):
    return {title: rank_lists(found, methods, *of) for title, of in JUDGED.items()}


def lead(lists, rivals):
    """By how many mean ranks auto is ahead of the best of the rivals, and its name."""
    if not lists.get("auto") or not rivals:
        return float("nan"), "nothing to compare"
    best = min(rivals, key=lambda method: tables.mean(lists[method]))
    return tables.mean(lists[best]) - tables.mean(lists["auto"]), best


def shown(method):
    return method if method in arena_peers.ALL else f"`{method}`"


def rank_table(found, methods):
    ranks = all_ranks(found, methods)
    counts = {title: len(next(iter(lists.values()), [])) for title, lists in ranks.items()}
    table = tables.Table("mean rank (standard error over the tables)", *(f"{title}, {counts[title]} tables" for title in ranks),
                         "training, s", "1,000 rows answered, s")
    for method in methods:
        results = [(one, result) for one, of in found.items() for result in of.get(method, [])]
        seconds = [result["seconds"] for _, result in results if "seconds" in result]
        table.row(shown(method), *(spread(lists.get(method)) for lists in ranks.values()),
                  tables.significant(tables.geometric(seconds)) if seconds else "-", per_thousand(results))
    return table.markdown()


def per_thousand(results):
    times = [1000 * result["answering"] / result["tested"] for _, result in results if "answering" in result]
    return tables.significant(tables.geometric(times)) if times else "-"


def score_table(found, methods, title):
    task, what, _ = JUDGED[title]
    some, _ = able(found, methods, task)
    table = tables.Table(title, "rows", *map(shown, some))
    digits = DIGITS[task] if what == "score" else 3
    for one, of in found.items():
        if one.task == task:
            table.row(one.name.removeprefix("mixed/"), one.rows,
                      *(f"{tables.mean(column(of[m], what)):.{digits}f}" if m in of else "-" for m in some))
    return table.markdown()


def parts(found, methods):
    return {"ranks": rank_table(found, methods), "mixed": rank_table(mixed(found), methods),
            "accuracy": score_table(found, methods, "accuracy"), "loss": score_table(found, methods, "log-loss"),
            "r2": score_table(found, methods, "R2")}


def measured(store, found):
    """A sentence for each run that results come from."""
    runs = []
    for one in found:
        runs += [run for run in store.runs(f"arena/{one.name}") if run not in runs]
    return "; ".join(", ".join(run.values()) for run in sorted(runs, key=lambda run: run["date"]))


def page(store, found, methods):
    releases = sorted({result["version"] for of in found.values() for m, results in of.items() if m in arena_peers.NAMES
                       for result in results})
    return string.Template(TEXT.read_text(encoding="utf-8")).substitute(
        parts(found, methods), tables=len(found), releases=", ".join(releases), measured=measured(store, found))
