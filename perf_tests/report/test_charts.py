#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The numbers of the charts, and their files: python3 -m unittest discover perf_tests/report"""
import importlib.util
import json
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import charts  # noqa: E402
import report  # noqa: E402
from invented import Tree, chosen, csr5_twins, cusparse, peer, record  # noqa: E402
from records import read_runs  # noqa: E402

NAMES = ("a", "b", "c")


def three(**changes):
    return [record(matrix=name, **changes) for name in NAMES]


class Charts(Tree):
    def drawings(self, *records):
        path = self.commit("run.json", *records)
        return {d["figure"]: d for run in read_runs(path.parent) for d in charts.drawings(run)}

    def series(self, drawing, panel=0):
        return {s["label"]: s for s in drawing["panels"][panel]["series"]}

    def test_roofline_is_time_over_the_bytes_at_the_speed_of_the_stream(self):
        made = self.drawings(*three(), record(matrix="a", format="csr5", seconds=2e-5, bytes=112000),
                             cusparse(matrix="b", seconds=1e-5, floor_seconds=2e-6))["run-roofline"]
        series = self.series(made)
        self.assertEqual(made["panels"][0]["title"], "from files")
        for value in series["CSR"]["y"]:
            self.assertAlmostEqual(value, 2.0)
        self.assertAlmostEqual(series["CSR5"]["y"][0], 2.0)
        self.assertEqual(series["CSR5"]["y"][1:], [None, None])
        self.assertAlmostEqual(series["cuSPARSE CSR"]["y"][1], 5.0)
        self.assertEqual([series[name]["hollow"] for name in ("CSR", "cuSPARSE CSR")], [False, True])

    def test_roofline_has_a_panel_a_kind(self):
        made = self.drawings(record(), record(matrix="gen:rmat:9"), record(matrix="m.mtx"), record(matrix="x", suite="s"))
        self.assertEqual([p["title"] for p in made["run-roofline"]["panels"]],
                         ["stencils and bands", "irregular", "from files", "suite s"])

    def test_formats_are_fractions_of_our_fastest_and_leave_peers_and_rounded_values_out(self):
        made = self.drawings(*three(), *three(format="sell", seconds=2e-5), *three(format="coo", seconds=4e-5),
                             peer(matrix="a", seconds=1e-9), record(matrix="a", format="ell", seconds=1e-9,
                                                                     rounded_values=True))["run-formats"]
        series = self.series(made)
        self.assertEqual(list(series), ["CSR", "COO", "SELL"])
        self.assertEqual([series[name]["y"][0] for name in series], [1.0, 0.25, 0.5])

    def test_speedup_is_sorted_and_shows_what_select_chose(self):
        made = self.drawings(*three(), peer(matrix="a", seconds=5e-6), peer(matrix="b", seconds=3e-5),
                             peer(matrix="c", seconds=2e-5), chosen("sell", matrix="b"),
                             record(matrix="b", format="sell", seconds=6e-5))["run-speedup"]
        series = self.series(made)
        self.assertEqual(made["panels"][0]["labels"], ["b", "c", "a"])
        for got, wanted in zip(series["the fastest of ours"]["y"], (3.0, 2.0, 0.5), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual(series["what select() chose"]["y"], [0.5, None, None])
        self.assertEqual((made["panels"][0]["x_scale"], made["panels"][0]["line"]), ("log", 1.0))

    def test_csr5_has_the_two_charts_of_the_paper_and_says_what_twins_are(self):
        made = self.drawings(*csr5_twins(), record(matrix="gen:rmat:9"))["run-csr5-warm"]
        self.assertEqual([(p["title"], p["labels"]) for p in made["panels"]], [
            ("the 1 regular matrices", ["cant"]), ("the 2 irregular matrices", ["dc2", "webbase-1M"])])
        self.assertEqual([s["label"] for s in made["panels"][1]["series"]], ["CSR5", "CSR", "cuSPARSE CSR"])
        self.assertEqual(self.series(made, 1)["cuSPARSE CSR"]["y"], [1.5, 1.5])
        self.assertIn("3 of 3 are twins", made["title"])

    def test_draws_one_temperature_but_csr5_at_each(self):
        made = self.drawings(*csr5_twins(), *csr5_twins(cold=True))
        self.assertEqual(sorted(made), ["run-csr5-cold", "run-csr5-warm", "run-roofline", "run-speedup"])
        self.assertEqual(made["run-roofline"]["caches"], "cold")

    def test_draws_nothing_of_too_few_matrices(self):
        self.assertEqual(self.drawings(record(), peer()), {})


class Files(Tree):
    def records(self):
        return [*three(), *(peer(matrix=name, seconds=2e-5) for name in NAMES), *three(format="sell"), *three(format="coo")]

    def test_writes_all_but_the_charts_without_matplotlib(self):
        self.commit("a.json", *self.records())
        with mock.patch.dict(sys.modules, {"matplotlib": None, "canvas": None}):
            code, errors = self.run_it()
        self.assertEqual((code, errors.count("\n")), (4, 1))
        self.assertIn("python3-matplotlib", errors)
        self.assertIn("figures/runs/a-speedup.svg", self.text())
        self.assertEqual(json.loads(self.text(f"{report.CHARTS}/a-speedup.json"))["context"]["commit"], "abc")
        self.assertIn("the SVG of", self.run_it("--check")[1])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is missing")
    def test_the_same_records_give_the_same_bytes_and_stale_charts_are_noticed(self):
        self.commit("a.json", *self.records(), *csr5_twins())
        seen = []
        for _ in range(2):
            for svg in (self.root / report.CHARTS).glob("*.svg"):
                svg.unlink()
            self.assertEqual(self.run_it(), (0, ""))
            seen.append({f.name: f.read_bytes() for f in (self.root / report.CHARTS).iterdir()})
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(len([name for name in seen[0] if name.endswith(".svg")]), 4)
        with mock.patch.dict(sys.modules, {"matplotlib": None, "canvas": None}):
            self.assertEqual(self.run_it("--check"), (0, ""))  # needs no matplotlib
        svg = self.root / report.CHARTS / "a-speedup.svg"
        svg.write_text(svg.read_text().replace("numbers ", "numbers of another run "))
        self.assertIn("the SVG of docs/figures/runs/a-speedup.json", self.run_it("--check")[1])
        self.run_it()
        svg.rename(svg.with_name("old-speedup.svg"))
        self.assertIn("old-speedup.svg (of no run)", self.run_it("--check")[1])


if __name__ == "__main__":
    unittest.main()
