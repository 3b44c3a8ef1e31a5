#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""python3 -m unittest discover perf_tests/report"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import report  # noqa: E402

README = f"# Title\n\n{report.BEGIN}\n{report.END}\n\nEnd.\n"


def record(**changes):
    made = {
        "matrix": "gen:band:1000:3", "rows": 1000, "cols": 1000, "nnz": 2998, "operation": "spmv", "format": "csr",
        "algorithm": "row_team", "library": "einkorn", "peer": False, "scalar": "double", "ordinal": "int32",
        "seconds": 1e-5, "gflops": 0.6, "bytes": 56000, "csr_bytes": 56000, "gb_per_s": 5.6, "copy_gb_per_s": 10.0,
        "fraction_of_copy": 0.56, "cold": False, "wrong": False, "machine": "a machine", "backend": "OpenMP",
        "kokkos_version": "5.2.2", "commit": "abc",
    }
    made.update(changes)
    return made


def peer(**changes):
    return record(**{"peer": True, "library": "eigen", "algorithm": "row-major", **changes})


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / report.RESULTS).mkdir(parents=True)
        (self.root / report.README).write_text(README)

    def commit(self, name, *records):
        (self.root / report.RESULTS / name).write_text(json.dumps(records))

    def run_it(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            code = report.main([*arguments, "--root", str(self.root)])
        return code, errors.getvalue()

    def text(self, name=report.PAGE):
        return (self.root / name).read_text()

    def test_says_so_when_nothing_is_committed(self):
        self.assertEqual(self.run_it(), (0, ""))
        self.assertIn("No measurement is committed yet", self.text())
        self.assertIn("No measurement is committed yet", self.text(report.README))

    def test_rounded_values_are_shown_but_are_no_answer_to_a_peer(self):
        self.commit("a.json", record(), record(algorithm="row_team_float_values", seconds=5e-6, rounded_values=True),
                    peer(seconds=2e-5))
        self.assertEqual(self.run_it(), (0, ""))
        self.assertIn("row_team_float_values", self.text())
        self.assertIn("2.00", self.text())
        self.assertNotIn("4.00", self.text())

    def test_shows_ours_beside_the_best_peer(self):
        self.commit("a.json", record(), record(format="csr5", algorithm="tiles", seconds=8e-6),
                    peer(seconds=4e-5), peer(algorithm="other", seconds=2e-5, fraction_of_copy=0.28))
        self.assertEqual(self.run_it()[0], 0)
        self.assertIn("| `gen:band:1000:3` | 2998 | 10.0 (0.56) | 8.00 (0.56) | eigen csr other: 20.0 (0.28) | 2.50 |",
                      self.text())
        self.assertIn("| peers | eigen csr row-major | eigen csr other |", self.text())

    def test_keeps_warm_and_cold_apart(self):
        self.commit("a.json", record(), record(cold=True, seconds=3e-5), peer(), peer(cold=True, seconds=6e-5))
        self.run_it()
        warm, cold = self.text().split("**Cold**")
        self.assertIn("10.0 (0.56)", warm.split("**Warm**")[1])
        self.assertNotIn("10.0 (0.56)", cold)
        self.assertIn("| 30.0 (0.56) |", cold)
        self.assertIn("| 2.00 | cold |", self.text(report.README))

    def test_gives_conversions_in_spmvs_of_their_format(self):
        self.commit("a.json", record(seconds=1e-6), record(format="csr5", algorithm="tiles", seconds=1e-4),
                    record(operation="conversion", format="csr5", algorithm="from_csr", seconds=2.5e-4))
        self.run_it()
        self.assertIn("| `gen:band:1000:3` | csr5 | from_csr | 250 | 2.50 |", self.text())

    def test_never_mixes_runs(self):
        self.commit("a.json", record())
        self.commit("b.json", peer(seconds=1e-9))
        self.run_it()
        self.assertIn("| 10.0 (0.56) | – | – |", self.text())

    def test_names_what_was_refused(self):
        self.commit("a.json", record(), record(format="csr5", algorithm="tiles", seconds=None, gb_per_s=None,
                                              fraction_of_copy=None, gflops=None, reason="no lanes"))
        self.run_it()
        self.assertIn("Not run: `gen:band:1000:3` csr5 tiles: no lanes.", self.text())

    def test_readme_shows_large_matrices_only_where_there_are_any(self):
        self.commit("a.json", record(), record(matrix="big", csr_bytes=10**9))
        self.run_it()
        self.assertIn("`big`", self.text(report.README))
        self.assertNotIn("gen:band", self.text(report.README))

    def test_readme_keeps_what_is_outside_the_marks(self):
        self.commit("a.json", record())
        self.run_it()
        self.assertTrue(self.text(report.README).startswith("# Title\n\n" + report.BEGIN))
        self.assertTrue(self.text(report.README).endswith(report.END + "\n\nEnd.\n"))

    def test_is_deterministic_and_check_notices_a_change(self):
        self.commit("b.json", record(machine="z"), peer(machine="z"))
        self.commit("a.json", record(scalar="float"), record())
        self.assertEqual(self.run_it("--check")[0], 1)
        self.run_it()
        first = self.text(), self.text(report.README)
        self.run_it()
        self.assertEqual(first, (self.text(), self.text(report.README)))
        self.assertEqual(self.run_it("--check"), (0, ""))
        self.assertLess(self.text().index("### double"), self.text().index("### float"))
        self.commit("b.json", record(machine="z", seconds=2e-5), peer(machine="z"))
        code, errors = self.run_it("--check")
        self.assertEqual(code, 1)
        self.assertIn(report.PAGE, errors)

    def test_refuses_records_that_are_not_fit_to_be_shown(self):
        for bad, what in ((record(wrong=True), "wrong"), (record(seconds=0), "seconds"),
                          (record(machine=None), "machine"), (record(fraction_of_copy=None), "fraction_of_copy"),
                          (record(nnz="many"), "nnz"), (record(cold=1), "cold"), ([], "record")):
            self.commit("a.json", bad)
            code, errors = self.run_it()
            self.assertEqual(code, 3, bad)
            self.assertIn(what, errors)
            self.assertIn("a.json, record 0", errors)
        self.commit("a.json", record(), record())
        self.assertIn("twice", self.run_it()[1])

    def test_refuses_a_file_that_is_no_array_and_a_readme_without_marks(self):
        (self.root / report.RESULTS / "a.json").write_text("{")
        self.assertEqual(self.run_it()[0], 3)
        (self.root / report.RESULTS / "a.json").write_text("{}")
        self.assertEqual(self.run_it()[0], 3)
        self.commit("a.json", record())
        (self.root / report.README).write_text("no marks")
        self.assertEqual(self.run_it()[0], 3)


if __name__ == "__main__":
    unittest.main()
