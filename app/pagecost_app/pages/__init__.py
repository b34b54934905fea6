"""The pages of the app, as tabs of one document, so that nothing is lost when the page changes."""

from collections.abc import Mapping

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import CustomJS, TabPanel, Tabs
from bokeh.models.widgets import Div, RadioButtonGroup

from pagecost import studies
from pagecost_app import compiling, heap
from pagecost_app.charts import style
from pagecost_app.pages import claims_page, look
from pagecost_app.pages.claims_page import ClaimsPage
from pagecost_app.pages.file_line import taking_files
from pagecost_app.pages.frames import laid_out_once
from pagecost_app.pages.stepper_page import KEYS
from pagecost_app.pages.study_page import together
from pagecost_app.pages.topic_page import PARTS, TopicPage, question_of


def _pages() -> dict[str, tuple[str, ...]]:
    pages = dict(studies.TOPICS)
    for name, part in PARTS.items():
        title = next(title for title, names in pages.items() if part.after in names)
        names = list(pages[title])
        names.insert(names.index(part.after) + 1, name)
        pages[title] = tuple(names)
    return pages


PAGES: dict[str, tuple[str, ...]] = _pages()
"""Title of each page and what it asks: the studies of a topic, and parts that are none (`topic_page.PARTS`)."""

FOLLOW_CHOICE = """
const chosen = cb_obj.active ? "dark" : "light"
document.documentElement.dataset.theme = chosen
sessionStorage.setItem("pagecost.theme", chosen)
"""
# what was chosen in this tab before a reload, else what the system says: the page's own script has found it out
FOLLOW_PAGE = "theme.active = document.documentElement.dataset.theme === 'dark' ? 1 : 0"


def prepare() -> None:
    """Have the kernels of every question's defaults compiled, when nothing else is waited for; return when they are."""
    names = [name for names in PAGES.values() for name in names]
    compiling.prepare([*map(question_of, names), compiling.Question("traces", "examples")])


def build(document: Document) -> None:
    """Fill a session's document. A page is built when it is first opened, and in the document while it is open.

    What nobody sees would be laid out, painted and searched for models with every change.
    """
    document.title = "pagecost"
    document.template = look.template()
    built: dict[str, TopicPage | ClaimsPage] = {}
    waits = Div(text="opening …")
    titles = [*PAGES, claims_page.TITLE]
    places = {title: column(waits, sizing_mode="stretch_width") for title in titles}
    panels = [TabPanel(child=place, title=title) for title, place in places.items()]
    tabs = Tabs(tabs=panels, name="pages", sizing_mode="stretch_width", stylesheets=[look.sheet(look.TABS)])
    theme = RadioButtonGroup(labels=["Light", "Dark"], active=0, name="theme", stylesheets=[look.sheet()])
    theme.js_on_change("active", CustomJS(code=FOLLOW_CHOICE))

    def open_page(number: int) -> None:
        if not 0 <= number < len(titles):  # no browser of ours says that
            return
        title = titles[number]
        compiling.prefer([question_of(name) for name in PAGES.get(title, ())])
        with together(document, new_models=True):
            if title not in built:
                built[title] = made(title)
            for each, place in places.items():
                style.change(place, children=[built[title].root if each == title else waits])

    def made(title: str) -> TopicPage | ClaimsPage:
        if title in PAGES:
            return TopicPage(document, title, PAGES[title], bool(theme.active), show_claims)
        page = ClaimsPage(document, open_study)
        page.recolour(bool(theme.active))
        return page

    def go_to(title: str):
        tabs.active = titles.index(title)
        return built[title]

    def show_claims(**wanted: str) -> None:
        go_to(claims_page.TITLE).show(**wanted)

    def open_study(name: str, preset: str | None, values: Mapping) -> None:
        go_to(next(title for title, names in PAGES.items() if name in names)).ask(name, preset, values)

    def recolour(attr, old, new) -> None:
        with together(document, new_models=True):
            document.theme = style.theme(bool(new))
            for page in built.values():
                page.recolour(bool(new))

    def close(context) -> None:
        for page in built.values():
            page.stop()
        heap.give_back()

    theme.on_change("active", recolour)
    tabs.on_change("active", lambda attr, old, new: open_page(new))
    document.theme = style.theme(False)
    document.on_session_destroyed(close)
    document.js_on_event("document_ready", CustomJS(args={"theme": theme}, code=FOLLOW_PAGE))
    document.js_on_event("document_ready", CustomJS(code=KEYS))
    document.js_on_event("document_ready", taking_files())
    document.js_on_event("document_ready", laid_out_once())
    open_page(0)
    title = Div(
        text='<b style="font-size:20px">pagecost</b> <span style="color:var(--muted)">what does a database page '
        "access cost, on disk and on flash?</span>",
        sizing_mode="stretch_width",
    )
    document.add_root(column(row(title, theme, sizing_mode="stretch_width"), tabs, sizing_mode="stretch_width"))
