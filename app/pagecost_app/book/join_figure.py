"""A join on a lesson's page of the book: the picture of the stepper with every request made."""

from html import escape

from pagecost_app.book.calls import Shown
from pagecost_app.book.lesson_page import Page
from pagecost_app.walks.kinds import JOIN


def figure(page: Page, call: Shown) -> str:
    """`step_join("hybrid hash join", memory=8)`. Raises ModelError for a join that is not possible."""
    method = {"method": call.given[0]} if call.given else {}
    walk = JOIN.walk(**method, **call.named)
    walk.go(walk.size)
    said = escape(JOIN.sentence(walk))
    return (
        f"<style>{JOIN.css}</style><figure><figcaption><b>{escape(JOIN.title(walk))}.</b> {said}</figcaption>"
        f"{JOIN.picture(walk)}</figure>"
    )
