# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The marked block of README.md: the large matrices, one run each."""
from comparison import compared
from records import in_order, label, scalar_rank, temperatures
from tables import figure, number, table

LARGE_BYTES = 100e6  # the matrices from this size on, where there are any
PAGE = "docs/performance.md"


def most_compared(shown):
    """Of several runs of a matrix (machine, scalar) the one that timed the most rows."""
    best = {}
    for run, found in shown:
        what = (run.machine, run.scalar, run.ordinal, found.name)
        if what not in best or len(found.rows) > len(best[what][1].rows):
            best[what] = (run, found)
    return list(best.values())


def block(runs):
    shown = []
    for run in runs:  # cold where it was measured
        states = temperatures(run.records)
        every = [c for state in states for c in compared(run, state)]
        for what in in_order((c.name, c.suite) for c in every):
            shown.append((run, next(c for c in every if (c.name, c.suite) == what)))
    if not shown:
        return ("No measurement is committed yet; `scripts/demo.sh` prints the table for your machine "
                "(how to read it: [perf_tests/README.md](perf_tests/README.md)).\n")
    shown = most_compared(shown)
    large = [pair for pair in shown if pair[1].rows[0]["csr_bytes"] >= LARGE_BYTES]
    rows = []
    for run, c in sorted(large or shown, key=lambda pair: (pair[0].machine, scalar_rank(pair[0].scalar), pair[0].file)):
        if c.ours:
            rows.append([run.machine, run.scalar, f"`{c.name}`", f"{label(c.ours)}: {figure(c.ours)}",
                         f"{label(c.peer)}: {figure(c.peer)}" if c.peer else "–", number(c.speedup()),
                         c.ours["temperature"]])
    size = f" of {LARGE_BYTES / 1e6:.0f} MB and more in CSR" if large else ""
    return (f"Matrices{size}: microseconds an SpMV, and in brackets the fraction of the copy bandwidth of the same run. "
            "Speed ratio:\nbest peer's time over ours. Of several runs of a matrix, the one that compared the most. "
            f"All matrices, algorithms and peers:\n[{PAGE}]({PAGE}).\n\n" +
            table(["machine", "scalar", "matrix", "best of ours", "best peer", "speed ratio", "caches"], rows, left=5))
