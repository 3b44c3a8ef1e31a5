# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""An iteration of CG on band matrices over the width d of the band, after figure 9 of Wang, Ren & Tian (2013): the time
of the unfused loop over DIA and of the fused one over DIA and bDIA, and the speed-up beside what the bytes allow. Draws
all gen:band:N:D of the input that were measured with --solve cg."""
import bdia
import inputs
from records import scalar_rank

OPERATION = "cg"
UNFUSED, FUSED = 14, 9  # vectors that an iteration moves: the textbook's loop, and ours
PAPER = 1.5  # of bDIA over DIA in CG, by its abstract, on a GTX 285

FIELDS = ("format", "fusion", "execution")
BASE, OURS = ("dia", "unfused", "host_scalars"), ("bdia", "fused", "automatic")
ROWS = {BASE: ("unfused DIA", "dashed", UNFUSED), ("dia", "fused", "automatic"): ("fused DIA", "solid", FUSED),
        OURS: ("fused bDIA", "solid", FUSED)}


def row(record):
    """Which of ROWS, or None."""
    key = tuple(record[name] for name in FIELDS)
    return key if not record["peer"] and key in ROWS else None


def model(d):
    """The bytes of an unfused iteration over those of a fused one: d diagonals and the vectors, all of n values; in
    doubles (8d + 112)/(8d + 72)."""
    return (d + UNFUSED) / (d + FUSED)


def checked(records):
    for record in records:
        wanted = ROWS[row(record)][2]
        if record["vectors"] != wanted:
            raise inputs.BadResults(f"solve: {record['matrix']} in {record['file']}: {inputs.algorithm(record)} moves "
                                    f"{record['vectors']} vectors, expected {wanted}")
    return records


def lines(found, widths):
    """Of every row: microseconds an iteration. found: (row, d) -> record"""
    made = []
    for key, (label, style, _) in ROWS.items():
        points = [(d, found[key, d]) for d in widths if (key, d) in found]
        if points:
            made.append({"label": label, "colour": inputs.COLOURS[key[0]], "style": style,
                         "x": [d for d, _ in points], "y": [1e6 * record["seconds"] for _, record in points],
                         "algorithm": [inputs.algorithm(record) for _, record in points]})
    return made


def panels(group, widths, title):
    found = {(row(r), bdia.band(r)[1]): r for r in group if r["seconds"] is not None}
    both = [d for d in widths if (BASE, d) in found and (OURS, d) in found]
    ratios = [{"label": "unfused DIA over fused bDIA", "colour": "C2", "style": "solid", "x": both,
               "y": [found[BASE, d]["seconds"] / found[OURS, d]["seconds"] for d in both]}] if both else []
    ratios += [{"label": "their bytes: (8d + 112)/(8d + 72)", "colour": "black", "style": "dotted", "x": widths,
                "y": [model(d) for d in widths]},
               {"label": "the paper's 1.5", "colour": "grey", "style": "line", "x": [widths[0], widths[-1]],
                "y": [PAPER, PAPER]}]
    head = {"kind": "lines", "title": title, "x_label": "diagonals d", "x_scale": "log"}
    return [head | {"y_label": "time of an iteration, us", "y_scale": "log", "series": lines(found, widths)},
            head | {"y_label": "speed-up", "series": ratios}]


def absent(groups, widths):
    """Of every n the rows without a record, at all widths of the figure."""
    missing = []
    for (n, _, scalar), group in groups.items():
        there = {(row(r), bdia.band(r)[1]) for r in group}
        missing += [{"matrix": f"gen:band:{n}:{d}", "scalar": scalar, "columns": 1, "layout": "", "row": label}
                    for d in widths for key, (label, *_) in ROWS.items() if (key, d) not in there]
    return missing


def drawings(records, options):
    """Solves follow one another, so that their caches are warm."""
    records = checked([r for r in records if bdia.band(r) and row(r) and r["temperature"] == "warm"])
    if not any(r["seconds"] is not None for r in records):
        raise inputs.BadResults("solve: the input has no time of CG on gen:band:N:D in DIA or bDIA")
    widths = sorted({bdia.band(r)[1] for r in records})
    groups = inputs.grouped(records, lambda r: (bdia.band(r)[0], *scalar_rank(r["scalar"])))
    made = [panel for (n, _, scalar), group in groups.items() for panel in panels(group, widths, f"n = {n}, {scalar}")]
    drawn = inputs.drawing("bdia-cg", "An iteration of CG on band matrices", records, ["bdia", "dia"], made, 2, "warm")
    return [drawn | {"not_measured": absent(groups, widths)}]
