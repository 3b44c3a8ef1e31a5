#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""multigrid.py [--out DIR] FILE.json

Draws multigrid.svg, and a JSON file of its numbers: the residual over seconds of CG with multigrid and of CG, one panel per
problem, from the histories of `einkorn.perf.multigrid --history --json FILE.json`. A line starts at the seconds of the
set-up; an iteration takes the seconds of the solve divided by its iterations. Needs matplotlib (Debian:
python3-matplotlib, /usr/bin/python3).

Exit: 0 done, 2 usage, 3 the file cannot be drawn, 4 matplotlib is missing."""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

COLOURS = {"multigrid": "C0", "cg": "C1", "jacobi": "C2"}


class BadResults(Exception):
    """The file has nothing to draw."""


def line(method):
    """The series of a method with a history and times."""
    seconds = method["seconds"]
    start, solve = seconds.get("set_up", {"median": 0.0})["median"], seconds["solve"]["median"]
    step = solve / max(method["iterations"], 1)
    residuals = [(k, value) for k, value in enumerate(method["history"]) if value > 0]
    return {"label": f"{method['name']}: {method['iterations']} iterations, {1e3 * (start + solve):.3g} ms",
            "colour": COLOURS[method["method"]], "style": "line",
            "x": [round(1e3 * (start + k * step), 6) for k, _ in residuals], "y": [value for _, value in residuals]}


def panel(problem):
    series = [line(method) for method in problem["methods"] if method.get("history") and "seconds" in method]
    return {"kind": "lines", "title": f"{problem['problem']}: {problem['rows']} rows", "x_label": "time with set-up, ms",
            "y_label": "residual over |b|", "y_scale": "decades", "series": series}


def drawing(record):
    panels = [made for made in map(panel, record["problems"]) if made["series"]]
    if not panels:
        raise BadResults("no problem has a history: measure with --history")
    caption = "; ".join([record["machine"], record["backend"], f"Kokkos {record['kokkos_version']}",
                         f"Einkorn {record['commit']}", f"medians of {record['repeat']} rounds"])
    return {"figure": "multigrid", "title": "Residual of CG with multigrid and of CG over time", "columns": 2,
            "panels": panels, "caption": caption}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, metavar="FILE.json")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="output folder, created if missing")
    options = parser.parse_args(arguments)
    try:
        import canvas
    except ImportError as error:
        print(f"multigrid.py: {sys.executable} cannot import matplotlib ({error})", file=sys.stderr)
        return 4
    try:
        made = drawing(json.loads(options.file.read_text(encoding="utf-8")))
        options.out.mkdir(parents=True, exist_ok=True)
        canvas.draw(made, options.out / "multigrid.svg")
        (options.out / "multigrid.json").write_text(json.dumps(made, allow_nan=False) + "\n", encoding="utf-8")
    except (BadResults, KeyError, OSError, ValueError) as error:
        print(f"multigrid.py: {options.file}: {error!r}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
