#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""report.py [--check] [--root DIR]: the committed measurements as tables and charts.

Reads perf_tests/results/*.json and perf_tests/figures/measured/*.json (each written by one run of einkorn-bench --json),
and writes

  docs/performance.md         who won and who lost, run by run
  docs/performance/RUN.md     every row of a run
  docs/performance/solvers.md every row of every solve: records with a `solver`
  docs/performance/spgemm.md  every row of every sparse product: records of the operations spgemm...
  docs/figures/runs/          the charts of a run, and beside each the numbers drawn
  marked blocks               in README.md and in the pages of BLOCKS

A table never mixes files: figures are comparable only within one run. The same files give the same text, byte for byte.
Only drawing the charts needs matplotlib (Debian: python3-matplotlib, /usr/bin/python3).

  --check   write nothing; exit 1 when a document is not what the JSON says, or a chart not drawn from its numbers

Exit: 0 done, 1 documents differ (--check), 2 usage, 3 a record is not fit to be shown, 4 all but the charts are written:
matplotlib is missing."""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import blocks  # noqa: E402
import charts  # noqa: E402
import full_page  # noqa: E402
import page  # noqa: E402
import readme  # noqa: E402
import solvers  # noqa: E402
import spgemm  # noqa: E402
from records import BadResults, read_runs  # noqa: E402
from tables import fill_block  # noqa: E402

PAGE, RESULTS, MEASURED = "docs/performance.md", page.RESULTS, "perf_tests/figures/measured"
SOLVES, SPGEMM = "the solves of RESULTS", "the sparse products of RESULTS"
FULL, CHARTS = f"docs/{page.FULL}", "docs/figures/runs"  # folders that hold nothing else
BLOCKS = [  # page, mark, text of the runs, their folder, SOLVES or SPGEMM
    ("README.md", "performance", readme.block, RESULTS),
    ("README.md", "solver-performance", solvers.block, SOLVES),
    ("README.md", "spgemm-performance", spgemm.block, SPGEMM),
    ("docs/kernels/bdia_spmv.md", "measured-bands", blocks.bands, MEASURED),
    ("docs/kernels/brcv_spmm.md", "measured-stripes", blocks.stripes, MEASURED),
    ("docs/choosing_a_format.md", "measured-choices", blocks.choices, RESULTS),
]


def documents(root):
    """path -> what it should hold"""
    runs = {folder: read_runs(root / folder) for folder in (RESULTS, MEASURED)}
    runs[SOLVES] = solvers.read_solves(root / RESULTS)
    runs[SPGEMM] = spgemm.read_products(root / RESULTS)
    made, figures = {}, {}
    for run in runs[RESULTS]:
        made[f"{FULL}/{run.title}.md"] = full_page.page(run)
        for drawing in charts.drawings(run):
            path = f"{CHARTS}/{drawing['figure']}"
            made[path + ".json"] = charts.text_of(drawing)
            figures.setdefault(run.title, []).append((path.removeprefix("docs/") + ".svg", drawing["title"]))
    for of_its_own, found in ((solvers, runs[SOLVES]), (spgemm, runs[SPGEMM])):
        if of_its_own.PAGE in made:
            raise BadResults(f"{of_its_own.PAGE} is a page of its own: give the run of that name another one")
        made[of_its_own.PAGE] = of_its_own.page(found)
    made[PAGE] = page.page(runs[RESULTS], figures)
    for name, mark, block, folder in BLOCKS:
        if name not in made:
            made[name] = (root / name).read_text(encoding="utf-8")
        made[name] = fill_block(made[name], mark, block(runs[folder]), name)
    return made


def is_drawn(root, name, text):
    """Whether the SVG of the chart with this JSON carries its numbers."""
    svg = (root / name).with_suffix(".svg")
    return svg.exists() and charts.digest(text) in svg.read_text(encoding="utf-8")


def left_over(root, wanted):
    """Files of runs that are no longer there, in the folders that only this program writes."""
    known = {*wanted, *(str(pathlib.PurePosixPath(name).with_suffix(".svg")) for name in wanted if name.startswith(CHARTS))}
    there = (path.relative_to(root).as_posix() for folder in (FULL, CHARTS) for path in sorted((root / folder).glob("*")))
    return [name for name in there if name not in known]


def check(root, wanted):
    different = [name for name, text in wanted.items()
                 if not (root / name).exists() or (root / name).read_text(encoding="utf-8") != text]
    different += [f"{name} (of no run)" for name in left_over(root, wanted)]
    different += [f"the SVG of {name}" for name, text in wanted.items()
                  if name.startswith(CHARTS) and not is_drawn(root, name, text)]
    if different:
        print(f"report.py: {', '.join(different)}: not as {RESULTS} says: run perf_tests/report/report.py", file=sys.stderr)
    return 1 if different else 0


def write(root, wanted):
    for name in left_over(root, wanted):
        (root / name).unlink()
    for name, text in wanted.items():
        path = root / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    undrawn = [name for name, text in wanted.items() if name.startswith(CHARTS) and not is_drawn(root, name, text)]
    if not undrawn:
        return 0
    try:
        import canvas  # of perf_tests/figures
    except ImportError as error:
        print(f"report.py: {len(undrawn)} charts are not drawn: {sys.executable} cannot import matplotlib ({error}): on "
              "Debian, apt-get install python3-matplotlib and run with /usr/bin/python3", file=sys.stderr)
        return 4
    for name in undrawn:
        canvas.draw(json.loads(wanted[name]), (root / name).with_suffix(".svg"), charts.digest(wanted[name]))
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    options = parser.parse_args(arguments)
    try:
        wanted = documents(options.root)
        return (check if options.check else write)(options.root, wanted)
    except (BadResults, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
