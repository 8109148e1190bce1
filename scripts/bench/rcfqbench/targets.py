# SPDX-License-Identifier: GPL-2.0
"""What was promised, judged against the cells of a workload.

A cell that does not repeat has no mean to judge by: its end that is worse for
the promise is taken.
"""

from . import view


def peers(target, row):
    """The schedulers that a judged one is compared with."""
    if isinstance(target.peers, list):
        return {sched: cell for sched, cell in row.items() if sched in target.peers}
    return {
        sched: cell for sched, cell in row.items()
        if sched != target.of and sched.split("-")[0] != "rcfq" and (sched != "none" or target.peers == "all")
    }


def end(cell, low):
    """The figure to judge by, None if there is none."""
    if cell is None or cell["mean"] is None:
        return None
    if view.steady(cell):
        return cell["mean"]
    return view.reach(cell)[0 if low else 1]


def shaky(cells):
    names = sorted({cell["sched"] for cell in cells if cell and cell["mean"] is not None and not view.steady(cell)})
    return f"worst case, since this does not repeat: {', '.join(names)}" if names else ""


def best(cells, more, low):
    """(figure, cell) of the best; failed ones do not compete."""
    known = [(end(cell, low), cell) for cell in cells if end(cell, low) is not None]
    return (max if more else min)(known, key=lambda one: one[0], default=(None, None))


def bound(target, case):
    """(at least?, limit, its text) for that case, None if the target leaves it out."""
    limit = target.at_least if target.at_most is None else target.at_most
    if isinstance(limit, dict):
        if case not in limit:
            return None
        limit = limit[case]
    if target.share_of is not None:
        if case not in target.share_of:
            return None
        limit = (limit or 1) * target.share_of[case] / target.share_of[target.than_case]
    least = target.at_most is None
    return least, limit, f"at {'least' if least else 'most'} {view.number(limit)}"


def ratio(target, metric, grids, disk, case):
    """The verdict on one cell, None if the target leaves the case out."""
    grid = grids[metric.key]
    row = grid[disk, case]
    limits = bound(target, case)
    if limits is None or (target.than_case == case and target.of in row):
        return None
    least, limit, wanted = limits
    judged, other = row.get(target.of), None
    value = end(judged, least)
    if target.than == "best-peer":
        base, other = best(peers(target, row).values(), metric.better == "more", not least)
        wanted += " of the best peer" + (f" ({other['sched']})" if other else "")
    elif target.than is not None:
        other = row.get(target.than)
        base = end(other, not least)
        wanted += f" of {target.than}"
    elif target.than_case is not None:
        other = grid.get((disk, target.than_case), {}).get(target.of)
        base = end(other, not least)
        wanted += f" of {target.than_case}"
    elif target.than_metric is not None:
        other = grids[target.than_metric].get((disk, case), {}).get(target.of)
        base = end(other, not least)
        wanted += f" of {target.than_metric}"
    else:
        base = 1
        wanted += f" {metric.unit}"
    got = None if value is None or not base else float(f"{value / base:.4g}")
    met = got is not None and (got >= limit if least else got <= limit)
    return verdict(target, disk, case, wanted, got, met, "no figure" if got is None else shaky([judged, other]))


def tradeoff(target, metrics, grids, disk, case):
    """Near the best in all metrics, or not beaten in all of them by anyone."""
    share, rivals, cells = [], None, []
    for metric, grid in zip(metrics, grids):
        more = metric.better == "more"
        row = grid.get((disk, case), {})
        mine = end(row.get(target.of), more)
        others = {sched: end(cell, not more) for sched, cell in peers(target, row).items()}
        others = {sched: value for sched, value in others.items() if value is not None}
        if not mine or not others:
            return verdict(target, disk, case, "a fair trade", None, False, "no figure")
        top = (max if more else min)(others.values())
        share.append(mine / top if more else top / mine)
        better = {sched for sched, value in others.items() if (value > mine if more else value < mine)}
        rivals = better if rivals is None else rivals & better
        cells += [row.get(target.of), *(row[sched] for sched in others)]
    got = float(f"{min(share):.4g}")
    near = 1 - target.tolerance
    every = "both" if len(metrics) == 2 else "all"
    note = f"{', '.join(f'{one:.2f}' for one in share[:-1])} and {share[-1]:.2f} of the best peer"
    note += f"; better in {every}: {', '.join(sorted(rivals))}" if rivals else f"; nobody is better in {every}"
    wanted = f"at least {near:.3g} of the best peer in {every}, or nobody better in {every}"
    notes = [note, shaky(cells)]
    return verdict(target, disk, case, wanted, got, got >= near or not rivals, "; ".join(filter(None, notes)))


def verdict(target, disk, case, wanted, got, met, note):
    return {"text": target.text, "cell": f"{disk} {case}", "wanted": wanted, "got": got, "met": met, "note": note}


def judge(spec, cells):
    """A verdict for each cell that a target is about; a target about nothing is not met."""
    metrics = {metric.key: metric for metric in spec.metrics}
    grids = {key: {} for key in metrics}
    for cell in cells:
        grids[cell["metric"]].setdefault((cell["disk"], cell["case"]), {})[cell["sched"]] = cell
    out = []
    for target in spec.targets:
        keys = target.metrics or [target.metric]
        chosen = [metrics[key] for key in keys]
        maps = [grids[key] for key in keys]
        verdicts = []
        for disk, case in maps[0]:
            if target.disk.fullmatch(disk) and target.case.fullmatch(case):
                if target.kind == "tradeoff":
                    verdicts.append(tradeoff(target, chosen, maps, disk, case))
                else:
                    verdicts.append(ratio(target, chosen[0], grids, disk, case))
        verdicts = [one for one in verdicts if one]
        out += verdicts or [verdict(target, target.disk.pattern, target.case.pattern, "a cell", None, False, "matches no cell")]
    return out
