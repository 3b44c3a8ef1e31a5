# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""A drawing (inputs.drawing) as SVG or PNG. All of matplotlib is here. The same drawing gives the same bytes with the
same matplotlib; the settings of the user do not matter."""
import textwrap

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

import inputs

STYLES = {"solid": {"linestyle": "-", "marker": "o"}, "dashed": {"linestyle": "--", "marker": "x"},
          "dotted": {"linestyle": ":", "marker": "."}, "line": {"linestyle": "-"},
          "points": {"linestyle": "none", "marker": "o"}}
SETTINGS = {"svg.hashsalt": "einkorn", "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 8,
            "legend.fontsize": 7, "lines.markersize": 3, "lines.linewidth": 1.2, "axes.grid": True, "grid.alpha": 0.3}
WIDTH, HEIGHT = 4.8, 3.4  # of a panel, in inches


def draw_lines(axes, panel):
    for series in panel["series"]:
        axes.plot(series["x"], series["y"], color=series["colour"], **STYLES[series["style"]],
                  label=series["label"] if series.get("in_legend", True) else None)
    for mark in panel.get("marks", ()):
        axes.axvline(mark["x"], color="grey", linestyle="--", linewidth=0.8, label=mark["label"])
    axes.set_xscale(panel.get("x_scale", "linear"))
    axes.set_yscale(panel.get("y_scale", "linear"))
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
    else:
        axes.set_ylim(bottom=0)


def draw_bars(axes, panel):
    """Horizontal, the first label on top."""
    thick = 0.8 / len(panel["series"])
    for number, series in enumerate(panel["series"]):
        shown = [(place, value) for place, value in enumerate(series["y"]) if value is not None]
        axes.barh([place - 0.4 + (number + 0.5) * thick for place, _ in shown], [value for _, value in shown],
                  height=thick, color=series["colour"], label=series["label"])
    floor = panel["floor"]
    places = range(len(panel["labels"]))
    axes.vlines(floor["y"], [p - 0.45 for p in places], [p + 0.45 for p in places], color="black", label=floor["label"])
    axes.set_yticks(list(places), panel["labels"])
    axes.invert_yaxis()
    axes.grid(False, axis="y")


def figure_of(drawing):
    panels = [panel for panel in drawing["panels"] if panel["series"]]
    columns = min(drawing["columns"], len(panels))
    rows = -(-len(panels) // columns)
    made = Figure(figsize=(max(WIDTH * columns, 6.4), HEIGHT * rows + 0.8), layout="constrained")
    shown, grid = {}, made.subplots(rows, columns, squeeze=False)
    for number, axes in enumerate(grid.flat):
        if number >= len(panels):
            axes.set_axis_off()
            continue
        panel = panels[number]
        (draw_bars if panel["kind"] == "bars" else draw_lines)(axes, panel)
        axes.set_title(panel["title"])
        axes.set_xlabel(panel["x_label"])
        axes.set_ylabel(panel.get("y_label", ""))
        for handle, name in zip(*axes.get_legend_handles_labels()):
            shown.setdefault(name, handle)
    grid.flat[0].legend(shown.values(), shown.keys(), loc="best")
    made.suptitle(drawing["title"])
    made.supxlabel("\n".join(textwrap.wrap(inputs.caption(drawing), int(15 * made.get_figwidth()))), fontsize=7)
    return made


def draw(drawing, path):
    """The suffix of path is the kind of picture: .svg or .png."""
    metadata = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
    matplotlib.rcdefaults()
    with matplotlib.rc_context(SETTINGS):
        figure_of(drawing).savefig(path, dpi=150, metadata=metadata)
