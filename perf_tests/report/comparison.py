# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Ours against peers within one run: who is fastest, what select() chose, and what it cost. Rows whose values were
rounded solve another problem: they are shown, and never counted here."""
import dataclasses
import math

from records import BadResults, by_matrix, fastest, is_timed, product

VENDOR = "cusparse"


def geometric_mean(values):
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def ratio(slow, fast):
    """Time over time, of one product, in one run, at one temperature; anything else is refused."""
    for what, of in (("files", lambda r: r["file"]), ("products", product), ("temperatures", lambda r: r["temperature"])):
        if of(slow) != of(fast):
            raise BadResults(f"a ratio of different {what}: {of(slow)} and {of(fast)}")
    return slow["seconds"] / fast["seconds"]


def chosen_row(rows, choice):
    """Of the format that select() named: its automatic algorithm where it has several, else its only or fastest one."""
    of_format = [r for r in rows if choice and not r["peer"] and r["format"] == choice["format"]]
    return fastest([r for r in of_format if r["algorithm"] == "automatic"] or of_format)


@dataclasses.dataclass(frozen=True)
class Compared:
    """One product at one temperature. Records, or None."""
    name: str
    suite: str
    rows: list  # all timed and exact ones
    ours: dict | None
    peer: dict | None  # the fastest of all peers
    choice: dict | None  # what select() said, by model
    chosen: dict | None  # the row that runs then

    def speedup(self, of="ours"):
        """Time of the fastest peer over time of `of`: above 1 ours is faster. None where either was not measured."""
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
    """By the speed-up over the best peer, largest first; what has no peer comes last."""
    return sorted(all_compared, key=lambda c: -(c.speedup() or 0))
