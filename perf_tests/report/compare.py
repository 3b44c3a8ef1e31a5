#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""compare.py OLD.json NEW.json [--noise PERCENT] [--min-change PERCENT]: lists what became slower between two runs.

Joins the records of two runs of einkorn-bench --json by matrix, scalar, operation, algorithm and temperature, and lists
every time that changed by more than the noise of its repeats: the sum of the spreads of both runs (interquartile range
over median; or maximum minus minimum, if a record has these), at least --min-change. If a record has no spread, the noise
is --noise.

If the machines differ, or the copy bandwidths of a matrix by more than 2 %, all times are multiples of the time of a copy
in their own run, and the output says so. Changes of peers are listed as a check of the machine and do not affect the exit
code.

Exit: 0 no row of Einkorn is slower, 1 a row is slower or no longer runs, 2 usage, 3 invalid records or none in common."""
import argparse
import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from records import BadResults, current_spelling, is_number, joined, read  # noqa: E402
from tables import build_line  # noqa: E402

COPY_TOLERANCE = 0.02


@dataclasses.dataclass(frozen=True)
class Change:
    old: dict
    new: dict
    ratio: float  # new over old
    noise: float

    @property
    def verdict(self):
        if self.ratio > 1 + self.noise:
            return "slower"
        return "faster" if self.ratio < 1 / (1 + self.noise) else "same"


def what(record):
    """The measured operation, without the suite, which older runs do not have."""
    return (current_spelling(record["name"]), *(record[name] for name in (
        "scalar", "ordinal", "operation", "library", "format", "algorithm", "temperature", "rounded_values")))


def spread(record):
    """The relative spread, or None."""
    if is_number(record.get("spread")):
        return record["spread"]
    low, high = record.get("min_seconds"), record.get("max_seconds")
    return (high - low) / record["seconds"] if is_number(low) and is_number(high) else None


def noise_of(old, new, default, min_change):
    spreads = [spread(old), spread(new)]
    return default if None in spreads else max(sum(spreads), min_change)


def by_copy(pairs):
    """Whether times are comparable only as multiples of a copy. SpGEMM has no copy: one machine only."""
    without_copy = [pair for pair in pairs if None in [record["copy_gb_per_s"] for record in pair]]
    if any(old["machine"] != new["machine"] for old, new in without_copy):
        raise BadResults("SpGEMM on two machines: without copy bandwidths their times are not comparable")
    return any(old["machine"] != new["machine"] or
               abs(new["copy_gb_per_s"] / old["copy_gb_per_s"] - 1) > COPY_TOLERANCE
               for old, new in pairs if (old, new) not in without_copy)


def changes(pairs, relative, default, min_change):
    made = []
    for old, new in pairs:
        ratio = new["seconds"] / old["seconds"]
        if relative and None not in (old["copy_gb_per_s"], new["copy_gb_per_s"]):
            ratio *= new["copy_gb_per_s"] / old["copy_gb_per_s"]
        made.append(Change(old, new, ratio, noise_of(old, new, default, min_change)))
    return made


def line(change):
    return (f"  {joined(what(change.new)[:-1])}: {1e6 * change.old['seconds']:.4g} us -> {1e6 * change.new['seconds']:.4g} us, "
            f"x {change.ratio:.3f}, noise {100 * change.noise:.1f} %")


def section(title, changed):
    if changed:
        print(f"{title}:")
        for change in sorted(changed, key=lambda c: -abs(c.ratio - 1)):
            print(line(change))


def report(old, new, default, min_change):
    """Prints the changes and returns the exit code."""
    old, new = ({what(r): r for r in records if r["operation"] != "select"} for records in (old, new))
    both = [(old[k], new[k]) for k in old if k in new]
    pairs = [(a, b) for a, b in both if None not in (a["seconds"], b["seconds"])]
    if not pairs:
        raise BadResults("the two runs have no measurement in common")
    relative = by_copy(pairs)
    for name, r in zip(("old", "new"), pairs[0]):
        print(f"{name}: {r['machine']}, {build_line(r)} ({r['file']})")
    print("Machines or copy bandwidths differ: times are multiples of the copy time of their own run." if relative
          else "Same machine and copy bandwidth: times are absolute.")
    found = changes(pairs, relative, default, min_change)
    ours, peers = ([c for c in found if c.new["peer"] == is_peer] for is_peer in (False, True))
    slower = [c for c in ours if c.verdict == "slower"]
    section("slower", slower)
    section("faster", [c for c in ours if c.verdict == "faster"])
    section("peers", [c for c in peers if c.verdict != "same"])
    gone = [(a, b) for a, b in both if a["seconds"] is not None and b["seconds"] is None and not a["peer"]]
    if gone:
        print("no longer runs:")
    for _, b in gone:
        print(f"  {joined(what(b)[:-1])}: {b.get('reason') or 'no reason recorded'}")
    only = len(old.keys() - new.keys()), len(new.keys() - old.keys())
    without_spread = sum(None in (spread(a), spread(b)) for a, b in pairs)
    same = sum(c.verdict == "same" for c in found)
    print(f"{len(pairs)} compared, {len(slower)} of Einkorn slower, {same} within the noise; "
          f"{only[0]} records only in the old run, {only[1]} only in the new one" +
          (f"; {without_spread} without a spread, noise assumed to be {100 * default:g} %" if without_spread else ""))
    return 1 if slower or gone else 0


def percent(text):
    value = float(text) / 100
    if not 0 <= value < 10:
        raise argparse.ArgumentTypeError(f"{text} is not a percentage from 0 to 1000")
    return value


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path, metavar="OLD.json")
    parser.add_argument("new", type=pathlib.Path, metavar="NEW.json")
    parser.add_argument("--noise", type=percent, default=0.05, metavar="PERCENT", help="noise of records without a spread (5)")
    parser.add_argument("--min-change", "--least", type=percent, default=0.01, metavar="PERCENT",
                        help="smallest change that is listed (1); --least is the old name")
    options = parser.parse_args(arguments)
    try:
        return report(read(options.old), read(options.new), options.noise, options.min_change)
    except BadResults as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
