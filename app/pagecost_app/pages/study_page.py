"""A page: the inputs of a study on the left, its live charts, numbers and reasons on the right."""

from collections.abc import Callable, Mapping

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import LayoutDOM
from bokeh.models.widgets import Div

from pagecost import units
from pagecost._jit import NotCompiled
from pagecost.errors import ModelError
from pagecost.studies import Result, Study, StudyInputs
from pagecost_app import made_with
from pagecost_app.charts import CHARTS, style
from pagecost_app.compiling import News, Question, here, wait_apart
from pagecost_app.faults import Fault, fault
from pagecost_app.pages.changes import deliver, deliver_when_still, together
from pagecost_app.pages.controls import Control
from pagecost_app.pages.file_line import takes_files
from pagecost_app.pages.inputs_panel import InputsPanel
from pagecost_app.pages.look import beside
from pagecost_app.pages.numbers_table import NumbersTable
from pagecost_app.pages.plain_table import plain_table
from pagecost_app.pages.saving import SaveButtons
from pagecost_app.pages.study_answer import StudyAnswer
from pagecost_app.pages.study_head import ASK_AGAIN, StudyHead
from pagecost_app.pages.worker import Worker

BY_FORMULA = "By formula, while the slider moves. It is simulated when you let go; numbers and reasons follow then."
SO_FAR = "Simulated so far; the answer is not complete. Numbers and reasons follow."
FRESH, STALE = ({"opacity": shown, "transition": "opacity 0.2s"} for shown in ("1", "var(--stale, 0.4)"))


class StudyPage:
    """Joins a study to its chart. `root` is the layout; `recolour(dark)` follows the theme; `stop()` ends its work.

    panel, head, answer, numbers: the parts of the page. accepted: callbacks (preset, values) for the inputs that a
    person set, called when their answer comes: the preset's name (None: the defaults) and the values other than its.
    changed: callbacks (by_person) after each change of the controls. answered: callbacks (inputs, result) for what is
    shown as the whole answer.
    """

    def __init__(self, document: Document, study: Study):
        self.study = study
        self.document = document
        self.accepted: list[Callable[[str | None, dict], None]] = []
        self.changed: list[Callable[[bool], None]] = []
        self.answered: list[Callable[[StudyInputs, Result], None]] = []
        self.chart = CHARTS[study.name]()
        self.panel = InputsPanel(study, self.refresh, self._keep)
        self.head = StudyHead(
            study.name, study.title, lambda paused: self.worker.pause(paused), self._cancel, self.refresh
        )
        self.answer = StudyAnswer(study)
        self.numbers = NumbersTable(study, lambda: self._latest)
        self.saving = SaveButtons(study.name, self.numbers.csv, self.chart.root)
        self.shown: list[LayoutDOM] = []  # of the results, when there are any
        self.results = column(sizing_mode="stretch_width", spacing=6, visible=False, name=f"{study.name}.results")
        self.root = self._layout()
        self._latest: Result | None = None
        self._latest_inputs: StudyInputs | None = None
        self._drawn: tuple[StudyInputs, Result] | None = None  # the last whole answer
        self._unwritten: Result | None = None  # what charts show and the table of numbers does not yet
        self._asked = self._shows = 0  # questions and answers to show so far
        self._by_formula = False  # what is shown
        self._set_by_person = False  # what is asked now, and nobody was told yet
        self._takes_by_person = True  # what the controls are set to now
        self.worker = Worker(
            study,
            self._deliver,
            self.show,
            self.fail,
            self._progress,
            self.head.show_long_run,
            self._cancelled,
            self._waiting,
            estimated=self._show_estimate,
            broken=self._break,
        )
        self.panel.on_release(self.worker.release)
        self._ask()

    @property
    def settled(self) -> tuple[StudyInputs, Result] | None:
        """The inputs and the answer to them, where all that is shown here follows from these; else None."""
        return self._drawn if self.worker.at_rest and self.head.is_silent else None

    def take(self, preset: str | None, values: Mapping | None = None, *, by_person: bool = True) -> None:
        """Set every control to the preset (None, or one that there is not: the defaults) and answer once.

        values: inputs that are other than the preset's. by_person: False tells nobody that they were accepted.
        """
        self._takes_by_person = by_person
        self.panel.take(preset, values)
        self._takes_by_person = True

    def refresh(self) -> None:
        """Read the controls and ask for the answer. Bad input is said, and the last answer stays."""
        self._set_by_person = self._takes_by_person
        self._ask()
        for tell in self.changed:
            tell(self._takes_by_person)

    def _ask(self) -> None:
        self.head.begin()
        self._asked += 1
        if self.panel.moving:
            self._when_still(self.panel.mark)
        else:
            self.panel.mark()
        self.worker.ask(self.panel.values, moving=self.panel.moving)

    def _keep(self, item: Control) -> None:
        """Choose what a control makes of the inputs as they are."""
        try:
            item.add(self.study.inputs(self.panel.values))
        except ModelError as error:
            self.fail(str(error))
        except NotCompiled:
            self.fail("This question is still being compiled; press again when its answer is shown.")

    def show(self, inputs: StudyInputs, result: Result, final: bool) -> None:
        """Draw an answer; one that is not final will grow. A kernel that only the chart needs is compiled first."""
        self._shows += 1
        try:
            self._draw(inputs, result, final)
        except NotCompiled:
            of = self._asked, self._shows
            wait_apart(
                Question.of_study(self.study.name, inputs.model_dump()),
                lambda news: self._unless_newer(of, lambda: self._waiting(news.seconds, news)),
                lambda failed: self._unless_newer(of, lambda: self._draw_here(inputs, result, final)),
            )
        except Exception as error:  # of the chart; the worker and the other questions go on
            self._break(fault(error, f"drawing {self.study.name}", inputs.model_dump()))

    def _show_estimate(self, inputs: StudyInputs, result: Result) -> None:
        """Draw what the study's formulas say while a slider moves, and say that it is no more than that."""
        try:
            shown = units.shown_in(self.numbers.shown_units)
            with together(self.document), shown:
                self.chart.update(inputs, result)
                self.head.clear_message()
                self.answer.say_for_now(BY_FORMULA)
                self._by_formula = True
                self._have_answer()
        except NotCompiled:
            pass  # the simulation has it compiled
        except Exception as error:
            self._break(fault(error, f"drawing the formulas of {self.study.name}", inputs.model_dump()))

    def _break(self, told: Fault) -> None:
        """Say that something failed that nobody expected."""
        style.change(self.results, styles=FRESH)
        self.head.fail(told.sentence, told.details)

    def _draw_here(self, inputs: StudyInputs, result: Result, final: bool) -> None:
        with here():  # what is not in the cache by now will never be
            self._draw(inputs, result, final)

    def _draw(self, inputs: StudyInputs, result: Result, final: bool) -> None:
        """All changes travel to the browser together."""
        first = not self.results.visible
        self._latest, self._latest_inputs = result, inputs
        self._drawn = (inputs, result) if final else None
        with together(self.document), units.shown_in(self.numbers.shown_units):
            self.head.clear_message()
            self.chart.update(inputs, result)
            self.saving.made(made_with.of_study(self.study, inputs))
            if final:
                self.head.clear_status()
                self.answer.show(inputs, result)
            elif self._by_formula:
                self.answer.say_for_now(SO_FAR)
            self._by_formula = False
            if first:
                self.numbers.fill(result)
            self._have_answer()
        if not first:
            self._unwritten = result
            self._when_still(self._write_numbers)
        self._tell(inputs)
        if final:
            for tell in self.answered:
                tell(inputs, result)

    def _write_numbers(self) -> None:
        """Write the table of numbers, if it is not of what the charts show."""
        if self._unwritten is not None:
            result, self._unwritten = self._unwritten, None
            self.numbers.fill(result)

    def _tell(self, inputs: StudyInputs) -> None:
        if self._set_by_person:
            self._set_by_person = False
            for accept in self.accepted:
                accept(self.panel.chosen, self.panel.differing(inputs))

    def fail(self, message: str) -> None:
        """Say in one sentence what is wrong. The charts keep the last answer."""
        style.change(self.results, styles=FRESH)
        self.head.fail(message)
        self._write_numbers()

    def show_units(self, shown: units.Shown) -> None:
        """Write the numbers in these units from now on, those that are shown too."""
        if shown == self.numbers.shown_units:
            return
        self.answer.shown_units = shown
        with together(self.document):
            self.numbers.show_units(shown)
            for item in self.panel.controls:
                item.show_units(shown)
        if self._latest is not None and self._latest_inputs is not None and not self._by_formula:
            with together(self.document), units.shown_in(shown):
                self.chart.update(self._latest_inputs, self._latest)
                if self._drawn:
                    self.answer.show(*self._drawn)
                self.numbers.fill(self._latest)

    def recolour(self, dark: bool) -> None:
        self.chart.recolour(dark)

    def stop(self) -> None:
        self.worker.stop()

    def _when_still(self, callback: Callable[[], None]) -> None:
        """Charts go first while a slider moves: what else is written may lay the page out anew."""
        asked = self._asked
        deliver_when_still(self.document, lambda: callback() if asked == self._asked else None)

    def _unless_newer(self, of: tuple[int, int], callback: Callable[[], None]) -> None:
        """Call back where neither another question nor another answer to it has come since."""
        self._deliver(lambda: callback() if of == (self._asked, self._shows) else None)

    def _deliver(self, callback) -> None:
        deliver(self.document, callback)

    def _progress(self, share: float) -> None:
        self.head.share = share

    def _cancel(self) -> None:
        self.worker.cancel()

    def _waiting(self, seconds: float, compiles: News | None) -> None:
        """Say what the answer waits for; what is shown meanwhile is the answer before, and looks so."""
        if self.head.pause.active:
            return
        alone = not self.results.visible
        self._write_numbers()
        with together(self.document):
            style.change(self.results, styles=FRESH if self._by_formula else STALE)
            if compiles:
                self.head.say_compiles(compiles, alone=alone)
            else:
                self.head.say_share(seconds, alone=alone)

    def _have_answer(self) -> None:
        """There is something to show, and it belongs to the inputs. Charts come to the page with what they show."""
        style.change(self.results, children=self.shown, styles=FRESH, visible=True)

    def _cancelled(self, share: float, partial: Result | None) -> None:
        """Say what is shown now; reasons and numbers are those of the part that was computed."""
        again = f'Press "{ASK_AGAIN}", or change an input.'
        if partial is None:
            self.fail(f"Stopped before there was anything to show: the charts show the answer before. {again}")
            self.head.say_stopped(share)
            return
        style.change(self.results, styles=FRESH)
        self.head.say_stopped(share)
        self.answer.say(f"Stopped at {share:.0%}: all below is what was computed. {again}")
        self._latest = partial
        self.numbers.fill(partial)

    def _layout(self):
        self.results.children = [self.answer.finding, self.answer.known]
        title = Div(text="<h2 style='font-size:15px;margin:6px 12px 0 0'>The numbers</h2>")
        self.shown = [
            self.answer.finding,
            self.answer.known,
            self.answer.actions,
            self.chart.root,
            row(title, *self.saving.models, self.numbers.csv_units, self.numbers.choice),
            self.numbers.table,
            plain_table(self.numbers.table),
            self.answer.reasons,
        ]
        main = column(*self.head.models, self.results, sizing_mode="stretch_width", spacing=2)
        lines = [item.file_line for item in self.panel.controls if item.file_line]
        anywhere = takes_files(lines[0]) if len(lines) == 1 else {}  # no need to aim where nothing else takes a file
        return beside(self.panel.root, main, anywhere)
