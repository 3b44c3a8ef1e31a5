#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Ratios, and the records that prune.py keeps: python3 -m unittest discover perf_tests/report"""
import contextlib
import io
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import prune  # noqa: E402
from comparison import compared, ratio  # noqa: E402
from sample_records import Tree, chosen, cusparse, peer, peer_solve, peer_sparse, record, solve, sparse, sparse_rows  # noqa: E402
from records import BadResults, completed, read, read_runs  # noqa: E402


class Ratios(unittest.TestCase):
    def test_refuses_a_ratio_across_runs_products_and_temperatures(self):
        ours, theirs = completed(record(), "a.json"), completed(peer(seconds=2e-5), "a.json")
        self.assertEqual(ratio(theirs, ours), 2.0)
        for other, what in ((completed(peer(), "b.json"), "files"), (completed(peer(cold=True), "a.json"), "temperatures"),
                            (completed(peer(matrix="another"), "a.json"), "products"),
                            (completed(peer(scalar="float"), "a.json"), "products")):
            with self.assertRaisesRegex(BadResults, what):
                ratio(other, ours)


class Prune(Tree):
    def kept(self, *records):
        path = self.commit("a.json", *records)
        before = read_runs(path.parent)
        self.assertEqual(prune.main([str(path)]), 0)
        return path, before, [(r["operation"], r["library"], r["format"], r["algorithm"], r["temperature"]) for r in read(path)]

    def test_keeps_records_of_comparisons(self):
        path, before, kept = self.kept(
            record(), record(cold=True, seconds=3e-5), record(cold=True, algorithm="automatic", seconds=3.1e-5),
            record(cold=True, algorithm="row_thread", seconds=9e-5), record(cold=True, format="sell", seconds=8e-5),
            cusparse(cold=True, format="sell", seconds=2e-5), cusparse(cold=True, seconds=4e-5),
            cusparse(cold=True, algorithm="alg2", seconds=5e-5), chosen("sell"),
            record(operation="conversion", format="sell"), record(format="ell", seconds=None, reason="the fill limit is 3",
                                                                  gb_per_s=None, fraction_of_copy=None))
        self.assertEqual(kept, [("spmv", "einkorn", "csr", "row_team", "cold"), ("spmv", "einkorn", "csr", "automatic", "cold"),
                                ("spmv", "einkorn", "sell", "row_team", "cold"), ("spmv", "cusparse", "sell", "alg1", "cold"),
                                ("spmv", "cusparse", "csr", "alg1", "cold"), ("select", "einkorn", "sell", "by model", "warm")])
        old, new = (compared(runs[0], "cold")[0] for runs in (before, read_runs(path.parent)))
        self.assertEqual((old.ours, old.peer, old.chosen), (new.ours, new.peer, new.chosen))

    def test_keeps_solves_and_products(self):
        _, _, kept = self.kept(solve(), solve(9.0, execution="graph"), solve(11.0, execution="automatic"), peer_solve(),
                               peer_solve(30.0, execution="host_scalars"), *sparse_rows(10.0, 6.0, 2.5),
                               sparse(9.0, algorithm="unordered"), peer_sparse(), peer_sparse(5.0, "cusparse", "alg2"),
                               peer_sparse(4.0, "cusparse", "alg3"))
        self.assertEqual([what[3] for what in kept], ["graph fused", "automatic fused", "graph unfused", "host_scalars unfused",
                                                      "automatic", "automatic", "automatic", "native", "alg3"])

    def test_keeps_the_digits_of_records_in_several_lines(self):
        path = self.root / "a.json"
        path.write_text(json.dumps([record()], indent=1).replace('"seconds": 1e-05', '"seconds": 0.000010'))
        self.assertEqual(prune.main([str(path)]), 0)
        self.assertIn('"seconds": 0.000010,', path.read_text())
        self.assertEqual(len(path.read_text().splitlines()), 3)

    def test_refuses_files_that_are_not_runs(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual((prune.main([]), prune.main([str(self.root / "none.json")])), (2, 3))


if __name__ == "__main__":
    unittest.main()
