# SPDX-License-Identifier: GPL-2.0
"""results.json: read, extended by workloads, written the same for the same input."""

import json

from . import Problem

FORMAT = 1
WORKLOAD = {
    "title": str, "about": str, "x": (str, type(None)), "seeds": int, "metrics": dict, "cells": list, "targets": list, "plots": list,
}
CELL = ("disk", "case", "sched", "metric", "unit", "better", "values", "mean", "spread")


def load(path):
    """The results in that file, or a Problem if it is not one of ours."""
    try:
        doc = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise Problem(f"{path}: cannot be read as results: {error}") from error
    if not isinstance(doc, dict) or doc.get("format") != FORMAT or not isinstance(doc.get("workloads"), dict):
        raise Problem(f"{path}: not a results.json of format {FORMAT}")
    for name, work in doc["workloads"].items():
        if not isinstance(work, dict) or not all(isinstance(work.get(key), kind) for key, kind in WORKLOAD.items()):
            raise Problem(f"{path}: workload '{name}' is not as results.json has it")
        if not all(isinstance(cell, dict) and all(key in cell for key in CELL) for cell in work["cells"]):
            raise Problem(f"{path}: workload '{name}' has no cells as results.json has them")
    return doc


def workload(spec, cells, verdicts, seeds, kernel, source):
    """A workload's part: all that tables and plots need."""
    return {
        "title": spec.title, "about": spec.about, "x": spec.x, "kernel": kernel, "source": source, "seeds": seeds,
        "metrics": {
            metric.key: {
                "label": metric.label, "unit": metric.unit, "better": metric.better, "repeat": metric.repeat,
                "log": metric.log, "historical": metric.historical,
            } for metric in spec.metrics
        },
        "cells": cells, "targets": verdicts, "plots": [],
    }


def merge(old, new, kernel, source):
    """The old results with the new workloads in place of theirs."""
    workloads = {**(old["workloads"] if old else {}), **new}
    return {
        "format": FORMAT, "kernel": kernel, "source": source,
        "seeds": max(work["seeds"] for work in workloads.values()),
        "workloads": {name: workloads[name] for name in sorted(workloads)},
    }


def write(path, text):
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text)
    temporary.replace(path)


def text(value, depth=0):
    """JSON with a line for each cell and verdict, so that files can be compared by eye."""
    if depth == 4 or not value or not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    pad = " " * (depth + 1)
    if isinstance(value, dict):
        rows, ends = [f"{json.dumps(key, ensure_ascii=False)}: {text(one, depth + 1)}" for key, one in value.items()], "{}"
    else:
        rows, ends = [text(one, depth + 1) for one in value], "[]"
    return f"{ends[0]}\n{pad}" + f",\n{pad}".join(rows) + f"\n{' ' * depth}{ends[1]}"


def save(path, doc):
    write(path, text(doc) + "\n")
