"""Pictures of a lesson on its page of the book: what a call draws in a notebook, as it stands."""

from collections.abc import Callable, Mapping
from html import escape

from pagecost.errors import ModelError
from pagecost_app.book.calls import Shown
from pagecost_app.book.explorations import asked_of
from pagecost_app.book.lesson_page import Page, in_the_notebook
from pagecost_app.pictures import (
    array_places,
    claim_picture,
    dies_in_time,
    energy,
    kept_or_read,
    label_tree,
    whose_cache,
)
from pagecost_app.pictures.drawing import Picture


def _of_energy(*names: str, rate_hz: float = energy.RATE_HZ, seed: int = energy.SEED) -> str:
    drawn = [energy.powered(name, rate_hz, seed) for name in names or energy.USUAL]
    return energy.power_drawing(drawn, energy.SHOWN / rate_hz)


def _of_labels(*given, **named) -> str:
    return f"<style>{label_tree.STYLE}</style>{label_tree.label_tree(*given, **named).picture()}"


def _of_a_claim(id: str) -> str:
    return f"<style>{claim_picture.STYLE}</style>{claim_picture.claim_picture(id).picture()}"


def _of_a_dollar(costs: Shown) -> str:
    """As `costs`, an exploration of total_cost, begins."""
    asked = asked_of(costs) if isinstance(costs, Shown) else None
    if asked is None or asked[0].name != "total_cost":
        raise ModelError("a dollar is cut of an exploration of total_cost that can be read")
    study, inputs = asked
    return energy.dollar_drawing(energy.cuts(inputs, study.compute(inputs)), energy.PARTS)


def _as_it_shows_itself(draw: Callable[..., Picture]) -> Callable[..., str]:
    return lambda *given, **named: draw(*given, **named)._repr_html_()


PICTURES: Mapping[str, Callable[..., str]] = {
    "power_over_time": _of_energy,
    "label_tree": _of_labels,
    "claim_picture": _of_a_claim,
    "where_a_dollar_goes": _of_a_dollar,
    "kept_or_read": _as_it_shows_itself(kept_or_read.kept_or_read),
    "dies_in_time": _as_it_shows_itself(dies_in_time.dies_in_time),
    "array_places": _as_it_shows_itself(array_places.array_places),
    "whose_cache": _as_it_shows_itself(whose_cache.whose_cache),
}
"""Call -> its picture, of the same arguments."""


def drawing(call: Shown) -> str | None:
    """What a call of one of `PICTURES` draws: HTML; None for one that cannot be read, or asks what is not possible."""
    if call.unread:
        return None
    try:
        return PICTURES[call.name](*call.given, **call.named)
    except (ModelError, TypeError):
        return None


def picture(page: Page, call: Shown) -> str:
    """One of `PICTURES`; a call that cannot be read, or asks for what is not possible, is left to the notebook."""
    drawn = drawing(call)
    if drawn is None:
        return in_the_notebook(call.said)
    said = f"In the notebook <code>{escape(call.said)}</code> draws this."
    return f'<figure class="drawn">{drawn}<figcaption class="muted">{said}</figcaption></figure>'
