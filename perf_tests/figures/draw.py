#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""draw.py FIGURE [--out DIR] [--png] [--caches cold|warm] [--matrix NAME] FILE.json...

Draws records of einkorn-bench --json: one SVG per figure, and a JSON file with the numbers drawn, their machine and build,
and the refused rows. All files must be of one machine and one build.

  bdia   bands over their width: rates, and time and bytes relative to bDIA
  mesh   all formats on one matrix, cold and warm; --matrix if the files have several
  brcv   memory of BRCV over the height of the stripes; SpMM over the columns
  solve  an iteration of CG and BiCGStab on bands over their width: unfused with DIA, fused with DIA and bDIA
  pcg    SpMV kernels over CSR; Jacobi-PCG with one fusion after the other; --matrix as for mesh
  history  the residual of CG, Jacobi-PCG and BiCGStab over iterations and over time; --matrix as for mesh

A line or a bar is the fastest algorithm of its format, except in solve and pcg; the JSON names the algorithm.

Exit: 0 done, 2 usage, 3 the files cannot be drawn, 4 matplotlib is missing."""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bdia  # noqa: E402
import brcv  # noqa: E402
import history  # noqa: E402
import inputs  # noqa: E402
import mesh  # noqa: E402
import pcg  # noqa: E402
import solve  # noqa: E402

FIGURES = {module.__name__: module for module in (bdia, mesh, brcv, solve, pcg, history)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE.json")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="output folder, created if missing")
    parser.add_argument("--png", action="store_true", help="also write a PNG")
    parser.add_argument("--caches", choices=("cold", "warm"), default="cold",
                        help="temperature of bdia, brcv and the SpMV of pcg")
    parser.add_argument("--matrix", help="mesh, pcg, history: the name of the matrix in the files")
    options = parser.parse_args(arguments)
    try:
        import canvas
    except ImportError as error:
        print(f"draw.py: {sys.executable} cannot import matplotlib ({error}): on Debian, apt-get install "
              "python3-matplotlib and run with /usr/bin/python3", file=sys.stderr)
        return 4
    try:
        figure = FIGURES[options.figure]
        made = figure.drawings(inputs.read(options.files, *getattr(figure, "OPERATIONS", ())), options)
        options.out.mkdir(parents=True, exist_ok=True)
        for drawing in made:
            for suffix in (".svg", ".png")[:1 + options.png]:
                path = options.out / (drawing["figure"] + suffix)
                canvas.draw(drawing, path)
                print(path)
            text = json.dumps(drawing | {"caption": inputs.caption(drawing)}, allow_nan=False)
            (options.out / (drawing["figure"] + ".json")).write_text(text + "\n", encoding="utf-8")
    except (inputs.BadResults, OSError) as error:
        print(f"draw.py: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
