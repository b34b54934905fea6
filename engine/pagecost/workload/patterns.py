"""Patterns of reference with one idea each. Every one gives `requests(references, seed)`; equal seeds, equal traces."""

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from pagecost.errors import require
from pagecost.requests import READ, WRITE, Requests
from pagecost.workload.zipf import zipf_pages


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """What all patterns share. pages: of the database; write_share: of the references, drawn independently."""

    title: ClassVar[str]
    pages: int = 20_000
    write_share: float = 0.3
    page_bytes: int = 4096

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            name = f"{type(self).__name__}: {field.name}"
            if field.type in (int, "int"):
                require(value >= 1, f"{name} must be at least 1; got {value}")
            elif field.name != "alpha":
                require(0 <= value <= 1, f"{name} must be 0..1; got {value}")
        require(self.page_bytes % 512 == 0, f"page_bytes must be a multiple of 512; got {self.page_bytes}")

    def requests(self, references: int, seed: int = 1) -> Requests:
        """So many single-page requests without times, stream 0. Raises ModelError unless references >= 1."""
        require(references >= 1, f"a trace needs at least one reference; got {references}")
        random = np.random.default_rng(seed)
        page = self.draw(references, random)
        return Requests(
            arrival_s=np.zeros(references),
            op=np.where(random.random(references) < self.write_share, WRITE, READ),
            page=page.astype(np.int64),
            pages=np.ones(references, np.int32),
            stream=np.zeros(references, np.int16),
            page_bytes=self.page_bytes,
        )

    def draw(self, references: int, random: np.random.Generator) -> np.ndarray:
        """The pages referenced, shape (references,)."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Zipf(Pattern):
    """Independent references; the k-th most popular page gets a share in proportion to 1 / k^alpha."""

    title: ClassVar[str] = "Zipf, alpha 1"
    alpha: float = 1.0

    def draw(self, references, random):
        """Page numbers, int64, shape (references,), from 0 on."""
        return zipf_pages(references, self.pages, self.alpha, int(random.integers(1 << 62)))


@dataclass(frozen=True, kw_only=True)
class HotCold(Pattern):
    """Independent references: the first `hot_share` of the pages get `hot_references` of them, evenly."""

    title: ClassVar[str] = "Hot and cold: 80 % to 20 % of the pages"
    hot_share: float = 0.2
    hot_references: float = 0.8

    def draw(self, references, random):
        """Page numbers, int64, shape (references,), from 0 on."""
        hot = min(max(round(self.hot_share * self.pages), 1), self.pages - 1) if self.pages > 1 else 1
        is_hot = random.random(references) < self.hot_references
        cold = random.integers(min(hot, self.pages - 1), self.pages, references)
        return np.where(is_hot, random.integers(0, hot, references), cold)


@dataclass(frozen=True, kw_only=True)
class ScanPolluted(Pattern):
    """Zipf references to `pages` pages, interrupted by scans over a table of `scan_pages` pages that lies behind them.

    `scan_share` of all references belong to scans; each scan reads the table from its first to its last page, so a
    scanned page is of no use to the buffer until the next scan.
    """

    title: ClassVar[str] = "Zipf polluted by table scans"
    alpha: float = 1.0
    scan_pages: int = 5_000
    scan_share: float = 0.3

    def draw(self, references, random):
        """Page numbers, int64, shape (references,), from 0 on."""
        page = zipf_pages(references, self.pages, self.alpha, int(random.integers(1 << 62)))
        if self.scan_share == 0:
            return page
        period = max(round(self.scan_pages / self.scan_share), self.scan_pages)
        at = np.arange(references) % period - (period - self.scan_pages)
        return np.where(at >= 0, self.pages + at, page)


@dataclass(frozen=True, kw_only=True)
class ShiftingLocality(Pattern):
    """`local_share` of the references fall evenly on a set of `locality_pages` neighbouring pages, the others anywhere.

    Every `phase` references the set moves on by its own size, round the database: a page that was popular long ago is
    no longer.
    """

    title: ClassVar[str] = "A locality that moves on"
    locality_pages: int = 1_000
    local_share: float = 0.9
    phase: int = 50_000

    def draw(self, references, random):
        """Page numbers, int64, shape (references,), from 0 on."""
        first = np.arange(references) // self.phase * self.locality_pages
        local = (first + random.integers(0, self.locality_pages, references)) % self.pages
        return np.where(random.random(references) < self.local_share, local, random.integers(0, self.pages, references))


@dataclass(frozen=True, kw_only=True)
class Loop(Pattern):
    """Pages 0, 1, 2, … and again from 0: sequential, and in a loop when there are more references than pages."""

    title: ClassVar[str] = "A sequential loop"

    def draw(self, references, random):
        """Page numbers, int64, shape (references,), from 0 on."""
        return np.arange(references) % self.pages
