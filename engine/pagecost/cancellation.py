"""Where work that takes long may be cancelled: its cancellation points, between two pieces of it.

    with asked_by(check):  # in an app: has a newer question come?
        study.compute(inputs)

Whoever waits for an answer gives a `check` that returns where the work shall go on and raises where nobody wants it any
more. It returns at once, for at a point a thread may hold what others wait for, as an answer that is to be remembered.
Models call `point`, which costs a tenth of a microsecond where nobody asks.
"""

import contextlib
import contextvars
from collections.abc import Callable, Iterator

_checks: contextvars.ContextVar[tuple[Callable[[], None], ...]] = contextvars.ContextVar("who waits", default=())


@contextlib.contextmanager
def asked_by(check: Callable[[], None]) -> Iterator[None]:
    """Within the block, and in threads that its context is copied to, each `point` asks this one, too."""
    token = _checks.set((*_checks.get(), check))
    try:
        yield
    finally:
        _checks.reset(token)


def point() -> None:
    """Return where the work shall go on; raise what a `check` raises where it shall not."""
    for check in _checks.get():
        check()
