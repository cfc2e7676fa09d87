"""Pages, tables and pictures from the stored results alone; standard library only."""
import pathlib
import re
import string

import classic
import consistency
import figures
import ranks
import rcf
import rsvf
import rsvt
import tbrf
from store import Store

# Name of the page: the module that knows it. One more paper is one more row.
PAPERS = {"ranks": ranks, "rsvt": rsvt, "consistency": consistency, "rsvf": rsvf, "rcf": rcf, "tbrf": tbrf,
          "classic": classic}
TEXTS = pathlib.Path(__file__).parent / "text"  # of the pages, with places for what the modules give
BEGIN, END = "<!-- ./dev papers: the table of ranks -->", "<!-- end of the table -->"


class Pages:
    """What a page writes beside itself, and how it says where its figures come from."""

    def __init__(self, folder, store):
        self.folder, self.store = folder, store

    def table(self, name, table):
        """Writes the CSV; returns the table for the page."""
        (self.folder / f"{name}.csv").write_text(table.csv(), encoding="utf-8")
        return f"{table.markdown()}\n\n([as CSV]({name}.csv))"

    def picture(self, name, panels, text, across=2):
        """Draws panels into a file; returns what shows them on the page, nothing where there are none."""
        panels = [panel for panel in panels if panel]
        if not panels:
            return ""
        (self.folder / f"{name}.svg").write_text(figures.sheet(panels, across), encoding="utf-8")
        return f"![{text}]({name}.svg)"

    def source(self, start):
        """A paragraph that names the runs behind the files that start so."""
        runs = []
        for file in self.store.names(start):
            runs += [run for run in self.store.runs(file) if run not in runs]
        said = ["; ".join(run[k] if k in ("date", "machine") else f"{k} {run[k]}" for k in run) for run in runs]
        return "Measured: " + "\n\n".join(said) + ".\n\nSeeds are the numbers of splits or forests, from 0 on." if said else ""


def pages(store_folder, folder):
    store, folder = Store(store_folder), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, module in PAPERS.items():
        text = string.Template((TEXTS / f"{name}.md").read_text(encoding="utf-8"))
        made = text.substitute(module.page(store, Pages(folder, store)))
        (folder / f"{name}.md").write_text(re.sub(r"\n{3,}", "\n\n", made).strip() + "\n", encoding="utf-8")


def ranks_block(store):
    table, _ = ranks.summary(store)
    return f"{BEGIN}\n{ranks.conditions(store)} (`./dev papers ranks`):\n\n{table.markdown()}\n{END}"


def with_ranks(store_folder, path):
    """The page with its block as the results give it; None where it has no block."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    start, end = text.find(BEGIN), text.find(END)
    if start < 0 or end < start:
        return None
    return text[:start] + ranks_block(Store(store_folder)) + text[end + len(END):]
