"""Intervals that hold: coverage and width of interval=conformal, beside split conformal prediction around scikit-learn's forests."""
import datetime
import io
import math
import pathlib
import platform
import sys
import tempfile

import numpy
import pandas
import sklearn

import common
import boost_lab
import outlier_lab  # puts papers/ on the path
import tables_lab
import tables_peers
import tables  # of papers/
from store import Store

RESULTS = common.ROOT / "bench" / "results"
LEVELS, FRACTION = (.8, .9, .95), .25  # coverage asked for; rows held apart to measure with, of ours and of the peers
SPLITS, TRAINING, TESTING = 20, 3000, 3000  # at most so many rows of each split, those held apart among them
PEERS = {"rf": "sklearn RF", "metric-forest": "sklearn ET"}  # whose width ours must not exceed
AUTO, AUTO_SETS = "auto", ("pts", "aep", "mixed/sacramento")  # effort 1
OFF_MEAN, OFF_SET = .02, .05


def sets():
    return [one for one in boost_lab.sets() if one.task == "regress"]


def split(one, state):
    train, test = outlier_lab.split(boost_lab.table(one.name), one.task, state, TRAINING)
    return train, test.sample(min(TESTING, len(test)), random_state=state)


def ours(program, method, state, train, test):
    """The ends of the intervals of each level."""
    given = ["--effort", 1] if method == AUTO else []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        train.to_csv(folder / "train.csv", index=False), test.to_csv(folder / "test.csv", index=False)
        program.run("train", "-q", "-m", method, *given, "-s", "interval=conformal", "-s", f"interval_fraction={FRACTION}", "--task",
                    "regress", "--seed", state, "--threads", program.threads, "-o", folder / "model.svf", folder / "train.csv")
        said = [program.run("predict", folder / "model.svf", folder / "test.csv", "--interval", level) for level in LEVELS]
    return [pandas.read_csv(io.StringIO(text)).to_numpy(dtype=float)[:, -2:].T for text in said]


def peer(name, state, train, test, threads):
    """Split conformal prediction: the quantile of the absolute errors on rows held apart."""
    from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
    features, target, rows = tables_lab.typed_pair(train, test)
    kind = RandomForestRegressor if name == "sklearn RF" else ExtraTreesRegressor
    order = numpy.random.default_rng(state).permutation(len(target))
    held = int(len(order) * FRACTION + .5)
    apart, learn = order[:held], order[held:]
    coded, asked = tables_peers.one_hot(features.iloc[learn], pandas.concat([features.iloc[apart], rows]))
    target = target.to_numpy(dtype=float)
    said = kind(100, random_state=state, n_jobs=threads).fit(coded, target[learn]).predict(asked)
    score = numpy.sort(numpy.abs(target[apart] - said[:held]))
    middle, ends = said[held:], []
    for level in LEVELS:
        rank = math.ceil((held + 1) * level * (1 - 2**-50))
        reach = score[rank - 1] if rank <= held else math.inf
        ends.append((middle - reach, middle + reach))
    return ends


def measure(program, one, method, state):
    """Of each level the coverage, and the mean width in deviations of the target."""
    train, test = split(one, state)
    truth = pandas.to_numeric(test.iloc[:, -1]).to_numpy()
    ends = ours(program, method, state, train, test) if method not in PEERS.values() else peer(method, state, train, test,
                                                                                             program.threads)
    unit = pandas.to_numeric(train.iloc[:, -1]).std()
    return {"coverage": [round(float(((low <= truth) & (truth <= high)).mean()), 5) for low, high in ends],
            "width": [round(float((high - low).mean() / unit), 5) for low, high in ends], "rows": [len(train), len(test)]}


def run(program, store, chosen, methods, splits):
    """What is there is not measured again; a run that is stopped goes on there."""
    facts = {"date": datetime.date.today().isoformat(), "svforest": program.run("--version").strip(),
             "sklearn": sklearn.__version__, "machine": common.processor_name(), "python": platform.python_version()}
    for method in methods:
        for one in chosen:
            if method == AUTO and one.name not in AUTO_SETS:
                continue
            for state in range(splits):
                place, key = file_of(one), f"{method}/{state:02}"
                if store.get(place, key) is None:
                    store.put(place, key, measure(program, one, method, state), facts)
            print(f"{method} {one.name}", file=sys.stderr, flush=True)


def file_of(one):
    return f"intervals/{one.name.replace('/', '-')}"


def gather(store, chosen, method, splits):
    """{set: (mean coverage, mean width) of each level} of the sets of which all splits are there."""
    found = {}
    for one in chosen:
        kept = [store.get(file_of(one), f"{method}/{state:02}") for state in range(splits)]
        if all(kept):
            found[one.name] = [numpy.mean([result[what] for result in kept], axis=0) for what in ("coverage", "width")]
    return found


def show(method, found):
    table = tables.Table(method, *(f"{100 * level:g}% held" for level in LEVELS), *(f"{100 * level:g}% width" for level in LEVELS))
    for name, (coverage, width) in found.items():
        table.row(name, *(f"{100 * value:.1f}" for value in coverage), *(f"{value:.3f}" for value in width))
    means = [numpy.mean([result[i] for result in found.values()], axis=0) for i in (0, 1)]
    table.row("mean", *(f"{100 * value:.1f}" for value in means[0]), *(f"{value:.3f}" for value in means[1]))
    print(table.markdown(), "\n")


def judge_coverage(method, found):
    off = numpy.array([coverage for coverage, _ in found.values()]) - LEVELS
    mean = float(numpy.abs(off.mean(axis=0)).max())
    fine = common.judge(f"{method}: mean coverage within {100 * OFF_MEAN:g} points", f"{100 * mean:.2f}", mean <= OFF_MEAN)
    far = float(numpy.abs(off).max())
    return common.judge(f"{method}: no set off by more than {100 * OFF_SET:g}", f"{100 * far:.2f}", far <= OFF_SET) and fine


def judge_width(method, found, other):
    both = [name for name in found if name in other]
    if not both:
        return True
    mine, theirs = (float(numpy.mean([of[name][1] for name in both])) for of in (found, other))
    return common.judge(f"{method}: mean width over {len(both)} sets and all levels not above {PEERS[method]}",
                        f"{mine:.3f} to {theirs:.3f}", mine <= theirs)


def report(store, chosen, methods, splits):
    found = {method: gather(store, chosen, method, splits) for method in methods}
    fine = True
    for method, of in found.items():
        if not of:
            print(f"{method}: no set has all {splits} splits yet\n")
            continue
        show(method, of)
        if method not in PEERS.values():
            fine = judge_coverage(method, of) and fine
    for method, other in PEERS.items():
        if found.get(method) and found.get(other):
            fine = judge_width(method, found[method], found[other]) and fine
    return fine


def main():
    options = common.parser(__doc__)
    options.add_argument("--methods", default=",".join([*PEERS, *PEERS.values(), AUTO]), help="only these, with commas between")
    options.add_argument("--sets", help="only these")
    options.add_argument("--splits", type=int, default=SPLITS, help="how many of the splits")
    options.add_argument("--quick", action="store_true", help="a small form that keeps nothing: rf, two sets, two splits, not judged")
    options.add_argument("--render", action="store_true", help="measure nothing, show what is there")
    given = options.parse_args()
    program, methods = common.Program(given), given.methods.split(",")
    common.print_machine(program)
    chosen = [one for one in sets() if not given.sets or one.name in given.sets.split(",")]
    if not chosen:
        sys.exit("skipped: no such set is there (SVFOREST_DATA says where data sets are)")
    if given.quick:
        with tempfile.TemporaryDirectory() as place:
            store, few, methods = Store(place), sorted(chosen, key=lambda one: one.rows)[:2], ["rf", PEERS["rf"]]
            run(program, store, few, methods, 2)
            for method in methods:
                show(method, gather(store, few, method, 2))
        return
    store = Store(RESULTS)
    if not given.render:
        run(program, store, chosen, methods, given.splits)
    sys.exit(0 if report(store, chosen, methods, given.splits) else 1)


if __name__ == "__main__":
    main()
