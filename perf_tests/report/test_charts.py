#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The numbers and files of the charts: python3 -m unittest discover perf_tests/report"""
import importlib.util
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import charts  # noqa: E402
import report  # noqa: E402
from comparison import compared  # noqa: E402
from sample_records import Tree, chosen, cusparse, peer, record  # noqa: E402
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

    def roofline(self, *records):
        path = self.commit("run.json", *records)
        return charts.roofline(compared(read_runs(path.parent)[0], "warm"))[1]

    def test_roofline_is_time_over_bytes_at_stream_bandwidth(self):
        panel, = self.roofline(*three(), record(matrix="a", format="csr5", seconds=2e-5, bytes=112000),
                               cusparse(matrix="b", seconds=1e-5, floor_seconds=2e-6))
        series = {s["label"]: s for s in panel["series"]}
        self.assertEqual(panel["title"], "from files")
        for value in series["CSR"]["y"]:
            self.assertAlmostEqual(value, 2.0)
        self.assertAlmostEqual(series["CSR5"]["y"][0], 2.0)
        self.assertEqual(series["CSR5"]["y"][1:], [None, None])
        self.assertAlmostEqual(series["cuSPARSE CSR"]["y"][1], 5.0)
        self.assertEqual([series[name]["hollow"] for name in ("CSR", "cuSPARSE CSR")], [False, True])

    def test_roofline_has_one_panel_per_kind(self):
        panels = self.roofline(record(), record(matrix="gen:rmat:9"), record(matrix="m.mtx"), record(matrix="x", suite="s"))
        self.assertEqual([p["title"] for p in panels], ["stencils and bands", "irregular", "from files", "suite s"])

    def test_formats_and_libraries_are_fractions_of_the_fastest_without_rounded_values(self):
        made = self.drawings(*three(), *three(format="sell", seconds=2e-5), *three(format="coo", seconds=4e-5),
                             peer(matrix="a", seconds=5e-6), cusparse(matrix="b", seconds=2e-5),
                             cusparse(matrix="b", format="sell", seconds=4e-5),
                             record(matrix="a", format="ell", seconds=1e-9, rounded_values=True))["run-formats"]
        series = self.series(made)
        self.assertEqual(list(series), ["CSR", "COO", "SELL", "Eigen", "cuSPARSE"])
        self.assertEqual([series[name]["y"][0] for name in series], [0.5, 0.125, 0.25, 1.0, None])
        self.assertEqual((series["cuSPARSE"]["y"][1], series["cuSPARSE"]["algorithm"][1]), (0.5, "cusparse csr alg1"))

    def test_speedup_is_sorted_and_shows_the_choice_of_select(self):
        made = self.drawings(*three(), peer(matrix="a", seconds=5e-6), peer(matrix="b", seconds=3e-5),
                             peer(matrix="c", seconds=2e-5), chosen("sell", matrix="b"),
                             record(matrix="b", format="sell", seconds=6e-5))["run-speedup"]
        series = self.series(made)
        self.assertEqual(made["panels"][0]["labels"], ["b", "c", "a"])
        for got, wanted in zip(series["the fastest of ours"]["y"], (3.0, 2.0, 0.5), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual(series["what select() chose"]["y"], [0.5, None, None])
        self.assertEqual((made["panels"][0]["x_scale"], made["panels"][0]["line"]), ("log", 1.0))

    def test_draws_the_first_temperature_only(self):
        made = self.drawings(*three(), *three(cold=True), *(peer(matrix=name, cold=True) for name in NAMES))
        self.assertEqual([(name, d["caches"]) for name, d in made.items()], [("run-speedup", "cold")])

    def test_short_names_keep_the_spelling_of_the_run(self):
        self.assertEqual([charts.short(name) for name in ("gen:surrogate:cant", "gen:twin:cant", "/a/b.mtx.gz")],
                         ["surrogate:cant", "twin:cant", "b"])

    def test_no_chart_of_too_few_matrices(self):
        self.assertEqual(self.drawings(record(), peer()), {})


class Files(Tree):
    def records(self):
        return [*three(), *(peer(matrix=name, seconds=2e-5) for name in NAMES), *three(format="sell"), *three(format="coo")]

    def test_without_matplotlib_writes_all_but_the_charts(self):
        self.commit("a.json", *self.records())
        with mock.patch.dict(sys.modules, {"matplotlib": None, "canvas": None}):
            code, errors = self.run_command()
        self.assertEqual((code, errors.count("\n")), (4, 1))
        self.assertIn("python3-matplotlib", errors)
        self.assertIn("figures/runs/a-speedup.svg", self.text())
        self.assertIn("a-speedup.svg", self.run_command("--check")[1])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is missing")
    def test_is_deterministic_and_detects_stale_charts(self):
        self.commit("a.json", *self.records())
        seen = []
        for _ in range(2):
            for svg in (self.root / report.CHARTS).glob("*.svg"):
                svg.unlink()
            self.assertEqual(self.run_command(), (0, ""))
            seen.append({f.name: f.read_bytes() for f in (self.root / report.CHARTS).iterdir()})
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(sorted(seen[0]), ["a-formats.svg", "a-speedup.svg"])
        with mock.patch.dict(sys.modules, {"matplotlib": None, "canvas": None}):
            self.assertEqual(self.run_command("--check"), (0, ""))  # needs no matplotlib
        svg = self.root / report.CHARTS / "a-speedup.svg"
        svg.write_text(svg.read_text().replace("numbers ", "numbers of another run "))
        self.assertIn("docs/figures/runs/a-speedup.svg: not as", self.run_command("--check")[1])
        self.run_command()
        svg.rename(svg.with_name("old-speedup.svg"))
        self.assertIn("old-speedup.svg (of no run)", self.run_command("--check")[1])


if __name__ == "__main__":
    unittest.main()
