"""A lesson as a page of the book: text, what its checked cells print, and what its calls show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from pagecost_app.book import calls, shell
from pagecost_app.book.markup import Markup
from pagecost_app.course import prose
from pagecost_app.course.lessons import TITLE, Cell, Lesson

LEAD = "The lesson as a page: text, charts that move, steppers, questions and worked solutions."
MOST_LISTED = 3  # level of a heading that the list of contents has


@dataclass
class Page:
    """A page that is being made. scripts: texts that stand at its end; beside: addresses of scripts that it loads;
    parts: how many of a kind it has; known: what the names of its cells so far stand for; predicting: whether a
    prediction waits for its answer."""

    lesson: Lesson
    markup: Markup
    scripts: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)
    parts: dict[str, int] = field(default_factory=dict)
    known: Mapping[str, Any] = field(default_factory=dict)
    predicting: bool = False

    def add(self, script: str) -> None:
        """Have a script on the page, once."""
        if script not in self.scripts:
            self.scripts.append(script)

    def named(self, kind: str) -> str:
        """A name for the next part of a kind, which no other part of the page has."""
        self.parts[kind] = self.parts.get(kind, 0) + 1
        return f"{kind}-{self.parts[kind]}"

    def label(self, text: str) -> str:
        """A text as the name of a region, which no other region of the page has."""
        count = self.parts[text] = self.parts.get(text, 0) + 1
        return text if count == 1 else f"{text} ({count})"


Shows = Callable[[Page, calls.Shown], str]
"""What a call of a lesson becomes: HTML."""


def text(lesson: Lesson, every: Sequence[Lesson], shows: Mapping[str, Shows]) -> str:
    """The page of a lesson. every: all lessons; shows: by the name of a call.

    Raises ModelError for what the lesson has and the book cannot read.
    """
    page = Page(lesson, Markup(lesson.name, lesson.path.parent, {each.path.name: address(each) for each in every}))
    made = []
    for cell in lesson.cells:
        if not cell.is_for_instructors:
            made.append(_cell(page, cell, shows))
            page.predicting = _predicting(cell, page.predicting)
        page.known = calls.known_after(cell, page.known)
    body = "\n".join(made)
    headings = [each for each in page.markup.headings if each[0] <= MOST_LISTED]
    main = f'{_contents(headings)}<main id="main" class="lesson">{body}{_way(lesson, every)}</main>'
    return shell.page(title(lesson), LEAD, main, scripts=page.scripts, beside=page.beside, wide=True)


def in_the_notebook(said: str, command: str = "") -> str:
    """A sentence for what the book cannot show. said: as the lesson calls it; command: for its numbers."""
    numbers = f" Its numbers: <code>{escape(command)}</code>." if command else ""
    return f'<p class="elsewhere">This moves in the notebook: <code>{escape(said)}</code>.{numbers}</p>'


def drawn_of(cell: Cell) -> str:
    """The pictures that a checked cell shows, as it is committed: HTML, "" for none."""
    return "".join("".join(output.get("data", {}).get("text/html", "")) for output in cell.outputs)


def address(lesson: Lesson) -> str:
    """Of the page of a lesson."""
    return f"{lesson.name}.html"


def title(lesson: Lesson) -> str:
    """As the book names it."""
    return f"{lesson.number} · {lesson.title}"


def without_title(cell: Cell) -> str:
    """The text of a cell without the title of the lesson, which stands above the page."""
    return TITLE.sub("", cell.source, count=1)


def _cell(page: Page, cell: Cell, shows: Mapping[str, Shows]) -> str:
    if cell.kind != "markdown":
        return _code(page, cell, shows)
    return page.markup.html(prose.without_buttons(without_title(cell)))


def _predicting(cell: Cell, before: bool) -> bool:
    """Whether what follows a cell would give away the answer to a prediction."""
    if cell.kind != "markdown":
        return before
    asked, told = cell.source.rfind("**Predict"), max(map(cell.source.rfind, ("</details>", "**Explain", "\n## ")))
    return asked > told if max(asked, told) >= 0 else before


def _code(page: Page, cell: Cell, shows: Mapping[str, Shows]) -> str:
    made = calls.shown(cell, shows.keys(), page.known)
    if made:
        return "\n".join(shows[call.name](page, call) for call in made)
    if calls.is_quiet(cell):
        return ""
    written = f'<pre tabindex="0"><code>{escape(cell.source)}</code></pre>'
    code = f'<details class="code"><summary>Code</summary>{written}</details>'
    if drawn := drawn_of(cell):
        return _behind(page, f'<figure class="drawn">{drawn}</figure>') + code
    said = "".join(map(_said, cell.outputs))
    if not said:
        value = calls.value_shown(cell)
        return code + (in_the_notebook(value) if value else "")
    output = f'<pre tabindex="0" role="group" aria-label="Output">{escape(said)}</pre>'
    return f'<div class="printed">{_behind(page, output)}{code}</div>'


def _behind(page: Page, shown: str) -> str:
    """Numbers of a lesson, behind a press where a prediction is still open."""
    return f"<details><summary>First predict, then look</summary>{shown}</details>" if page.predicting else shown


def _said(output: dict) -> str:
    return "".join(output.get("text", output.get("data", {}).get("text/plain", "")))


def _contents(headings: Sequence[tuple[int, str, str]]) -> str:
    lines = "".join(
        f'<li class="level{level}"><a href="#{escape(name)}">{escape(text)}</a></li>' for level, name, text in headings
    )
    return (
        f'<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary><ol>{lines}</ol>'
        "</details></nav>"
    )


def _way(lesson: Lesson, every: Sequence[Lesson]) -> str:
    place = [each.name for each in every].index(lesson.name)
    before, behind = every[:place][-1:], every[place + 1 :][:1]
    parts = [
        *(f'<a rel="prev" href="{address(each)}">← {escape(title(each))}</a>' for each in before),
        *(f'<a rel="next" href="{address(each)}">{escape(title(each))} →</a>' for each in behind),
    ]
    return f'<nav class="way" aria-label="Other lessons">{"".join(parts)}</nav>'
