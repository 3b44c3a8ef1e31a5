# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Sample records of einkorn-bench, and the base class of the tests."""
import argparse
import json
import pathlib
import tempfile
import unittest

import inputs


def record(**changes):
    made = {
        "matrix": "gen:band:1000:3", "rows": 1000, "cols": 1000, "nnz": 2998, "operation": "spmv", "format": "bdia",
        "algorithm": "window", "library": "einkorn", "peer": False, "scalar": "double", "ordinal": "int32",
        "columns": 1, "layout": "", "seconds": 1e-5, "gflops": 0.6, "bytes": 40000, "csr_bytes": 56000,
        "gb_per_s": 4.0, "copy_gb_per_s": 10.0, "stream_gb_per_s": 11.0, "fraction_of_copy": 0.4, "cold": True,
        "rounds": 3, "error": 0.0, "wrong": False, "note": "", "reason": "", "machine": "a machine",
        "backend": "OpenMP", "kokkos_version": "5.2.2", "commit": "abc",
    }
    return made | changes


def csr(**changes):
    return record(**{"format": "csr", "algorithm": "row_team", "bytes": 56000, "seconds": 2e-5,
                     "gflops": 0.3} | changes)


def cusparse(**changes):
    return csr(**{"peer": True, "library": "cusparse", "algorithm": "alg1"} | changes)


def refused(**changes):
    return record(**{"seconds": None, "gflops": None, "gb_per_s": None, "fraction_of_copy": None, "cold": False,
                     "bytes": 0, "reason": "the fill limit is 3"} | changes)


def stripes(height, **changes):
    """BRCV of 10 rows of 3 entries in double: p stripes of 3 columns each."""
    p, vectors = {1: 10, 4: 3}[height], 160
    return record(**{"matrix": f"gen:stripes:10:{height}:3", "rows": 10, "cols": 10, "nnz": 30, "format": "brcv",
                     "algorithm": "row_team", "bytes": 240 + 4 * (2 * (p + 1) + p + 3 * p) + vectors,
                     "csr_bytes": 240 + 4 * 30 + 4 * 11 + vectors} | changes)


def cg(**changes):
    """An iteration of CG on three diagonals of 1000 rows, by default of the fused loop."""
    made = record(**{"operation": "cg", "solver": "cg", "fusion": "fused", "execution": "automatic", "vectors": 8,
                     "cold": False, "temperature": "warm"} | changes)
    del made["gflops"]
    return made | {"algorithm": f"{made['execution']} {made['fusion']}"}


def unfused(**changes):
    return cg(**{"format": "dia", "fusion": "unfused", "execution": "host_scalars", "vectors": 14,
                 "seconds": 3e-5} | changes)


def fused(execution, fusion, **changes):
    """A fusion stage of Jacobi-PCG over CSR."""
    return cg(**{"operation": "jacobi-pcg", "solver": "jacobi-pcg", "format": "csr", "execution": execution,
                 "fusion": fusion} | changes)


def with_history(method, history, **changes):
    """A solver with a history."""
    return cg(**{"operation": method, "solver": method, "history": history, "history_outcome": "converged"} | changes)


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def file(self, name, *records):
        (self.root / name).write_text(json.dumps(records))
        return str(self.root / name)

    def drawings(self, module, *records, caches="cold", matrix=None):
        read = inputs.read([self.file("a.json", *records)], *getattr(module, "OPERATIONS", ()))
        return module.drawings(read, argparse.Namespace(caches=caches, matrix=matrix))

    def refuses(self, what, *paths):
        with self.assertRaisesRegex(inputs.BadResults, what):
            inputs.read(paths)

    def series(self, panel):
        return {(s["label"], s["style"]): s for s in panel["series"]}
