#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""report.py [--check] [--root DIR]: the committed measurements as tables.

Reads perf_tests/results/*.json (each written by one run of einkorn-bench --json), writes docs/performance.md and the
marked block of README.md. A table never mixes files: figures are comparable only within one run. The same files give
the same text, byte for byte.

  --check   write nothing; exit 1 when the documents are not what the JSON says

Exit: 0 done, 1 documents differ (--check), 2 usage, 3 a record is not fit to be shown."""
import argparse
import json
import math
import pathlib
import sys

PAGE = "docs/performance.md"
README = "README.md"
RESULTS = "perf_tests/results"
BEGIN, END = "<!-- performance:begin -->", "<!-- performance:end -->"
LARGE_BYTES = 100e6  # README.md shows the matrices from this size on, where there are any
SCALARS = ["double", "float", "complex<double>", "complex<float>"]

TEXT = ("matrix", "operation", "format", "algorithm", "scalar", "ordinal", "machine", "backend", "kokkos_version", "commit")
NUMBERS = ("rows", "cols", "nnz", "bytes", "csr_bytes", "copy_gb_per_s")
MEASURED = ("seconds", "gb_per_s", "fraction_of_copy")  # null in a row that was refused
FLAGS = ("peer", "cold")


class BadResults(Exception):
    pass


def check_record(record, where):
    def expect(holds, what):
        if not holds:
            raise BadResults(f"{where}: {what}")

    expect(isinstance(record, dict), "is no record")
    for name in TEXT:
        expect(isinstance(record.get(name), str), f"{name} is {record.get(name)!r}, expected text")
    for name in FLAGS:
        expect(isinstance(record.get(name), bool), f"{name} is {record.get(name)!r}, expected true or false")
    measured = record.get("seconds") is not None
    for name in (*NUMBERS, *(MEASURED if measured else ())):
        value = record.get(name)
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        expect(number and value >= 0, f"{name} is {value!r}, expected a number")
    expect(not measured or record["seconds"] > 0, "seconds is 0")
    expect(not record.get("wrong"), "the result was wrong: measure again when it is right")


def read_runs(folder):
    """[(file name, records)] in the order of the names."""
    runs = []
    for path in sorted(folder.glob("*.json")):
        try:
            records = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise BadResults(f"{path.name}: {error}") from None
        if not isinstance(records, list):
            raise BadResults(f"{path.name}: expected an array of records")
        seen = set()
        for number, record in enumerate(records):
            where = f"{path.name}, record {number}"
            check_record(record, where)
            if record.get("layout"):
                record["matrix"] += f" x {record['columns']} ({record['layout']})"
            if key(record) in seen:
                raise BadResults(f"{where}: {' '.join(map(str, key(record)))} is there twice")
            seen.add(key(record))
        runs.append((path.name, records))
    return runs


def library(record):
    return record.get("library") or ("peer" if record["peer"] else "einkorn")


def key(record):
    return (record["matrix"], record["scalar"], record["ordinal"], record["operation"], library(record),
            record["format"], record["algorithm"], record["cold"])


def label(record):
    name = f"{record['format']} {record['algorithm']}".strip()
    return f"{library(record)} {name}" if record["peer"] else name


def in_order(values):
    """Without repetitions, in the order of first appearance."""
    return list(dict.fromkeys(values))


def scalar_rank(scalar):
    return (SCALARS.index(scalar) if scalar in SCALARS else len(SCALARS), scalar)


def microseconds(seconds):
    value = 1e6 * seconds
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f}"


def figure(record):
    return f"{microseconds(record['seconds'])} ({record['fraction_of_copy']:.2f})"


def fastest(records):
    """Rounded values are another matrix: such rows are shown, but are no answer to a peer."""
    return min((r for r in records if not r.get("rounded_values")), key=lambda r: r["seconds"], default=None)


def row(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def table(heading, rows, left=1):
    """A Markdown table, the first `left` columns aligned left; '' without rows."""
    if not rows:
        return ""
    rule = ["---"] * left + ["---:"] * (len(heading) - left)
    return "\n".join([row(heading), row(rule), *map(row, rows)]) + "\n"


def groups(records):
    """(scalar, ordinal) -> records, in a fixed order."""
    found = in_order((r["scalar"], r["ordinal"]) for r in records)
    for scalar, ordinal in sorted(found, key=lambda pair: (scalar_rank(pair[0]), pair[1])):
        yield scalar, ordinal, [r for r in records if (r["scalar"], r["ordinal"]) == (scalar, ordinal)]


def by_matrix(records):
    for name in in_order(r["matrix"] for r in records):
        yield name, [r for r in records if r["matrix"] == name]


def spmv_tables(records, cold):
    """Ours beside the best peer, then every peer."""
    timed = [r for r in records if r["operation"] == "spmv" and r["seconds"] is not None and r["cold"] == cold]
    ours = in_order(label(r) for r in timed if not r["peer"])
    peers = in_order(label(r) for r in timed if r["peer"])
    our_rows, peer_rows = [], []
    for name, of_matrix in by_matrix(timed):
        found = {label(r): r for r in of_matrix}
        cell = lambda column: figure(found[column]) if column in found else "–"
        best = fastest([r for r in of_matrix if not r["peer"]])
        best_peer = fastest([r for r in of_matrix if r["peer"]])
        ratio = f"{best_peer['seconds'] / best['seconds']:.2f}" if best and best_peer else "–"
        peer = f"{label(best_peer)}: {figure(best_peer)}" if best_peer else "–"
        our_rows.append([f"`{name}`", of_matrix[0]["nnz"], *map(cell, ours), peer, ratio])
        peer_rows.append([f"`{name}`", *map(cell, peers)])
    text = table(["matrix", "entries", *ours, "best peer", "speed ratio"], our_rows)
    if peers:
        text += "\n" + table(["peers", *peers], peer_rows)
    return text


def conversion_table(records):
    rows = []
    for name, of_matrix in by_matrix(records):
        for record in of_matrix:
            if record["operation"] == "spmv" or record["peer"] or record["seconds"] is None or record["cold"]:
                continue
            own = fastest([r for r in of_matrix if r["operation"] == "spmv" and r["format"] == record["format"]
                           and not r["peer"] and not r["cold"] and r["seconds"] is not None])
            spmvs = f"{record['seconds'] / own['seconds']:.2f}" if own else "–"
            rows.append([f"`{name}`", record["format"], record["algorithm"] or record["operation"],
                         microseconds(record["seconds"]), spmvs])
    return table(["matrix", "format", "step", "us", "in SpMVs of the format"], rows, left=3)


def copy_line(records):
    rates = [r["copy_gb_per_s"] for r in records]
    low, high = f"{min(rates):.1f}", f"{max(rates):.1f}"
    return f"copy {low} GB/s" if low == high else f"copy {low} to {high} GB/s"


PREAMBLE = f"""\
# Performance

<!-- Generated by perf_tests/report/report.py from {RESULTS}/*.json: do not edit. -->

Every section is one run of `einkorn-bench`: all of its rows were measured in turn, round after round, on the same
arrays (the rule: [perf_tests/README.md](../perf_tests/README.md)). A cell is the time in microseconds, the median over
the rounds, and in brackets the fraction of the copy bandwidth of the same run: the bytes that the format has to move,
each array once, over time and copy. *Speed ratio* is the time of the best peer over the best time of ours: more than 1
means that ours is faster. *Warm*: back to back. *Cold*: after a flush of the caches; the figure for matrices that fit
into them.
"""


def page(runs):
    text = PREAMBLE
    if not any(records for _, records in runs):
        return text + "\nNo measurement is committed yet.\n"
    ordered = sorted(((r[0]["machine"], name, r) for name, r in runs if r), key=lambda run: run[:2])
    machine = None
    for run_machine, name, records in ordered:
        if run_machine != machine:
            machine = run_machine
            text += f"\n## {machine}\n"
        first = records[0]
        for scalar, ordinal, group in groups(records):
            text += (f"\n### {scalar}, {ordinal} (`{name}`)\n\n{first['backend']}, Kokkos {first['kokkos_version']}, "
                     f"Einkorn {first['commit']}, {copy_line(group)}.\n")
            for title, cold in (("Warm", False), ("Cold", True)):
                tables = spmv_tables(group, cold)
                if tables:
                    text += f"\n**{title}**\n\n{tables}"
            conversions = conversion_table(group)
            if conversions:
                text += f"\n**Conversions** (allocations included)\n\n{conversions}"
            refused = in_order((r["matrix"], label(r), r.get("reason") or "no reason recorded")
                               for r in group if r["seconds"] is None and r["operation"] != "select")
            if refused:
                text += "\nNot run: " + "; ".join(f"`{m}` {what}: {why}" for m, what, why in refused) + ".\n"
    return text


def most_compared(shown):
    """Of several runs of a matrix (machine, scalar) the one that timed the most rows."""
    timed = lambda entry: sum(r["operation"] == "spmv" and r["seconds"] is not None for r in entry[5])
    what = lambda entry: (entry[0], entry[3], entry[5][0]["ordinal"], entry[4])
    best = {}
    for entry in shown:
        if what(entry) not in best or timed(entry) > timed(best[what(entry)]):
            best[what(entry)] = entry
    return list(best.values())


def readme_block(runs):
    shown = []
    for name, records in runs:
        for scalar, ordinal, group in groups(records):
            for matrix, of_matrix in by_matrix(group):
                shown.append((records[0]["machine"], scalar_rank(scalar), name, scalar, matrix, of_matrix))
    if not shown:
        return ("No measurement is committed yet; `scripts/demo.sh` prints the table for your machine "
                "(how to read it: [perf_tests/README.md](perf_tests/README.md)).\n")
    shown = most_compared(shown)
    large = [entry for entry in shown if entry[5][0]["csr_bytes"] >= LARGE_BYTES]
    rows = []
    for machine, _, _, scalar, matrix, of_matrix in sorted(large or shown, key=lambda entry: entry[:3]):
        timed = [r for r in of_matrix if r["operation"] == "spmv" and r["seconds"] is not None]
        cold = any(r["cold"] for r in timed)
        best = fastest([r for r in timed if r["cold"] == cold and not r["peer"]])
        peer = fastest([r for r in timed if r["cold"] == cold and r["peer"]])
        if not best:
            continue
        rows.append([machine, scalar, f"`{matrix}`", f"{label(best)}: {figure(best)}",
                     f"{label(peer)}: {figure(peer)}" if peer else "–",
                     f"{peer['seconds'] / best['seconds']:.2f}" if peer else "–", "cold" if cold else "warm"])
    size = f" of {LARGE_BYTES / 1e6:.0f} MB and more in CSR" if large else ""
    return (f"Matrices{size}: microseconds an SpMV, and in brackets the fraction of the copy bandwidth of the same run. "
            "Speed ratio:\nbest peer's time over ours. Of several runs of a matrix, the one that compared the most. "
            "All matrices, algorithms and peers:\n"
            f"[{PAGE}]({PAGE}).\n\n" +
            table(["machine", "scalar", "matrix", "best of ours", "best peer", "speed ratio", "caches"], rows, left=5))


def fill_block(text, block):
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise BadResults(f"{README}: expected one {BEGIN} and, after it, one {END}")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{block}{END}{rest.split(END)[1]}"


def documents(root):
    """path -> what it should hold"""
    runs = read_runs(root / RESULTS)
    readme = (root / README).read_text(encoding="utf-8")
    return {PAGE: page(runs), README: fill_block(readme, readme_block(runs))}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    options = parser.parse_args(arguments)
    try:
        wanted = documents(options.root)
    except (BadResults, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 3
    different = []
    for name, text in wanted.items():
        path = options.root / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            different.append(name)
            if not options.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if options.check and different:
        print(f"report.py: {', '.join(different)} not as {RESULTS} says: run perf_tests/report/report.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
