# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""An iteration of CG and of BiCGStab on band matrices over the width d of the band, after figure 9 of Wang, Ren & Tian
(2013): the time of the unfused loop with DIA and of the fused one with DIA and bDIA, and the speed-up with the limit given by
the bytes. Draws all gen:band:N:D of the input with --solve cg or --solve bicgstab, one figure per method."""
import dataclasses

import bdia
import inputs
from records import scalar_rank


@dataclasses.dataclass(frozen=True)
class Method:
    name: str
    products: int  # per iteration
    unfused: int  # n-vectors per iteration of the textbook loop
    fused: int  # the same of the fused loop

    def model(self, d):
        """The bytes of an unfused iteration over those of a fused one: d diagonals per product and the vectors, all of n
        values; for CG in double (8d + 112)/(8d + 64)."""
        return (self.products * d + self.unfused) / (self.products * d + self.fused)

    @property
    def formula(self):
        of_d = f"{8 * self.products}d"
        return f"({of_d} + {8 * self.unfused})/({of_d} + {8 * self.fused})"


METHODS = {"cg": Method("CG", 1, 14, 8), "bicgstab": Method("BiCGStab", 2, 30, 17)}
OPERATIONS = tuple(METHODS)
PAPER = 1.5  # speed-up of bDIA over DIA in CG and BiCGStab on a GTX 285, from the abstract

FIELDS = ("format", "fusion", "execution")
BASE, OURS = ("dia", "unfused", "host_scalars"), ("bdia", "fused", "automatic")
ROWS = {BASE: ("unfused DIA", "dashed"), ("dia", "fused", "automatic"): ("fused DIA", "solid"),
        OURS: ("fused bDIA", "solid")}


def row(record):
    """The key in ROWS, or None."""
    key = tuple(record[name] for name in FIELDS)
    return key if not record["peer"] and key in ROWS else None


def checked(records):
    for record in records:
        method = METHODS[record["operation"]]
        wanted = method.unfused if row(record) == BASE else method.fused
        if record["vectors"] != wanted:
            raise inputs.BadResults(f"solve: {record['matrix']} in {record['file']}: {inputs.algorithm(record)} moves "
                                    f"{record['vectors']} vectors, expected {wanted}")
    return records


def lines(found, widths):
    """Microseconds per iteration of every row. found: {(row, d): record}"""
    made = []
    for key, (label, style) in ROWS.items():
        points = [(d, found[key, d]) for d in widths if (key, d) in found]
        if points:
            made.append({"label": label, "colour": inputs.COLOURS[key[0]], "style": style,
                         "x": [d for d, _ in points], "y": [1e6 * record["seconds"] for _, record in points],
                         "algorithm": [inputs.algorithm(record) for _, record in points]})
    return made


def panels(group, widths, title, method):
    found = {(row(r), bdia.band(r)[1]): r for r in group if r["seconds"] is not None}
    both = [d for d in widths if (BASE, d) in found and (OURS, d) in found]
    ratios = [{"label": "unfused DIA over fused bDIA", "colour": "C2", "style": "solid", "x": both,
               "y": [found[BASE, d]["seconds"] / found[OURS, d]["seconds"] for d in both]}] if both else []
    ratios += [{"label": f"their bytes: {method.formula}", "colour": "black", "style": "dotted", "x": widths,
                "y": [method.model(d) for d in widths]},
               {"label": "the paper's 1.5", "colour": "grey", "style": "line", "x": [widths[0], widths[-1]],
                "y": [PAPER, PAPER]}]
    head = {"kind": "lines", "title": title, "x_label": "diagonals d", "x_scale": "log"}
    return [head | {"y_label": "time per iteration, us", "y_scale": "log", "series": lines(found, widths)},
            head | {"y_label": "speed-up", "series": ratios}]


def absent(groups, widths):
    """The rows without a record, for every n and width of the figure."""
    missing = []
    for (n, _, scalar), group in groups.items():
        there = {(row(r), bdia.band(r)[1]) for r in group}
        missing += [{"matrix": f"gen:band:{n}:{d}", "scalar": scalar, "columns": 1, "layout": "", "row": label}
                    for d in widths for key, (label, _) in ROWS.items() if (key, d) not in there]
    return missing


def drawing(records, name):
    """Solves run back to back, so their caches are warm."""
    method = METHODS[name]
    widths = sorted({bdia.band(r)[1] for r in records})
    groups = inputs.grouped(records, lambda r: (bdia.band(r)[0], *scalar_rank(r["scalar"])))
    made = [panel for (n, _, scalar), group in groups.items()
            for panel in panels(group, widths, f"n = {n}, {scalar}", method)]
    drawn = inputs.drawing(f"bdia-{name}", f"An iteration of {method.name} on band matrices", records, ["bdia", "dia"],
                           made, 2, "warm")
    return drawn | {"not_measured": absent(groups, widths)}


def drawings(records, options):
    records = checked([r for r in records if bdia.band(r) and row(r) and r["temperature"] == "warm"])
    timed = {r["operation"] for r in records if r["seconds"] is not None}
    if not timed:
        raise inputs.BadResults("solve: the input has no time of CG or BiCGStab on gen:band:N:D in DIA or bDIA")
    return [drawing([r for r in records if r["operation"] == name], name) for name in METHODS if name in timed]
