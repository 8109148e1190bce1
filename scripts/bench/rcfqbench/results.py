# SPDX-License-Identifier: GPL-2.0
"""results.json: read, extended by workloads, written the same for the same input."""

import json

from . import Problem

FORMAT = 1
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
        cells = work.get("cells") if isinstance(work, dict) else None
        if not isinstance(cells, list) or not isinstance(work.get("metrics"), dict) or not isinstance(work.get("targets"), list) or not all(isinstance(cell, dict) and all(key in cell for key in CELL) for cell in cells):
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
        "seeds": max(work.get("seeds", 0) for work in workloads.values()),
        "workloads": {name: workloads[name] for name in sorted(workloads)},
    }


def write(path, text):
    """Whole or not at all."""
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
