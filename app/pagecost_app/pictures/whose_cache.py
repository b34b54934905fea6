"""Which pages the buffer and the page cache below it hold: `whose_cache()`.

What is drawn is the state of the model of an operating system's caches (`pagecost.oscaches.Host`) after a load.
"""

import numpy as np

from pagecost.errors import require
from pagecost.oscaches import Host
from pagecost.workload.patterns import Zipf
from pagecost_app.pictures.drawing import WIDTH, Picture, box, text

PAGES, REFERENCES = 60, 3000
LEFT, TOP, CELL, ROW = 110, 42, 11, 74  # pixels: before the pages, above, of a page, from host to host
HOSTS = {"as usual": {}, "direct I/O": {"direct": True}, "exclusive": {"exclusive": True}}
"""What the page cache does -> what is different of the host."""


def whose_cache(buffer: int = 12, page_cache: int = 24, seed: int = 1) -> Picture:
    """A database of 60 pages, most asked for first, under a buffer and a page cache of so many pages.

    Raises ModelError for sizes that are no numbers of pages of it.
    """
    for name, size in (("buffer", buffer), ("page cache", page_cache)):
        right = isinstance(size, int) and not isinstance(size, bool) and 1 <= size <= PAGES
        require(right, f"the {name} must hold 1 to {PAGES} pages; got {size!r}")
    asked = Zipf(pages=PAGES, alpha=0.8).draw(REFERENCES, np.random.default_rng(seed))
    pages = np.argsort(np.argsort(-np.bincount(asked, minlength=PAGES), kind="stable"))[asked]  # most asked for first
    drawn = [text(LEFT, 14, f"the {PAGES} pages of the database, from the most asked for to the least", "b")]
    said = []
    for number, (name, differs) in enumerate(HOSTS.items()):
        host = Host(buffer_pages=buffer, page_cache_pages=page_cache, read_ahead_pages=0, **differs)
        held, traffic = host.held(pages, np.zeros(pages.size, np.uint8), PAGES)
        twice, different = (int(each.sum()) for each in (held["buffer"] & held["page"], held["buffer"] | held["page"]))
        read, y = traffic.device_requests(write=False), TOP + number * ROW
        drawn += [*_strip(y + 10, "buffer", held["buffer"], "one"), *_strip(y + 30, "page cache", held["page"], "two")]
        told = (
            f"{twice} kept twice, {different} different ones in memory, {read} of {REFERENCES} requests read the device"
        )
        drawn += [text(0, y, name, "b"), text(LEFT, y, told, "m")]
        said.append(f"{name}: {told}")
    words = f"A buffer of {buffer} pages over a page cache of {page_cache}. {'; '.join(said)}."
    return Picture("".join(drawn), TOP + len(HOSTS) * ROW - 20, words)


def _strip(y: float, name: str, held: np.ndarray, look: str) -> list[str]:
    """One cell a page, filled where it is held."""
    assert LEFT + PAGES * CELL <= WIDTH
    cells = [box(LEFT + page * CELL, y, CELL - 2, 14, look if here else "faint") for page, here in enumerate(held)]
    return [*cells, text(0, y + 11, name, "m")]
