"""The slides of a lesson as one HTML page that works offline, in a hall, with a keyboard, and on paper."""

from html import escape
from pathlib import Path

from pagecost_app import report_look
from pagecost_app.charts import embedding
from pagecost_app.course import prose
from pagecost_app.course.lessons import Lesson
from pagecost_app.slides import slides
from pagecost_app.slides.slides import CHART, Slide
from pagecost_app.walks import CSS

HERE = Path(__file__).parent
SHEET = prose.SHEET + CSS + (HERE / "slides.css").read_text("utf8")
SCRIPT = (HERE / "slides.js").read_text("utf8")
BUTTONS = (
    ("back", "← Back", "the step or slide before (←)"),
    ("next", "Next →", "the next step or slide (→ or space)"),
    ("speak", "Notes", "what to say to this slide (N)"),
    ("dark", "Dark or light", "for a dark room or a bright one (D)"),
    ("full", "Full screen", "all of the screen (F)"),
    ("print", "Print", "one slide a page"),
)


def page(lesson: Lesson, progress: slides.Progress = lambda share: None) -> str:
    """The whole page. Raises ModelError as `slides.of`."""
    made = slides.of(lesson, progress)
    drawn = [each.chart for each in made if each.chart is not None]
    script, places = embedding.parts(drawn) if drawn else ("", [])
    left = iter(places)
    sections = "".join(
        _section(each, number, len(made), next(left) if each.chart is not None else "")
        for number, each in enumerate(made, start=1)
    )
    buttons = "".join(
        f'<button id="{id}" title="{tip}"{" aria-expanded=false aria-controls=notes" if id == "speak" else ""}>'
        f"{text}</button>{'<span class=space></span>' if id == 'next' else ''}"
        for id, text, tip in BUTTONS
    )
    body = (
        f"<main>{sections}</main>"
        '<aside id="notes" aria-label="Notes" tabindex="0" hidden></aside>'
        f'<nav aria-label="Slides"><span id="where" role="status"></span>{buttons}</nav>'
    )
    head = f"<script>{embedding.library()}</script>{script}" if drawn else ""
    return report_look.document(f"{lesson.title}: slides", body, sheet=SHEET, script=SCRIPT, head=head)


def _section(slide: Slide, number: int, count: int, place: str) -> str:
    level = "h1" if slide.kind == "title" else "h2"
    title = prose.line(slide.title)
    notes = "".join(f"<li>{escape(note)}</li>" for note in slide.notes)
    said = f"<ul>{notes}</ul>" if notes else "<p>Nothing is noted for this slide.</p>"
    return (
        f'<section class="slide {slide.kind}" aria-roledescription="slide" aria-label="{number} of {count}">'
        f'<{level}>{title}</{level}><div class="content">{slide.body.replace(CHART, place)}</div>'
        f'<span class="corner">{number}</span><template>{said}</template></section>\n'
    )
