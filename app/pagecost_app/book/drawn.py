"""Pictures of a lesson on its page of the book: what a call draws in a notebook, as it stands."""

from collections.abc import Callable, Mapping
from html import escape

from pagecost.errors import ModelError
from pagecost_app.book.calls import Shown
from pagecost_app.book.explorations import in_the_notebook
from pagecost_app.book.lesson_page import Page
from pagecost_app.pictures import claim_picture, energy, label_tree


def _of_energy(*names: str, rate_hz: float = energy.RATE_HZ, seed: int = energy.SEED) -> str:
    drawn = [energy.powered(name, rate_hz, seed) for name in names or energy.USUAL]
    return energy.power_drawing(drawn, energy.SHOWN / rate_hz)


def _of_labels(*given, **named) -> str:
    return f"<style>{label_tree.STYLE}</style>{label_tree.label_tree(*given, **named).picture()}"


def _of_a_claim(id: str) -> str:
    return f"<style>{claim_picture.STYLE}</style>{claim_picture.claim_picture(id).picture()}"


PICTURES: Mapping[str, Callable[..., str]] = {
    "power_over_time": _of_energy,
    "label_tree": _of_labels,
    "claim_picture": _of_a_claim,
}
"""Call -> its picture, of the same arguments."""


def picture(page: Page, call: Shown) -> str:
    """One of `PICTURES`; a call that cannot be read, or asks for what is not possible, is left to the notebook."""
    if call.unread:
        return in_the_notebook(call)
    try:
        drawn = PICTURES[call.name](*call.given, **call.named)
    except (ModelError, TypeError):
        return in_the_notebook(call)
    return (
        f'<figure class="drawn">{drawn}<figcaption class="muted"><code>{escape(call.said)}</code></figcaption></figure>'
    )
