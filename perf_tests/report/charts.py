# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The drawings of one run, as numbers that perf_tests/figures/canvas.py draws: a heat map of formats and peers, the
speed-up over the best peer, and for perf_tests/plot every row over its roofline."""
import hashlib
import json
import pathlib
import sys

from comparison import compared, wins_first
from records import fastest, in_order, label, temperatures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "figures"))
import inputs  # noqa: E402

FLOOR = "time over the floor: the bytes of the format at the speed of the stream; where the run has one, its own floor"
MIN_MATRICES = 3  # of a drawing
KINDS = {"stencils and bands": ("stencil", "elasticity", "band", "laplace", "convection", "helmholtz", "tridiagonal"),
         "blocks and stripes": ("stripes", "block"),
         "irregular": ("rmat", "powerlaw", "circuit", "longrows", "random", "scatter")}
SHADES = ["black", "dimgrey", "darkgrey", "saddlebrown", "navy", "darkgreen", "purple", "crimson"]  # of peers


def kind(compared_one):
    """The suite, the category of the generator, or "from files"."""
    if compared_one.suite:
        return f"suite {compared_one.suite}"
    name = compared_one.rows[0]["matrix"]
    if not name.startswith("gen:"):
        return "from files"
    made = name.split(":")[1]
    return next((title for title, starts in KINDS.items() if made.startswith(starts)), "other")


def peer_name(record):
    return f"{inputs.LIBRARIES.get(record['library'], record['library'])} {record['format'].upper()}"


def row_name(record):
    return peer_name(record) if record["peer"] else inputs.FORMATS.get(record["format"], record["format"])


def row_names(every):
    """(name, is a peer, colour): Einkorn formats in the order of the legend, then the peers."""
    rows = [r for c in every for r in c.rows]
    found = in_order(row_name(r) for r in rows if not r["peer"])
    known = [name for name in inputs.FORMATS.values() if name in found]
    ours = known + [name for name in found if name not in known]
    peers = sorted(in_order(row_name(r) for r in rows if r["peer"]))
    return ([(name, False, f"C{list(inputs.FORMATS.values()).index(name)}" if name in known else "black") for name in ours] +
            [(name, True, SHADES[number % len(SHADES)]) for number, name in enumerate(peers)])


def best_of(c, name):
    """The fastest algorithm of a format of Einkorn or of a peer."""
    return fastest([r for r in c.rows if row_name(r) == name])


def short(name):
    return name.removeprefix("gen:").rsplit("/", 1)[-1].removesuffix(".gz").removesuffix(".mtx")


def floor(record):
    """Lower bound in seconds: floor_seconds of the record, or else the bytes of the format over the stream bandwidth."""
    rate = record.get("stream_gb_per_s") or record["copy_gb_per_s"]
    return record.get("floor_seconds") or record["bytes"] / (1e9 * rate)


def over(members, names, value):
    """Series of a panel: per name and matrix one number (None: not measured) and the algorithm."""
    made = []
    for name, is_peer, colour in names:
        rows = [best_of(c, name) for c in members]
        if any(rows):
            made.append({"label": name, "hollow": is_peer, "colour": colour,
                         "y": [value(r, c) if r else None for r, c in zip(rows, members)],
                         "algorithm": [label(r) if r else None for r in rows]})
    return made


def roofline(every):
    panels, kinds = [], in_order(map(kind, every))
    for title in kinds:
        members = [c for c in every if kind(c) == title]
        panels.append({"kind": "dots", "title": title, "labels": [short(c.name) for c in members], "x_scale": "log",
                       "x_label": "" if len(panels) + 1 < len(kinds) else FLOOR,
                       "line": 1.0, "series": over(members, row_names(every), lambda r, _: r["seconds"] / floor(r))})
    return "time over the floor", panels


def formats(every):
    """A heat map: a row per matrix, a column per Einkorn format and peer library."""
    ours = [name for name, is_peer, _ in row_names(every) if not is_peer]
    libraries = in_order(r["library"] for c in every for r in c.rows if r["peer"])
    if len(ours) < MIN_MATRICES:
        return None
    columns = [(name, lambda r, name=name: not r["peer"] and row_name(r) == name) for name in ours]
    columns += [(inputs.LIBRARIES.get(name, name), lambda r, name=name: r["peer"] and r["library"] == name)
                for name in libraries]
    series = []
    for name, wanted in columns:
        rows = [fastest([r for r in c.rows if wanted(r)]) for c in every]
        series.append({"label": name, "y": [r and fastest(c.rows)["seconds"] / r["seconds"] for r, c in zip(rows, every)],
                       "algorithm": [r and label(r) for r in rows]})
    return "speed of every format and library as a fraction of the fastest", [
        {"kind": "cells", "title": "1.00: the fastest of all; empty: not possible or not measured",
         "labels": [short(c.name) for c in every], "x_label": "", "series": series}]


def speedup(every):
    ranked = [c for c in wins_first(every) if c.speedup() is not None]
    if len(ranked) < MIN_MATRICES:
        return None
    series = [{"label": "the fastest of ours", "hollow": False, "colour": "C0", "y": [c.speedup() for c in ranked],
               "algorithm": [label(c.ours) for c in ranked], "peer": [label(c.peer) for c in ranked]}]
    if any(c.chosen for c in ranked):
        series.append({"label": "what select() chose", "hollow": True, "colour": "C1",
                       "y": [c.speedup("chosen") for c in ranked],
                       "algorithm": [c.chosen and label(c.chosen) for c in ranked]})
    return "speed-up over the best peer", [
        {"kind": "dots", "title": "time of the best peer over ours", "labels": [short(c.name) for c in ranked],
         "x_scale": "log", "x_label": "right of the line ours is faster", "line": 1.0, "series": series}]


CHARTS = {"formats": formats, "speedup": speedup}


def drawings(run):
    """The drawings of the first temperature of a run: cold if it was measured."""
    made = []
    for state in temperatures(run.records)[:1]:
        every = [c for c in compared(run, state) if c.rows[0]["columns"] == 1]
        rows = [r for c in every for r in c.rows]
        for name, chart in CHARTS.items():
            found = chart(every) if len(every) >= MIN_MATRICES else None
            if found:
                title, panels = found
                made.append({"figure": f"{run.title}-{name}", "title": f"{run.scalar}: {title}", "caches": state,
                             "context": inputs.context(rows), "columns": 1, "panels": panels, "refused": [],
                             "not_measured": []})
    return made


def digest(drawing):
    """The digest of the numbers, stored in the SVG."""
    text = json.dumps(drawing | {"caption": inputs.caption(drawing)}, allow_nan=False)
    return "numbers " + hashlib.sha256(text.encode()).hexdigest()[:16]
