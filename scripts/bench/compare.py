#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Show what changed between two results.json.

A figure has changed if its mean moved by more than 3 % and by more than either
file's spread over the seeds. Exits 1 only if a file is no results.json.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
from rcfqbench import results, run, view  # noqa: E402

LEAST = 0.03
HEAD = ("workload", "disk", "case", "scheduler", "metric", "old", "new", "change", "")


def cells(doc):
    return {
        (name, cell["disk"], cell["case"], cell["sched"], cell["metric"], cell["unit"]): cell
        for name, work in doc["workloads"].items() for cell in work["cells"]
    }


def change(old, new):
    """(old, new, change, verdict) for a row, None if nothing is worth one."""
    if old["mean"] is None or new["mean"] is None:
        if old["mean"] is new["mean"]:
            return None
        verdict = "failed before" if old["mean"] is None else "fails now"
        return view.figure(old), view.figure(new), "", verdict
    if old["mean"] == 0:
        moved = 0.0 if new["mean"] == 0 else float("inf")
    else:
        moved = new["mean"] / old["mean"] - 1
    if abs(moved) <= max(LEAST, old["spread"] or 0, new["spread"] or 0):
        return None
    better = (moved > 0) == (new["better"] == "more")
    return view.number(old["mean"]), view.number(new["mean"]), f"{100 * moved:+.1f} %", "better" if better else "worse"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path, metavar="OLD")
    parser.add_argument("new", type=pathlib.Path, metavar="NEW")
    args = parser.parse_args()
    old, new = cells(results.load(args.old)), cells(results.load(args.new))
    both = [key for key in old if key in new]
    rows = [(*key[:4], f"{key[4]}, {key[5]}", *row) for key in both if (row := change(old[key], new[key]))]
    if rows:
        widths = [max(len(row[column]) for row in (HEAD, *rows)) for column in range(len(HEAD))]
        for row in (HEAD, *rows):
            print("  ".join(
                text.rjust(width) if 5 <= column <= 7 else text.ljust(width)
                for column, (text, width) in enumerate(zip(row, widths))
            ).rstrip())
        print()
    for title, here, there in (("OLD", old, new), ("NEW", new, old)):
        for key in here:
            if key not in there:
                print(f"only in {title}: {' '.join(key)}")
    count = {verdict: sum(row[-1] == verdict for row in rows) for verdict in ("better", "worse", "fails now", "failed before")}
    print(f"{len(both)} figures in both: {', '.join(f'{many} {verdict}' for verdict, many in count.items())}, "
          f"{len(both) - len(rows)} unchanged; {len(old) - len(both)} only in OLD, {len(new) - len(both)} only in NEW")
    return 0


if __name__ == "__main__":
    run(main)
