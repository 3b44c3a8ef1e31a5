#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""distributed.py [--check | --print] [--copy GB/S] [--launch US]

Writes what the model of distributed solves (distributed_model.py) predicts: the marked block of docs/distributed.md, and
docs/figures/distributed-model.svg with a JSON file of its numbers. Only the figure needs matplotlib (Debian:
python3-matplotlib, /usr/bin/python3).

  --check    writes nothing; exits with 1 if the page or the figure does not match the model
  --print    prints the block; --copy and --launch replace the bandwidth and the fixed time of a launched pass: the copy and
             the launch of the machine profile of another device (einkorn-bench --calibrate)

Exit: 0 done, 1 the page or the figure differs (--check), 2 usage, 4 matplotlib is missing: the figure is not written."""
import argparse
import dataclasses
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
import distributed_anchors as anchors  # noqa: E402
import distributed_model as model  # noqa: E402
import generated_files  # noqa: E402
from tables import fill_block, number, paragraph, table, three  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, FIGURE, MARK = "docs/distributed.md", "docs/figures/distributed-model", "distributed-model"
RANKS = (1, 2, 4, 8, 64, 1024, 10000)
SMALL, LARGE = (464,) * 3, (737,) * 3  # 10^8 and 4 10^8 rows
LABELS = {"mpi": "MPI through the host", "nccl": "NCCL", "peer": "peer memory, NCCL between nodes"}


def percent(value):
    return number(100 * value, 1)


def microseconds(seconds):
    return f"{1e6 * seconds:.0f}"


def efficiency_table(device):
    columns = [(predict, grid, transport) for predict, grid in ((model.strong, SMALL), (model.strong, LARGE), (model.weak, SMALL))
               for transport in model.TRANSPORTS]
    names = [f"{case}: {transport.name}" for case in ("464³", "737³", "464³ per rank") for transport in model.TRANSPORTS]
    return table(["P", *names], [[ranks, *(percent(predict(model.CG, device, transport, grid, ranks)[1])
                                           for predict, grid, transport in columns)] for ranks in RANKS])


def method_table(device):
    columns = [(predict, method) for predict in (model.strong, model.weak) for method in model.METHODS]
    names = [f"{case}: {method.name}" for case in ("464³", "464³ per rank") for method in model.METHODS]
    return table(["P", *names], [[ranks, *(microseconds(predict(method, device, model.PEER, SMALL, ranks)[0])
                                           for predict, method in columns)] for ranks in RANKS])


def alternatives(device):
    """Contiguous rows in lexicographic order instead of blocks; an all-gather in a ring; values of ranks read by a team."""
    slabs = [percent(model.strong(model.CG, device, model.PEER, SMALL, ranks, split=model.split_rows)[1])
             for ranks in (8, 64, 1024)]
    ring = dataclasses.replace(model.NCCL, ring=True)
    gathers = [three(1e6 * model.gather(ring, device, ranks)) for ranks in (64, 10000)]
    team = dataclasses.replace(device, addition=model.STAGED_ADDITION)
    weak = [percent(model.weak(model.CG, team, transport, SMALL, 10000)[1]) for transport in model.TRANSPORTS]
    return paragraph(
        f"Contiguous rows of 464³ in lexicographic order, instead of blocks, with peer memory on 8, 64 and 1024 ranks: "
        f"{', '.join(slabs)} %. An all-gather of NCCL in a ring, without its algorithm of logarithmic depth: {gathers[0]} µs "
        f"on 64 ranks, {gathers[1]} µs on 10000. On many ranks most of the time is the sum over ranks by one thread; if a team "
        f"read the values first, 464³ per rank on 10000 ranks had {', '.join(weak)} %.")


def block(device):
    return (paragraph("CG: parallel efficiency in percent, blocks of the grid:") + efficiency_table(device) + "\n" +
            paragraph("Peer memory: microseconds per iteration:") + method_table(device) + "\n" + alternatives(device) +
            anchors.text())


def lines(predict, grid, methods, transports, value):
    """The series of a panel."""
    made = []
    for method in methods:
        for transport in transports:
            found = [predict(method, model.H200, transport, grid, ranks)[value] for ranks in RANKS]
            made.append({"label": LABELS[transport.name] if len(methods) == 1 else method.name, "style": "solid",
                         "colour": f"C{len(made)}" if len(methods) == 1 else f"C{3 + len(made)}", "x": list(RANKS),
                         "y": [round(1e6 * y if value == 0 else 100 * y, 3) for y in found]})
    return made


def ideal(grid):
    one = 1e6 * model.strong(model.CG, model.H200, model.PEER, grid, 1)[0]
    return {"label": "CG, T(1) / P", "style": "dotted", "colour": "grey", "x": list(RANKS), "y": [round(one / p, 3) for p in RANKS]}


def drawing():
    time = {"kind": "lines", "x_label": "ranks, one device each", "x_scale": "log", "y_label": "time per iteration, us",
            "y_scale": "decades"}
    weak = time | {"y_label": "efficiency, %", "y_scale": "linear"}
    cg, peer = (model.CG,), (model.PEER,)
    panels = [
        time | {"title": "strong, CG, 464^3 rows", "series": [*lines(model.strong, SMALL, cg, model.TRANSPORTS, 0), ideal(SMALL)]},
        time | {"title": "strong, CG, 737^3 rows", "series": [*lines(model.strong, LARGE, cg, model.TRANSPORTS, 0), ideal(LARGE)]},
        time | {"title": "strong, 464^3 rows, peer memory", "series": lines(model.strong, SMALL, model.METHODS, peer, 0)},
        weak | {"title": "weak, CG, 464^3 rows per rank", "series": lines(model.weak, SMALL, cg, model.TRANSPORTS, 1)}]
    return {"figure": pathlib.Path(FIGURE).name, "title": "Distributed solves: computed by a cost model, not measured",
            "columns": 2, "panels": panels,
            "caption": f"7-point stencil in DIA, double, {model.H200.name}, {model.NODE} per node, 400 Gb/s per device between "
                       "nodes; parameters: perf_tests/figures/distributed_model.py"}


def wanted_files():
    """{path: text} of the page and the JSON of the figure."""
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    return {PAGE: fill_block(page, MARK, block(model.H200), PAGE), FIGURE + ".json": json.dumps(drawing(), allow_nan=False) + "\n"}


def write():
    try:
        generated_files.write(ROOT, wanted_files(), FIGURE, drawing())
    except ImportError as error:
        print(f"distributed.py: {sys.executable} cannot import matplotlib ({error}): on Debian, apt-get install "
              "python3-matplotlib and run with /usr/bin/python3", file=sys.stderr)
        return 4
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true")
    what.add_argument("--print", action="store_true")
    parser.add_argument("--copy", type=float, help="GB/s, with --print")
    parser.add_argument("--launch", type=float, help="us, with --print")
    options = parser.parse_args(arguments)
    if options.print:
        changes = {"bandwidth": options.copy and 1e9 * options.copy, "launched_kernel": options.launch and 1e-6 * options.launch}
        device = dataclasses.replace(model.H200, **{name: value for name, value in changes.items() if value})
        print(efficiency_table(device) + "\n" + method_table(device), end="")
        return 0
    if options.copy is not None or options.launch is not None:
        parser.error("--copy and --launch need --print: the page is about the H200")
    if not options.check:
        return write()
    different = generated_files.different_files(ROOT, wanted_files(), FIGURE)
    if different:
        print(f"distributed.py: {', '.join(different)}: does not match the model: run perf_tests/figures/distributed.py",
              file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
