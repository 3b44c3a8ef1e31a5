#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The table of SpGEMM: python3 -m unittest discover perf_tests/report"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402
from sample_records import Tree, peer, peer_sparse, record, sparse, sparse_rows  # noqa: E402


class Spgemm(Tree):
    def means(self, *records):
        return self.write(*records).split("## SpGEMM")[1].split("\n## ")[0]

    def test_is_empty_without_records(self):
        self.assertNotIn("## SpGEMM", self.write(record(), peer()))

    def test_ratios_never_mix_files_or_products(self):
        self.commit("b.json", peer_sparse(0.001))
        means = self.means(sparse(), peer_sparse(), sparse(matrix="m"), peer_sparse(1.0, matrix="m", product="A A^T"))
        self.assertIn("| all | 3 | 2.00 (least 2.00: `gen:band:1000:3, A A`; 1 of 3) |", means)

    def test_means_are_geometric_and_separate_for_large_products(self):
        records = []
        for matrix, products, ours, vendor, native in (("s", 10**6, 1.0, 0.5, 3.0), ("l", 10**8, 10.0, 20.0, 40.0),
                                                       ("xl", 10**9, 10.0, 80.0, 40.0)):
            common = {"matrix": matrix, "products": products}
            records += [sparse(ours, **common), sparse(ours / 2, algorithm="unordered", **common),
                        peer_sparse(vendor, "cusparse", "alg3", **common),
                        peer_sparse(2 * vendor, "cusparse", "default", **common),
                        peer_sparse(native, **common), peer_sparse(native / 9, algorithm="native sorted", **common)]
        records.append(peer_sparse(30.0, "eigen", "row-major", matrix="l", products=10**8))
        means = self.means(*records)
        self.assertIn("| a machine | abc | at least 10⁸ products | 2 | 4.00 (least 2.00: `l, A A`) | "
                      "4.00 (least 4.00: `l, A A`) | 3.00 (least 3.00: `l, A A`; 1 of 2) |", means)
        self.assertIn("| a machine | abc | all | 3 | 2.00 (least 0.50: `s, A A`) | 3.63 (least 3.00: `s, A A`) | "
                      "3.00 (least 3.00: `l, A A`; 1 of 3) |", means)

    def test_means_skip_missing_rows(self):
        means = self.means(sparse(), peer_sparse())
        self.assertNotIn("at least 10⁸", means)
        self.assertNotIn("over Eigen", means)
        self.assertIn("| all | 1 | 2.00 (least 2.00: `gen:band:1000:3, A A`) |", means)

    def test_means_are_per_build_and_count_a_product_once(self):
        self.commit("b.json", sparse(commit="def"), peer_sparse(30.0, commit="def"))
        self.commit("c.json", sparse(), peer_sparse(90.0), peer_sparse(90.0, "eigen", "row-major"))
        means = self.means(sparse(), peer_sparse())
        self.assertIn("| abc | all | 1 | 9.00 (least", means)
        self.assertIn("| def | all | 1 | 3.00 (least", means)

    def test_refuses_invalid_records(self):
        for bad, what in ((sparse(product="B A"), "product"), (sparse(products=0, gflops=0.2), "products is 0"),
                          (sparse(entries_of_C=None), "entries_of_C"), (sparse(high_water="much"), "high_water"),
                          (sparse(gflops=0.3), "gflops"), (sparse(wrong=True), "wrong"), (sparse(seconds=0), "seconds is 0"),
                          (sparse(nnz=None), "nnz")):
            self.commit("a.json", bad)
            code, errors = self.run_command()
            self.assertEqual(code, 3, what)
            self.assertIn(what, errors)
            self.assertIn("a.json, record 0", errors)
        self.commit("a.json", sparse(), peer_sparse(entries_of_C=7))
        self.assertIn("differ in entries_of_C", self.run_command()[1])
        self.commit("a.json", sparse(operation="spgemm_numeric"))
        self.assertIn("a phase without its total: einkorn csr automatic", self.run_command()[1])
        self.commit("a.json", sparse(), sparse())
        self.assertIn("occurs twice", self.run_command()[1])

    def test_is_compared_between_runs_of_one_machine(self):
        def compared(old, new):
            paths = [str(self.commit(name, *records)) for name, records in (("old.json", old), ("new.json", new))]
            return self.run_command(command=lambda arguments: compare.main([*paths, "--least", "3"]))

        old = [*sparse_rows(10.0, 6.0, 2.5), sparse(product="A A^T")]
        self.assertEqual(compared(old, old), (0, ""))
        self.assertEqual(compared(old, [*sparse_rows(10.0, 6.0, 3.5), sparse(product="A A^T")])[0], 1)
        self.assertEqual(compared(old, [*old[:3], sparse(11.0, product="A A^T")])[0], 1)
        code, errors = compared(old, [sparse(machine="another")])
        self.assertEqual(code, 3)
        self.assertIn("not comparable", errors)


if __name__ == "__main__":
    unittest.main()
