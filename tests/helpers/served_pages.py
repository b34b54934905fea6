"""The app's pages as a server of this process, with the processes that compile for them."""

import contextlib
from collections.abc import Iterator

from pagecost_app import compiling, pages
from pagecost_app.server import AppServer


@contextlib.contextmanager
def served_pages() -> Iterator[AppServer]:
    """A server that runs within the block."""
    compiling.begin()
    running = AppServer(pages.build)
    try:
        yield running
    finally:
        running.stop()
        compiling.end()
