# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The marked block of README.md: the largest matrices, one run each, and what all runs come to."""
from comparison import compared
from records import in_order, label, scalar_rank, temperatures
from suites import geometric_mean
from tables import figure, number, table

LARGE_BYTES = 100e6  # the matrices from this size on, where there are any,
MOST = 6             # but no more than this many of a machine and scalar, the largest
PAGE = "docs/performance.md"


def most_compared(shown):
    """Of several runs of a matrix (machine, scalar) the one that timed the most rows."""
    best = {}
    for run, found in shown:
        what = (run.machine, run.scalar, run.ordinal, found.name)
        if what not in best or len(found.rows) > len(best[what][1].rows):
            best[what] = (run, found)
    return list(best.values())


def largest(shown):
    """MOST of each machine and scalar, by bytes in CSR; matrices of one size in the order of the runs."""
    kept = []
    for what in in_order((run.machine, run.scalar) for run, _ in shown):
        group = [pair for pair in shown if (pair[0].machine, pair[0].scalar) == what]
        kept += sorted(group, key=lambda pair: -pair[1].rows[0]["csr_bytes"])[:MOST]
    return kept


def in_all(runs):
    """A row a run and temperature: how many matrices, and the mean and the worst over the best peer of each."""
    rows = []
    for run in runs:
        for state in temperatures(run.records):
            ratios = [(c.speedup(), c.name) for c in compared(run, state) if c.speedup() is not None]
            if ratios:
                worst, name = min(ratios)
                rows.append([run.machine, run.scalar, f"`{run.file}`", state, len(ratios),
                             sum(value < 1 for value, _ in ratios),
                             number(geometric_mean([value for value, _ in ratios])), f"{worst:.2f} (`{name}`)"])
    return table(["machine", "scalar", "run", "caches", "matrices", "lost", "mean speed ratio", "worst"], rows, left=4)


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
    shown = most_compared([pair for pair in shown if pair[1].rows[0]["columns"] == 1])
    large = [pair for pair in shown if pair[1].rows[0]["csr_bytes"] >= LARGE_BYTES]
    rows = []
    for run, c in sorted(largest(large or shown), key=lambda pair: (pair[0].machine, scalar_rank(pair[0].scalar), pair[0].file)):
        if c.ours:
            rows.append([run.machine, run.scalar, f"`{c.name}`", f"{label(c.ours)}: {figure(c.ours)}",
                         f"{label(c.peer)}: {figure(c.peer)}" if c.peer else "–", number(c.speedup()),
                         c.ours["temperature"]])
    return (f"The {MOST} largest matrices measured on a machine: microseconds an SpMV, and in brackets the fraction of the "
            "copy bandwidth of the\nsame run. Speed ratio: best peer's time over ours. Of several runs of a matrix, the one "
            "that compared the most.\n\n" +
            table(["machine", "scalar", "matrix", "best of ours", "best peer", "speed ratio", "caches"], rows, left=5) +
            "\nAll runs, and in how many matrices the best peer was faster than all of ours. Which, by how much, and every "
            f"algorithm and peer:\n[{PAGE}]({PAGE}).\n\n{in_all(runs)}")
