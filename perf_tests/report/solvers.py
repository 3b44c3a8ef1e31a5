# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The table of solvers in docs/performance.md."""
import dataclasses
import math

from records import BadResults, fastest, in_order, is_number, matrix_name, product, read
from tables import number, paragraph, table, three, without_empty

METHODS = {"cg": "CG", "jacobi-pcg": "Jacobi-PCG", "bicgstab": "BiCGStab"}
TEXT = ("solver", "execution", "fusion", "library")
NUMBERS = ("n", "iterations", "bytes_per_iteration", "floor_bytes", "vectors", "checked_iterations")
MEASURED = ("time_per_iteration_us", "floor_fraction_of_copy", "residual")


@dataclasses.dataclass(frozen=True)
class Solve:
    """The rows of one method on one matrix in one file."""
    title: str
    records: list

    @property
    def first(self):
        return self.records[0]

    @property
    def matrix(self):
        return matrix_name(self.first)

    @property
    def method(self):
        return METHODS.get(self.first["solver"], self.first["solver"])

    def fastest(self, wanted):
        return fastest([r for r in self.records if r["seconds"] is not None and wanted(r)])

    @property
    def peer(self):
        return self.fastest(lambda r: r["peer"])


def check_solve(record, where):
    def expect(holds, name, what):
        if not holds:
            raise BadResults(f"{where}: {name} is {record.get(name)!r}, expected {what}")

    for name in TEXT:
        expect(isinstance(record.get(name), str), name, "text")
    for name in (*NUMBERS, *(MEASURED if record["seconds"] is not None else ())):
        expect(is_number(record.get(name)) and record[name] >= 0, name, "a number")
    for name in ("n", "iterations", "bytes_per_iteration"):
        expect(record[name] > 0, name, "more than 0")
    if record["seconds"] is not None:
        expect(math.isclose(record["time_per_iteration_us"], 1e6 * record["seconds"], rel_tol=1e-6),
               "time_per_iteration_us", f"that of seconds, {record['seconds']!r}")


def read_solves(folder):
    """The solves, sorted by machine and file."""
    solves = []
    for path in sorted(folder.glob("*.json")):
        groups = {}
        for i, record in enumerate(read(path)):
            if "solver" in record:
                check_solve(record, f"{path.name}, record {i}")
                groups.setdefault((record["solver"], product(record)), []).append(record)
        for records in groups.values():
            for name in ("n", "iterations", "checked_iterations"):
                if len(in_order(r[name] for r in records)) > 1:
                    raise BadResults(f"{path.name}: rows of one table differ in {name}")
            title = path.stem if len(groups) == 1 else f"{path.stem}: {records[0]['solver']}, {matrix_name(records[0])}"
            solves.append(Solve(title, records))
    return sorted(solves, key=lambda solve: (solve.first["machine"], solve.first["file"]))


def unit(records):
    """The time unit (name, units per second) for the fastest record."""
    best = fastest([r for r in records if r["seconds"] is not None])
    return ("ms", 1e3) if best and best["seconds"] >= 1e-3 else ("µs", 1e6)


def order(record):
    return (record["peer"], record["library"] if record["peer"] else "", record["format"], record["execution"],
            record["fusion"])


def named_time(record, scale, name, with_format=True):
    if record is None:
        return "–"
    words = [record["format"]] if with_format else []
    words += [record["execution"]] + ([record["fusion"]] if not record["peer"] and record["fusion"] != "fused" else [])
    return f"{' '.join(words)}: {three(scale * record['seconds'])} {name}"


def block(solves):
    """One row per solve: the fastest Einkorn row, the fastest in CSR, and the fastest of every library."""
    if not solves:
        return ""
    libraries = in_order(r["library"] for r in sorted((r for s in solves for r in s.records if r["peer"]), key=order))
    rows = []
    for solve in solves:
        name, scale = unit(solve.records)
        ours = solve.fastest(lambda r: not r["peer"])
        ours_csr = solve.fastest(lambda r: not r["peer"] and r["format"] == "csr")
        best = {library: solve.fastest(lambda r: r["peer"] and r["library"] == library) for library in libraries}
        over = lambda peer, own: number(peer["seconds"] / own["seconds"] if peer and own else None)
        ratios = [f"{over(peer, ours)} ({over(peer, ours_csr)})" if peer and ours else "–" for peer in best.values()]
        rows.append([solve.first["machine"], f"`{solve.matrix}`", solve.first["n"], solve.method,
                     named_time(ours, scale, name), named_time(ours_csr, scale, name, False),
                     *(named_time(peer, scale, name) for peer in best.values()), *ratios])
    heading, rows = without_empty(
        ["machine", "matrix", "n", "solver", "fastest of Einkorn", "in CSR", *libraries,
         *(f"over {library}" for library in libraries)], rows)
    left = sum(not head.startswith("over ") for head in heading)
    return paragraph(
        "Time per iteration of a whole solve from x = 0: the fastest Einkorn row and the fastest row of each peer in the same "
        "run. All rows do the same number of iterations; the residual replacement of Einkorn is on (every 50 iterations), and "
        "a fused solve also computes b − A x before the first and after the last iteration, which its time includes. *Over* a "
        "peer: its time over that of the fastest Einkorn row, in brackets over the fastest in CSR.") + table(
            heading, rows, left=left)
