# SPDX-License-Identifier: GPL-2.0
"""Workloads as reStructuredText: at most a screen of table for each."""

import csv
import io

from . import spec, view

ROWS = 40

_, USUAL_LIMIT = spec.METRIC["repeat"]


def metric(about):
    """Name and unit of a metric, and by how much its seeds may differ if that is not the usual."""
    limit = "" if about["repeat"] == USUAL_LIMIT else f" (limit {100 * about['repeat']:.3g} %)"
    return f"{about['label']}, {about['unit']}{limit}"


def rows(work):
    """(row, is it worth keeping when there are too many) of one table over all metrics and disks."""
    grids = view.grids(work)
    scheds = list(dict.fromkeys(sched for grid in grids for sched in grid.scheds))
    scheds.sort(key=view.by_sched)
    labels = list(dict.fromkeys(label for grid in grids for label in grid.labels()))
    out = [(["metric", "disk", "case", *scheds, *labels], True)]
    for grid in grids:
        kept = {case for _, points in view.by_stem(grid) for x, case in points.items() if x & (x - 1) == 0} if work["x"] else set(grid.cases)
        for nr, case in enumerate(grid.cases):
            bold, history = view.best(grid, case), grid.history(case)
            head = [metric(grid.metric), grid.disk] if nr == 0 else ["", ""]
            figures = [f"**{text}**" if sched in bold else text for sched in scheds
                       for text in [view.figure(grid.cell(case, sched))]]
            past = [view.number(history[label]) if label in history else "–" for label in labels]
            out.append(([*head, case, *figures, *past], case in kept))
    return out


def table(work):
    """A csv-table; what does not fit on a screen is left out, and that is said."""
    found = rows(work)
    shown = found
    if len(shown) > ROWS:
        shown = [row for row in shown if row[1]]
    shown = shown[:ROWS]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row for row, _ in shown)
    yield from (".. csv-table::", "   :header-rows: 1", "")
    yield from (f"   {line}" for line in out.getvalue().splitlines())
    yield ""
    if len(shown) < len(found):
        yield from (f"{len(found) - len(shown)} more rows are left out here.", "")


def verdicts(work):
    """How many targets are met, and each that is not."""
    if not work["targets"]:
        return
    missed = [one for one in work["targets"] if not one["met"]]
    yield from (f"Targets met: {len(work['targets']) - len(missed)} of {len(work['targets'])}.", "")
    for one in missed:
        yield f"- Not met: {one['text']}; {one['cell']}, wanted {one['wanted']}, got {view.got(one)}"
    if missed:
        yield ""


def result(name, work, images):
    title = f"{name}: {work['title']}"
    yield from (title, "-" * len(title), "", *table(work), *verdicts(work))
    for plot in work["plots"]:
        yield from (f".. image:: {images}/{plot}.svg", f"   :alt: {work['title']}", "")


def results(doc, images):
    """The text between the markers of the results."""
    yield (f"{view.origin(doc['workloads'])}. ± is half the spread over the seeds, "
           "the best of a row is bold; coarse dots in a plot are historical figures.")
    yield ""
    for name, work in doc["workloads"].items():
        yield from result(name, work, images)


def workloads(doc):
    """The text between the markers of the workloads."""
    for name, work in doc["workloads"].items():
        yield f"{name}"
        for nr, part in enumerate(work["about"].split("\n\n")):
            yield from ("",) if nr else ()
            yield f"  {part}"
        yield ""
