"""Changes to a document: as one message to the browser, and from any thread."""

import contextlib
from collections.abc import Callable

from bokeh.document import Document
from bokeh.document.models import DocumentModelManager

STILL_MS = 150  # what moves is moved on within that time


@contextlib.contextmanager
def together(document: Document):
    """Changes made inside travel to the browser when all are made, one after the other in the order of making."""
    outermost = document.callbacks.hold_value is None
    if outermost:
        document.hold("combine")
    try:
        with _looked_through_once(document.models):
            yield
    finally:
        if outermost:
            document.unhold()


@contextlib.contextmanager
def _looked_through_once(models: DocumentModelManager):
    """Where models come or go, the document looks through all that it has (30 to 100 ms): once at the end, if at all.

    Bokeh's own `freeze` always looks, and stays frozen for good where a change fails.
    """
    if "invalidate" in vars(models):  # within another one
        yield
        return
    asked = False

    def later() -> None:
        nonlocal asked
        asked = True

    models.invalidate = later  # type: ignore[method-assign]
    try:
        yield
    finally:
        del models.invalidate
        if asked:
            models.invalidate()


def deliver(document: Document, callback: Callable[[], None]) -> None:
    """Run a callback on the document's thread, from any thread; nothing happens when its page was closed."""
    if document.session_context is None or not document.session_context.destroyed:
        with contextlib.suppress(AttributeError):  # Bokeh takes it apart just now
            document.add_next_tick_callback(callback)


def deliver_when_still(document: Document, callback: Callable[[], None]) -> None:
    """Run a callback on the document's thread, called from there, when nothing may be moving any more."""
    document.add_timeout_callback(callback, STILL_MS)
