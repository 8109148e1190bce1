# SPDX-License-Identifier: GPL-2.0
"""From raw results to the report: figures, verdicts, tables, plots.

scripts/in-root.sh python3 -B -m unittest discover -s tests/bench
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = HERE.parents[1] / "scripts/bench"
sys.path[:0] = [str(SCRIPTS), str(HERE)]

import samples  # noqa: E402
from rcfqbench import Problem, cells, markdown, raw, results, rst, spec, targets, view  # noqa: E402

METRIC = 'title = "T"\nabout = "A"\n[[metric]]\nkey = "m"\nlabel = "L"\nunit = "IOPS"\nbetter = "more"\n'


class Folder(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.top)

    def spec(self, text, name="work"):
        path = self.top / "specs" / name / "report.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return spec.load(path)

    def script(self, name, *args, status=0):
        """What an entry script says, after it ended as it should."""
        run = subprocess.run([sys.executable, SCRIPTS / f"{name}.py", *map(str, args)], capture_output=True, text=True)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        self.assertNotIn("Traceback", run.stderr)
        return run.stdout + run.stderr

    def report(self, *args, status=0):
        return self.script("report", "--raw", self.top / "raw", "--specs", self.top / "specs", "--out", self.top / "out", *args,
                           status=status)

    def results(self):
        return json.loads((self.top / "out/results.json").read_text())


class Specs(Folder):
    def refused(self, text, *words):
        with self.assertRaises(Problem) as caught:
            self.spec(text)
        for word in ("report.toml", *words):
            self.assertIn(word, str(caught.exception))

    def test_the_example_is_valid(self):
        one = spec.load(SCRIPTS / "example.toml")
        self.assertEqual([metric.key for metric in one.metrics], ["read_iops", "read_p99"])
        self.assertEqual(one.about.count("\n\n"), 1)

    def test_what_is_refused_is_named(self):
        self.refused("colour = 1\n" + METRIC, "colour")
        self.refused(METRIC + 'fild = "read.iops"\n', "metric 1", "fild")
        self.refused(METRIC.replace('unit = "IOPS"\n', ""), "unit", "missing")
        self.refused(METRIC.replace('"more"', '"bigger"'), "better", "bigger")
        self.refused(METRIC + 'scale = "big"\n', "scale")
        self.refused(METRIC + "repeat = true\n", "repeat")
        self.refused(METRIC + 'cases = "("\n', "cases")
        self.refused(METRIC + "historical = { a = 0 }\n", "historical.historical.a")
        self.refused(METRIC + METRIC.split("\n", 2)[2], "second time")
        self.refused("title = \n", "cannot be read")

    def test_a_target_leads_somewhere(self):
        head = METRIC + 'historical = { a-1 = 5, a-2 = 4 }\n[[target]]\ntext = "t"\n'
        self.refused(head + 'metric = "n"\nat_least = 1\n', "target 1 't'", "'metric'")
        self.refused(head + 'metric = "m"\n', "at_least")
        self.refused(head + 'metric = "m"\nat_least = 1\nat_most = 2\n', "at_most")
        self.refused(head + 'metric = "m"\nthan = "bfq"\nthan_case = "a-1"\nat_least = 1\n', "than_case")
        self.refused(head + 'metric = "m"\nthan_metric = "n"\nat_least = 1\n', "than_metric", "'n'")
        self.refused(head + 'metric = "m"\nthan_case = "a-1"\nshare_of = "CFQ"\n', "share_of")
        self.refused(head + 'metric = "m"\nthan_case = "b-1"\nshare_of = "historical"\n', "b-1")
        self.refused(head + 'kind = "tradeoff"\nmetrics = ["m"]\n', "metrics")
        self.refused(head + 'metric = "m"\nat_least = 1\npeers = "none"\n', "peers")
        self.assertEqual(self.spec(head + 'metric = "m"\nthan_case = "a-1"\nshare_of = "historical"\n').targets[0].share_of["a-2"], 4)


class Figures(Folder):
    def figure(self, jobs, more, text=""):
        path = samples.put(self.top, "w", "d", "c", "s", 1, jobs, text)
        return raw.figure(raw.read(path), self.spec(METRIC + more).metrics[0])

    def test_jobs_are_chosen_and_combined(self):
        jobs = [samples.job("seq.0", "read", 100), samples.job("seq.1", "read", 50), samples.job("rand", "read", 7)]
        field = 'field = "read.iops"\n'
        self.assertEqual(self.figure(jobs, field), 157)
        for combine, wanted in (("sum", 150), ("mean", 75), ("max", 100), ("min", 50)):
            self.assertEqual(self.figure(jobs, field + f'jobs = "seq"\ncombine = "{combine}"\n'), wanted)
        self.assertEqual(self.figure(jobs, field + 'jobs = "rand"\nscale = 2\n'), 14)
        self.assertEqual(self.figure(jobs, field + 'jobs = "seq.1"\nscale = 1e9\ninverse = true\n'), 2e7)

    def test_a_job_of_the_other_side_has_no_part(self):
        jobs = [samples.job("r", "read", 100, 4.0), samples.job("w", "write", 50)]
        self.assertEqual(self.figure(jobs, 'field = "read.clat_ns.mean"\nscale = 1e-6\ncombine = "mean"\n'), 4)

    def test_percentiles_with_dots_in_their_names(self):
        jobs = [samples.job("r", "read", 100, 2.0)]
        for name in ("99", "99.000000"):
            self.assertEqual(self.figure(jobs, f'field = "read.clat_ns.percentile.{name}"\n'), 8e6)
        self.assertEqual(self.figure(jobs, 'field = "read.clat_ns.percentile.99.9"\n'), 16e6)

    def test_text_around_the_json(self):
        jobs = [samples.job("r", "read", 100)]
        self.assertEqual(self.figure(jobs, 'field = "read.iops"\n', "fio: a line\n{not json\n"), 100)

    def test_ready_figures_are_not_scaled(self):
        self.assertEqual(self.figure({"m": 12}, "scale = 3\n"), 12)

    def test_what_is_no_figure(self):
        good = samples.job("r", "read", 100)
        for jobs, more, word in (
            ([good, samples.job("x", "read", 5, error=5)], 'jobs = "r"\nfield = "read.iops"\n', "error 5"),
            ([good, samples.job("r2", "read", 0, ios=0)], 'field = "read.iops"\n', "'r2' did no I/O"),
            ([good], 'field = "write.iops"\n', "no job did any I/O"),
            ([good], 'jobs = "seq"\nfield = "read.iops"\n', "no job is named 'seq"),
            ([good], 'field = "read.speed"\n', "read.speed"),
            ([good], "", "has no 'field'"),
            ({"n": 1}, "", "'m'"),
            ({"m": 0}, "", "is 0"),
        ):
            with self.subTest(word), self.assertRaisesRegex(Problem, word):
                self.figure(jobs, more)
        self.assertEqual(self.figure([good, samples.job("x", "read", 0, ios=0)], 'jobs = "x"\nfield = "read.iops"\nzero = true\n'), 0)

    def test_a_file_that_is_cut_off(self):
        path = samples.put(self.top, "w", "d", "c", "s", 1, [samples.job("r", "read", 100)])
        path.write_text(path.read_text()[:-20])
        with self.assertRaisesRegex(Problem, "no complete JSON"):
            raw.read(path)


class Cells(Folder):
    def put(self, figures, more=""):
        """{"case/sched/name": figure} as cells, by (case, sched)."""
        for key, value in figures.items():
            case, sched, name = key.split("/")
            samples.put(self.top, "w", "d", case, sched, name, {"m": value})
        found, problems, _ = cells.collect(self.top / "w", self.spec(METRIC + more))
        return {(cell["case"], cell["sched"]): cell for cell in found}, problems

    def test_mean_and_spread(self):
        found, problems = self.put({"a/rcfq/1": 99, "a/rcfq/2": 101})
        cell = found["a", "rcfq"]
        self.assertEqual((cell["values"], cell["mean"], cell["spread"], cell["steady"]), ([99, 101], 100, 0.02, True))
        self.assertEqual((view.figure(cell), problems), ("100 ±1.0 %", []))

    def test_seeds_decide_if_nothing_is_repeated(self):
        cell = self.put({"a/rcfq/1": 98, "a/rcfq/2": 102})[0]["a", "rcfq"]
        self.assertEqual(view.figure(cell), "does not repeat (98.0 to 102)")
        self.assertTrue(self.put({}, "repeat = 0.05\n")[0]["a", "rcfq"]["steady"])

    def test_one_seed_is_enough_where_a_metric_says_so(self):
        figures = {"a/rcfq/1": 98, "b/rcfq/1": 1, "b/rcfq/2": 1}
        cell = self.put(figures, "one_seed = true\n")[0]["a", "rcfq"]
        self.assertEqual((cell["values"], view.figure(cell), cell["steady"]), ([98], "98.0", True))
        self.assertIn("failed", self.put({})[0]["a", "rcfq"])

    def test_repeats_decide_if_there_are_any(self):
        cell = self.put({"a/rcfq/1": 80, "a/rcfq/2": 120, "a/rcfq/1r": 81})[0]["a", "rcfq"]
        self.assertEqual((cell["steady"], view.figure(cell)), (True, "100 ±20.0 %"))
        cell = self.put({"a/rcfq/1r": 78, "a/rcfq/2r": 120})[0]["a", "rcfq"]
        self.assertTrue(cell["steady"])
        cell = self.put({"a/rcfq/1r": 75})[0]["a", "rcfq"]
        self.assertEqual(view.figure(cell), "does not repeat (75.0 to 120)")

    def test_what_is_missing_fails_alone(self):
        found, problems = self.put({"a/rcfq/1": 5, "a/rcfq/2": 5, "a/none/1": 5, "b/rcfq/1": 5, "b/rcfq/2": 5, "b/rcfq-idle8/1": 5,
                                    "b/rcfq-idle8/2": 5})
        self.assertEqual([key for key, cell in found.items() if "failed" in cell], [("a", "none"), ("b", "none")])
        self.assertNotIn(("a", "rcfq-idle8"), found)
        self.assertEqual(problems[0], "d/a/none/2.json: the file is missing")
        self.assertEqual(view.figure(found["a", "none"]), "failed")
        sparse, _, _ = cells.collect(self.top / "w", self.spec("sparse = true\n" + METRIC))
        self.assertNotIn(("b", "none"), {(cell["case"], cell["sched"]) for cell in sparse})

    def test_strangers_and_cases_that_match_nothing(self):
        _, problems = self.put({"a/rcfq/1": 5, "a/rcfq/first": 5}, 'cases = "b"\n')
        self.assertEqual(len(problems), 2)
        self.assertIn("first.json", problems[0])
        self.assertIn("no case is matched", problems[1])

    def test_what_is_expected_and_never_came(self):
        figures = {"a/bfq/1": 5, "a/bfq/2": 5}
        expect = 'expect = { disks = ["d", "e"], cases = ["a", "b"], schedulers = ["bfq", "rcfq"], seeds = [2, 3] }\n'
        self.put(figures)
        found, problems, _ = cells.collect(self.top / "w", self.spec(expect + METRIC))
        self.assertEqual([(cell["disk"], cell["case"], cell["sched"]) for cell in found],
                         [(disk, case, sched) for disk in "de" for case in "ab" for sched in ("bfq", "rcfq")])
        self.assertIn("d/a/bfq/3.json: the file is missing", problems)
        self.assertIn("e/b/rcfq/1.json: the file is missing", problems)
        for bad in ("disks = [1]", "seeds = 3", 'seeds = ["1"]', 'kernel = ["a"]'):
            with self.assertRaisesRegex(Problem, "report.toml: expect"):
                self.spec(f"expect = {{ {bad} }}\n{METRIC}")

    def test_order(self):
        found, _ = self.put({f"a-{nr}/{sched}/1": 5 for nr in (10, 2) for sched in ("rcfq", "bfq", "none", "other")})
        self.assertEqual(list(found)[3:6], [("a-2", "rcfq"), ("a-10", "none"), ("a-10", "bfq")])


class Targets(Folder):
    ROW = {"none": 100, "mq-deadline": 50, "bfq": 80, "rcfq": 76, "rcfq-idle8": 500}

    def judge(self, target, figures=None, more="", case="a-2"):
        rows = figures or {"a-1": {**self.ROW, "rcfq": 95}, case: self.ROW}
        made = [
            {"disk": "d", "case": case, "sched": sched, "metric": key, "values": [value] if not isinstance(value, tuple) else list(value),
             "mean": None if value is None else sum(value) / 2 if isinstance(value, tuple) else value,
             "steady": not isinstance(value, tuple)}
            for case, row in rows.items() for sched, values in row.items()
            for key, value in (values if isinstance(values, dict) else {"m": values}).items()
        ]
        return targets.judge(self.spec(METRIC + more + f'[[target]]\ntext = "t"\n{target}\n'), made)

    def one(self, *args, **more):
        verdicts = self.judge(*args, **more)
        self.assertEqual(len(verdicts), 1, verdicts)
        return verdicts[0]["met"], verdicts[0]["got"]

    def test_against_one_and_against_the_best(self):
        only = 'metric = "m"\ncase = "a-2"\n'
        self.assertEqual(self.one(only + 'than = "bfq"\nat_least = 0.95'), (True, 0.95))
        self.assertEqual(self.one(only + 'than = "bfq"\nat_least = 0.96'), (False, 0.95))
        self.assertEqual(self.one(only + 'than = "best-peer"\nat_least = 0.95'), (True, 0.95))
        self.assertEqual(self.one(only + 'than = "best-peer"\npeers = "all"\nat_least = 0.7'), (True, 0.76))
        self.assertEqual(self.one(only + 'than = "best-peer"\npeers = ["mq-deadline"]\nat_most = 1.5'), (False, 1.52))
        self.assertEqual(self.one(only + 'of = "bfq"\nthan = "none"\nat_most = 0.8'), (True, 0.8))

    def test_less_is_better(self):
        low = METRIC.replace('"more"', '"less"')
        made = [{"disk": "d", "case": "a", "sched": sched, "metric": "m", "values": [value], "mean": value, "steady": True}
                for sched, value in self.ROW.items()]
        verdicts = targets.judge(self.spec(low + '[[target]]\ntext = "t"\nmetric = "m"\nthan = "best-peer"\nat_most = 1.5\n'), made)
        self.assertEqual((verdicts[0]["met"], verdicts[0]["got"]), (False, 1.52))

    def test_other_case_values_and_shares(self):
        self.assertEqual(self.one('metric = "m"\nthan_case = "a-1"\nat_least = 0.8'), (True, 0.8))
        self.assertEqual(self.one('metric = "m"\nat_least = { a-2 = 77 }'), (False, 76))
        history = "historical = { a-1 = 100, a-2 = 81 }\n"
        self.assertEqual(self.one('metric = "m"\nthan_case = "a-1"\nshare_of = "historical"', more=history), (False, 0.8))
        self.assertEqual(self.one('metric = "m"\nthan_case = "a-1"\nshare_of = "historical"\nat_least = 0.9', more=history), (True, 0.8))

    def test_other_metrics(self):
        more = '[[metric]]\nkey = "n"\nlabel = "L"\nunit = "IOPS"\nbetter = "more"\n'
        target = 'metric = "m"\nthan_metric = "n"\nat_least = 3'
        self.assertEqual(self.one(target, {"a": {"rcfq": {"m": 30, "n": 10}, "bfq": {"m": 1, "n": 9}}}, more), (True, 3))
        self.assertEqual(self.one(target, {"a": {"rcfq": {"m": 29, "n": 10}}}, more), (False, 2.9))
        self.assertEqual(self.one(target, {"a": {"rcfq": {"m": 29}}}, more), (False, None))

    def test_nothing_to_judge_is_not_met(self):
        self.assertEqual(self.one('metric = "m"\ncase = "b"\nat_least = 1'), (False, None))
        self.assertEqual(self.one('metric = "m"\ncase = "a-2"\nthan = "kyber"\nat_least = 0.1'), (False, None))
        self.assertEqual(self.one('metric = "m"\nat_least = 1', {"a": {"rcfq": None}}), (False, None))

    def test_a_range_is_judged_by_its_worse_end(self):
        row = {"a": {"bfq": (90, 110), "rcfq": (100, 130)}}
        self.assertEqual(self.one('metric = "m"\nthan = "bfq"\nat_least = 0.95', row), (False, 0.9091))
        self.assertEqual(self.one('metric = "m"\nthan = "bfq"\nat_most = 1.4', row), (False, 1.444))
        self.assertIn("bfq, rcfq", self.judge('metric = "m"\nthan = "bfq"\nat_most = 1.4', row)[0]["note"])

    def test_tradeoff(self):
        more = '[[metric]]\nkey = "late"\nlabel = "L"\nunit = "ms"\nbetter = "less"\n'
        trade = 'kind = "tradeoff"\nmetrics = ["m", "late"]'

        def verdict(rcfq, **peers):
            rows = {name.replace("_", "-"): dict(zip(("m", "late"), pair)) for name, pair in {"rcfq": rcfq, **peers}.items()}
            return self.one(trade, {"a": rows}, more)[0]
        self.assertTrue(verdict((97, 10.3), bfq=(100, 20), kyber=(50, 10)))    # near the best in both
        self.assertTrue(verdict((80, 15), bfq=(100, 20), kyber=(50, 10)))      # a fair trade
        self.assertFalse(verdict((80, 15), bfq=(100, 20), kyber=(90, 10)))     # kyber is better in both
        self.assertTrue(verdict((80, 15), bfq=(100, 20), none=(90, 10)))       # none does not count
        self.assertTrue(verdict((98, 10.2), kyber=(100, 10)))                  # better in both, by little
        self.assertFalse(verdict((98, 10.2), none=(100, 10)))                  # nobody to trade with

    def test_tradeoff_of_three(self):
        more = "".join(f'[[metric]]\nkey = "{key}"\nlabel = "L"\nunit = "ms"\nbetter = "less"\n' for key in ("late", "latest"))
        trade = 'kind = "tradeoff"\nmetrics = ["m", "late", "latest"]'

        def verdict(*rows):
            rows = {name: dict(zip(("m", "late", "latest"), row)) for name, row in zip(("rcfq", "bfq", "kyber"), rows)}
            return self.judge(trade, {"a": rows}, more)[0]
        traded = verdict((80, 15, 30), (100, 10, 40), (90, 20, 20))
        self.assertTrue(traded["met"], traded)
        self.assertIn("0.80, 0.67 and 0.67 of the best peer; nobody is better in all", traded["note"])
        self.assertFalse(verdict((80, 15, 30), (100, 10, 20), (90, 20, 20))["met"])


class Tables(Folder):
    def work(self, name):
        samples.specs(self.top / "specs", [name])
        samples.MAKERS[name](self.top / "raw")
        one = spec.load(self.top / "specs" / name / "report.toml")
        found, problems, seeds = cells.collect(self.top / "raw" / name, one)
        self.assertEqual(problems, [])
        return results.workload(one, found, targets.judge(one, found), seeds, None, None)

    def test_where_results_come_from(self):
        works = {"a": {"kernel": "7.3", "source": "b"}, "c": {"kernel": "7.3", "source": None}, "d": {"kernel": "7.3", "source": "a"}}
        self.assertEqual(view.origin(works), "Kernel 7.3, source b, unknown, a")

    def test_numbers(self):
        for value, wanted in ((17060.4, "17060"), (99.96, "100.0"), (9.5, "9.50"), (0.01234, "0.0123"), (0, "0")):
            self.assertEqual(view.number(value), wanted)

    def test_markdown(self):
        text = markdown.page("jobs-1-8", self.work("jobs-1-8"))
        head = next(line for line in text.splitlines() if line.startswith("| case"))
        self.assertEqual(head, "| case | none | mq-deadline | kyber | bfq | bfq-ll0 | rcfq | *CFQ* | *bfq-mq* |")
        row = next(line for line in text.splitlines() if line.startswith("| read-4")).split(" | ")
        self.assertRegex(row[6], r"^\*\*14\d\d\d ±\d\.\d %\*\*$")
        self.assertEqual(row[7:], ["14521", "9919 |"])
        self.assertRegex(text, r"read-3 .* does not repeat \(\d")
        self.assertRegex(text, r"no dent \| hd103sj-1seg read-8 \| at least 0.706 of read-1 \| 0.7\d+ \| met")

    def test_the_document_shows_a_screen_for_each_workload(self):
        for name in samples.MAKERS:
            work = self.work(name)
            rows = [line for line in rst.table(work) if line.startswith("   ")]
            self.assertLessEqual(len(rows), rst.ROWS + 2, name)
        work["metrics"] = {**work["metrics"]}
        work["cells"] = [{**cell, "case": f"{cell['case']}-{nr}"} for cell in work["cells"] for nr in range(1, 17)]
        self.assertIn("more rows are left out", "\n".join(rst.table(work)))


class Whole(Folder):
    def files(self, folder):
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def test_everything_twice(self):
        samples.everything(self.top)
        self.report("--kernel", "7.3", "--source", "abc")
        doc = self.results()
        self.assertEqual(sorted(samples.MAKERS), list(doc["workloads"]))
        self.assertEqual((doc["format"], doc["kernel"], doc["source"], doc["seeds"]), (1, "7.3", "abc", 3))
        for name in samples.MAKERS:
            for ending in ("md", "svg", "png"):
                self.assertTrue((self.top / f"out/{name}.{ending}").stat().st_size > 400, name)
            self.assertIn(f"({name}.md)", (self.top / "out/index.md").read_text())
        first = self.files(self.top / "out")
        self.report("--kernel", "7.3", "--source", "abc", "--workload", "jobs-1-8", "--workload", "noidle-mix")
        self.assertEqual(first, self.files(self.top / "out"))
        text = (HERE.parents[1] / "Documentation/benchmarks.rst").read_text()
        document = self.top / "benchmarks.rst"
        document.write_text(text)
        self.script("document", "--results", self.top / "out/results.json", "--document", document)
        self.assertTrue((self.top / "benchmarks/jobs-1-8.svg").read_bytes() == first["jobs-1-8.svg"])
        once = document.read_text()
        self.assertIn(".. image:: benchmarks/fsync.svg", once)
        self.script("document", "--results", self.top / "out/results.json", "--document", document)
        self.assertEqual(once, document.read_text())
        doc["workloads"]["smoke"] = {**doc["workloads"]["fsync"], "title": "For machines"}
        results.save(self.top / "out/results.json", doc)
        self.script("document", "--results", self.top / "out/results.json", "--document", document)
        self.assertEqual(once, document.read_text())
        document.write_text("no markers\n")
        self.script("document", "--results", self.top / "out/results.json", "--document", document, status=1)
        self.assertEqual(document.read_text(), "no markers\n")

    def test_failures_end_with_1_and_the_rest_is_there(self):
        samples.specs(self.top / "specs", ["cost", "fsync"])
        samples.cost(self.top / "raw")
        samples.fsync(self.top / "raw")
        (self.top / "raw/cost/null/psync/bfq/2.json").write_text("killed\n")
        said = self.report(status=1)
        self.assertIn("null/psync/bfq/2.json: holds no complete JSON", said)
        self.assertIn("NOT met", said)
        text = (self.top / "out/cost.md").read_text()
        self.assertEqual(text.count("| failed |"), 1)
        self.assertTrue((self.top / "out/fsync.md").exists())

    def test_a_bad_description_changes_nothing(self):
        samples.specs(self.top / "specs", ["cost", "fsync"])
        samples.cost(self.top / "raw")
        self.report()
        before = self.files(self.top / "out")
        samples.fsync(self.top / "raw")
        (self.top / "specs/fsync/report.toml").write_text("colour = 1\n")
        self.assertIn("fsync/report.toml: unknown key 'colour'", self.report(status=1))
        self.assertEqual(before, self.files(self.top / "out"))
        self.assertIn("no such folder", self.report("--workload", "cost", "--raw", self.top / "nowhere", status=1))
        (self.top / "out/results.json").write_text("{}")
        self.assertIn("not a results.json", self.report("--workload", "cost", status=1))


class Scripts(Folder):
    def save(self, name, figures, workload="smoke", better="more"):
        made = [{"disk": "d", "case": "a", "sched": sched, "metric": "m", "unit": "IOPS", "better": better, "values": [value],
                 "mean": value, "spread": 0.0 if value else None, "repeat": None, "steady": True} for sched, value in figures.items()]
        doc = {"format": 1, "workloads": {workload: {"title": "T", "about": "A", "x": None, "seeds": 1, "metrics": {}, "cells": made,
                                                     "targets": [], "plots": []}}}
        results.save(self.top / name, doc)
        self.assertEqual(json.loads((self.top / name).read_text()), doc)
        return self.top / name

    def test_compare(self):
        old = self.save("old", {"none": 100, "bfq": 100, "rcfq": 100, "kyber": 100})
        new = self.save("new", {"none": 102, "bfq": 90, "rcfq": 110, "bfq-ll0": 100})
        said = self.script("compare", old, new)
        self.assertRegex(said, r"bfq +m, IOPS +100 +90.0 +-10.0 % +worse")
        self.assertRegex(said, r"rcfq +m, IOPS +100 +110 +\+10.0 % +better")
        self.assertIn("only in OLD: smoke d a kyber", said)
        self.assertIn("only in NEW: smoke d a bfq-ll0", said)
        self.assertIn("3 figures in both: 1 better, 1 worse, 0 fails now, 0 failed before, 1 unchanged", said)
        self.assertIn("1 worse", self.script("compare", old, self.save("new", {"rcfq": 110}, better="less")))
        self.assertIn("1 fails now", self.script("compare", old, self.save("new", {"rcfq": None})))

    def test_a_change_within_the_spread_is_none(self):
        old, new = self.save("old", {"rcfq": 100}), self.save("new", {"rcfq": 110})
        doc = json.loads(new.read_text())
        doc["workloads"]["smoke"]["cells"][0]["spread"] = 0.11
        results.save(new, doc)
        self.assertIn("0 better, 0 worse", self.script("compare", old, new))

    def test_compare_refuses_what_is_foreign(self):
        good = self.save("old", {"rcfq": 1})
        for text in ("", "[]", '{"format": 2, "workloads": {}}', '{"format": 1, "workloads": {"a": {"cells": []}}}',
                     good.read_text().replace('"sched"', '"scheduler"')):
            (self.top / "bad").write_text(text)
            self.assertEqual(self.script("compare", good, self.top / "bad", status=1).count("\n"), 1)
        self.script("compare", good, self.top / "nothing", status=1)

    def test_a_folder_that_cannot_be_written(self):
        samples.specs(self.top / "specs", ["cost"])
        samples.cost(self.top / "raw")
        (self.top / "out").write_text("a file\n")
        self.assertEqual(self.report(status=1).count("\n"), 1)

    def smoke(self, figures, *args, status=0, better="more"):
        return self.script("smoke", "--results", self.save("r", figures, better=better), "--reference", self.top / "smoke/ref", *args,
                           status=status)

    def test_smoke(self):
        self.assertIn("cannot be read", self.smoke({"rcfq": 185, "mq-deadline": 100}, status=1))
        self.smoke({"rcfq": 185, "mq-deadline": 100, "none": 7}, "--update")
        self.assertEqual(json.loads((self.top / "smoke/ref").read_text())["a/m/d"], {"of": "rcfq", "than": "mq-deadline", "ratio": 1.85})
        self.assertIn("SPDX-License-Identifier: GPL-2.0", (self.top / "smoke/ref").read_text().split("\n")[1])
        self.assertIn("1 of 1", self.smoke({"rcfq": 177, "mq-deadline": 100}))
        self.assertIn("FAILED", self.smoke({"rcfq": 175, "mq-deadline": 100}, status=1))
        self.assertIn("1 of 1", self.smoke({"rcfq": 400, "mq-deadline": 100}))
        self.assertIn("FAILED", self.smoke({"rcfq": 400, "mq-deadline": 100}, status=1, better="less"))
        self.assertIn("1 of 1", self.smoke({"rcfq": 20, "mq-deadline": 100}, better="less"))
        self.assertIn("no figure", self.smoke({"rcfq": None, "mq-deadline": 100}, status=1))
        before = (self.top / "smoke/ref").read_text()
        self.smoke({"rcfq": None, "mq-deadline": 100}, "--update", status=1)
        self.assertEqual(before, (self.top / "smoke/ref").read_text())
        (self.top / "smoke/ref").write_text("{}")
        self.assertIn("no reference ratios", self.smoke({"rcfq": 185, "mq-deadline": 100}, status=1))


class Workloads(unittest.TestCase):
    def test_ready_figures_have_the_name_of_a_metric(self):
        given = 0
        for run in HERE.glob("*/run.sh"):
            # A field of fio's has a path, a ready figure only a name.
            metrics = tomllib.loads((run.parent / "report.toml").read_text())["metric"]
            ready = {metric["key"] for metric in metrics if "." not in metric["field"]}
            names = re.findall(r"^\s*metrics (\w+) ", run.read_text(), re.MULTILINE)
            self.assertEqual(set(names), ready, run)
            given += len(names)
        self.assertGreater(given, 0)

    def test_a_limit_is_shown_if_it_is_not_the_usual_one(self):
        about = {"label": "longest", "unit": "ms", "repeat": 0.25}
        self.assertEqual(rst.metric(about), "longest, ms (limit 25 %)")
        self.assertEqual(rst.metric({**about, "repeat": 0.03}), "longest, ms")


if __name__ == "__main__":
    unittest.main()
