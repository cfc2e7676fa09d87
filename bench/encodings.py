"""What statistics of categories with many levels, sets of levels and indicators of missing values give, each switched on and off;
with --levels: what a column of 10,000 levels costs."""
import collections
import subprocess
import sys
import tempfile

import common
import numpy
import pandas
from sklearn.model_selection import train_test_split

SPLITS = 3
COLUMNS = 1000000  # one_hot_levels: a column for each level
OFF = {"one_hot_levels": COLUMNS, "missing_indicator": 0}

# Settings of a version; expanded: the table has a 0/1 column for each level before the program sees it.
Version = collections.namedtuple("Version", "name settings expanded")
SETS_OF_LEVELS = [Version("0/1 columns", {}, True), Version("sets of levels", {}, False)]
MACHINES = [
    Version("neither", OFF, False),
    Version("indicators", {"one_hot_levels": COLUMNS}, False),
    Version("statistics", {"missing_indicator": 0}, False),
    Version("both", {}, False),
]
STATISTICS = [Version("0/1 columns", {"one_hot_levels": COLUMNS}, False), Version("statistics", {}, False)]
METHODS = {"rf": SETS_OF_LEVELS, "et": SETS_OF_LEVELS, "ccf": STATISTICS, "rsvt-full": MACHINES, "tbrf-l": MACHINES}

TREES = {"rf": 20, "et": 20, "ccf": 20, "tbrf-l": 20}  # so many are enough to compare two versions
CLASSES_ONLY = ("rsvt-full",)
NUMBERS = ("sacramento", "hotel_rates", "epa2021", "txhousing")  # sets whose target is a number

# Sets with a category of more than 50 levels, or a column that 1% of the rows miss.
SETS = ["titanicp", "sacramento", "hotel_rates", "epa2021", "txhousing", "email"]


def options():
    parser = common.parser(__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--methods", default=",".join([*METHODS, "tbrf-g"]))
    parser.add_argument("--levels", action="store_true", help="time and memory of a column of 10,000 levels")
    return parser.parse_args()


# ---- accuracy ----


def splits(name):
    """Training and test rows of each split, as frames; a target of text is stratified."""
    path = common.DATA / "mixed" / f"{name}.csv.gz"
    if not path.exists():
        return None
    frame = pandas.read_csv(path, keep_default_na=False, na_values=[""])
    target = frame.iloc[:, -1]
    layers = None if name in NUMBERS else target
    return [train_test_split(frame, test_size=1 / 3, random_state=state, stratify=layers) for state in range(SPLITS)]


def expand(train, test):
    """A 0/1 column for each level of a text column that the training rows have."""
    inputs = list(train.columns[:-1])
    texts = [column for column in inputs if not pandas.api.types.is_numeric_dtype(train[column])]
    both = [pandas.get_dummies(frame[inputs], columns=texts, dtype=int) for frame in (train, test)]
    return [
        part.reindex(columns=both[0].columns, fill_value=0).assign(target=frame.iloc[:, -1].to_numpy())
        for part, frame in zip(both, (train, test))
    ]


def score(program, folder, parts, method, version, numbers):
    if version.expanded:
        parts = expand(*parts)
    paths = [folder / f"{kind}.csv" for kind in ("train", "test")]
    for part, path in zip(parts, paths):
        part.to_csv(path, index=False)
    settings = dict(version.settings, **({"trees": TREES[method]} if method in TREES else {}))
    pairs = [word for pair in settings.items() for word in ("-s", "{}={}".format(*pair))]
    task = ["--task", "regress" if numbers else "class"]
    program.report("train", "-m", method, *pairs, *task, "--threads", program.threads, "-o", folder / "model.svf", paths[0])
    report = program.eval(folder / "model.svf", paths[1])
    return report["r2" if numbers else "accuracy"]


def accuracy(program, chosen):
    with tempfile.TemporaryDirectory() as name:
        folder = common.pathlib.Path(name)
        for method in chosen.methods.split(","):
            if method not in METHODS:
                continue
            versions = METHODS[method]
            table = common.Table((method, 14), *[version.name for version in versions])
            for one in chosen.sets:
                parts, numbers = splits(one), one in NUMBERS
                if not parts or (numbers and method in CLASSES_ONLY):
                    continue
                means = [numpy.mean([score(program, folder, part, method, v, numbers) for part in parts]) for v in versions]
                table.row(one, *[f"{mean:.3f}" for mean in means])
            print()


# ---- what 10,000 levels cost ----


def make_tables(folder, rows=100000, levels=10000):
    """Ten numbers, with and without a text column whose levels matter."""
    random = numpy.random.default_rng(0)
    x = random.normal(size=(rows, 10))
    level = (levels * random.random(rows) ** 2).astype(int)
    margin = x[:, 0] + x[:, 1] * x[:, 2] + random.normal(size=levels)[level] + random.normal(size=rows) / 2
    frame = pandas.DataFrame(x.round(4), columns=[f"x{j}" for j in range(10)])
    target = numpy.where(margin > 0, "yes", "no")
    frame.assign(y=target).to_csv(folder / "without.csv", index=False)
    frame.assign(city=[f"city{number:05d}" for number in level], y=target).to_csv(folder / "with.csv", index=False)


# Runs a program and says what it took. The process that starts it is small: its memory counts, too.
MEASURE = """import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(code)"""


def cost(program, method, settings, data, model):
    """Processor seconds and megabytes of training, reading included."""
    words = [program.path, "train", "-q", "-m", method, *settings, "-o", model, data, "--threads", program.threads]
    launch = ["sh", "-c", '"$@"', "sh", sys.executable, "-c", MEASURE]
    done = subprocess.run([*launch, *map(str, words)], capture_output=True, text=True, check=True)
    return map(float, done.stdout.split())


def costs(program, chosen):
    bars = {"rf": 2, "et": 2, "ccf": 3, "rsvt-full": 3, "tbrf-g": 3}
    few = {"rf": 20, "et": 20, "ccf": 10, "tbrf-g": 1}
    table = common.Table(("method", 10), "seconds", "with it", "ratio", "bar", "MB", "with it", "model, kB", "with it")
    with tempfile.TemporaryDirectory() as name:
        folder = common.pathlib.Path(name)
        make_tables(folder)
        for method, bar in bars.items():
            if method not in chosen.methods.split(","):
                continue
            settings = ["-s", f"trees={few[method]}"] if method in few else []
            found = [cost(program, method, settings, folder / f"{kind}.csv", folder / f"{kind}.svf")
                     for kind in ("without", "with")]
            sizes = [(folder / f"{kind}.svf").stat().st_size // 1000 for kind in ("without", "with")]
            (time, memory), (time_with, memory_with) = found
            table.row(method, f"{time:.2f}", f"{time_with:.2f}", f"{time_with / time:.2f}", bar, f"{memory:.0f}",
                      f"{memory_with:.0f}", *sizes)


def main():
    chosen = options()
    program = common.Program(chosen)
    if chosen.levels:
        costs(program, chosen)
    else:
        accuracy(program, chosen)


if __name__ == "__main__":
    main()
