"""Traces as loads: where their transactions end, what was thought between them, and users who replay their parts."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pagecost.errors import require
from pagecost.oltp.loads import NO_LOCK, Load
from pagecost.requests import TRIM, WRITE, Requests

MOST_REFERENCES = 1 << 24  # that are held at a time: some 700 MB with what the buffer does at each
MOST_PAGES = 1 << 25  # from the first page to the last: 128 GiB in pages of 4 KiB


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Where the transactions of a trace end; one of three must be given.

    references: each has so many page references. transactions: there are so many, of as many references each.
    log_stream: a write of this stream, which is the log, is a commit; what is asked of the log is none of the
    transaction's references, for the loop writes a log of its own. Raises ModelError for none, several, and values
    below 1 (of the stream, 0).
    """

    references: int | None = None
    transactions: int | None = None
    log_stream: int | None = None

    def __post_init__(self):
        given = [name for name in ("references", "transactions", "log_stream") if getattr(self, name) is not None]
        require(
            len(given) == 1,
            "a trace is cut by references per transaction, by a number of transactions, or at the writes of its log, "
            f"one of them; got {' and '.join(given) or 'none'}",
        )
        for name, least in (("references", 1), ("transactions", 1), ("log_stream", 0)):
            value = getattr(self, name)
            said = name.replace("references", "references per transaction").replace("log_stream", "the stream of a log")
            require(value is None or value >= least, f"a trace is cut: {said} must be at least {least}; got {value}")


class Recorded(NamedTuple):
    """The transactions of a trace: t makes the references first[t] .. first[t + 1] - 1.

    first: int64[transactions + 1]. page: int64[references], from 0. write: bool[references]. think_s:
    float64[transactions], from the last request of the transaction before to the first of each, 0 of the first; None
    where the trace has no times.
    """

    name: str
    first: np.ndarray
    page: np.ndarray
    write: np.ndarray
    think_s: np.ndarray | None
    page_bytes: int

    @property
    def transactions(self) -> int:
        """Number of transactions."""
        return self.first.size - 1

    @property
    def pages(self) -> int:
        """Of the file: up to the last one that is asked for."""
        return int(self.page.max()) + 1


def recorded(name: str, requests: Requests, cut: Cut) -> Recorded:
    """A trace cut into transactions, in its order. name: what it is called in messages.

    Pages keep their distances, the first that is asked for is 0; trims are left out. Where commits are marked, two of
    them with nothing in between count once. Raises ModelError for a trace without page references, without a commit, or
    too short for a transaction, and one whose pages lie too far apart.
    """
    requests = requests.chosen(requests.op != TRIM)
    if cut.log_stream is not None:
        commits = (requests.stream == cut.log_stream) & (requests.op == WRITE)
        require(
            bool(commits.any()),
            f"{name}: no write of stream {cut.log_stream} marks a commit; name the stream of its log, or a number of "
            "references per transaction",
        )
        number = np.cumsum(commits) - commits
        last_s = requests.arrival_s[commits]  # of each transaction: when its log was written
        kept = requests.stream != cut.log_stream
        requests, number = requests.chosen(kept), number[kept]
    singles, of = requests.singles()
    require(singles.size > 0, f"{name}: the trace is empty; a load needs at least one page reference")
    if cut.log_stream is not None:
        first = np.flatnonzero(np.diff(number[of], prepend=-1))
        ended = number[of][first]
        ends_s = np.append(last_s, requests.arrival_s[-1])[ended]
    else:
        first = _evenly(name, singles.size, cut)
        singles = singles.chosen(slice(0, first[-1]))
        ends_s = singles.arrival_s[first[1:] - 1]
        first = first[:-1]
    begins_s = singles.arrival_s[first]
    timed = bool(singles.arrival_s[-1] > singles.arrival_s[0])
    page = singles.page.astype(np.int64)
    page -= page.min()
    require(
        int(page.max()) < MOST_PAGES,
        f"{name}: from its first page to its last there are {int(page.max()) + 1}; a file of the loop has at most "
        f"{MOST_PAGES}: take a part of the trace, or larger pages",
    )
    return Recorded(
        name=name,
        first=np.append(first, singles.size).astype(np.int64),
        page=page,
        write=singles.op == WRITE,
        think_s=np.maximum(np.append(0.0, begins_s[1:] - ends_s[:-1]), 0.0) if timed else None,
        page_bytes=requests.page_bytes,
    )


def _evenly(name: str, size: int, cut: Cut) -> np.ndarray:
    """First reference of each transaction, and where the last ends; a rest too short for one is left out."""
    wanted = cut.references or cut.transactions or 1
    require(
        size >= wanted,
        f"{name}: it has {size} page references, fewer than the {wanted} "
        + ("of a transaction" if cut.references else "transactions that it shall have"),
    )
    if cut.references:
        return np.arange(0, size + 1, cut.references)
    return np.arange(wanted + 1) * size // wanted


def replayed(trace: Recorded, *, users: int = 1, transactions: int | None = None, timed: bool = False) -> Load:
    """The trace as a load: each user begins at a place of his own and goes round, so that he replays his part first.

    Who is free takes the next of these transactions, so that users go through their parts side by side. transactions:
    how many in all, None for each of the trace once; as many as `MOST_REFERENCES` allow. timed: users think as the
    times of the trace say. Nothing is locked: a trace says nothing of locks, and whole pages would be held far too
    long. Raises ModelError for fewer than one user or transaction, and for times that the trace has not.
    """
    require(users >= 1, f"{trace.name}: a trace is replayed by at least one user; got {users}")
    wanted = trace.transactions if transactions is None else transactions
    require(wanted >= 1, f"{trace.name}: a load needs at least one transaction; got {wanted}")
    require(
        not timed or trace.think_s is not None,
        f"{trace.name}: it has no times, so that it says no think times; give one yourself",
    )
    part, rest = divmod(trace.transactions, users)
    user, turn = np.arange(wanted) % users, np.arange(wanted) // users
    taken = (user * part + np.minimum(user, rest) + turn) % trace.transactions
    ends = np.cumsum(np.diff(trace.first)[taken])
    held = max(1, int(np.searchsorted(ends, MOST_REFERENCES, side="right")))
    taken, first = taken[:held], np.append(0, ends[:held])
    at = np.arange(first[-1]) + np.repeat(trace.first[taken] - first[:-1], np.diff(first))
    return Load(
        trace.name,
        ("transaction",),
        first,
        trace.page[at],
        trace.write[at],
        np.full(at.size, NO_LOCK, np.int64),
        np.zeros(held, np.uint8),
        trace.pages,
        trace.page_bytes,
        think_s=trace.think_s[taken] if timed and trace.think_s is not None else None,
    )
