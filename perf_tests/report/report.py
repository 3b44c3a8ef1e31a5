#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""report.py [--check] [--root DIR]: writes tables and charts of the committed measurements.

Reads perf_tests/results/*.json and perf_tests/figures/measured/*.json (each written by one run of einkorn-bench --json),
and writes

  docs/performance.md   runs, ten matrices, wins and losses, solvers, SpGEMM, charts
  docs/figures/runs/    the charts of each run of SpMVs
  marked blocks         in README.md and in the pages of BLOCKS

No ratio mixes two files, because times are comparable only within one run. The output is deterministic.
Only the charts need matplotlib (Debian: python3-matplotlib, /usr/bin/python3).

  --check   writes nothing; exits with 1 if a document or a chart does not match the JSON

Exit: 0 done, 1 documents differ (--check), 2 usage, 3 an invalid record, 4 matplotlib is missing: the charts are not
written."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import blocks  # noqa: E402
import charts  # noqa: E402
import page  # noqa: E402
import results  # noqa: E402
import solvers  # noqa: E402
import spgemm  # noqa: E402
from records import BadResults, read_runs  # noqa: E402
from tables import fill_block  # noqa: E402

PAGE, RESULTS, MEASURED = results.PAGE, page.RESULTS, "perf_tests/figures/measured"
CHARTS = "docs/figures/runs"  # contains nothing else
README = ("README.md", "performance")
BLOCKS = [  # page, mark, text of the runs, their folder
    ("docs/kernels/bdia_spmv.md", "measured-bands", blocks.bands, MEASURED),
    ("docs/kernels/brcv_spmm.md", "measured-stripes", blocks.stripes, MEASURED),
    ("docs/choosing_a_format.md", "measured-choices", blocks.choices, RESULTS),
]


def documents(root):
    """Returns {path: text of a document} and {path: drawing of a chart}."""
    runs = {folder: read_runs(root / folder) for folder in (RESULTS, MEASURED)}
    solves, products = solvers.read_solves(root / RESULTS), spgemm.read_products(root / RESULTS)
    found = results.results(runs[RESULTS], solves, products)
    drawn = {f"{CHARTS}/{drawing['figure']}.svg": drawing for run in runs[RESULTS] for drawing in charts.drawings(run)}
    figures = [(path.removeprefix("docs/"), f"{drawing['context']['machine']}, {drawing['title']}")
               for path, drawing in drawn.items()]
    made = {PAGE: page.page(runs[RESULTS], solves, products, found, figures)}
    for name, mark, text in [(*README, results.block(found)),
                             *((name, mark, block(runs[folder])) for name, mark, block, folder in BLOCKS)]:
        made[name] = fill_block((root / name).read_text(encoding="utf-8"), mark, text, name)
    return made, drawn


def is_drawn(root, name, drawing):
    """Whether the SVG contains the digest of the numbers of the drawing."""
    svg = root / name
    return svg.exists() and charts.digest(drawing) in svg.read_text(encoding="utf-8")


def obsolete_charts(root, drawn):
    """Charts of runs that no longer exist."""
    there = (path.relative_to(root).as_posix() for path in sorted((root / CHARTS).glob("*")))
    return [name for name in there if name not in drawn]


def check(root, wanted, drawn):
    different = [name for name, text in wanted.items()
                 if not (root / name).exists() or (root / name).read_text(encoding="utf-8") != text]
    different += [f"{name} (obsolete)" for name in obsolete_charts(root, drawn)]
    different += [name for name, drawing in drawn.items() if not is_drawn(root, name, drawing)]
    if different:
        print(f"report.py: {', '.join(different)}: does not match {RESULTS}: run perf_tests/report/report.py", file=sys.stderr)
    return 1 if different else 0


def write(root, wanted, drawn):
    for name in obsolete_charts(root, drawn):
        (root / name).unlink()
    for name, text in wanted.items():
        path = root / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    undrawn = [name for name, drawing in drawn.items() if not is_drawn(root, name, drawing)]
    if not undrawn:
        return 0
    try:
        import canvas  # of perf_tests/figures
    except ImportError as error:
        print(f"report.py: {len(undrawn)} charts are not drawn: {sys.executable} cannot import matplotlib ({error}): on "
              "Debian, apt-get install python3-matplotlib and run with /usr/bin/python3", file=sys.stderr)
        return 4
    (root / CHARTS).mkdir(parents=True, exist_ok=True)
    for name in undrawn:
        canvas.draw(drawn[name], root / name, charts.digest(drawn[name]))
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    options = parser.parse_args(arguments)
    try:
        return (check if options.check else write)(options.root, *documents(options.root))
    except (BadResults, OSError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
