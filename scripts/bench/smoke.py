#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judge the smoke set against the committed reference ratios.

Each ratio is rcfq's figure over another scheduler's of the same run, so the host
does not matter. Exits 1 if one is more than 5 % worse than the reference, or is
not there. --update writes the reference anew.
"""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
from rcfqbench import Problem, results, run  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 0.05
JUDGED = "rcfq"
# The first of them that is there is what rcfq is compared with.
AGAINST = ("mq-deadline", "none", "bfq", "bfq-ll0", "kyber")
LICENSE = {"//": "SPDX-License-Identifier: GPL-2.0"}


def figures(path, name):
    """{case/metric/disk: {scheduler: cell}} of the smoke workload."""
    work = results.load(path)["workloads"].get(name)
    if work is None:
        raise Problem(f"{path}: no workload '{name}': run it first")
    out = {}
    for cell in work["cells"]:
        out.setdefault(f"{cell['case']}/{cell['metric']}/{cell['disk']}", {})[cell["sched"]] = cell
    return out


def reference(path):
    try:
        doc = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise Problem(f"{path}: cannot be read as reference ratios: {error}") from error
    doc = {key: one for key, one in doc.items() if key != "//"} if isinstance(doc, dict) else {}
    if not doc:
        raise Problem(f"{path}: holds no reference ratios")
    for key, one in doc.items():
        if not isinstance(one, dict) or set(one) != {"of", "than", "ratio"} or not isinstance(one["ratio"], (int, float)) or one["ratio"] <= 0:
            raise Problem(f"{path}: '{key}' must have 'of', 'than' and a 'ratio' above 0")
    return doc


def ratio(row, of, than):
    """The ratio of two means, None if one is not there."""
    ends = [row.get(name, {}).get("mean") for name in (of, than)]
    return float(f"{ends[0] / ends[1]:.4g}") if all(ends) else None


def update(found, path):
    doc = dict(LICENSE)
    for key, row in sorted(found.items()):
        than = next((name for name in AGAINST if name in row), None)
        value = ratio(row, JUDGED, than) if than else None
        if value is None:
            raise Problem(f"'{key}' has no ratio of {JUDGED} to another scheduler; the reference is unchanged")
        doc[key] = {"of": JUDGED, "than": than, "ratio": value}
    rows = [f"  {json.dumps(key)}: {json.dumps(one)}" for key, one in doc.items()]
    results.write(path, "{\n" + ",\n".join(rows) + "\n}\n")
    print(f"{path}: {len(doc) - 1} ratios written")
    return 0


def judge(found, wanted):
    failed = 0
    for key, one in wanted.items():
        row = found.get(key, {})
        now = ratio(row, one["of"], one["than"])
        what = f"{key}: {one['of']}/{one['than']}"
        if now is None:
            failed += 1
            print(f"FAILED  {what}: no figure, the reference is {one['ratio']:.4g}")
            continue
        change = now / one["ratio"] - 1
        more = row[one["of"]]["better"] == "more"
        worse = change < -TOLERANCE if more else change > TOLERANCE
        failed += worse
        shaky = [name for name in (one["of"], one["than"]) if not row[name].get("steady", True)]
        note = f" ({' and '.join(shaky)} not repeating)" if shaky else ""
        print(f"{'FAILED' if worse else 'ok':<8}{what}: {now:.4g}, reference {one['ratio']:.4g}, {100 * change:+.1f} %, "
              f"{'more' if more else 'less'} is better{note}")
    for key in found:
        if key not in wanted:
            print(f"new     {key}: not in the reference")
    print(f"smoke: {len(wanted) - failed} of {len(wanted)} ratios within {100 * TOLERANCE:.0f} %")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, default=TOP / "build/bench/results.json")
    parser.add_argument("--reference", type=pathlib.Path, default=TOP / "tests/bench/smoke/reference.json")
    parser.add_argument("--workload", default="smoke", help="name of the smoke set in the results")
    parser.add_argument("--update", action="store_true", help="write the reference anew from the results")
    args = parser.parse_args()
    found = figures(args.results, args.workload)
    return update(found, args.reference) if args.update else judge(found, reference(args.reference))


if __name__ == "__main__":
    run(main)
