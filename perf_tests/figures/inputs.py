# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Reads the records of einkorn-bench --json for a figure: records of its operations (SpMV with SpMM, or solvers), one
machine and one build. Other input raises records.BadResults."""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
import records as recorded  # noqa: E402

BadResults = recorded.BadResults
SAME = ("machine", "backend", "kokkos_version", "commit", "ordinal")  # in all records of a figure

# Einkorn formats in the order of the legend, by the `format` of a record.
FORMATS = {"bdia": "bDIA", "dia": "DIA", "ell": "ELL", "hyb": "HYB", "csr": "CSR", "coo": "COO", "csr5": "CSR5",
           "sell": "SELL", "bsr": "BSR", "brcv": "BRCV"}
LIBRARIES = {"cusparse": "cuSPARSE", "kokkos-kernels": "Kokkos Kernels", "eigen": "Eigen"}
SCALAR_BYTES = {"float": 4, "double": 8, "complex<float>": 8, "complex<double>": 16}
INDEX_BYTES = {"int32": 4, "int64": 8}  # of columns and of offsets
COLOURS = {name: f"C{number}" for number, name in enumerate(FORMATS)} | {"cusparse": "black"}


def product(record):
    """Identifies a product. Its records are comparable only within one run."""
    return tuple(record[name] for name in ("matrix", "scalar", "columns", "layout"))


def read(paths, *operations):
    """The records of all files with these operations (default: spmv, which includes SpMM), with their file names."""
    records, runs, first = [], {}, None
    for path in map(pathlib.Path, paths):
        found = recorded.read(path)
        if not found:
            raise BadResults(f"{path.name}: expected an array of records")
        for number, record in enumerate(found):
            where = f"{path.name}, record {number}"
            if record["commit"] == "unknown":
                raise BadResults(f"{where}: commit is unknown: set EINKORN_COMMIT when measuring")
            first = first or record
            for name in SAME:
                if record[name] != first[name]:
                    raise BadResults(f"{where}: {name} is {record[name]!r}, but {first[name]!r} in {first['file']}: "
                                     "a figure shows one machine and one build")
            if record["operation"] not in (operations or ("spmv",)):
                continue
            rate = record.get("gflops")
            if record["operation"] == "spmv" and record["seconds"] is not None and not (
                    isinstance(rate, (int, float)) and math.isfinite(rate)):
                raise BadResults(f"{where}: gflops is {rate!r}, expected a number")
            what = product(record)
            if runs.setdefault((record["operation"], what), path) != path:
                raise BadResults(f"{where}: {' '.join(map(str, what)).strip()} is in "
                                 f"{runs[record['operation'], what].name} too: only times of one run are compared")
            if not record["rounded_values"]:
                records.append(record)
    return records


def matrix_of(records, wanted, figure):
    """The matrix of a figure of one matrix: `wanted`, or the only one of the records."""
    found = sorted({r["matrix"] for r in records})
    if wanted is None and len(found) > 1:
        raise BadResults(f"{figure}: choose one with --matrix: {', '.join(found)}")
    if not found or wanted not in (None, *found):
        raise BadResults(f"{figure}: the input has nothing of {wanted or 'any matrix'}")
    return found[0] if wanted is None else wanted


def short_name(matrix):
    """The file name without folders; generators are not changed."""
    return matrix if matrix.startswith("gen:") else matrix.rsplit("/", 1)[-1]


def grouped(records, key):
    """{key: records}, sorted by key. Records with key None are skipped."""
    groups = {}
    for record in records:
        if key(record) is not None:
            groups.setdefault(key(record), []).append(record)
    return dict(sorted(groups.items()))


def of(records, name):
    """The records of an Einkorn format or of a library."""
    if name in FORMATS:
        return [r for r in records if not r["peer"] and r["format"] == name]
    return [r for r in records if r["library"] == name]


def fastest(records, name, caches):
    """The record of the fastest algorithm, or None."""
    return recorded.fastest([r for r in of(records, name) if r["seconds"] is not None and r["temperature"] == caches])


def label(name):
    return FORMATS.get(name) or f"{LIBRARIES.get(name, name)}, fastest"


def algorithm(record):
    return f"{record['format']} {record['algorithm']}".strip()


def vector_bytes(record):
    """The bytes of x and y, which the bytes of a record include."""
    return (record["rows"] + record["cols"]) * record["columns"] * sizes(record)[0]


def sizes(record):
    """Bytes of a value and of an index."""
    scalar, ordinal = record["scalar"], record["ordinal"]
    if scalar not in SCALAR_BYTES or ordinal not in INDEX_BYTES:
        raise BadResults(f"{record['file']}: the sizes of {scalar} and {ordinal} are not known")
    return SCALAR_BYTES[scalar], INDEX_BYTES[ordinal]


def context(records):
    """Machine, build and rounds of the records of a figure."""
    def values(name):
        return sorted({r[name] for r in records if r.get(name) is not None})

    made = {name: records[0][name] for name in SAME}
    made["copy_gb_per_s"] = [min(values("copy_gb_per_s")), max(values("copy_gb_per_s"))]
    for name in ("rounds", "date"):
        if values(name):
            made[name] = values(name)
    made["files"] = values("file")
    return made


def drawing(figure, title, records, names, panels, columns, caches):
    """The content of a figure, which is also written to its JSON file. names: its Einkorn formats and libraries; caches:
    the temperature of the times, None without times."""
    if not any(panel["series"] for panel in panels):
        raise BadResults(f"{figure}: nothing to draw: the records have no time with {caches} caches")
    shown = [r for name in names for r in of(records, name)]
    refused = [{name: r[name] for name in ("matrix", "scalar", "columns", "layout")} |
               {"library": r["library"], "algorithm": algorithm(r),
                "reason": r.get("reason") or "no reason recorded"} for r in shown if r["seconds"] is None]
    expected = [name for name in names if name in FORMATS or (name == "cusparse" and records[0]["backend"] == "Cuda")]
    missing = [dict(zip(("matrix", "scalar", "columns", "layout"), key)) | {"row": label(name)}
               for key, group in grouped(records, product).items() for name in expected if not of(group, name)]
    return {"figure": figure, "title": title, "caches": caches, "context": context(shown), "columns": columns,
            "panels": panels, "refused": refused, "not_measured": missing}


def caption(made):
    """The caption below a figure. A drawing that is not of measurements has its own."""
    if "caption" in made:
        return made["caption"]
    where = made["context"]
    low, high = (f"{rate:.0f}" for rate in where["copy_gb_per_s"])
    parts = [where["machine"], where["backend"], f"Kokkos {where['kokkos_version']}", f"Einkorn {where['commit']}",
             where["ordinal"], f"copy {low} GB/s" if low == high else f"copy {low} to {high} GB/s"]
    if made["caches"]:
        parts.append("launches replayed as a graph" if made["caches"] == "graph" else f"{made['caches']} caches")
    if "rounds" in where:
        parts.append(f"medians of {' or '.join(map(str, where['rounds']))} rounds")
    parts += where.get("date", [])
    absent = [f"{len(made[name])} {name.replace('_', ' ')}" for name in ("refused", "not_measured") if made[name]]
    if absent:
        parts.append(f"absent: {', '.join(absent)} ({made['figure']}.json)")
    return "; ".join(parts)
