"""The picture of docs/metric.md: two of twenty features matter; one machine with all features alike beside one that learned."""
import io
import pathlib
import tempfile

import matplotlib
import numpy
import pandas

import common

FEATURES, ROWS, TEST, GRID, NOISE = 20, 500, 2000, 40, 0.1
LEARNED = {"all features alike": {}, "learned, diagonal": {"metric": "diagonal"}}


def truth(x):
    return numpy.sin(4 * x[:, 0]) + 2 * x[:, 1] ** 2


def table(x, values):
    """As CSV."""
    frame = pandas.DataFrame(x, columns=[f"x{j + 1}" for j in range(FEATURES)])
    return frame.assign(y=values).to_csv(index=False)


def plane():
    """The first two features over a grid, the others in their middle."""
    side = numpy.linspace(-1, 1, GRID)
    x = numpy.zeros((GRID * GRID, FEATURES))
    x[:, 0], x[:, 1] = (part.ravel() for part in numpy.meshgrid(side, side))
    return side, x


def answers(program, folder, settings):
    """To the grid; and R2 on rows that did not train."""
    program.train(folder / "train.csv", folder / "model.svf", "ls-svm", **settings)
    found = pandas.read_csv(io.StringIO(program.run("predict", folder / "model.svf", folder / "grid.csv")))
    return found.iloc[:, 0].to_numpy(), program.eval(folder / "model.svf", folder / "test.csv")["r2"]


def draw(program, path):
    from matplotlib import pyplot as plt
    random = numpy.random.default_rng(0)
    train, test = (random.uniform(-1, 1, (rows, FEATURES)) for rows in (ROWS, TEST))
    side, grid = plane()
    panels = {"truth": (truth(grid), None)}
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "train.csv").write_text(table(train, truth(train) + random.normal(scale=NOISE, size=ROWS)))
        (folder / "test.csv").write_text(table(test, truth(test)))
        (folder / "grid.csv").write_text(table(grid, truth(grid)))
        for name, settings in LEARNED.items():
            panels[name] = answers(program, folder, settings)
    matplotlib.rcParams.update({"svg.hashsalt": "svforest", "path.simplify_threshold": 1})
    figure, axes = plt.subplots(1, len(panels), figsize=(9, 3.8), sharey=True, layout="constrained")
    levels = numpy.linspace(truth(grid).min(), truth(grid).max(), 13)
    for ax, (name, (values, r2)) in zip(axes, panels.items()):
        ax.contourf(side, side, values.reshape(GRID, GRID), levels, extend="both", cmap="viridis")
        ax.set(title=name if r2 is None else f"{name}\nR2 {r2:.3f} on other rows", xlabel="x1", aspect="equal")
    axes[0].set_ylabel("x2")
    figure.savefig(path, metadata={"Date": None})
    print({name: r2 for name, (_, r2) in panels.items() if r2 is not None})


if __name__ == "__main__":
    options = common.parser(__doc__)
    options.add_argument("--picture", default=str(common.ROOT / "docs" / "img" / "metric.svg"), help="where it goes")
    given = options.parse_args()
    draw(common.Program(given), given.picture)
