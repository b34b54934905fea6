"""What a run of neighbouring pages costs: one positioning and its pages, at a stated number of outstanding requests."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pagecost import catalogue, devices
from pagecost.devices import Model
from pagecost.errors import require

MANY = 0
"""As a queue depth: as many outstanding as the device's rates were reached with."""
SMALLEST_PAGE_BYTES = 512


class RunTimes(Protocol):
    """What a plan has to know of a device."""

    def run_s(self, pages, *, write: bool = False, at_once=np.inf) -> np.ndarray:
        """Time [s] of a request for so many neighbouring pages (> 0, parts of a page too), shape as `pages`.

        at_once: no more than so many (>= 1) can be outstanding, whatever the device could serve; shape as `pages`.
        """


@dataclass(frozen=True)
class OnDevice:
    """The times of runs on a model of a device. page_bytes: of a page. depth: requests outstanding, or `MANY`.

    A drive that works on many requests at once finishes `depth` of them in the time of one alone, until it does as
    many a second as it is rated at: the time of one is the larger of alone / depth and 1 / rate (the asymptotic bounds
    of a closed queue). A device that serves one after the other, a disk here, gains nothing by a deeper queue.
    span_bytes: the part of a disk that is in use, None for all of it.
    Raises ModelError for a page that is no multiple of 512 bytes, and for a depth below 1 that is not `MANY`.
    """

    model: Model
    page_bytes: int
    depth: float = MANY
    span_bytes: float | None = None

    def __post_init__(self):
        require_page(self.page_bytes)
        require(
            self.depth == MANY or self.depth >= 1,
            f"the queue depth must be at least 1, or {MANY} for as many as the device's rates need; got {self.depth:g}",
        )

    def run_s(self, pages, *, write: bool = False, at_once=np.inf) -> np.ndarray:
        """As `RunTimes`. Raises ModelError where the time of one request alone decides and is not known.

        With `MANY` outstanding such a device is as fast for few, too.
        """
        size = np.asarray(pages, float) * self.page_bytes
        pattern = "random write" if write else "random read"
        found = self.model.service(pattern, np.maximum(size, 1.0), self.span_bytes)
        busy_s = np.asarray(found.total_s)
        depth = np.minimum(np.inf if self.depth == MANY else self.depth, at_once)
        if np.all(found.depth <= depth):
            return busy_s
        alone_s = np.asarray(found.latency_s)
        is_known = bool(np.isfinite(alone_s).all())
        if self.depth == MANY and not is_known:
            return busy_s
        require(
            is_known,
            f"{devices.title_of(self.model.name)}: how long one {pattern} takes alone is not known, so its time with "
            f"{self.depth:g} outstanding is not; ask with many outstanding",
        )
        return np.where(found.depth <= depth, busy_s, np.maximum(alone_s / depth, busy_s))


@dataclass(frozen=True)
class GivenTimes:
    """A device of which two times are given: random_s, a page at a random place; sequential_s, each further page.

    write_factor: how much longer both take in writing. Raises ModelError unless 0 < sequential_s <= random_s.
    """

    random_s: float
    sequential_s: float
    write_factor: float = 1.0

    def __post_init__(self):
        require(
            0 < self.sequential_s <= self.random_s,
            f"a page in sequence must take longer than nothing and no longer than one at a random place; got "
            f"{self.sequential_s:g} and {self.random_s:g} s",
        )
        require(self.write_factor > 0, f"writing must take longer than nothing; got a factor of {self.write_factor:g}")

    def run_s(self, pages, *, write: bool = False, at_once=np.inf) -> np.ndarray:
        """As `RunTimes`, however many are outstanding; a part of a page takes as long as a whole one."""
        further = np.maximum(np.asarray(pages, float) - 1.0, 0.0)
        return (self.random_s + further * self.sequential_s) * (self.write_factor if write else 1.0)


def modelled() -> dict[str, str]:
    """Device id -> name of the devices of the catalogue that runs of any length can be asked for.

    Not the recorded measurements: they say nothing of requests that were not measured.
    """
    return {id: device.name for id, device in catalogue.devices().items() if device.model}


def on_device(name: str, page_bytes: int, depth: float = MANY, span_bytes: float | None = None) -> OnDevice:
    """The times of runs of pages on a device of the catalogue. Raises ModelError as `devices.load` and `OnDevice`."""
    return OnDevice(devices.load(name), page_bytes, depth, span_bytes)


def require_page(page_bytes: int) -> None:
    """Raises ModelError unless a page is a positive multiple of 512 bytes."""
    require(
        page_bytes >= SMALLEST_PAGE_BYTES and page_bytes % SMALLEST_PAGE_BYTES == 0,
        f"a page must be a multiple of {SMALLEST_PAGE_BYTES} bytes; got {page_bytes}",
    )
