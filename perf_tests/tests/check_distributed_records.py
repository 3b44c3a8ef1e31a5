#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""check_distributed_records.py FOLDER RANKS

The records of einkorn-bench-ranks in FOLDER/run.json are such that report/ reads them, and have the fields of a
distributed solve."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
from solvers import read_solves  # noqa: E402



def check_transport_times(record):
    """Of an automatic choice: one row per transport, with times unless there is one rank; else null."""
    chosen, rows = record["transport"].split(",")[0], record["transport_times"]  # "mpi, pinned buffers"
    assert chosen in ("mpi", "peer", "nccl"), record
    if rows is None:
        return
    available = [row for row in rows if row["error"] is None]
    if record["ranks"] > 1:
        assert chosen == min(available, key=lambda row: row["gather_seconds"] + row["exchange_seconds"])["name"], rows
    else:
        assert chosen == available[0]["name"] and available[0]["gather_seconds"] is None, rows


folder, ranks = pathlib.Path(sys.argv[1]), int(sys.argv[2])
solves = read_solves(folder)
assert solves and all(solve.fastest(lambda record: True) for solve in solves)
records = json.loads((folder / "run.json").read_text(encoding="utf-8"))
distributed = [record for record in records if "ranks" in record]
alone = [record for record in records if "ranks" not in record]
assert distributed and len(alone) in (0, len(distributed))
for record in distributed:
    assert record["ranks"] == ranks, record
    check_transport_times(record)
    for name in ("gather", "exchange", "local_product", "product", "product_without_exchange"):
        times = record[f"{name}_seconds"]
        assert 0 <= times["min"] <= times["median"] <= times["max"] and len(times["samples"]) == record["rounds"], times
        assert times["min"] > 0 or (name == "exchange" and ranks == 1), times
    assert record["min_seconds"] <= record["seconds"] <= record["max_seconds"], record
    assert record["suite"] == f"{ranks} rank" + ("s" if ranks > 1 else ""), record
    hidden = record["hidden_fraction"]
    assert hidden is None if ranks == 1 else 0 <= hidden <= 1, record
    assert isinstance(record["replace_every"], int) and record["format"], record
    assert (record["grid"] is not None) == record["matrix"].startswith("gen:stencil7:"), record
    assert record["bytes"] > 8 * record["rows"] * record["vectors"], record
for one, other in zip(distributed, alone):
    assert [one[name] for name in ("operation", "fusion", "rows", "nnz")] == [
        other[name] for name in ("operation", "fusion", "rows", "nnz")]
    assert other["bytes"] <= one["bytes"] * 1.05 if ranks > 1 else other["bytes"] == one["bytes"], (one, other)
