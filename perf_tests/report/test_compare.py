#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""compare.py: python3 -m unittest discover perf_tests/report"""
import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402
from sample_records import Tree, chosen, peer, record  # noqa: E402


class Compare(Tree):
    def compare(self, old, new, *options):
        paths = [str(self.commit(name, *records)) for name, records in (("old.json", old), ("new.json", new))]
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()) as out:
            code = compare.main([*paths, *options])
        return code, out.getvalue() + errors.getvalue()

    def named(self, text, heading):
        """The lines under a heading."""
        return text.partition(f"\n{heading}:\n")[2].split("\n  ")[0].strip()

    def test_lists_slower_rows_beyond_the_noise(self):
        code, text = self.compare([record(spread=0.02)], [record(spread=0.03, seconds=1.06e-5)])
        self.assertEqual(code, 1)
        self.assertIn("gen:band:1000:3 double int32 spmv einkorn csr row_team warm: 10 us -> 10.6 us, x 1.060, noise 5.0 %",
                      self.named(text, "slower"))

    def test_does_not_list_changes_within_the_noise(self):
        code, text = self.compare([record(spread=0.02)], [record(spread=0.05, seconds=1.06e-5)])
        self.assertEqual((code, "slower:" in text), (0, False))
        self.assertIn("1 within the noise", text)

    def test_uses_extremes_as_spread(self):
        def wide(**changes):
            return record(min_seconds=9e-6, max_seconds=1.2e-5, **changes)
        self.assertEqual(self.compare([wide()], [wide(seconds=1.3e-5)])[0], 0)
        self.assertEqual(self.compare([wide()], [wide(seconds=1.7e-5)])[0], 1)

    def test_default_noise_without_a_spread(self):
        self.assertEqual(self.compare([record()], [record(seconds=1.04e-5)])[0], 0)
        code, text = self.compare([record(spread=0.0)], [record(seconds=1.06e-5)])
        self.assertEqual(code, 1)
        self.assertIn("1 without a spread, noise assumed to be 5 %", text)
        self.assertEqual(self.compare([record()], [record(seconds=1.06e-5)], "--noise", "8")[0], 0)
        self.assertEqual(self.compare([record()], [record(seconds=1.04e-5)], "--noise", "3")[0], 1)

    def test_min_change(self):
        still = {"spread": 0.0}
        self.assertEqual(self.compare([record(**still)], [record(seconds=1.009e-5, **still)])[0], 0)
        self.assertEqual(self.compare([record(**still)], [record(seconds=1.009e-5, **still)], "--least", "0.5")[0], 1)

    def test_joins_the_old_spelling_of_a_generator(self):
        code, text = self.compare([record(matrix="gen:twin:cant")], [record(matrix="gen:surrogate:cant", seconds=8e-6)])
        self.assertEqual(code, 0)
        self.assertIn("x 0.800", self.named(text, "faster"))

    def test_lists_faster_rows(self):
        code, text = self.compare([record()], [record(seconds=8e-6)])
        self.assertEqual(code, 0)
        self.assertIn("x 0.800", self.named(text, "faster"))

    def test_uses_multiples_of_a_copy_if_copies_or_machines_differ(self):
        code, text = self.compare([record()], [record(seconds=2e-5, copy_gb_per_s=5.0)])
        self.assertEqual(code, 0)
        self.assertIn("copy bandwidths differ", text)
        code, text = self.compare([record()], [record(machine="b", seconds=1e-5, copy_gb_per_s=20.0)])
        self.assertEqual(code, 1)
        self.assertIn("x 2.000", self.named(text, "slower"))
        self.assertIn("times are absolute", self.compare([record()], [record(copy_gb_per_s=10.1)])[1])

    def test_peers_are_listed_and_do_not_change_the_exit_code(self):
        code, text = self.compare([record(), peer()], [record(), peer(seconds=2e-5)])
        self.assertEqual(code, 0)
        self.assertIn("eigen csr row-major", self.named(text, "peers"))

    def test_a_row_that_no_longer_runs_is_a_regression(self):
        gone = dict.fromkeys(("seconds", "gflops", "gb_per_s", "fraction_of_copy"))
        code, text = self.compare([record(), record(format="sell")], [record(), record(format="sell", reason="full", **gone)])
        self.assertEqual(code, 1)
        self.assertIn("sell row_team warm: full", self.named(text, "no longer runs"))

    def test_never_joins_temperatures_scalars_or_rounded_values(self):
        for changed in ({"cold": True}, {"scalar": "float"}, {"rounded_values": True}, {"temperature": "graph"}):
            code, text = self.compare([record()], [record(seconds=9e-5, **changed)])
            self.assertEqual(code, 3, changed)
            self.assertIn("no measurement in common", text)

    def test_joins_runs_with_and_without_suites(self):
        self.assertEqual(self.compare([record()], [record(seconds=2e-5, suite="csr5")])[0], 1)

    def test_ignores_choices(self):
        self.assertEqual(self.compare([record(), chosen("csr")], [record(), chosen("csr")])[0], 0)

    def test_exit_codes_of_invalid_records_and_usage(self):
        self.assertEqual(self.compare([record()], [record(wrong=True)])[0], 3)
        path = str(self.commit("a.json", record()))
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(compare.main([path, "missing.json"]), 3)
            for wrong in ([path], [path, path, "--noise", "much"], [path, path, "--noise", "-1"]):
                with self.assertRaises(SystemExit) as left:
                    compare.main(wrong)
                self.assertEqual(left.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
