"""The pages of the app in one document, so that nothing is lost when the page changes.

What stands around every page hooks in here, by few lines: see `frame`. Whoever keeps something that a person set hands
it to `Project.keep`, which saves it, undoes it and restores it.
"""

from collections import ChainMap
from collections.abc import Callable
from pathlib import Path

from bokeh.document import Document
from bokeh.models import CustomJS
from bokeh.models.widgets import Div

from pagecost import catalogue
from pagecost_app import compiling, logbook
from pagecost_app.pages import claims_page, import_page, look
from pagecost_app.pages.accessible import names_and_roles
from pagecost_app.pages.claims_page import ClaimsPage
from pagecost_app.pages.compare_page import ComparePage
from pagecost_app.pages.contents import COMPARE, START
from pagecost_app.pages.contents import QUESTIONS as PAGES
from pagecost_app.pages.copying import copying
from pagecost_app.pages.dropping import Taker, taking_anywhere
from pagecost_app.pages.file_line import taking_files
from pagecost_app.pages.frame import Frame, Page
from pagecost_app.pages.frames import laid_out_once
from pagecost_app.pages.go_on import GoOn
from pagecost_app.pages.import_page import ImportPage
from pagecost_app.pages.leaving import let_go
from pagecost_app.pages.lists import Lists
from pagecost_app.pages.plain_table import plain_tables
from pagecost_app.pages.project import Project
from pagecost_app.pages.project_bar import ProjectBar
from pagecost_app.pages.start_page import StartPage
from pagecost_app.pages.system_bar import SystemBar
from pagecost_app.pages.topic_page import question_of
from pagecost_app.pages.units_choice import UnitsChoice
from pagecost_app.pages.visuals import their_own_only
from pagecost_app.pages.walking_page import KEYS
from pagecost_app.workspace.my_system import MySystem
from pagecost_app.workspace.project_file import ENDING

__all__ = ["PAGES", "build", "prepare"]

MAKE: dict[str, Callable[[Frame], Page]] = {
    START: StartPage,
    claims_page.TITLE: lambda frame: ClaimsPage(frame.document, frame.open_study),
}
"""What makes the pages that are no topics: title -> make(frame)."""


def prepare() -> None:
    """Have the kernels of every question's defaults compiled, when nothing else is waited for; return when they are."""
    names = [name for names in PAGES.values() for name in names]
    compiling.prepare([*map(question_of, names), compiling.Question("traces", "examples")])


def build(document: Document, project_path: Path | None = None) -> Frame:
    """Fill a session's document. project_path: a project's file to begin with."""
    document.title = "pagecost"
    document.template = look.template()
    make: ChainMap[str, Callable[[Frame], Page]] = ChainMap({}, MAKE)  # pages that need what is of this session
    frame, mine = Frame(document, make), MySystem()
    lists = Lists(frame)
    make[import_page.TITLE] = lambda frame: ImportPage(document, frame.open_study, mine, lists)
    project = Project(frame)
    chosen_units = UnitsChoice(frame)
    project.keep(chosen_units)
    frame.add_setting(chosen_units.root)
    bar = ProjectBar(project)
    make[COMPARE] = lambda frame: ComparePage(project, bar.files)
    frame.add_bar(bar.root)
    frame.add_bar(_left_out())
    frame.add_bar(_not_kept())
    system_bar = SystemBar(frame, mine)
    frame.add_bar(system_bar.root)
    lists.add(system_bar.controls)
    chosen_units.follow(system_bar.show_units)
    project.keep(mine)
    frame.add_start(GoOn(mine, system_bar.toggle, bar.opens).root)
    frame.takers += [Taker(ENDING, "", "", bar.open_line.input.name or ""), system_bar.taker]
    for script in (
        frame.appearance.follows_the_page(),
        CustomJS(code=KEYS),
        chosen_units.begin,
        taking_files(),
        laid_out_once(),
        their_own_only(),
        let_go(),
        names_and_roles(),
        plain_tables(),
        copying(),
        frame.navigation.begin(),
        frame.search.begin(),
        frame.tour.begin(),
        taking_anywhere(frame.takers),
        *bar.scripts,
    ):
        document.js_on_event("document_ready", script)
    document.on_event("document_ready", lambda event: frame.search.read())
    frame.begin()
    if project_path:
        bar.open_at_start(project_path)
    return frame


def _left_out() -> Div:
    """What is left out of the user's own devices, and why; a page that is loaded again looks again."""
    problems = catalogue.problems()
    lines = "".join(look.complaint(f"Left out: {problem}") for problem in problems)
    return Div(name="left_out", text=lines, visible=bool(problems), sizing_mode="stretch_width")


def _not_kept() -> Div:
    """What cannot be written here, in a sentence each; everything else works."""
    problems = [said for said in (logbook.problem(), compiling.problem()) if said]
    lines = "".join(look.complaint(said) for said in problems)
    return Div(name="not_kept", text=lines, visible=bool(problems), sizing_mode="stretch_width")
