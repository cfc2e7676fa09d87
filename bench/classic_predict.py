"""Prediction of rf and et, 100 trees, beside scikit-learn's with the same settings: rows per second of whole tables."""
import pathlib
import pickle
import sys
import tempfile

import numpy

import common
from classic_speed import PEERS, PROBLEMS, TREES, choose
from predict import Forest, Library, best_in_turn

LEAST = 3  # times the rows per second of the peer


class Folder:
    """Where models are kept: one that is there is not trained again."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.mkdir(parents=True, exist_ok=True)

    def kept(self, name, make):
        """The file of this name; make(file) writes it where it is not there."""
        file = self.path / name
        if not file.exists():
            part = file.with_suffix(".part")
            make(part)
            part.rename(file)
        return file


def data_of(program, folder, problem, name):
    """The table of a problem as a file; None where its set is absent."""
    file = folder.path / f"{name}.csv"
    if file.exists():
        return file
    with tempfile.TemporaryDirectory(dir=folder.path) as place:
        made = problem.make(program, pathlib.Path(place))
        return made and made.rename(file)


def peer_of(program, folder, problem, method, name, X, y):
    def fit(file):
        model = PEERS[method, problem.classes](n_estimators=TREES, random_state=0, n_jobs=program.threads).fit(X, y)
        file.write_bytes(pickle.dumps(model))
    return pickle.loads(folder.kept(f"{name}-{method}.pickle", fit).read_bytes())


def contenders(options, program, folder, problem, method):
    """Ours and the peer's prediction of all rows, as calls, and how many rows; None where the set is absent."""
    name = problem.name.replace(" ", "").replace(",", "")
    data = data_of(program, folder, problem, name)
    if not data:
        return None
    model = folder.kept(f"{name}-{method}.svf", lambda file: program.train(data, file, method, trees=TREES))
    frame = common.read_set(data)
    X, y = common.features(frame).astype(numpy.float32), common.labels(frame)
    forest = Forest(Library(options.library), model, X)
    calls = {"svforest": lambda: forest.predict(program.threads)}
    if not options.ours:
        peer = peer_of(program, folder, problem, method, name, X, y)
        peer.n_jobs = program.threads
        calls["scikit-learn"] = lambda: peer.predict(X)
    return calls, len(X)


def show(table, method, problem, times, n):
    """One line; returns whether the bar is reached (nothing to compare with: yes)."""
    mine, other = times["svforest"], times.get("scikit-learn")
    speeds = [f"{n / best / 1e3:.0f}" if best else "-" for best in (mine, other)]
    ratio = other / mine if other else LEAST
    table.row(f"{method} {problem.name}", *speeds, f"{ratio:.1f}" if other else "-", common.verdict(ratio >= LEAST))
    return ratio >= LEAST


def run(options, place):
    program, folder = common.Program(options), Folder(place)
    common.print_machine(program)
    table = common.Table(("1000 rows/s", 17), "svforest", "scikit-learn", "ratio", "verdict")
    verdicts = []
    for problem in choose(PROBLEMS, options.sets):
        for method in ("rf", "et"):
            found = contenders(options, program, folder, problem, method)
            if found:
                verdicts.append(show(table, method, problem, best_in_turn(found[0], options.rounds), found[1]))
    print(f"\nratio: our rows per second over scikit-learn's, at least {LEAST}; {program.threads} threads each, "
          f"the best of {options.rounds} rounds in turn")
    return all(verdicts)


def main():
    arguments = common.parser(__doc__)
    arguments.add_argument("--library", default=str(common.ROOT / "build" / "libsvforest.so"), help="what predicts")
    arguments.add_argument("--rounds", type=int, default=5, help="of which the best counts")
    arguments.add_argument("--sets", help="only these, with semicolons between")
    arguments.add_argument("--models", help="folder to keep trained models in, so that another run need not train")
    arguments.add_argument("--ours", action="store_true", help="without the peer")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return run(options, options.models or folder)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
