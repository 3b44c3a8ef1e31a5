# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""BRCV after the patent of Chen, Liu & Yang (2022): memory relative to CSR over the height of the stripes, and the time of
SpMM over the columns of the multivector. Draws all gen:stripes:N:HEIGHT:WIDTH of the input."""
import re

import inputs
from records import scalar_rank

NAMES = ["brcv", "csr", "sell", "cusparse"]
STRIPES = re.compile(r"gen:stripes:(\d+):(\d+):(\d+)")


def stripes(record):
    """(rows, height, width), or None for another matrix."""
    match = STRIPES.fullmatch(record["matrix"])
    return tuple(map(int, match.groups())) if match else None


def formula(rows, height, width, scalar, index):
    """Bytes of BRCV over those of CSR by the arrays of the patent, without vectors: p stripes, b and rc of p + 1 numbers, rv
    of p, c of `width` columns per stripe, v of all entries. scalar, index: sizes in bytes."""
    p, entries = -(-rows // height), rows * width
    brcv = entries * scalar + (3 * p + 2 + p * width) * index
    return brcv / (entries * (scalar + index) + (rows + 1) * index)


def memory_panel(rows, scalar, group):
    sizes = inputs.sizes(group[0])
    series = []
    for number, (width, of_width) in enumerate(inputs.grouped(group, lambda r: stripes(r)[2]).items()):
        found = {}
        for record in of_width:  # SpMV and SpMM use the same matrix
            same = found.setdefault(stripes(record)[1], record)
            if record["bytes"] - inputs.vector_bytes(record) != same["bytes"] - inputs.vector_bytes(same):
                raise inputs.BadResults(f"brcv: {record['matrix']} has different bytes in {same['file']} and "
                                        f"{record['file']}, vectors not counted")
        heights = sorted(found)
        every = sorted({*range(1, min(heights[-1], 64) + 1), *heights})
        head = {"colour": f"C{number}", "label": f"{width} entries per row"}
        bytes_of = [found[h]["bytes"] - inputs.vector_bytes(found[h]) for h in heights]
        csr_bytes = [found[h]["csr_bytes"] - inputs.vector_bytes(found[h]) for h in heights]
        series.append(head | {"style": "points", "x": heights, "y": [a / b for a, b in zip(bytes_of, csr_bytes)],
                              "bytes": bytes_of, "csr_bytes": csr_bytes,
                              "preferred_by_rule": [4 * -(-rows // h) < 2 * rows - 1 for h in heights]})
        series.append(head | {"style": "line", "in_legend": False, "x": every,
                              "y": [formula(rows, h, width, *sizes) for h in every]})
    return {"kind": "lines", "title": f"m = {rows}, {scalar}", "x_label": "height of the stripes, rows",
            "x_scale": "log", "y_label": "BRCV's bytes over CSR's (line: formula)", "series": series,
            "marks": [{"x": 4 * rows / (2 * rows - 1), "label": "p = (2m - 1)/4: BRCV to the right"}]}


def memory(records, options):
    """The memory figure uses every record of BRCV, independent of its temperature."""
    built = [r for r in records if not r["peer"] and r["format"] == "brcv" and r["seconds"] is not None]
    panels = [memory_panel(rows, scalar, group) for (_, scalar, rows), group in inputs.grouped(
        built, lambda r: (scalar_rank(r["scalar"]), r["scalar"], stripes(r)[0])).items()]
    if not panels:
        return []
    return [inputs.drawing("brcv-memory", "Memory of BRCV", records, ["brcv"], panels, len(panels), None)]


def spmm_panel(matrix, layout, group, caches):
    columns = inputs.grouped(group, lambda r: r["columns"])
    series = []
    for name in NAMES:
        best = {k: inputs.fastest(of_columns, name, caches) for k, of_columns in columns.items()}
        points = [(k, record) for k, record in best.items() if record]
        if points:
            series.append({"label": inputs.label(name), "colour": inputs.COLOURS[name],
                           "style": "dashed" if name == "cusparse" else "solid", "x": [k for k, _ in points],
                           "y": [1e6 * record["seconds"] for _, record in points],
                           "algorithm": [inputs.algorithm(record) for _, record in points]})
    return {"kind": "lines", "title": f"{matrix}, layout {layout}", "x_label": "columns k", "x_scale": "log",
            "y_label": "time per SpMM, us", "y_scale": "log", "series": series}


def spmm(records, options):
    made = []
    several = [r for r in records if r["layout"]]
    for (_, scalar), group in inputs.grouped(several, lambda r: (scalar_rank(r["scalar"]), r["scalar"])).items():
        parts = inputs.grouped(group, lambda r: (*stripes(r), r["matrix"], r["layout"]))
        panels = [spmm_panel(key[3], key[4], part, options.caches) for key, part in parts.items()]
        made.append(inputs.drawing(f"brcv-spmm-{scalar}", f"SpMM of matrices in stripes, {scalar}", group, NAMES,
                                   panels, len({r["layout"] for r in group}), options.caches))
    return made


def drawings(records, options):
    records = [r for r in records if stripes(r)]
    made = memory(records, options) + spmm(records, options)
    if not made:
        raise inputs.BadResults("brcv: the input has no gen:stripes:N:HEIGHT:WIDTH in BRCV and none with --columns")
    return made
