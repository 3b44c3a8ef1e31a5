#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""aggregates.py [--check]

Draws docs/figures/aggregates.svg from docs/figures/aggregates.json: the aggregates that the multigrid preconditioner made
of three matrices on a grid. `of_node` of a panel has the aggregate of each point, line by line; the numbers are those of
the library (box_aggregates() and aggregate() with the default options). Needs no matplotlib.

  --check  writes nothing; exits with 1 if the drawing differs from the data

Exit: 0 done, 1 the drawing differs (--check), 2 usage."""
import argparse
import json
import pathlib
import sys

FIGURE = pathlib.Path(__file__).resolve().parents[2] / "docs/figures/aggregates"
CELL, GAP, TITLE, MARGIN = 14, 30, 24, 8  # in pixels
COLOURS = ("#a6cee3", "#fdbf6f", "#b2df8a", "#fb9a99", "#cab2d6", "#ffff99", "#dddddd")


def read():
    return json.loads(FIGURE.with_suffix(".json").read_text(encoding="utf-8"))


def neighbours(panel):
    """Yields pairs of points (i, j), i < j, that are adjacent in the grid."""
    width, nodes = panel["width"], len(panel["of_node"])
    for node in range(nodes):
        if node % width + 1 < width:
            yield node, node + 1
        if node + width < nodes:
            yield node, node + width


def colours(panel):
    """A colour per aggregate, different for aggregates that touch each other: each takes the first free one."""
    touching = {}
    for i, j in neighbours(panel):
        a, b = panel["of_node"][i], panel["of_node"][j]
        if a != b:
            touching.setdefault(a, set()).add(b)
            touching.setdefault(b, set()).add(a)
    chosen = {}
    for aggregate in sorted(set(panel["of_node"])):
        used = {chosen.get(other) for other in touching.get(aggregate, ())}
        chosen[aggregate] = next(number for number in range(len(COLOURS)) if number not in used)
    return chosen


def draw_panel(panel, left):
    width, of_node, chosen = panel["width"], panel["of_node"], colours(panel)
    yield f'<text x="{left}" y="{TITLE - 8}">{panel["title"]}: {len(set(of_node))} aggregates</text>'
    fills, points, edges = {}, [], []
    for node, aggregate in enumerate(of_node):
        x, y = left + node % width * CELL, TITLE + node // width * CELL
        fills.setdefault(COLOURS[chosen[aggregate]], []).append(f"M{x} {y}h{CELL}v{CELL}h-{CELL}z")
        points.append(f"M{x + CELL // 2} {y + CELL // 2}h0")
    for colour, cells in sorted(fills.items()):
        yield f'<path d="{"".join(cells)}" fill="{colour}"/>'
    yield f'<path d="{"".join(points)}" stroke="black" stroke-width="3" stroke-linecap="round"/>'
    for i, j in neighbours(panel):
        if of_node[i] != of_node[j]:
            x, y = left + j % width * CELL, TITLE + j // width * CELL
            edges.append(f"M{x} {y}" + (f"v{CELL}" if j == i + 1 else f"h{CELL}"))
    yield f'<path d="{"".join(edges)}" stroke="black" fill="none"/>'


def draw(data):
    parts, left = [], MARGIN
    for panel in data["panels"]:
        parts += draw_panel(panel, left)
        left += panel["width"] * CELL + GAP
    width = left - GAP + MARGIN
    height = TITLE + MARGIN + max(len(panel["of_node"]) // panel["width"] for panel in data["panels"]) * CELL
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
                      f'font-size="11">', f'<rect width="{width}" height="{height}" fill="white"/>', *parts, "</svg>", ""])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    wanted, path = draw(read()), FIGURE.with_suffix(".svg")
    if not options.check:
        path.write_text(wanted, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
        print(f"aggregates.py: {path} differs from its data", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
