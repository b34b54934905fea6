"""`make book`: the lessons and the live pages as a site in a folder, which is opened from a stick.

`--lesson 4` makes that lesson and the first page only: the other pages stay as they are.
"""

import argparse
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from pagecost.errors import ModelError
from pagecost.glossary import Term
from pagecost_app.book import buffer_page, drawn, flash_page, lesson_page, markup, questions, shell, steps
from pagecost_app.book.axes import Budget
from pagecost_app.book.explorations import LIBRARY, Explorations
from pagecost_app.book.lesson_page import Shows
from pagecost_app.charts import embedding
from pagecost_app.course import lessons, words
from pagecost_app.course.lessons import Lesson

PAGES = {"buffer": buffer_page, "flash": flash_page}
"""Name of the file of each page that runs a model -> the module that has its TITLE, its LEAD and its `text()`."""
SHOWS: Mapping[str, Shows] = {
    **dict.fromkeys(("ask", "exercise"), questions.question),
    **dict.fromkeys(("predict", "check", "hint"), questions.nothing),
    **dict.fromkeys(steps.STEPPERS, steps.stepper),
    **dict.fromkeys(drawn.PICTURES, drawn.picture),
}
"""What each call of a lesson becomes on its page, but for what is computed for it."""
BUDGET = Budget()
TITLE = "What does a database page access cost?"
LEAD = (
    "In time, energy, wear and money, on disk and on flash: the lessons of pagecost as pages that need no Python and "
    "no network."
)


def shows(budget: Budget = BUDGET) -> Mapping[str, Shows]:
    """What each call of a lesson becomes on its page. budget: of each exploration."""
    return {**SHOWS, "explore": Explorations(budget)}


def write(folder: Path, chosen: Sequence[str] = (), budget: Budget = BUDGET) -> list[Path]:
    """Write the book; the paths of its pages. chosen: only these lessons, by number or name, and the first page.

    Raises OSError where that is not possible, ModelError for a lesson that there is not or that cannot be read.
    """
    every = lessons.lessons()
    wanted = [lessons.lesson(each) for each in chosen] or every
    folder.mkdir(parents=True, exist_ok=True)
    made = {"index.html": index(every), markup.GLOSSARY: shell.words(_uses(every))}
    if not chosen:
        made |= {f"{name}.html": page.text() for name, page in PAGES.items()}
    for address, text in made.items():
        (folder / address).write_text(text, "utf8")
    (folder / LIBRARY).write_bytes(embedding.BOKEH_JS.read_bytes())
    paths = [folder / address for address in made]
    shown = shows(budget)
    for lesson in wanted:
        began = time.perf_counter()
        path = folder / lesson_page.address(lesson)
        path.write_text(lesson_page.text(lesson, every, shown), "utf8")
        took = time.perf_counter() - began
        print(f"{path.name}: {took:.1f} s, {path.stat().st_size / 1e6:.1f} MB", file=sys.stderr)
        paths.append(path)
    return paths


def index(every: Sequence[Lesson]) -> str:
    """The first page."""
    taught = {lesson_page.address(lesson): (lesson_page.title(lesson), _opening(lesson)) for lesson in every}
    live = {f"{name}.html": (page.TITLE, page.LEAD) for name, page in PAGES.items()}
    live |= {markup.GLOSSARY: ("Glossary", "The words of the field, each in a sentence.")}
    return shell.contents(TITLE, LEAD, {"Lessons": taught, "Models that run in the page, and words": live})


def _uses(every: Sequence[Lesson]) -> dict[Term, dict[str, str]]:
    """The pages of the lessons that use a term, with their titles."""
    return {
        term: {lesson_page.address(lesson): lesson_page.title(lesson) for lesson in found}
        for term, found in words.used_in(every).items()
    }


def _opening(lesson: Lesson) -> str:
    """The first sentences of a lesson, without markup, and its time."""
    told = lesson_page.without_title(lesson.cells[0]).strip().split("\n\n")[0]
    words = " ".join(re.sub(r"[*`]|\]\([^)]*\)|\[", "", told).split())
    least, most = lesson.minutes
    return f"{words} {least} to {most} minutes." if least < most else f"{words} {most} minutes."


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code."""
    wanted = argparse.ArgumentParser(description="Make the book of the lessons.")
    wanted.add_argument("folder", type=Path)
    wanted.add_argument("--lesson", action="append", default=[], help="only this lesson: its number or name")
    chosen = wanted.parse_args(arguments)
    try:
        for path in write(chosen.folder, chosen.lesson):
            print(path)
    except (ModelError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
