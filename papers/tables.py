"""Tables as Markdown and CSV, figures with their deviation, and differences to a paper. Standard library only."""
import csv
import io
import math
import statistics


class Table:
    """The first column is text, the others stand right. A caption goes above."""

    def __init__(self, *titles):
        self.titles, self.rows = titles, []

    def row(self, *cells):
        self.rows.append([str(cell) for cell in cells])

    def markdown(self):
        rule = "| --- |" + " ---: |" * (len(self.titles) - 1)
        lines = ["| " + " | ".join(cells) + " |" for cells in [self.titles, *self.rows]]
        return "\n".join([lines[0], rule, *lines[1:]])

    def csv(self):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.titles, *self.rows])
        return text.getvalue().replace("**", "").replace("`", "")


def mean(values):
    return statistics.fmean(values)


def deviation(values):
    """Of one value; None for a single one."""
    return statistics.stdev(values) if len(values) > 1 else None


def figure(values, digits=1):
    """'97.1 (0.3)': mean and deviation."""
    if not values:
        return "-"
    spread = deviation(values)
    return f"{mean(values):.{digits}f}" + ("" if spread is None else f" ({spread:.{digits}f})")


def apart(values, printed, printed_deviation=0.0):
    """How far the mean is from what a paper prints, in deviations of one value: the larger of ours and the paper's."""
    spread = max(deviation(values) or 0.0, printed_deviation)
    off = mean(values) - printed
    return off / spread if spread > 0 else math.copysign(math.inf, off) if off else 0.0


def shown_apart(off):
    return "-" if off is None else f"{off:+.1f}" if math.isfinite(off) else "no deviation"


def ranks(values):
    """Ranks of a list, the largest first; equals share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda i: -values[i])
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for i in order[start:end]:
            found[i] = (start + 1 + end) / 2
        start = end
    return found


def geometric(values):
    return math.exp(mean([math.log(max(value, 1e-6)) for value in values]))


def significant(value, digits=2):
    """'0.0123' as '0.012', without exponents."""
    if value <= 0:
        return "0"
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(value)))}f}"


def beyond(lines, explained):
    """What is more than two deviations from its paper, with why: a list for the page. lines: {name: deviations}."""
    compared = [off for off in lines.values() if off is not None]
    far = {name: off for name, off in lines.items() if off is not None and abs(off) > 2}
    if not compared:
        return "Nothing can be said in deviations yet: that takes two runs or more."
    if not far:
        return f"None of the {len(compared)} figures that can be compared is more than two deviations from the paper."
    reasons = {}
    for name, off in far.items():
        reasons.setdefault(explained.get(name, "**not explained.**"), []).append(f"{name}, {shown_apart(off)}")
    said = [f"- {'; '.join(names)}: {reason}" for reason, names in reasons.items()]
    return "More than two deviations from the paper:\n\n" + "\n".join(said)
