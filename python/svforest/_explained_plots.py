"""Pictures of explanations, for svforest.plot."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._drawing import COLORS, DARK, LIGHT, shown

MORE, LESS = COLORS[5], COLORS[0]


def one_output(explanation: Any, output: Any) -> tuple[np.ndarray, np.ndarray]:
    """Values of shape (rows, features) and the base of each row; output: a position or a name, None where there is one."""
    values, bases = np.asarray(explanation.values), np.asarray(explanation.base_values)
    if values.ndim == 2:
        return values, bases
    names = list(explanation.output_names or range(values.shape[2]))
    if output is None:
        if values.shape[2] != 2:
            raise ValueError(f"the explanation has {values.shape[2]} outputs: name one of {', '.join(map(str, names))}")
        output = 1
    place = output if isinstance(output, (int, np.integer)) and output not in names else None
    if place is None:
        if output not in names:
            raise ValueError(f"output={output!r}: must be one of {', '.join(map(str, names))}")
        place = names.index(output)
    return values[:, :, place], bases[:, place]


def _said(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return "missing" if np.isnan(value) else f"{value:.4g}"
    return "missing" if value is None else shown(value)


def draw_waterfall(ax: Any, explanation: Any, row: int, output: Any, most: int) -> None:
    values, bases = one_output(explanation, output)
    own, base = values[row], float(bases[row])
    cells = explanation.data if explanation.display_data is None else explanation.display_data
    order = np.argsort(-np.abs(own), kind="stable")
    first = order[: most if len(order) <= most else most - 1]
    rest = own.sum() - own[first].sum()
    steps = [(f"{shown(explanation.feature_names[j])} = {_said(cells[row][j])}", own[j]) for j in first]
    if len(first) < len(order):
        steps.append((f"{len(order) - len(first)} others", rest))
    at = base
    span = max(float(np.abs(own).sum()), 1e-300)
    for place, (_, step) in zip(range(len(steps), 0, -1), reversed(steps)):
        ax.barh(place - 1, step, left=at, color=MORE if step > 0 else LESS, height=0.7)
        end = at + step
        ax.plot([end, end], [place - 1.35, place - 2.35 if place > 1 else place - 1.35], color=LIGHT, linewidth=0.8)
        side = 1 if step >= 0 else -1
        ax.text(end + side * 0.01 * span, place - 1, f"{step:+.3g}", va="center", ha="left" if side > 0 else "right",
                fontsize=8, color=DARK)
        at = end
    ax.axvline(base, color=LIGHT, linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(steps)), [name for name, _ in steps])
    ax.invert_yaxis()
    ax.margins(x=0.15)
    ax.set_xlabel(f"base {base:.4g}, answer {base + own.sum():.4g}")


def _spread(x: np.ndarray, width: float) -> np.ndarray:
    """Heights that keep points with nearly equal x apart: each bin is filled from the middle outwards."""
    span = np.ptp(x)
    bins = np.zeros(len(x), int) if not span else np.minimum(((x - x.min()) / span * 60).astype(int), 60)
    height = np.zeros(len(x))
    fullest = max(np.bincount(bins).max(), 8)
    for number in np.unique(bins):
        here = np.flatnonzero(bins == number)
        level = (np.arange(len(here)) + 1) // 2 * np.where(np.arange(len(here)) % 2, 1, -1)
        height[here] = level * 2 * width / fullest
    return height


def draw_summary(ax: Any, explanation: Any, output: Any, most: int) -> None:
    values, _ = one_output(explanation, output)
    data = np.asarray(explanation.data, dtype=float)
    order = np.argsort(-np.abs(values).mean(axis=0), kind="stable")[:most]
    ax.axvline(0, color=LIGHT, linewidth=0.8)
    drawn = None
    for place, j in enumerate(order):
        low, high = np.nanpercentile(data[:, j], [5, 95]) if np.isfinite(data[:, j]).any() else (0, 0)
        with np.errstate(invalid="ignore"):
            share = np.clip((data[:, j] - low) / (high - low), 0, 1) if high > low else np.full(len(data), 0.5)
        height = place + _spread(values[:, j], 0.4)
        known = ~np.isnan(share)
        ax.scatter(values[~known, j], height[~known], s=9, color=LIGHT)
        drawn = ax.scatter(values[known, j], height[known], c=share[known], cmap="viridis", vmin=0, vmax=1, s=9)
    ax.set_yticks(range(len(order)), [shown(explanation.feature_names[j]) for j in order])
    ax.invert_yaxis()
    ax.set_xlabel("what the feature adds to the answer")
    if drawn is not None:
        bar = ax.figure.colorbar(drawn, ax=ax, ticks=[0, 1], aspect=40)
        bar.ax.set_yticklabels(["low", "high"])
        bar.set_label("value of the feature", labelpad=0)
        bar.outline.set_visible(False)
