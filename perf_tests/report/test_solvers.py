#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The page of the solvers: python3 -m unittest discover perf_tests/report"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import report  # noqa: E402
import solvers  # noqa: E402
from invented import Tree, peer_solve, record, solve  # noqa: E402

README = "README.md"


class Solvers(Tree):
    def page(self, *records, name="a.json"):
        self.write(*records, name=name)
        return self.text(solvers.PAGE)

    def rows(self, *records):
        return [line for line in self.page(*records).splitlines() if line.startswith(("| einkorn", "| cusparse", "| kokkos"))]

    def block(self):
        return self.text(README).split("solver-performance:")[1]

    def test_says_so_when_nothing_is_committed(self):
        page = self.page(record())
        for text in (page, self.block()):
            self.assertIn("No solver measurement is committed yet", text)
        self.assertIn("](performance/solvers.md)", self.text())

    def test_shows_a_row_with_both_fractions_the_ratio_and_the_residual(self):
        page = self.page(solve(), peer_solve(fraction_of_copy=0.7, floor_fraction_of_copy=0.25))
        self.assertIn("| µs an iteration | GB moved | of copy | floor of copy (9 vectors) | speed ratio | residual |", page)
        self.assertIn("| einkorn | csr | launches | fused | 10.0 | 0.0000920 | 0.56 | 0.50 | 2.00 | 1.0e-03 |", page)
        self.assertIn("| cusparse+cublas | csr | graph | unfused | 20.0 | 0.000148 | 0.70 | 0.25 | 1.00 | 1.0e-03 |", page)

    def test_names_the_run_above_its_table(self):
        page = " ".join(self.page(solve()).split())
        self.assertIn("## a a machine, double, int32; OpenMP, Kokkos 5.2.2, Einkorn abc; copy 10.0 GB/s; medians of 3 rounds. "
                      "CG on `gen:band:1000:3`: n = 1000, 2998 entries, 20 iterations a solve.", page)
        self.assertIn("held to a loop in long double after 20 iterations", page)

    def test_says_what_was_not_checked(self):
        self.assertIn("Without the check", self.page(solve(checked_iterations=0)))

    def test_counts_what_a_solve_moves_beyond_its_iterations(self):
        cg = self.page(solve())  # a matrix of 20000 bytes: (2 x 20000 + 14 x 8000) / 92000
        self.assertIn("at least the bytes of 1.7 more: 8 % of", " ".join(cg.split()))
        long = self.page(solve(iterations=100))  # and twice 20000 + 5 x 8000
        self.assertIn("of 3.0 more, 2 replacements included: 3 % of", " ".join(long.split()))
        bicgstab = self.page(solve(operation="bicgstab", solver="bicgstab", vectors=17, bytes_per_iteration=176000,
                                   floor_bytes=176000))  # (2 x 20000 + 16 x 8000) / 176000
        self.assertIn("of 1.0 more: 5 % of", " ".join(bicgstab.split()))
        self.assertIn("floor of copy (17 vectors)", bicgstab)
        self.assertNotIn("Beyond its iterations", self.page(peer_solve()))

    def test_sorts_ours_before_peers(self):
        rows = self.rows(peer_solve(library="kokkos-kernels"), peer_solve(), solve(format="sell"),
                         solve(execution="automatic", fusion="fused"), solve(execution="automatic", fusion="classical"),
                         solve())
        self.assertEqual([" ".join(row.split(" | ")[:4]) for row in rows], [
            "| einkorn csr automatic classical", "| einkorn csr automatic fused", "| einkorn csr launches fused",
            "| einkorn sell launches fused", "| cusparse+cublas csr graph unfused", "| kokkos-kernels csr graph unfused"])

    def test_gives_long_iterations_in_milliseconds(self):
        page = self.page(solve(4347.6), peer_solve(5860.6))
        self.assertIn("| ms an iteration |", page)
        self.assertIn("| einkorn | csr | launches | fused | 4.35 |", page)
        self.assertIn("csr launches: 4.35 ms", self.block())

    def test_a_refused_row_shows_its_reason_without_folders(self):
        row = self.rows(solve(None, reason="no graph: failed at /tmp/a/b.hpp:58, 1/2 done"), peer_solve())[0]
        self.assertIn("| – | 0.0000920 | – | – | – | – | no graph: failed at b.hpp:58, 1/2 done |", row)
        self.assertIn("no reason recorded", self.page(solve(None)))
        self.assertEqual(self.run_it("--check"), (0, ""))

    def test_strips_folders_from_matrices(self):
        for name in ("/home/someone/bone.mtx.gz", "matrices/bone.mtx.gz"):
            page = self.page(solve(matrix=name), peer_solve(matrix=name))
            self.assertIn("`bone.mtx.gz`", self.block())
            for text in (page, self.text(README)):
                self.assertNotIn("matrices/bone", text)
                self.assertNotIn("someone", text)

    def test_never_mixes_files_and_parts_the_matrices_of_one(self):
        self.commit("b.json", peer_solve(0.001))
        page = self.page(solve(), solve(matrix="m", copy_gb_per_s=11.0), peer_solve(matrix="m", copy_gb_per_s=11.0))
        for heading in ("## a: cg, gen:band:1000:3\n", "## a: cg, m\n", "## b\n"):
            self.assertIn(heading, page)
        self.assertNotIn("speed ratio |", page.split("## a: cg, gen:band:1000:3")[1].split("## ")[0])
        self.assertIn("| `gen:band:1000:3` | 1000 | CG | csr launches: 10.0 µs | launches: 10.0 µs | – | – |", self.block())

    def test_readme_has_the_best_of_ours_and_of_every_library(self):
        self.write(solve(), solve(8.0, format="dia", execution="graph"), solve(None, format="sell"), peer_solve(),
                   peer_solve(24.0, execution="host_scalars"), peer_solve(40.0, library="kokkos-kernels"))
        self.assertIn("| over cusparse+cublas | over kokkos-kernels |", self.block())
        self.assertIn("| a machine | `gen:band:1000:3` | 1000 | CG | dia graph: 8.00 µs | launches: 10.0 µs | "
                      "csr graph: 20.0 µs | csr graph: 40.0 µs | 2.50 (2.00) | 5.00 (4.00) |", self.block())

    def test_readme_shows_a_loss(self):
        self.write(solve(40.0, fusion="unfused", execution="host_scalars"), peer_solve())
        self.assertIn("| csr host_scalars unfused: 40.0 µs | host_scalars unfused: 40.0 µs | csr graph: 20.0 µs | 0.50 (0.50) |",
                      self.block())

    def test_check_notices_a_change_of_page_and_readme(self):
        self.assertEqual(self.run_it("--check")[0], 1)
        self.write(solve(), peer_solve())
        self.assertEqual(self.run_it("--check"), (0, ""))
        self.commit("a.json", solve(9.0), peer_solve())
        code, errors = self.run_it("--check")
        self.assertEqual(code, 1)
        self.assertIn(solvers.PAGE, errors)
        self.assertIn(README, errors)
        self.run_it()
        for name in (solvers.PAGE, README):
            (self.root / name).write_text(self.text(name).replace("9.00", "8.00"))
            self.assertIn(name, self.run_it("--check")[1])
            self.run_it()
        self.assertEqual(self.run_it("--check"), (0, ""))

    def test_refuses_records_that_are_not_fit_to_be_shown(self):
        for bad, what in ((solve(residual=None), "residual"), (solve(execution=None), "execution"), (solve(n=0), "n is 0"),
                          (solve(floor_bytes="many"), "floor_bytes"), (solve(seconds=2e-5), "time_per_iteration_us"),
                          (solve(wrong=True), "wrong"), (solve(solver=3), "solver")):
            self.commit("a.json", bad)
            code, errors = self.run_it()
            self.assertEqual(code, 3, what)
            self.assertIn(what, errors)
            self.assertIn("a.json, record 0", errors)
        self.commit("a.json", solve(), peer_solve(iterations=30))
        self.assertIn("differ in iterations", self.run_it()[1])

    def test_refuses_a_run_that_would_take_the_name_of_the_page(self):
        self.commit("solvers.json", record())
        self.assertIn(solvers.PAGE, self.run_it()[1])


if __name__ == "__main__":
    unittest.main()
