"""The mark on a study's page: which tables and figures of the papers it reproduces, and how much of them holds."""

import threading
from collections.abc import Callable

from bokeh.document import Document
from bokeh.models.widgets import Button, Div

from pagecost.claims import kept
from pagecost_app.claims_told import reproduced
from pagecost_app.pages.changes import deliver, together
from pagecost_app.pages.look import sheet
from pagecost_app.pages.study_page import StudyPage

MOST = 3  # places that are named; the others stand behind one button
LINK = """
:host { font-family: var(--font); }
.bk-btn, .bk-btn-light { background: none !important; border: 0 !important; box-shadow: none !important;
  color: var(--ink) !important; padding: 2px 4px !important; text-decoration: underline; text-underline-offset: 3px;
  text-decoration-color: #0072B2; font-size: 13px; text-align: left; }
"""


def mark(document: Document, page: StudyPage, show_claims: Callable) -> None:
    """Say on a study's page what it reproduces, when the verdicts that are kept have been read.

    show_claims(paper, place) and show_claims(text) lead to the lines.
    """
    found = reproduced(page.study.name)
    if not found:
        return

    def button(label: str, name: str, **wanted: str) -> Button:
        made = Button(label=label, button_type="light", name=name, stylesheets=[sheet(LINK)], margin=0)
        made.on_click(lambda: show_claims(**wanted))
        return made

    def read() -> None:
        records = kept.kept()
        deliver(document, lambda: place([each.words(records) for each in found[:MOST]]))

    def place(words: list[str]) -> None:
        name = page.study.name
        made = [
            button(said, f"{name}.reproduces.{number}", paper=each.paper, place=each.place)
            for number, (each, said) in enumerate(zip(found, words, strict=False))
        ]
        if len(found) > MOST:
            more = len(found) - MOST
            made.append(button(f"and {more} place{'s' if more > 1 else ''} more", f"{name}.reproduces.more", text=name))
        says = Div(text='<span style="color:var(--muted);font-size:13px">Reproduces</span>', margin=(3, 0, 0, 5))
        with together(document):
            page.head.reproduces.update(children=[says, *made], visible=True)

    threading.Thread(target=read, daemon=True, name="kept verdicts").start()
