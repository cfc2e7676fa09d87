"""What partition_rows costs: accuracy or R2, and seconds of training, by the number of rows that decide the cuts."""
import pathlib
import statistics
import tempfile

import common

FEATURES, TEST = 20, 20000


def split(whole, rows, train, test):
    """The first rows, and the last TEST ones, each under the header."""
    with open(whole, encoding="utf-8") as lines, open(train, "w", encoding="utf-8") as first, \
            open(test, "w", encoding="utf-8") as last:
        for number, line in enumerate(lines):
            if number <= rows:
                first.write(line)
            if number == 0 or number > rows:
                last.write(line)


def main():
    options = common.parser(__doc__)
    options.add_argument("--rows", type=int, default=100000, help="to train on")
    options.add_argument("--method", default="rsvt-full")
    options.add_argument("--kind", default="classification", help="synthetic set (svforest synth)")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--trees", type=int, default=10)
    chosen = options.parse_args()
    program = common.Program(chosen)
    measure = "accuracy" if chosen.kind == "classification" else "r2"
    print(f"| partition_rows | {measure} | deviation | seconds |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole, train, test, model = (folder / file for file in ("whole.csv", "train.csv", "test.csv", "m.svf"))
        classes = ("--classes", 3) if measure == "accuracy" else ()
        program.run("synth", chosen.kind, "-n", chosen.rows + TEST, "-d", FEATURES, *classes, "--seed", 1, "-o", whole)
        split(whole, chosen.rows, train, test)
        for part in (1, 2, 5, 10, 20, 50):
            drawn = "all" if part == 1 else chosen.rows // part
            results, seconds = [], []
            for seed in range(1, chosen.seeds + 1):
                told = program.train(train, model, chosen.method, seed, trees=chosen.trees, partition_rows=drawn)
                seconds.append(told["seconds"])
                results.append(program.eval(model, test)[measure])
            spread = statistics.stdev(results) if len(results) > 1 else 0
            print(f"| {drawn} | {statistics.mean(results):.4f} | {spread:.4f} | {statistics.mean(seconds):.2f} |",
                  flush=True)


if __name__ == "__main__":
    main()
