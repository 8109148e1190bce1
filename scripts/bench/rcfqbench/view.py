# SPDX-License-Identifier: GPL-2.0
"""A workload's results as grids: what a table or a plot shows, from results.json alone."""

import re
from dataclasses import dataclass

from .cells import by_sched


@dataclass
class Grid:
    """One metric on one disk: rows are cases, columns schedulers."""

    disk: str
    key: str
    metric: dict
    cases: list
    scheds: list
    cells: dict

    def cell(self, case, sched):
        return self.cells.get((case, sched))

    def history(self, case):
        return {label: values[case] for label, values in self.metric["historical"].items() if case in values}

    def labels(self):
        """Historical ones that have a figure for a case shown here."""
        return [label for label, values in self.metric["historical"].items() if any(case in values for case in self.cases)]

    def title(self):
        return f"{self.metric['label']}, {self.disk}"

    def axis(self):
        return f"{self.metric['label']} ({self.metric['unit']})"


def grids(work):
    """The grids of a workload, by metric, then disk."""
    out = {}
    for cell in work["cells"]:
        metric = work["metrics"][cell["metric"]]
        grid = out.setdefault((cell["metric"], cell["disk"]), Grid(cell["disk"], cell["metric"], metric, [], [], {}))
        grid.cells[cell["case"], cell["sched"]] = cell
        if cell["case"] not in grid.cases:
            grid.cases.append(cell["case"])
        if cell["sched"] not in grid.scheds:
            grid.scheds.append(cell["sched"])
    for grid in out.values():
        grid.scheds.sort(key=by_sched)
    return list(out.values())


def origin(works):
    """Which kernel and sources ran; several if some workloads were not run again."""
    kernels, sources = (dict.fromkeys(work[key] or "unknown" for work in works.values()) for key in ("kernel", "source"))
    return f"Kernel {', '.join(kernels)}, source {', '.join(sources)}"


def by_stem(grid):
    """[(stem, {x: case})] if all cases are STEM-NUMBER, else nothing."""
    out = {}
    for case in grid.cases:
        match = re.fullmatch(r"(.*?)-?(\d+)", case)
        if not match:
            return []
        out.setdefault(match[1], {})[int(match[2])] = case
    return list(out.items())


def number(value):
    """Three digits that count, and no fewer than the whole ones."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 1 else f"{value:.3g}"


def figure(cell):
    """What a table says of a cell: a figure only if it repeats."""
    if cell is None:
        return "–"
    if cell["mean"] is None:
        return "failed"
    if not steady(cell):
        low, high = reach(cell)
        return f"does not repeat ({number(low)} to {number(high)})"
    if len(cell["values"]) < 2:
        return number(cell["mean"])
    return f"{number(cell['mean'])} ±{half(cell):.1f} %"


def steady(cell):
    """It has a figure, not only a range."""
    return cell["mean"] is not None and cell.get("steady", True)


def reach(cell):
    """The ends of all runs, those of the same seed too."""
    values = cell["values"] + cell.get("again", [])
    return min(values), max(values)


def half(cell):
    """Half the spread, in %: what stands behind ±."""
    return 50 * (cell["spread"] or 0)


def best(grid, case):
    """The schedulers with the best figure of the row; as printed, so equals share it."""
    row = {sched: cell for sched in grid.scheds if (cell := grid.cell(case, sched)) and steady(cell)}
    if len(row) < 2:
        return set()
    pick = max if grid.metric["better"] == "more" else min
    top = number(pick(cell["mean"] for cell in row.values()))
    return {sched for sched, cell in row.items() if number(cell["mean"]) == top}


def got(verdict):
    """A verdict's figures in words."""
    text = "nothing" if verdict["got"] is None else number(verdict["got"])
    return text + (f" ({verdict['note']})" if verdict["note"] else "")
