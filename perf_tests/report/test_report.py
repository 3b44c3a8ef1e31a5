#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The pages: python3 -m unittest discover perf_tests/report"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import page as page_module  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402
from sample_records import Tree, chosen, cusparse, peer, peer_solve, peer_sparse, record, solve, sparse  # noqa: E402

README = "README.md"


class Page(Tree):
    def test_nothing_committed(self):
        self.assertEqual(self.run_command(), (0, ""))
        for name in (report.PAGE, README):
            self.assertIn("No measurement is committed yet", self.text(name))
        self.assertIn("No run has asked select() yet", self.text("docs/choosing_a_format.md"))

    def test_names_machine_build_and_operations(self):
        page = self.write(record(), peer(), solve(), peer_solve(), sparse(), peer_sparse())
        self.assertIn("| a machine | OpenMP | 5.2.2 | abc | SpMV (1), CG (1), SpGEMM (1) | 10 to 10 |", page)

    def test_compares_the_fastest_einkorn_row_with_the_fastest_peer(self):
        page = self.write(record(), record(format="csr5", algorithm="tiles", seconds=8e-6), cusparse(seconds=3e-5),
                          peer(seconds=2e-5))
        self.assertIn("| a machine | SpMV | a | double | warm | 1 | 0 | 2.50 | 2.50 (`gen:band:1000:3`) |", page)
        self.assertIn("No ratio is below 0.95.", page)

    def test_lists_losses_the_worst_first(self):
        page = self.write(record(matrix="lost", seconds=2e-5), peer(matrix="lost"), record(matrix="even", seconds=1.02e-5),
                          peer(matrix="even"), record(matrix="worst", seconds=4e-5), peer(matrix="worst"))
        losses = page.split("## Ratios below")[1]
        self.assertIn("| `lost` | SpMV | a machine | double | warm | csr row_team 20.0 µs | eigen csr row-major 10.0 µs | 0.50 |",
                      losses)
        self.assertLess(losses.index("`worst`"), losses.index("`lost`"))
        self.assertNotIn("`even`", losses)
        self.assertIn("| 3 | 3 | 0.50 | 0.25 (`worst`) |", page)

    def test_shows_measured_ones_of_ten_matrices(self):
        name = page_module.TEN[0]
        page = self.write(record(matrix=name), record(matrix=name, format="dia", algorithm="rows", seconds=5e-6),
                          chosen("sell", matrix=name), peer(matrix=name, seconds=2e-5), record(), peer())
        ten = page.split("## Ten matrices")[1].split("## ")[0]
        self.assertIn(f"| `{name}` | 1000 | 2998 | 10.0 (0.56) | dia rows | 5.00 (0.56) | sell | eigen csr row-major | "
                      "20.0 (0.56) | 4.00 |", ten)
        self.assertNotIn("gen:band", ten)

    def test_ten_matrices_include_the_old_spelling_of_a_generator(self):
        name = next(name for name in page_module.TEN if name.startswith("gen:surrogate:"))
        old = name.replace("gen:surrogate:", "gen:twin:")
        for spelling in (name, old):
            page = self.write(record(matrix=spelling), peer(matrix=spelling, seconds=2e-5))
            self.assertIn(f"| `{spelling}` |", page.split("## Ten matrices")[1].split("## ")[0])

    def test_keeps_temperatures_scalars_and_runs_apart(self):
        self.commit("b.json", peer(seconds=1e-9), record(scalar="float"), peer(scalar="float", seconds=3e-5))
        page = self.write(record(), peer(), record(cold=True, seconds=3e-5), peer(cold=True, seconds=6e-5),
                          record(cold=False, temperature="graph", seconds=2e-6),
                          peer(cold=False, temperature="graph", seconds=1e-6))
        for cells in ("| a | double | cold | 1 | 0 | 2.00 |", "| a | double | warm | 1 | 0 | 1.00 |",
                      "| a | double | graph | 1 | 1 | 0.50 |", "| b-float-int32 | float | warm | 1 | 0 | 3.00 |"):
            self.assertIn(cells, page)
        self.assertNotIn("b-double", page)

    def test_rounded_values_are_never_counted(self):
        page = self.write(record(), record(format="sell", rounded_values=True, seconds=1e-7), chosen("sell"),
                          peer(seconds=2e-5))
        self.assertIn("| 1 | 0 | 2.00 |", page)
        self.assertIn("No run has asked select() yet", self.text("docs/choosing_a_format.md"))  # nothing that it may run

    def test_strips_folders_from_matrices(self):
        name = "/home/someone/bone.mtx.gz"
        page = self.write(record(matrix=name), peer(matrix=name), solve(matrix=name), peer_solve(matrix=name),
                          sparse(matrix=name), peer_sparse(matrix=name))
        for text in (page, self.text(README)):
            self.assertIn("`bone.mtx.gz", text)
            self.assertNotIn("someone", text)


class Readme(Tree):
    def rows(self):
        return [line for line in self.text(README).splitlines() if line.startswith("| a")]

    def test_has_one_row_per_operation_and_run_of_spmv(self):
        self.commit("h-one-double.json", record(), peer(seconds=2e-5), record(matrix="big", csr_bytes=10**9), peer(matrix="big"))
        self.commit("h-two-double.json", record(seconds=2e-5), peer())
        self.write(record(columns=8, layout="right"), cusparse(columns=8, layout="right"), solve(), peer_solve(),
                   solve(solver="bicgstab", operation="bicgstab"), peer_solve(solver="bicgstab", operation="bicgstab"),
                   sparse(), peer_sparse())
        rows = self.rows()
        self.assertEqual([row.split(" | ")[1] for row in rows], ["SpMM", "SpMV, one, warm", "SpMV, two, warm", "CG, BiCGStab",
                                                                 "SpGEMM"])
        self.assertEqual(rows[1], "| a machine | SpMV, one, warm | `big`: csr row_team 10.0 µs, eigen csr row-major 10.0 µs | "
                                  "2 | 0 | 1.41 | 1.00 (`big`) |")
        self.assertIn("| 1 | 1 | 0.50 | 0.50 (`gen:band:1000:3`) |", rows[2])

    def test_has_at_most_eight_rows(self):
        for number in range(9):
            self.commit(f"h-{number}-double.json", record(), peer())
        self.write(record(machine="another"), peer(machine="another"))
        self.assertEqual(len(self.rows()), results.MAX_ROWS)


class Blocks(Tree):
    def test_keeps_text_outside_the_marks(self):
        self.write(record())
        for name, mark, *_ in (report.README, *report.BLOCKS):
            text = self.text(name)
            self.assertTrue(text.startswith("# Title\n\n<!-- "), name)
            self.assertTrue(text.endswith(":end -->\n\nEnd.\n"), name)
            self.assertRegex(text, f"(?s)<!-- {mark}:begin -->\n.+<!-- {mark}:end -->\n\n(End|Between)[.]")

    def test_bands_are_relative_to_bdia_of_the_same_file(self):
        band = {"matrix": "gen:band:1000:3"}
        self.commit("x.json", record(format="bdia", algorithm="window", bytes=40000, **band), folder=report.MEASURED)
        self.commit("y.json", record(format="bdia", algorithm="window", bytes=40000, matrix="gen:band:2000:5"),
                    record(format="dia", algorithm="rows", seconds=1.5e-5, bytes=50000, matrix="gen:band:2000:5"),
                    cusparse(seconds=3e-5, matrix="gen:band:2000:5"), folder=report.MEASURED)
        self.run_command()
        text = self.text("docs/kernels/bdia_spmv.md")
        self.assertIn("| double | 5 | 10.0 | 0.56 | 1.50 (1.25) | – | – | – | – | – | 3.00 (1.40) |", text)
        self.assertIn("n = 2000, a machine, warm caches, OpenMP, Kokkos 5.2.2, Einkorn abc", text)
        self.assertNotIn("| double | 3 |", text)  # of a smaller matrix

    def test_spmm_of_stripes(self):
        spmm = {"matrix": "gen:stripes:10:4:3", "columns": 8, "layout": "right", "cold": True}
        self.commit("x.json", record(format="brcv", **spmm), cusparse(seconds=2.5e-5, **spmm), folder=report.MEASURED)
        self.run_command()
        self.assertIn("| right | 4 × 3 | 8 | 10.0 | – | – | 25.0 | 2.50 |", self.text("docs/kernels/brcv_spmm.md"))

    def test_distance_of_select_from_the_fastest(self):
        self.write(record(), chosen("sell"), record(format="sell", algorithm="rows", seconds=1.3e-5),
                   record(matrix="b"), chosen("csr", matrix="b"))
        self.assertIn("| `a.json` | warm | 2 | 1 | 1.14 | 1.30 (`gen:band:1000:3`: sell, fastest csr) |",
                      self.text("docs/choosing_a_format.md"))


class Check(Tree):
    def test_is_deterministic_and_detects_changes(self):
        self.commit("b.json", record(machine="z"), peer(machine="z"))
        self.commit("a.json", record(scalar="float"), record())
        self.assertEqual(self.run_command("--check")[0], 1)
        self.run_command()
        names = [report.PAGE, README]
        first = [self.text(name) for name in names]
        self.run_command()
        self.assertEqual(first, [self.text(name) for name in names])
        self.assertEqual(self.run_command("--check"), (0, ""))
        self.commit("b.json", record(machine="z", seconds=2e-5), peer(machine="z"))
        code, errors = self.run_command("--check")
        self.assertEqual(code, 1)
        self.assertIn(report.PAGE, errors)
        self.assertIn(README, errors)

    def test_refuses_invalid_records(self):
        for bad, what in ((record(wrong=True), "wrong"), (record(seconds=0), "seconds"),
                          (record(machine=None), "machine"), (record(fraction_of_copy=None), "fraction_of_copy"),
                          (record(nnz="many"), "nnz"), (record(cold=1), "cold"), ([], "record"),
                          (record(temperature="hot"), "temperature"), (record(temperature="cold"), "cold is False"),
                          (record(suite=3), "suite"), (record(spread="wide"), "spread")):
            self.commit("a.json", bad)
            code, errors = self.run_command()
            self.assertEqual(code, 3, bad)
            self.assertIn(what, errors)
            self.assertIn("a.json, record 0", errors)
        self.commit("a.json", record(), record())
        self.assertIn("twice", self.run_command()[1])

    def test_refuses_two_runs_in_one_file(self):
        for second, what in ((peer(commit="def"), "commit is 'def'"), (peer(machine="b"), "machine"),
                             (peer(copy_gb_per_s=11.0), "two copy bandwidths")):
            self.commit("a.json", record(), second)
            code, errors = self.run_command()
            self.assertEqual(code, 3)
            self.assertIn("a.json, record 1", errors)
            self.assertIn(what, errors)
        self.write(record(), peer(matrix="another", copy_gb_per_s=11.0))

    def test_accepts_records_with_temperature_only(self):
        bare = record(temperature="graph")
        del bare["cold"]
        self.assertIn("| double | graph |", self.write(bare, peer(temperature="graph")))

    def test_refuses_files_without_an_array_and_pages_without_marks(self):
        for text in ("{", "{}"):
            (self.root / report.RESULTS / "a.json").write_text(text)
            self.assertEqual(self.run_command()[0], 3)
        self.commit("a.json", record())
        (self.root / README).write_text("no marks")
        self.assertEqual(self.run_command()[0], 3)


if __name__ == "__main__":
    unittest.main()
