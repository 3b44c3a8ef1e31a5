# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Einkorn against peers within one run: the fastest rows and the choice of select(). Rows with rounded values solve another
problem: they are shown, but not compared."""
import dataclasses
import math

from records import BadResults, by_matrix, fastest, is_timed, product

VENDOR = "cusparse"


def geometric_mean(values):
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def ratio(slow, fast):
    """Time over time of one product in one run at one temperature. Raises BadResults otherwise."""
    for what, of in (("files", lambda r: r["file"]), ("products", product), ("temperatures", lambda r: r["temperature"])):
        if of(slow) != of(fast):
            raise BadResults(f"a ratio of different {what}: {of(slow)} and {of(fast)}")
    return slow["seconds"] / fast["seconds"]


def chosen_row(rows, choice):
    """The row of the format that select() chose: its automatic algorithm, or else its fastest one."""
    of_format = [r for r in rows if choice and not r["peer"] and r["format"] == choice["format"]]
    return fastest([r for r in of_format if r["algorithm"] == "automatic"] or of_format)


@dataclasses.dataclass(frozen=True)
class Compared:
    """One product at one temperature. Records, or None."""
    name: str
    suite: str
    rows: list  # all measured rows with exact values
    ours: dict | None
    peer: dict | None  # the fastest of all peers
    choice: dict | None  # the choice of select() by its model
    chosen: dict | None  # the row of that choice

    def speedup(self, of="ours"):
        """Time of the fastest peer over time of `of`: above 1 Einkorn is faster. None if either was not measured."""
        fast = getattr(self, of)
        return ratio(self.peer, fast) if fast and self.peer else None


def compared(run, temperature):
    made = []
    for name, group in by_matrix(run.records):
        rows = [r for r in group if is_timed(r) and r["temperature"] == temperature and not r["rounded_values"]]
        if not rows:
            continue
        peers = [r for r in rows if r["peer"]]
        choice = next((r for r in group if r["operation"] == "select" and r["algorithm"] == "by model"), None)
        made.append(Compared(name, rows[0]["suite"], rows, fastest([r for r in rows if not r["peer"]]),
                             fastest(peers), choice, chosen_row(rows, choice)))
    return made


def wins_first(all_compared):
    """Sorted by the speed-up over the best peer, largest first; matrices without a peer are last."""
    return sorted(all_compared, key=lambda c: -(c.speedup() or 0))
