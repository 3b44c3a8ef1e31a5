#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The numbers of the figures: python3 -m unittest discover perf_tests/figures"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bdia  # noqa: E402
import brcv  # noqa: E402
import history  # noqa: E402
import inputs  # noqa: E402
import mesh  # noqa: E402
import pcg  # noqa: E402
import solve  # noqa: E402
from samples import Figures, cg, csr, cusparse, fused, record, refused, stripes, with_history, unfused  # noqa: E402


class Bdia(Figures):
    def test_rates_and_ratios_of_the_fastest_algorithm(self):
        rates, ratios = self.drawings(bdia, record(), csr(), csr(algorithm="row_thread", seconds=9e-5),
                                      cusparse(seconds=3e-5, gflops=0.2), record(cold=False, seconds=1e-9))
        self.assertEqual(rates["panels"][0]["title"], "n = 1000, double")
        lines = self.series(rates["panels"][0])
        self.assertEqual((lines["bDIA", "solid"]["x"], lines["bDIA", "solid"]["y"]), ([3], [0.6]))
        self.assertEqual(lines["CSR", "solid"]["algorithm"], ["csr row_team"])
        heat_map, = ratios["panels"]
        self.assertEqual(heat_map["labels"], ["CSR", "cuSPARSE, fastest"])
        column, = heat_map["series"]
        self.assertEqual((column["label"], column["bytes"]), ("3", [1.4, 1.4]))
        for got, wanted in zip(column["y"], (2.0, 3.0), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual(column["text"], ["2.00 (1.40)", "3.00 (1.40)"])

    def test_a_width_without_bdia_has_an_empty_column(self):
        _, ratios = self.drawings(bdia, record(), csr(), csr(matrix="gen:band:1000:5"))
        self.assertEqual([(s["label"], s["text"]) for s in ratios["panels"][0]["series"]], [("3", ["2.00 (1.40)"]), ("5", [None])])

    def test_lists_missing_rows(self):
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
    def test_bars_are_sorted_by_cold_time_with_lower_bound(self):
        made, = self.drawings(mesh, csr(), csr(cold=False, seconds=1e-6), record(), cusparse(seconds=5e-6))
        panel = made["panels"][0]
        self.assertEqual(panel["labels"], ["cuSPARSE, fastest", "bDIA", "CSR"])
        for got, wanted in zip(panel["series"][0]["y"], (5.0, 10.0, 20.0), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual(panel["series"][1]["y"], [None, None, 1.0])
        for got, wanted in zip(panel["floor"]["y"], (5.6, 4.0, 5.6), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual(made["figure"], "mesh-band-1000-3")

    def test_requires_a_matrix(self):
        both = record(), record(matrix="/data/other.mtx.gz")
        with self.assertRaisesRegex(inputs.BadResults, "--matrix: /data/other.mtx.gz, gen:band:1000:3"):
            self.drawings(mesh, *both)
        with self.assertRaisesRegex(inputs.BadResults, "nothing of nothing"):
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

    def test_spmm_has_a_panel_per_layout(self):
        several = [stripes(4, columns=k, layout=layout, seconds=k * 1e-6, bytes=320 + 160 * k,
                            csr_bytes=404 + 160 * k)
                   for k in (4, 1) for layout in ("left", "right")]
        memory, spmm = self.drawings(brcv, *several)
        self.assertEqual([p["title"][-12:] for p in spmm["panels"]], [" layout left", "layout right"])
        self.assertEqual(spmm["panels"][0]["series"][0]["x"], [1, 4])
        points = memory["panels"][0]["series"][0]
        self.assertEqual((points["bytes"], points["csr_bytes"]), ([320], [404]))


class Solve(Figures):
    def test_times_speed_ups_and_bytes(self):
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
        self.assertAlmostEqual(model["y"][0], (8 * 3 + 112) / (8 * 3 + 64))
        self.assertEqual((made["refused"], made["not_measured"]), ([], []))

    def test_lists_missing_rows_and_draws_the_rest(self):
        made, = self.drawings(solve, cg(), unfused(), cg(format="dia"), unfused(matrix="gen:band:9000:7"),
                              refused(**cg(matrix="gen:band:9000:7", seconds=None)))
        self.assertEqual([(r["matrix"], r["algorithm"]) for r in made["refused"]],
                         [("gen:band:9000:7", "bdia automatic fused")])
        self.assertEqual([(r["matrix"], r["row"]) for r in made["not_measured"]], [
            *((matrix, name) for matrix in ("gen:band:1000:7", "gen:band:9000:3")
              for name in ("unfused DIA", "fused DIA", "fused bDIA")), ("gen:band:9000:7", "fused DIA")])

    def test_refuses_other_loops_and_inputs_without_cg(self):
        with self.assertRaisesRegex(inputs.BadResults, "a.json: bdia automatic fused moves 10 vectors, expected 8"):
            self.drawings(solve, cg(vectors=10))
        for other in (record(), cg(operation="jacobi-pcg"), cg(matrix="gen:stencil7:9"), cg(format="csr")):
            with self.assertRaisesRegex(inputs.BadResults, "no time of CG or BiCGStab on gen:band"):
                self.drawings(solve, other)

    def test_bicgstab_has_its_own_figure(self):
        both = cg(), unfused(), *(make(operation="bicgstab", vectors=vectors, seconds=seconds)
                                  for make, vectors, seconds in ((cg, 17, 2e-5), (unfused, 30, 5e-5)))
        first, second = self.drawings(solve, *both)
        self.assertEqual((first["figure"], second["figure"]), ("bdia-cg", "bdia-bicgstab"))
        measured, model, _ = second["panels"][1]["series"]
        self.assertAlmostEqual(measured["y"][0], 2.5)
        self.assertAlmostEqual(model["y"][0], (16 * 3 + 240) / (16 * 3 + 136))
        self.assertEqual(model["label"], "their bytes: (16d + 240)/(16d + 136)")
        self.assertEqual([d["figure"] for d in self.drawings(solve, *both[2:])], ["bdia-bicgstab"])
        with self.assertRaisesRegex(inputs.BadResults, "moves 8 vectors, expected 17"):
            self.drawings(solve, cg(operation="bicgstab"))


def kernel(algorithm, seconds, **changes):
    return csr(**{"algorithm": algorithm, "seconds": seconds} | changes)


class Pcg(Figures):
    def test_kernels_are_relative_to_the_first(self):
        made, = self.drawings(pcg, kernel("sorted_rows", 1e-5), kernel("row_team", 2e-5, note="16 lanes"),
                              kernel("half_atomic", 8e-5, bytes=28000), kernel("row_thread", 4e-5),
                              kernel("row_bins", 1e-9), cusparse(seconds=8e-6), record(seconds=5e-6),
                              kernel("row_thread", 1e-9, cold=False))
        ours, paper = made["panels"]
        self.assertEqual(ours["labels"], ["half of A, atomics", "CSR, one thread per row", "CSR, rows sorted",
                                          "CSR, several lanes per row (16 lanes)",
                                          "bDIA", "cuSPARSE, fastest"])
        measured, of_bytes = ours["series"]
        for got, wanted in zip(measured["y"], (1, 2, 8, 4, 16, 10), strict=True):
            self.assertAlmostEqual(got, wanted)
        for got, wanted in zip(of_bytes["y"], (1, 0.5, 0.5, 0.5, 0.7, 0.5), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertTrue(of_bytes["hollow"] and not measured["hollow"])
        self.assertEqual((made["figure"], made["caches"], measured["algorithm"][0]),
                         ("pcg-spmv", "cold", "csr half_atomic"))
        for got, wanted in zip(paper["series"][0]["y"], (1, 0.879 / 0.214, 0.879 / 0.148, 0.879 / 0.14, 0.879 / 0.111)):
            self.assertAlmostEqual(got, wanted)

    def test_stages_are_in_order_with_their_bytes(self):
        stages = [fused(*key, seconds=1e-5 * (7 - i), bytes=1000 * (20 - i), vectors=vectors)
                  for i, (key, (_, vectors)) in enumerate(pcg.STAGES.items())]
        made, = self.drawings(pcg, *reversed(stages[:-1]), refused(**stages[-1] | {"seconds": None}),
                              fused("automatic", "scaled", seconds=1e-9), fused(*pcg.FIRST, format="sell", vectors=19))
        self.assertEqual((made["figure"], made["caches"], made["columns"]), ("pcg-fusions", "warm", 1))
        csr_time, csr_bytes, sell_time, _ = made["panels"][0]["series"]
        for got, wanted in zip(csr_time["y"][:-1], (1, 7 / 6, 7 / 5, 7 / 4, 7 / 3, 7 / 2), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertAlmostEqual(csr_bytes["y"][5], 20 / 15)
        self.assertIsNone(csr_time["y"][6])
        self.assertEqual(made["panels"][0]["labels"][3], "+ SpMV with p.Ap (12)")
        self.assertEqual(sell_time["y"], [1, *6 * [None]])
        self.assertEqual([r["algorithm"] for r in made["refused"]], ["csr graph scaled"])
        self.assertEqual([r["row"][:6] for r in made["not_measured"]], 6 * ["SELL: "])

    def test_refuses_other_schemes_and_inputs_without_stages(self):
        with self.assertRaisesRegex(inputs.BadResults, "csr device_scalars one_pass moves 12 vectors, expected 11"):
            self.drawings(pcg, fused(*pcg.FIRST, vectors=19), fused("device_scalars", "one_pass", vectors=12))
        for other in (fused("automatic", "scaled"), cg(), record(scalar="float")):
            with self.assertRaisesRegex(inputs.BadResults, "no SpMV in double and no --solve jacobi-pcg --fusions"):
                self.drawings(pcg, other)
        with self.assertRaisesRegex(inputs.BadResults, "no time of CSR on gen:band:1000:3 with warm caches"):
            self.drawings(pcg, csr(), caches="warm")


class History(Figures):
    def test_the_fastest_row_of_every_method_over_iterations_and_time(self):
        made, = self.drawings(history, with_history("cg", [1.0, 0.1, 0.001], seconds=2e-3),
                              with_history("cg", [1.0, 0.2], format="dia", seconds=3e-3),
                              with_history("jacobi-pcg", [1.0, 0.0, None, 0.5], fusion="scaled", seconds=4e-3), unfused())
        steps, times = made["panels"]
        self.assertEqual([(s["x"], s["y"]) for s in steps["series"]],
                         [([0, 1, 2], [1.0, 0.1, 0.001]), ([0, 3], [1.0, 0.5])])
        self.assertEqual([s["label"] for s in steps["series"]], [
            "CG, bdia automatic fused: converged", "Jacobi-PCG, bdia automatic scaled: converged"])
        for got, wanted in zip(times["series"][0]["x"] + times["series"][1]["x"], (0, 2, 4, 0, 12), strict=True):
            self.assertAlmostEqual(got, wanted)
        self.assertEqual((made["figure"], steps["y_scale"]), ("history", "decades"))
        self.assertEqual([r["row"] for r in made["not_measured"]], ["BiCGStab"])

    def test_methods_from_separate_files(self):
        files = [self.file(f"{name}.json", with_history(name, [1.0, 0.1])) for name in history.NAMES]
        read = inputs.read(files, *history.OPERATIONS)
        self.assertEqual([r["operation"] for r in read], list(history.NAMES))
        with self.assertRaisesRegex(inputs.BadResults, "is in cg.json too"):
            inputs.read([*files, self.file("again.json", with_history("cg", [1.0]))], *history.OPERATIONS)

    def test_refuses_invalid_histories(self):
        with self.assertRaisesRegex(inputs.BadResults, "values that are not numbers"):
            self.drawings(history, with_history("cg", [1.0, "0.1"]))
        with self.assertRaisesRegex(inputs.BadResults, "history: the input has nothing of any matrix"):
            self.drawings(history, cg())
        with self.assertRaisesRegex(inputs.BadResults, "history: choose one with --matrix: a, b"):
            self.drawings(history, with_history("cg", [1.0], matrix="a"), with_history("cg", [1.0], matrix="b"))


if __name__ == "__main__":
    unittest.main()
