"""Line charts as SVG, without a library: panels side by side, each with its lines, axes and legend."""
import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 360, 270, 52, 34, 14, 46
COLOURS = ("#1b6ca8", "#c8553d", "#5b8e3e", "#7a5195")


class Panel:
    """title, axes, and lines: {name: [(x, y), ...]}; the x axis may be logarithmic."""

    def __init__(self, title, x_name, y_name, lines, log_x=False):
        self.title, self.x_name, self.y_name, self.lines, self.log_x = title, x_name, y_name, lines, log_x
        self.xs = sorted({x for line in lines.values() for x, _ in line})
        self.top = 1.3 * max(y for line in lines.values() for _, y in line)

    def place(self, x, y):
        scale = math.log if self.log_x else float
        low, high = scale(self.xs[0]), scale(self.xs[-1])
        across = (scale(x) - low) / (high - low)
        return (LEFT + across * (WIDTH - LEFT - RIGHT), TOP + (1 - y / self.top) * (HEIGHT - TOP - BOTTOM))

    def svg(self, offset):
        parts = [f'<g transform="translate({offset},0)">',
                 f'<text x="{WIDTH / 2:.0f}" y="18" text-anchor="middle" font-weight="bold">{self.title}</text>']
        step = 10 ** math.floor(math.log10(self.top / 2))
        step *= next(f for f in (1, 2, 5, 10) if self.top / (step * f) <= 6)
        for i in range(int(self.top / step) + 1):
            x, y = self.place(self.xs[0], i * step)
            parts.append(f'<path d="M{x:.1f} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                         f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{i * step:.3g}</text>')
        for x in self.xs:
            at, base = self.place(x, 0)
            parts.append(f'<text x="{at:.1f}" y="{base + 16:.1f}" text-anchor="middle">{x:g}</text>')
        parts.append(f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{self.x_name}</text>')
        parts.append(f'<text transform="translate(12,{HEIGHT / 2:.0f}) rotate(-90)" text-anchor="middle">{self.y_name}'
                     '</text>')
        for number, (name, line) in enumerate(self.lines.items()):
            colour = COLOURS[number % len(COLOURS)]
            points = " ".join("{:.1f},{:.1f}".format(*self.place(x, y)) for x, y in line)
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += ['<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"/>'.format(*self.place(x, y), colour)
                      for x, y in line]
            y = TOP + 12 + 16 * number
            parts.append(f'<path d="M{WIDTH - RIGHT - 112} {y}h18" stroke="{colour}" stroke-width="2"/>'
                         f'<text x="{WIDTH - RIGHT - 88}" y="{y + 4}">{name}</text>')
        return "\n".join(parts + ["</g>"])


def write(path, panels):
    """Panels side by side."""
    body = "\n".join(panel.svg(i * WIDTH) for i, panel in enumerate(panels))
    size = f'width="{WIDTH * len(panels)}" height="{HEIGHT}"'
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">\n'
                   f'<rect {size} fill="#fff"/>\n{body}\n</svg>\n')
