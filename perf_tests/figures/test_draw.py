#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Refused input, and the files of draw.py: python3 -m unittest discover perf_tests/figures"""
import contextlib
import importlib.util
import io
import json
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import draw  # noqa: E402
import inputs  # noqa: E402
import pcg  # noqa: E402
from samples import Figures, cg, csr, fused, record, refused, stripes, with_history, unfused  # noqa: E402


class Inputs(Figures):
    def test_refuses_files_that_were_measured_differently(self):
        a = self.file("a.json", record())
        for name, value in (("commit", "def"), ("machine", "another"), ("backend", "Cuda"),
                            ("kokkos_version", "4.6.99"), ("ordinal", "int64")):
            b = self.file("b.json", record(matrix="gen:band:1000:5", **{name: value}))
            self.refuses(f"b.json, record 0: {name} is '{value}', but .* in a.json", a, b)
        self.refuses("commit is unknown", self.file("b.json", record(commit="unknown")))

    def test_refuses_one_product_from_two_files_or_twice(self):
        self.refuses("is in a.json too", self.file("a.json", record()), self.file("b.json", csr()))
        self.refuses("occurs twice", self.file("a.json", record(), record()))
        inputs.read([self.file("a.json", record()), self.file("b.json", record(scalar="float"))])

    def test_refuses_invalid_measurements(self):
        self.refuses("wrong", self.file("a.json", record(wrong=True)))
        self.refuses("gflops", self.file("a.json", record(gflops=None)))
        self.refuses("array", self.file("a.json"))
        (self.root / "a.json").write_text("{")
        self.refuses("a.json", self.root / "a.json")
        self.refuses("none.json", self.root / "none.json")

    def test_skips_conversions_and_accepts_records_without_columns(self):
        old = record()
        del old["columns"], old["layout"]
        read = inputs.read([self.file("a.json", old, record(operation="conversion"))])
        self.assertEqual([(r["columns"], r["layout"], r["file"]) for r in read], [(1, "", "a.json")])


class Draw(Figures):
    def run_it(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
            return draw.main([*arguments, "--out", str(self.root / "out")]), errors.getvalue()

    def test_reports_missing_matplotlib(self):
        with mock.patch.dict(sys.modules, {"matplotlib": None, "canvas": None}):
            code, errors = self.run_it("bdia", self.file("a.json", record()))
        self.assertEqual((code, errors.count("\n")), (4, 1))
        self.assertIn("python3-matplotlib", errors)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is missing")
    def test_the_same_input_gives_the_same_bytes(self):
        path = self.file("a.json", record(), csr(), csr(cold=False), refused(format="dia"), stripes(1), stripes(4),
                         stripes(4, columns=2, layout="left", bytes=640), cg(), unfused(),
                         with_history("bicgstab", [1.0, 1e-3, 1e-9], vectors=17),
                         *(fused(*key, vectors=vectors) for key, (_, vectors) in pcg.STAGES.items()))
        calls = (["bdia", path, "--png"], ["mesh", path, "--matrix", "gen:band:1000:3"], ["brcv", path],
                 ["solve", path], ["pcg", path, "--matrix", "gen:band:1000:3"], ["history", path])
        seen = []
        for _ in range(2):
            self.assertEqual([self.run_it(*call) for call in calls], 6 * [(0, "")])
            seen.append({f.name: f.read_bytes() for f in (self.root / "out").iterdir()})
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(sorted(seen[0]), sorted(
            [f"{name}.{suffix}" for name in ("bdia", "bdia-ratios", "mesh-band-1000-3", "brcv-memory",
                                             "brcv-spmm-double", "bdia-cg", "bdia-bicgstab", "pcg-fusions",
                                             "pcg-spmv", "history") for suffix in ("json", "svg")] +
            ["bdia.png", "bdia-ratios.png"]))
        numbers = json.loads(seen[0]["bdia.json"])
        self.assertIn(numbers["caption"].split(";")[0], seen[0]["bdia.svg"].decode())
        self.assertEqual(numbers["context"]["commit"], "abc")

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is missing")
    def test_reports_errors_in_one_line(self):
        code, errors = self.run_it("bdia", self.file("a.json", record()), self.file("b.json", csr(commit="def")))
        self.assertEqual((code, errors.count("\n")), (3, 1))
        self.assertIn("one machine and one build", errors)
        self.assertFalse((self.root / "out").exists())


if __name__ == "__main__":
    unittest.main()
