"""Accuracy of the oblique forests beside scikit-learn's random forest, on the same splits."""
import pathlib
import sys
import tempfile

import numpy
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier

import accuracy
import common

METHODS = ("ccf", "rotation-forest", "random-rotation", "random-projection")
DRAWN = ("wine", "iris", "glass", "sonar", "breast_cancer_wdbc", "australian", "vehicle", "german", "contraceptive",
         "digits_sklearn", "segment", "abalone", "spambase")
FIXED = ("vowel", "urban_land_cover", "madelon", "dna", "a2a", "optdigits", "isolet_part", "usps", "pendigits")
SHOWN = ("letter",)  # more than 10,000 rows: printed, and not ranked
CORRELATED = ("vowel", "segment", "letter")  # where the authors of ccf find its advantage
QUICK = ("wine", "vehicle", "segment", "vowel", "letter")


def splits(name, folder):
    case = accuracy.Case(name, None, name not in DRAWN, None, None)
    if name != "abalone":
        return accuracy.splits(case, folder)
    paths = common.find_set(name)  # classes of one row: the splits cannot be stratified
    return [plain_split(common.read_set(paths[0]), state, folder) for state in accuracy.SPLITS] if paths else []


def plain_split(frame, state, folder):
    order = numpy.random.RandomState(state).permutation(len(frame))
    cut = len(frame) // 3
    files = [folder / f"{part}{state}.csv" for part in ("train", "test")]
    for rows, file in zip((order[cut:], order[:cut]), files):
        frame.iloc[rows].to_csv(file, index=False)
    return files


def figures(program, pairs, trees):
    """Mean accuracy of each method, the peer last: one forest per split, three where the split is fixed."""
    runs = [(pair, seed) for pair in pairs for seed in (range(3) if len(pairs) == 1 else (0,))]
    means = []
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.svf"
        for method in METHODS:
            scores = []
            for pair, seed in runs:
                program.train(pair[0], model, method, seed, trees=trees)
                scores.append(100 * program.eval(model, pair[1])["accuracy"])
            means.append(numpy.mean(scores))
    peer = []
    for pair, seed in runs:
        train, test = map(common.read_set, pair)
        forest = RandomForestClassifier(n_estimators=trees, random_state=seed, n_jobs=program.threads)
        forest.fit(common.features(train), common.labels(train))
        peer.append(100 * forest.score(common.features(test), common.labels(test)))
    return means + [numpy.mean(peer)]


def measure(program, name, trees):
    """Means of a set; None where it is absent."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = splits(name, pathlib.Path(folder))
        return list(map(float, figures(program, pairs, trees))) if pairs else None


def judge(means):
    """The lines of the issue, from the means of each set; those of more than 10,000 rows are not ranked."""
    fine = []
    ranks = {name: rankdata([-round(mean, 6) for mean in of]) for name, of in means.items() if name not in SHOWN}
    if ranks:
        ours, peer = numpy.mean([(rank[0], rank[-1]) for rank in ranks.values()], axis=0)
        better, worse = (sum(sign * rank[0] < sign * rank[-1] for rank in ranks.values()) for sign in (1, -1))
        fine.append(common.judge("ccf not behind the random forest in mean rank",
                                 f"{ours:.2f} and {peer:.2f}, better on {better} sets, worse on {worse}", ours <= peer))
    for name in CORRELATED:
        if name in means:
            ours, peer = means[name][0], means[name][-1]
            fine.append(common.judge(f"ccf ahead on {name}", f"{ours:.2f} and {peer:.2f}", ours > peer))
    return all(fine)


def run(options):
    program, notes = common.Program(options), common.Notes(options.notes)
    common.print_machine(program)
    table = common.Table(("accuracy, %", 20), *METHODS, f"RF({options.trees})")
    means = {}
    for name in DRAWN + FIXED + SHOWN:
        if (options.quick and name not in QUICK) or (options.sets and name not in options.sets):
            continue
        found = notes.figure(name, lambda name=name: measure(program, name, options.trees))
        if found:
            means[name] = found
            table.row(name, *(f"{mean:.2f}" for mean in found))
    print()
    return judge(means)


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--trees", type=int, default=100)
    arguments.add_argument("--quick", action="store_true", help="five sets instead of all")
    arguments.add_argument("sets", nargs="*", help="names of sets; default: all")
    common.add_notes(arguments)
    sys.exit(0 if run(arguments.parse_args()) else 1)
