"""Draws docs/img/tbrf.svg: a noisy sine under one Voronoi partition, and under TBRF as trees come in."""
import pathlib
import tempfile

import numpy
import pandas

import common

N, GRID, CELLS = 600, 1600, 8
PANELS = [("vp-svm, one partition", "vp-svm", 1), ("tbrf-g, 1 tree", "tbrf-g", 1), ("tbrf-g, 4 trees", "tbrf-g", 4),
          ("tbrf-g, 50 trees", "tbrf-g", 50)]
WIDTH, HEIGHT, GAP = 430, 250, 40


def place(x, y, column, row):
    left, top = GAP + column * (WIDTH + GAP), GAP + row * (HEIGHT + GAP)
    return left + x * WIDTH, top + HEIGHT * (1.9 - y) / 3.8


def points(xs, ys, column, row):
    return " ".join("{:.1f},{:.1f}".format(*place(x, y, column, row)) for x, y in zip(xs, ys))


def panel(number, title, train, grid, answers):
    column, row = number % 2, number // 2
    left, top = place(0, 1.9, column, row)
    steps = numpy.abs(numpy.diff(answers))
    dots = "".join('<circle cx="{:.1f}" cy="{:.1f}" r="1.5"/>'.format(*place(x, y, column, row)) for x, y in train)
    return (f'<g><rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>'
            f'<g fill="#bbb">{dots}</g>'
            f'<polyline fill="none" stroke="#c22" stroke-width="1.6" points="{points(grid, answers, column, row)}"/>'
            f'<polyline fill="none" stroke="#226" stroke-dasharray="5 4" '
            f'points="{points(grid, numpy.sin(12 * grid), column, row)}"/>'
            f'<text x="{left}" y="{top - 8}">{title}: largest step {steps.max():.3f}</text></g>')


def main():
    options = common.parser(__doc__)
    options.add_argument("--output", default=str(common.ROOT / "docs" / "img" / "tbrf.svg"))
    chosen = options.parse_args()
    program = common.Program(chosen)
    random = numpy.random.default_rng(1)
    x = random.random(N)
    train = numpy.column_stack([x, numpy.sin(12 * x) + 0.3 * random.standard_normal(N)])
    grid = numpy.linspace(0, 1, GRID)
    shown = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pandas.DataFrame(train, columns=["x", "y"]).to_csv(folder / "train.csv", index=False)
        pandas.DataFrame({"x": grid}).to_csv(folder / "grid.csv", index=False)
        for number, (title, method, trees) in enumerate(PANELS):
            extra = {"widths": "0.5,1", "C_grid": "1,10,100"}
            if method != "vp-svm":
                extra["splits_per_row"] = 0
            program.train(folder / "train.csv", folder / "m.svf", method, 3, trees=trees, cells=CELLS, **extra)
            program.run("predict", folder / "m.svf", folder / "grid.csv", "-o", folder / "out.csv")
            answers = pandas.read_csv(folder / "out.csv")["prediction"].to_numpy()
            shown.append(panel(number, title, train[:300], grid, answers))
    size = (3 * GAP + 2 * WIDTH, 3 * GAP + 2 * HEIGHT)
    pathlib.Path(chosen.output).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" font-family="sans-serif" '
        f'font-size="14"><rect width="100%" height="100%" fill="white"/>{"".join(shown)}</svg>\n', encoding="utf-8")


if __name__ == "__main__":
    main()
