"""The map of all questions along the way of a page access, each a small picture that opens it.

A question says itself where it stands (`Study.place`, `WalkingPage.place`); its picture is in `thumbnails`.
"""

import html
from collections.abc import Iterator

from pagecost import studies
from pagecost_app import thumbnails
from pagecost_app.pages.contents import QUESTIONS
from pagecost_app.pages.navigation import link
from pagecost_app.pages.search_entries import question_target
from pagecost_app.pages.topic_page import PARTS, title_of

CSS = (
    thumbnails.CSS
    + """
:host { font-family: var(--font); color: var(--ink); --way: #0072B2; }
.map { list-style: none; margin: 0; padding: 0; }
.map > li { position: relative; display: grid; grid-template-columns: 150px minmax(0, 1fr); gap: 0 14px;
  padding: 4px 0 18px 34px; }
.map > li::before { content: ""; position: absolute; left: 6px; top: 8px; width: 12px; height: 12px; border-radius: 50%;
  border: 3px solid var(--way); background: var(--ground); box-sizing: content-box; }
.map > li::after { content: ""; position: absolute; left: 13.5px; top: 28px; bottom: -6px; width: 3px;
  background: var(--way); }
.map > li:nth-last-child(2)::after, .map > li:last-child::after { display: none; }
.map > li:last-child::before { border-style: dotted; }
.map h3 { margin: 3px 0 0; font-size: 15px; }
.map h3 + p { margin: 2px 0 8px; color: var(--muted); font-size: 12.5px; }
.map ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 10px;
  grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); }
.map ul li { display: flex; }
.map a { flex: 1; display: flex; flex-direction: column; gap: 6px; padding: 8px; border: 1px solid var(--faint);
  border-radius: 8px; background: var(--panel); color: var(--ink); text-decoration: none; font-size: 12.5px;
  line-height: 1.35; min-width: 0; overflow-wrap: anywhere; }
.map a:hover { border-color: #0072B2; }
.map a:focus-visible { outline: 3px solid #0072B2; outline-offset: 1px; }
.map svg { background: var(--ground); border-radius: 4px; width: 100%; height: 62px; display: block; }
@media (max-width: 720px) { .map > li { grid-template-columns: minmax(0, 1fr); } }
"""
)


def questions_at(place: str) -> Iterator[str]:
    """The studies and parts that are about a place of the path, in the order of their pages."""
    for names in QUESTIONS.values():
        for name in names:
            if (PARTS[name].place if name in PARTS else studies.find(name).place) == place:
                yield name


def question_map() -> str:
    """The map as HTML."""
    stations = "".join(_station(place, what) for place, what in studies.PLACES.items())
    return f'<nav aria-label="All questions along the path"><ol class="map">{stations}</ol></nav>'


def _station(place: str, what: str) -> str:
    cards = "".join(f"<li>{_card(name)}</li>" for name in questions_at(place))
    head = f"<h3>{html.escape(place.capitalize())}</h3><p>{html.escape(what)}</p>"
    return f"<li><div>{head}</div><ul>{cards}</ul></li>"


def _card(name: str) -> str:
    return link(question_target(name), f"{thumbnails.picture(name)}<span>{html.escape(short(title_of(name)))}</span>")


def short(title: str) -> str:
    """The question of a title, without what is added to it."""
    question, mark, _ = title.partition("?")
    return question + mark
