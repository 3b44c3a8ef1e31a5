# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""What a conversion costs, in warm SpMVs of the format that it makes, and the targets for that."""
from comparison import ratio
from records import by_matrix, fastest, in_order, is_timed
from suites import geometric_mean
from tables import microseconds, number, table

TARGETS = {"csr5": 3.0, "sell": 5.0, "bdia": 4.0, "dia": 4.0, "bsr": 4.0}  # from CSR, detection of the structure included
REFRESH_TARGET = 2.2  # update_values, any format
STEPS = {"from_csr": TARGETS.get, "update_values": lambda _: REFRESH_TARGET}


def costs(run):
    """[(name, record, SpMVs)], SpMVs None where the format has no warm time."""
    made = []
    for name, group in by_matrix(run.records):
        for record in group:
            if record["operation"] in ("spmv", "select") or record["peer"] or record["seconds"] is None:
                continue
            own = fastest([r for r in group if is_timed(r) and not r["peer"] and all(
                r[field] == record[field] for field in ("format", "temperature", "rounded_values"))])
            made.append((name, record, ratio(record, own) if own else None))
    return made


def target_table(run):
    """A row a format, with the mean and the worst of its matrices."""
    every = [(name, r, cost) for name, r, cost in costs(run) if cost is not None and not r["rounded_values"]]
    rows = []
    for form in in_order(r["format"] for _, r, _ in every):
        cells = []
        for step, target_of in STEPS.items():
            found = [(cost, name) for name, r, cost in every
                     if r["format"] == form and r["algorithm"].split(" ")[-1] == step]
            target = target_of(form)
            if found:
                worst, name = max(found)
                met = "" if target is None else f"{sum(cost <= target for cost, _ in found)} of {len(found)}"
                cells += [number(geometric_mean([cost for cost, _ in found])), f"{worst:.2f} (`{name}`)",
                          number(target, 1), met or "–"]
            else:
                cells += 4 * ["–"]
        if any(cell != "–" for cell in cells):
            rows.append([form, *cells])
    heads = [f"{step}: {what}" for step in STEPS for what in ("mean", "worst", "target", "within")]
    return table(["format", *heads], rows)


def cost_table(run):
    rows = [[f"`{name}`", record["format"], (record["algorithm"] or record["operation"]) +
             (", values rounded" if record["rounded_values"] else ""), microseconds(record["seconds"]), number(cost)]
            for name, record, cost in costs(run)]
    return table(["matrix", "format", "step", "us", "in SpMVs of the format"], rows, left=3)
