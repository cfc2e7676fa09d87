"""Pages that run: ```{run}``` executes Python and shows what it prints and draws, ```{command}``` runs the command,
```{methods}``` and ```{settings}``` are the library's tables. What fails, fails the build."""

import contextlib
import io
import os
import shlex
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
    def lines(self):
        readers = {s.name: [f"`{k.seam}={k.name}`" for k in svforest.kinds if s.name in k.settings] for s in svforest.settings}
        return table(
            ["keyword", "setting", "default", "values", "what it is", "read by"],
            [
                [f"`{s.keyword}`", f"`{s.name}`", f"`{s.standard}`", s.range or ", ".join(s.words), s.help, ", ".join(readers[s.name]) or "all"]
                for s in svforest.settings
            ],
        )


class Kinds(Rows):
    def lines(self):
        return table(
            ["choice", "kind", "what it does", "its settings"],
            [[k.seam, f"`{k.name}`", k.help, ", ".join(f"`{s}`" for s in k.settings)] for k in svforest.kinds],
        )


class Classes(Rows):
    """Every class, documented."""

    def lines(self):
        names = [name for name in svforest.__all__ if name.endswith(("Classifier", "Regressor"))]
        return [line for name in names for line in ("```{eval-rst}", f".. autoclass:: svforest.{name}", "   :members:", "```", "")]


def literal(text, language):
    node = nodes.literal_block(text, text)
    node["language"] = language
    return node


def setup(app):
    for name, directive in {"run": Run, "command": Command, "methods": Methods, "settings": Settings, "kinds": Kinds, "classes": Classes}.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": False, "version": svforest.__version__}
