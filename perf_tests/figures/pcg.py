# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""The steps of optimizing SpMV and PCG, after figures 5, 8 and 9 of Huang, Ding & Luo: the speed-up of every step over
the first. SpMV: the kernels over CSR, from `einkorn-bench`. Jacobi-PCG: one fusion after the other, from `--solve
jacobi-pcg --fusions`. The values of the paper are in separate panels, because they are relative to a serial program. Its
figures 8 and 9 show OpenMP, Xeon Phi and CUDA as a whole; only figure 5 shows single steps, for SpMV."""
import inputs

OPERATIONS = ("spmv", "jacobi-pcg")

# (execution, fusion) -> what is enabled, and the vectors moved per iteration
STAGES = {("host_scalars", "unfused"): ("one kernel per operation", 19),
          ("device_scalars", "unfused"): ("+ scalars stay on the device", 19),
          ("device_scalars", "updates"): ("+ updates with r.z and r.r", 14),
          ("launches", "classical"): ("+ SpMV with p.Ap", 12),
          ("device_scalars", "one_pass"): ("+ scalars of one pass", 11),
          ("launches", "scaled"): ("+ system scaled in advance", 8),
          ("graph", "scaled"): ("+ iterations as a graph", 8)}
FIRST = next(iter(STAGES))
FORMATS = ("csr", "sell")

KERNELS = {"half_atomic": "half of A, atomics", "row_thread": "CSR, one thread per row", "sorted_rows": "CSR, rows sorted",
           "row_team": "CSR, several lanes per row"}

# Seconds of an SpMV and speed-ups from the text of the paper; its figures have no numbers.
PAPER = "the paper's machine: over a serial program on an i5-3470"
PAPER_SPMV = {"serial, half stored": 0.879, "K20M, full CSR, rows sorted": 0.214, "+ half a warp per row": 0.148,
              "+ asynchronous": 0.140, "+ transfers and the rest": 0.111}
PAPER_SPEEDUPS = {"SpMV, Xeon Phi 7110P": 3.421, "SpMV, Tesla K20M": 7.9, "PCG, Tesla K20M": 3.2}


def bars(title, labels, series):
    return {"kind": "bars", "title": title, "x_label": "speed-up", "labels": labels, "series": series}


def one(label, colour, values, hollow=False, **extra):
    return {"label": label, "colour": colour, "hollow": hollow, "y": values} | extra


def stage(record):
    """The key in STAGES, or None."""
    key = (record["execution"], record["fusion"])
    return key if key in STAGES and record["format"] in FORMATS and not record["peer"] else None


def checked(records):
    for record in records:
        wanted = STAGES[stage(record)][1]
        if record["vectors"] != wanted:
            raise inputs.BadResults(f"pcg: {record['matrix']} in {record['file']}: {inputs.algorithm(record)} moves "
                                    f"{record['vectors']} vectors, expected {wanted}")
    return records


def fusions(records, options):
    """The speed-ups of every format over its first stage, and the limits given by the bytes."""
    records = [r for r in records if r["operation"] == "jacobi-pcg" and r["temperature"] == "warm"]
    if not any(r["fusion"] == "one_pass" for r in records):  # without --fusions
        return []
    matrix = inputs.matrix_of(records, options.matrix, "pcg")
    records = checked([r for r in records if r["matrix"] == matrix and stage(r)])
    series, times = [], []
    for name in FORMATS:
        found = {stage(r): r for r in inputs.of(records, name)}
        base = found.get(FIRST)
        if not base or base["seconds"] is None:
            continue
        there = [found.get(key) for key in STAGES]
        measured = [r if r and r["seconds"] is not None else None for r in there]
        times.append(f"{inputs.label(name)} {1e6 * base['seconds']:.0f} us")
        series.append(one(inputs.label(name), inputs.COLOURS[name],
                          [r and base["seconds"] / r["seconds"] for r in measured],
                          algorithm=[r and inputs.algorithm(r) for r in measured],
                          microseconds=[r and 1e6 * r["seconds"] for r in measured]))
        series.append(one(f"{inputs.label(name)}: the bytes", inputs.COLOURS[name],
                          [r and base["bytes"] / r["bytes"] for r in measured], hollow=True))
    labels = [f"{label} ({vectors})" for label, vectors in STAGES.values()]
    ours = bars(f"over the first: {', '.join(times)} per iteration; in brackets the vectors moved", labels, series)
    paper = bars(PAPER, list(PAPER_SPEEDUPS), [one("the paper", "black", list(PAPER_SPEEDUPS.values()))])
    missing = [{"matrix": matrix, "scalar": "double", "columns": 1, "layout": "", "row": f"{inputs.label(name)}: {label}"}
               for name in FORMATS if inputs.of(records, name) for key, (label, _) in STAGES.items()
               if key not in {stage(r) for r in inputs.of(records, name)}]
    made = inputs.drawing("pcg-fusions", f"Jacobi-PCG on {inputs.short_name(matrix)}, fused step by step", records,
                          [name for name in FORMATS if inputs.of(records, name)],
                          [ours, paper] if series else [], 1, "warm")
    return [made | {"not_measured": missing}]


def spmv(records, options):
    """The kernels over CSR in the order of the paper, then the fastest row of each other format."""
    records = [r for r in records if r["operation"] == "spmv" and r["columns"] == 1 and not r["layout"] and
               r["scalar"] == "double"]
    if not records:
        return []
    matrix = inputs.matrix_of(records, options.matrix, "pcg")
    records = [r for r in records if r["matrix"] == matrix]
    timed = [r for r in records if r["seconds"] is not None and r["temperature"] == options.caches]
    steps = {}
    for name, label in KERNELS.items():
        record = next((r for r in inputs.of(timed, "csr") if r["algorithm"] == name), None)
        if record:
            steps[label + (f" ({record['note']})" if record.get("note") else "")] = record
    if not steps:
        raise inputs.BadResults(f"pcg: the input has no time of CSR on {matrix} with {options.caches} caches")
    others = [name for name in (*inputs.FORMATS, *inputs.LIBRARIES) if name != "csr" and inputs.of(timed, name)]
    steps |= {inputs.label(name): inputs.fastest(timed, name, options.caches) for name in others}
    base = next(iter(steps.values()))
    ours = bars(f"over the first: {1e6 * base['seconds']:.0f} us", list(steps), [
        one("speed-up", "C0", [base["seconds"] / r["seconds"] for r in steps.values()],
            algorithm=[inputs.algorithm(r) for r in steps.values()],
            microseconds=[1e6 * r["seconds"] for r in steps.values()]),
        one("of the bytes", "C0", [base["bytes"] / r["bytes"] for r in steps.values()], hollow=True)])
    serial = next(iter(PAPER_SPMV.values()))
    paper = bars(PAPER, list(PAPER_SPMV), [one("the paper", "black", [serial / s for s in PAPER_SPMV.values()])])
    return [inputs.drawing("pcg-spmv", f"SpMV of {inputs.short_name(matrix)}, step by step", records, ["csr", *others],
                           [ours, paper], 1, options.caches)]


def drawings(records, options):
    made = spmv(records, options) + fusions(records, options)
    if not made:
        raise inputs.BadResults("pcg: the input has no SpMV in double and no --solve jacobi-pcg --fusions")
    return made
