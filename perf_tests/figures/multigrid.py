#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""multigrid.py [--check | --out DIR FILE.json...]

Without files: writes the marked block of docs/multigrid.md, the times of the committed runs of `einkorn.perf.multigrid --history
--json` (measured/multigrid), and docs/figures/multigrid.svg with a JSON file of its numbers: the residual over seconds of CG with
multigrid and of another solver, one panel per problem with histories. A line starts at the seconds of the set-up; an iteration
takes the seconds of the solve divided by its iterations. With files: the figure of these runs, which are of one machine and one
build. Only the figure needs matplotlib (Debian: python3-matplotlib, /usr/bin/python3).

  --check    writes nothing; exits with 1 if the page or the figure does not match the runs

Exit: 0 done, 1 the page or the figure differs (--check), 2 usage, 3 the files cannot be drawn, 4 matplotlib is missing."""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
import generated_files  # noqa: E402
from records import BadResults  # noqa: E402
from tables import fill_block, paragraph, table, three  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, FIGURE, MARK = "docs/multigrid.md", "docs/figures/multigrid", "multigrid-measured"
RUNS = "perf_tests/figures/measured/multigrid"
COLOURS = {"multigrid": "C0", "cg": "C1", "jacobi": "C2"}
OTHERS = {"cg": "CG", "jacobi": "CG, scaled by Jacobi"}


def median(method, step):
    return method.get("seconds", {}).get(step, {}).get("median")


def line(method):
    """The series of a method with a history and times."""
    start, solve = median(method, "set_up") or 0.0, median(method, "solve")
    step = solve / max(method["iterations"], 1)
    residuals = [(k, value) for k, value in enumerate(method["history"]) if value > 0]
    return {"label": method["name"], "colour": COLOURS[method["method"]], "style": "line",
            "x": [round(1e3 * (start + k * step), 6) for k, _ in residuals], "y": [value for _, value in residuals]}


def panel(problem):
    shown = [method for method in problem["methods"] if method.get("history") and "seconds" in method]
    results = ", ".join(f"{method['method']} {method['iterations']} in "
                        f"{1e3 * ((median(method, 'set_up') or 0.0) + median(method, 'solve')):.3g} ms" for method in shown)
    return {"kind": "lines", "title": f"{problem['problem']}, {problem['rows']} rows\niterations: {results}", "x_label": "time with set-up, ms",
            "y_label": "residual over |b|", "y_scale": "decades", "series": [line(method) for method in shown]}


def name_each_method_once(panels):
    """One line of the legend per method."""
    named = set()
    for series in (series for made in panels for series in made["series"]):
        series["in_legend"] = series["label"] not in named
        named.add(series["label"])


def drawing(records):
    builds = {tuple(record[key] for key in ("machine", "backend", "kokkos_version", "commit")) for record in records}
    if len(builds) != 1:
        raise BadResults(f"the files are of {len(builds)} machines or builds")
    panels = [made for record in records for made in map(panel, record["problems"]) if made["series"]]
    if not panels:
        raise BadResults("no problem has a history: measure with --history")
    name_each_method_once(panels)
    machine, backend, kokkos, commit = builds.pop()
    caption = "; ".join([machine, backend, f"Kokkos {kokkos}", f"Einkorn {commit}", f"medians of {records[0]['repeat']} rounds"])
    return {"figure": "multigrid", "title": "Residual of CG with multigrid and of CG over time", "columns": 2,
            "panels": panels, "caption": caption}


def seconds(value):
    return "–" if value is None else three(value)


def entry(problem, tolerance):
    by_key = {method["method"]: method for method in problem["methods"]}
    mine = by_key["multigrid"]
    key = next((key for key in OTHERS if key in by_key), None)
    other = by_key.get(key, {})
    name = problem["problem"].removesuffix(".mtx.gz")
    return [f"`{name}`" + ("" if tolerance == 1e-8 else f", to {tolerance:g}"), f"{problem['rows']:,}".replace(",", " "),
            *(seconds(median(mine, step)) for step in ("set_up", "update", "solve")), mine["iterations"],
            f"{mine['operator_complexity']:.2f}", OTHERS.get(key, "–"), seconds(median(other, "solve")), other.get("iterations", "–")]


def block(records):
    first = records[0]
    text = (f"Seconds on one {first['machine']} (Kokkos {first['kokkos_version']}, commit `{first['commit']}`), medians of "
            f"{first['repeat']} rounds, 464³ one round. `anisotropic:N:1` are the 7-point finite volumes of N³ points:")
    heading = ["matrix", "rows", "set-up", "update", "solve", "iterations", "operator complexity", "other solver", "its solve",
               "its iterations"]
    return paragraph(text) + table(heading, [entry(problem, record["tolerance"]) for record in records for problem in record["problems"]])


def read(files):
    return [json.loads(path.read_text(encoding="utf-8")) for path in files]


def committed():
    """The records of the committed runs, the grids first, and {path: text} of the page and the JSON of the figure."""
    order = ("grids", "grid-464", "jumps-1e6", "others")
    records = read(sorted((ROOT / RUNS).glob("*.json"), key=lambda path: order.index(path.stem.split("-", 1)[1])))
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    made = drawing(records)
    return made, {PAGE: fill_block(page, MARK, block(records), PAGE), FIGURE + ".json": json.dumps(made, allow_nan=False) + "\n"}


def run(options):
    if options.files:
        import canvas
        made = drawing(read(options.files))
        options.out.mkdir(parents=True, exist_ok=True)
        canvas.draw(made, options.out / "multigrid.svg")
        (options.out / "multigrid.json").write_text(json.dumps(made, allow_nan=False) + "\n", encoding="utf-8")
        return 0
    made, wanted = committed()
    if not options.check:
        generated_files.write(ROOT, wanted, FIGURE, made)
        return 0
    different = generated_files.different_files(ROOT, wanted, FIGURE)
    if different:
        print(f"multigrid.py: {', '.join(different)}: does not match the runs: run perf_tests/figures/multigrid.py", file=sys.stderr)
    return 1 if different else 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE.json")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="output folder, created if missing")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    if options.check and options.files:
        parser.error("--check is without files")
    try:
        return run(options)
    except ImportError as error:
        print(f"multigrid.py: {sys.executable} cannot import matplotlib ({error})", file=sys.stderr)
        return 4
    except (BadResults, KeyError, OSError, ValueError) as error:
        print(f"multigrid.py: {error!r}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
