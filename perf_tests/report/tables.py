# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Markdown: cells, tables and marked blocks."""
import math
import textwrap

from records import BadResults


def microseconds(seconds):
    value = 1e6 * seconds
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f}"


def three(value):
    """With three significant digits."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}" if value > 0 else "0"


def time_of(record):
    """The time with its unit: ms from 1 ms on, else µs."""
    value = 1e6 * record["seconds"]
    return f"{three(1e-3 * value)} ms" if value >= 1e3 else f"{three(value)} µs"


def figure(record):
    return f"{microseconds(record['seconds'])} ({record['fraction_of_copy']:.2f})" if record else "–"


def number(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def row(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def table(heading, rows, left=1):
    """A Markdown table, the first `left` columns aligned left; '' without rows."""
    if not rows:
        return ""
    rule = ["---"] * left + ["---:"] * (len(heading) - left)
    return "\n".join([row(heading), row(rule), *map(row, rows)]) + "\n"


def without_empty(heading, rows):
    """Removes empty columns."""
    kept = [i for i, _ in enumerate(heading) if any(cells[i] not in ("", "–") for cells in rows)]
    return [heading[i] for i in kept], [[cells[i] for i in kept] for cells in rows]


def paragraph(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n\n"


def build_line(record):
    return f"{record['backend']}, Kokkos {record['kokkos_version']}, Einkorn {record['commit']}"


def fill_block(text, name, block, page):
    """Replaces the text between the two marks of `name`."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise BadResults(f"{page}: expected one {begin} and, after it, one {end}")
    before, rest = text.split(begin)
    return f"{before}{begin}\n{block}{end}{rest.split(end)[1]}"
