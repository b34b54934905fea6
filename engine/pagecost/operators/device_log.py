"""What an operator that runs on real rows asks of the device: every request, in order, and the count of them."""

from typing import NamedTuple

import numpy as np

from pagecost.requests import READ, WRITE, Requests

TEMPORARY = 100
"""The stream of runs, parts and other intermediate results."""


class Counted(NamedTuple):
    """Pages read and written, and runs: requests that do not go on where the one before them ended."""

    pages_read: int
    pages_written: int
    runs: int


class DeviceLog:
    """Notes requests. free_page: from where on there is room for intermediate results."""

    def __init__(self, free_page: int):
        self.free_page = free_page
        self._rows: list[np.ndarray] = []

    def take(self, pages: int) -> int:
        """The first of so many neighbouring pages for intermediate results."""
        first, self.free_page = self.free_page, self.free_page + pages
        return first

    def read(self, page: int, pages: int = 1, stream: int = TEMPORARY) -> None:
        """One request for neighbouring pages."""
        self._note(READ, np.array([page]), np.array([pages]), stream)

    def write(self, page: int, pages: int = 1, stream: int = TEMPORARY) -> None:
        """As `read`, written."""
        self._note(WRITE, np.array([page]), np.array([pages]), stream)

    def read_each(self, pages: np.ndarray, stream: int, at_once: int = 1) -> None:
        """A request for each of these pages, in order, and for the at_once - 1 behind it."""
        self._note(READ, pages, np.full(pages.size, at_once), stream)

    def noted(self, op: np.ndarray, page: np.ndarray, pages: np.ndarray, stream: int | np.ndarray = TEMPORARY) -> None:
        """Requests of both kinds in order, arrays of one shape."""
        self._rows.append(np.stack([op.astype(np.int64), page, pages, np.full(page.size, stream)]))

    def _note(self, op: np.uint8, page: np.ndarray, pages: np.ndarray, stream: int) -> None:
        self.noted(np.full(page.size, op), page, pages, stream)

    def requests(self, page_bytes: int) -> Requests:
        """All that was asked, for the path; everything arrives at once, one after the other."""
        rows = np.concatenate(self._rows, axis=1) if self._rows else np.empty((4, 0), np.int64)
        op, page, pages, stream = rows
        return Requests(
            arrival_s=np.zeros(op.size),
            op=op.astype(np.uint8),
            page=page,
            pages=pages.astype(np.int32),
            stream=stream.astype(np.int16),
            page_bytes=page_bytes,
        )


def counted(requests: Requests) -> Counted:
    """The pages of requests, and into how many runs they fall: what goes on where the last one ended is no new one."""
    read, written = (int(requests.pages[requests.op == op].sum()) for op in (READ, WRITE))
    end = requests.page + requests.pages
    goes_on = (requests.page[1:] == end[:-1]) & (requests.op[1:] == requests.op[:-1])
    return Counted(read, written, int(requests.size - np.count_nonzero(goes_on)))
