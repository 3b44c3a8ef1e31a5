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
        made = multigrid.drawing(record(method(), method(method="cg", name="CG", history=[1.0, 0.0])))
        first, second = made["panels"][0]["series"]
        self.assertEqual((first["x"], first["y"]), ([1.0, 3.0, 5.0], [1.0, 1e-4, 1e-9]))
        self.assertEqual(first["label"], "multigrid-PCG: 2 iterations, 5 ms")
        self.assertEqual((second["x"], second["y"]), ([1.0], [1.0]))
        self.assertEqual(made["caption"], "M; Cuda; Kokkos 4.6; Einkorn abc; medians of 3 rounds")

    def test_methods_without_history_or_times_are_not_drawn(self):
        failed = method(failure="stagnated")
        del failed["seconds"]
        with self.assertRaises(multigrid.BadResults):
            multigrid.drawing(record(failed, method(history=[])))


if __name__ == "__main__":
    unittest.main()
