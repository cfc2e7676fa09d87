"""The classic forests beside scikit-learn's with the same settings, on the same splits of every set."""
import collections
import pathlib
import sys
import tempfile

import numpy
from sklearn.ensemble import (ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier,
                              RandomForestRegressor)
from sklearn.model_selection import train_test_split

import common

SPLITS = range(5)  # random_state of the splits with a third for testing; stratified where every class has two rows
TREES = 100
MOST_ROWS = 10000  # larger classification sets are left out
MEAN_BAR, SET_BAR, MSE_BAR = 0.3, 0.7, 0.03

# A method and its peers for classes and for numbers; without peers it is shown and not judged. A further method is
# one more row.
Method = collections.namedtuple("Method", "name classes numbers")
METHODS = [
    Method("rf", RandomForestClassifier, RandomForestRegressor),
    Method("et", ExtraTreesClassifier, ExtraTreesRegressor),
]
SHOWN = ["et-svm"]

CLASSES = ["wine", "breast_cancer_wdbc", "urban_land_cover", "vehicle", "contraceptive", "segment", "madelon", "spambase",
           "digits_sklearn", "optdigits", "isolet_part", "dna", "iris", "glass", "vowel", "pendigits", "german", "abalone",
           "a2a", "australian", "usps", "usps_libsvm", "sonar"]
NUMBERS = ["pts", "aep", "hpp", "sarcos_testpart"]
FIXED = {"urban_land_cover", "madelon", "optdigits", "isolet_part", "dna", "vowel", "pendigits", "a2a", "usps", "usps_libsvm"}
QUICK = ["wine", "vehicle", "segment", "vowel", "australian", "sarcos_testpart"]


def whole_set(name):
    """All rows of a set; a set with a split of its own is pooled, and its training part alone where that is too much."""
    files = [f"{name}.train", f"{name}.test"] if name in FIXED else [name]
    paths = common.find_set(*files)
    if not paths:
        return None
    frames = [common.read_set(path) for path in paths]
    if name in CLASSES and sum(map(len, frames)) > MOST_ROWS:
        frames = frames[:1]
    return common.pandas.concat(frames, ignore_index=True)


def forest_seeds(rows):
    """More forests per split where few test rows make one of them a coarse measure."""
    return range(10 if rows < 500 else 3 if rows < 3000 else 1)


def draw_split(frame, classes, state, folder):
    """Writes one split; returns the two files."""
    labels = common.labels(frame)
    least = min(collections.Counter(labels).values()) if classes else 0
    parts = train_test_split(frame, test_size=1 / 3, stratify=labels if least > 1 else None, random_state=state)
    files = [folder / f"{part}{state}.csv" for part in ("train", "test")]
    for part, file in zip(parts, files):
        part.to_csv(file, index=False)
    return files


def ours(program, method, classes, pair, seed):
    """Accuracy in %, or the mean squared error."""
    model = pair[0].with_suffix(".svf")
    program.report("train", "-m", method, *(() if method in SHOWN else ("-s", f"trees={TREES}")), "--seed", seed,
                   "--task", "class" if classes else "regress", "--threads", program.threads, "-o", model, pair[0])
    report = program.eval(model, pair[1])
    model.unlink()
    return 100 * report["accuracy"] if classes else report["mse"]


def peers(peer, classes, pair, seed, threads):
    train, test = map(common.read_set, pair)
    model = peer(n_estimators=TREES, random_state=seed, n_jobs=threads)
    model.fit(common.features(train), common.labels(train))
    said, true = model.predict(common.features(test)), common.labels(test)
    return 100 * numpy.mean(said == true) if classes else numpy.mean((said - true) ** 2)


def judge(classes, a, b):
    """Difference and whether it is within the bar: points and standard errors of the paired differences, or a share."""
    difference = numpy.subtract(a, b)
    if not classes:
        share = numpy.mean(a) / numpy.mean(b) - 1
        return 100 * share, abs(share) <= MSE_BAR
    error = numpy.std(difference, ddof=1) / numpy.sqrt(len(difference))
    mean = numpy.mean(difference)
    return mean, abs(mean) <= max(SET_BAR, 2 * error)


def measure(program, name, classes, shown):
    """Per method: the figures of the splits, and those of its peer (None: has none)."""
    frame = whole_set(name)
    if frame is None:
        return None
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        pairs = [draw_split(frame, classes, state, pathlib.Path(folder)) for state in SPLITS]
        seeds = forest_seeds(len(frame))

        def each(figure):
            return [numpy.mean([figure(pair, seed) for seed in seeds]) for pair in pairs]

        for method in METHODS:
            peer = method.classes if classes else method.numbers
            results[method.name] = (each(lambda pair, seed, m=method: ours(program, m.name, classes, pair, seed)),
                                    each(lambda pair, seed, p=peer: peers(p, classes, pair, seed, program.threads)))
        for method in shown if classes else []:
            results[method] = (each(lambda pair, seed, m=method: ours(program, m, classes, pair, seed)), None)
    return results


def show(table, name, classes, results):
    """One line; returns the difference and the verdict of each method that has a peer."""
    cells, verdicts = [], {}
    for method, (a, b) in results.items():
        digits = 1 if classes or numpy.mean(a) >= 100 else 3
        cells.append(f"{numpy.mean(a):.{digits}f} ({numpy.std(a, ddof=1):.{digits}f})")
        if b is None:
            continue
        difference, passes = verdicts[method] = judge(classes, a, b)
        cells += [f"{numpy.mean(b):.{digits}f}", f"{difference:+.2f}{'' if passes else ' miss'}"]
    table.row(name, *cells)
    return verdicts


def columns(shown):
    titles = []
    for method in METHODS:
        titles += [f"{method.name:>12}", "peer", "difference"]
    return titles + [f"{method:>12}" for method in shown]


def run_task(program, names, classes, shown, notes):
    print(f"## {'accuracy, %' if classes else 'mean squared error; difference in %'}\n")
    table = common.Table(("set (deviation over splits)", 27), *columns(shown if classes else []))
    verdicts = []
    for name in names:
        results = notes.figure(name, lambda name=name: measure(program, name, classes, shown))
        if results:
            verdicts.append(show(table, name, classes, results))
    print()
    return verdicts


def each_within(verdicts, method, bar):
    """How many sets are within their bar, and the judgement of them all."""
    fine = [line[method][1] for line in verdicts]
    return common.judge(f"{method}: each set within {bar}", f"{sum(fine)} of {len(fine)}", all(fine))


def run(options):
    program = common.Program(options)
    common.print_machine(program)
    chosen = options.sets.split(",") if options.sets else QUICK if options.quick else CLASSES + NUMBERS
    shown, notes = [] if options.bare else SHOWN, common.Notes(options.notes)
    classes = run_task(program, [name for name in CLASSES if name in chosen], True, shown, notes)
    numbers = run_task(program, [name for name in NUMBERS if name in chosen], False, shown, notes)
    passes = []
    for method in METHODS:
        if classes:
            mean = numpy.mean([line[method.name][0] for line in classes])
            passes += [common.judge(f"{method.name}: mean difference over the sets at most {MEAN_BAR} points",
                                    f"{mean:+.2f} over {len(classes)}", bool(abs(mean) <= MEAN_BAR)),
                       each_within(classes, method.name, f"max({SET_BAR}, 2 standard errors)")]
        if numbers:
            passes.append(each_within(numbers, method.name, f"{100 * MSE_BAR:.0f}% in mean squared error"))
    return all(passes)


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    arguments.add_argument("--sets", help="only these, with commas between")
    arguments.add_argument("--bare", action="store_true", help=f"without {', '.join(SHOWN)}, which has no peer")
    common.add_notes(arguments)
    sys.exit(0 if run(arguments.parse_args()) else 1)
