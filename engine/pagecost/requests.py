"""The arrays that every stage of the I/O path hands on to the next: page requests in order."""

from dataclasses import dataclass, replace

import numpy as np

from pagecost.errors import require

READ, WRITE, TRIM = np.uint8(0), np.uint8(1), np.uint8(2)


def sealed(array: np.ndarray) -> np.ndarray:
    """A view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


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

    def reordered(self, order: np.ndarray) -> "Requests":
        """The same requests in another order (an index array), arriving when the first, the second … did."""
        return Requests(
            self.arrival_s, self.op[order], self.page[order], self.pages[order], self.stream[order], self.page_bytes
        )

    def followed_by(self, later: "Requests") -> "Requests":
        """These and then the others. Raises ModelError where their pages differ in size or arrivals fall."""
        require(
            self.page_bytes == later.page_bytes,
            f"requests that follow each other must have pages of one size; got {self.page_bytes} and "
            f"{later.page_bytes} bytes",
        )
        require(
            not self.size or not later.size or bool(later.arrival_s[0] >= self.arrival_s[-1]),
            "requests that follow others must not arrive before them",
        )
        names = ("arrival_s", "op", "page", "pages", "stream")
        arrival_s, op, page, pages, stream = (
            np.concatenate([getattr(self, name), getattr(later, name)]) for name in names
        )
        return Requests(arrival_s, op, page, pages, stream, self.page_bytes)

    def in_units(self, unit_bytes: int, unit: str = "sectors") -> tuple[np.ndarray, np.ndarray]:
        """(first unit, number of units) of each request, int64[n]: pages in a device's own units of `unit_bytes`.

        The one place where pages become sectors or flash units. Raises ModelError where the sizes do not divide: a
        page that is no whole number of units, or, of larger units, a request that is none or does not begin at one.
        """
        require(unit_bytes >= 1, f"a unit must have at least one byte; got {unit_bytes}")
        page, pages = self.page.astype(np.int64), self.pages.astype(np.int64)
        factor, rest = divmod(self.page_bytes, unit_bytes)
        if factor and not rest:
            last = int(page.max(initial=0))
            require(last < (1 << 62) // factor, f"page {last} of {self.page_bytes} bytes lies beyond 64-bit places")
            return page * factor, pages * factor
        share, rest = divmod(unit_bytes, self.page_bytes)
        require(
            not rest,
            f"a page must be a whole number of {unit_bytes}-byte {unit}; got {self.page_bytes} bytes",
        )
        cut = np.flatnonzero((page % share != 0) | (pages % share != 0))
        require(
            cut.size == 0,
            f"requests must begin and end at {unit} of {unit_bytes} bytes; got pages {page[cut[:1]].tolist()} to "
            f"{(page + pages)[cut[:1]].tolist()} (end excluded) of {self.page_bytes} bytes",
        )
        return page // share, pages // share

    def singles(self) -> tuple["Requests", np.ndarray]:
        """Requests of one page each, trims as they are, and of each the number of the request it is a part of."""
        return self._parted(np.where(self.op == TRIM, 1, self.pages))

    def pagewise(self) -> tuple["Requests", np.ndarray]:
        """As `singles`, with trims too in single pages."""
        return self._parted(self.pages)

    def _parted(self, count: np.ndarray) -> tuple["Requests", np.ndarray]:
        """Every request in `count` parts, single pages or itself."""
        of = np.repeat(np.arange(self.size), count)
        offset = np.arange(of.size) - np.repeat(np.cumsum(count) - count, count)
        parts = self.chosen(of)
        pages = np.where(count[of] == parts.pages, 1, parts.pages).astype(parts.pages.dtype)
        return replace(parts, page=parts.page + offset, pages=pages), of

    @property
    def bytes(self) -> int:
        """Bytes of all requests together, trims included."""
        return int(self.pages.sum(dtype=np.int64)) * self.page_bytes

    def bytes_of(self, op) -> int:
        """Bytes of the requests that are READ, WRITE or TRIM."""
        return int(self.pages[self.op == op].sum(dtype=np.int64)) * self.page_bytes

    def sealed(self) -> "Requests":
        """The same requests in arrays that cannot be written to: what one stage hands to the next."""
        columns = (self.arrival_s, self.op, self.page, self.pages, self.stream)
        arrival_s, op, page, pages, stream = map(sealed, columns)
        return Requests(arrival_s, op, page, pages, stream, self.page_bytes)

    def page_references(self) -> tuple[np.ndarray, np.ndarray]:
        """One entry per page read or written: page ids (int64) and write flags (bool), both of one shape."""
        page, pages, write = self.page, self.pages, self.op == WRITE
        kept = self.op != TRIM
        if not kept.all():
            page, pages, write = page[kept], pages[kept], write[kept]
        if (pages == 1).all():
            return page, write
        first = np.cumsum(pages) - pages
        offset = np.arange(pages.sum()) - np.repeat(first, pages)
        return np.repeat(page, pages) + offset, np.repeat(write, pages)
