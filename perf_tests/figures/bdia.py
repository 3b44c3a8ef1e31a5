# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""SpMV of band matrices over the width d of the band, after figure 8 of Wang, Ren & Tian (2013): the rates of the
formats, and heat maps of time and bytes of each format relative to bDIA. Draws all gen:band:N:D of the input."""
import re

import inputs
from records import scalar_rank

NAMES = ["bdia", "dia", "ell", "hyb", "csr", "coo", "cusparse"]
BAND = re.compile(r"gen:band:(\d+):(\d+)")
LIMITS = [0.8, 8.0]  # of the colours of time ratios


def band(record):
    """(n, d), or None for another matrix."""
    match = BAND.fullmatch(record["matrix"])
    return (int(match[1]), int(match[2])) if match and record["columns"] == 1 and not record["layout"] else None


def line(name, points):
    """points: [(d, record)]"""
    return {"label": inputs.label(name), "colour": inputs.COLOURS[name], "style": "dashed" if name == "cusparse" else "solid",
            "x": [d for d, _ in points], "y": [record["gflops"] for _, record in points],
            "algorithm": [inputs.algorithm(record) for _, record in points]}


def cells(label, names, best, base):
    """A column of a heat map: time of every format relative to bDIA, with the relative bytes as text."""
    others = [best[name] if base else None for name in names]
    times = [record and record["seconds"] / base["seconds"] for record in others]
    sizes = [record and record["bytes"] / base["bytes"] for record in others]
    return {"label": str(label), "y": times, "bytes": sizes,
            "text": [time and f"{time:.2f} ({size:.2f})" for time, size in zip(times, sizes)],
            "algorithm": [record and inputs.algorithm(record) for record in others]}


def panels(records, caches):
    rates, ratios = [], []
    for (n, _, scalar), group in inputs.grouped(
            records, lambda r: (band(r)[0], scalar_rank(r["scalar"]), r["scalar"])).items():
        best = {d: {name: inputs.fastest(of_width, name, caches) for name in NAMES}
                for d, of_width in inputs.grouped(group, lambda r: band(r)[1]).items()}
        lines = [line(name, [(d, found[name]) for d, found in best.items() if found[name]])
                 for name in NAMES if any(found[name] for found in best.values())]
        title = f"n = {n}, {scalar}"
        rates.append({"kind": "lines", "title": title, "x_label": "diagonals d", "y_label": "GFLOP/s", "series": lines})
        others = [name for name in NAMES if name != "bdia" and any(found[name] for found in best.values())]
        if others and any(found["bdia"] for found in best.values()):
            ratios.append({"kind": "cells", "title": f"{title}: columns are diagonals d", "x_label": "",
                           "labels": [inputs.label(name) for name in others], "limits": LIMITS,
                           "series": [cells(d, others, found, found["bdia"]) for d, found in best.items()]})
    return rates, ratios


def drawings(records, options):
    records = [r for r in records if band(r)]
    if not records:
        raise inputs.BadResults("bdia: the input has no gen:band:N:D")
    rates, ratios = panels(records, options.caches)
    made = [inputs.drawing("bdia", "SpMV of band matrices", records, NAMES, rates, len({r["scalar"] for r in records}),
                           options.caches)]
    if ratios:  # needs bDIA and another format
        made.append(inputs.drawing("bdia-ratios", "Band SpMV: time over bDIA's, and in brackets bytes over bDIA's", records,
                                   NAMES, ratios, 1, options.caches))
    return made
