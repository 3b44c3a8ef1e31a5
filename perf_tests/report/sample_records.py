# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Sample records, and a tree of documents for the tests."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import report


def record(**changes):
    made = {
        "matrix": "gen:band:1000:3", "rows": 1000, "cols": 1000, "nnz": 2998, "operation": "spmv", "format": "csr",
        "algorithm": "row_team", "library": "einkorn", "peer": False, "scalar": "double", "ordinal": "int32",
        "seconds": 1e-5, "gflops": 0.6, "bytes": 56000, "csr_bytes": 56000, "gb_per_s": 5.6, "copy_gb_per_s": 10.0,
        "stream_gb_per_s": 11.2, "fraction_of_copy": 0.56, "cold": False, "wrong": False, "machine": "a machine",
        "backend": "OpenMP", "kokkos_version": "5.2.2", "commit": "abc",
    }
    return made | changes


def peer(**changes):
    return record(**{"peer": True, "library": "eigen", "algorithm": "row-major"} | changes)


def cusparse(**changes):
    return peer(**{"library": "cusparse", "algorithm": "alg1"} | changes)


def chosen(form, **changes):
    return record(**{"operation": "select", "format": form, "algorithm": "by model", "seconds": None, "gflops": None,
                     "gb_per_s": None, "fraction_of_copy": None, "note": "reason"} | changes)


def solve(us=10.0, **changes):
    """An iteration of a fused CG with 20 bytes per row of CSR; us None: refused."""
    made = {"operation": "cg", "solver": "cg", "execution": "launches", "fusion": "fused", "n": 1000, "iterations": 20,
            "vectors": 9, "bytes_per_iteration": 92000, "floor_bytes": 92000, "checked_iterations": 20, "rounds": 3,
            "note": "", "reason": "", "time_per_iteration_us": us, "seconds": us and 1e-6 * us,
            "residual": us and 1e-3, "floor_fraction_of_copy": us and 0.5} | changes
    made["algorithm"] = f"{made['execution']} {made['fusion']}"
    if us is None:
        made |= {"gb_per_s": None, "fraction_of_copy": None}
    return record(**made)


def peer_solve(us=20.0, library="cusparse+cublas", **changes):
    return solve(us, **{"peer": True, "library": library, "execution": "graph", "fusion": "unfused", "vectors": 16,
                        "bytes_per_iteration": 148000} | changes)


def sparse(ms=10.0, **changes):
    """A row of SpGEMM: 10^6 products, 250000 entries of C; ms None: refused."""
    made = {"operation": "spgemm", "product": "A A", "algorithm": "automatic", "products": 10**6, "entries_of_C": 250000,
            "columns": 1, "layout": "", "seconds": ms and 1e-3 * ms, "spread": ms and 0.01, "bytes": 3071952,
            "high_water": ms and 600000, "high_water_of_C": ms and 0.2, "error": 1e-16, "temperature": "warm", "rounds": 7,
            "note": "", "reason": ""} | changes
    made["gflops"] = changes.get("gflops", ms and 2e-6 * made["products"] / ms)
    made = record(**made)
    for name in ("csr_bytes", "gb_per_s", "copy_gb_per_s", "stream_gb_per_s", "fraction_of_copy"):
        del made[name]  # the bench measures no copy beside products
    return made


def sparse_rows(whole=10.0, symbolic=None, numeric=None, **changes):
    """The records of a row and its phases."""
    phases = (("spgemm", whole), ("spgemm_symbolic", symbolic), ("spgemm_numeric", numeric))
    return [sparse(ms, **{"operation": name} | changes) for name, ms in phases if ms]


def peer_sparse(ms=20.0, library="kokkos-kernels", algorithm="native", **changes):
    return sparse(ms, **{"peer": True, "library": library, "algorithm": algorithm} | changes)


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in (report.RESULTS, report.MEASURED):
            (self.root / name).mkdir(parents=True)
        marks = {}
        for name, mark, *_ in (report.README, *report.BLOCKS):
            marks.setdefault(name, []).append(f"<!-- {mark}:begin -->\n<!-- {mark}:end -->\n")
        for name, blocks in marks.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text("# Title\n\n" + "\nBetween.\n\n".join(blocks) + "\nEnd.\n")

    def commit(self, name, *records, folder=report.RESULTS):
        path = self.root / folder / name
        path.write_text(json.dumps(records))
        return path

    def run_command(self, *arguments, command=report.main):
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
            code = command([*arguments, "--root", str(self.root)])
        return code, errors.getvalue()

    def write(self, *records, name="a.json"):
        """Commits one file, writes the documents and returns the page."""
        self.commit(name, *records)
        self.assertIn(self.run_command()[0], (0, 4))  # 4: without matplotlib
        return self.text()

    def text(self, name=report.PAGE):
        return (self.root / name).read_text()
