"""The whole ledger, or a paper's part of it: with a bar, on all processors, going on where a stopped run left it."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from multiprocessing import get_context

from pagecost import catalogue
from pagecost._processes import process_pool
from pagecost._processors import processors
from pagecost.claims import kept
from pagecost.claims.checking import FIRST_SEEDS, Verdict, check, depends_on_chance
from pagecost.claims.ledger import Claim, claims
from pagecost.claims.refused import refuse_wrong
from pagecost.remembering import keeping_shared

FEW = 40  # claims that are checked faster here than processes start

Said = Callable[[float], None]
"""said(share of the claims that are done)"""


def check_all(paper: str | None = None, said: Said = lambda share: None, processes: int | None = None) -> list[Verdict]:
    """Verdicts on all claims, or those of one paper, in the order of the ledger.

    processes: at most so many at once; None: one for each processor. Raises ModelError for an unknown paper and for a
    line that asks for what there is not.
    """
    return check_these(claims(paper), said, processes)


@catalogue.of_project()
def check_these(asked: Sequence[Claim], said: Said = lambda share: None, processes: int | None = None) -> list[Verdict]:
    """Verdicts on these claims. What was found before it is stopped is kept, unless the catalogue is a changed one."""
    refuse_wrong(asked)
    as_it_is = not catalogue.is_changed()
    records = kept.kept() if as_it_is else {}
    found = {claim.id: known for claim in asked if (known := kept.verdict(claim, records)) is not None}
    open_ones = [claim for claim in asked if claim.id not in found]
    for verdict in _checked(open_ones, processes if as_it_is else 1):
        if verdict.claim.measure and as_it_is:
            kept.keep(verdict)
        found[verdict.claim.id] = verdict
        said(len(found) / len(asked))
    return [found[claim.id] for claim in asked]


def _checked(asked: Sequence[Claim], processes: int | None) -> Iterator[Verdict]:
    count = min(processes or processors(), len(asked) // FEW + 1)
    if count == 1:
        yield from _check_each(asked)
        return
    # a fresh process: one that is copied from this one would hold its threads' locks
    method = "forkserver" if os.name == "posix" else "spawn"
    pool = process_pool(count, get_context(method))
    waiting: list[Future] = [pool.submit(_check_group, group) for group in _groups(asked)]
    try:
        for done in as_completed(waiting):
            yield from done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _check_group(group: list[Claim]) -> list[Verdict]:
    return list(_check_each(group))


def _check_each(asked: Iterable[Claim]) -> Iterator[Verdict]:
    """One after the other; what the runs of one line leave for the next of their kind stays until all are checked."""
    with keeping_shared():
        yield from map(check, asked)


def _groups(asked: Iterable[Claim]) -> list[list[Claim]]:
    """Claims of one study and paper belong together: they ask the same answers. Groups with the most runs go first."""
    groups: dict[tuple, list[Claim]] = {}
    for claim in asked:
        groups.setdefault((claim.paper, claim.study or claim.item), []).append(claim)
    return sorted(groups.values(), key=_runs, reverse=True)


def _runs(group: list[Claim]) -> int:
    """Runs that lines ask for: several, where chance has a part."""
    return sum(FIRST_SEEDS if depends_on_chance(claim) else 1 for claim in group)
