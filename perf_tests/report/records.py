# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Reads and checks the records of einkorn-bench --json. A file is one run: one machine, one build, and for every matrix
one invocation."""
import dataclasses
import json
import math
import re

TEXT = ("matrix", "operation", "format", "algorithm", "scalar", "ordinal", "machine", "backend", "kokkos_version", "commit")
NUMBERS = ("rows", "cols", "nnz", "bytes", "csr_bytes", "copy_gb_per_s")
MEASURED = ("seconds", "gb_per_s", "fraction_of_copy")  # null in a refused row
OF_EVERY = ("rows", "cols", "nnz", "bytes", "seconds")  # the subset that SpGEMM has too
OPTIONAL = ("stream_gb_per_s", "gather_per_s", "floor_seconds", "spread", "min_seconds", "max_seconds")
PRODUCTS = ("spmv", "conversion", "select")  # operations of SpMV runs
SPGEMM = ("spgemm", "spgemm_symbolic", "spgemm_numeric")  # operations of SpGEMM, which have no copy bandwidth
TEMPERATURES = ("cold", "warm", "graph")
RENAMED_ALGORITHMS = {"automatic+room": "automatic+buffer"}  # names in runs of older versions
BUILD = ("machine", "backend", "kokkos_version", "commit")  # the same in all records of a file
SCALARS = ["double", "float", "complex<double>", "complex<float>"]


class BadResults(Exception):
    pass


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def check_record(record, where):
    def expect(holds, what):
        if not holds:
            raise BadResults(f"{where}: {what}")

    expect(isinstance(record, dict), "is not a record")
    for name in TEXT:
        expect(isinstance(record.get(name), str), f"{name} is {record.get(name)!r}, expected text")
    expect(isinstance(record.get("peer"), bool), f"peer is {record.get('peer')!r}, expected true or false")
    state, cold = record.get("temperature"), record.get("cold")
    expect(state in (None, *TEMPERATURES), f"temperature is {state!r}, expected one of {', '.join(TEMPERATURES)}")
    expect(isinstance(cold, bool) or (cold is None and state), f"cold is {cold!r}, expected true or false")
    expect(None in (state, cold) or cold == (state == "cold"), f"temperature is {state!r}, but cold is {cold!r}")
    expect(isinstance(record.get("suite") or "", str), f"suite is {record.get('suite')!r}, expected text")
    measured, sparse = record.get("seconds") is not None, record["operation"] in SPGEMM
    wanted = (*NUMBERS, *(MEASURED if measured else ()))
    for name in (name for name in wanted if not sparse or name in OF_EVERY):
        value = record.get(name)
        expect(is_number(value) and value >= 0, f"{name} is {value!r}, expected a number")
    for name in OPTIONAL:
        value = record.get(name)
        expect(value is None or (is_number(value) and value >= 0), f"{name} is {value!r}, expected a number or null")
    expect(not measured or record["seconds"] > 0, "seconds is 0")
    expect(not record.get("wrong"), "the result was wrong: it cannot be shown")


def completed(record, file):
    """The record with defaults for missing fields and with current names. `name` is the matrix, for SpMM with the vectors,
    for SpGEMM with the product."""
    made = {"columns": 1, "layout": "", "product": "", "copy_gb_per_s": None, **record, "file": file}
    made["temperature"] = record.get("temperature") or ("cold" if record["cold"] else "warm")
    made["cold"] = made["temperature"] == "cold"
    made["library"] = record.get("library") or ("peer" if record["peer"] else "einkorn")
    made["algorithm"] = RENAMED_ALGORITHMS.get(record["algorithm"], record["algorithm"])
    made["suite"] = record.get("suite") or ""
    made["rounded_values"] = bool(record.get("rounded_values"))
    made["name"] = made["matrix"] + (f" x {made['columns']} ({made['layout']})" if made["layout"] else "")
    made["name"] += f", {made['product']}" if made["product"] else ""
    return made


def product(record):
    """Identifies a product. All of its records share one measurement of the copy."""
    return tuple(record[name] for name in ("matrix", "columns", "layout", "product", "suite", "scalar", "ordinal"))


def key(record):
    return (*product(record), *(record[name] for name in (
        "operation", "library", "format", "algorithm", "temperature", "rounded_values")))


def joined(identity):
    return " ".join(str(part) for part in identity if part not in ("", False))


def read(path):
    """The records of one file, all of one run."""
    try:
        array = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadResults(f"{path.name}: {error}") from None
    if not isinstance(array, list):
        raise BadResults(f"{path.name}: expected an array of records")
    records, seen, copies = [], set(), {}
    for number, record in enumerate(array):
        where = f"{path.name}, record {number}"
        check_record(record, where)
        record = completed(record, path.name)
        for name in BUILD:
            if records and record[name] != records[0][name]:
                raise BadResults(f"{where}: {name} is {record[name]!r}, but {records[0][name]!r} before: "
                                 "runs are not compared with each other, use one file per run")
        if copies.setdefault(product(record), record["copy_gb_per_s"]) != record["copy_gb_per_s"]:
            raise BadResults(f"{where}: {joined(product(record))} has two copy bandwidths, so it is from two runs: "
                             "use one file per run")
        if key(record) in seen:
            raise BadResults(f"{where}: {joined(key(record))} occurs twice")
        seen.add(key(record))
        records.append(record)
    return records


@dataclasses.dataclass(frozen=True)
class Run:
    """The comparable records: one file, one scalar, one index type."""
    title: str  # in the names of its charts
    file: str
    scalar: str
    ordinal: str
    records: list

    def __getattr__(self, name):
        if name not in BUILD:
            raise AttributeError(name)
        return self.records[0][name]


def current_spelling(name):
    """A name with the current spelling of its generator: runs before version 0.2 say gen:twin for gen:surrogate."""
    return name.replace("gen:twin:", "gen:surrogate:")


def matrix_name(record):
    name = record["matrix"]
    return name if name.startswith("gen:") else name.rsplit("/", 1)[-1]


def in_order(values):
    """The distinct values in the order of first appearance."""
    return list(dict.fromkeys(values))


def scalar_rank(scalar):
    return (SCALARS.index(scalar) if scalar in SCALARS else len(SCALARS), scalar)


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def read_runs(folder):
    """Sorted by machine, file and scalar. Without records of solvers (solvers.py) and SpGEMM (spgemm.py)."""
    runs = []
    for path in sorted(folder.glob("*.json")):
        records = [r for r in read(path) if r["operation"] in PRODUCTS]
        found = in_order((r["scalar"], r["ordinal"]) for r in records)
        for scalar, ordinal in sorted(found, key=lambda pair: (scalar_rank(pair[0]), pair[1])):
            title = path.stem if len(found) == 1 else f"{path.stem}-{slug(scalar)}-{ordinal}"
            runs.append(Run(title, path.name, scalar, ordinal,
                            [r for r in records if (r["scalar"], r["ordinal"]) == (scalar, ordinal)]))
    return sorted(runs, key=lambda run: (run.machine, run.file))


def by_matrix(records):
    """Yields (name, records) of every product."""
    groups = {}
    for record in records:
        groups.setdefault(product(record), []).append(record)
    for group in groups.values():
        yield group[0]["name"], group


def is_timed(record):
    return record["operation"] == "spmv" and record["seconds"] is not None


def temperatures(records):
    """The temperatures with a time of an SpMV."""
    return [state for state in TEMPERATURES if any(is_timed(r) and r["temperature"] == state for r in records)]


def label(record):
    """Library (of peers), format and algorithm."""
    name = f"{record['format']} {record['algorithm']}".strip() + (", values rounded" if record["rounded_values"] else "")
    return f"{record['library']} {name}" if record["peer"] else name


def fastest(records):
    return min(records, key=lambda r: r["seconds"], default=None)
