#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The numbers that are drawn: python3 -m unittest discover perf_tests/figures"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bdia  # noqa: E402
import brcv  # noqa: E402
import inputs  # noqa: E402
import mesh  # noqa: E402
import solve  # noqa: E402
from samples import Figures, cg, csr, cusparse, record, refused, stripes, unfused  # noqa: E402


class Bdia(Figures):
    def test_rates_and_ratios_of_the_fastest_algorithm(self):
        rates, ratios = self.drawings(bdia, record(), csr(), csr(algorithm="row_thread", seconds=9e-5),
                                      cusparse(seconds=3e-5, gflops=0.2), record(cold=False, seconds=1e-9))
        self.assertEqual(rates["panels"][0]["title"], "n = 1000, double")
        lines = self.series(rates["panels"][0])
        self.assertEqual((lines["bDIA", "solid"]["x"], lines["bDIA", "solid"]["y"]), ([3], [0.6]))
        self.assertEqual(lines["CSR", "solid"]["algorithm"], ["csr row_team"])
        lines = self.series(ratios["panels"][0])
        self.assertEqual(lines["CSR", "solid"]["y"], [2.0])
        self.assertEqual(lines["CSR", "dotted"]["y"], [1.4])
        self.assertAlmostEqual(lines["cuSPARSE, fastest", "dashed"]["y"][0], 3.0)
        self.assertNotIn(("bDIA", "solid"), lines)

    def test_names_what_is_absent(self):
        rates, = self.drawings(bdia, record(), refused(format="dia", algorithm="row_thread"))
        self.assertEqual([(r["algorithm"], r["reason"]) for r in rates["refused"]],
                         [("dia row_thread", "the fill limit is 3")])
        self.assertEqual([row["row"] for row in rates["not_measured"]], ["ELL", "HYB", "CSR", "COO"])
        self.assertIn("absent: 1 refused, 4 not measured (bdia.json)", inputs.caption(rates))

    def test_keeps_cold_and_warm_apart(self):
        rates, = self.drawings(bdia, record(), record(cold=False, gflops=7.0), caches="warm")
        self.assertEqual(self.series(rates["panels"][0])["bDIA", "solid"]["y"], [7.0])
        with self.assertRaisesRegex(inputs.BadResults, "no time with warm"):
            self.drawings(bdia, record(), caches="warm")

    def test_orders_panels_by_size_then_scalar(self):
        rates, = self.drawings(bdia, *(record(matrix=f"gen:band:{n}:3", scalar=scalar) for n in (10**6, 15600)
                                         for scalar in ("float", "double")))
        self.assertEqual([p["title"] for p in rates["panels"]], [
            "n = 15600, double", "n = 15600, float", "n = 1000000, double", "n = 1000000, float"])
        self.assertEqual(rates["columns"], 2)


class Mesh(Figures):
    def test_bars_are_sorted_by_cold_time_and_have_their_floor(self):
        made, = self.drawings(mesh, csr(), csr(cold=False, seconds=1e-6), record(), cusparse(seconds=5e-6))
        panel = made["panels"][0]
        self.assertEqual(panel["labels"], ["cuSPARSE, fastest", "bDIA", "CSR"])
        for got, wanted in zip(panel["series"][0]["y"], (5.0, 10.0, 20.0), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual(panel["series"][1]["y"], [None, None, 1.0])
        for got, wanted in zip(panel["floor"]["y"], (5.6, 4.0, 5.6), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual(made["figure"], "mesh-band-1000-3")

    def test_asks_which_matrix(self):
        both = record(), record(matrix="/data/other.mtx.gz")
        with self.assertRaisesRegex(inputs.BadResults, "--matrix: /data/other.mtx.gz, gen:band:1000:3"):
            self.drawings(mesh, *both)
        with self.assertRaisesRegex(inputs.BadResults, "no SpMV of nothing"):
            self.drawings(mesh, *both, matrix="nothing")
        self.assertEqual(self.drawings(mesh, *both, matrix=both[1]["matrix"])[0]["figure"], "mesh-other-mtx-gz")


class BrcvFigure(Figures):
    def test_memory_is_the_formula_of_the_patent(self):
        made, = self.drawings(brcv, stripes(1), stripes(4))
        points, line = made["panels"][0]["series"]
        self.assertEqual((points["x"], points["bytes"], points["csr_bytes"]), ([1, 4], [488, 320], [404, 404]))
        self.assertEqual(points["preferred_by_rule"], [False, True])
        self.assertEqual(line["x"], [1, 2, 3, 4])
        for height, measured in zip(points["x"], points["y"]):
            self.assertAlmostEqual(measured, line["y"][line["x"].index(height)])
        self.assertAlmostEqual(made["panels"][0]["marks"][0]["x"], 40 / 19)

    def test_refuses_bytes_that_disagree(self):
        with self.assertRaisesRegex(inputs.BadResults, "gen:stripes:10:4:3 has different bytes"):
            self.drawings(brcv, stripes(4), stripes(4, columns=2, layout="left"))

    def test_spmm_has_a_panel_a_layout(self):
        several = [stripes(4, columns=k, layout=layout, seconds=k * 1e-6, bytes=320 + 160 * k,
                            csr_bytes=404 + 160 * k)
                   for k in (4, 1) for layout in ("left", "right")]
        memory, spmm = self.drawings(brcv, *several)
        self.assertEqual([p["title"][-12:] for p in spmm["panels"]], [" layout left", "layout right"])
        self.assertEqual(spmm["panels"][0]["series"][0]["x"], [1, 4])
        points = memory["panels"][0]["series"][0]
        self.assertEqual((points["bytes"], points["csr_bytes"]), ([320], [404]))


class Solve(Figures):
    def test_times_and_the_speed_up_beside_the_bytes(self):
        made, = self.drawings(solve, cg(), cg(format="dia", seconds=2e-5), unfused(), unfused(format="bdia"),
                              cg(execution="graph", seconds=1e-9), cg(fusion="classical", vectors=10, seconds=1e-9),
                              unfused(peer=True, library="eigen", seconds=1e-9), record(seconds=1e-9))
        times, ratios = made["panels"]
        self.assertEqual((made["figure"], made["caches"], times["title"]), ("bdia-cg", "warm", "n = 1000, double"))
        for got, (label, microseconds, algorithm) in zip(times["series"], (
                ("unfused DIA", 30, "dia host_scalars unfused"), ("fused DIA", 20, "dia automatic fused"),
                ("fused bDIA", 10, "bdia automatic fused")), strict=True):
            self.assertEqual((got["label"], got["x"], got["algorithm"]), (label, [3], [algorithm]))
            self.assertAlmostEqual(got["y"][0], microseconds)
        measured, model, _ = ratios["series"]
        self.assertAlmostEqual(measured["y"][0], 3)
        self.assertAlmostEqual(model["y"][0], (8 * 3 + 112) / (8 * 3 + 72))
        self.assertEqual((made["refused"], made["not_measured"]), ([], []))

    def test_names_what_is_absent_and_draws_the_rest(self):
        made, = self.drawings(solve, cg(), unfused(), cg(format="dia"), unfused(matrix="gen:band:9000:7"),
                              refused(**cg(matrix="gen:band:9000:7", seconds=None)))
        self.assertEqual([(r["matrix"], r["algorithm"]) for r in made["refused"]],
                         [("gen:band:9000:7", "bdia automatic fused")])
        self.assertEqual([(r["matrix"], r["row"]) for r in made["not_measured"]], [
            *((matrix, name) for matrix in ("gen:band:1000:7", "gen:band:9000:3")
              for name in ("unfused DIA", "fused DIA", "fused bDIA")), ("gen:band:9000:7", "fused DIA")])

    def test_refuses_other_loops_and_inputs_without_cg(self):
        with self.assertRaisesRegex(inputs.BadResults, "a.json: bdia automatic fused moves 10 vectors, expected 9"):
            self.drawings(solve, cg(vectors=10))
        for other in (record(), cg(operation="bicgstab"), cg(matrix="gen:stencil7:9"), cg(format="csr")):
            with self.assertRaisesRegex(inputs.BadResults, "no time of CG on gen:band"):
                self.drawings(solve, other)


if __name__ == "__main__":
    unittest.main()
