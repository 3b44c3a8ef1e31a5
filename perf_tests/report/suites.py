# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Means over the matrices of a suite, at one temperature. Of the vendor's variants two opponents are made: the best
single one, the same for the whole suite, and the best one matrix by matrix."""
import dataclasses
import math

from comparison import VENDOR, ratio
from records import fastest, in_order, label, slug

# Liu & Vinter (2015): the matrices of their figures 7 and 8.
CSR5_PARTS = {
    "regular": ("Dense", "pdb1HYS", "consph", "cant", "pwtk", "conf5_4-8x8-10", "mc2depi", "rma10", "shipsec1",
                "mac_econ_fwd500", "cop20k_A", "scircuit", "Ga41As41H72", "Si41Ge41H72"),
    "irregular": ("webbase-1M", "rail4284", "in-2004", "eu-2005", "circuit5M", "FullChip", "mip1", "ASIC_680k", "dc2",
                  "ins2"),
}


def csr5_part(matrix):
    """regular or irregular, by the name that the matrix, or its twin, has in the paper; None for another one."""
    within = f"-{slug(matrix)}-"
    return next((part for part, names in CSR5_PARTS.items() if any(f"-{slug(name)}-" in within for name in names)), None)


def geometric_mean(values):
    return math.exp(math.fsum(map(math.log, values)) / len(values))


@dataclasses.dataclass(frozen=True)
class Means:
    counted: int  # matrices with ours and an opponent
    matrices: int
    variant: str | None  # the best single one
    over_variant: float | None
    over_best: float  # the best variant, matrix by matrix
    over_peers: float  # the best of all peers, matrix by matrix
    worst: float  # over the best variant
    worst_name: str
    below: int  # matrices under 0.95 of the best variant


def opponents(compared):
    """Of cuSPARSE where it was measured, of all peers elsewhere."""
    peers = [r for r in compared.rows if r["peer"]]
    return [r for r in peers if r["library"] == VENDOR] or peers


def best_single(all_compared):
    """The variant that ran on all of them, with the least mean time; None where none did."""
    rows = [{label(r): r for r in opponents(c)} for c in all_compared]
    complete = [name for name in in_order(name for row in rows for name in row) if all(name in row for row in rows)]
    return min(complete, key=lambda name: geometric_mean([row[name]["seconds"] for row in rows]), default=None)


def means(all_compared, of):
    """of: "ours", the fastest row of ours, or "chosen", what select() chose. None where nothing can be compared."""
    counted = [c for c in all_compared if getattr(c, of) and opponents(c)]
    if not counted:
        return None
    variant = best_single(counted)
    single = [ratio(next(r for r in opponents(c) if label(r) == variant), getattr(c, of)) for c in counted if variant]
    best = [ratio(fastest(opponents(c)), getattr(c, of)) for c in counted]
    worst = min(range(len(best)), key=lambda i: best[i])
    return Means(len(counted), len(all_compared), variant, geometric_mean(single) if single else None,
                 geometric_mean(best), geometric_mean([c.speedup(of) for c in counted]), best[worst],
                 counted[worst].name, sum(value < 0.95 for value in best))


def suites(all_compared):
    """[(title, members)]: each suite, the two parts of CSR5's, and for a run without suites all of it."""
    found = []
    for name in in_order(c.suite for c in all_compared):
        members = [c for c in all_compared if c.suite == name]
        found.append((name or ("no suite" if found or len(members) < len(all_compared) else "all matrices"), members))
        if slug(name).startswith("csr5"):
            parts = {part: [c for c in members if csr5_part(c.name) == part] for part in CSR5_PARTS}
            if all(parts.values()):
                found += [(f"{name}, {part}", of_part) for part, of_part in parts.items()]
    return found
