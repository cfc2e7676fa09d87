"""What tuning brings on rows that it did not see: test results of a method as it is and as svforest tune chose it."""
import pathlib
import tempfile

import numpy
from sklearn.model_selection import train_test_split

import common

SPLITS = range(3)  # random_state of the splits with a third for testing

# A set, a method, and its fixed settings.
CASES = [
    ("wine", "rsvt", {}),
    ("vehicle", "rsvt", {}),
    ("german", "rsvt", {}),
    ("segment", "rsvt", {}),
    ("contraceptive", "rf", {"trees": 50}),
    ("sarcos_testpart", "rf", {"trees": 20}),
    ("sarcos_testpart", "et", {"trees": 20}),
]


def write_split(frame, state, folder):
    """Writes one split, stratified for classes; returns the two files."""
    target = frame.iloc[:, -1]
    classes = target.nunique() <= 50
    parts = train_test_split(frame, test_size=1 / 3, stratify=target if classes else None, random_state=state)
    files = [folder / "train.csv", folder / "test.csv"]
    for part, file in zip(parts, files):
        part.to_csv(file, index=False)
    return files


def measure(program, method, settings, files, folder):
    """Test results as it is and tuned, cross-validated result of the tuned, seconds of the search, settings found."""
    train, test = files
    fixed = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    program.train(train, folder / "plain.svf", method, **settings)
    found = program.report("tune", "-m", method, *fixed, "--threads", program.threads, "-o", folder / "tuned.svf", train)
    results = [program.eval(folder / model, test) for model in ("plain.svf", "tuned.svf")]
    key = "accuracy" if "accuracy" in results[0] else "mse"
    return [result[key] for result in results] + [found["best"], found["seconds"]], found["flags"]


def main():
    parser = common.parser(__doc__)
    parser.add_argument("sets", metavar="SET", nargs="*", help="these sets only")
    options = parser.parse_args()
    program = common.Program(options)
    print("| set | method | as it is | tuned | tuned, by its own folds | seconds of the search | chosen for the last split |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, method, settings in CASES:
        paths = common.find_set(name) if not options.sets or name in options.sets else None
        if not paths:
            continue
        frame = common.read_set(paths[0])
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            rows = []
            for state in SPLITS:
                row, flags = measure(program, method, settings, write_split(frame, state, folder), folder)
                rows.append(row)
        plain, tuned, own, seconds = numpy.mean(rows, axis=0)
        chosen = flags.split("-s ")[1 + len(settings):]
        print(f"| {name} | {method} | {plain:.4f} | {tuned:.4f} | {own:.4f} | {seconds:.1f} | "
              f"{' '.join(word.strip() for word in chosen) or 'nothing else'} |", flush=True)


if __name__ == "__main__":
    main()
