# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""SpMV of one mesh matrix in every format, after figure 10 of Huang, Ding & Luo: bars, fastest first, with the time to
copy the bytes of the format."""
import re

import inputs
from records import scalar_rank

STATES = {"cold": "cold caches", "warm": "warm caches"}


def panel(group, names, scalar):
    """Bars, sorted by the first measured temperature: the fastest algorithm of every format per temperature."""
    bars = {}
    for name in names:
        found = {state: inputs.fastest(group, name, state) for state in STATES}
        if any(found.values()):
            bars[name] = found
    states = [state for state in STATES if any(found[state] for found in bars.values())]
    ordered = sorted(bars, key=lambda name: next((i, bars[name][s]["seconds"]) for i, s in enumerate(states)
                                                 if bars[name][s]))
    floors = []
    for name in ordered:
        record = next(r for r in bars[name].values() if r)
        floors.append(1e6 * record["bytes"] / (1e9 * record["copy_gb_per_s"]))
    series = [{"label": STATES[state], "colour": colour,
               "y": [1e6 * bars[name][state]["seconds"] if bars[name][state] else None for name in ordered],
               "algorithm": [bars[name][state] and inputs.algorithm(bars[name][state]) for name in ordered]}
              for state, colour in zip(STATES, ("C0", "C1")) if state in states]
    return {"kind": "bars", "title": scalar, "x_label": "time per SpMV, us",
            "labels": [inputs.label(name) for name in ordered], "series": series,
            "floor": {"label": "bytes of the format at the speed of a copy", "y": floors}}


def drawings(records, options):
    records = [r for r in records if r["columns"] == 1 and not r["layout"]]
    matrix = inputs.matrix_of(records, options.matrix, "mesh")
    records = [r for r in records if r["matrix"] == matrix]
    names = [name for name in (*inputs.FORMATS, *inputs.LIBRARIES) if inputs.of(records, name)]
    scalars = inputs.grouped(records, lambda r: (scalar_rank(r["scalar"]), r["scalar"]))
    panels = [panel(group, names, scalar) for (_, scalar), group in scalars.items()]
    states = " and ".join(state for state in STATES if any(
        STATES[state] == series["label"] for made in panels for series in made["series"]))
    short = inputs.short_name(matrix)
    figure = "mesh-" + re.sub(r"[^A-Za-z0-9]+", "-", short.removeprefix("gen:")).strip("-")
    title = f"SpMV of {short}: {records[0]['rows']} rows, {records[0]['nnz']} entries"
    return [inputs.drawing(figure, title, records, names, panels, len(panels), states)]
