"""Pages that run: ```{run}``` executes Python and shows what it prints and draws, ```{command}``` runs the command,
```{methods}``` and ```{settings}``` are the library's tables, ```{reference}``` lists the pages of the classes. What fails, fails the build."""

import contextlib
import io
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from matplotlib import pyplot as plt
from sphinx.util.docutils import SphinxDirective

import svforest
from svforest import plot
from svforest._keywords import OWN
from svforest._tables import value_of

ROOT = Path(__file__).parents[2]
COMMAND = os.environ.get("SVFOREST_COMMAND") or str(ROOT / "build" / "svforest")


class Run(SphinxDirective):
    """Blocks of a page share their variables."""

    has_content = True
    option_spec = {"alt": directives.unchanged, "hide": directives.flag}

    def run(self):
        source, page = "\n".join(self.content), self.env.docname
        store = self.env.temp_data.setdefault("live", {"__name__": "__docs__"})
        printed = io.StringIO()
        plt.close("all")
        with contextlib.redirect_stdout(printed):
            exec(compile(source, f"{page}.md", "exec"), store)
        shown = [] if "hide" in self.options else [literal(source, "python")]
        if printed.getvalue().strip():
            shown.append(literal(printed.getvalue().rstrip(), "text"))
        for number in plt.get_fignums():
            shown.append(self.picture(plt.figure(number)))
        plt.close("all")
        return shown

    def picture(self, figure):
        count = self.env.temp_data["pictures"] = self.env.temp_data.get("pictures", 0) + 1
        name = f"{self.env.docname.replace('/', '_')}_{count}.svg"
        folder = Path(self.env.app.outdir) / "_images" / "live"
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / name, metadata={"Date": None})
        figure.savefig((folder / name).with_suffix(".png"), dpi=100)
        up = "../" * self.env.docname.count("/")
        alt = self.options.get("alt", "What the code above draws")
        return nodes.raw("", f'<p><img src="{up}_images/live/{name}" alt="{alt}"></p>', format="html")


class Command(SphinxDirective):
    """The rest of the line goes to svforest; what it prints is shown below it."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        words = shlex.split(self.arguments[0])
        done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=True)
        return [literal(f"$ svforest {self.arguments[0]}\n{done.stdout.rstrip()}", "text")]


class Rows(SphinxDirective):
    """A table in Markdown, made of the library's."""

    def run(self):
        holder = nodes.container()
        self.state.nested_parse(StringList(self.lines(), "live"), 0, holder)
        return holder.children

    def lines(self):
        raise NotImplementedError


def table(head, rows):
    rows = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]


class Methods(Rows):
    def lines(self):
        tasks = {name: [t for t, n in ((1, "classes"), (2, "numbers")) if m.allows(t)] for name, m in svforest.methods.items()}
        words = {1: "classes", 2: "numbers"}
        return table(
            ["method", "class", "for", "what it is", "paper"],
            [
                [f"`{name}`", f"`{m.class_stem}...`", ", ".join(words[t] for t in tasks[name]), m.title, m.paper]
                for name, m in svforest.methods.items()
            ],
        )


class Settings(Rows):
    """A list, as the rows are too wide for a table."""

    def lines(self):
        return [line for setting in svforest.settings for line in self.entry(setting)]

    def entry(self, s):
        other = "" if s.keyword == s.name else f" (`-s {s.name}`)"
        words = "`None`, `'balanced'` or a dict" if s.name == "class_weight" else ", ".join(f"`{word!r}`" for word in s.words)
        values = words if s.type in ("choice", "kind") else f"{s.range.split('|')[-1]}, {words}" if words else s.range
        readers = [f"`{k.seam}={k.name}`" for k in svforest.kinds if s.name in k.settings]
        return [
            f"`{s.keyword}`{other}",
            f": Default `{python_value(s)}`; {values or 'text'}.",
            "",
            f"  {sentence(s.help)}." + (f" Read by {', '.join(readers)}." if readers else ""),
            "",
        ]


def sentence(text):
    """With a capital letter, unless it begins with a letter of a formula."""
    return text if text[1:2] in ": =" else text[0].upper() + text[1:]


def python_value(setting):
    """The default as Python writes it."""
    if setting.keyword in OWN:
        return repr(OWN[setting.keyword])
    value = value_of(setting, setting.standard)
    return repr(None if setting.name == "class_weight" and value == "none" else value)


class Kinds(Rows):
    def lines(self):
        return table(
            ["choice", "kind", "what it does", "its settings"],
            [[k.seam, f"`{k.name}`", k.help, ", ".join(f"`{s}`" for s in k.settings)] for k in svforest.kinds],
        )


class Reference(Rows):
    """The pages of the reference, one for each method."""

    def lines(self):
        rows = [[f"[{page}](reference/{page}.md)", title, ", ".join(f"`{name}`" for name in names)] for page, title, names in reference()]
        rows.append(["[plots](reference/plots.md)", "pictures of forests and of what they predict", "`svforest.plot`"])
        pages = [row[0].split("(")[1][:-4] for row in rows]
        return table(["page", "what it is", "classes"], rows) + ["", "```{toctree}", ":hidden:", *pages, "```"]


def reference():
    """Pages of the reference: name, title, classes."""
    ends = ("Classifier", "Regressor")
    public = set(svforest.__all__)
    yield "any", "any method, by default a committee of several", [f"SVForest{end}" for end in ends]
    for name, method in svforest.methods.items():
        yield name, method.title, [f"{method.class_stem}{end}" for end in ends if f"{method.class_stem}{end}" in public]


def write_reference(app):
    """Pages that autodoc fills; git ignores them."""
    folder = Path(app.srcdir) / "python" / "reference"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for page, title, names in reference():
        lines = [f"# {page}", "", f"{title}.", "", "```{eval-rst}"]
        lines += [line for name in names for line in (f".. autoclass:: svforest.{name}", "   :members:", "")]
        (folder / f"{page}.md").write_text("\n".join([*lines, "```", ""]))
    plots = [f".. autofunction:: svforest.plot.{name}" for name in plot.__all__]
    about = "`svforest.plot` needs matplotlib. Every function takes an axis (None: a new one) and returns it."
    (folder / "plots.md").write_text("\n".join(["# Plots", "", about, "", "```{eval-rst}", *plots, "```", ""]))


def literal(text, language):
    node = nodes.literal_block(text, text)
    node["language"] = language
    return node


def setup(app):
    for name, directive in {"run": Run, "command": Command, "methods": Methods, "settings": Settings, "kinds": Kinds, "reference": Reference}.items():
        app.add_directive(name, directive)
    app.connect("builder-inited", write_reference)
    return {"parallel_read_safe": False, "version": svforest.__version__}
