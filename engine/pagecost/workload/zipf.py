"""Zipf: the k-th most popular page is referenced in proportion to 1 / k^alpha."""

import math

import numpy as np

from pagecost.errors import require


def zipf_pages(references: int, pages: int, alpha: float = 1.0, seed: int = 1) -> np.ndarray:
    """Independent references, most popular pages scattered. int64, shape (references,), values 0..pages - 1.

    Raises ModelError unless references and pages are whole numbers, at least 1, the seed is one, at least 0, and alpha
    is finite and at least 0.
    """
    require(references >= 1, f"a Zipf trace needs at least one reference; got {references}")
    require(pages >= 1, f"a Zipf trace needs at least one page; got {pages}")
    require(seed >= 0, f"the seed must not be negative; got {seed}")
    for what, number in (("references", references), ("pages", pages), ("the seed", seed)):
        require(number % 1 == 0, f"{what} of a Zipf trace must be a whole number; got {number}")
    require(0 <= alpha < math.inf, f"the Zipf exponent must be finite and must not be negative; got {alpha}")
    random = np.random.default_rng(seed)
    cumulative = np.cumsum(np.arange(1, pages + 1, dtype=float) ** -alpha)
    rank = np.searchsorted(cumulative, random.random(references) * cumulative[-1])
    return random.permutation(pages)[np.minimum(rank, pages - 1)]
