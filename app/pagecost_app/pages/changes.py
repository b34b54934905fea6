"""Changes to a document: as one message to the browser, and from any thread."""

import contextlib
from collections.abc import Callable

from bokeh.document import Document

STILL_MS = 150  # what moves is moved on within that time


@contextlib.contextmanager
def together(document: Document, *, new_models: bool = False):
    """Changes made inside travel to the browser when all are made, one after the other in the order of making.

    new_models: they bring in models of their own; the document then looks for them once at the end (30 ms), not after
    every change.
    """
    fault = None
    outermost = document.callbacks.hold_value is None
    if outermost:
        document.hold("combine")
    try:
        with document.models.freeze() if new_models else contextlib.nullcontext():
            try:
                yield
            except Exception as raised:  # Bokeh would leave its models frozen for good
                fault = raised
    finally:
        if outermost:
            document.unhold()
    if fault:
        raise fault


def deliver(document: Document, callback: Callable[[], None]) -> None:
    """Run a callback on the document's thread, from any thread; nothing happens when its page was closed."""
    if document.session_context is None or not document.session_context.destroyed:
        with contextlib.suppress(AttributeError):  # Bokeh takes it apart just now
            document.add_next_tick_callback(callback)


def deliver_when_still(document: Document, callback: Callable[[], None]) -> None:
    """Run a callback on the document's thread, called from there, when nothing may be moving any more."""
    document.add_timeout_callback(callback, STILL_MS)
