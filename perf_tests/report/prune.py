#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""prune.py FILE.json...: drops the records of a run that no page, figure or comparison uses.

Rewrites each file in place, one record per line. The other records are kept with all digits:

  SpMV     one temperature (cold, else graph, else warm). Per matrix the fastest algorithm of each Einkorn format,
           `automatic` of CSR, the fastest row of each peer library, the fastest CSR of cuSPARSE, and the choice of select()
  SpMM     per product the fastest Einkorn row, `automatic` of CSR with and without a pack buffer, the fastest row of each
           peer library
  solvers  per method and matrix the fastest and the `automatic` Einkorn row of each format, the fastest row of each peer
           library and execution
  SpGEMM   Einkorn's `automatic` with its phases, the fastest row of cuSPARSE and of Eigen, `native` of Kokkos Kernels

Exit: 0 done, 2 usage, 3 a file is not a run."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from comparison import chosen_row  # noqa: E402
from records import SPGEMM, BadResults, fastest, product, read  # noqa: E402

PREFERRED = ("cold", "graph", "warm")


def fastest_of_each(records, key):
    groups = {}
    for record in records:
        if record["seconds"] is not None:
            groups.setdefault(key(record), []).append(record)
    return [fastest(group) for group in groups.values()]


def of_spmv(group):
    rows = [r for r in group if r["operation"] == "spmv" and r["seconds"] is not None and not r["rounded_values"]]
    state = next((state for state in PREFERRED if any(r["temperature"] == state for r in rows)), None)
    rows = [r for r in rows if r["temperature"] == state]
    ours, peers = [r for r in rows if not r["peer"]], [r for r in rows if r["peer"]]
    kept = fastest_of_each(peers, lambda r: r["library"])
    if group[0]["layout"]:
        return kept + [fastest(ours), *(r for r in ours if r["format"] == "csr" and r["algorithm"].startswith("automatic"))]
    choice = next((r for r in group if r["operation"] == "select" and r["algorithm"] == "by model"), None)
    kept += fastest_of_each(ours, lambda r: r["format"]) + [choice, chosen_row(rows, choice)]
    kept += [r for r in ours if (r["format"], r["algorithm"]) == ("csr", "automatic")]
    return kept + [fastest([r for r in peers if (r["library"], r["format"]) == ("cusparse", "csr")])]


def of_solve(group):
    ours, peers = [r for r in group if not r["peer"]], [r for r in group if r["peer"]]
    return (fastest_of_each(ours, lambda r: r["format"]) + [r for r in ours if r["execution"] == "automatic"] +
            fastest_of_each(peers, lambda r: (r["library"], r["execution"])))


def of_spgemm(group):
    whole = [r for r in group if r["operation"] == SPGEMM[0]]
    return ([r for r in group if not r["peer"] and r["algorithm"] == "automatic"] +
            fastest_of_each([r for r in whole if r["library"] in ("cusparse", "eigen")], lambda r: r["library"]) +
            [r for r in whole if (r["library"], r["algorithm"]) == ("kokkos-kernels", "native")])


def kept_indices(records):
    """The indices of the records that are kept."""
    groups = {}
    for index, record in enumerate(records):
        if record["operation"] in SPGEMM:
            kind = of_spgemm
        else:
            kind = of_solve if "solver" in record else of_spmv
        groups.setdefault((kind, record.get("solver"), product(record)), []).append(record)
    chosen = {id(r) for (kind, *_), group in groups.items() for r in kind(group) if r is not None}
    return [index for index, record in enumerate(records) if id(record) in chosen]


def texts(path):
    """The text of each record, in one line."""
    text, made, at = path.read_text(encoding="utf-8"), [], 1
    while (begin := text.find("{", at)) >= 0:
        _, at = json.JSONDecoder().raw_decode(text, begin)
        made.append(" ".join(line.strip() for line in text[begin:at].splitlines()))
    return made


def prune(path):
    records = read(path)
    lines = texts(path)
    path.write_text("[\n" + ",\n".join(lines[index] for index in kept_indices(records)) + "\n]\n", encoding="utf-8")


def main(paths):
    if not paths or paths[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        for path in map(pathlib.Path, paths):
            prune(path)
    except (BadResults, OSError) as error:
        print(f"prune.py: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
