# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""SpMV of band matrices over the width d of the band, after figure 8 of Wang, Ren & Tian (2013): the rates of the
formats, and of each format time and bytes as multiples of bDIA's. Draws all gen:band:N:D of the input."""
import re

import inputs
from records import scalar_rank

NAMES = ["bdia", "dia", "ell", "hyb", "csr", "coo", "cusparse"]
BAND = re.compile(r"gen:band:(\d+):(\d+)")


def band(record):
    """(n, d), or None for another matrix."""
    match = BAND.fullmatch(record["matrix"])
    return (int(match[1]), int(match[2])) if match and record["columns"] == 1 and not record["layout"] else None


def line(name, points, style, value):
    """points: [(d, record, bDIA's record)]"""
    return {"label": inputs.label(name), "colour": inputs.COLOURS[name],
            "style": "dashed" if name == "cusparse" and style == "solid" else style,
            "x": [d for d, _, _ in points], "y": [value(record, ours) for _, record, ours in points],
            "algorithm": [inputs.algorithm(record) for _, record, _ in points]}


def panels(records, caches):
    rates, ratios = [], []
    for (n, _, scalar), group in inputs.grouped(
            records, lambda r: (band(r)[0], scalar_rank(r["scalar"]), r["scalar"])).items():
        widths = inputs.grouped(group, lambda r: band(r)[1])
        base = {d: inputs.fastest(of_width, "bdia", caches) for d, of_width in widths.items()}
        rate_lines, ratio_lines = [], []
        for name in NAMES:
            best = {d: inputs.fastest(of_width, name, caches) for d, of_width in widths.items()}
            points = [(d, record, base[d]) for d, record in best.items() if record]
            beside = [point for point in points if point[2]]
            if points:
                rate_lines.append(line(name, points, "solid", lambda r, _: r["gflops"]))
            if beside and name != "bdia":
                ratio_lines.append(line(name, beside, "solid", lambda r, ours: r["seconds"] / ours["seconds"]))
                ratio_lines.append(line(name, beside, "dotted", lambda r, ours: r["bytes"] / ours["bytes"]) |
                                   {"in_legend": False})
        head = {"kind": "lines", "title": f"n = {n}, {scalar}", "x_label": "diagonals d"}
        rates.append(head | {"y_label": "GFLOP/s", "series": rate_lines})
        ratios.append(head | {"y_label": "multiple of bDIA's time (lines), bytes (dotted)", "series": ratio_lines})
    return rates, ratios


def drawings(records, options):
    records = [r for r in records if band(r)]
    if not records:
        raise inputs.BadResults("bdia: the input has no gen:band:N:D")
    rates, ratios = panels(records, options.caches)
    columns = len({r["scalar"] for r in records})
    common = (columns, options.caches)
    made = [inputs.drawing("bdia", "SpMV of band matrices", records, NAMES, rates, *common)]
    if any(panel["series"] for panel in ratios):  # not without bDIA, and not with bDIA alone
        made.append(inputs.drawing("bdia-ratios", "Time and bytes of band SpMV beside bDIA's", records, NAMES, ratios,
                                   *common))
    return made
