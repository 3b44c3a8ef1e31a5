# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Draws a drawing (inputs.drawing) as SVG or PNG; the only module that uses matplotlib. With the same matplotlib, the same
drawing gives the same bytes, independent of the settings of the user."""
import textwrap

import matplotlib
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

import inputs

STYLES = {"solid": {"linestyle": "-", "marker": "o"}, "dashed": {"linestyle": "--", "marker": "x"},
          "dotted": {"linestyle": ":", "marker": "."}, "line": {"linestyle": "-"},
          "points": {"linestyle": "none", "marker": "o"}}
SETTINGS = {"svg.hashsalt": "einkorn", "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 8,
            "legend.fontsize": 7, "lines.markersize": 3, "lines.linewidth": 1.2, "axes.grid": True, "grid.alpha": 0.3}
WIDTH, HEIGHT = 4.8, 3.4  # of a panel, in inches
LEGEND = 2.1  # width of the legend, beside the panels
LEGEND_CHARACTERS = 28  # per line of the legend


def draw_lines(axes, panel):
    for series in panel["series"]:
        axes.plot(series["x"], series["y"], color=series["colour"], **STYLES[series["style"]],
                  label=series["label"] if series.get("in_legend", True) else None)
    for mark in panel.get("marks", ()):
        axes.axvline(mark["x"], color="grey", linestyle="--", linewidth=0.8, label=mark["label"])
    axes.set_xscale(panel.get("x_scale", "linear"))
    axes.set_yscale("log" if panel.get("y_scale") == "decades" else panel.get("y_scale", "linear"))
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    if panel.get("x_scale") == "log":
        measured = {x for series in panel["series"] if series.get("in_legend", True) for x in series["x"]}
        axes.set_xticks(sorted(measured))
        axes.set_xticks([], minor=True)
        axes.xaxis.set_major_formatter(plain)
    if panel.get("y_scale") == "log":
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(plain)
        axes.set_yticks([], minor=True)
    elif panel.get("y_scale") == "decades":  # too many decades for all ticks
        axes.yaxis.set_major_locator(LogLocator(numticks=8))
        axes.set_yticks([], minor=True)
    else:
        axes.set_ylim(bottom=0)


def draw_bars(axes, panel):
    """Horizontal bars, the first label on top; hollow series are hatched. A black mark shows the lower bound, if any."""
    thick = 0.8 / len(panel["series"])
    for number, series in enumerate(panel["series"]):
        shown = [(position, value) for position, value in enumerate(series["y"]) if value is not None]
        hollow = series.get("hollow", False)
        axes.barh([position - 0.4 + (number + 0.5) * thick for position, _ in shown], [value for _, value in shown],
                  height=thick, label=series["label"], edgecolor=series["colour"], linewidth=0.5,
                  hatch="////" if hollow else None, color="none" if hollow else series["colour"])
    positions = range(len(panel["labels"]))
    if "floor" in panel:
        floor = panel["floor"]
        axes.vlines(floor["y"], [p - 0.45 for p in positions], [p + 0.45 for p in positions], color="black", label=floor["label"])
    axes.set_yticks(list(positions), panel["labels"])
    axes.set_ylim(len(panel["labels"]) - 0.5, -0.5)
    axes.grid(False, axis="y")


def draw_dots(axes, panel):
    """One row per label, the first on top; peers are hollow. A vertical line at equality."""
    axes.axvline(panel["line"], color="black", linewidth=0.8)
    for series in panel["series"]:
        shown = [(value, position) for position, value in enumerate(series["y"]) if value is not None]
        axes.plot([value for value, _ in shown], [position for _, position in shown], linestyle="none", marker="o",
                  markersize=4.5, color=series["colour"],
                  markerfacecolor="none" if series["hollow"] else series["colour"],
                  label=series["label"])
    axes.set_xscale(panel["x_scale"])
    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high > 12 * low else (1, 1.2, 1.5, 2, 3, 5, 7)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(panel["labels"])), panel["labels"])
    axes.set_ylim(len(panel["labels"]) - 0.5, -0.5)


def draw_cells(axes, panel):
    """A heat map: one row per label, one column per series, each cell with its number or text. With `limits`: multiples on
    a logarithmic scale, darker is larger; otherwise fractions, darker is smaller."""
    values = [[series["y"][position] for series in panel["series"]] for position in range(len(panel["labels"]))]
    shades = [[float("nan") if value is None else value for value in line] for line in values]
    multiples = "limits" in panel
    norm = LogNorm(*panel["limits"], clip=True) if multiples else Normalize(0, 1)
    axes.grid(False)
    axes.pcolormesh(shades, cmap="viridis_r" if multiples else "viridis", norm=norm, edgecolors="white", linewidth=0.5)
    for position, line in enumerate(values):
        for column, value in enumerate(line):
            if value is not None:
                texts = panel["series"][column].get("text")
                shown = texts[position] if texts else f"{value:.2f}" if value >= 0.005 else "<.01"
                light = norm(value) < 0.4 if multiples else value > 0.6
                axes.text(column + 0.5, position + 0.5, shown, ha="center", va="center", fontsize=6.5,
                          color="black" if light else "white")
    names = [series["label"] for series in panel["series"]]
    slanted = {"rotation": 30, "ha": "left"} if max(map(len, names)) > 5 else {}
    axes.set_xticks([column + 0.5 for column in range(len(names))], names, **slanted)
    axes.set_yticks([position + 0.5 for position in range(len(values))], panel["labels"])
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    axes.invert_yaxis()


KINDS = {"bars": draw_bars, "dots": draw_dots, "cells": draw_cells, "lines": draw_lines}


def size_of(panel):
    """Width and height of a panel in inches, by its number of labels."""
    many = len(panel.get("labels", ()))
    if panel["kind"] in ("dots", "cells"):
        return max(6.5, 0.75 * len(panel["series"]) if panel["kind"] == "cells" else 0), max(0.9, 0.19 * many + 0.8)
    if panel["kind"] == "bars":
        return WIDTH, 0.6 + many * max(0.2, 0.1 * len(panel["series"]))
    return WIDTH, HEIGHT


def figure_of(drawing):
    panels = [panel for panel in drawing["panels"] if panel["series"]]
    columns = min(drawing["columns"], len(panels))
    rows = -(-len(panels) // columns)
    sizes = [size_of(panel) for panel in panels]
    heights = [max(height for _, height in sizes[row * columns:(row + 1) * columns]) for row in range(rows)]
    width, height = max(6.4, columns * max(width for width, _ in sizes)), sum(heights) + 0.8
    legend = LEGEND if any(panel["kind"] != "cells" for panel in panels) else 0
    made = Figure(figsize=(width + legend, height), layout="constrained")
    shown, grid = {}, made.subplots(rows, columns, squeeze=False, height_ratios=heights)
    for number, axes in enumerate(grid.flat):
        if number >= len(panels):
            axes.set_axis_off()
            continue
        panel = panels[number]
        KINDS[panel["kind"]](axes, panel)
        axes.set_title(panel["title"])
        axes.set_xlabel(panel["x_label"])
        axes.set_ylabel(panel.get("y_label", ""))
        for handle, name in zip(*axes.get_legend_handles_labels()):
            shown.setdefault(textwrap.fill(name, LEGEND_CHARACTERS), handle)
    if legend:
        made.legend(shown.values(), shown.keys(), loc="upper right")
        made.get_layout_engine().set(rect=(0, 0, 1 - legend / made.get_figwidth(), 1))
    made.suptitle(drawing["title"])
    made.supxlabel("\n".join(textwrap.wrap(inputs.caption(drawing), int(16 * made.get_figwidth()))), fontsize=7)
    return made


def draw(drawing, path, description=None):
    """Writes .svg or .png, by the suffix of path. The description is stored in the SVG as metadata."""
    metadata = {"Software": None}
    if path.suffix == ".svg":
        metadata = {"Date": None, "Creator": None} | ({"Description": description} if description else {})
    matplotlib.rcdefaults()
    with matplotlib.rc_context(SETTINGS):
        figure_of(drawing).savefig(path, dpi=150, metadata=metadata)
