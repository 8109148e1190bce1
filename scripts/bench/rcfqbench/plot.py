# SPDX-License-Identifier: GPL-2.0
"""The plots of a workload, as SVG and PNG. They can be told apart without colour."""

import math
import re

import matplotlib

matplotlib.use("Agg")
# The same results give the same bytes: no random ids, and text stays text.
matplotlib.rcParams.update({
    "svg.hashsalt": "rcfq", "svg.fonttype": "none", "font.size": 9, "hatch.linewidth": 0.6, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
})

import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

from . import view  # noqa: E402
from .cells import by_sched  # noqa: E402

PAGE = 8
# Fill, hatch, line, marker. The fills get darker, so that print keeps the order.
STYLES = {
    "none": ("#ffffff", "", ":", "o"),
    "mq-deadline": ("#f0e0a0", "|||", "--", "s"),
    "kyber": ("#a8d8c8", "xxx", "-.", "^"),
    "bfq": ("#8ab6e0", "////", (0, (6, 2)), "D"),
    "bfq-ll0": ("#b8cce8", "\\\\\\\\", (0, (4, 1, 1, 1, 1, 1)), "v"),
    "rcfq": ("#1a1a1a", "", "-", "o"),
}
OTHERS = (("#888888", "---", (0, (3, 1)), "P"), ("#aaaaaa", "+++", (0, (1, 1)), "X"), ("#cccccc", "///---", (0, (8, 3)), "*"))
LINES = {"none": "#555555", "mq-deadline": "#a07000", "kyber": "#208060", "bfq": "#2060b0", "bfq-ll0": "#5080d0", "rcfq": "#000000"}
HISTORY = (((0, (1, 1.5)), "#c03030"), ((0, (1, 3)), "#804080"))


def styles(scheds):
    """A style for each; strangers take the spare ones in turn."""
    spare = [sched for sched in scheds if sched not in STYLES]
    return {sched: STYLES.get(sched) or OTHERS[spare.index(sched) % len(OTHERS)] for sched in scheds}


def errors(cells):
    """The reach of the error bars below and above the means."""
    return [[cell["mean"] - min(cell["values"]) for cell in cells], [max(cell["values"]) - cell["mean"] for cell in cells]]


def failed(axes, x, text):
    axes.text(x, 0.01, text, rotation=90, ha="center", va="bottom", fontsize=7, transform=axes.get_xaxis_transform())


def bars(axes, grid, look):
    """Cases side by side, a bar for each scheduler."""
    width = min(0.84 / len(grid.scheds), 0.2)
    left = -width * len(grid.scheds) / 2
    top = max((max(cell["values"]) for cell in grid.cells.values() if cell["values"]), default=1)
    for nr, sched in enumerate(grid.scheds):
        fill, hatch, _, _ = look[sched]
        row = {at + left + (nr + 0.5) * width: cell for at, case in enumerate(grid.cases) if (cell := grid.cell(case, sched))}
        firm = {x: cell for x, cell in row.items() if view.steady(cell)}
        if firm:
            means = [cell["mean"] for cell in firm.values()]
            axes.bar(list(firm), means, width * 0.92, color=fill, hatch=hatch, edgecolor="black", linewidth=0.7)
            axes.errorbar(list(firm), means, yerr=errors(firm.values()), linestyle="", capsize=2, linewidth=0.9,
                          ecolor="#888888" if sched == "rcfq" else "black")
        for x, cell in row.items():
            if cell["mean"] is None:
                failed(axes, x, "failed")
            elif x not in firm:
                low, high = view.reach(cell)
                axes.bar(x, max(high - low, top * 0.004), width * 0.92, bottom=low, color="#777777" if sched == "rcfq" else "none", hatch=hatch,
                         edgecolor="#555555", linewidth=0.9, linestyle=":")
    for (style, colour), label in zip(HISTORY, grid.labels()):
        past = {at: grid.history(case)[label] for at, case in enumerate(grid.cases) if label in grid.history(case)}
        axes.hlines(list(past.values()), [at - 0.46 for at in past], [at + 0.46 for at in past], linestyle=style, color=colour,
                    linewidth=2.4, zorder=4)
    axes.set_xlim(-0.6, len(grid.cases) - 0.4)
    long = max(len(case) for case in grid.cases) * len(grid.cases) > 60
    axes.set_xticks(range(len(grid.cases)), grid.cases, rotation=20 if long else 0, ha="right" if long else "center")
    axes.tick_params(axis="x", length=0)


def strength(sched, colour):
    """The line that matters is thick, its markers filled."""
    judged = sched == "rcfq"
    return {"linewidth": 2.2 if judged else 1.2, "markerfacecolor": colour if judged else "white"}


def lines(axes, grid, look, points, name):
    """A line for each scheduler over the number that ends the case's name."""
    for sched in grid.scheds:
        _, _, style, marker = look[sched]
        colour = LINES.get(sched, "#777777")
        known = {x: cell for x, case in sorted(points.items()) if (cell := grid.cell(case, sched)) and cell["mean"] is not None}
        firm = {x: cell for x, cell in known.items() if view.steady(cell)}
        # A gap, not a line across, where there is no figure.
        means = [firm[x]["mean"] if x in firm else float("nan") for x in sorted(points)]
        axes.plot(sorted(points), means, linestyle=style, marker=marker, color=colour, **strength(sched, colour),
                  markersize=5, zorder=3 if sched == "rcfq" else 2)
        if firm:
            axes.errorbar(list(firm), [cell["mean"] for cell in firm.values()], yerr=errors(firm.values()), linestyle="",
                          color=colour, capsize=2, elinewidth=0.9)
        for x, cell in known.items():
            if x not in firm:
                axes.plot([x, x], view.reach(cell), linestyle=":", linewidth=1.4, marker="_", color=colour)
    for (style, colour), label in zip(HISTORY, grid.labels()):
        past = {x: grid.history(case)[label] for x, case in sorted(points.items()) if label in grid.history(case)}
        axes.plot(list(past), list(past.values()), linestyle=style, color=colour, linewidth=2.4, zorder=4)
    for x, case in points.items():
        dead = [sched for sched in grid.scheds if (cell := grid.cell(case, sched)) and cell["mean"] is None]
        if dead:
            failed(axes, x, f"failed: {', '.join(dead)}")
    axes.set_xlabel(name)
    axes.set_xticks(sorted(points))


def panels(work):
    """What goes into one subplot each: (grid, points or None, title)."""
    for grid in view.grids(work):
        stems = view.by_stem(grid) if work["x"] else []
        if not stems:
            yield grid, None, grid.title()
        for stem, points in stems:
            part = view.Grid(grid.disk, grid.key, grid.metric, list(points.values()), grid.scheds, grid.cells)
            yield part, points, f"{grid.title()}: {stem}" if len(stems) > 1 else grid.title()


def legend(figure, shown, look, lined):
    """One for the whole page, with what bars and dotted outlines mean."""
    scheds = sorted({sched for grid, _, _ in shown for sched in grid.scheds}, key=by_sched)
    handles = []
    for sched in scheds:
        fill, hatch, style, marker = look[sched]
        colour = LINES.get(sched, "#777777")
        if lined:
            handles.append(Line2D([], [], linestyle=style, marker=marker, color=colour, label=sched, **strength(sched, colour)))
        else:
            handles.append(Patch(facecolor=fill, hatch=hatch, edgecolor="black", linewidth=0.7, label=sched))
    labels = list(dict.fromkeys(label for grid, _, _ in shown for label in grid.labels()))
    for (style, colour), label in zip(HISTORY, labels):
        handles.append(Line2D([], [], linestyle=style, color=colour, linewidth=2.4, label=label))
    if any(cell["mean"] is not None and not view.steady(cell) for grid, _, _ in shown for cell in grid.cells.values()):
        text = "does not repeat: range only"
        handles.append(Line2D([], [], linestyle=":", marker="_", color="#555555", label=text) if lined else
                       Patch(facecolor="none", edgecolor="#555555", linestyle=":", label=text))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5), handlelength=3.6, handleheight=1.3)


def logarithmic(axes, grid):
    """Whole decades, with the numbers written out."""
    low = min((view.reach(cell)[0] for cell in grid.cells.values() if cell["values"] and view.reach(cell)[0] > 0), default=1)
    axes.set_yscale("log")
    axes.set_ylim(bottom=10 ** math.floor(math.log10(low)))
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def draw(work, shown):
    """A page of subplots, two in a row unless one needs the whole width."""
    wide = any(points is None and len(grid.cases) * len(grid.scheds) > 28 for grid, points, _ in shown)
    columns = 1 if wide or len(shown) == 1 else 2
    rows = -(-len(shown) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(10, 1.3 + 2.9 * rows), squeeze=False, layout="constrained")
    look = styles(sorted({sched for grid, _, _ in shown for sched in grid.scheds}, key=by_sched))
    for place, (grid, points, title) in zip(axes.flat, shown):
        if points is None:
            bars(place, grid, look)
        else:
            lines(place, grid, look, points, work["x"])
        place.set_title(title, fontsize=10)
        place.set_ylabel(f"{grid.metric['unit']} ({grid.metric['better']} is better)")
        place.grid(axis="y", color="#dddddd", linewidth=0.6)
        if grid.metric["log"]:
            logarithmic(place, grid)
        else:
            place.set_ylim(bottom=0)
    for place in list(axes.flat)[len(shown):]:
        place.remove()
    figure.suptitle(work["title"], fontsize=12)
    legend(figure, shown, look, any(points is not None for _, points, _ in shown))
    return figure


def save(figure, path):
    """PATH.svg and PATH.png, without anything that differs from run to run."""
    figure.savefig(path.with_name(path.name + ".png"), dpi=110, metadata={"Software": None})
    svg = path.with_name(path.name + ".svg")
    figure.savefig(svg, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    head, rest = svg.read_text().split("\n", 1)
    # A hundredth of a point is enough for a shape; texts are left alone.
    rest = re.sub(r' (?:d|x|y)="[^"]*"', lambda shape: re.sub(r"(\d\.\d\d)\d+", r"\1", shape[0]), rest)
    rest = re.sub(r"[ \t]+$", "", rest, flags=re.M)
    svg.write_text(f"{head}\n<!-- SPDX-License-Identifier: GPL-2.0 -->\n{rest}")
    plt.close(figure)


def workload(name, work, out):
    """Draw all pages; their names without ending."""
    for old in (*out.glob(f"{name}.page*.svg"), *out.glob(f"{name}.page*.png")):
        old.unlink()
    shown = list(panels(work))
    names = []
    for nr, start in enumerate(range(0, len(shown), PAGE), 1):
        names.append(name if nr == 1 else f"{name}.page{nr}")
        save(draw(work, shown[start:start + PAGE]), out / names[-1])
    return names
