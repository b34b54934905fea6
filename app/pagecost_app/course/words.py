"""The terms of the glossary in the lessons: where each is used, and what a lesson sets in bold as a term of its own."""

import re
from collections.abc import Iterable, Iterator

from pagecost import glossary
from pagecost.glossary import Term
from pagecost_app.course.lessons import Lesson
from pagecost_app.exercises import EXERCISES

MOST_WORDS = 3  # of a term
_BOLD = re.compile(r"\*\*([a-z][^*\n]+)\*\*")


def used_in(every: Iterable[Lesson]) -> dict[Term, list[Lesson]]:
    """The lessons whose text, or a question of it, has a term, by the term, in the order of the lessons; terms of no
    lesson are left out."""
    found: dict[Term, list[Lesson]] = {}
    for lesson in every:
        asked = (EXERCISES[id].question for id in lesson.exercises)
        for term in glossary.of_texts(*_texts(lesson), *asked):
            found.setdefault(term, []).append(lesson)
    return found


def in_bold(lesson: Lesson) -> list[str]:
    """The words that a lesson sets in bold within a sentence, each once: a term where it is explained, or a stress."""
    found = (match[1].strip(" .,:;") for text in _texts(lesson) for match in _BOLD.finditer(text))
    return list(dict.fromkeys(each for each in found if len(each.split()) <= MOST_WORDS))


def _texts(lesson: Lesson) -> Iterator[str]:
    return (cell.source for cell in lesson.cells if cell.kind == "markdown")
