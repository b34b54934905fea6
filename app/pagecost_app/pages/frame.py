"""The frame of the app: its head, what stands around every page, and the page that is open.

Whoever has something that is always there makes it in a module of its own and hands it over in `pages.build`, before
`frame.begin`:

    frame.add_bar(layout)      a bar across the page, below the head (a project's name, what was left out)
    frame.add_setting(layout)  a control in the head, beside the choice of how it looks
    frame.add_side(layout)     at the right of every page, with a width of its own (My system)
    frame.add_start(layout)    on the start page, first of all (go on with the last project)
    frame.takers.append(taker) a kind of file that is dropped anywhere goes to a line of its own, see `dropping.Taker`
    frame.on_made(callback)    callback(page): a `StudyPage` or `WalkingPage` was built
    frame.on_gone(callback)    callback(page): a `StudyPage` is no more; it is built anew when it is opened again
    frame.on_open(callback)    callback(address, setting): this is open now; setting: what the address had behind a "?"
    frame.on_missing(callback) callback(sentence): an address led elsewhere, for what it names there is not
    frame.on_recolour(callback), frame.on_close(callback)  callback(dark), callback()

and leads elsewhere by `frame.open(address)`, such as "buffer/miss_curve", and `frame.open_study(name, preset, values)`,
or in HTML by `navigation.link(target, inside)`, whose targets `frame.go` takes.
`frame.opened` is the address of what is open; `frame.study_page(name)` is the page of a question, opened before or not;
`frame.study_pages` are those that are built.
"""

import html
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import LayoutDOM
from bokeh.models.widgets import Div

from pagecost import studies
from pagecost.claims import claims
from pagecost.claims.sensitivity import parameters_of
from pagecost.errors import ModelError, known
from pagecost_app import compiling, heap
from pagecost_app.charts import style
from pagecost_app.faults import fault
from pagecost_app.logbook import LOG
from pagecost_app.pages import claims_page, contents, look
from pagecost_app.pages.appearance import Appearance
from pagecost_app.pages.changes import together
from pagecost_app.pages.claims_page import ClaimsPage
from pagecost_app.pages.copying import to_copy
from pagecost_app.pages.dropping import Taker
from pagecost_app.pages.file_line import take
from pagecost_app.pages.navigation import Navigation
from pagecost_app.pages.search import Search
from pagecost_app.pages.study_page import StudyPage
from pagecost_app.pages.topic_page import TopicPage, question_of
from pagecost_app.pages.tour import Tour
from pagecost_app.pages.walking_page import WalkingPage

PAGES_KEPT = 8  # of questions, those that were looked at last: each holds some 3 MB, and all of them took 140 MB


CLAIM = ".claim { color: var(--muted); } @media (max-width: 600px) { .claim { display: none; } }"


class Page(Protocol):
    """What can be opened."""

    @property
    def root(self) -> LayoutDOM:
        """Its layout."""

    def recolour(self, dark: bool) -> None:
        """Follow the theme."""

    def stop(self) -> None:
        """End what runs by itself: the session is over."""


class Frame:
    """make: title of a page that is no topic -> what makes it, when it is first opened.

    A page is built when it is first opened, and in the document while it is open: what nobody sees would be laid out,
    painted and searched for models with every change.
    """

    def __init__(self, document: Document, make: Mapping[str, Callable[["Frame"], Page]]):
        self.document = document
        self.opened = ""
        self._opening = False
        self._shown: Page
        self._make, self._pages = make, dict[str, Page]()
        self._looked_at: dict[str, None] = {}  # questions whose pages are built, the latest last
        self._made: list[Callable[[StudyPage | WalkingPage], None]] = []
        self._gone: list[Callable[[StudyPage], None]] = []
        self._open: list[Callable[[str, str], None]] = []
        self._missing: list[Callable[[str], None]] = []
        self._recolour: list[Callable[[bool], None]] = []
        self._close: list[Callable[[], None]] = []
        self.navigation = Navigation(contents.TITLES)
        self.navigation.address.on_change("value", lambda attr, old, new: self._follow(new))
        self.navigation.wish.on_change("value", lambda attr, old, new: self._grant(new))
        self.search = Search(document)
        self.tour = Tour()
        self.appearance = Appearance(self._take_look)
        main = {"role": "main"}
        self.place = column(name="place", html_attributes=main, sizing_mode="stretch_width", styles=look.OPENING)
        self.navigation.shows(self.place)
        self._bars: list[LayoutDOM] = []
        self._settings: list[LayoutDOM] = []
        self._side: list[LayoutDOM] = []
        self.first: list[LayoutDOM] = []  # on the start page
        self.takers: list[Taker] = []

    @property
    def dark(self) -> bool:
        """Whether the page is dark."""
        return self.appearance.dark

    def add_bar(self, layout: LayoutDOM) -> None:
        """Let something stand across every page, below the head."""
        self._bars.append(layout)

    def add_setting(self, layout: LayoutDOM) -> None:
        """Let a control stand in the head."""
        self._settings.append(layout)

    def add_side(self, layout: LayoutDOM) -> None:
        """Let something stand at the right of every page."""
        self._side.append(layout)

    def add_start(self, layout: LayoutDOM) -> None:
        """Let something stand on the start page, first of all."""
        self.first.append(layout)

    def on_made(self, callback: Callable[[StudyPage | WalkingPage], None]) -> None:
        """Have every question's page handed over when it is built."""
        self._made.append(callback)

    def on_gone(self, callback: Callable[[StudyPage], None]) -> None:
        """Have a study's page handed over when it was given up, which is built anew when it is opened again."""
        self._gone.append(callback)

    def on_open(self, callback: Callable[[str, str], None]) -> None:
        """Be told what is open now: its address, and the setting that it was asked for with, mostly ""."""
        self._open.append(callback)

    def on_missing(self, callback: Callable[[str], None]) -> None:
        """Be told in a sentence, behind `on_open`, what of an address there is not."""
        self._missing.append(callback)

    def on_recolour(self, callback: Callable[[bool], None]) -> None:
        """Be told when the page turns dark (True) or light."""
        self._recolour.append(callback)

    def on_close(self, callback: Callable[[], None]) -> None:
        """Be told when the session is over."""
        self._close.append(callback)

    def open(self, address: str) -> Page:
        """Open what stands at an address; at one that there is not, the start page."""
        address, _, setting = address.partition("?")
        if address == self.opened and not setting:
            return self._shown
        title, question = contents.found_at(address)
        missing = contents.missing_at(address)
        compiling.prefer([question_of(name) for name in contents.QUESTIONS.get(title, ())])
        with together(self.document):
            page = self._page(title)
            if isinstance(page, TopicPage):
                self._opening = True  # the topic says what it has opened only where people choose it there
                try:
                    page.open(question or page.chosen)
                finally:
                    self._opening = False
            self._shown = page
            style.change(self.place, children=[page.root])
            self._have_opened(contents.address_of(title, page.shown if isinstance(page, TopicPage) else ""), setting)
            for callback in self._missing if missing else ():
                callback(missing)
        return page

    def open_study(self, name: str, preset: str | None, values: Mapping) -> None:
        """Open a study with a preset, and these values on top of it."""
        page = self.open(contents.address_of(contents.title_with(name), name))
        if isinstance(page, TopicPage):
            page.ask(name, preset, values)

    def go(self, target: Mapping) -> None:
        """Lead to what a link says. Raises ModelError where it is none of these.

        {address}, {study, preset, values} of which the last two may lack, {claim} (the question with the inputs of that
        line of the ledger), {paper, place} (its lines; place may lack), {line, copy} (a line takes the copy of a file),
        {line, wrong} (and says why it cannot).
        """
        match target:
            case {"address": str(address)}:
                self.open(address)
            case {"study": str(name)}:
                values = target.get("values")
                study, preset = studies.find(name), target.get("preset")
                self.open_study(
                    study.name,
                    preset if preset in study.presets else None,
                    values if isinstance(values, Mapping) else {},
                )
            case {"claim": str(id)}:
                lines = {claim.id: claim for claim in claims() if claim.study}
                claim = lines[known("line of the ledger that asks a question", id, lines)]
                self.open_study(claim.study, claim.measure.get("preset"), parameters_of(claim))
            case {"paper": str(paper)}:
                self._show_claims(paper=paper, **({"place": str(target["place"])} if "place" in target else {}))
            case {"line": str(name)}:
                copy, wrong = (str(target.get(each, "")) for each in ("copy", "wrong"))
                if not any(take(place, name, copy, wrong) for place in self._places_of(name)):
                    raise ModelError(f"no page has a line {name!r} that takes files")
            case _:
                raise ModelError(f"a link leads to an address, a study, a claim or a paper; got {dict(target)}")

    def study_page(self, name: str) -> StudyPage | WalkingPage | None:
        """The page of a question, which is built for it; nothing else is opened. None where it cannot be built."""
        with together(self.document):
            topic = self._page(contents.title_with(name))
            return topic.page(name) if isinstance(topic, TopicPage) else None

    @property
    def study_pages(self) -> list[StudyPage]:
        """The pages of studies that are built."""
        topics = [page for page in self._pages.values() if isinstance(page, TopicPage)]
        return [page for topic in topics for page in topic.pages.values() if isinstance(page, StudyPage)]

    def begin(self) -> None:
        """Show the start page, and put the frame into the document."""
        self.document.theme = self.appearance.theme_of_charts()
        self.document.on_session_destroyed(lambda context: self._end())
        self.open(contents.address_of(contents.START))
        strip = [look.sheet(look.STRIP)]
        controls = row(self.search.button, *self._settings, self.appearance.root, spacing=8, stylesheets=strip)
        head = row(_name(), controls, sizing_mode="stretch_width", html_attributes={"role": "banner"})
        notes = {"role": "region", "aria-label": "Project and notes"}
        bars = column(*self._bars, html_attributes=notes, sizing_mode="stretch_width")
        place = look.with_side(self.place, *self._side) if self._side else self.place
        self.document.add_root(
            column(head, bars, self.navigation.root, self.tour.seen, place, sizing_mode="stretch_width")
        )

    def _grant(self, wish: str) -> None:
        try:
            target = json.loads(wish)
            self.go(target if isinstance(target, dict) else {})
        except (ValueError, ModelError) as error:  # no link of ours
            LOG.warning("a wish that cannot be granted: %s", error)

    def _places_of(self, line: str) -> Iterable[Document | LayoutDOM]:
        """Where a line can stand, open or not: a question's on its page, any other here or on a page that was built."""
        study = line.partition(".")[0]
        if study in studies.STUDIES:
            page = self.study_page(study)
            return [page.root] if page else []
        return [self.document, *(page.root for page in self._pages.values())]

    def _follow(self, address: str) -> None:
        self.open(address)

    def _page(self, title: str) -> Page:
        if title not in self._pages:
            try:
                page = self._make_page(title)
                page.recolour(self.dark)
            except Exception as error:  # whatever it is: the other pages work
                return _Failed(title, error)
            self._pages[title] = page
        return self._pages[title]

    def _make_page(self, title: str) -> Page:
        if title not in contents.QUESTIONS:
            return self._make[title](self)
        return TopicPage(
            self.document,
            title,
            contents.QUESTIONS[title],
            self.dark,
            show_claims=self._show_claims,
            made=self._have_made,
            opened=lambda question: self._have_chosen(contents.address_of(title, question)),
        )

    def _show_claims(self, **wanted: str) -> None:
        page = self.open(contents.address_of(claims_page.TITLE))
        if isinstance(page, ClaimsPage):
            page.show(**wanted)

    def _have_made(self, page: StudyPage | WalkingPage) -> None:
        if isinstance(page, StudyPage):
            self._looked_at[page.study.name] = None
        for callback in self._made:
            callback(page)

    def _have_chosen(self, address: str) -> None:
        if not self._opening:
            self._have_opened(address, "")

    def _have_opened(self, address: str, setting: str) -> None:
        self.opened = address
        self._give_up_pages(contents.found_at(address)[1])
        style.change(self.navigation.address, value=address)
        for callback in self._open:
            callback(address, setting)

    def _give_up_pages(self, opened: str) -> None:
        """Give up the pages that were not looked at for longest; what is still at work, or says something, stays."""
        if opened in self._looked_at:
            del self._looked_at[opened]
            self._looked_at[opened] = None
        for name in list(self._looked_at)[:-PAGES_KEPT]:
            topic = self._pages[contents.title_with(name)]
            gone = topic.give_up(name) if isinstance(topic, TopicPage) else None
            if gone:
                del self._looked_at[name]
                for callback in self._gone:
                    callback(gone)

    def _take_look(self) -> None:
        with together(self.document):
            self.document.theme = self.appearance.theme_of_charts()
            for page in self._pages.values():
                page.recolour(self.dark)
            for callback in self._recolour:
                callback(self.dark)

    def _end(self) -> None:
        for page in self._pages.values():
            page.stop()
        for callback in self._close:
            callback()
        heap.give_back()


class _Failed:
    """Stands in the place of a page that could not be built; opened again, it is tried again."""

    def __init__(self, title: str, error: Exception):
        told = fault(error, f"opening the page {title}")
        text = look.complaint(told.sentence) + to_copy(told.details)
        self.root = Div(name="failed", text=text, sizing_mode="stretch_width")

    def recolour(self, dark: bool) -> None:
        """Its colours follow by themselves."""

    def stop(self) -> None:
        """Nothing runs."""


def _name() -> Div:
    claim = "what does a database page access cost, on disk and on flash?"
    return Div(
        text=f'<b style="font-size:20px">pagecost</b> <span class=claim>{html.escape(claim)}</span>',
        stylesheets=[look.sheet(CLAIM)],
        styles={"min-width": "min(100%, 300px)"},
        sizing_mode="stretch_width",
    )
