"""What one outlier in the training rows costs each preset, and which scaling is best (--scales)."""
import collections
import datetime
import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # before NumPy is loaded: the processes share the cores

import common
import outlier_lab as lab  # puts papers/ on the path
import tables
from ranks import FEWER, WEIGHTS  # trees of the costly presets; expected seconds
from store import Store
from tasks import Runner, Task

RESULTS = common.ROOT / "bench" / "results"
BARS = {"class": 2.0, "regress": 0.02}  # most that is lost on average: points of accuracy, R2
UNITS = {"class": ("accuracy, %", 1, 2), "regress": ("R2", 3, 3)}  # digits of a score and of a loss
SCALES, FEW_TREES = ("unit", "standard", "mixed", "robust"), 20

# Their papers, or the programs of the papers' authors, fix the scaling (docs/data.md): train has to remark on the outlier.
KEPT = ("rsvt", "rsvt-full", "ccf", "chi2-svm", "xrfm")
# Scaling changes nothing that their cuts see.
INVARIANT = ("rf", "et")

# least: rows of a set; rows: most for training.
Mode = collections.namedtuple("Mode", "file splits values least rows")
JUDGED = Mode("outlier", 5, ("1e4", "1e8", "1e15"), 500, 1000)
CHOICE = Mode("scales", 3, ("1e8",), 150, 400)


# ---- what is measured ----


class Plan:
    """Everything of one mode: tasks for what is not measured yet, and the results."""

    def __init__(self, program, mode, options):
        self.program, self.mode, self.named = program, mode, bool(options.methods)
        self.store = Store(RESULTS)
        self.sets = chosen_sets(mode, options)
        self.own = {name: program.report("methods", name)["settings"] for name in chosen_methods(program, options)}
        self.tasks = []
        if not self.sets or not self.own:
            sys.exit("no such set or preset is there")
        for one in self.sets:  # once, before the processes are split off
            for state in range(mode.splits):
                lab.files(one.name, one.task, state, mode.rows, mode.values)

    def add(self, method, settings):
        """Tasks for every set whose task the preset does; a message if it refuses the settings for both tasks."""
        refused = []
        for task in BARS:
            version, why = lab.version(self.program, method, settings, task)
            if not version:
                refused.append(why)
                continue
            self.tasks += [self.task(one, method, settings, version) for one in self.sets if one.task == task]
        if len(refused) == len(BARS):
            print(f"left out: {key(method, settings)}: {refused[0]}", file=sys.stderr)

    def task(self, one, method, settings, version):
        trial = {"method": method, "settings": settings, "task": one.task}
        same = {"version": version, "splits": self.mode.splits, "values": list(self.mode.values), "rows": self.mode.rows}
        args = {"program": self.program, "trial": trial, "name": one.name, "same": same}
        return Task(self.file(one), key(method, settings), "outlier_lab.measure", args, same=same, limit=600,
                    weight=WEIGHTS.get(method, 0.2))

    def file(self, one):
        return f"{self.mode.file}/{one.name}"

    def run(self, processes):
        facts = {"date": datetime.date.today().isoformat(), "svforest": self.program.run("--version").strip(),
                 "machine": common.processor_name()}
        failed = Runner(self.store, facts, processes, lambda line: print(line, file=sys.stderr)).run(self.tasks)
        if failed:
            sys.exit(f"{failed} results failed")

    def results(self, method, settings):
        """{task: {set: result}}"""
        found = {task: {} for task in BARS}
        for one in self.sets:
            kept = self.store.get(self.file(one), key(method, settings))
            if kept:
                found[one.task][one.name] = kept
        return found


def key(method, settings):
    return " ".join([method, *(f"{name}={value}" for name, value in settings.items())])


def chosen_methods(program, options):
    every = [method["name"] for method in program.report("methods")["methods"]]
    return [name for name in every if not options.methods or name in options.methods.split(",")]


def chosen_sets(mode, options):
    """Sets with enough rows; for the judged bench those of mostly numbers, the five smallest of each task."""
    found = sorted((one for one in lab.sets() if one.rows >= mode.least), key=lambda one: one.rows)
    if mode is JUDGED:
        found = [one for one in found if 2 * one.numbers > one.features]
        found = [one for task in BARS for one in [other for other in found if other.task == task][:5]]
    return [one for one in found if not options.sets or one.name in options.sets.split(",")]


def spread(values):
    """Mean and its standard error."""
    return tables.mean(values), (tables.deviation(values) or 0.0) / len(values) ** 0.5


# ---- the judged bench ----


def losses(of, value):
    """Clean minus planted, of every split of every set."""
    return [clean - planted for result in of.values()
            for clean, planted in zip(result["scores"]["clean"], result["scores"][value])]


def judge_preset(table, method, scale, found):
    cells, fine = [], True
    for task, of in found.items():
        _, digits, fraction = UNITS[task]
        if not of:
            cells += ["-"] * (1 + len(JUDGED.values))
            continue
        clean = [score for result in of.values() for score in result["scores"]["clean"]]
        lost = [spread(losses(of, value)) for value in JUDGED.values]
        cells += [f"{tables.mean(clean):.{digits}f}", *(f"{mean:.{fraction}f} ({error:.{fraction}f})" for mean, error in lost)]
        fine = fine and all(mean <= BARS[task] for mean, _ in lost)
    every = [result for of in found.values() for result in of.values()]
    hidden, remarks = (sum(result[what] for result in every) for what in ("hidden", "remarks"))
    if method in KEPT:
        fine = remarks == hidden
    table.row(method, scale, *cells, f"{remarks} of {hidden}", common.verdict(fine) + (", remark" if method in KEPT else ""))
    return fine


def judged(plan, processes, scale):
    other = {"scale": scale} if scale else {}
    presets = {method: {**other, **({"trees": FEWER[method]} if method in FEWER else {})} for method in plan.own}
    for method, settings in presets.items():
        plan.add(method, settings)
    plan.run(processes)
    print(f"One cell of {', '.join(JUDGED.values)} in a training row; {', '.join(one.name for one in plan.sets)}; "
          f"{JUDGED.splits} splits, at most {JUDGED.rows} training rows.\nLost: clean minus planted, mean (standard error) over "
          "sets and splits. Remarks: of tables in which the value hides a column.\n")
    titles = [title for task in BARS for title in (UNITS[task][0], *(f"lost, {value:>4}   " for value in JUDGED.values))]
    table = common.Table(("preset", 17), "scale   ", *titles, "remarks   ", "verdict     ")
    found = {method: plan.results(method, settings) for method, settings in presets.items()}
    fine = [judge_preset(table, method, scale or plan.own[method]["scale"], results)
            for method, results in found.items() if any(results.values())]
    print()
    return common.judge(f"presets that lose at most {BARS['class']} points and {BARS['regress']} R2, or keep their paper's "
                        "scaling and remark", f"{sum(fine)} of {len(fine)}", all(fine))


# ---- the choice of a scaling ----


def ranks(found, value):
    """{scale: [rank on each set]} of the sets that every scale was measured on; equal scores share their rank."""
    of = {scale: {**results["class"], **results["regress"]} for scale, results in found.items()}
    made = {scale: [] for scale in of}
    for name in sorted(set.intersection(*(set(results) for results in of.values()))):
        scores = [round(tables.mean(of[scale][name]["scores"][value]), 6) for scale in of]
        for scale, rank in zip(of, tables.ranks(scores)):
            made[scale].append(rank)
    return made


def safe(results, value):
    return all(spread(losses(of, value))[0] <= BARS[task] for task, of in results.items() if of)


def behind(clean, scale):
    """Ranks behind the scale that is best on clean tables: mean and standard error of the paired differences."""
    best = min(clean, key=lambda other: tables.mean(clean[other]))
    return spread([a - b for a, b in zip(clean[scale], clean[best])])


def score_cells(results, what):
    """Mean accuracy and R2 over the sets."""
    return [f"{tables.mean([tables.mean(result['scores'][what]) for result in of.values()]):.{UNITS[task][1]}f}" if of else "-"
            for task, of in results.items()]


def show_scales(table, method, own, found):
    """A line for each scale; returns those that are safe, the best on clean tables first."""
    value = CHOICE.values[0]
    clean, planted = ranks(found, "clean"), ranks(found, value)
    for scale, results in found.items():
        table.row(f"{method} {scale}{' *' if scale == own else ''}", len(clean[scale]), f"{tables.mean(clean[scale]):.2f}",
                  "{:.2f} ({:.2f})".format(*behind(clean, scale)), sum(rank == 1 for rank in clean[scale]),
                  *score_cells(results, "clean"), f"{tables.mean(planted[scale]):.2f}", *score_cells(results, value),
                  "yes" if safe(results, value) else "no")
    fine = sorted((scale for scale in found if safe(found[scale], value)), key=lambda scale: tables.mean(clean[scale]))
    return [f"{scale} {behind(clean, scale)[0]:.2f} ({behind(clean, scale)[1]:.2f})" for scale in fine]


def choose(plan, processes):
    settings = {}
    for method, own in plan.own.items():
        if not plan.named and method in (*INVARIANT, *KEPT):
            continue
        few = {"trees": FEW_TREES} if int(own["trees"]) > FEW_TREES else {}
        settings[method] = {scale: {"scale": scale, **few} for scale in SCALES}
        for one in settings[method].values():
            plan.add(method, one)
    plan.run(processes)
    print(f"{len(plan.sets)} sets, {CHOICE.splits} splits, at most {CHOICE.rows} training rows and {FEW_TREES} trees; clean, and "
          f"with one cell of {CHOICE.values[0]}.\nRanks: mean over the sets, 1 is the best scale; behind: ranks behind the scale that is "
          "best on clean tables (standard error of the paired\ndifference). * is the preset's own. "
          f"Safe: one cell costs at most {BARS['class']} points and {BARS['regress']} R2.\n")
    planted = [f"{CHOICE.values[0]}: {what}" for what in ("rank", "accuracy", "R2")]
    table = common.Table(("preset, scale", 28), "sets", "rank", "behind     ", "first", "accuracy", "R2", *planted, "safe")
    taken = {}
    for method, scales in settings.items():
        found = {scale: plan.results(method, one) for scale, one in scales.items()}
        found = {scale: results for scale, results in found.items() if any(results.values())}
        taken[method] = show_scales(table, method, plan.own[method]["scale"], found)
    print("\nSafe scales, with the ranks that they are behind the best on clean tables:\n")
    for method, said in taken.items():
        print(f"- {method}: {', '.join(said) or 'none'}")
    return True


def run(options):
    program = common.Program(options)
    common.print_machine(program)
    processes, program.threads = options.threads, 1
    plan = Plan(program, CHOICE if options.scales else JUDGED, options)
    return choose(plan, processes) if options.scales else judged(plan, processes, options.scale)


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--scales", action="store_true",
                           help=f"presets whose scaling is ours to choose with {', '.join(SCALES)}, on every set")
    arguments.add_argument("--scale", help="judge every preset with this scale instead of its own")
    arguments.add_argument("--methods", help="only these presets, with commas between")
    arguments.add_argument("--sets", help="only these sets, with commas between")
    sys.exit(0 if run(arguments.parse_args()) else 1)
