"""What the app has pages for, and their addresses: `buffer` is a page, `buffer/miss_curve` one of its questions."""

from pagecost import studies
from pagecost.errors import ModelError, known
from pagecost_app.pages import claims_page, import_page
from pagecost_app.pages.topic_page import PARTS


def _questions() -> dict[str, tuple[str, ...]]:
    pages = dict(studies.TOPICS)
    for name, part in PARTS.items():
        title = next((title for title, names in pages.items() if part.after in names), part.topic)
        names = list(pages.get(title, ()))
        names.insert(names.index(part.after) + 1 if part.after in names else len(names), name)
        pages[title] = tuple(names)
    return pages


QUESTIONS: dict[str, tuple[str, ...]] = _questions()
"""Title of each topic's page and what it asks: its studies, and parts that are none (`topic_page.PARTS`)."""

START, COMPARE = "Start", "Compare"
TITLES = (START, *QUESTIONS, claims_page.TITLE, import_page.TITLE, COMPARE)
"""Titles of all pages, in the order in which they are offered."""


def title_with(question: str) -> str:
    """The title of the page that asks a question."""
    return next(title for title, names in QUESTIONS.items() if question in names)


def address_of(title: str, question: str = "") -> str:
    """The address of a page, or of one of its questions, as it stands behind the # of a URL."""
    page = title.lower().replace(" ", "-")
    return f"{page}/{question}" if question else page


def found_at(address: str) -> tuple[str, str]:
    """(title of a page, question or "") at an address. A question alone is found; what is not there is the start."""
    page, _, question = address.partition("/")
    title = next((title for title in TITLES if address_of(title) == page.lower()), "")
    if title:
        return title, question if question in QUESTIONS.get(title, ()) else ""
    known = any(page in names for names in QUESTIONS.values())
    return (title_with(page), page) if known else (START, "")


def missing_at(address: str) -> str:
    """What of an address there is not, in a sentence; "" where it leads where it says."""
    page, _, question = address.partition("/")
    title, found = found_at(address)
    try:
        if title == START and page and page.lower() != address_of(START):
            asked = [name for names in QUESTIONS.values() for name in names]
            known("page or question", page[:80], [*(address_of(each) for each in TITLES), *asked])
        elif question and not found:
            known(f"question of the page {title}", question[:80], QUESTIONS.get(title, ()))
    except ModelError as error:
        return str(error)
    return ""
