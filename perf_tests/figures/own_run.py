# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The drawings of perf_tests/plot for any run of SpMVs: every row over its roofline, and bars of the times per matrix."""
import pathlib
import sys

import inputs
import mesh

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
import charts  # noqa: E402
from comparison import compared  # noqa: E402
from records import SCALARS, Run, read, temperatures  # noqa: E402

MAX_BAR_PANELS = 12  # matrices with a panel of bars


def runs_of(path):
    """One run per scalar and index type; SpMVs with one vector."""
    records = [r for r in read(path) if r["operation"] in ("spmv", "select") and r["columns"] == 1]
    found = sorted({(r["scalar"], r["ordinal"]) for r in records}, key=lambda pair: (SCALARS.index(pair[0]), pair[1]))
    return [Run(path.stem if len(found) == 1 else f"{path.stem}-{scalar.replace('<', '-').rstrip('>')}-{ordinal}",
                path.name, scalar, ordinal, [r for r in records if (r["scalar"], r["ordinal"]) == (scalar, ordinal)])
            for scalar, ordinal in found]


def drawing(run, name, title, state, records, panels, columns):
    return {"figure": f"{run.title}-{name}", "title": title, "caches": state, "context": inputs.context(records),
            "columns": columns, "panels": panels, "refused": [], "not_measured": []}


def bars(run):
    """Formats as bars, the fastest first, for the first matrices of the run; cold and warm if both were measured."""
    panels, seen = [], inputs.grouped(run.records, lambda r: r["name"])
    for name in dict.fromkeys(r["name"] for r in run.records):
        rows = [r for r in seen[name] if r["operation"] == "spmv" and not r["rounded_values"]]
        names = [key for key in (*inputs.FORMATS, *inputs.LIBRARIES) if inputs.of(rows, key)]
        panel = mesh.panel(rows, names, charts.short(name))
        if panel["series"]:
            panels.append(panel)
    return panels


def drawings(path):
    made = []
    for run in runs_of(path):
        states = temperatures(run.records)
        if not states:
            continue
        every = compared(run, states[0])
        rows = [r for c in every for r in c.rows]
        title, panels = charts.roofline(every)
        made.append(drawing(run, "roofline", f"{run.scalar}: {title}", states[0], rows, panels, 1))
        panels = bars(run)
        if not panels:  # a graph only
            continue
        left_out = f", the first {MAX_BAR_PANELS} of {len(panels)} matrices" if len(panels) > MAX_BAR_PANELS else ""
        made.append(drawing(run, "bars", f"{run.scalar}: time of an SpMV by format{left_out}",
                            " and ".join(s for s in states if s in mesh.STATES), rows, panels[:MAX_BAR_PANELS],
                            min(len(panels), 3)))
    if not made:
        raise inputs.BadResults(f"{path.name}: has no time of an SpMV with one vector")
    return made
