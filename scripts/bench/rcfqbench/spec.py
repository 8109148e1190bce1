# SPDX-License-Identifier: GPL-2.0
"""report.toml: what a workload measures and what it must reach.

scripts/bench/README.rst describes every key, scripts/bench/example.toml is an
example of most. An unknown key, a wrong type or a name that leads nowhere is a
Problem that names file and key.
"""

import re
import tomllib
from dataclasses import dataclass

from . import Problem

NUMBER = (int, float)
REQUIRED = object()

TOP = {
    "title": (str, REQUIRED), "about": (str, REQUIRED), "x": (str, None), "sparse": (bool, False),
    "expect": (dict, {}),
    "metric": (list, REQUIRED), "target": (list, []),
}
EXPECT = {"disks": (list, []), "cases": (list, []), "schedulers": (list, []), "seeds": (list, [])}
METRIC = {
    "key": (str, REQUIRED), "label": (str, REQUIRED), "unit": (str, REQUIRED), "better": (str, REQUIRED),
    "jobs": (str, ""), "field": (str, None), "scale": (NUMBER, 1), "combine": (str, "sum"), "inverse": (bool, False),
    "cases": (str, ".*"), "zero": (bool, False), "one_seed": (bool, False), "repeat": (NUMBER, 0.03), "log": (bool, False),
    "historical": (dict, {}), "historical_label": (str, "historical"),
}
TARGET = {
    "text": (str, REQUIRED), "kind": (str, "ratio"), "disk": (str, ".*"), "case": (str, ".*"), "of": (str, "rcfq"),
    "metric": (str, None), "metrics": (list, None), "tolerance": (NUMBER, 0.05), "peers": ((str, list), "elevators"),
    "than": (str, None), "than_case": (str, None), "than_metric": (str, None), "share_of": (str, None),
    "at_least": ((int, float, dict), None), "at_most": ((int, float, dict), None),
}
CHOICES = {
    "better": ("more", "less"), "combine": ("sum", "mean", "max", "min"), "kind": ("ratio", "tradeoff"),
}
REGEXES = ("cases", "disk", "case")
THAN = ("than", "than_case", "than_metric")


@dataclass(frozen=True)
class Spec:
    title: str
    about: str
    x: str | None
    sparse: bool
    expect: dict
    metrics: list
    targets: list


class Table(dict):
    """A table of the file: every key that may be there, by attribute."""

    __getattr__ = dict.__getitem__


def take(raw, shape, where):
    """The table with its defaults, or a Problem."""
    if not isinstance(raw, dict):
        raise Problem(f"{where}: must be a table")
    for key in raw:
        if key not in shape:
            raise Problem(f"{where}: unknown key '{key}' (known: {', '.join(sorted(shape))})")
    out = Table()
    for key, (kind, default) in shape.items():
        value = raw.get(key, default)
        if value is REQUIRED:
            raise Problem(f"{where}: key '{key}' is missing")
        if key in raw and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
            raise Problem(f"{where}: key '{key}' has the wrong type ({type(value).__name__})")
        if key in CHOICES and value not in CHOICES[key]:
            raise Problem(f"{where}: key '{key}' must be one of {', '.join(CHOICES[key])}, not '{value}'")
        if key in REGEXES and kind is str:
            try:
                value = re.compile(value)
            except re.error as error:
                raise Problem(f"{where}: key '{key}' is no regular expression: {error}") from error
        out[key] = value
    return out


def numbers(table, where, key):
    """A table of positive numbers."""
    for name, value in table.items():
        if not isinstance(value, NUMBER) or isinstance(value, bool) or value <= 0:
            raise Problem(f"{where}: key '{key}.{name}' must be a number above 0")
    return table


def expected(raw, where):
    out = take(raw, EXPECT, where)
    for key, values in out.items():
        if not all(type(value) is (int if key == "seeds" else str) for value in values):
            raise Problem(f"{where}: key '{key}' must be a list of {'numbers' if key == 'seeds' else 'names'}")
    return out


def metric(raw, where):
    out = take(raw, METRIC, where)
    where = f"{where} '{out.key}'"
    if not re.fullmatch(r"[\w-]+", out.key):
        raise Problem(f"{where}: key 'key' must be letters, digits, _ and -")
    for key in ("scale", "repeat"):
        if out[key] <= 0:
            raise Problem(f"{where}: key '{key}' must be above 0")
    history = out.historical
    if history and not all(isinstance(value, dict) for value in history.values()):
        history = {out.historical_label: history}
    for label, values in history.items():
        numbers(values, where, f"historical.{label}")
    out["historical"] = history
    return out


def ratio(out, metrics, where):
    """The keys of an ordinary target fit together."""
    if out.metrics is not None:
        raise Problem(f"{where}: key 'metrics' is for kind = \"tradeoff\"")
    if out.metric not in metrics:
        raise Problem(f"{where}: key 'metric' must name a metric of this file, not '{out.metric}'")
    if sum(out[key] is not None for key in THAN) > 1:
        raise Problem(f"{where}: keys {', '.join(THAN)} exclude each other")
    if out.than_metric is not None and out.than_metric not in metrics:
        raise Problem(f"{where}: key 'than_metric' must name a metric of this file, not '{out.than_metric}'")
    if out.share_of is not None:
        history = metrics[out.metric].historical
        if out.than_case is None or out.at_most is not None:
            raise Problem(f"{where}: key 'share_of' wants 'than_case', and 'at_least' if anything")
        if not history or out.share_of not in ("historical", *history):
            raise Problem(f"{where}: key 'share_of' must be \"historical\" or a label of metric '{out.metric}'")
        values = history.get(out.share_of) or next(iter(history.values()))
        if out.than_case not in values:
            raise Problem(f"{where}: key 'than_case': no historical figure for '{out.than_case}'")
        out["share_of"] = values
    elif (out.at_least is None) == (out.at_most is None):
        raise Problem(f"{where}: one of the keys 'at_least' and 'at_most' is needed")
    for key in ("at_least", "at_most"):
        if out[key] is not None:
            numbers(out[key] if isinstance(out[key], dict) else {"all": out[key]}, where, key)


def target(raw, metrics, where):
    out = take(raw, TARGET, where)
    where = f"{where} '{out.text}'"
    if isinstance(out.peers, str) and out.peers not in ("elevators", "all"):
        raise Problem(f"{where}: key 'peers' must be \"elevators\", \"all\" or a list of schedulers")
    if out.kind == "ratio":
        ratio(out, metrics, where)
        return out
    for key in ("metric", *THAN, "share_of", "at_least", "at_most"):
        if out[key] is not None:
            raise Problem(f"{where}: key '{key}' is not for kind = \"tradeoff\"")
    if not out.metrics or len(out.metrics) < 2 or not all(key in metrics for key in out.metrics):
        raise Problem(f"{where}: key 'metrics' must name two or more metrics of this file")
    return out


def load(path):
    """The Spec in that file."""
    try:
        top = take(tomllib.loads(path.read_text()), TOP, path)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Problem(f"{path}: cannot be read: {error}") from error
    metrics = {}
    for nr, raw in enumerate(top.metric, 1):
        one = metric(raw, f"{path}: metric {nr}")
        if one.key in metrics:
            raise Problem(f"{path}: metric {nr}: key 'key' is '{one.key}' a second time")
        metrics[one.key] = one
    if not metrics:
        raise Problem(f"{path}: key 'metric' is empty")
    targets = [target(raw, metrics, f"{path}: target {nr}") for nr, raw in enumerate(top.target, 1)]
    about = "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", top.about.strip()))
    return Spec(top.title, about, top.x, top.sparse, expected(top.expect, f"{path}: expect"), list(metrics.values()), targets)
