#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Print the demo's result, a line per process, from what fio and dd left in the
# guest's out folder. Exits 1 if any process had an error or is missing.
# usage: demo-table.py FOLDER SCHEDULER

import json
import pathlib
import re
import sys

DISKS = ("SATA-HDD", "SATA-SSD", "NVMe")
CLASSES = {1: "real time", 2: "best effort", 3: "idle"}
ROW = "{:<10} {:<16} {:<14} {:>10} {:>10} {:>9} {:>9} {:>7} {:>7}"


def fio_rows(out, disk):
    """One row for each fio process, writing and reading back together."""
    text = (out / f"fio-{disk}.json").read_text()
    status = int((out / f"fio-{disk}.status").read_text())
    jobs = json.loads(text[text.index("{"):])["jobs"]
    for job in jobs:
        options = job["job options"]
        prio = CLASSES.get(int(options.get("prioclass", 0)), "none")
        if "prio" in options:
            prio += " " + options["prio"]
        sides = [job[s] for s in ("read", "write") if job[s]["total_ios"]]
        ios = sum(s["total_ios"] for s in sides)
        mean = sum(s["clat_ns"]["mean"] * s["total_ios"] for s in sides) / max(ios, 1) / 1e6
        p99 = max((s["clat_ns"].get("percentile", {}).get("99.000000", 0) for s in sides), default=0) / 1e6
        errors = job["total_err"] if "total_err" in job else 0
        errors += 1 if job["error"] else 0
        yield (job["jobname"], prio, job["write"]["bw"] / 1024, job["read"]["bw"] / 1024, mean, p99, ios, errors)
    if status and not any(job["error"] for job in jobs):
        yield ("fio", "", 0, 0, 0, 0, 0, status)


def dd_rows(out, disk):
    """One row for each dd: it tells bytes and time, so the mean is all there is."""
    for prio in (1, 3):
        status = int((out / f"dd-{disk}-{prio}.status").read_text())
        text = (out / f"dd-{disk}-{prio}.txt").read_text()
        match = re.search(r"(\d+) bytes .* copied, ([\d.e+-]+) s", text)
        count = re.search(r"(\d+)\+\d+ records in", text)
        if status or not match or not count:
            yield ("dd-reader", CLASSES[prio], 0, 0, 0, 0, 0, max(status, 1))
            continue
        size, seconds, ios = int(match[1]), float(match[2]), int(count[1])
        yield ("dd-reader", CLASSES[prio], 0, size / seconds / 2**20, seconds / ios * 1e3, None, ios, 0)


def number(value, form):
    return "-" if not value else format(value, form)


def main():
    out, sched = pathlib.Path(sys.argv[1]), sys.argv[2]
    errors = 0
    print(f"\nScheduler {sched}, switched away and back {(out / 'switches').read_text().strip()} times below this work:\n")
    print(ROW.format("disk", "process", "I/O class", "write", "read", "latency", "latency", "I/Os", "errors"))
    print(ROW.format("", "", "", "MiB/s", "MiB/s", "mean ms", "p99 ms", "", ""))
    for disk in DISKS:
        kind = disk
        for name, prio, write, read, mean, p99, ios, err in [*fio_rows(out, disk), *dd_rows(out, disk)]:
            errors += err
            print(ROW.format(kind, name, prio, number(write, ".1f"), number(read, ".1f"),
                             number(mean, ".1f"), number(p99, ".1f"), ios, err))
            kind = ""
    print(f"\nerrors: {errors}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
