"""The arrays that every stage of the I/O path hands on to the next: page requests in order."""

from dataclasses import dataclass

import numpy as np

from pagecost.errors import require

READ, WRITE, TRIM = np.uint8(0), np.uint8(1), np.uint8(2)


@dataclass(frozen=True, eq=False)
class Requests:
    """Page requests, aligned arrays of shape (n,).

    arrival_s: float64, not falling. op: uint8, READ, WRITE or TRIM. page: int64, first page. pages: int32, how many
    consecutive pages, at least 1. stream: int16, which file or table. page_bytes: bytes of one page.
    """

    arrival_s: np.ndarray
    op: np.ndarray
    page: np.ndarray
    pages: np.ndarray
    stream: np.ndarray
    page_bytes: int

    def __post_init__(self):
        shapes = {name: getattr(self, name).shape for name in ("arrival_s", "op", "page", "pages", "stream")}
        require(len(set(shapes.values())) == 1, f"the arrays of Requests must have one length; got {shapes}")
        require(self.page_bytes > 0, f"page_bytes must be positive; got {self.page_bytes}")

    @property
    def size(self) -> int:
        """Number of requests."""
        return self.op.size

    def chosen(self, which) -> "Requests":
        """The requests that a slice, an index array or a mask picks, in its order."""
        columns = (self.arrival_s, self.op, self.page, self.pages, self.stream)
        arrival_s, op, page, pages, stream = (column[which] for column in columns)
        return Requests(arrival_s, op, page, pages, stream, self.page_bytes)

    def page_references(self) -> tuple[np.ndarray, np.ndarray]:
        """One entry per page read or written: page ids (int64) and write flags (bool), both of one shape."""
        kept = self.op != TRIM
        page, pages, write = self.page[kept], self.pages[kept], self.op[kept] == WRITE
        if (pages == 1).all():
            return page, write
        first = np.cumsum(pages) - pages
        offset = np.arange(pages.sum()) - np.repeat(first, pages)
        return np.repeat(page, pages) + offset, np.repeat(write, pages)
