#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The numbers of multigrid.svg: python3 -m unittest discover perf_tests/figures"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import multigrid  # noqa: E402


def record(*methods):
    return {"machine": "M", "backend": "Cuda", "kokkos_version": "4.6", "commit": "abc", "repeat": 3,
            "problems": [{"problem": "anisotropic:8:1", "rows": 512, "methods": list(methods)}]}


def method(**changes):
    return {"method": "multigrid", "name": "multigrid-PCG", "iterations": 2, "history": [1.0, 1e-4, 1e-9],
            "seconds": {"set_up": {"median": 0.001}, "solve": {"median": 0.004}}} | changes


class Multigrid(unittest.TestCase):
    def test_a_line_starts_after_the_set_up(self):
        made = multigrid.drawing([record(method(), method(method="cg", name="CG", history=[1.0, 0.0]))])
        first, second = made["panels"][0]["series"]
        self.assertEqual((first["x"], first["y"]), ([1.0, 3.0, 5.0], [1.0, 1e-4, 1e-9]))
        self.assertEqual(made["panels"][0]["title"],
                         "anisotropic:8:1, 512 rows\niterations: multigrid 2 in 5 ms, cg 2 in 5 ms")
        self.assertEqual((second["x"], second["y"]), ([1.0], [1.0]))
        self.assertEqual(made["caption"], "M; Cuda; Kokkos 4.6; Einkorn abc; medians of 3 rounds")

    def test_methods_without_history_or_times_are_not_drawn(self):
        failed = method(failure="stagnated")
        del failed["seconds"]
        with self.assertRaises(multigrid.BadResults):
            multigrid.drawing([record(failed, method(history=[]))])

    def test_the_legend_has_each_method_once(self):
        made = multigrid.drawing([record(method()), record(method())])
        self.assertEqual([panel["series"][0]["in_legend"] for panel in made["panels"]], [True, False])

    def test_files_of_two_builds_are_not_drawn_together(self):
        with self.assertRaises(multigrid.BadResults):
            multigrid.drawing([record(method()), record(method()) | {"commit": "def"}])

    def test_the_table_has_a_row_per_problem(self):
        mine = method(operator_complexity=1.25)
        mine["seconds"]["update"] = {"median": 0.0005}
        text = multigrid.block([record(mine, method(method="cg", iterations=30)) | {"tolerance": 1e-7}])
        self.assertIn("| `anisotropic:8:1`, to 1e-07 | 512 | 0.00100 | 0.000500 | 0.00400 | 2 | 1.25 | CG | 0.00400 | 30 |", text)

    def test_the_page_and_the_figure_match_the_committed_runs(self):
        self.assertEqual(multigrid.main(["--check"]), 0)


if __name__ == "__main__":
    unittest.main()
