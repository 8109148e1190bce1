# SPDX-License-Identifier: GPL-2.0
"""All figures of a workload: a cell for each disk, case, scheduler and metric.

A raw result is DISK/CASE/SCHED/SEED.json; SEEDr.json is the same seed run again.
"""

import re
import statistics

from . import Problem, raw

ORDER = ("none", "mq-deadline", "kyber", "bfq", "bfq-ll0")


def natural(name):
    """Sorts read-2 before read-10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def by_sched(name):
    """The known ones first, rcfq and its variants last."""
    if name in ORDER:
        return (0, ORDER.index(name), "")
    return (2 if name.split("-")[0] == "rcfq" else 1, 0, name)


def spread(values):
    """(largest - smallest) / mean; None if that says nothing."""
    mean = statistics.fmean(values)
    width = max(values) - min(values)
    if mean == 0:
        return 0.0 if width == 0 else None
    return round(width / abs(mean), 6)


def folders(path):
    return [entry for entry in sorted(path.iterdir()) if entry.is_dir()]


class Raw:
    """The files of a workload: what is there, and what should be."""

    def __init__(self, top, spec):
        if not top.is_dir():
            raise Problem(f"{top}: no such folder of raw results")
        self.top, self.docs, self.seeds, self.strangers = top, {}, {}, []
        for disk in folders(top):
            for case in folders(disk):
                for sched in folders(case):
                    self.seeds[disk.name, case.name, sched.name] = self.scan(sched)
        if not self.seeds:
            raise Problem(f"{top}: no raw results (DISK/CASE/SCHED/SEED.json)")
        self.all_seeds = sorted({*spec.expect.seeds, *(seed for seeds, _ in self.seeds.values() for seed in seeds)})
        self.fill(spec.expect, spec.sparse)

    def scan(self, folder):
        seeds, repeats = set(), set()
        for path in folder.glob("*.json"):
            match = re.fullmatch(r"(\d+)(r?)", path.stem)
            if not match:
                self.strangers.append(f"{path.relative_to(self.top)}: not named SEED.json or SEEDr.json")
                continue
            (repeats if match[2] else seeds).add(int(match[1]))
        return seeds, repeats

    def fill(self, expect, sparse):
        """What should be there: what is said to, and in all its cases a scheduler that the disk has.

        A variant of a scheduler need not be everywhere.
        """
        found = list(self.seeds)
        for disk in {*expect.disks, *(key[0] for key in found)}:
            here = [key for key in found if key[0] == disk]
            scheds = {key[2] for key in here if key[2] in (*ORDER, "rcfq") and not sparse}
            for case in {*expect.cases, *(key[1] for key in here)}:
                for sched in {*expect.schedulers, *scheds}:
                    self.seeds.setdefault((disk, case, sched), (set(), set()))

    def doc(self, key, name):
        """The file's content; a Problem with it is kept and raised each time."""
        path = self.top.joinpath(*key, f"{name}.json")
        if path not in self.docs:
            try:
                self.docs[path] = raw.read(path)
            except Problem as problem:
                self.docs[path] = problem
        if isinstance(self.docs[path], Problem):
            raise self.docs[path]
        return self.docs[path]

    def figure(self, key, name, metric):
        try:
            return raw.figure(self.doc(key, name), metric)
        except Problem as problem:
            raise Problem(f"{'/'.join(key)}/{name}.json: {problem}") from problem


def measure(files, key, metric, cell):
    """Values over the seeds, and how far the same seed differs from itself."""
    seeds = files.all_seeds[:1] if metric.one_seed else files.all_seeds
    values = {seed: files.figure(key, seed, metric) for seed in seeds}
    if not values:
        raise Problem(f"{'/'.join(key)}: no raw results")
    again, pairs = [], []
    for seed in sorted(files.seeds[key][1]):
        if seed not in values:
            raise Problem(f"{'/'.join(key)}/{seed}r.json: repeats a seed that is not there")
        again.append(files.figure(key, f"{seed}r", metric))
        pairs.append(spread([values[seed], again[-1]]))
    cell["values"], cell["again"] = list(values.values()), again
    cell["mean"] = float(f"{statistics.fmean(values.values()):.6g}")
    cell["spread"] = spread(cell["values"])
    cell["repeat"] = (None if None in pairs else max(pairs)) if pairs else None
    judged = cell["repeat"] if pairs else cell["spread"]
    cell["steady"] = judged is not None and judged <= metric.repeat


def collect(top, spec):
    """(cells, problems, seeds) of the workload with its raw results below top."""
    files = Raw(top, spec)
    cells, problems = [], list(files.strangers)
    keys = sorted(files.seeds, key=lambda key: (natural(key[0]), natural(key[1]), by_sched(key[2])))
    for metric in spec.metrics:
        wanted = [key for key in keys if metric.cases.fullmatch(key[1])]
        if not wanted:
            problems.append(f"metric '{metric.key}': no case is matched by cases = \"{metric.cases.pattern}\"")
        for key in wanted:
            cell = dict(zip(("disk", "case", "sched"), key), metric=metric.key, unit=metric.unit, better=metric.better,
                        values=[], again=[], mean=None, spread=None, repeat=None, steady=False)
            try:
                measure(files, key, metric, cell)
            except Problem as problem:
                cell["failed"] = str(problem)
                if str(problem) not in problems:
                    problems.append(str(problem))
            cells.append(cell)
    return cells, problems, len(files.all_seeds)
