# SPDX-License-Identifier: GPL-2.0
"""Made-up results in the shape of the eight workloads, and what describes them."""

import hashlib
import json
import pathlib

SCHEDS = ("none", "mq-deadline", "kyber", "bfq", "bfq-ll0", "rcfq")
READS = {"CFQ": (17060, 15318, 15403, 14521, 13894, 13065, 12170, 12422),
         "bfq-mq": (17658, 10678, 9875, 9919, 9485, 9420, 9864, 15335)}
WRITES = {"CFQ": (14171, 13520, 13396, 13140, 12942, 12651, 12476, 12307),
          "bfq-mq": (14393, 9565, 9284, 8847, 8569, 8276, 8252, 13618)}


def noise(*what, width=0.01):
    """A factor near 1, always the same for the same words."""
    word = hashlib.sha256("/".join(map(str, what)).encode()).digest()
    return 1 + width * (int.from_bytes(word[:4]) / 2**32 - 0.5)


def job(name, side, iops, latency=1.0, ios=5000, error=0, **more):
    """A job of fio's output, with the fields that fio 3.39 has and figures use."""
    off = {"io_bytes": 0, "bw_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0,
           "clat_ns": {"min": 0, "max": 0, "mean": 0.0, "N": 0}, "lat_ns": {"min": 0, "max": 0, "mean": 0.0, "N": 0}}
    ns = {"min": int(latency * 2e5), "max": int(latency * 9e6), "mean": latency * 1e6, "N": ios}
    on = {"io_bytes": ios * 4096, "bw_bytes": int(iops * 4096), "iops": iops, "runtime": int(ios / iops * 1000) if iops else 0,
          "total_ios": ios, "lat_ns": ns,
          "clat_ns": {**ns, "percentile": {"50.000000": int(latency * 9e5), "99.000000": int(latency * 4e6), "99.900000": int(latency * 8e6)}}}
    sides = {one: on if one == side else off for one in ("read", "write", "trim")}
    return {"jobname": name, "groupid": 0, "error": error, "job options": {"bs": "4k"}, **sides, **more}


def put(top, work, disk, case, sched, name, jobs, before=""):
    path = pathlib.Path(top, work, disk, case, sched, f"{name}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    doc = {"metrics": jobs} if isinstance(jobs, dict) else {"fio version": "fio-3.39", "jobs": jobs}
    path.write_text(before + json.dumps(doc, indent=2) + "\n")
    return path


def history(prefix, table):
    return "\n".join(
        f"historical.{label} = {{ " + ", ".join(f"{prefix}-{nr} = {value}" for nr, value in enumerate(row, 1)) + " }"
        for label, row in table.items()
    )


def many(top, work, disks, cases, scheds, make, seeds=(1, 2, 3), repeat=False):
    for disk in disks:
        for case in cases:
            for sched in scheds:
                for seed in seeds:
                    put(top, work, disk, case, sched, seed, make(disk, case, sched, seed), "fio: a line of text\n")
                if repeat:
                    put(top, work, disk, case, sched, f"{seeds[0]}r", make(disk, case, sched, f"{seeds[0]}r"))


def ssd_idle(top):
    def make(disk, case, sched, seed):
        iops = (29000 if disk == "cloud-ssd" else 21500) * (0.24 if sched == "rcfq-idle8" else 1)
        iops *= noise(disk, sched, seed) * (1.0 if case == "qd32" else 0.1)
        return [job("rand", "read", iops, 32e3 / iops)]
    many(top, "ssd-idle", ("cloud-ssd", "sata-ssd"), ("qd1", "qd32"), (*SCHEDS, "rcfq-idle8"), make)


def jobs_1_8(top):
    def make(disk, case, sched, seed):
        kind, jobs = case.split("-")
        if "rand" in kind:
            iops = 76 + 12 * int(jobs)
        else:
            table = READS if kind == "read" else WRITES
            iops = {"rcfq": table["CFQ"], "bfq-ll0": table["bfq-mq"]}.get(sched, (14000, *[80] * 7))[int(jobs) - 1]
        iops *= noise(case, sched, seed, width=0.6 if sched == "bfq" and jobs in "35" else 0.02)
        side = "read" if "read" in kind else "write"
        return [job(f"{kind}.{nr}", side, iops / int(jobs)) for nr in range(int(jobs))]
    cases = [f"{kind}-{nr}" for kind in ("read", "write", "randread", "randwrite") for nr in range(1, 9)]
    many(top, "jobs-1-8", ("hd103sj-1seg",), cases, SCHEDS, make, (1, 2))


def noidle_mix(top):
    def make(disk, case, sched, seed):
        seq = {"none": 60, "bfq": 60, "rcfq": 58}.get(sched, 30) * 250 * noise(sched, case, seed, "seq")
        late = {"bfq": 400, "rcfq": 80}.get(sched, 300) * noise(sched, case, seed, "late", width=0.1)
        return [job("seq.0", "read", seq, 0.1), *(job(f"rand.{nr}", "read", 30, late / 9) for nr in range(3))]
    many(top, "noidle-mix", ("hd103sj-1seg", "hd103sj-16seg"), ("mix-1", "mix-4"), SCHEDS, make, repeat=True)


def dd_readers(top):
    def make(disk, case, sched, seed):
        mb = {"rcfq": 78, "bfq": 70}.get(sched, 3.7) * noise(disk, case, sched, seed)
        return [job(f"dd.{nr}", "read", mb * 250 / 2) for nr in range(2)]
    many(top, "dd-readers", ("hd103sj-1seg",), ("direct-2",), SCHEDS, make)


def cost(top):
    price = dict(zip(SCHEDS, (7400, 15200, 15600, 17500, 17400, 16800)))
    def make(disk, case, sched, seed):
        return [job("cost", "read", 1e9 / (price[sched] * noise(case, seed)))]
    many(top, "cost", ("null",), ("libaio", "psync"), SCHEDS, make)


def startup(top):
    def make(disk, case, sched, seed):
        return {"seconds": {"rcfq": 2.1, "bfq": 1.9, "bfq-ll0": 4.4}.get(sched, 21.0) * noise(case, sched, seed)}
    many(top, "startup", ("hd103sj-1seg", "sata-ssd"), ("idle", "writers", "readers"), SCHEDS, make)


def fsync(top):
    def make(disk, case, sched, seed):
        late = {"rcfq": 30, "bfq": 60}.get(sched, 180) * noise(case, sched, seed) * (1 if case == "quiet" else 3)
        sync = {"lat_ns": {"mean": late * 1e6, "max": late * 5e6, "N": 50}}
        return [job("sync", "write", 50, sync=sync), job("back", "write", 9000)]
    many(top, "fsync", ("hd103sj-1seg",), ("quiet", "busy"), SCHEDS, make)


def ionice(top):
    def make(disk, case, sched, seed):
        share = {"rcfq": (120, 60, 0), "bfq": (90, 70, 10)}.get(sched, (60, 60, 60))
        return [job(name, "read", 90 * each * noise(sched, case, seed), ios=int(each > 0) * 900)
                for name, each in zip(("rt", "be", "idle"), share)]
    many(top, "ionice", ("hd103sj-1seg", "sata-ssd"), ("seq", "rand"), SCHEDS, make)


def metric(key, label, unit, better, **more):
    lines = [f"{name} = {json.dumps(value)}" for name, value in {"key": key, "label": label, "unit": unit, "better": better, **more}.items()]
    return "\n".join(("[[metric]]", *lines))


HEAD = 'title = "{}"\nabout = "{}"\n'
SPECS = {
    "ssd-idle": [HEAD.format("No waiting on flash", "Random reads; rcfq-idle8 waits 8 ms as CFQ did."),
                 metric("iops", "random reads", "IOPS", "more", field="read.iops"),
                 metric("mean", "mean latency", "ms", "less", field="read.clat_ns.mean", scale=1e-6, combine="mean"),
                 '[[target]]\ntext = "waiting costs nothing"\nmetric = "iops"\nthan = "none"\nat_least = 0.9'],
    "jobs-1-8": [HEAD.format("One to eight jobs", "Sequential and random."), 'x = "jobs"',
                 metric("read", "sequential reads", "IOPS", "more", field="read.iops", cases=r"read-\d"), history("read", READS),
                 metric("write", "sequential writes", "IOPS", "more", field="write.iops", cases=r"write-\d"), history("write", WRITES),
                 metric("randread", "random reads", "IOPS", "more", field="read.iops", cases=r"randread-\d"),
                 metric("randwrite", "random writes", "IOPS", "more", field="write.iops", cases=r"randwrite-\d"),
                 '[[target]]\ntext = "no dent"\nmetric = "read"\nthan_case = "read-1"\nshare_of = "historical"\nat_least = 0.97'],
    "noidle-mix": [HEAD.format("A sequential reader among random ones", "Who waits for whom."),
                   metric("seq_bw", "sequential reader", "MB/s", "more", jobs="seq", field="read.bw_bytes", scale=1e-6),
                   metric("late", "random readers, longest latency", "ms", "less", jobs="rand", field="read.clat_ns.max", scale=1e-6,
                          combine="max"),
                   '[[target]]\ntext = "a fair trade"\nkind = "tradeoff"\nmetrics = ["seq_bw", "late"]'],
    "dd-readers": [HEAD.format("Two dd", "Direct reads of 128 KiB."), metric("bw", "both readers", "MB/s", "more", field="read.bw_bytes", scale=1e-6),
                   '[[target]]\ntext = "as fast as the best"\nmetric = "bw"\nthan = "best-peer"\nat_least = 0.95'],
    "cost": [HEAD.format("Cost of an I/O", "Guest instructions."),
             metric("insn", "instructions", "1/IO", "less", field="read.iops", scale=1e9, inverse=True),
             '[[target]]\ntext = "no dearer than bfq"\nmetric = "insn"\nthan = "bfq"\nat_most = 1.0'],
    "startup": [HEAD.format("Start of a program", "Time until it is up."), metric("seconds", "start", "s", "less", log=True),
                '[[target]]\ntext = "within seconds"\nmetric = "seconds"\nat_most = { idle = 3, writers = 5 }'],
    "fsync": [HEAD.format("fsync beside a writer", "Mean and longest fsync."),
              metric("mean", "fsync, mean", "ms", "less", jobs="sync", field="sync.lat_ns.mean", scale=1e-6),
              metric("max", "fsync, longest", "ms", "less", jobs="sync", field="sync.lat_ns.max", scale=1e-6, repeat=0.1)],
    "ionice": [HEAD.format("I/O classes", "Three readers, a class each."),
               metric("rt", "real time", "IOPS", "more", jobs="rt", field="read.iops"),
               metric("be", "best effort", "IOPS", "more", jobs="be", field="read.iops"),
               metric("idle", "idle", "IOPS", "less", jobs="idle", field="read.iops", zero=True)],
}
MAKERS = {"ssd-idle": ssd_idle, "jobs-1-8": jobs_1_8, "noidle-mix": noidle_mix, "dd-readers": dd_readers, "cost": cost,
          "startup": startup, "fsync": fsync, "ionice": ionice}


def specs(top, names=SPECS):
    for name in names:
        path = pathlib.Path(top, name, "report.toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(SPECS[name]) + "\n")


def everything(top):
    """Raw results and descriptions of all eight, below RAW and SPECS."""
    specs(pathlib.Path(top, "specs"))
    for make in MAKERS.values():
        make(pathlib.Path(top, "raw"))
