"""Charts and maps of the plane as SVG, panel beside panel. Standard library only."""
import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 380, 300, 64, 34, 16, 48
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#8c6d31")
FILLS = ("#cfe3f5", "#fbdcc0", "#cdeadd", "#f2d9e8")


class Scale:
    """Numbers to places along an axis, linear or logarithmic, with the numbers that are written at it."""

    def __init__(self, values, log, start, end, zero=False):
        self.log, self.start, self.end = log, start, end
        low, high = min(values), max(values)
        if zero and not log:
            low, high = min(0, low), high + 0.05 * (high - min(0, low))
        self.low, self.high = (low, high) if high > low else (low - 0.5, low + 0.5)

    def at(self, value):
        turn = math.log if self.log else float
        low, high = turn(self.low), turn(self.high)
        return self.start + (turn(value) - low) / (high - low) * (self.end - self.start)

    def ticks(self):
        if self.log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            factors = (1,) if len(powers) > 3 else (1, 2, 5)
            found = [f * 10.0**p for p in powers for f in factors if self.low * 0.999 <= f * 10.0**p <= self.high * 1.001]
            if len(found) > 1:
                return found
        step = 10 ** math.floor(math.log10((self.high - self.low) / 2))
        step *= next(f for f in (1, 2, 5, 10) if (self.high - self.low) / (step * f) <= 6)
        first = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, math.floor(self.high / step + 1e-9) + 1)]


def short(value):
    if abs(value) >= 10000:
        return f"{value / 1000:g}k"
    return f"{value:.4g}"


class Chart:
    """lines: {name: [(x, y), ...]}, drawn with dots. A name in `marks` has dots alone, in `small` small ones; one in `dashed`
    is dashed and has none, one in `plain` is not dashed and has none."""

    def __init__(self, title, x, y, lines, log_x=False, log_y=False, zero=True, marks=(), small=(), dashed=(), plain=()):
        self.title, self.names, self.lines = title, (x, y), {name: line for name, line in lines.items() if line}
        self.marks, self.small, self.dashed, self.plain = [*marks, *small], small, dashed, plain
        points = [point for line in self.lines.values() for point in line]
        self.x = Scale([p[0] for p in points], log_x, LEFT, WIDTH - RIGHT)
        self.y = Scale([p[1] for p in points], log_y, HEIGHT - BOTTOM, TOP + 4, zero)

        self.across = 2 if max(map(len, self.lines), default=0) < 20 else 1  # names beside each other

    def height(self):
        return HEIGHT + 16 * math.ceil(len(self.lines) / self.across)

    def svg(self):
        parts = [text(WIDTH / 2, 18, self.title, "middle", 'font-weight="bold"')]
        for value in self.y.ticks():
            at = self.y.at(value)
            parts += [f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>', text(LEFT - 6, at + 4, short(value), "end")]
        for value in self.x.ticks():
            parts.append(text(self.x.at(value), HEIGHT - BOTTOM + 16, short(value), "middle"))
        parts += [text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, self.names[0], "middle"),
                  f'<text transform="translate(13,{(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" '
                  f'text-anchor="middle">{escape(self.names[1])}</text>']
        for number, (name, line) in enumerate(self.lines.items()):
            parts += self._line(name, line, COLOURS[number % len(COLOURS)])
            x = LEFT + (number % self.across) * (WIDTH - LEFT) / 2
            y = HEIGHT + 8 + 16 * (number // self.across)
            parts += self._line(name, None, COLOURS[number % len(COLOURS)], (x, y)) + [text(x + 26, y + 4, name)]
        return "\n".join(parts)

    def _line(self, name, line, colour, key=None):
        """A line of the chart, or its sample beside its name."""
        places = [(self.x.at(x), self.y.at(y)) for x, y in line] if line else [key, (key[0] + 20, key[1])]
        dash = ' stroke-dasharray="6 4"' if name in self.dashed else ""
        parts = []
        if name not in self.marks:
            joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        if name not in self.dashed and name not in self.plain:
            size = 1.5 if name in self.small else 5 if name in self.marks else 3
            dots = places if line else [(key[0] + 10, key[1])]
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{colour}"/>' for x, y in dots]
        return parts


class Map:
    """The plane as a forest divides it: rows of class digits, top row last; rows of leaf letters, or none; points (x, y,
    class) in [0, 1]."""

    SIDE = 300

    def __init__(self, title, classes, leaves=None, points=()):
        self.title, self.classes, self.leaves, self.points = title, classes, leaves, points

    def height(self):
        return self.SIDE + 40

    def svg(self):
        count = len(self.classes)
        cell = self.SIDE / count
        parts = [text(WIDTH / 2, 18, self.title, "middle", 'font-weight="bold"'),
                 f'<g transform="translate({(WIDTH - self.SIDE) / 2:.0f},28)">']
        for number, row in enumerate(self.classes):
            for start, end, digit in stretches(row):
                place = f'x="{start * cell:.2f}" y="{(count - 1 - number) * cell:.2f}" width="{(end - start) * cell + .3:.2f}"'
                parts.append(f'<rect {place} height="{cell + .3:.2f}" shape-rendering="crispEdges" '
                             f'fill="{FILLS[int(digit) % len(FILLS)]}"/>')
        if self.leaves:
            parts.append(f'<path d="{borders(self.leaves, cell)}" stroke="#333" stroke-width="1" fill="none"/>')
        parts += [f'<circle cx="{x * self.SIDE:.1f}" cy="{(1 - y) * self.SIDE:.1f}" r="1.7" fill="{COLOURS[c % len(COLOURS)]}"/>'
                  for x, y, c in self.points]
        return "\n".join([*parts, "</g>"])


def stretches(row):
    """Runs of equal letters: (start, end, letter)."""
    start = 0
    for i in range(1, len(row) + 1):
        if i == len(row) or row[i] != row[start]:
            yield start, i, row[start]
            start = i


def borders(rows, cell):
    """The path between places whose letters differ."""
    count, parts = len(rows), []
    for number, row in enumerate(rows):
        y = (count - 1 - number) * cell
        parts += [f"M{end * cell:.1f} {y:.1f}v{cell:.1f}" for _, end, _ in stretches(row) if end < len(row)]
        if number:
            differs = "".join("1" if a != b else "0" for a, b in zip(row, rows[number - 1]))
            parts += [f"M{start * cell:.1f} {y + cell:.1f}h{(end - start) * cell:.1f}"
                      for start, end, d in stretches(differs) if d == "1"]
    return "".join(parts)


def escape(words):
    return str(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text(x, y, words, anchor="start", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def sheet(panels, across=2):
    """Panels in rows of `across`, as one SVG file."""
    tall = max(panel.height() for panel in panels) + 10
    rows = math.ceil(len(panels) / across)
    size = f'width="{WIDTH * min(across, len(panels))}" height="{tall * rows}"'
    body = "\n".join(f'<g transform="translate({i % across * WIDTH},{i // across * tall})">\n{panel.svg()}\n</g>'
                     for i, panel in enumerate(panels))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">\n'
            f'<rect {size} fill="#fff"/>\n{body}\n</svg>\n')
