# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The table of SpGEMM in docs/performance.md."""
import dataclasses
import math

from comparison import geometric_mean
from records import BUILD, SPGEMM, BadResults, fastest, in_order, is_number, matrix_name, product, read
from tables import paragraph, table, without_empty

WHOLE, SYMBOLIC, NUMERIC = SPGEMM
OURS = "automatic"  # the defaults of spgemm(), used in the means
LARGE = 1e8         # number of products above which launches and allocations are negligible
SETS = (("at least 10⁸ products", lambda c: c.first["products"] >= LARGE),
        ("real matrices", lambda c: not matrix_name(c.first).startswith("gen:")), ("all", lambda c: True))
PEERS = (  # columns of the means
    ("cuSPARSE, the fastest", lambda r: r["library"] == "cusparse"),
    ("Kokkos Kernels native", lambda r: (r["library"], r["algorithm"]) == ("kokkos-kernels", "native")),
    ("Eigen", lambda r: r["library"] == "eigen"))


@dataclasses.dataclass(frozen=True)
class Product:
    """The rows of one product in one file."""
    title: str
    records: list

    @property
    def first(self):
        return self.records[0]

    @property
    def name(self):
        return f"{matrix_name(self.first)}, {self.first['product']}"

    @property
    def wholes(self):
        return [r for r in self.records if r["operation"] == WHOLE]

    def fastest(self, wanted):
        return fastest([r for r in self.wholes if r["seconds"] is not None and wanted(r)])

    @property
    def peer(self):
        return self.fastest(lambda r: r["peer"])

    @property
    def ours(self):
        return self.fastest(lambda r: not r["peer"] and r["algorithm"] == OURS)


def row_of(record):
    return tuple(record[name] for name in ("library", "format", "algorithm"))


def check_product(record, where):
    def expect(holds, name, what):
        if not holds:
            raise BadResults(f"{where}: {name} is {record.get(name)!r}, expected {what}")

    expect(record["product"] in ("A A", "A A^T"), "product", "A A or A A^T")
    for name in ("products", "entries_of_C"):
        expect(is_number(record.get(name)) and record[name] > 0, name, "a number above 0")
    for name in ("high_water", "high_water_of_C"):
        value = record.get(name)
        expect(value is None or (is_number(value) and value >= 0), name, "a number or null")
    if record["seconds"] is not None:
        expect(is_number(record.get("gflops")) and math.isclose(
            record["gflops"], 2e-9 * record["products"] / record["seconds"], rel_tol=1e-6), "gflops",
               f"that of seconds, {record['seconds']!r}")


def read_products(folder):
    """The products, sorted by machine and file."""
    made = []
    for path in sorted(folder.glob("*.json")):
        groups = {}
        for i, record in enumerate(read(path)):
            if record["operation"] in SPGEMM:
                check_product(record, f"{path.name}, record {i}")
                groups.setdefault(product(record), []).append(record)
        for records in groups.values():
            for name in ("products", "entries_of_C"):
                if len(in_order(r[name] for r in records)) > 1:
                    raise BadResults(f"{path.name}: rows of one table differ in {name}")
            alone = {row_of(r) for r in records} - {row_of(r) for r in records if r["operation"] == WHOLE}
            if alone:
                raise BadResults(f"{path.name}: a phase without its total: {' '.join(min(alone))}")
            made.append(Product(path.stem, records))
    return sorted(made, key=lambda c: (c.first["machine"], c.first["file"]))


def largest_runs(products):
    """Where a product was run more than once on one machine and build, the run with the most rows."""
    best = {}
    timed = lambda c: sum(r["seconds"] is not None for r in c.wholes)
    for c in products:
        what = (*(c.first[name] for name in BUILD), c.name)
        if what not in best or timed(c) > timed(best[what]):
            best[what] = c
    return list(best.values())


def mean_over(products, wanted):
    """Geometric mean and minimum of the speed-up of `automatic` over a peer, and the number of products if not all."""
    ratios = []
    for c in products:
        peer = c.fastest(lambda r: r["peer"] and wanted(r))
        if peer and c.ours:
            ratios.append((peer["seconds"] / c.ours["seconds"], c.name))
    if not ratios:
        return "–"
    least, name = min(ratios)
    partial = f"; {len(ratios)} of {len(products)}" if len(ratios) < len(products) else ""
    return f"{geometric_mean([value for value, _ in ratios]):.2f} (least {least:.2f}: `{name}`{partial})"


def summary(products):
    """One row per machine, build and set of products."""
    rows, kept = [], largest_runs(products)
    for build in in_order(tuple(c.first[name] for name in BUILD) for c in kept):
        build_products = [c for c in kept if tuple(c.first[name] for name in BUILD) == build]
        for name, wanted in SETS:
            found = [c for c in build_products if wanted(c)]
            if found:
                rows.append([build[0], build[-1], name, len(found), *(mean_over(found, of) for _, of in PEERS)])
    heading, rows = without_empty(["machine", "Einkorn", "set", "products A B", *(f"over {name}" for name, _ in PEERS)], rows)
    return table(heading, rows, left=3)


def block(products):
    if not products:
        return ""
    return paragraph(
        "Geometric means of the time of a peer over the time of our `automatic`, pattern, values and all allocations included. "
        "Kokkos Kernels `native` sorts the rows of C; Eigen runs on one thread.") + summary(products)
