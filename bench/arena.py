"""Accuracy, log-loss, R2 and time of auto and of our best methods beside other libraries; writes docs/arena.md."""
import dataclasses
import datetime
import platform
import sys

import arena_lab as lab
import arena_page
import arena_peers
import common
from store import Store  # of papers/
from tasks import Runner, Task  # of papers/

RESULTS = common.ROOT / "bench" / "results"
PAGE = common.ROOT / "docs" / "arena.md"
OURS = ("auto", "rf", "et", "ccf", "rbf-svm", "tbrf-g", "metric-forest", "boost")
BUDGETS, LIMIT, LEAD = (20, 40, 60), 7200, 1.0  # LEAD: mean ranks by which auto is ahead of every other library


def budget_of(store, one, state):
    """Seconds for a contestant that takes a budget: the next above auto's own time on this split."""
    kept = store.get(f"arena/{one.name}", f"auto/{state}")
    return next((budget for budget in BUDGETS if kept and kept.get("seconds", LIMIT) <= budget), BUDGETS[-1])


def planned(store, program, one, method, settings, version):
    """A task for every split. A result with a larger budget than is asked for is kept: it does auto no favour."""
    for state in range(one.splits):
        name, key = f"arena/{one.name}", f"{arena_page.key(method, settings)}/{state}"
        seconds = budget_of(store, one, state) if method in arena_peers.TIMED else 0
        kept = store.get(name, key)
        if kept and kept.get("budget", 0) > seconds:
            seconds = kept["budget"]
        same = {"version": version, **({"budget": seconds} if seconds else {})}
        args = {"program": program, "method": method, "settings": settings, "one": one, "state": state, "seconds": seconds,
                "same": same}
        yield Task(name, key, "arena_lab.measure", args, same=same, weight=seconds or 10, limit=LIMIT)


def scored(task):
    """The task without seconds, which work beside it would spoil. Scores of a method without a clock are the same."""
    return dataclasses.replace(task, do="arena_lab.scores")


def plan(store, program, sets, methods, settings):
    tasks = []
    for method in methods:
        mine = {} if method in arena_peers.ALL else settings
        for task in ("class", "regress"):
            version = lab.version(program, method, mine, task)
            if not version:
                print(f"left out for {task}: {method}", file=sys.stderr)
                continue
            tasks += [one for chosen in sets if chosen.task == task
                      for one in planned(store, program, chosen, method, mine, version)]
    return tasks


def measure(store, runner, program, sets, methods, options):
    """auto first, since its time is what the others' budgets go by; small tables before large ones."""
    sets = sorted(sets, key=lambda one: one.rows)
    if options.busy:
        methods = [method for method in methods if method not in arena_peers.TIMED]
    failed = 0
    for some in (["auto"], [method for method in methods if method != "auto"]):
        tasks = plan(store, program, sets, [method for method in some if method in methods], pairs(options))
        failed += runner.run([scored(task) for task in tasks] if options.busy else tasks)
    return failed


def pairs(options):
    return dict(pair.split("=", 1) for pair in options.setting)


def judge(found, methods):
    """Is auto ahead of every other library, on all tables and on the mixed ones, and ahead of every method of ours?"""
    if "auto" not in methods:
        return True
    fine = True
    for where, some in (("all tables", found), ("mixed tables", arena_page.mixed(found))):
        for title, lists in arena_page.all_ranks(some, methods).items():
            lead, rival = arena_page.lead(lists, [m for m in lists if m in arena_peers.NAMES])
            bar = LEAD if where == "all tables" else 0
            fine &= common.judge(f"{where}, {title}: auto ahead of all libraries by {bar:g}", f"{lead:+.2f} ({rival})", lead >= bar)
            lead, rival = arena_page.lead(lists, [m for m in lists if m not in arena_peers.NAMES and m != "auto"])
            fine &= common.judge(f"{where}, {title}: auto ahead of our other methods", f"{lead:+.2f} ({rival})", lead > 0)
    return fine


def facts(program):
    return {"date": datetime.date.today().isoformat(), "svforest": program.run("--version").strip(),
            "machine": f"{common.processor_name()}, {program.threads} threads", "python": platform.python_version()}


def run(options):
    program = common.Program(options)
    common.print_machine(program)
    sets = lab.sets(options.sets.split(",") if options.sets else None)
    sets = [one for one in sets if one.rows <= options.rows]
    if not sets:
        sys.exit("skipped: no such table is there (SVFOREST_DATA says where data sets are)")
    methods = options.methods.split(",") if options.methods else [*OURS, *arena_peers.NAMES]
    settings = pairs(options)
    store = Store(RESULTS)
    if not options.render:
        runner = Runner(store, facts(program), 1, lambda line: print(line, file=sys.stderr))
        failed = measure(store, runner, program, sets, methods, options)
        if failed:
            print(f"{failed} results failed", file=sys.stderr)
    shown = [arena_page.key(method, {} if method in arena_peers.NAMES else settings) for method in methods]
    found = arena_page.gather(store, sets, shown)
    for text in arena_page.parts(found, shown).values():
        print(f"{text}\n")
    if not options.sets and not options.methods and not options.setting:
        PAGE.write_text(arena_page.page(store, found, shown), encoding="utf-8")
    return judge(found, shown)


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--methods", help="only these contestants, with commas between")
    arguments.add_argument("--sets", help="only these tables, with commas between, e.g. wine,mixed/hmda")
    arguments.add_argument("--rows", type=int, default=10**9, help="only tables of at most so many rows")
    arguments.add_argument("--busy", action="store_true", help="other work goes on: keep no seconds, leave out who minds the clock")
    arguments.add_argument("--render", action="store_true", help="print the tables of the kept results and measure nothing")
    arguments.add_argument("-s", "--setting", action="append", default=[], metavar="NAME=VALUE", help="for our methods")
    sys.exit(0 if run(arguments.parse_args()) else 1)
