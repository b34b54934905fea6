"""Checks claims for a page: in another process, group by group, so that the page stays live and can stop it."""

import contextlib
import json
import threading
from collections.abc import Callable, Sequence

from pagecost.claims import Claim, check, kept
from pagecost.claims.refused import refuse_wrong
from pagecost.errors import ModelError
from pagecost_app import compiling
from pagecost_app.compiling import Question

MOST = 12  # claims of a group: what is found is shown after each
LOOKED_EVERY_S = 0.3

Said = Callable[[int, str], None]
"""said(how many of the claims are done, the kernel that is being compiled or nothing)"""


class Checking:
    """One run over the claims asked for. `deliver(callback)` runs a callback on the page's thread, where `said`,
    `fail(message)` and `over()` are called; `stop()` ends the run, and what was found by then is kept.
    """

    def __init__(self, asked: Sequence[Claim], deliver: Callable, said: Said, fail: Callable, over: Callable):
        self.asked = list(asked)
        self._deliver, self._said, self._fail, self._over = deliver, said, fail, over
        self._stopped = threading.Event()
        threading.Thread(target=self._run, daemon=True, name="checking claims").start()

    def stop(self) -> None:
        """Ask for nothing more."""
        self._stopped.set()

    def _run(self) -> None:
        done, wrong = 0, ""
        for group in groups(self.asked):
            if self._stopped.is_set():
                break
            try:
                refuse_wrong(group)
                self._check(group, done)
            except ModelError as error:  # the other lines are checked all the same
                wrong = wrong or str(error)
            except Exception as error:  # or the page would wait for ever
                wrong = wrong or f"This is a fault of pagecost, not yours: {error!r}."
            done += len(group)
            self._deliver(lambda done=done: self._said(done, ""))
        self._deliver(self._over)
        if wrong:
            self._deliver(lambda: self._fail(wrong))

    def _check(self, group: list[Claim], done: int) -> None:
        """Verdicts on a group are kept afterwards; if another process cannot do it, this one does."""
        ticket = compiling.pool().ask(Question("claims", group[0].id, json.dumps({"ids": [each.id for each in group]})))
        while not ticket.wait(LOOKED_EVERY_S) and not self._stopped.is_set():
            self._deliver(lambda: self._said(done, ticket.kernel))
        compiling.pool().release(ticket)
        if self._stopped.is_set():
            return
        found = kept.kept()
        with compiling.here() if ticket.failed else contextlib.nullcontext():
            for claim in group:
                if claim.id not in found and not self._stopped.is_set():
                    kept.keep(check(claim))


def groups(asked: Sequence[Claim]) -> list[list[Claim]]:
    """Claims of one study and paper together, since they ask the same answers; at most `MOST` of them."""
    found: dict[tuple[str, str], list[Claim]] = {}
    for claim in asked:
        found.setdefault((claim.paper, claim.study or claim.item), []).append(claim)
    return [group[start : start + MOST] for group in found.values() for start in range(0, len(group), MOST)]
