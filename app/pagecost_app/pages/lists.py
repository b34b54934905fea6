"""The lists of all pages that are built: when there is more to choose from, they offer it without a new start."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pagecost_app.pages.changes import together
from pagecost_app.pages.controls import Control

if TYPE_CHECKING:  # whose contents name the page that renews them
    from pagecost_app.pages.frame import Frame


class Lists:
    """`renew` is for who added something that lists offer, such as a device of the user's own."""

    def __init__(self, frame: "Frame"):
        self._frame = frame
        self._controls: list[Callable[[], Iterable[Control]]] = []

    def add(self, controls: Callable[[], Iterable[Control]]) -> None:
        """Keep the lists of these controls new as well."""
        self._controls.append(controls)

    def renew(self) -> None:
        """Offer what there is now, in every list. What is chosen stays chosen."""
        with together(self._frame.document):
            of_pages = (page.panel.controls for page in self._frame.study_pages)
            for controls in (*of_pages, *(each() for each in self._controls)):
                for item in controls:
                    item.renew()
