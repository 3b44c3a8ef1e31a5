#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""compare.py OLD.json NEW.json [--noise PERCENT] [--least PERCENT]: what got slower between two runs.

Joins the records of two runs of einkorn-bench --json by matrix, scalar, operation, algorithm and temperature, and names
every time that changed by more than the noise of its own repeats: the sum of both runs' spreads (third quartile minus
first, over the median; or largest minus smallest, where a record has these), and never less than --least. Where a record
has no spread, the noise is --noise.

Where the machines differ, or a matrix's copy bandwidths by more than 2 %, all times are taken as multiples of the time
of a copy in their own run, and the first line says so. Peers have not changed with the code: theirs are named as a check
of the machine and decide nothing.

Exit: 0 nothing of ours got slower, 1 something did or no longer runs, 2 usage, 3 records are unfit or have nothing in
common."""
import argparse
import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from records import BadResults, current_spelling, is_number, read, words  # noqa: E402
from tables import build_line  # noqa: E402

COPIES_ALIKE = 0.02


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
    """What was timed; without the suite, which older runs do not name."""
    return (current_spelling(record["name"]), *(record[name] for name in (
        "scalar", "ordinal", "operation", "library", "format", "algorithm", "temperature", "rounded_values")))


def spread(record):
    """Relative; None where the record does not say."""
    if is_number(record.get("spread")):
        return record["spread"]
    low, high = record.get("min_seconds"), record.get("max_seconds")
    return (high - low) / record["seconds"] if is_number(low) and is_number(high) else None


def noise_of(old, new, default, least):
    spreads = [spread(old), spread(new)]
    return default if None in spreads else max(sum(spreads), least)


def by_copy(pairs):
    """Whether times are comparable only as multiples of a copy. SpGEMM has none, and no other machine to compare with."""
    bare = [pair for pair in pairs if None in [record["copy_gb_per_s"] for record in pair]]
    if any(old["machine"] != new["machine"] for old, new in bare):
        raise BadResults("SpGEMM on two machines: without copy bandwidths their times are not comparable")
    return any(old["machine"] != new["machine"] or
               abs(new["copy_gb_per_s"] / old["copy_gb_per_s"] - 1) > COPIES_ALIKE
               for old, new in pairs if (old, new) not in bare)


def changes(pairs, relative, default, least):
    made = []
    for old, new in pairs:
        ratio = new["seconds"] / old["seconds"]
        if relative and None not in (old["copy_gb_per_s"], new["copy_gb_per_s"]):
            ratio *= new["copy_gb_per_s"] / old["copy_gb_per_s"]
        made.append(Change(old, new, ratio, noise_of(old, new, default, least)))
    return made


def line(change):
    return (f"  {words(what(change.new)[:-1])}: {1e6 * change.old['seconds']:.4g} us -> {1e6 * change.new['seconds']:.4g} us, "
            f"x {change.ratio:.3f}, noise {100 * change.noise:.1f} %")


def section(title, changed):
    if changed:
        print(f"{title}:")
        for change in sorted(changed, key=lambda c: -abs(c.ratio - 1)):
            print(line(change))


def report(old, new, default, least):
    """Prints what changed; the exit code."""
    old, new = ({what(r): r for r in records if r["operation"] != "select"} for records in (old, new))
    both = [(old[k], new[k]) for k in old if k in new]
    pairs = [(a, b) for a, b in both if None not in (a["seconds"], b["seconds"])]
    if not pairs:
        raise BadResults("the two runs have no measurement in common")
    relative = by_copy(pairs)
    for name, r in zip(("old", "new"), pairs[0]):
        print(f"{name}: {r['machine']}, {build_line(r)} ({r['file']})")
    print("Machines or copy bandwidths differ: times as multiples of a copy's in their own run." if relative
          else "Same machine and copy bandwidth: times as they are.")
    found = changes(pairs, relative, default, least)
    ours, peers = ([c for c in found if c.new["peer"] == is_peer] for is_peer in (False, True))
    slower = [c for c in ours if c.verdict == "slower"]
    section("slower", slower)
    section("faster", [c for c in ours if c.verdict == "faster"])
    section("peers, which the code does not touch", [c for c in peers if c.verdict != "same"])
    gone = [(a, b) for a, b in both if a["seconds"] is not None and b["seconds"] is None and not a["peer"]]
    if gone:
        print("no longer runs:")
    for _, b in gone:
        print(f"  {words(what(b)[:-1])}: {b.get('reason') or 'no reason recorded'}")
    only = len(old.keys() - new.keys()), len(new.keys() - old.keys())
    unsaid = sum(None in (spread(a), spread(b)) for a, b in pairs)
    same = sum(c.verdict == "same" for c in found)
    print(f"{len(pairs)} compared, {len(slower)} of ours slower, {same} within the noise; "
          f"{only[0]} records only in the old run, {only[1]} only in the new one" +
          (f"; {unsaid} without a spread, noise taken as {100 * default:g} %" if unsaid else ""))
    return 1 if slower or gone else 0


def percent(text):
    value = float(text) / 100
    if not 0 <= value < 10:
        raise argparse.ArgumentTypeError(f"{text} is no percentage from 0 to 1000")
    return value


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path, metavar="OLD.json")
    parser.add_argument("new", type=pathlib.Path, metavar="NEW.json")
    parser.add_argument("--noise", type=percent, default=0.05, metavar="PERCENT", help="of records without a spread (5)")
    parser.add_argument("--least", type=percent, default=0.01, metavar="PERCENT", help="no change below it is named (1)")
    options = parser.parse_args(arguments)
    try:
        return report(read(options.old), read(options.new), options.noise, options.least)
    except BadResults as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
