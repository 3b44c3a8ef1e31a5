# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
"""Ours against peers within one run: who is fastest, what select() chose, and what it cost. Rows whose values were
rounded solve another problem: they are shown, and never counted here."""
import dataclasses

from records import BadResults, by_matrix, fastest, is_timed, product

VENDOR = "cusparse"


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
    vendor: dict | None  # the fastest CSR of cuSPARSE
    peer: dict | None  # the fastest of all peers
    choice: dict | None  # what select() said, by model
    chosen: dict | None  # the row that runs then

    def speedup(self, of="ours", over="peer"):
        """Time of `over` over time of `of`: more than 1 is a win. None where either was not measured."""
        fast, slow = getattr(self, of), getattr(self, over)
        return ratio(slow, fast) if fast and slow else None


def compared(run, temperature):
    made = []
    for name, group in by_matrix(run.records):
        rows = [r for r in group if is_timed(r) and r["temperature"] == temperature and not r["rounded_values"]]
        if not rows:
            continue
        peers = [r for r in rows if r["peer"]]
        choice = next((r for r in group if r["operation"] == "select" and r["algorithm"] == "by model"), None)
        made.append(Compared(name, rows[0]["suite"], rows, fastest([r for r in rows if not r["peer"]]),
                             fastest([r for r in peers if r["library"] == VENDOR and r["format"] == "csr"]),
                             fastest(peers), choice, chosen_row(rows, choice)))
    return made


def wins_first(all_compared):
    """By the speed-up over the best peer, largest first; what has no peer comes last."""
    return sorted(all_compared, key=lambda c: -(c.speedup() or 0))


def losses(all_compared, of="ours"):
    """Where the best peer is faster than everything of ours, or ("chosen") than what select() chose; the worst first."""
    lost = [c for c in all_compared if c.speedup(of) is not None and c.speedup(of) < 1]
    return sorted(lost, key=lambda c: c.speedup(of))
