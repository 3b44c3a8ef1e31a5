#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""bicgstab_iterations.py PROGRAM [MATRIX...]: prints the table of iterations of docs/solvers.md.

PROGRAM: einkorn.perf.bicgstab_iterations, which counts the iterations of Einkorn and Eigen and writes the systems that
SciPy (required) then solves. MATRIX: additional Matrix Market files. -: not converged in 5000 iterations."""
import pathlib
import subprocess
import sys
import tempfile

import numpy
import scipy.io
import scipy.sparse.linalg

TOLERANCE = 1e-8


def count_scipy(A, b, with_jacobi):
    """The number of iterations of SciPy's bicgstab."""
    count = 0

    def callback(_):
        nonlocal count
        count += 1

    diagonal = A.diagonal()
    if with_jacobi and not diagonal.all():
        return -1
    M = scipy.sparse.linalg.LinearOperator(A.shape, matvec=lambda v: v / diagonal) if with_jacobi else None
    _, info = scipy.sparse.linalg.bicgstab(A, b, tol=TOLERANCE, atol=0, maxiter=5000, M=M, callback=callback)
    return count if info == 0 else -1


def row(name, folder, k, counts):
    plain, restarts, jacobi, jacobi_restarts, eigen, eigen_jacobi = counts
    A = scipy.io.mmread(folder / f"{k}.mtx").tocsr()
    b = numpy.loadtxt(folder / f"{k}.b")
    with_restarts = lambda count, restarts: f"{count} ({restarts})" if int(restarts) > 0 else count
    cells = [name, with_restarts(plain, restarts), eigen, str(count_scipy(A, b, False)), with_restarts(jacobi, jacobi_restarts),
             eigen_jacobi, str(count_scipy(A, b, True))]
    return "| " + " | ".join("-" if cell.startswith("-1") else cell for cell in cells) + " |"


def main(program, matrices):
    print("| system | Einkorn | Eigen | SciPy | Einkorn, Jacobi | Eigen, Jacobi | SciPy, Jacobi |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        done = subprocess.run([program, name, *matrices], check=True, stdout=subprocess.PIPE, text=True)
        for k, line in enumerate(done.stdout.splitlines()):
            system, *counts = line.split(";")
            print(row(system, pathlib.Path(name), k, counts), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
