"""The experiments of the papers: measures what is not measured yet, then makes pages, tables and pictures of all results."""
import argparse
import os
import pathlib
import shutil
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # one thread for everybody: before NumPy is loaded
import data
import render
from store import Store
from tasks import Runner

sys.path.append(str(data.ROOT / "bench"))  # common.py, sklearn_rsvt.py, svm_knn.py
PARTS = {"rsvt": ["rsvt"], "consistency": ["consistency"], "rsvf": ["rsvf"], "rcf": ["rcf"], "tbrf": ["tbrf"],
         "classic": ["ranks", "classic"], "ranks": ["ranks"], "slides": ["classic"]}


def options():
    parser = argparse.ArgumentParser(prog="./dev papers", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="small forms of all, anew, into build/papers")
    parser.add_argument("--render", action="store_true", help="measure nothing, make the pages of what is there")
    parser.add_argument("--fetch", metavar="SETS", help="a,b,c: get these from OpenML into SVFOREST_DATA, and nothing else")
    parser.add_argument("--jobs", type=int, default=1, help="results measured at a time (default 1)")
    parser.add_argument("--splits", type=int, help="splits of a set, instead of each experiment's own number")
    parser.add_argument("--rows", type=int, help="most rows of a set in the table of ranks, and most n in consistency")
    parser.add_argument("--sets", help="a,b,c: those alone in the table of ranks, and in RCF's")
    parser.add_argument("--trees", type=int, help="of the methods that have fewer than their own in the table of ranks")
    parser.add_argument("--limit", type=int, help="most seconds of processor time of one result")
    chosen = parser.parse_args()
    wrong = [part for part in chosen.parts if part not in PARTS]
    if wrong:
        parser.error(f"no such part: {wrong[0]}; there are {', '.join(PARTS)}")
    return chosen


def measure(chosen, results):
    import facts
    names = dict.fromkeys(name for part in chosen.parts or PARTS for name in PARTS[part])
    modules = [render.PAPERS[name] for name in names if name in render.PAPERS]
    runner = Runner(Store(results), facts.gather(), chosen.jobs, lambda line: print(line, flush=True))
    return runner.run([task for module in modules for task in module.tasks(chosen)])


def main():
    chosen = options()
    if chosen.fetch:
        import fetch
        for name in chosen.fetch.split(","):
            fetch.fetch(name, data.DATA)
        return
    folder = data.ROOT / ("build/papers" if chosen.quick else "docs/papers")
    if chosen.quick:
        shutil.rmtree(folder, ignore_errors=True)
    failed = 0 if chosen.render else measure(chosen, folder / "results")
    render.pages(folder / "results", folder)
    print(f"written: {folder.relative_to(data.ROOT)}")
    path = data.ROOT / "docs" / "methods.md"
    text = None if chosen.quick else render.with_ranks(folder / "results", path)
    if text and text != path.read_text(encoding="utf-8"):
        pathlib.Path(path).write_text(text, encoding="utf-8")
        print("written: docs/methods.md")
    sys.exit(f"{failed} results failed" if failed else 0)


if __name__ == "__main__":
    main()
