"""Accuracy and training time on tables of mixed columns beside peers with native categories; writes docs/tables.md."""
import datetime
import os
import platform
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before NumPy is loaded: each method has one thread

import common
import tables_lab as lab  # puts papers/ on the path
import tables_page
import tables_peers
from store import Store
from tasks import Runner, Task

RESULTS = common.ROOT / "bench" / "results"
PAGE = common.ROOT / "docs" / "tables.md"
OURS, SPLITS, LIMIT = ("rf", "et", "ccf", "tbrf-g", "rsvt-full"), 3, 3600
WEIGHTS = {"ccf": 3, "tbrf-g": 20, "rsvt-full": 5, "sklearn RF": 6, "sklearn HGB": 1, "LightGBM": 1, "CatBoost": 20}  # seconds
BETTER, FASTER, MANY = 16, 2.0, 1000  # tables on which rf keeps up; times as fast on tables of more rows than these


def planned(program, one, method, settings, version):
    """A task for every split."""
    same = {"version": version}
    for state in range(SPLITS):
        args = {"program": program, "method": method, "settings": settings, "one": one, "state": state, "same": same}
        yield Task(f"tables/{one.name}", f"{tables_page.key(method, settings)}/{state}", "tables_lab.measure", args, same=same,
                   weight=WEIGHTS.get(method, 1), limit=LIMIT)


def plan(program, sets, methods, settings):
    tasks = []
    for method in methods:
        mine = {} if method in tables_peers.PEERS else settings
        for task in ("class", "regress"):
            version = lab.version(program, method, mine, task)
            if not version:
                print(f"left out for {task}: {tables_page.key(method, mine)}", file=sys.stderr)
                continue
            tasks += [one for chosen in sets if chosen.task == task
                      for one in planned(program, chosen, method, mine, version)]
    return tasks


def facts(program):
    return {"date": datetime.date.today().isoformat(), "svforest": program.run("--version").strip(),
            "machine": common.processor_name(), "python": platform.python_version()}


def judge(found):
    """Is rf as good as scikit-learn's forest, and faster?"""
    level, fast = tables_page.level(found), tables_page.speed(found, MANY)
    fine = common.judge(f"rf at or above sklearn RF, within one standard error, on {BETTER} of {len(found)} tables",
                        f"{sum(level.values())}", sum(level.values()) >= BETTER * len(found) / 18)
    return common.judge(f"rf trains {FASTER:g} times as fast on every table of more than {MANY} rows",
                        f"{min(fast.values(), default=0):.1f} to {max(fast.values(), default=0):.1f} times",
                        bool(fast) and min(fast.values()) >= FASTER) and fine


def run(options):
    program = common.Program(options)
    common.print_machine(program)
    sets = [one for one in lab.sets() if not options.sets or one.name in options.sets.split(",")]
    if not sets:
        sys.exit("skipped: no such table is there (SVFOREST_DATA says where data sets are)")
    methods = options.methods.split(",") if options.methods else [*OURS, *tables_peers.PEERS]
    settings = dict(pair.split("=", 1) for pair in options.setting)
    store = Store(RESULTS)
    runner = Runner(store, facts(program), options.jobs, lambda line: print(line, file=sys.stderr))
    failed = 0 if options.render else runner.run(plan(program, sets, methods, settings))
    if failed:
        sys.exit(f"{failed} results failed")
    shown = [tables_page.key(method, {} if method in tables_peers.PEERS else settings) for method in methods]
    found = tables_page.gather(store, sets, shown, SPLITS)
    for text in tables_page.parts(found, shown).values():
        print(f"{text}\n")
    if not {"rf", "sklearn RF"} <= set(shown):
        return True
    if not options.sets and not options.methods and not options.setting:
        PAGE.write_text(tables_page.page(store, found, shown), encoding="utf-8")
    return judge(found)


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--methods", help="only these methods, with commas between")
    arguments.add_argument("--sets", help="only these tables, with commas between")
    arguments.add_argument("--jobs", type=int, default=1, help="how many to measure at a time; processor time is best alone")
    arguments.add_argument("--render", action="store_true", help="measure nothing: the tables and the page of what is kept")
    arguments.add_argument("-s", "--setting", action="append", default=[], metavar="NAME=VALUE", help="for our methods")
    given = arguments.parse_args()
    given.threads = 1
    sys.exit(0 if run(given) else 1)
