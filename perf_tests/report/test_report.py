#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The pages: python3 -m unittest discover perf_tests/report"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import report  # noqa: E402
from invented import Tree, chosen, cusparse, peer, record, solve  # noqa: E402

README = "README.md"


class Page(Tree):
    def test_says_so_when_nothing_is_committed(self):
        self.assertEqual(self.run_it(), (0, ""))
        for name in (report.PAGE, README):
            self.assertIn("No measurement is committed yet", self.text(name))
        self.assertIn("No run has asked select() yet", self.text("docs/choosing_a_format.md"))

    def test_leaves_solvers_out(self):
        without = self.write(record()), self.full()
        self.assertEqual((self.write(record(), solve()), self.full()), without)
        self.assertIn("No measurement is committed yet", self.write(solve()))

    def test_shows_ours_beside_the_vendor_and_the_best_peer(self):
        page = self.write(record(), record(format="csr5", algorithm="tiles", seconds=8e-6),
                          cusparse(seconds=3e-5), cusparse(algorithm="alg2", seconds=2.4e-5, fraction_of_copy=0.23),
                          peer(seconds=2e-5, fraction_of_copy=0.28))
        self.assertIn("| `gen:band:1000:3` | csr5 tiles: 8.00 (0.56) | alg2: 24.0 (0.23) | "
                      "eigen csr row-major: 20.0 (0.28) | 3.00 | 2.50 |", page)
        self.assertIn("| `gen:band:1000:3` | 2998 | 10.0 (0.56) | 8.00 (0.56) | eigen csr row-major: 20.0 (0.28) | 2.50 |",
                      self.full())

    def test_sorts_wins_before_losses_and_names_what_was_lost(self):
        page = self.write(record(matrix="lost", seconds=2e-5), peer(matrix="lost"),
                          chosen("sell", matrix="lost"), record(matrix="lost", format="sell", algorithm="rows", seconds=4e-5),
                          record(matrix="won"), peer(matrix="won", seconds=3e-5),
                          record(matrix="even"), peer(matrix="even"))
        where = [page.index(f"| `{name}` | csr row_team") for name in ("won", "even", "lost")]
        self.assertEqual(where, sorted(where))
        table = page.split("**Lost, warm**")[1].split("\n\n")[1]
        self.assertIn("| `lost` | csr row_team: 20.0 (0.56) | eigen csr row-major: 10.0 (0.56) | sell | "
                      "sell rows: 40.0 (0.56) | 0.500 | 0.250 |", table)
        self.assertNotIn("`won`", table)
        self.assertNotIn("`even`", table)
        self.assertIn("| warm | 3 | 2 | 1 | 1 |", page)  # matrices, won, lost, lost by select()

    def test_names_a_loss_of_select_where_ours_won(self):
        page = self.write(record(), chosen("sell"), record(format="sell", algorithm="rows", seconds=4e-5), peer(seconds=2e-5))
        self.assertIn("| sell | sell rows: 40.0 (0.56) | 2.000 | 0.500 |", page.split("**Lost, warm**")[1])

    def test_says_that_nothing_was_lost(self):
        self.assertIn("Lost, warm: none.", self.write(record(), peer(seconds=2e-5)))

    def test_select_runs_the_automatic_algorithm_not_the_fastest(self):
        page = self.write(record(), record(algorithm="automatic", seconds=1.25e-5), chosen("csr"), peer(seconds=2e-5))
        self.assertIn("| csr | 12.5 (0.56) |", page)
        self.assertIn("| 2.00 | 1.60 |", page)

    def test_keeps_temperatures_apart(self):
        page = self.write(record(), record(cold=True, seconds=3e-5), peer(), peer(cold=True, seconds=6e-5),
                          record(cold=False, temperature="graph", seconds=2e-6),
                          peer(cold=False, temperature="graph", seconds=1e-6))
        cold, rest = page.split("**Cold**")[1].split("**Warm**")
        warm, graph = rest.split("**Graph**")
        for text, own, ratio in ((cold, "30.0", "2.00"), (warm, "10.0", "1.00"), (graph, "2.00", "0.50")):
            self.assertIn(f"| csr row_team: {own} (0.56) | eigen csr row-major:", text)
            self.assertIn(f"| {ratio} |", text)
        self.assertNotIn("csr row_team: 10.0", cold)
        self.assertIn("| 2.00 | cold |", self.text(README))

    def test_rounded_values_are_shown_and_never_counted(self):
        page = self.write(record(), record(format="sell", rounded_values=True, seconds=1e-7), chosen("sell"),
                          peer(seconds=2e-5))
        self.assertNotIn("0.10 (0.56)", page)
        self.assertIn("| 2.00 |", page)
        self.assertIn("| 0.10 (0.56) |", self.full())
        self.assertIn("sell row_team, values rounded", self.full())
        self.assertIn("csr row_team: 10.0", self.text(README))
        self.assertIn("No run has asked select() yet", self.text("docs/choosing_a_format.md"))  # nothing that it may run

    def test_gives_conversions_in_spmvs_of_their_format_against_the_targets(self):
        convert = {"operation": "conversion", "format": "csr5"}
        page = self.write(record(seconds=1e-6), record(format="csr5", algorithm="tiles", seconds=1e-4),
                          record(algorithm="from_csr", seconds=2.5e-4, **convert),
                          record(algorithm="from_csr with checks", seconds=9e-4, **convert),
                          record(algorithm="update_values", seconds=2.3e-4, **convert),
                          record(format="csr5", rounded_values=True, seconds=1e-6),
                          record(algorithm="from_csr", rounded_values=True, seconds=1e-3, **convert))
        self.assertIn("| `gen:band:1000:3` | csr5 | from_csr | 250 | 2.50 |", self.full())
        self.assertIn("| csr5 | 2.50 | 2.50 (`gen:band:1000:3`) | 3.0 | 1 of 1 | 2.30 | 2.30 (`gen:band:1000:3`) | 2.2 | "
                      "0 of 1 |", page)

    def test_never_mixes_runs(self):
        self.commit("b.json", peer(seconds=1e-9))
        page = self.write(record())
        self.assertNotIn("10000", page)
        self.assertIn("| 10.0 (0.56) | – | – |", self.full())

    def test_shows_each_scalar_as_a_run_of_its_own(self):
        page = self.write(record(), peer(seconds=2e-5), record(scalar="float"), peer(scalar="float", seconds=3e-5))
        self.assertLess(page.index("### a-double-int32"), page.index("### a-float-int32"))
        self.assertIn("3.00", self.full("a-float-int32"))
        self.assertNotIn("3.00", self.full("a-double-int32"))

    def test_names_what_was_refused(self):
        self.write(record(), record(format="csr5", algorithm="tiles", seconds=None, gb_per_s=None, fraction_of_copy=None,
                                    gflops=None, reason="no lanes"))
        self.assertIn("| `gen:band:1000:3` | csr5 tiles | no lanes |", self.full())

    def test_readme_shows_large_matrices_only_where_there_are_any(self):
        self.write(record(), record(matrix="big", csr_bytes=10**9))
        self.assertIn("`big`", self.text(README))
        self.assertNotIn("gen:band", self.text(README).split("All runs")[0])

    def test_readme_shows_the_largest_of_many(self):
        self.write(*(record(matrix=f"m{i}", csr_bytes=(i + 1) * 10**9) for i in range(8)))
        shown = self.text(README).split("All runs")[0]
        self.assertEqual([f"`m{i}`" in shown for i in range(8)], [False] * 2 + [True] * 6)

    def test_readme_counts_products_of_several_vectors_without_showing_them(self):
        self.write(record(), record(columns=8, layout="right", csr_bytes=10**9), cusparse(columns=8, layout="right"))
        largest, all_runs = self.text(README).split("All runs")
        self.assertIn("`gen:band:1000:3`", largest)
        self.assertNotIn("x 8", largest)
        self.assertIn("x 8 (right)", all_runs)

    def test_readme_counts_what_was_lost(self):
        self.write(record(seconds=2e-5), cusparse(seconds=1e-5))
        self.assertIn("| 1 | 1 | 0.50 | 0.50 (`gen:band:1000:3`) |", self.text(README))


class Blocks(Tree):
    def test_keeps_what_is_outside_the_marks(self):
        self.write(record())
        for name, mark, *_ in report.BLOCKS:
            text = self.text(name)
            self.assertTrue(text.startswith("# Title\n\n<!-- "), name)
            self.assertTrue(text.endswith(":end -->\n\nEnd.\n"), name)
            self.assertRegex(text, f"(?s)<!-- {mark}:begin -->\n.+<!-- {mark}:end -->\n\n(End|Between)[.]")

    def test_bands_stand_beside_bdia_of_their_own_file(self):
        band = {"matrix": "gen:band:1000:3"}
        self.commit("x.json", record(format="bdia", algorithm="window", bytes=40000, **band), folder=report.MEASURED)
        self.commit("y.json", record(format="bdia", algorithm="window", bytes=40000, matrix="gen:band:2000:5"),
                    record(format="dia", algorithm="rows", seconds=1.5e-5, bytes=50000, matrix="gen:band:2000:5"),
                    cusparse(seconds=3e-5, matrix="gen:band:2000:5"), folder=report.MEASURED)
        self.run_it()
        text = self.text("docs/kernels/bdia_spmv.md")
        self.assertIn("| double | 5 | 10.0 | 0.56 | 1.50 (1.25) | – | – | – | – | – | 3.00 (1.40) |", text)
        self.assertIn("n = 2000, a machine, warm caches, OpenMP, Kokkos 5.2.2, Einkorn abc", text)
        self.assertNotIn("| double | 3 |", text)  # of a smaller matrix

    def test_spmm_of_stripes(self):
        spmm = {"matrix": "gen:stripes:10:4:3", "columns": 8, "layout": "right", "cold": True}
        self.commit("x.json", record(format="brcv", **spmm), cusparse(seconds=2.5e-5, **spmm), folder=report.MEASURED)
        self.run_it()
        self.assertIn("| right | 4 × 3 | 8 | 10.0 | – | – | 25.0 | 2.50 |", self.text("docs/kernels/brcv_spmm.md"))

    def test_how_far_select_is_from_the_fastest(self):
        self.write(record(), chosen("sell"), record(format="sell", algorithm="rows", seconds=1.3e-5),
                   record(matrix="b"), chosen("csr", matrix="b"))
        self.assertIn("| `a.json` | warm | 2 | 1 | 1.14 | 1.30 (`gen:band:1000:3`: sell, fastest csr) |",
                      self.text("docs/choosing_a_format.md"))


class Check(Tree):
    def test_is_deterministic_and_notices_a_change(self):
        self.commit("b.json", record(machine="z"), peer(machine="z"))
        self.commit("a.json", record(scalar="float"), record())
        self.assertEqual(self.run_it("--check")[0], 1)
        self.run_it()
        names = [report.PAGE, README, f"{report.FULL}/b.md"]
        first = [self.text(name) for name in names]
        self.run_it()
        self.assertEqual(first, [self.text(name) for name in names])
        self.assertEqual(self.run_it("--check"), (0, ""))
        self.commit("b.json", record(machine="z", seconds=2e-5), peer(machine="z"))
        code, errors = self.run_it("--check")
        self.assertEqual(code, 1)
        self.assertIn(report.PAGE, errors)
        self.assertIn("docs/performance/b.md", errors)

    def test_notices_and_removes_the_page_of_a_run_that_is_gone(self):
        self.write(record(), name="gone.json")
        (self.root / report.RESULTS / "gone.json").unlink()
        self.assertIn("docs/performance/gone.md (of no run)", self.run_it("--check")[1])
        self.run_it()
        self.assertFalse((self.root / report.FULL / "gone.md").exists())
        self.assertEqual(self.run_it("--check")[0], 0)

    def test_refuses_records_that_are_not_fit_to_be_shown(self):
        for bad, what in ((record(wrong=True), "wrong"), (record(seconds=0), "seconds"),
                          (record(machine=None), "machine"), (record(fraction_of_copy=None), "fraction_of_copy"),
                          (record(nnz="many"), "nnz"), (record(cold=1), "cold"), ([], "record"),
                          (record(temperature="hot"), "temperature"), (record(temperature="cold"), "cold is False"),
                          (record(suite=3), "suite"), (record(spread="wide"), "spread")):
            self.commit("a.json", bad)
            code, errors = self.run_it()
            self.assertEqual(code, 3, bad)
            self.assertIn(what, errors)
            self.assertIn("a.json, record 0", errors)
        self.commit("a.json", record(), record())
        self.assertIn("twice", self.run_it()[1])

    def test_refuses_two_runs_in_one_file(self):
        for second, what in ((peer(commit="def"), "commit is 'def'"), (peer(machine="b"), "machine"),
                             (peer(copy_gb_per_s=11.0), "two copy bandwidths")):
            self.commit("a.json", record(), second)
            code, errors = self.run_it()
            self.assertEqual(code, 3)
            self.assertIn("a.json, record 1", errors)
            self.assertIn(what, errors)
        self.write(record(), peer(matrix="another", copy_gb_per_s=11.0))

    def test_takes_records_that_name_the_temperature_alone(self):
        bare = record(temperature="graph")
        del bare["cold"]
        self.assertIn("**Graph**", self.write(bare))

    def test_refuses_a_file_that_is_no_array_and_a_page_without_marks(self):
        for text in ("{", "{}"):
            (self.root / report.RESULTS / "a.json").write_text(text)
            self.assertEqual(self.run_it()[0], 3)
        self.commit("a.json", record())
        (self.root / README).write_text("no marks")
        self.assertEqual(self.run_it()[0], 3)


if __name__ == "__main__":
    unittest.main()
