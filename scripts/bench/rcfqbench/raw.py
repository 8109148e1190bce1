# SPDX-License-Identifier: GPL-2.0
"""One figure from one file that a guest left: fio's JSON, or ready figures."""

import json
import statistics

from . import Problem

COMBINE = {"sum": sum, "mean": statistics.fmean, "max": max, "min": min}
SIDES = ("read", "write", "trim")


def read(path):
    """The JSON object in the file; lines of text may stand around it."""
    try:
        text = path.read_text()
    except FileNotFoundError as error:
        raise Problem("the file is missing") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"cannot be read: {error}") from error
    decoder, at = json.JSONDecoder(), 0
    while at >= 0:
        if text.startswith("{", at):
            try:
                return check(decoder.raw_decode(text, at)[0])
            except json.JSONDecodeError:
                pass  # a line of text that begins so, or the file is cut off
        at = text.find("\n", at) + 1 or -1
    raise Problem("holds no complete JSON object")


def check(doc):
    """What is true of the whole file, whatever figure is wanted."""
    if "metrics" in doc:
        if not isinstance(doc["metrics"], dict):
            raise Problem("'metrics' is no object")
        return doc
    jobs = doc.get("jobs")
    if not isinstance(jobs, list) or not jobs or not all(isinstance(job, dict) for job in jobs):
        raise Problem("has neither 'jobs' nor 'metrics'")
    for job in jobs:
        if job.get("error", 0) != 0:
            raise Problem(f"job '{job.get('jobname')}' ended with error {job['error']}")
    return doc


def same(key, wanted):
    """Percentiles may be written short: 99 for 99.000000."""
    try:
        return key == wanted or float(key) == float(wanted)
    except ValueError:
        return False


def field(node, parts):
    """The number at a dotted path; a key may itself hold a dot."""
    if not parts:
        return node if isinstance(node, (int, float)) and not isinstance(node, bool) else None
    if isinstance(node, dict):
        for length in range(len(parts), 0, -1):
            wanted = ".".join(parts[:length])
            for key in node:
                if same(key, wanted) and (value := field(node[key], parts[length:])) is not None:
                    return value
    return None


def did_io(job):
    return any(job.get(side, {}).get("total_ios", 0) for side in SIDES)


def from_jobs(jobs, metric):
    chosen = [job for job in jobs if str(job.get("jobname", "")).startswith(metric.jobs)]
    if not chosen:
        names = ", ".join(str(job.get("jobname")) for job in jobs)
        raise Problem(f"no job is named '{metric.jobs}…' (there are: {names})")
    if metric.field is None:
        raise Problem(f"fio's output, but metric '{metric.key}' has no 'field'")
    side, values = metric.field.split(".")[0], []
    for job in chosen:
        if not did_io(job) and not metric.zero:
            raise Problem(f"job '{job['jobname']}' did no I/O")
        # A writer has no part in the mean latency of reads.
        if did_io(job) and side in SIDES and not job.get(side, {}).get("total_ios", 0):
            continue
        value = field(job, metric.field.split("."))
        if value is None:
            raise Problem(f"job '{job['jobname']}' has no number at '{metric.field}'")
        values.append(value)
    if not values:
        raise Problem(f"no job did any I/O of the kind that '{metric.field}' tells of")
    value = COMBINE[metric.combine](values)
    if metric.inverse:
        if value == 0:
            raise Problem(f"'{metric.field}' is 0 and has no inverse")
        return metric.scale / value
    return metric.scale * value


def figure(doc, metric):
    """The metric's figure, or a Problem. Ready figures are taken as they are."""
    if "metrics" in doc:
        value = doc["metrics"].get(metric.key)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise Problem(f"no number '{metric.key}' in 'metrics'")
    else:
        value = from_jobs(doc["jobs"], metric)
    if value == 0 and not metric.zero:
        raise Problem(f"the figure '{metric.key}' is 0")
    return float(f"{value:.6g}")
