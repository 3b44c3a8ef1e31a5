# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""A page and a figure that a script generates: `wanted` is {path below root: text}, with the page and figure + ".json". The SVG
contains the digest of the JSON from which it was drawn."""
import hashlib


def digest(text):
    return "numbers " + hashlib.sha256(text.encode()).hexdigest()[:16]


def different_files(root, wanted, figure):
    """The names of the files that do not match."""
    different = [name for name, text in wanted.items()
                 if not (root / name).exists() or (root / name).read_text(encoding="utf-8") != text]
    svg = root / (figure + ".svg")
    if not svg.exists() or digest(wanted[figure + ".json"]) not in svg.read_text(encoding="utf-8"):
        different.append(figure + ".svg")
    return different


def write(root, wanted, figure, drawing):
    """Writes the files; the SVG only if it differs. @throws ImportError without matplotlib, the other files are written then"""
    differs = figure + ".svg" in different_files(root, wanted, figure)
    for name, text in wanted.items():
        (root / name).write_text(text, encoding="utf-8")
    if differs:
        import canvas
        canvas.draw(drawing, root / (figure + ".svg"), digest(wanted[figure + ".json"]))
