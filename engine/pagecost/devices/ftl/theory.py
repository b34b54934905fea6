"""Write amplification in closed form or as a limit, to stand beside what is simulated.

rho: live pages over the physical pages that take part, 0 < rho < 1; see `load`. Over-provisioning of logical space is
1 / rho - 1, spare space of physical space 1 - rho. Every function raises ModelError for a rho outside, and `fifo`,
`separated` and `d_choices` for one above `FULLEST`.
"""

import math

import numpy as np

from pagecost.devices.ftl.geometry import Geometry
from pagecost.errors import require

FULLEST = 1 - 1e-6  # beyond, searches are lost in rounding: here they are 3e-5 off, at 1 - 1e-7 up to 86 %


def load(geometry: Geometry, reserve_blocks: float = 2, trimmed: float = 0.0) -> float:
    """rho of a device: logical pages that are not trimmed over the physical pages outside the reserve.

    The reserve are the blocks that never hold collectable data: free ones that the collector keeps, and (as a mean)
    the open one. With 2 free blocks kept and one frontier it is 2 (T_eff).
    """
    usable = geometry.physical_pages - reserve_blocks * geometry.pages_per_block
    return _checked(geometry.logical_pages * (1 - trimmed) / usable)


def lambert_w0(x: float) -> float:
    """The principal branch of Lambert's W, the w >= -1 with w e^w = x, for -1/e <= x <= 0 (Halley's method)."""
    require(-math.exp(-1) <= x <= 0, f"lambert_w0 is for arguments from -1/e to 0; got {x}")
    w = -1 + math.sqrt(max(0.0, 2 * (1 + math.e * x)))
    for _ in range(60):
        grown = math.exp(w)
        error = w * grown - x
        slope = grown * (w + 1)
        if abs(error) < 1e-16 or slope == 0:
            break
        w -= error / (slope - (w + 2) * error / (2 * w + 2))
    return w


def fifo(rho: float) -> float:
    """Oldest block first, uniform random writes, any block size: alpha / (alpha + W0(-alpha e^-alpha)), alpha = 1/rho.

    Desnoyers 2012; Xiang and Kurkoski 2012. Also greedy in the limit of large blocks.
    """
    alpha = 1 / _searched(rho)
    return alpha / (alpha + lambert_w0(-alpha * math.exp(-alpha)))


def greedy(rho: float, pages_per_block: int) -> float:
    """Fewest live pages first, uniform random writes, many blocks of b pages (mean field).

    Find k with H = 1/(k+1) + … + 1/b, c = (b - k - k H) / (rho b - k), x = 1 - H/c in [0, 1/(c k)]; victims hold
    k - c k x live pages on average. Raises ModelError, too, unless b is a whole number, at least 1.
    """
    b = _whole("pages of a block", pages_per_block)
    _checked(rho)
    harmonic = 0.0
    for k in range(b - 1, 0, -1):
        harmonic += 1 / (k + 1)
        if rho * b == k:
            continue
        c = (b - k - k * harmonic) / (rho * b - k)
        if c > 0 and -1e-12 <= 1 - harmonic / c <= 1 / (c * k) + 1e-12:
            return b / (b - (k - c * k * (1 - harmonic / c)))
    return 1.0  # so much spare space that victims hold nothing


def greedy_finite(geometry: Geometry, reserve_blocks: float = 2.5) -> float:
    """The same written for a device with a reserve: (b - k + e) = b rho (H_b - H_k + e/k), 0 <= e <= 1.

    It equals `greedy` at that load. The reserve that fits best is what the collector keeps free.
    """
    b, rho = geometry.pages_per_block, load(geometry, reserve_blocks)
    harmonic = 0.0
    for k in range(b, 0, -1):
        slope = 1 - b * rho / k
        if slope != 0:
            e = (b * rho * harmonic - (b - k)) / slope
            if -1e-12 <= e <= 1 + 1e-12 and b - k + e > 0:
                return b / (b - k + e)
        harmonic += 1 / k
    return 1.0


def d_choices(rho: float, pages_per_block: int, d: int) -> float:
    """Fewest live pages of d random blocks, uniform random writes, many blocks (Van Houdt 2013, mean field).

    The stationary point: with S_i the share of blocks with at least i live pages and m_i = S_i - S_{i+1},
    c i m_i = 1 - S_i^d for every i, and the m_i make up rho. d = 1 gives 1 / (1 - rho). Raises ModelError, too, unless
    the pages of a block and d are whole numbers, at least 1.
    """
    _searched(rho)
    b, d = _whole("pages of a block", pages_per_block), _whole("d", d)
    low, high = 1e-12, 1.0
    while _live_share(high, b, d) > rho:
        high *= 2
    for _ in range(80):
        c = (low + high) / 2
        if _live_share(c, b, d) > rho:
            low = c
        else:
            high = c
    return 1 / (c * rho)  # c = (b - Ej) / (rho b) and the answer is b / (b - Ej)


def _live_share(c: float, b: int, d: int) -> float:
    """Live pages over all pages when blocks lose pages at the rate c per live page."""
    above = live = 0.0  # S_{i+1}; sum of i m_i
    for i in range(b, 0, -1):
        m = 1 - above
        for _ in range(100):  # Newton from above: c i m + (above + m)^d - 1 rises and is convex
            step = (c * i * m + (above + m) ** d - 1) / (c * i + d * (above + m) ** (d - 1))
            m -= step
            if step < 1e-14:
                break
        live += i * m
        above += m
    return live / b


def random_victim(rho: float) -> float:
    """Any block, uniform random writes: 1 / (1 - rho)."""
    return 1 / (1 - _checked(rho))


def fifo_mixed(rho: float, page_shares, write_shares) -> float:
    """Oldest block first, classes of pages mixed in all blocks (hot and cold).

    page_shares f_i, above 0, and write_shares r_i, at least 0, each add up to 1; ModelError otherwise.
    A = sum r_i / (1 - exp(-r_i/f_i tau)), tau = 1 / (rho A).
    """
    f, r = _shares(page_shares, write_shares)
    alpha = 1 / _checked(rho)

    def excess(a: float) -> float:
        written = r > 0
        return float(np.sum(r[written] / -np.expm1(-r[written] / f[written] * alpha / a))) - a

    low, high = 1.0, 2.0
    while excess(high) > 0:
        high *= 2
        require(high < 1e9, f"no finite write amplification at rho {rho}")
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return low


def separated(rho: float, page_shares, write_shares) -> float:
    """Oldest block first in a pool for each class of pages, the spare space split as is best: a bound.

    Shares as for `fifo_mixed`. Minimises sum r_i WA(alpha_i), sum f_i alpha_i = 1 / rho. The best split has equal
    gains of spare space, so a multiplier is searched by halving.
    """
    f, r = _shares(page_shares, write_shares)
    alpha = 1 / _searched(rho)

    def pools(price: float) -> tuple[np.ndarray, np.ndarray]:
        """For each class the alpha at which a little more spare space gains `price` per page, and WA there.

        Halved over the odds of u, what a victim holds, which needs no Lambert W: alpha = -ln u / (1 - u),
        WA = 1 / (1 - u), -WA'(alpha) = u / (1 - alpha u) / (1 - u).
        """
        low, high = np.full(f.size, -690.0), np.full(f.size, 20.0)
        for _ in range(60):
            middle = (low + high) / 2
            u, free = _odds(middle)
            worth = r / f * u / (1 - u * -np.log(u) / free) / free
            low, high = np.where(worth < price, middle, low), np.where(worth < price, high, middle)
        u, free = _odds(low)
        return -np.log(u) / free, 1 / free

    low, high = 1e-12, 1e12
    for _ in range(80):
        price = math.sqrt(low * high)
        low, high = (price, high) if float(f @ pools(price)[0]) > alpha else (low, price)
    return float(r @ pools(high)[1])


def _odds(logarithm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u and 1 - u, both exact, from ln(u / (1 - u))."""
    return 1 / (1 + np.exp(-logarithm)), 1 / (1 + np.exp(logarithm))


def _shares(page_shares, write_shares) -> tuple[np.ndarray, np.ndarray]:
    f, r = np.asarray(page_shares, float), np.asarray(write_shares, float)
    got = f"got {f.tolist()} and {r.tolist()}"
    require(
        f.ndim == 1 and f.shape == r.shape, f"shares of pages and of writes must be one of each for every class; {got}"
    )
    require(
        bool((f > 0).all()) and math.isclose(f.sum(), 1) and math.isclose(r.sum(), 1),
        f"shares of pages (above 0) and of writes must each add up to 1; {got}",
    )
    require(bool((r >= 0).all()), f"shares of writes must not be negative; {got}")
    return f, r


def _whole(what: str, count: float) -> int:
    require(1 <= count < math.inf and count == int(count), f"{what} must be a whole number, at least 1; got {count}")
    return int(count)


def _searched(rho: float) -> float:
    require(
        _checked(rho) <= FULLEST,
        f"this formula is for at most {FULLEST:g} of the usable flash live; got 1 - {1 - rho:.3g}",
    )
    return rho


def _checked(rho: float) -> float:
    require(0 < rho < 1, f"live pages must be a share between 0 and 1 of the usable flash; got {rho:.6g}")
    return rho
