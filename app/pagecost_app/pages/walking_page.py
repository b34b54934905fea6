"""What every stepper's page does: walk by button, slider and key, play, say what is wrong, wait for compiling."""

import contextlib
import html
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models.widgets import Button, Div, Select, Slider, TextInput, Toggle

from pagecost._jit import NotCompiled
from pagecost.errors import ModelError
from pagecost_app import compiling
from pagecost_app.charts import style
from pagecost_app.compiling import News, Question, wait_apart
from pagecost_app.pages.changes import deliver, together
from pagecost_app.pages.look import PANEL_WIDTH, beside, complaint, sheet, waiting, waiting_line
from pagecost_app.walks.face import ASK_LABEL, FULL_LABEL, SPEEDS, Face

# Keys of whatever has the focus inside a stepper, but not of what has keys of its own. What its picture offers to press
# is a wish, which goes to the text named NAME.wish; a digit is the answer of that number to the question that is asked
KEYS = """
const stepper_of = (path) => path.find((node) => node.dataset?.keys)
const stepper_wish = (stepper, what) => {
  Bokeh.documents[0].get_model_by_name(stepper.dataset.keys + ".wish").value = Date.now() + " " + what
  stepper.focus({preventScroll: true})  // what was pressed is about to be drawn anew
}
const stepper_full = (stepper) => {
  if (document.fullscreenElement) document.exitFullscreen()
  else stepper.requestFullscreen?.()
}
document.addEventListener("keydown", (event) => {
  const path = event.composedPath(), at = path[0], stepper = stepper_of(path)
  if (!stepper || event.ctrlKey || event.altKey || event.metaKey) return
  const name = stepper.dataset.keys, offered = stepper.getAttribute("aria-keyshortcuts").split(" ")
  if (at.matches("input, select, textarea, .noUi-handle") || (event.key === " " && at.matches("button"))) return
  const named = (part) => Bokeh.documents[0].get_model_by_name(name + "." + part)
  const position = named("position"), play = named("play")
  const goals = {ArrowLeft: position.value - 1, ArrowRight: position.value + 1, Home: 0, End: position.end}
  const wishes = {w: "why", e: "erase", PageDown: "next", PageUp: "previous"}
  if (event.key === " ") play.active = !play.active
  else if (event.key in goals) position.value = Math.min(Math.max(goals[event.key], 0), position.end)
  else if (event.key === "f") stepper_full(stepper)
  else if (/^[1-9]$/.test(event.key)) stepper_wish(stepper, "answer " + (event.key - 1))
  else if (event.key in wishes && offered.includes(event.key)) stepper_wish(stepper, wishes[event.key])
  else return
  event.preventDefault()
})
document.addEventListener("click", (event) => {
  const path = event.composedPath(), stepper = stepper_of(path)
  if (!stepper) return
  const pressed = path.find((node) => node.dataset?.event || node.dataset?.wish)
  if (pressed) stepper_wish(stepper, pressed.dataset.wish || pressed.dataset.event)
  if (path.find((node) => node.dataset?.full)) stepper_full(stepper)
})
"""
FOCUS = """
:host(:focus-visible) { outline: 3px solid #0072B2; outline-offset: 4px; border-radius: 4px; }
:host(:fullscreen) { background: var(--ground, Canvas); overflow: auto; padding: 22px; zoom: 1.35; }
"""


class WalkingPage(Face, ABC):
    """The inputs of a stepper, its walk, and what shows it. `root` is the layout; the methods are those of a StudyPage.

    A subclass says what is walked through.
    """

    title: ClassVar[str]
    after: ClassVar[str]  # the study that it follows on its page
    topic: ClassVar[str] = ""  # the page where there is no such study
    place: ClassVar[str]  # what of the path it is about, one of `studies.PLACES`
    name: ClassVar[str]  # of its models
    keys: ClassVar[str]  # in words
    more_keys: ClassVar[str] = ""  # in the words of aria-keyshortcuts
    group: ClassVar[str]  # what the part that is walked in is called
    steps_label: ClassVar[str]

    def __init__(self, document: Document):
        self.document = document
        self.walk: Any = None  # until its kernels are compiled
        self._playing: Any = None
        self.speed = self._input(Select, "speed", "Speed of Play", options=list(SPEEDS), value="normal")
        self.position = self._input(
            Slider, "position", self.steps_label, start=0, end=1, step=1, value=0, min_width=120, max_width=320
        )
        self.play = Toggle(label="Play", name=f"{self.name}.play", width=80, stylesheets=[sheet()])
        self.heading = Div(name=f"{self.name}.heading", sizing_mode="stretch_width")
        self.message = Div(name=f"{self.name}.message", visible=False, sizing_mode="stretch_width")
        self.ask = Toggle(label=ASK_LABEL, name=f"{self.name}.ask", width=104, stylesheets=[sheet()])
        self.wish = TextInput(name=f"{self.name}.wish", visible=False)
        self.full = Button(
            label=FULL_LABEL,
            name=f"{self.name}.full",
            width=92,
            stylesheets=[sheet()],
            html_attributes={"data-full": "yes"},
        )
        self._waits_for: Question | None = None
        self.status = waiting_line(f"{self.name}.status")
        news = {"role": "status", "aria-live": "polite"}
        self.words = Div(name=f"{self.name}.words", html_attributes=news, sizing_mode="stretch_width", min_height=42)
        self.picture = Div(name=f"{self.name}.picture", stylesheets=[sheet(self.css)], sizing_mode="stretch_width")
        self.position.on_change("value", lambda attr, old, new: self._go(new))
        self.play.on_change("active", lambda attr, old, new: self._play(new))
        self.speed.on_change("value", lambda attr, old, new: self._play(self.play.active))
        self.wish.on_change("value", lambda attr, old, new: self._wish(new.partition(" ")[2]))
        self.ask.on_change("active", lambda attr, old, new: self._ask_first(bool(new)))
        inputs = self._inputs()
        self.root = self._layout(inputs)
        self.refresh()

    @staticmethod
    @abstractmethod
    def question() -> Question:
        """What it asks when it is opened."""

    @abstractmethod
    def _inputs(self) -> list:
        """Make the inputs of what is walked through, for the panel."""

    @abstractmethod
    def refresh(self) -> None:
        """Read the inputs and walk anew to the same place; bad input is said and the last walk stays."""

    def _do(self, action: Callable[[], None], question: Question, again: Callable[[], None]) -> None:
        """Do it, or say why not; if a kernel of the question has to be compiled, do it `again` when it is."""
        try:
            action()
        except ModelError as error:
            style.change(self.message, text=complaint(str(error)), visible=True)
        except NotCompiled:
            self._waits_for = question
            wait_apart(
                question,
                lambda news: self._deliver(lambda: self._waiting(question, news)),
                lambda failed: self._deliver(lambda: self._compiled(question, again, failed)),
            )

    def _waiting(self, question: Question, news: News) -> None:
        if question == self._waits_for:
            style.change(self.status, text=waiting(str(news), news.share, alone=self.walk is None))

    def _compiled(self, question: Question, again: Callable[[], None], failed: str) -> None:
        if question == self._waits_for:  # or something else was asked meanwhile
            self._waits_for = None
            with compiling.here() if failed else contextlib.nullcontext():
                again()

    def _deliver(self, callback: Callable[[], None]) -> None:
        deliver(self.document, callback)

    def recolour(self, dark: bool) -> None:
        """The boxes take their colours from the page."""

    def stop(self) -> None:
        """End what runs by itself."""
        self._play(False)

    def _go(self, position: int) -> None:
        if self.walk and position != self._at:
            self.walk.go(position)
            self._show()

    def _wish(self, text: str) -> None:
        """A key, or something in the picture that was pressed."""
        if self.walk:
            self.walk.wish(text)
            self._show()

    def _ask_first(self, asking: bool) -> None:
        if self.walk:
            self.walk.ask_first(asking)
            self._show()

    def _show(self) -> None:
        with together(self.document):
            style.change(self.status, text="")
            title, sentence, picture = self._shown()
            # the place first: a key pressed at the sight of the new words steps on from there
            style.change(self.position, end=self.walk.size, value=self._at)
            style.change(self.heading, text=f'<h2 style="font-size:15px;margin:0">{html.escape(title)}</h2>')
            style.change(self.picture, text=picture)
            style.change(self.words, text=f'<p style="margin:2px 0;font-size:15px">{html.escape(sentence)}</p>')
            style.change(self.steps, visible=True)
            if self._waits_for_answer() and self.play.active:
                self.play.active = False

    def _waits_for_answer(self) -> bool:
        return self.walk.question is not None

    def _play(self, playing: bool) -> None:
        if self._playing is not None:
            self.document.remove_periodic_callback(self._playing)
            self._playing = None
        if playing and self.walk:
            if self.position.value == self.walk.size:
                self.position.value = 0
            self._playing = self.document.add_periodic_callback(
                self._tick, SPEEDS.get(self.speed.value, SPEEDS["normal"])
            )
        style.change(self.play, label="Pause" if playing else "Play")

    def _tick(self) -> None:
        self.position.value = min(self.position.value + 1, self.walk.size)
        if self.position.value == self.walk.size or self._waits_for_answer():
            self.play.active = False

    def _layout(self, inputs):
        goals = {
            "First": lambda: 0,
            "Back": lambda: max(self.position.value - 1, 0),
            "Step": lambda: min(self.position.value + 1, self.walk.size),
            "Last": lambda: self.walk.size,
        }
        buttons = [self._button(label, goal) for label, goal in goals.items()]
        panel = column(
            *inputs,
            self.speed,
            Div(
                text=f"<b>Keys</b>, when the picture or a button has the focus: {self.keys} <b>f</b> the full screen"
                ", 1 to 9 the answer to a question."
            ),
            width=PANEL_WIDTH,
            spacing=10,
            styles={"background": "var(--panel)", "border-radius": "8px", "padding": "12px 14px"},
        )
        heading = Div(text=f'<h1 style="font-size:19px;margin:4px 0">{html.escape(self.title)}</h1>')
        heading.sizing_mode = "stretch_width"
        self.steps = column(
            row(*buttons, self.play, self.position, sizing_mode="stretch_width"),
            row(*self._more(), self.ask, self.full, self.wish, sizing_mode="stretch_width"),
            self.heading,
            self.words,
            self.picture,
            name=f"{self.name}.walk",
            visible=False,
            sizing_mode="stretch_width",
            spacing=6,
            stylesheets=[sheet(FOCUS)],
            html_attributes={
                "tabindex": "0",
                "role": "group",
                "aria-label": self.group,
                "aria-keyshortcuts": "ArrowLeft ArrowRight Home End Space f" + self.more_keys,
                "data-keys": self.name,
            },
        )
        main = column(heading, self.status, self.message, self.steps, sizing_mode="stretch_width", spacing=6)
        return beside(panel, main)

    def _input(self, kind, name: str, title: str, **values):
        return kind(
            **{"name": f"{self.name}.{name}", "title": title, "sizing_mode": "stretch_width", "stylesheets": [sheet()]}
            | values
        )

    def _button(self, label: str, goal) -> Button:
        button = Button(label=label, name=f"{self.name}.{label.lower()}", width=70, stylesheets=[sheet()])
        button.on_click(lambda: setattr(self.position, "value", goal()))
        return button
