"""A lesson in a real JupyterLab in a real Chromium, as the browser's tests open and move it."""

import contextlib
from pathlib import Path

from playwright.sync_api import Error, TimeoutError

from pagecost import studies
from pagecost.studies.fields import kind_of

BROWSER = Path(__file__).parents[1] / "browser"
IN_THE_PAGE, LOOK = BROWSER / "lesson.js", BROWSER / "lesson_look.js"
RELOADS = 3
MINUTE_MS = 60_000


class Lesson:
    """A lesson in JupyterLab, every cell run."""

    def __init__(self, page, address: str, name: str):
        self.page, self.name = page, name
        page.set_default_timeout(MINUTE_MS)
        page.add_init_script(path=IN_THE_PAGE)
        page.add_init_script(path=LOOK)
        page.goto(
            f"{address}/lab/workspaces/{name}/tree/{name}.ipynb?reset"
        )  # its own: a reload opens this lesson again
        self._wait_until_ready()
        self.errors = self._run_all()
        self._wait_for_charts()

    def reload(self) -> None:
        """What F5 does, with the kernel alive.

        On a busy machine JupyterLab sometimes shows the notebook without its widgets, once in some dozens of reloads;
        people then press F5 again, and so does this, and says so.
        """
        self.page.evaluate("lesson.save()")
        for left in reversed(range(RELOADS)):
            self.page.reload()
            self._wait_until_ready()
            try:
                self._wait_for_charts(MINUTE_MS / 2)
                return
            except TimeoutError as late:
                if not left:
                    raise
                print(f"{self.name}: reloaded, but without its widgets ({late.message.splitlines()[0]})")

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self.page.evaluate("lesson.shutDown()")
        self.page.context.close()

    def explorers(self, study: str) -> list:
        """The parts of the page that belong to a study; a lesson may ask it more than once."""
        return self.page.locator(".pagecost-explorer", has_text=studies.find(study).title).all()

    def explorer(self, study: str):
        """The first part of the page that belongs to a study."""
        return self.page.locator(".pagecost-explorer", has_text=studies.find(study).title).first

    def slider(self, study: str, field: str):
        """The handle of the slider of one input, by the name a screen reader would hear."""
        title = studies.find(study).Inputs.model_fields[field].title
        return self.explorer(study).locator(f'.noUi-handle[aria-label$="{title}"]')

    def stop(self, study: str, field: str):
        """The value that the slider says it has."""
        kind = kind_of(studies.find(study).Inputs.model_fields[field])
        slider = self.slider(study, field).locator("xpath=ancestor::*[contains(@class, 'widget-slider')]")
        text = slider.locator(".widget-readout").text_content().split()
        return next(stop for stop in kind.stops if kind.label(stop).split() == text)

    def bring_up(self, study) -> None:
        """Scroll to a study, or to a part of the page, and wait until its chart is drawn: then the page is at rest."""
        (self.explorer(study) if isinstance(study, str) else study).scroll_into_view_if_needed()
        self.page.wait_for_function("lesson.ink().every((colours) => colours > 20)")

    def reset(self, study: str) -> None:
        """Press the study's Reset button, if anything is changed."""
        button = self.explorer(study).get_by_role("button", name="Reset")
        if button.is_enabled():
            button.click()
        self.page.wait_for_function("button => button.disabled", arg=button.element_handle())

    def columns(self, source: str) -> dict:
        return self.page.evaluate("name => lesson.columns(name)", source)

    def wait_until_shown(self, source: str, column: str, expected) -> None:
        """Until the chart's data are these numbers."""
        self.page.wait_for_function("wanted => lesson.shows(wanted)", arg=[source, column, list(map(float, expected))])

    def _run_all(self) -> list[str]:
        """Errors and warnings of all cells. Where JupyterLab never says that they ran, once more with a new kernel."""
        try:
            return self.page.evaluate("lesson.runAll()")
        except Error as late:
            if "not done within" not in late.message:
                raise
            print(f"{self.name}: run once more, because {late.message.splitlines()[0]}")
        self.page.evaluate("lesson.shutDown()")
        self.page.reload()
        self._wait_until_ready()
        return self.page.evaluate("lesson.runAll()")

    def _wait_until_ready(self) -> None:
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        self.page.wait_for_function("lesson.ready()")

    def _wait_for_charts(self, patience_ms: float = MINUTE_MS) -> None:
        drawn = "document.querySelectorAll('[role=figure]').length === lesson.widgetCount()"
        self.page.wait_for_function(drawn, timeout=patience_ms)
