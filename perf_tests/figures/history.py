# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The residual of CG, Jacobi-PCG and BiCGStab on one matrix, over iterations and over time, from the histories of
`einkorn-bench --solve ... --history N`. Time is the iterations times the time per iteration of the same run."""
import math

import inputs
from records import fastest

NAMES = {"cg": "CG", "jacobi-pcg": "Jacobi-PCG", "bicgstab": "BiCGStab"}
OPERATIONS = tuple(NAMES)


def points(record):
    """[(k, |r_k| / |b|)] of the positive finite residuals."""
    values = record["history"]
    if not all(value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)) for value in values):
        raise inputs.BadResults(f"history: {record['matrix']} in {record['file']}: {inputs.algorithm(record)} has a "
                                "history with values that are not numbers")
    return [(k, value) for k, value in enumerate(values) if value is not None and value > 0 and math.isfinite(value)]


def line(name, colour, record, step):
    found = points(record)
    return {"label": f"{NAMES[name]}, {inputs.algorithm(record)}: {record['history_outcome']}", "colour": colour,
            "style": "line", "x": [k * step for k, _ in found], "y": [value for _, value in found],
            "algorithm": inputs.algorithm(record)}


def drawings(records, options):
    """The fastest Einkorn row with a history, for every method."""
    records = [r for r in records if not r["peer"] and r.get("history")]
    matrix = inputs.matrix_of(records, options.matrix, "history")
    records = [r for r in records if r["matrix"] == matrix]
    best = {name: fastest([r for r in records if r["operation"] == name]) for name in NAMES}
    shown = {name: (f"C{number}", record) for number, (name, record) in enumerate(best.items()) if record}
    head = {"kind": "lines", "y_label": "residual over |b|", "y_scale": "decades"}
    panels = [
        head | {"title": title, "x_label": label,
                "series": [line(name, colour, record, step(record)) for name, (colour, record) in shown.items()]}
        for title, label, step in (("over iterations", "iterations", lambda record: 1),
                                   ("over time", "time, ms", lambda record: 1e3 * record["seconds"]))]
    drawn = [record for _, record in shown.values()]
    made = inputs.drawing("history", f"Residuals on {inputs.short_name(matrix)}: {drawn[0]['rows']} rows, "
                          f"{drawn[0]['nnz']} entries", drawn, sorted({r["format"] for r in drawn}), panels, 2, "warm")
    missing = [{"matrix": matrix, "scalar": "double", "columns": 1, "layout": "", "row": NAMES[name]}
               for name, record in best.items() if not record]
    return [made | {"not_measured": missing}]
