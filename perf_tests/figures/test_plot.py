#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The drawings of perf_tests/plot."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import inputs  # noqa: E402
import own_run  # noqa: E402
from samples import Figures, csr, cusparse, record, refused  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[1]
LOADER = importlib.machinery.SourceFileLoader("plot", str(FOLDER / "plot"))
plot = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot", LOADER))
LOADER.exec_module(plot)


def warm(**changes):
    return csr(cold=False, temperature="warm", stream_gb_per_s=11.0, **changes)


class OwnRun(Figures):
    def drawn(self, *records):
        return {d["figure"]: d for d in own_run.drawings(pathlib.Path(self.file("mine.json", *records)))}

    def test_one_matrix_is_enough_for_both_figures(self):
        made = self.drawn(warm(), warm(format="bdia", algorithm="window", bytes=40000, seconds=1e-5),
                          warm(peer=True, library="eigen", algorithm="row-major", seconds=3e-5), refused(format="dia"))
        self.assertEqual(sorted(made), ["mine-bars", "mine-roofline"])
        roof = {s["label"]: s["y"] for s in made["mine-roofline"]["panels"][0]["series"]}
        self.assertAlmostEqual(roof["CSR"][0], 2e-5 / (56000 / 11e9))
        self.assertEqual(made["mine-bars"]["panels"][0]["labels"], ["bDIA", "CSR", "Eigen, fastest"])

    def test_accepts_rows_of_a_summary_and_select(self):
        choice = warm(operation="select", format="csr", algorithm="by model", seconds=None, gflops=None)
        self.assertEqual(len(self.drawn(choice, warm(), warm(operation="conversion", format="dia"))), 2)

    def test_one_panel_of_bars_per_matrix_up_to_twelve(self):
        made = self.drawn(*(warm(matrix=f"m{number}") for number in range(15)))["mine-bars"]
        self.assertEqual(len(made["panels"]), own_run.MAX_BAR_PANELS)
        self.assertIn("the first 12 of 15", made["title"])

    def test_separates_scalars(self):
        made = self.drawn(warm(), warm(scalar="float"))
        self.assertEqual(sorted(made), ["mine-double-int32-bars", "mine-double-int32-roofline", "mine-float-int32-bars",
                                        "mine-float-int32-roofline"])

    def test_refuses_files_without_an_spmv_and_with_wrong_results(self):
        for records, what in (((refused(),), "no time of an SpMV"), ((warm(wrong=True),), "wrong"),
                              ((warm(columns=4),), "no time of an SpMV")):
            with self.assertRaisesRegex(inputs.BadResults, what):
                self.drawn(*records)


class Command(Figures):
    def run_it(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
            return plot.main([*arguments, "--out", str(self.root / "out")]), errors.getvalue()

    def test_reports_missing_matplotlib(self):
        with mock.patch.dict(sys.modules, {"matplotlib": None, "canvas": None}):
            code, errors = self.run_it(self.file("mine.json", warm()))
        self.assertEqual((code, errors.count("\n")), (4, 1))
        self.assertIn("python3-matplotlib", errors)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is missing")
    def test_draws_svg_and_png_and_reports_errors_in_one_line(self):
        path = self.file("mine.json", csr(stream_gb_per_s=11.0), cusparse(stream_gb_per_s=11.0), record(stream_gb_per_s=11.0))
        self.assertEqual(self.run_it(path, "--png"), (0, ""))
        self.assertEqual(sorted(f.name for f in (self.root / "out").iterdir()),
                         ["mine-bars.png", "mine-bars.svg", "mine-roofline.png", "mine-roofline.svg"])
        code, errors = self.run_it(str(self.root / "none.json"))
        self.assertEqual((code, errors.count("\n")), (3, 1))


if __name__ == "__main__":
    unittest.main()
