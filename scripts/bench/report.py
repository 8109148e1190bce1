#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the raw results of benchmark guests into results.json, tables and plots.

Workloads that are not named keep what results.json has of them. Exits 1 if any
figure failed; all others are there nevertheless.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
from rcfqbench import Problem, cells, markdown, results, run, spec, targets, view  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", type=pathlib.Path, default=TOP / "build/bench/raw", help="folder with WORKLOAD/DISK/CASE/SCHED/SEED.json")
    parser.add_argument("--out", type=pathlib.Path, default=TOP / "build/bench", help="folder for what is made")
    parser.add_argument("--specs", type=pathlib.Path, default=TOP / "tests/bench", help="folder with WORKLOAD/report.toml")
    parser.add_argument("--workload", action="append", help="only this one; may be given several times")
    parser.add_argument("--kernel", help="release of the kernel that ran, to be noted")
    parser.add_argument("--source", help="state of the sources that ran, to be noted")
    return parser.parse_args()


def names(args):
    if not args.raw.is_dir():
        raise Problem(f"{args.raw}: no such folder of raw results")
    return sorted(set(args.workload or [entry.name for entry in args.raw.iterdir() if entry.is_dir()]))


def main():
    args = options()
    chosen = names(args)
    if not chosen:
        raise Problem(f"{args.raw}: no workload has results there")
    # All that can be refused is read before anything is written.
    specs = {name: spec.load(args.specs / name / "report.toml") for name in chosen}
    path = args.out / "results.json"
    old = results.load(path) if path.exists() else None
    new, failures = {}, 0
    for name, one in specs.items():
        try:
            found, problems, seeds = cells.collect(args.raw / name, one)
        except Problem as problem:
            if len(specs) == 1:
                raise
            print(f"rcfq: {name}: {problem}", file=sys.stderr)
            failures += 1
            continue
        for problem in problems:
            print(f"rcfq: {name}: {problem}", file=sys.stderr)
        failures += len(problems)
        new[name] = results.workload(one, found, targets.judge(one, found), seeds, args.kernel, args.source)
    if not new:
        raise Problem("no workload has results")
    args.out.mkdir(parents=True, exist_ok=True)
    from rcfqbench import plot  # slow to load, and not needed to refuse something
    for name, work in new.items():
        work["plots"] = plot.workload(name, work, args.out)
        results.write(args.out / f"{name}.md", markdown.page(name, work))
        for verdict in work["targets"]:
            if not verdict["met"]:
                print(f"{name}: NOT met: {verdict['text']}: {verdict['cell']}: wanted {verdict['wanted']}, "
                      f"got {view.got(verdict)}")
        met = sum(verdict["met"] for verdict in work["targets"])
        print(f"{name}: {len(work['cells'])} figures, {met} of {len(work['targets'])} targets met")
    doc = results.merge(old, new, args.kernel, args.source)
    results.save(path, doc)
    results.write(args.out / "index.md", markdown.index(doc))
    if failures:
        print(f"rcfq: {failures} failures are told above", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    run(main)
