# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The generated tables in hand-written pages: bDIA and the other formats on bands, BRCV and the others in SpMM, and the
distance of select() from the fastest Einkorn format. Records are selected by their fields, never by file name."""
import re

from comparison import VENDOR, compared, geometric_mean, ratio
from records import BUILD, by_matrix, fastest, in_order, is_timed, scalar_rank, temperatures
from tables import build_line, microseconds, number, paragraph, table

BAND = re.compile(r"gen:band:(\d+):(\d+)")
STRIPES = re.compile(r"gen:stripes:(\d+):(\d+):(\d+)")


def builds(runs):
    """Yields the lists of runs of one machine and build."""
    build_of = lambda run: tuple(getattr(run, name) for name in BUILD)
    for build in in_order(map(build_of, runs)):
        yield [run for run in runs if build_of(run) == build]


def where(records):
    rounds = in_order(str(r["rounds"]) for r in records if r.get("rounds"))
    line = f"{records[0]['machine']}, {records[0]['temperature']} caches, {build_line(records[0])}"
    return line + (f", medians of {' or '.join(rounds)} rounds" if rounds else "")


def groups_of(runs, wanted):
    """Yields (match, records of one product at its first temperature: cold if it was measured)."""
    for run in runs:
        for _, group in by_matrix(run.records):
            match = wanted.fullmatch(group[0]["matrix"])
            if match and temperatures(group):
                state = temperatures(group)[0]
                yield match, [r for r in group if is_timed(r) and r["temperature"] == state and not r["rounded_values"]]


def einkorn_row(rows, form, algorithm=None):
    return fastest([r for r in rows if not r["peer"] and r["format"] == form and algorithm in (None, r["algorithm"])])


def vendor(rows):
    return [r for r in rows if r["library"] == VENDOR]


COMPARED_WITH_BDIA = [("DIA", "dia", None), ("ELL", "ell", None), ("HYB", "hyb", None), ("COO", "coo", None),
               ("CSR-scalar", "csr", "row_thread"), ("CSR-vector", "csr", "row_team")]


def bands(runs):
    """The largest measured band matrices: time and bytes relative to bDIA."""
    text = ""
    for build_runs in builds(runs):
        found = [(int(m[1]), int(m[2]), rows) for m, rows in groups_of(build_runs, BAND) if einkorn_row(rows, "bdia")]
        found = [entry for entry in found if entry[0] == max(n for n, _, _ in found)]
        if not found:
            continue
        lines = []
        for _, d, rows in sorted(found, key=lambda entry: (scalar_rank(entry[2][0]["scalar"]), entry[1])):
            base = einkorn_row(rows, "bdia")
            others = [*(einkorn_row(rows, *what) for _, *what in COMPARED_WITH_BDIA), fastest(vendor(rows))]
            lines.append([base["scalar"], d, microseconds(base["seconds"]), number(base["fraction_of_copy"])] +
                         [f"{ratio(r, base):.2f} ({r['bytes'] / base['bytes']:.2f})" if r else "–" for r in others])
        records = [r for _, _, rows in found for r in rows]
        text += paragraph(f"Bands of d diagonals, n = {found[0][0]}, {where(records)}. The last column is the fastest "
                          "algorithm and format of cuSPARSE.")
        text += table(["scalar", "d", "bDIA us", "of copy", *(name for name, *_ in COMPARED_WITH_BDIA), "best cuSPARSE"], lines)
    return text or "No band is measured yet.\n"


def stripes(runs):
    """SpMM: microseconds, and the time of the fastest cuSPARSE row over that of BRCV."""
    text = ""
    for build_runs in builds(runs):
        found = [(*map(int, m.groups()), rows) for m, rows in groups_of(build_runs, STRIPES)
                 if rows[0]["columns"] > 1 and einkorn_row(rows, "brcv")]
        if not found:
            continue
        lines = []
        order = lambda e: (scalar_rank(e[3][0]["scalar"]), e[3][0]["layout"] != "right", e[:3], e[3][0]["columns"])
        for _, height, width, rows in sorted(found, key=order):
            base, best = einkorn_row(rows, "brcv"), fastest(vendor(rows))
            timed = [einkorn_row(rows, form) for form in ("brcv", "csr", "sell")] + [best]
            lines.append([base["layout"], f"{height} × {width}", base["columns"]] +
                         [microseconds(r["seconds"]) if r else "–" for r in timed] +
                         [number(ratio(best, base)) if best else "–"])
        records = [r for entry in found for r in entry[3]]
        scalars = in_order(r["scalar"] for r in records)
        sizes = " and ".join(f"{n} rows" for n in sorted({entry[0] for entry in found}))
        text += paragraph(f"{' and '.join(scalars)}, {sizes}, stripes of height × width, k vectors, {where(records)}. Layout "
                          f"`right` is row-major. Best cuSPARSE: its fastest algorithm and format.")
        text += table(["layout", "stripes", "k", "BRCV us", "CSR us", "SELL us", "best cuSPARSE us", "cuSPARSE over BRCV"],
                      lines)
    return text or "No SpMM of stripes is measured yet.\n"


def choices(runs):
    """One row per run and temperature: time of the choice of select() over the time of the fastest Einkorn row."""
    rows = []
    for run in runs:
        for state in temperatures(run.records):
            far = [(ratio(c.chosen, c.ours), c) for c in compared(run, state) if c.chosen]
            if not far:
                continue
            worst, c = max(far, key=lambda pair: pair[0])
            rows.append([run.machine, run.commit, run.scalar, f"`{run.file}`", state, len(far),
                         sum(value <= 1.05 for value, _ in far), number(geometric_mean([value for value, _ in far])),
                         f"{worst:.2f} (`{c.name}`: {c.choice['format']}, fastest {c.ours['format']})"])
    return table(["machine", "Einkorn", "scalar", "run", "caches", "matrices", "within 1.05", "mean", "worst"], rows,
                 left=5) or "No run has asked select() yet.\n"
