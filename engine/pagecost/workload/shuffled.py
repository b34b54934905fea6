"""A load with its references in another order: as often to each page, but nothing follows from what was before.

A rival of every explanation by locality or runs; loads that are named within `shuffled` come out so.
"""

import contextlib
import contextvars
from collections.abc import Iterator

import numpy as np

SEED = 0
_wanted: contextvars.ContextVar[bool] = contextvars.ContextVar("references in another order", default=False)


@contextlib.contextmanager
def shuffled() -> Iterator[None]:
    """Within the block (and this thread or task) loads have their references in another order."""
    token = _wanted.set(True)
    try:
        yield
    finally:
        _wanted.reset(token)


def is_wanted() -> bool:
    """Whether loads are to be shuffled."""
    return _wanted.get()


def order(references: int) -> np.ndarray:
    """The places, shape (references,), in the order in which they are taken: a permutation, always the same."""
    return np.random.default_rng(SEED).permutation(references)
