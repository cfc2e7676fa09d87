"""RCF: the printed figures, the errors that were measured, and how often rcf is under the others."""
import math

import tables

# set: file, printed errors in % and deviations of RF, RCF and RF-SVM
SETS = {
    "iris": ("iris", (13.3, 1.10), (10.0, 1.50), (12.0, 1.6)),
    "sonar": ("sonar", (21.9, 4.85), (16.2, 3.80), (28.09, 2.3)),
    "australian": ("australian", (19.4, 0.85), (17.4, 0.98), (17.4, 0.55)),
    "vowel": ("vowel.train", (5.28, 0.46), (3.77, 0.45), (4.5, 1.38)),
    "german": ("german", (26.6, 0.37), (24.2, 0.60), (23.0, 0.63)),
    "vehicle": ("vehicle", (28.4, 0.53), (27.9, 1.10), (31.2, 2.19)),
    "dna": ("dna.train", (3.55, 0.10), (3.30, 0.10), (6.3, 1.79)),
    "usps": ("usps_libsvm.test", (9.80, 0.30), (7.48, 0.16), (7.7, 0.15)),
    "a2a": ("a2a.train", (18.1, 0.49), (17.5, 0.18), (19.47, 0.21)),
    "pendigits": ("pendigits.train", (1.25, 0.14), (0.29, 0.03), (0.31, 0.08)),
    "abalone": ("abalone", (75.3, 1.15), (71.7, 0.66), (75.1, 0.24)),
}
ROWS = {"iris": 150, "sonar": 208, "australian": 690, "vowel": 528, "german": 1000, "vehicle": 846, "dna": 2000, "usps": 2007,
        "a2a": 2265, "pendigits": 7494, "abalone": 4177}
HARDER = (
    " All three methods err more on the test parts of these partitions than on the validation parts that chose, `rf`, which has "
    "few settings to choose from, too."
)
# why, where rcf misses the printed error
WHY = {
    "german": HARDER,
    "dna": " No method that we have errs as little as printed ([RSVF's Table 3](rsvf.md), [ranks](ranks.md)).",
    "a2a": HARDER,
    "pendigits": " That is 24 of 7495 rows, where 23 are within: to the two digits that are printed it is the aim.",
    "abalone": " Trees of depth 2 to 5, whose large leaves cost most, were not tried, and depth 6, the edge, was chosen.",
}
METHODS = ["rf", "rcf", "rf-svm"]
KEY = "table"  # of the result of a set
STUDENT = [6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833]  # one-sided 5% of t, by degrees of freedom from 1


def figures(store, name, method, way, what):
    """One for each partition. Ways to choose settings: 'set', once for all partitions, and 'partition', for each."""
    kept = store.get(f"rcf/{name}", KEY)
    return kept[method][way][what] if kept and method in kept else []


def errors(store, name, method, way):
    return figures(store, name, method, way, "errors")


def student(count):
    """What t of so many pairs must exceed at the 5% level; of more than ten as of ten."""
    return STUDENT[min(count - 1, len(STUDENT)) - 1]


def paired(ours, others):
    """Student's t of the differences others - ours, and how many those are."""
    off = [theirs - mine for mine, theirs in zip(ours, others)]
    if len(off) < 2:
        return None, len(off)
    spread = tables.deviation(off) / math.sqrt(len(off))
    return (
        tables.mean(off) / spread
        if spread > 0
        else math.copysign(math.inf, tables.mean(off)) if tables.mean(off) else 0.0
    ), len(off)


def verdict(store, way):
    """How often rcf wins, here and in the paper, and how often it has to by the aims that were set for it."""
    found = {name: {method: errors(store, name, method, way) for method in METHODS} for name in SETS}
    whole = [name for name in SETS if len(found[name]["rcf"]) > 1]
    if not whole:
        return "not measured"
    means = {name: {method: tables.mean(found[name][method]) for method in METHODS} for name in whole}
    printed = {name: dict(zip(METHODS, (mean for mean, _ in SETS[name][1:]))) for name in SETS}
    near = [name for name in whole if means[name]["rcf"] <= sum(SETS[name][2]) + 1e-9]
    return (
        f"`rcf` is at or under the printed error plus the printed deviation on {aim(len(near), 8, whole)}; at or under `rf` on "
        f"{aim(least(means, 'rf'), 8, whole)}, at the 5% level on {sure(found, whole, 'rcf', 'rf')} (the paper: "
        f"{least(printed, 'rf')} of {len(printed)}, all but vehicle at the 5% level or better); and at or under `rf-svm` on "
        f"{aim(least(means, 'rf-svm'), 7, whole)}, at the 5% level on {sure(found, whole, 'rcf', 'rf-svm')} (the paper: "
        f"{least(printed, 'rf-svm')} of {len(printed)}). `rf` is under `rcf` at the 5% level on "
        f"{sure(found, whole, 'rf', 'rcf')}, `rf-svm` is on {sure(found, whole, 'rf-svm', 'rcf')}."
    )


def aim(count, wanted, whole):
    missed = ", **missed**" if count + len(SETS) - len(whole) < wanted else ""
    return f"{count} of {len(whole)} sets ({wanted} of {len(SETS)} wanted{missed})"


def least(means, peer):
    """On how many sets rcf is at or under a peer."""
    return sum(figure["rcf"] <= figure[peer] + 1e-9 for figure in means.values())


def sure(found, names, ours, others):
    """On how many sets a method is under another at the 5% level, one-sided."""
    tests = [paired(found[name][ours], found[name][others]) for name in names]
    return sum(t > student(count) for t, count in tests)


def misses(store):
    """Where and by how much rcf misses the paper and rf, and by how many test rows rcf and rf-svm differ."""
    names = [name for name in SETS if len(errors(store, name, "rcf", "set")) > 1]
    over, over_forest = [over_paper(store, name) for name in names], [over_rf(store, name) for name in names]
    titles = ("Where `rcf` is over the printed error plus the printed deviation, by how much:",
              "Where `rcf` is over `rf` (the least of its many more validation errors says less of the test error):")
    said = ["\n".join([title, "", *filter(None, lines), "\n"]) for title, lines in zip(titles, (over, over_forest)) if any(lines)]
    return "".join(said) + (rows_apart(store, names) if names else "")


def mean_of(store, name, method, what="errors"):
    return tables.mean(figures(store, name, method, "set", what))


def over_paper(store, name):
    """A line where rcf's error is over the printed one and its deviation."""
    (rf, _), (printed, spread), _ = SETS[name][1:]
    found = errors(store, name, "rcf", "set")
    beyond, best = tables.mean(found) - printed - spread, mean_of(store, name, "rcf", "least")
    if beyond <= 1e-9:
        return ""
    share = tables.apart(found, printed + spread) * math.sqrt(len(found))
    return (
        f"- {name}: {tables.significant(beyond)} points, {share:.2g} standard errors of our mean; `rf` is "
        f"{mean_of(store, name, 'rf') - rf:+.2f} from the printed `rf`; the least test error of what was tried is {best:.2f}, "
        f"{'under' if best <= printed + spread else 'still over'} the aim.{WHY.get(name, '')}"
    )


def over_rf(store, name):
    """A line where rcf's error is over that of rf."""
    ours, theirs = ([mean_of(store, name, method, what) for what in ("errors", "valid")] for method in ("rcf", "rf"))
    if ours[0] <= theirs[0] + 1e-9:
        return ""
    return f"- {name}: {ours[0]:.2f} and {theirs[0]:.2f}; by the validation rows that chose, {ours[1]:.2f} and {theirs[1]:.2f}."


def rows_apart(store, names):
    rows = []
    for name in names:
        tested = len(errors(store, name, "rcf", "set")) * (ROWS[name] - int(0.8 * ROWS[name]))
        rows.append((name, round((mean_of(store, name, "rf-svm") - mean_of(store, name, "rcf")) / 100 * tested), tested))
    wins = [f"{name} {count} of {tested}" for name, count, tested in rows if count > 0]
    losses = [f"{name} {-count} of {tested}" for name, count, tested in rows if count < 0]
    even = [name for name, count, _ in rows if count == 0]
    return (
        f"In rows of all test parts together, `rcf` errs on fewer than `rf-svm` by: {', '.join(wins) or 'none'}; on more by: "
        f"{', '.join(losses) or 'none'}{'; on as many: ' + ', '.join(even) if even else ''}."
    )


def choice_table(store):
    """How good the choice of settings is: what was expected of it, what came, and what the test part itself would choose."""
    table = tables.Table("error, %", "chosen for", "validation rows of a partition",
                         *(f"`{m}`, {what}" for m in METHODS for what in ("chosen: validation", "test", "least test")))
    for name in SETS:
        for way, said in (("set", "the set"), ("partition", "a partition")):
            cells = [figures(store, name, m, way, what) for m in METHODS for what in ("valid", "errors", "least")]
            if cells[0]:
                table.row(name, said, round(ROWS[name] / 5), *(f"{tables.mean(cell):.2f}" for cell in cells))
    return table
