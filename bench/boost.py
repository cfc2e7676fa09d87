"""boost and boost-l beside LightGBM, XGBoost, HGB and CatBoost at their defaults; speed beside LightGBM at equal settings."""
import datetime
import math
import os
import platform
import sys

if "speed" not in sys.argv:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # before NumPy is loaded: each method has one thread

import common
import tables_lab  # puts papers/ on the path
import boost_lab as lab
import tables_page
import tables_peers
import tables  # of papers/
from store import Store
from tasks import Runner, Task

RESULTS = common.ROOT / "bench" / "results"
OURS, PEERS, LIMIT = ("boost", "boost-l"), ("LightGBM", "XGBoost", "sklearn HGB", "CatBoost"), 3600
WEIGHTS = {"boost": 3, "boost-l": 4, "CatBoost": 20}  # seconds
TREES, GROWTH_TREES, TIMES, EXPONENT = 300, 30, 1.5, 1.1  # of the speed part: trees; most of LightGBM's time; of growth


def planned(program, one, method, settings, version):
    for state in range(lab.splits(one)):
        same = {"version": version}
        args = {"program": program, "method": method, "settings": settings, "one": one, "state": state, "same": same}
        yield Task(f"boost/{one.name.replace('/', '-')}", f"{tables_page.key(method, settings)}/{state}", "boost_lab.measure", args,
                   same=same, weight=WEIGHTS.get(method, 1) * one.rows / 1000, limit=LIMIT)


def plan(program, sets, methods, settings):
    tasks = []
    for method in methods:
        mine = settings if method in OURS else {}
        for task in ("class", "regress"):
            version = tables_lab.version(program, method, mine, task)
            if not version:
                print(f"left out: {method}", file=sys.stderr)
                continue
            tasks += [one for chosen in sets if chosen.task == task
                      for one in planned(program, chosen, method, mine, version)]
    return tasks


def gather(store, sets, methods):
    """{set: {method: [result of each split]}} of the methods that all splits of it were measured of."""
    found = {}
    for one in sets:
        kept = {method: [store.get(f"boost/{one.name.replace('/', '-')}", f"{method}/{state}") for state in range(lab.splits(one))]
                for method in methods}
        of = {method: results for method, results in kept.items() if all(r and "score" in r for r in results)}
        if len(of) == len(methods):
            found[one] = of
    return found


def show(found, methods, task, what, digits):
    table = tables.Table("log-loss" if task == "class" else "R2", "rows", *map(tables_page.shown, methods))
    for one, of in found.items():
        if one.task == task:
            table.row(one.name, one.rows,
                      *(f"{tables.mean(tables_page.column(of[m], what)):.{digits}f}" for m in methods))
    print(table.markdown(), "\n")


def ranks(found, methods, task, what, sign):
    """{method: mean rank over the sets of the task}, printed with their standard errors."""
    lists = tables_page.rank_lists(found, methods, task, what, sign)
    for method in methods:
        print(f"mean rank in {what if task == 'class' else 'R2'}, {method}: {tables_page.spread(lists[method])}")
    return {method: tables.mean(lists[method]) for method in methods if lists[method]}


def judge(found, methods):
    """boost among the five, without boost-l."""
    those, fine = [method for method in methods if method != "boost-l"], True
    for task, what, sign in (("class", "log_loss", -1), ("regress", "score", 1)):
        of = ranks(found, those, task, what, sign)
        if len(of) != 1 + len(PEERS):
            continue
        others = min(of[peer] for peer in PEERS if peer != "CatBoost")
        fine = common.judge(f"boost ranks before LightGBM, XGBoost and HGB ({task})", f"{of['boost']:.2f} to {others:.2f}",
                            of["boost"] < others) and fine
        fine = common.judge(f"boost is at most half a rank behind CatBoost ({task})", f"{of['boost'] - of['CatBoost']:+.2f}",
                            of["boost"] <= of["CatBoost"] + .5) and fine
    return fine


def compare_leaves(found):
    """boost-l less boost in R2, set by set."""
    level = above = count = 0
    for one, of in found.items():
        if one.task != "regress" or not {"boost", "boost-l"} <= set(of):
            continue
        differences = [a - b for a, b in zip(*(tables_page.column(of[m], "score") for m in ("boost-l", "boost")))]
        mean = tables.mean(differences)
        error = (tables.deviation(differences) or 0) / len(differences) ** .5
        print(f"boost-l less boost, R2, {one.name}: {mean:+.4f} ({error:.4f})")
        count, level, above = count + 1, level + (mean + error >= 0), above + (mean > max(2 * error, .002))
    return common.judge("boost-l at or above boost on 8 of 12 sets, clearly above on 4", f"{level} and {above} of {count}",
                        level >= 8 and above >= 4)


def facts(program):
    return {"date": datetime.date.today().isoformat(), "svforest": program.run("--version").strip(),
            "machine": common.processor_name(), "python": platform.python_version()}


def accuracy(options, program):
    program.threads = 1
    sets = [one for one in lab.sets() if one.rows <= options.most and
            (not options.sets or one.name in options.sets.split(","))]
    methods = options.methods.split(",") if options.methods else [*OURS, *PEERS]
    settings = dict(pair.split("=", 1) for pair in options.setting)
    store = Store(RESULTS)
    runner = Runner(store, facts(program), 1, lambda line: print(line, file=sys.stderr))
    failed = 0 if options.render else runner.run(plan(program, sets, methods, settings))
    if failed:
        sys.exit(f"{failed} results failed")
    keys = [tables_page.key(method, settings if method in OURS else {}) for method in methods]
    found = gather(store, sets, keys)
    show(found, keys, "class", "log_loss", 4)
    show(found, keys, "regress", "score", 4)
    fine = judge(found, keys)
    return compare_leaves(found) and fine


def speed(_options, program):
    mine, theirs, asked, told = lab.speed(program, 100_000, TREES, 3)
    print(f"100,000 x 20, {TREES} trees of 31 leaves: {mine:.2f} s, LightGBM {theirs:.2f} s; "
          f"prediction {100 / asked:.0f} and {100 / told:.0f} thousand rows a second")
    fine = common.judge(f"training takes at most {TIMES} times LightGBM's time", f"{mine / theirs:.2f}", mine <= TIMES * theirs)
    fine = common.judge("prediction is at least as fast", f"{told / asked:.2f} times", asked <= told) and fine
    small, large = (lab.speed(program, n, GROWTH_TREES, 1) for n in (100_000, 1_000_000))
    grows, bound = (math.log10(large[i] / small[i]) for i in (0, 1))
    return common.judge(f"time grows with exponent at most {EXPONENT}, or LightGBM's", f"{grows:.2f}, LightGBM {bound:.2f}",
                        grows <= max(EXPONENT, bound)) and fine


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--part", choices=["accuracy", "speed"], default="accuracy")
    arguments.add_argument("--methods", help="only these methods, with commas between")
    arguments.add_argument("--sets", help="only these sets, with commas between")
    arguments.add_argument("--most", type=int, default=10**9, help="only sets of at most so many rows")
    arguments.add_argument("--render", action="store_true", help="print the tables of the kept results and measure nothing")
    arguments.add_argument("-s", "--setting", action="append", default=[], metavar="NAME=VALUE", help="for our methods")
    given = arguments.parse_args()
    ran = common.Program(given)
    common.print_machine(ran)
    sys.exit(0 if {"accuracy": accuracy, "speed": speed}[given.part](given, ran) else 1)
