#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Print what one I/O costs under each scheduler, in guest instructions, from the
# files that the guest's cost script left. Exits 1 if JUDGED costs more than
# LIMIT in any of the ways measured, or if a run was not complete.
# usage: cost-table.py FOLDER JUDGED LIMIT SCHEDULER...

import json
import pathlib
import sys

ENGINES = {"libaio": "libaio, 4 x depth 64", "psync": "psync, 4 threads"}
IOS = 4 * 5000


def instructions(path):
    """Instructions per I/O: one virtual nanosecond is one instruction."""
    text = path.read_text()
    job = json.loads(text[text.index("{"):])["jobs"][0]
    if job["error"] or job["read"]["total_ios"] != IOS:
        sys.exit(f"rcfq: {path.name} has {job['read']['total_ios']} I/Os instead of {IOS}, error {job['error']}")
    return 1e9 / job["read"]["iops"]


def main():
    out, judged, limit = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    dear = False
    for engine, title in ENGINES.items():
        cost = {sched: instructions(out / f"{engine}-{sched}.json") for sched in sys.argv[4:]}
        print(f"\n4 KiB random reads from null_blk, {title}:")
        print(f"{'scheduler':<14}{'IOPS (virtual)':>16}{'instructions/I/O':>18}{'over none':>11}{'ratio to none':>15}")
        for sched, each in cost.items():
            print(f"{sched:<14}{1e9 / each:>16.0f}{each:>18.0f}{each - cost['none']:>11.0f}{cost['none'] / each:>15.2f}")
        if cost[judged] > cost[limit]:
            print(f"{judged} costs more than {limit}")
            dear = True
    return 1 if dear else 0


if __name__ == "__main__":
    sys.exit(main())
