"""Accuracy of rsvt beside the reference figures, on the splits that the reference was measured on."""
import collections
import pathlib
import sys
import tempfile

import numpy
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split

import common

SPLITS = range(5)  # random_state of the stratified splits with a third for testing
SEEDS = range(3)   # of the forests
VOTES = ("majority", "mean")
PEERS = {"RF(100)": RandomForestClassifier, "ET(100)": ExtraTreesClassifier}

# A set, the reference (accuracy in %), and the least mean accuracy that passes.
Case = collections.namedtuple("Case", "name method fixed reference least")


def drawn(name, reference, deviation):
    return Case(name, "rsvt", False, reference, reference - max(1.5, deviation))


def fixed(name, reference):
    return Case(name, "rsvt", True, reference, reference - 2.5)


CASES = [
    drawn("wine", 97.3, 1.7),
    drawn("iris", 95.6, 2.9),
    drawn("breast_cancer_wdbc", 96.8, 0.9),
    drawn("vehicle", 78.4, 1.3),
    drawn("digits_sklearn", 96.8, 0.6),
    drawn("spambase", 92.4, 0.6),
    drawn("contraceptive", 53.1, 1.6),
    drawn("segment", 91.9, 0.6),
    drawn("german", 73.5, 1.5),
    drawn("australian", 85.7, 0.9),
    fixed("urban_land_cover", 73.3),
    fixed("madelon", 58.2),
    fixed("pendigits", 93.5),
    fixed("optdigits", 96.0),
    fixed("dna", 92.2),
    Case("segment", "rsvt-full", False, 94.8, 94.0),
]
QUICK = ("wine", "iris", "vehicle", "segment", "pendigits")


def draw_split(frame, state, folder):
    """Writes one stratified split of a set; returns the two files."""
    parts = train_test_split(frame, test_size=1 / 3, stratify=common.labels(frame), random_state=state)
    files = [folder / f"{part}{state}.csv" for part in ("train", "test")]
    for part, file in zip(parts, files):
        part.to_csv(file, index=False)
    return files


def splits(case, folder):
    """Pairs of a training and a test file; none where the set is absent."""
    if case.fixed:
        pair = common.find_set(f"{case.name}.train", f"{case.name}.test")
        return [pair] if pair else []
    paths = common.find_set(case.name)
    return [draw_split(common.read_set(paths[0]), state, folder) for state in SPLITS] if paths else []


def forest_accuracy(program, case, vote, pair, seed):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "model.svf"
        program.train(pair[0], model, case.method, seed, vote=vote)
        return 100 * program.eval(model, pair[1])["accuracy"]


def peer_accuracy(peer, pair, seed, threads):
    train, test = map(common.read_set, pair)
    model = peer(n_estimators=100, random_state=seed, n_jobs=threads)
    model.fit(common.features(train), common.labels(train))
    return 100 * model.score(common.features(test), common.labels(test))


def summary(accuracies):
    """Mean, and deviation over the splits; over the seeds where there is one split."""
    per_split = numpy.mean(accuracies, axis=1) if len(accuracies) > 1 else accuracies[0]
    return numpy.mean(accuracies), numpy.std(per_split, ddof=1)


def measure(program, case, pairs, peers):
    """(mean, deviation) of each vote, then of each peer."""
    def each(accuracy):
        return summary([[accuracy(pair, seed) for seed in SEEDS] for pair in pairs])

    votes = [each(lambda pair, seed, v=vote: forest_accuracy(program, case, v, pair, seed)) for vote in VOTES]
    return votes + [each(lambda pair, seed, p=peer: peer_accuracy(p, pair, seed, program.threads)) for peer in peers]


def show(table, case, figures):
    """One line of the table; returns whether it passes. The preset's own vote, majority, is judged."""
    text = [f"{mean:.1f} ({deviation:.1f})" for mean, deviation in figures]
    passes = figures[0][0] >= case.least
    table.row(f"{case.method} {case.name}", *text[:2], f"{case.reference:.1f}", f"{case.least:.1f}",
              "PASS" if passes else "miss", *text[2:])
    return passes


def run(options):
    program = common.Program(options)
    common.print_machine(program)
    peers = PEERS if options.peers else {}
    table = common.Table(("accuracy, % (deviation)", 24), "  majority", " mean vote", "reference", "at least",
                         "verdict", *(f"{name:>10}" for name in peers))
    verdicts = []
    for case in CASES:
        if options.quick and case.name not in QUICK:
            continue
        with tempfile.TemporaryDirectory() as folder:
            pairs = splits(case, pathlib.Path(folder))
            if pairs:
                verdicts.append(show(table, case, measure(program, case, pairs, peers.values())))
    print(f"\n{sum(verdicts)} of {len(verdicts)} lines pass")
    return all(verdicts)


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    arguments.add_argument("--peers", action="store_true", help="scikit-learn's forests beside it (slow)")
    sys.exit(0 if run(arguments.parse_args()) else 1)
