"""What the repository says of the papers is what the stored results give; and the harness itself. Standard library only.

    python3 papers/tests/test_results.py
"""
import csv
import json
import math
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import consistency
import data
import rcf
import render
import rsvt_factors
import tables
import tasks
from store import Store

DOCS = ROOT / "docs" / "papers"


class Pages(unittest.TestCase):
    """Files in the repository, made anew."""

    def test_ranks_are_what_the_results_give(self):
        page = ROOT / "docs" / "methods.md"
        self.assertEqual(render.with_ranks(DOCS / "results", page), page.read_text(encoding="utf-8"),
                         "docs/methods.md differs from the stored results: ./dev papers --render")

    def test_pages_are_what_the_results_give(self):
        with tempfile.TemporaryDirectory() as folder:
            render.pages(DOCS / "results", folder)
            made = {path.name: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).iterdir()}
            kept = {path.name: path.read_text(encoding="utf-8") for path in DOCS.iterdir() if path.is_file()}
        self.assertEqual(sorted(made), sorted(kept), "docs/papers has other files: ./dev papers --render")
        for name, text in made.items():
            self.assertEqual(text, kept[name], f"docs/papers/{name} differs from the results: ./dev papers --render")

    def test_ranks_of_the_page_recomputed(self):
        """From the raw files, by counting who is better on each set."""
        accuracy = {}
        for path in (DOCS / "results" / "ranks").glob("*.json"):
            results = json.loads(path.read_text(encoding="utf-8"))["results"]
            fine = {tuple(key.rsplit("/", 1)): r["accuracy"] for key, r in results.items() if "over" not in r}
            methods = {method for method, _ in fine}
            splits = [s for s in {s for _, s in fine} if all((m, s) in fine for m in methods)]
            accuracy[path.stem] = {m: sum(fine[m, s] for s in splits) / len(splits) for m in methods} if splits else {}
        everyone = set().union(*accuracy.values())
        common = [name for name, of in accuracy.items() if set(of) == everyone]
        lines = (line.split("|")[1:-1] for line in (ROOT / "docs" / "methods.md").read_text(encoding="utf-8").split(render.BEGIN)[1]
                 .split(render.END)[0].splitlines() if line.startswith("|"))
        shown = {cells[0].split(",")[0].strip(" `"): float(cells[1]) for cells in list(lines)[2:]}
        self.assertEqual(set(shown), everyone)
        for method, said in shown.items():
            ranks = [1 + sum(v > of[method] + 1e-8 for v in of.values())
                     + (sum(abs(v - of[method]) <= 1e-8 for v in of.values()) - 1) / 2
                     for of in (accuracy[name] for name in common)]
            self.assertAlmostEqual(sum(ranks) / len(ranks), said, delta=0.051, msg=method)

    def test_counts_of_rcf_recomputed(self):
        """How often rcf is at or under the paper, rf and rf-svm, from the raw files, for both ways to choose settings."""
        text = (DOCS / "rcf.md").read_text(encoding="utf-8")
        for way, said in zip(("set", "partition"), text.split("## A choice for each partition")):
            near = under_rf = under_svm = 0
            for name, (_, _, (printed, spread), _) in rcf.SETS.items():
                kept = self.of_rcf(name)
                total = {method: sum(kept[method][way]["errors"]) for method in rcf.METHODS}
                near += total["rcf"] <= (printed + spread) * kept["partitions"] + 1e-8
                under_rf += total["rcf"] <= total["rf"] + 1e-8
                under_svm += total["rcf"] <= total["rf-svm"] + 1e-8
            self.assertIn(f"the printed deviation on {near} of 11 sets", said)
            self.assertIn(f"at or under `rf` on {under_rf} of 11 sets", said)
            self.assertIn(f"at or under `rf-svm` on {under_svm} of 11 sets", said)

    def of_rcf(self, name):
        return json.loads((DOCS / "results" / "rcf" / f"{name}.json").read_text(encoding="utf-8"))["results"]["table"]

    def test_choices_of_rcf_hold_together(self):
        """One choice for a set is never better on what it is chosen by than one for each partition."""
        for name in rcf.SETS:
            kept = self.of_rcf(name)
            for method in rcf.METHODS:
                one, apart = kept[method]["set"], kept[method]["partition"]
                self.assertTrue(all(settings == one["settings"][0] for settings in one["settings"]))
                for what in ("settings", "valid", "errors", "least"):
                    self.assertEqual([len(one[what]), len(apart[what])], [kept["partitions"]] * 2)
                for what in ("valid", "least"):
                    self.assertTrue(all(a <= b for a, b in zip(apart[what], one[what])), f"{name} {method} {what}")
                if kept["tries"] == kept["trees"] and method != "rcf":  # the forest that is tested is one that was tried
                    self.assertTrue(all(a <= b + 1e-8 for a, b in zip(apart["least"], one["errors"])), f"{name} {method}")
        checked = Store(DOCS / "results").all("rcf/composite").values()
        self.assertTrue(checked and all(r["off"] < 1e-9 for r in checked))  # the search tries what the library trains


class Absent(unittest.TestCase):
    """What is not measured is said to be so."""

    def test_without_results_the_pages_say_so(self):
        with tempfile.TemporaryDirectory() as folder:
            render.pages(pathlib.Path(folder) / "none", folder)
            for name in ("rsvt", "tbrf", "rcf"):
                text = (pathlib.Path(folder) / f"{name}.md").read_text(encoding="utf-8")
                self.assertIn("not measured", text)
                self.assertNotRegex(text, r"\b0 of 0\b|\bnan\b|\bNone\b|\$")

    def test_results_over_their_limit_are_pages_too(self):
        """Of some files, and then of all, nothing was done in time."""
        for share in (*range(6), None):
            with self.subTest(share=share), tempfile.TemporaryDirectory() as folder:
                results = pathlib.Path(folder) / "results"
                shutil.copytree(DOCS / "results", results)
                for number, path in enumerate(sorted(results.rglob("*.json"))):
                    if share is None or number % 6 == share:
                        kept = json.loads(path.read_text(encoding="utf-8"))
                        kept["results"] = {key: {"over": 60, "run": r["run"]} for key, r in kept["results"].items()}
                        path.write_text(json.dumps(kept), encoding="utf-8")
                render.pages(results, folder)

    def test_a_variance_over_fewer_p_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(folder)
            for number, p in enumerate(rsvt_factors.FACTORS):
                kept = {"over": 200} if number == 4 else {"accuracy": 90.0 + number}
                store.put("rsvt/factor-wine", rsvt_factors.factor_key(p, number), kept, {"date": "today"})
            row = next(row for row in rsvt_factors.variance_table(store).rows if row[0] == "wine")
        shares = [0.9 + number / 100 for number in range(10) if number != 4]
        middle = sum(shares) / 9
        self.assertEqual(row[1], f"{sum((share - middle) ** 2 for share in shares) / 8:.2e} (9 of 10 p)")
        self.assertEqual(row[4], "not measured")  # one seed for all: p = 1/3 alone is there


class Figures(unittest.TestCase):
    def test_ranks_share_equals(self):
        self.assertEqual(tables.ranks([3.0, 1.0, 3.0, 2.0]), [1.5, 4.0, 1.5, 3.0])
        self.assertEqual(sum(tables.ranks([5, 5, 5, 1, 7])), 15)

    def test_apart_counts_deviations(self):
        self.assertAlmostEqual(tables.apart([1, 2, 3], 4), -2)
        self.assertAlmostEqual(tables.apart([1, 2, 3], 4, 2), -1)

    def test_beyond_names_what_is_not_explained(self):
        said = tables.beyond({"a": 3.0, "b": -2.5, "c": 1.0, "d": None}, {"a": "because."})
        self.assertIn("- a, +3.0: because.", said)
        self.assertIn("- b, -2.5: **not explained.**", said)
        self.assertNotIn("- c", said)
        self.assertIn("None of the 1 figures", tables.beyond({"c": 1.0, "d": None}, {}))
        self.assertIn("Nothing can be said", tables.beyond({"d": None}, {}))

    def test_rates_are_slopes_of_three_points_or_more(self):
        self.assertAlmostEqual(consistency.rate([(n, 3 * n**-0.5) for n in (10, 200, 7000)]), -0.5)
        self.assertIsNone(consistency.rate([(10, 0.1), (100, 0.01)]))

    def test_excess_is_what_counting_errors_gives(self):
        """It is computed without the new rows' classes; errors counted on these are off by their own noise alone."""
        checked = 0
        for path in (DOCS / "results" / "consistency").glob("*.json"):
            for key, kept in json.loads(path.read_text(encoding="utf-8"))["results"].items():
                error, bayes = kept["error"], kept["bayes"]
                noise = math.sqrt((error * (1 - error) + bayes * (1 - bayes)) / (20_000 * kept["forests"]))
                self.assertLess(abs(error - bayes - kept["excess"]), 4 * noise, f"{path.stem} {key}")
                checked += 1
        self.assertGreater(checked, 100)

    def test_csv_and_markdown_hold_the_same(self):
        table = tables.Table("a", "b")
        table.row("`x`, y", 1)
        self.assertEqual(list(csv.reader(table.csv().splitlines())), [["a", "b"], ["x, y", "1"]])
        self.assertEqual(table.markdown().splitlines()[2], "| `x`, y | 1 |")


class Running(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.said = []

    def run_tasks(self, *given):
        runner = tasks.Runner(Store(self.folder.name), {"date": "today"}, say=self.said.append)
        return runner.run(list(given))

    def test_a_result_done_is_not_done_again(self):
        task = tasks.Task("part/file", "key", "toy.add", {"a": 1, "b": 2})
        self.assertEqual(self.run_tasks(task), 0)
        self.assertEqual(self.said[0], "1 of 1 results are to be measured")
        self.said.clear()
        self.run_tasks(task)
        self.assertEqual(self.said, ["0 of 1 results are to be measured"])
        self.assertEqual(Store(self.folder.name).get("part/file", "key"), {"sum": 3.0})
        self.assertEqual(Store(self.folder.name).runs("part/file"), [{"date": "today"}])

    def test_other_conditions_are_measured_again(self):
        self.run_tasks(tasks.Task("f", "key", "toy.add", {"a": 1, "b": 2}))
        self.run_tasks(tasks.Task("f", "key", "toy.add", {"a": 2, "b": 2}, same={"sum": 4.0}))
        self.assertEqual(Store(self.folder.name).get("f", "key"), {"sum": 4.0})

    def test_the_limit_stops_and_spares_the_rest(self):
        tried = [tasks.Task("f", "spin/0", "toy.spin", {}, limit=1),
                 tasks.Task("f", "spin/1", "toy.spin", {}, limit=1, after="spin/0")]
        self.assertEqual(self.run_tasks(*tried), 0)
        self.assertEqual(Store(self.folder.name).all("f"), {"spin/0": {"over": 1}})
        self.assertTrue(tasks.Task("f", "spin/0", "toy.spin", {}, limit=2).open(Store(self.folder.name)))

    def test_a_failure_is_counted_and_not_kept(self):
        quiet, kept = os.dup(2), os.open(os.devnull, os.O_WRONLY)
        os.dup2(kept, 2)
        try:
            self.assertEqual(self.run_tasks(tasks.Task("f", "k", "toy.fail", {})), 1)
        finally:
            os.dup2(quiet, 2)
        self.assertEqual(Store(self.folder.name).all("f"), {})

    def test_what_is_missing_is_said(self):
        self.run_tasks(tasks.Task("f", "a", "toy.add", {"a": 1, "b": 1}, sets=("no_such_set",)),
                       tasks.Task("f", "b", "toy.add", {"a": 1, "b": 1}, module="no_such_package"))
        self.assertIn("left out: the data set no_such_set is not there (SVFOREST_DATA says where sets are)", self.said)
        self.assertIn("left out: the Python package no_such_package is not installed", self.said)
        self.assertFalse(data.there("no_such_set"))


if __name__ == "__main__":
    unittest.main()
