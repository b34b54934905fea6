"""The page that is seen first: what this is, in a picture that moves, and where to begin.

It is drawn without a kernel and without the ledger; the experiments of the papers come when they have been read.
"""

import html
import threading
from typing import TYPE_CHECKING

from bokeh.layouts import column, row
from bokeh.models import CustomJS
from bokeh.models.widgets import Button, Div

from pagecost import catalogue, studies
from pagecost.claims import PAPERS
from pagecost_app import about
from pagecost_app import claims_told as told
from pagecost_app.charts import style
from pagecost_app.pages import question_map, search_entries, tour
from pagecost_app.pages.changes import deliver
from pagecost_app.pages.copying import to_copy
from pagecost_app.pages.dropping import choose_file
from pagecost_app.pages.look import sheet
from pagecost_app.pages.navigation import link
from pagecost_app.pages.search_entries import Experiment
from pagecost_app.walks.story import story
from pagecost_app.walks.story_picture import story_css, story_picture

if TYPE_CHECKING:  # which shows this page
    from pagecost_app.pages.frame import Frame

LEAST_STORY, BEGIN_WIDTH = 520, 300  # pixels
MOST = 4  # experiments of a paper that are named
WIDE = """
.bk-clearfix { display: block !important; width: 100%; }
"""
WORDS = """
:host { font-family: var(--font); color: var(--ink); }
h1 { font-size: 24px; margin: 10px 0 4px; }
h2 { font-size: 18px; margin: 22px 0 2px; }
p { margin: 2px 0 8px; font-size: 15px; max-width: 62em; }
h2 + p { color: var(--muted); font-size: 13.5px; }
"""
DROP = (
    "<b>Bring a file.</b> Drop a trace, a result of fio, an XML file, a device or a system anywhere on this page, "
    "or choose one. It stays on this machine."
)
DROP_ZONE = """
p { border: 2px dashed var(--muted); border-radius: 8px; padding: 14px; font-size: 13.5px; }
"""
PAPER_CARDS = """
:host { font-family: var(--font); color: var(--ink); }
ul { list-style: none; margin: 0; padding: 0; }
.papers { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 12px; }
.papers > li { padding: 10px 14px 12px; border: 1px solid var(--faint); border-radius: 8px; background: var(--panel); }
h3 { margin: 0; font-size: 15px; }
h3 small { display: block; font-size: 12px; font-weight: 400; color: var(--muted); }
.papers ul { margin: 6px 0; display: grid; gap: 5px; font-size: 13px; line-height: 1.35; }
a { color: var(--ink); text-decoration-color: #0072B2; text-underline-offset: 3px; }
a:focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
small { color: var(--muted); }
"""
ABOUT = """
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 18px; margin: 6px 0; font-size: 13px; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
dl + div { padding-left: 0 !important; }
@media (max-width: 600px) { dl { grid-template-columns: minmax(0, 1fr); } dd { margin-bottom: 5px; } }
"""


class StartPage:
    """`root` is the layout; the methods are those of every page."""

    def __init__(self, frame: "Frame"):
        self.document = frame.document
        asked = sum(1 for place in studies.PLACES for _ in question_map.questions_at(place))
        moving = story()
        self.papers = _html("start.papers", _papers({}), PAPER_CARDS)
        picture = _html("start.story", story_picture(moving), story_css(moving))
        picture.styles = {"flex": f"1 1 {LEAST_STORY}px", "min-width": f"min({LEAST_STORY}px, 100%)"}
        self.root = column(
            _html("start", _welcome(), WORDS),
            row(picture, self._begin(frame), sizing_mode="stretch_width", spacing=24, styles={"flex-wrap": "wrap"}),
            _html("start.map_heading", _heading("All questions", _of_map(asked)), WORDS),
            _html("start.map", question_map.question_map(), question_map.CSS),
            _html("start.papers_heading", _heading("Begin with an experiment of a paper", OF_PAPERS), WORDS),
            self.papers,
            _html("start.about", _heading("About pagecost", OF_ITSELF) + _about(), WORDS + ABOUT),
            sizing_mode="stretch_width",
            spacing=6,
            name="start.page",
        )
        threading.Thread(target=self._read, daemon=True, name="papers").start()

    def _begin(self, frame: "Frame"):
        """Where to begin, beside the picture."""
        guided = Button(name="start.tour", sizing_mode="stretch_width", stylesheets=[sheet()])

        def offer(seen: bool) -> None:
            label = "Take the tour again" if seen else f"Take the tour: {len(tour.STOPS)} stops"
            style.change(guided, label=label, button_type="default" if seen else "primary")

        offer(tour.was_seen())
        frame.tour.seen.on_change("value", lambda attr, old, new: offer(True))
        guided.js_on_click(CustomJS(code="window.pagecost_tour?.()"))
        find = Button(label="Search  (Ctrl-K)", name="start.search", sizing_mode="stretch_width", stylesheets=[sheet()])
        find.js_on_click(CustomJS(code="window.pagecost_search?.()"))
        choose = Button(label="Choose a file", name="start.file", sizing_mode="stretch_width", stylesheets=[sheet()])
        choose.js_on_click(choose_file())
        return column(
            _html("start.begin", "<h2>Where to begin</h2>", WORDS),
            *frame.first,
            guided,
            find,
            _html("start.drop", f"<p>{DROP}</p>", WORDS + DROP_ZONE),
            choose,
            width=BEGIN_WIDTH,
            spacing=6,
        )

    def recolour(self, dark: bool) -> None:
        """Its colours are the page's own."""

    def stop(self) -> None:
        """Nothing runs for longer than it takes to read the ledger."""

    def _read(self) -> None:
        found: dict[str, list[Experiment]] = {}
        for each in search_entries.experiments():
            found.setdefault(each.paper, []).append(each)
        deliver(self.document, lambda: style.change(self.papers, text=_papers(found)))


OF_PAPERS = (
    "Each opens the question with the inputs that its table or figure was made with; the ledger says what holds."
)
OF_ITSELF = "Nothing that you open or set leaves this machine."


def _html(name: str, text: str, css: str) -> Div:
    return Div(name=name, text=text, sizing_mode="stretch_width", stylesheets=[sheet(WIDE + css)])


def _welcome() -> str:
    return (
        "<h1>What does a database page access cost?</h1><p>In time, energy, wear and money, on disk and on flash: "
        "computed by models of every layer that it goes through. Choose a question, move its inputs, and watch the "
        "answer.</p>"
    )


def _heading(title: str, words: str) -> str:
    return f"<h2>{html.escape(title)}</h2><p>{html.escape(words)}</p>"


def _of_map(asked: int) -> str:
    return f"{asked} of them, along the way of a page access. Ctrl-K finds one by words, from every page."


def _about() -> str:
    told = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(words)}</dd>" for name, words in about.facts())
    return f"<dl>{told}</dl>{to_copy(about.to_copy())}"


def _papers(found: dict[str, list[Experiment]]) -> str:
    """The papers and what the questions reproduce of them, as far as it has been read."""
    return f'<ul class="papers">{"".join(_paper(paper, found.get(paper, [])) for paper in PAPERS)}</ul>'


def _paper(paper: str, experiments: list[Experiment]) -> str:
    shown = "".join(f"<li>{_experiment(each)}</li>" for each in experiments[:MOST])
    source = catalogue.sources()[paper]
    lines = link({"paper": paper}, "what it states, line by line")
    return (
        f"<li><h3>{html.escape(told.called(paper))}<small>{html.escape(source.title)}</small></h3>"
        f"<ul>{shown}<li>{lines}</li></ul></li>"
    )


def _experiment(each: Experiment) -> str:
    asked = question_map.short(studies.find(each.study).title)
    return f"{link(each.target, html.escape(each.place))} <small>{html.escape(asked)}</small>"
