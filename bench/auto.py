"""auto beside itself: efforts, budgets, what its calibration brings, whether its own score holds, and the cost of its answers."""
import io
import math
import pathlib
import sys
import tempfile
import time

import numpy
import pandas
import svforest

import arena
import arena_lab as lab
import arena_page
import common
import tables_lab
import tables_peers
import tables  # of papers/
from store import Store
from tasks import Runner, Task

# Up to 3,000 rows: six of numbers and classes, three of mixed columns and classes, three of numbers to predict.
SMALL = ("glass", "vehicle", "german", "australian", "breast_cancer_wdbc", "contraceptive", "mixed/titanicp", "mixed/attrition",
         "mixed/cells", "mixed/sacramento", "mixed/saratogahouses", "mixed/wage")
# From 150 to 50,000 rows.
RANGE = ("iris", "wine", "glass", "vehicle", "mixed/titanicp", "segment", "mixed/hmda", "spambase", "mixed/computers", "aep", "a2a", "pts")
EFFORTS, BUDGETS = ("1", "5", "9"), (5, 20, 60)
WORSE, OVER, SLACK = .3, .2, 1.0  # mean ranks; of a budget, and seconds
TREES, MEGABYTES = 500, 150  # of the forest that prediction is compared with; of the largest model
TOLD = {"class": "log_loss", "regress": "score"}


def key(effort):
    return arena_page.key("auto", {} if effort == "5" else {"effort": effort})  # 5 is the default, as in the arena


def chosen(options, names):
    wanted = options.sets.split(",") if options.sets else names
    return sorted(lab.sets([name for name in names if name in wanted]), key=lambda one: one.rows)


def run(store, program, tasks):
    runner = Runner(store, arena.facts(program), 1, lambda line: print(line, file=sys.stderr))
    return runner.run(tasks)


def efforts(options, program):
    """Mean ranks of three efforts on the same splits."""
    sets, store = chosen(options, SMALL), Store(arena.RESULTS)
    if not options.render:
        for effort in EFFORTS:
            run(store, program, [arena.scored(task) for task in arena.plan(
                store, program, sets, ["auto"], {} if effort == "5" else {"effort": effort})])
    methods = [key(effort) for effort in EFFORTS]
    found = {one: of for one, of in arena_page.gather(store, sets, methods).items() if len(of) == len(methods)}
    table = tables.Table("log-loss, or R2", "rows", *methods)
    ranks = {method: [] for method in methods}
    for one, of in found.items():
        what, sign = TOLD[one.task], -1 if one.task == "class" else 1
        table.row(one.name, one.rows, *(f"{tables.mean(arena_page.column(of[m], what)):.4f}" for m in methods))
        for split in zip(*(arena_page.column(of[m], what) for m in methods)):
            for method, rank in zip(methods, tables.ranks([sign * value for value in split])):
                ranks[method].append(rank)
    print(table.markdown())
    if not found:
        return True
    mean = [tables.mean(ranks[method]) for method in methods]
    print("mean ranks:", ", ".join(f"{method} {rank:.2f}" for method, rank in zip(methods, mean)))
    fine = common.judge("effort 9 ranks before 1", f"{mean[2]:.2f} to {mean[0]:.2f}", mean[2] < mean[0])
    worst = max(mean[1] - mean[0], mean[2] - mean[1], mean[2] - mean[0])
    return common.judge(f"more effort is nowhere worse by more than {WORSE} of a mean rank", f"{worst:+.2f}", worst <= WORSE) and fine


def spend(program, one, budget, same):
    """Seconds of the whole command under a budget, and what it left out."""
    train, _ = lab.split(one, 0, 10**9)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        train.to_csv(folder / "train.csv", index=False)
        start = time.perf_counter()
        done = program.call("train", "--budget", budget, "--task", one.task, "--threads", program.threads, "-o", folder / "model.svf",
                            folder / "train.csv")
        seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(done.stderr)
    return {**same, "seconds": round(seconds, 3), "left_out": done.stderr.count("left out")}


def budgets(options, program):
    """Alone on the machine: how much of a budget is used."""
    sets, store = chosen(options, RANGE), Store(arena.RESULTS)
    version = tables_lab.version(program, "auto", {}, "class")
    same = {"version": version, "threads": program.threads}
    if not options.render:
        run(store, program, [
            Task(f"auto/{one.name}", f"budget {budget}", "auto.spend", {"program": program, "one": one, "budget": budget, "same": same},
                 same=same, weight=budget, limit=600) for one in sets for budget in BUDGETS])
    table, fine = tables.Table("seconds under a budget of", "rows", *map(str, BUDGETS)), True
    for one in sets:
        kept = [store.get(f"auto/{one.name}", f"budget {budget}") for budget in BUDGETS]
        if not all(kept):
            continue
        table.row(one.name, one.rows, *(f"{of['seconds']:.1f}" + ("" if of["left_out"] else " (all candidates)") for of in kept))
        for budget, of in zip(BUDGETS, kept):
            if of["seconds"] > (1 + OVER) * budget + SLACK:
                fine = common.judge(f"{one.name}: a budget of {budget} s is kept", f"{of['seconds']:.1f} s", False)
            if of["left_out"] and of["seconds"] < budget / 2:
                fine = common.judge(f"{one.name}: a budget of {budget} s is used", f"{of['seconds']:.1f} s", False)
    print(table.markdown())
    return common.judge("budgets are kept and used", f"{len(sets)} tables", fine)


def loss(answers, label):
    return float(-numpy.log(numpy.clip(answers[numpy.arange(len(label)), label], tables_lab.LEAST, 1)).mean())


def curve(program, one, state, same):
    """Log-loss of a committee with its calibration, and of the weighted mean of its members without."""
    train, test = lab.split(one, state)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        train.to_csv(folder / "train.csv", index=False)
        test.to_csv(folder / "test.csv", index=False)
        model = folder / "model.svf"
        said = program.report("train", "--seed", state, "--task", "class", "--threads", program.threads, "-o", model, folder / "train.csv")

        def ask(*words):
            return pandas.read_csv(io.StringIO(program.run("predict", "--proba", *words, model, folder / "test.csv")))
        whole = ask()
        parts = [member["weight"] * ask("--member", member["member"]).to_numpy() for member in said["members"]]
    place = {tables_lab.plain(text): number for number, text in enumerate(whole.columns)}
    label = numpy.array([place[tables_lab.plain(text)] for text in test.iloc[:, -1]])
    return {**same, "calibrated": round(loss(whole.to_numpy(), label), 6), "plain": round(loss(sum(parts), label), 6)}


def calibration(options, program):
    """Log-loss of committees with and without calibration."""
    sets = [one for one in sorted(lab.sets(options.sets.split(",") if options.sets else None), key=lambda one: one.rows)
            if one.task == "class" and one.rows <= options.rows]
    store, same = Store(arena.RESULTS), {"version": tables_lab.version(program, "auto", {}, "class")}
    if not options.render:
        run(store, program, [
            Task(f"auto/{one.name}", f"curve/{state}", "auto.curve", {"program": program, "one": one, "state": state, "same": same},
                 same=same, weight=30, limit=3600) for one in sets for state in range(one.splits)])
    table, lower, count = tables.Table("log-loss", "rows", "not calibrated", "calibrated"), 0, 0
    for one in sets:
        kept = [store.get(f"auto/{one.name}", f"curve/{state}") for state in range(one.splits)]
        if all(of and "plain" in of for of in kept):
            plain, made = (tables.mean([of[what] for of in kept]) for what in ("plain", "calibrated"))
            table.row(one.name, one.rows, f"{plain:.4f}", f"{made:.4f}")
            lower, count = lower + (made < plain), count + 1
    print(table.markdown())
    return common.judge("calibration lowers log-loss on 3 of 4 tables", f"{lower} of {count}", 4 * lower >= 3 * count)


def honest(options, _program):
    """The score that auto reports beside the test score, from the results of the arena: log-loss, or the mean squared error."""
    store, near, count, gaps = Store(arena.RESULTS), 0, 0, []
    table = tables.Table("log-loss, or mean squared error", "reported", "standard error", "of the test rows", "difference in errors")
    for one in lab.sets(options.sets.split(",") if options.sets else None):
        kept = [store.get(f"arena/{one.name}", f"auto/{state}") for state in range(one.splits)]
        if one.own or not all(of and "own_score" in of for of in kept):
            continue  # a split that comes with the set is not one by chance
        for state, of in enumerate(kept):
            target = lab.split(one, state)[1].iloc[:, -1]
            spread = target.astype(float).var(ddof=0) if one.task == "regress" else 0
            of["told"] = of["log_loss"] if one.task == "class" else (1 - of["score"]) * spread
        own, error, told = (tables.mean([of[what] for of in kept]) for what in ("own_score", "own_score_error", "told"))
        # Both are means over rows: the test rows have an error of their own.
        rows = lab.split(one, 0)
        both = error * math.sqrt(1 + len(rows[0]) / len(rows[1]))
        table.row(one.name, f"{own:.4g}", f"{both:.2g}", f"{told:.4g}", f"{(told - own) / both:+.1f}")
        near, count, gaps = near + (abs(told - own) < 2 * both), count + 1, [*gaps, (told - own) / both]
    print(table.markdown())
    if not count:
        return True
    fine = common.judge("reported and test score differ by less than two standard errors on 3 of 4 tables", f"{near} of {count}",
                        4 * near >= 3 * count)
    mean = tables.mean(gaps)
    error = (tables.deviation(gaps) or 0) / math.sqrt(count)
    return common.judge("the reported score is not optimistic on average", f"{mean:+.2f} ({error:.2f}) standard errors",
                        mean <= 2 * error) and fine


def cost(options, program):
    """Seconds in which auto's model and scikit-learn's forest of 500 trees answer the same rows in memory, and the size of the model."""
    import sklearn.ensemble
    names = options.sets.split(",") if options.sets else RANGE
    table, ratios, largest = tables.Table("seconds", "rows", "auto", f"sklearn RF({TREES})", "ratio", "members", "MB"), [], 0
    for one in sorted(lab.sets(names), key=lambda one: one.rows):
        train, test = lab.split(one, 0)
        test = pandas.concat([test] * max(1, 20_000 // len(test)), ignore_index=True)
        features, target, rows = tables_lab.typed_pair(train, test)
        if one.task == "class":
            target = target.astype(str)
        kinds = ("SVForestClassifier", "RandomForestClassifier") if one.task == "class" else ("SVForestRegressor", "RandomForestRegressor")
        mine = getattr(svforest, kinds[0])(random_state=0, n_jobs=program.threads).fit(features, target)
        theirs = getattr(sklearn.ensemble, kinds[1])(TREES, n_jobs=program.threads, random_state=0)
        x, z = (numpy.nan_to_num(part) for part in tables_peers.one_hot(features, rows))
        theirs.fit(x, target)
        ask = "predict_proba" if one.task == "class" else "predict"
        seconds = [min(clocked(getattr(model, ask), given) for _ in range(3)) for model, given in ((mine, rows), (theirs, z))]
        with tempfile.TemporaryDirectory() as place:
            mine.save(f"{place}/model.svf")
            size = pathlib.Path(place, "model.svf").stat().st_size / 1e6
        ratios.append(seconds[0] / seconds[1])
        largest = max(largest, size)
        table.row(one.name, len(rows), *(f"{value:.3f}" for value in seconds), f"{ratios[-1]:.2f}",
                  len(mine.leaderboard_), f"{size:.1f}")
        print(one.name, f"{seconds[0]:.3f} s, {seconds[1]:.3f} s", file=sys.stderr)
    print(table.markdown())
    fine = common.judge(f"auto answers in at most the time of {TREES} trees of scikit-learn", f"at most {max(ratios):.2f} times",
                        max(ratios) <= 1)
    return common.judge(f"a model has at most {MEGABYTES} MB", f"{largest:.1f}", largest <= MEGABYTES) and fine


def clocked(ask, rows):
    start = time.perf_counter()
    ask(rows)
    return time.perf_counter() - start


PARTS = {"efforts": efforts, "budgets": budgets, "calibration": calibration, "honest": honest, "cost": cost}

if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--part", choices=PARTS, default="efforts")
    arguments.add_argument("--sets", help="only these tables, with commas between")
    arguments.add_argument("--rows", type=int, default=10**9, help="only tables of at most so many rows (calibration)")
    arguments.add_argument("--render", action="store_true", help="print the kept results and measure nothing")
    given = arguments.parse_args()
    ran = common.Program(given)
    common.print_machine(ran)
    sys.exit(0 if PARTS[given.part](given, ran) else 1)
