"""A stepper's page without a browser."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bokeh.document import Document

from pagecost_app.pages.walking_page import WalkingPage


@contextmanager
def models_of(page_class: type[WalkingPage]) -> Iterator[Callable]:
    """model(name) -> the page's model of that name, in a fresh document."""
    document = Document()
    page = page_class(document)
    document.add_root(page.root)
    yield lambda name: document.get_model_by_name(f"{page.name}.{name}")
    page.stop()
