#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The table of solvers: python3 -m unittest discover perf_tests/report"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sample_records import Tree, peer, peer_solve, record, solve  # noqa: E402


class Solvers(Tree):
    def section(self, *records):
        page = self.write(*records)
        return page.split("## Solvers")[1] if "## Solvers" in page else ""

    def test_is_empty_without_records(self):
        self.assertEqual(self.section(record(), peer()), "")

    def test_has_the_fastest_row_of_einkorn_and_of_every_library(self):
        text = self.section(solve(), solve(8.0, format="dia", execution="graph"), solve(None, format="sell"), peer_solve(),
                            peer_solve(24.0, execution="host_scalars"), peer_solve(40.0, library="kokkos-kernels"))
        self.assertIn("| over cusparse+cublas | over kokkos-kernels |", text)
        self.assertIn("| a machine | `gen:band:1000:3` | 1000 | CG | dia graph: 8.00 µs | launches: 10.0 µs | "
                      "csr graph: 20.0 µs | csr graph: 40.0 µs | 2.50 (2.00) | 5.00 (4.00) |", text)

    def test_shows_a_loss_and_long_iterations_in_milliseconds(self):
        text = self.section(solve(4e3, fusion="unfused", execution="host_scalars"), peer_solve(2e3))
        self.assertIn("| csr host_scalars unfused: 4.00 ms | host_scalars unfused: 4.00 ms | csr graph: 2.00 ms | 0.50 (0.50) |",
                      text)

    def test_never_mixes_files_or_matrices(self):
        self.commit("b.json", peer_solve(0.001))
        text = self.section(solve(), solve(matrix="m", copy_gb_per_s=11.0), peer_solve(matrix="m", copy_gb_per_s=11.0),
                            peer_solve(library="eigen", matrix="n"), solve(matrix="n"))
        self.assertIn("| `gen:band:1000:3` | 1000 | CG | csr launches: 10.0 µs | launches: 10.0 µs | – | – | – | – |", text)

    def test_refuses_invalid_records(self):
        for bad, what in ((solve(residual=None), "residual"), (solve(execution=None), "execution"), (solve(n=0), "n is 0"),
                          (solve(floor_bytes="many"), "floor_bytes"), (solve(seconds=2e-5), "time_per_iteration_us"),
                          (solve(wrong=True), "wrong"), (solve(solver=3), "solver")):
            self.commit("a.json", bad)
            code, errors = self.run_command()
            self.assertEqual(code, 3, what)
            self.assertIn(what, errors)
            self.assertIn("a.json, record 0", errors)
        self.commit("a.json", solve(), peer_solve(iterations=30))
        self.assertIn("differ in iterations", self.run_command()[1])


if __name__ == "__main__":
    unittest.main()
