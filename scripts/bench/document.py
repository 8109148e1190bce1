#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the tables and plots of a results.json, without the smoke set, into Documentation/benchmarks.rst."""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
from rcfqbench import Problem, results, rst, run  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]


def replaced(text, what, lines, path):
    """The text with what stands between the two markers replaced."""
    marks = [f".. {what} {edge}: written by scripts/bench/document.py\n" for edge in ("begin", "end")]
    if any(text.count(mark) != 1 for mark in marks) or text.index(marks[0]) > text.index(marks[1]):
        raise Problem(f"{path}: wants the lines '{marks[0].strip()}' and '{marks[1].strip()}', once each")
    before, rest = text.split(marks[0])
    after = rest.split(marks[1])[1]
    return f"{before}{marks[0]}\n" + "\n".join(lines) + f"\n{marks[1]}{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=pathlib.Path, default=TOP / "build/bench/results.json", help="the plots lie beside it")
    parser.add_argument("--document", type=pathlib.Path, default=TOP / "Documentation/benchmarks.rst")
    args = parser.parse_args()
    doc = results.load(args.results)
    # It is there to be judged by machines.
    doc["workloads"].pop("smoke", None)
    images = args.document.with_suffix("")
    try:
        text = args.document.read_text()
        plots = {plot: args.results.with_name(f"{plot}.svg").read_text() for work in doc["workloads"].values() for plot in work["plots"]}
    except OSError as error:
        raise Problem(f"{error.filename}: cannot be read: {error.strerror}") from error
    text = replaced(text, "workloads", rst.workloads(doc), args.document)
    text = replaced(text, "results", rst.results(doc, images.name), args.document)
    images.mkdir(exist_ok=True)
    for old in images.glob("*.svg"):
        if old.stem not in plots:
            old.unlink()
    for name, plot in plots.items():
        results.write(images / f"{name}.svg", plot)
    results.write(args.document, text)
    print(f"{args.document}: {len(doc['workloads'])} workloads, {len(plots)} plots")
    return 0


if __name__ == "__main__":
    run(main)
