"""Updates of pages through a buffer to a flash chip, and what writing them in a log of the whole device works."""

from pagecost.operators import page_logging
from pagecost.operators.page_logging import Layout, Traffic, Work
from pagecost.remembering import remembered
from pagecost.requests import sealed


@remembered
def traffic(pages: int, frames: int, updates: int, hot_writes: float, seed: int) -> Traffic:
    """As `page_logging.traffic`; its arrays cannot be written to."""
    found = page_logging.traffic(pages, frames, updates, hot_writes, seed)
    return found._replace(evicted=sealed(found.evicted), page=sealed(found.page), stay=sealed(found.stay))


@remembered
def log_structured(layout: Layout, pages: int, frames: int, updates: int, hot_writes: float, seed: int) -> Work:
    """As `page_logging.log_structured`, of that traffic."""
    return page_logging.log_structured(layout, traffic(pages, frames, updates, hot_writes, seed))
