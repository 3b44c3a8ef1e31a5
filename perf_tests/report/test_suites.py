#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Means over suites, and what may be divided by what: python3 -m unittest discover perf_tests/report"""
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from comparison import compared, ratio  # noqa: E402
from invented import Tree, chosen, csr5_twins, cusparse, peer, record  # noqa: E402
from records import BadResults, completed, read_runs  # noqa: E402
from suites import csr5_part, means, suites  # noqa: E402


class Ratios(unittest.TestCase):
    def test_refuses_a_ratio_across_runs_products_and_temperatures(self):
        ours, theirs = completed(record(), "a.json"), completed(peer(seconds=2e-5), "a.json")
        self.assertEqual(ratio(theirs, ours), 2.0)
        for other, what in ((completed(peer(), "b.json"), "files"), (completed(peer(cold=True), "a.json"), "temperatures"),
                            (completed(peer(matrix="another"), "a.json"), "products"),
                            (completed(peer(scalar="float"), "a.json"), "products")):
            with self.assertRaisesRegex(BadResults, what):
                ratio(other, ours)


class Means(Tree):
    def of(self, *records, temperature="warm"):
        path = self.commit("a.json", *records)
        return compared(read_runs(path.parent)[0], temperature)

    def test_the_best_single_variant_and_the_best_of_each(self):
        every = self.of(record(matrix="a", seconds=1e-6), cusparse(matrix="a", seconds=2e-6),
                        cusparse(matrix="a", algorithm="alg2", seconds=3e-6), peer(matrix="a", seconds=1.5e-6),
                        record(matrix="b", seconds=1e-6), cusparse(matrix="b", seconds=8e-6),
                        cusparse(matrix="b", algorithm="alg2", seconds=1e-6), peer(matrix="b", seconds=9e-6),
                        cusparse(matrix="b", algorithm="fast here only", seconds=9e-7))
        made = means(every, "ours")
        self.assertEqual(made.variant, "cusparse csr alg2")  # sqrt(3 * 1) of ours, alg1 sqrt(2 * 8)
        self.assertAlmostEqual(made.over_variant, math.sqrt(3), 12)
        self.assertAlmostEqual(made.over_best, math.sqrt(2 * 0.9), 12)
        self.assertAlmostEqual(made.over_peers, math.sqrt(1.5 * 0.9), 12)
        self.assertEqual((made.worst_name, made.below, made.counted, made.matrices), ("b", 1, 2, 2))
        self.assertAlmostEqual(made.worst, 0.9, 12)

    def test_what_select_chose_is_counted_apart(self):
        every = self.of(record(matrix="a", seconds=1e-6), record(matrix="a", format="sell", seconds=4e-6),
                        chosen("sell", matrix="a"), cusparse(matrix="a", seconds=2e-6),
                        record(matrix="b", seconds=1e-6), cusparse(matrix="b", seconds=2e-6))
        self.assertAlmostEqual(means(every, "ours").over_best, 2.0, 12)
        made = means(every, "chosen")
        self.assertAlmostEqual(made.over_best, 0.5, 12)
        self.assertEqual((made.counted, made.matrices), (1, 2))

    def test_rounded_values_are_nobodys_win(self):
        every = self.of(record(seconds=4e-6), record(format="sell", seconds=1e-9, rounded_values=True), chosen("sell"),
                        cusparse(seconds=2e-6))
        self.assertAlmostEqual(means(every, "ours").over_best, 0.5, 12)
        self.assertIsNone(means(every, "chosen"))

    def test_temperatures_do_not_meet(self):
        both = record(seconds=1e-6), cusparse(seconds=2e-6), cusparse(seconds=1e-9, cold=True)
        self.assertAlmostEqual(means(self.of(*both), "ours").over_best, 2.0, 12)
        self.assertIsNone(means(self.of(*both, temperature="cold"), "ours"))

    def test_suites_and_the_parts_of_csr5(self):
        every = self.of(*csr5_twins(), record(matrix="gen:rmat:9"))
        self.assertEqual([(title, len(members)) for title, members in suites(every)],
                         [("csr5", 3), ("csr5, regular", 1), ("csr5, irregular", 2), ("no suite", 1)])
        page = self.write(*csr5_twins())
        self.assertIn("| csr5, irregular | the fastest of ours | 2 of 2 | cusparse csr alg1 | 1.095 | 1.095 | 1.095 | "
                      "0.800 (`gen:twin:webbase-1M`) | 1 |", page)  # sqrt(1.5 * 0.8)

    def test_names_of_the_paper(self):
        self.assertEqual([csr5_part(name) for name in ("gen:twin:conf5_4-8x8-10", "/data/Webbase-1M.mtx.gz", "gen:cantor:3")],
                         ["regular", "irregular", None])


if __name__ == "__main__":
    unittest.main()
