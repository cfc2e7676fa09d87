"""What partition_rows costs: error and seconds of training by the number of rows that decide the cuts, with a picture."""
import collections
import pathlib
import statistics
import sys
import tempfile

import common

FEATURES, TEST = 20, 20000
PARTS = (1, 10, 2, 5, 20, 50)  # that of the rows which decide the cuts; the judged ones first
BAR = 0.003  # most that a tenth of the rows may change accuracy or R2
NOTES = common.ROOT / "bench" / "results" / "scale.json"

Case = collections.namedtuple("Case", "method kind rows trees")
JUDGED = (Case("rsvt-full", "classification", 1_000_000, 10), Case("metric-forest", "friedman1", 100_000, 1))


def measure_of(case):
    return "accuracy" if case.kind == "classification" else "r2"


def split(whole, rows, train, test):
    """The first rows, and the last TEST ones, each under the header."""
    with open(whole, encoding="utf-8") as lines, open(train, "w", encoding="utf-8") as first, \
            open(test, "w", encoding="utf-8") as last:
        for number, line in enumerate(lines):
            if number <= rows:
                first.write(line)
            if number == 0 or number > rows:
                last.write(line)


class Tables:
    """The two tables of a case, made when they are wanted first."""

    def __init__(self, program, case, folder):
        self.program, self.case, self.made = program, case, False
        self.train, self.test, self.model = (folder / f"{case.method}.{name}" for name in ("train.csv", "test.csv", "svf"))

    def make(self):
        if self.made:
            return
        whole = self.train.with_name("whole.csv")
        classes = ("--classes", 3) if measure_of(self.case) == "accuracy" else ()
        self.program.run("synth", self.case.kind, "-n", self.case.rows + TEST, "-d", FEATURES, *classes, "--seed", 1, "-o",
                         whole)
        split(whole, self.case.rows, self.train, self.test)
        whole.unlink()
        self.made = True

    def result(self, part, seed):
        self.make()
        drawn = "all" if part == 1 else self.case.rows // part
        told = self.program.train(self.train, self.model, self.case.method, seed, trees=self.case.trees,
                                  partition_rows=drawn)
        return [self.program.eval(self.model, self.test)[measure_of(self.case)], told["seconds"]]


def curve(program, notes, case, chosen):
    """Mean result by part; a line of the table for each."""
    measure, means = measure_of(case), {}
    print(f"\n## {case.method}, {case.trees} tree{'s' if case.trees > 1 else ''}, {case.rows} x {FEATURES}, {case.kind}, "
          f"{chosen.seeds} seeds\n\n| partition_rows | {measure} | deviation | seconds |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        tables = Tables(program, case, pathlib.Path(name))
        for part in chosen.parts:
            each = [notes.figure(" ".join(map(str, (*case, part, seed))), lambda s=seed, p=part: tables.result(p, s))
                    for seed in range(1, chosen.seeds + 1)]
            results, seconds = zip(*each)
            spread = statistics.stdev(results) if len(results) > 1 else 0
            means[part] = statistics.mean(results), spread
            drawn = "all" if part == 1 else case.rows // part
            print(f"| {drawn} | {means[part][0]:.4f} | {spread:.4f} | {statistics.mean(seconds):.2f} |", flush=True)
    return means


def draw(path, curves):
    """Error against the share of rows that decide the cuts, as multiples of the error with all rows."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    matplotlib.rcParams.update({"svg.hashsalt": "scale", "svg.fonttype": "none", "font.family": "sans-serif"})
    figure, axes = pyplot.subplots(figsize=(6, 3.2), layout="constrained")
    for case, means in curves.items():
        parts = sorted(means)
        whole = 1 - means[1][0]
        axes.errorbar([1 / part for part in parts], [(1 - means[part][0]) / whole for part in parts],
                      [means[part][1] / whole for part in parts], marker="o", capsize=3,
                      label=f"{case.method}, {case.rows:,} rows")
    axes.set(xscale="log", xlabel="partition_rows / rows", ylabel="error / error with all rows")
    axes.axhline(1, color="gray", linewidth=0.8)
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main():
    options = common.parser(__doc__)
    options.add_argument("--rows", type=int, help="one case of your own: rows to train on (default: 100000)")
    options.add_argument("--method", help="of your own case (default: rsvt-full)")
    options.add_argument("--kind", help="synthetic set of your own case (svforest synth; default: classification)")
    options.add_argument("--trees", type=int, help="of your own case (default: 10)")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--parts", type=int, nargs="+", default=PARTS, help="1 is all rows, 10 a tenth of them")
    options.add_argument("--picture", help="SVG file to draw the curves into")
    common.add_notes(options)
    options.set_defaults(notes=str(NOTES))
    chosen = options.parse_args()
    program = common.Program(chosen)
    common.print_machine(program)
    own = Case(chosen.method or "rsvt-full", chosen.kind or "classification", chosen.rows or 100_000, chosen.trees or 10)
    cases = (own,) if chosen.rows or chosen.method or chosen.kind or chosen.trees else JUDGED
    curves = {case: curve(program, common.Notes(chosen.notes), case, chosen) for case in cases}
    if chosen.picture:
        draw(chosen.picture, curves)
    print()
    fine = True
    for case, means in curves.items():
        if case in JUDGED and {1, 10} <= set(means):
            change = means[10][0] - means[1][0]
            fine &= common.judge(case.method, f"a tenth of the rows changes {measure_of(case)} by {change:+.4f}, at most {BAR}",
                                 abs(change) < BAR)
    sys.exit(not fine)


if __name__ == "__main__":
    main()
