# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The ratio of Einkorn to the fastest peer for every product and solve of the committed runs, and the results table of
README.md."""
import dataclasses
import re

from comparison import compared, geometric_mean
from records import in_order, label, matrix_name, temperatures
from tables import number, paragraph, table, time_of

PAGE = "docs/performance.md"
MAX_ROWS = 8  # rows of README.md's table
NONE = "No measurement is committed yet.\n"


@dataclasses.dataclass(frozen=True)
class Result:
    operation: str  # SpMV, SpMM, a solver, SpGEMM
    run: str  # the file
    name: str  # of the matrix
    size: float  # of the matrix
    ours: dict
    peer: dict
    chosen: dict | None = None  # SpMV: the row that select() chose

    def __getattr__(self, name):
        return self.ours[name]  # machine, backend, commit, scalar, temperature, ...

    @property
    def ratio(self):
        return self.peer["seconds"] / self.ours["seconds"]


def results(runs, solves, products):
    made = []
    for run in runs:
        for state in temperatures(run.records):
            for c in compared(run, state):
                if c.speedup() is not None:
                    is_spmm = c.rows[0]["columns"] > 1
                    made.append(Result("SpMM" if is_spmm else "SpMV", run.title, c.name, c.rows[0]["csr_bytes"],
                                       c.ours, c.peer, c.chosen))
    for solve in solves:
        ours = solve.fastest(lambda r: not r["peer"])
        if ours and solve.peer:
            made.append(Result(solve.method, solve.title, solve.matrix, solve.first["n"], ours, solve.peer))
    for product in products:
        if product.ours and product.peer:
            made.append(Result("SpGEMM", product.title, product.name, product.first["products"], product.ours, product.peer))
    return made


def groups(found, key):
    for value in in_order(map(key, found)):
        yield [r for r in found if key(r) == value]


def means(found):
    """Cells: number of ratios, number below 1, geometric mean, lowest ratio."""
    lowest = min(found, key=lambda r: r.ratio)
    return [len(found), sum(r.ratio < 1 for r in found), number(geometric_mean([r.ratio for r in found])),
            f"{lowest.ratio:.2f} (`{matrix_name({'matrix': lowest.name})}`)"]


def short_run(title):
    """h200-regular-double -> regular"""
    return re.sub(r"^[^-]*-|-(double|float)$", "", title)


def row_of(found, operation):
    largest = max(found, key=lambda r: r.size)
    example = (f"`{matrix_name({'matrix': largest.name})}`: {label(largest.ours)} {time_of(largest.ours)}, "
               f"{label(largest.peer)} {time_of(largest.peer)}")
    return [largest.machine, operation, example, *means(found)]


def block(found):
    """README.md: one row per operation and run of the machine with the most results, then SpMV of the others, at most MAX_ROWS."""
    if not found:
        return NONE
    double = [r for r in found if r.scalar == "double"]
    first = max(in_order(r.machine for r in double), key=lambda machine: sum(r.machine == machine for r in double))
    solvers = lambda r: r.operation if r.operation in ("SpMV", "SpMM", "SpGEMM") else "solvers"
    rows = []
    for group in groups([r for r in double if r.machine == first],
                        lambda r: (solvers(r), r.run if r.operation == "SpMV" else "", r.temperature)):
        what = ", ".join(in_order(r.operation for r in group))
        rows.append(row_of(group, f"{what}, {short_run(group[0].run)}, {group[0].temperature}" if what == "SpMV" else what))
    for group in groups([r for r in double if r.machine != first and r.operation == "SpMV"], lambda r: r.machine):
        rows.append(row_of(group, f"SpMV, {group[0].temperature}"))
    return paragraph(
        "Time of the fastest peer (cuSPARSE with cuBLAS, Kokkos Kernels, Eigen) over the time of the fastest Einkorn row of "
        "the same run: above 1 Einkorn is faster. Double precision; the example is the largest matrix. Machines, commits, "
        f"every loss and the other runs: [{PAGE}]({PAGE}).") + table(
            ["machine", "operation", "example", "matrices", "peer faster", "mean ratio", "lowest ratio"], rows[:MAX_ROWS], left=3)
