# SPDX-License-Identifier: GPL-2.0
"""A workload as Markdown, and the index of all."""

from . import view

LEGEND = (
    "± is half the spread over the seeds; the spread is (largest − smallest) / mean. The best figure of a row is bold. "
    "What differs by more than the limit when it is run again has no figure."
)


def escape(text):
    return text.replace("|", "\\|")


def row(cells):
    return f"| {' | '.join(escape(cell) for cell in cells)} |"


def table(grid):
    labels = grid.labels()
    yield row(["case", *grid.scheds, *(f"*{label}*" for label in labels)])
    yield "| --- |" + " ---: |" * (len(grid.scheds) + len(labels))
    for case in grid.cases:
        bold = view.best(grid, case)
        figures = [view.figure(grid.cell(case, sched)) for sched in grid.scheds]
        figures = [f"**{text}**" if sched in bold else text for sched, text in zip(grid.scheds, figures)]
        history = grid.history(case)
        yield row([case, *figures, *(view.number(history[label]) if label in history else "–" for label in labels)])


def page(name, work):
    """The text of NAME.md."""
    lines = ["<!-- SPDX-License-Identifier: GPL-2.0 -->", f"# {work['title']}", "", work["about"], ""]
    lines += [f"{view.origin({name: work})}, seeds: {work['seeds']}. {LEGEND}", ""]
    for grid in view.grids(work):
        better = "more is better" if grid.metric["better"] == "more" else "less is better"
        limit = f"limit {100 * grid.metric['repeat']:.3g} %"
        lines += [f"## {grid.title()}", "", f"{grid.metric['unit']}, {better}, {limit}", "", *table(grid), ""]
    failed = dict.fromkeys(cell["failed"] for cell in work["cells"] if "failed" in cell)
    if failed:
        lines += ["## Failed", "", *(f"- {text}" for text in failed), ""]
    if work["targets"]:
        lines += ["## Targets", "", row(["target", "cell", "wanted", "got", ""]), "| --- | --- | --- | --- | --- |"]
        for one in work["targets"]:
            lines.append(row([one["text"], one["cell"], one["wanted"], view.got(one), "met" if one["met"] else "**NOT met**"]))
        lines.append("")
    for plot in work["plots"]:
        lines += [f"![{work['title']}]({plot}.svg)", ""]
    return "\n".join(lines[:-1]) + "\n"


def index(doc):
    """The text of index.md."""
    lines = ["<!-- SPDX-License-Identifier: GPL-2.0 -->", "# Benchmarks of rcfq", ""]
    lines += [f"{view.origin(doc['workloads'])}. All figures: [results.json](results.json)", ""]
    lines += ["| workload | | figures | failed | do not repeat | targets met | plots |", "| --- | --- | ---: | ---: | ---: | ---: | --- |"]
    for name, work in doc["workloads"].items():
        cells, verdicts = work["cells"], work["targets"]
        failed = sum(cell["mean"] is None for cell in cells)
        shaky = sum(not view.steady(cell) for cell in cells) - failed
        met = f"{sum(one['met'] for one in verdicts)} of {len(verdicts)}" if verdicts else "–"
        plots = " ".join(f"[SVG]({plot}.svg) [PNG]({plot}.png)" for plot in work["plots"])
        lines.append(f"| [{name}]({name}.md) | {escape(work['title'])} | {len(cells)} | {failed} | {shaky} | {met} | {plots} |")
    return "\n".join(lines) + "\n"
