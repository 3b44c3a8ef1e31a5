#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The page of SpGEMM: python3 -m unittest discover perf_tests/report"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402
import report  # noqa: E402
import spgemm  # noqa: E402
from invented import Tree, peer_sparse, record, solve, sparse, sparse_rows  # noqa: E402

README = "README.md"


class Spgemm(Tree):
    def page(self, *records, name="a.json"):
        self.write(*records, name=name)
        return self.text(spgemm.PAGE)

    def rows(self, *records):
        found = self.page(*records).splitlines()
        return [line for line in found if line.startswith(("| einkorn", "| cusparse", "| kokkos", "| eigen"))]

    def means(self, *records):
        return self.page(*records).split("## Means")[1].split("\n## ")[0]

    def block(self):
        return self.text(README).split("spgemm-performance:")[1]

    def test_says_so_when_nothing_is_committed(self):
        page = self.page(record(), solve())
        for text in (page, self.block()):
            self.assertIn("No SpGEMM measurement is committed yet.", text)
        self.assertIn("](performance/spgemm.md)", self.text())

    def test_shows_a_row_with_phases_memory_and_ratios(self):
        page = self.page(*sparse_rows(10.0, 6.0, 2.5, note="words"), peer_sparse(), peer_sparse(5.0, "eigen", "row-major"))
        self.assertIn("| by | algorithm | whole ms | GFLOP/s | symbolic ms | new values ms | of whole | beside C MB | of C | "
                      "speed ratio | over automatic | note |", page)
        self.assertIn("| einkorn | automatic | 10.0 | 0.200 | 6.00 | 2.50 | 0.25 | 0.600 | 0.200 | 0.50 | 1.00 | words |", page)
        self.assertIn("| kokkos-kernels | native | 20.0 | 0.100 | – | – | – | 0.600 | 0.200 | 0.25 | 2.00 |  |", page)
        self.assertIn("| eigen | row-major | 5.00 | 0.400 | – | – | – | 0.600 | 0.200 | 1.00 | 0.50 |  |", page)

    def test_memory_that_is_not_seen_has_no_figure(self):
        rows = self.rows(sparse(), peer_sparse(high_water=None, high_water_of_C=None))
        self.assertIn("| 20.0 | 0.100 | – | – | 1.00 | 2.00 |", rows[1])

    def test_names_run_and_product(self):
        page = " ".join(self.page(sparse(), sparse(product="A A^T", entries_of_C=500000)).split())
        self.assertIn("## a a machine; OpenMP, Kokkos 5.2.2, Einkorn abc.", page)
        self.assertIn("### `gen:band:1000:3`, C = A A double, int32; medians of 7 rounds. A is 1000 × 1000 with 2998 entries; "
                      "1000000 products, 250000 entries of C, 4.00 to one.", page)
        self.assertIn("### `gen:band:1000:3`, C = A A^T double", page)

    def test_no_page_of_spmv_has_it(self):
        self.write(record(), sparse(0.001), peer_sparse(0.0005))
        for text in (self.text(), self.full()):
            self.assertNotIn("spgemm ", text)
            self.assertNotIn("kokkos-kernels", text)
        self.write(*sparse_rows(), name="b.json")
        self.assertFalse((self.root / f"{report.FULL}/b.md").exists())
        self.assertEqual(self.run_it("--check"), (0, ""))

    def test_a_refused_row_shows_its_reason_without_folders(self):
        rows = self.rows(sparse(), peer_sparse(None, reason="no memory at /tmp/a/b.cu:7"), peer_sparse(None, "eigen", ""))
        self.assertIn("| – | – | no reason recorded |", rows[1])
        self.assertIn("no memory at b.cu:7", rows[2])
        self.assertEqual(self.run_it("--check"), (0, ""))

    def test_strips_folders_from_matrices(self):
        page = self.page(sparse(matrix="/home/someone/bone.mtx.gz"), peer_sparse(matrix="/home/someone/bone.mtx.gz"))
        for text in (page, self.block()):
            self.assertIn("bone.mtx.gz, A A`" if text is not page else "### `bone.mtx.gz`, C = A A", text)
            self.assertNotIn("someone", text)

    def test_ratios_never_mix_files_or_products(self):
        self.commit("b.json", peer_sparse(0.001))
        rows = self.rows(sparse(), peer_sparse(), sparse(matrix="m"), peer_sparse(1.0, matrix="m", product="A A^T"))
        self.assertIn("| 2.00 | 1.00 |", rows[0])
        self.assertNotIn("| 2.00 | 1.00 |", rows[2])
        self.assertEqual(len(rows), 5)

    def test_means_are_geometric_and_of_large_products_apart(self):
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
        self.assertIn("| at least 10⁸ products | 2 | 4.00", self.block())

    def test_means_leave_out_what_was_not_measured(self):
        means = self.means(sparse(), peer_sparse())
        self.assertNotIn("at least 10⁸", means)
        self.assertNotIn("over Eigen", means)
        self.assertIn("| all | 1 | 2.00 (least 2.00: `gen:band:1000:3, A A`) |", means)

    def test_means_part_builds_and_count_a_product_once(self):
        self.commit("b.json", sparse(commit="def"), peer_sparse(30.0, commit="def"))
        self.commit("c.json", sparse(), peer_sparse(90.0), peer_sparse(90.0, "eigen", "row-major"))
        means = self.means(sparse(), peer_sparse())
        self.assertIn("| abc | all | 1 | 9.00 (least", means)
        self.assertIn("| def | all | 1 | 3.00 (least", means)

    def test_check_notices_a_change_of_page_and_readme(self):
        self.write(sparse(), peer_sparse())
        self.assertEqual(self.run_it("--check"), (0, ""))
        self.commit("a.json", sparse(9.0), peer_sparse())
        code, errors = self.run_it("--check")
        self.assertEqual(code, 1)
        self.assertIn(spgemm.PAGE, errors)
        self.assertIn(README, errors)

    def test_refuses_records_that_are_not_fit_to_be_shown(self):
        for bad, what in ((sparse(product="B A"), "product"), (sparse(products=0, gflops=0.2), "products is 0"),
                          (sparse(entries_of_C=None), "entries_of_C"), (sparse(high_water="much"), "high_water"),
                          (sparse(gflops=0.3), "gflops"), (sparse(wrong=True), "wrong"), (sparse(seconds=0), "seconds is 0"),
                          (sparse(nnz=None), "nnz")):
            self.commit("a.json", bad)
            code, errors = self.run_it()
            self.assertEqual(code, 3, what)
            self.assertIn(what, errors)
            self.assertIn("a.json, record 0", errors)
        self.commit("a.json", sparse(), peer_sparse(entries_of_C=7))
        self.assertIn("differ in entries_of_C", self.run_it()[1])
        self.commit("a.json", sparse(operation="spgemm_numeric"))
        self.assertIn("a phase without its whole: einkorn csr automatic", self.run_it()[1])
        self.commit("a.json", sparse(), sparse())
        self.assertIn("is there twice", self.run_it()[1])

    def test_refuses_a_run_that_would_take_the_name_of_the_page(self):
        self.commit("spgemm.json", record())
        self.assertIn(spgemm.PAGE, self.run_it()[1])

    def test_is_compared_between_runs_of_one_machine(self):
        def compared(old, new):
            paths = [str(self.commit(name, *records)) for name, records in (("old.json", old), ("new.json", new))]
            return self.run_it(command=lambda arguments: compare.main([*paths, "--least", "3"]))

        old = [*sparse_rows(10.0, 6.0, 2.5), sparse(product="A A^T")]
        self.assertEqual(compared(old, old), (0, ""))
        self.assertEqual(compared(old, [*sparse_rows(10.0, 6.0, 3.5), sparse(product="A A^T")])[0], 1)
        self.assertEqual(compared(old, [*old[:3], sparse(11.0, product="A A^T")])[0], 1)
        code, errors = compared(old, [sparse(machine="another")])
        self.assertEqual(code, 3)
        self.assertIn("not comparable", errors)


if __name__ == "__main__":
    unittest.main()
