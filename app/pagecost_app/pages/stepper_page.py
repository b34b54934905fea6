"""The stepper: a replacement policy, one reference at a time, by button, slider and key."""

import contextlib
import html
import json
from collections.abc import Callable

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models.widgets import Button, Div, Select, Slider, TextInput, Toggle

from pagecost._jit import NotCompiled
from pagecost.buffer import POLICIES
from pagecost.errors import ModelError
from pagecost_app import compiling
from pagecost_app.charts import style
from pagecost_app.compiling import News, Question, wait_apart
from pagecost_app.pages.look import complaint, sheet, waiting, waiting_line
from pagecost_app.pages.study_page import PANEL_WIDTH, deliver, together
from pagecost_app.walks import CSS, GOLDEN, Walk, picture, sentence, strings, text_of, title

OWN = "own"
SPEEDS = {"slow": 2000, "normal": 1000, "fast": 300}  # ms per reference
FRAMES = 16
# Keys of whatever has the focus inside the stepper, but not of what has keys of its own
KEYS = """
document.addEventListener("keydown", (event) => {
  const path = event.composedPath(), at = path[0]
  if (!path.some((node) => node.dataset?.keys === "stepper") || event.ctrlKey || event.altKey || event.metaKey) return
  if (at.matches("input, select, textarea, .noUi-handle") || (event.key === " " && at.matches("button"))) return
  const named = (name) => Bokeh.documents[0].get_model_by_name("stepper." + name)
  const position = named("position"), play = named("play")
  const goals = {ArrowLeft: position.value - 1, ArrowRight: position.value + 1, Home: 0, End: position.end}
  if (event.key === " ") play.active = !play.active
  else if (event.key in goals) position.value = Math.min(Math.max(goals[event.key], 0), position.end)
  else return
  event.preventDefault()
})
"""
FOCUS = """
:host(:focus-visible) { outline: 3px solid #0072B2; outline-offset: 4px; border-radius: 4px; }
"""


class StepperPage:
    """The page's inputs, its walk, and what shows it. `root` is the layout; the methods are those of a StudyPage."""

    title = "How does a replacement policy decide? Step by step"
    after = "policy_ranking"  # the study that it follows on its page

    def __init__(self, document: Document):
        self.document = document
        self.walk: Walk | None = None  # None until its kernel is compiled
        self._playing = None
        policies = [(name, policy.title) for name, policy in POLICIES.items()]
        self.policy = self._input(Select, "policy", "Replacement policy", options=policies, value="lru")
        self.parameters: dict[str, TextInput] = {}  # of the chosen policy
        self.parameter_place = column(sizing_mode="stretch_width", visible=False)
        offered = [*strings().items(), (OWN, "typed in below")]
        self.trace = self._input(Select, "trace", "Reference string", options=offered, value=offered[0][0])
        self.text = self._input(TextInput, "text", "Page ids with r (read) or w (write)", value=GOLDEN)
        self.frames = self._input(Slider, "frames", "Frames of the buffer", start=1, end=FRAMES, step=1, value=4)
        self.speed = self._input(Select, "speed", "Speed of Play", options=list(SPEEDS), value="normal")
        self.position = self._input(
            Slider, "position", "References done", start=0, end=1, step=1, value=0, sizing_mode=None
        )
        self.position.width = 320
        self.play = Toggle(label="Play", name="stepper.play", width=80, stylesheets=[sheet()])
        self.heading = Div(name="stepper.heading", sizing_mode="stretch_width")
        self.message = Div(name="stepper.message", visible=False, sizing_mode="stretch_width")
        self._waits_for: Question | None = None
        self.status = waiting_line("stepper.status")
        news = {"role": "status", "aria-live": "polite"}
        self.words = Div(name="stepper.words", html_attributes=news, sizing_mode="stretch_width", min_height=42)
        self.picture = Div(name="stepper.picture", stylesheets=[sheet(CSS)], sizing_mode="stretch_width")
        for control in (self.text, self.frames):
            control.on_change("value", lambda attr, old, new: self.refresh())
        self.policy.on_change("value", lambda attr, old, new: self._take_policy(new))
        self.trace.on_change("value", lambda attr, old, new: self._offer(new))
        self.position.on_change("value", lambda attr, old, new: self._go(new))
        self.play.on_change("active", lambda attr, old, new: self._play(new))
        self.speed.on_change("value", lambda attr, old, new: self._play(self.play.active))
        self.root = self._layout()
        self.refresh()

    @staticmethod
    def question() -> Question:
        """What it asks when it is opened."""
        return _walk("lru", GOLDEN, 4)

    def refresh(self) -> None:
        """Read the inputs and walk anew to the same place; bad input is said and the last walk stays."""
        policy, values = self._policy_text(), {"text": self.text.value, "frames": self.frames.value}

        def walk() -> None:
            if self.walk is None:
                self.walk = Walk(policy, **values)
            else:
                self.walk.ask(policy, **values)
            style.change(self.message, visible=False)
            if self.trace.value != OWN and text_of(self.trace.value) != self.text.value:
                self.trace.value = OWN
            self._show()

        self._do(walk, _walk(policy, **values), self.refresh)

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

    def _take_policy(self, name: str) -> None:
        """Offer the parameters of the policy, each with its default. An unknown policy changes nothing."""
        if name not in POLICIES:
            return
        self.parameters = {
            parameter.name: self._input(
                TextInput,
                f"parameter.{parameter.name}",
                f"{parameter.name}, {parameter.least:g} to {parameter.most:g}",
                value=f"{parameter.default:g}",
                description=f"{parameter.meaning[0].upper()}{parameter.meaning[1:]}.",
            )
            for parameter in POLICIES[name].parameters
        }
        for control in self.parameters.values():
            control.on_change("value", lambda attr, old, new: self.refresh())
        self.parameter_place.children = list(self.parameters.values())
        self.parameter_place.visible = bool(self.parameters)
        self.refresh()

    def _policy_text(self) -> str:
        """The policy with those parameters that differ from their defaults, as people write it."""
        offered = POLICIES[self.policy.value].parameters if self.policy.value in POLICIES else ()
        defaults = {parameter.name: f"{parameter.default:g}" for parameter in offered}
        given = {name: control.value.strip() for name, control in self.parameters.items()}
        settings = [f"{name}={value}" for name, value in given.items() if value != defaults.get(name)]
        return ":".join([self.policy.value, *settings])

    def _offer(self, name: str) -> None:
        def take() -> None:
            self.text.value = text_of(name)

        if name != OWN:
            self._do(take, Question("text", name), lambda: self._offer(name))

    def _go(self, position: int) -> None:
        if self.walk and position != self.walk.step.position:
            self.walk.go(position)
            self._show()

    def _show(self) -> None:
        with together(self.document):
            style.change(self.status, text="")
            style.change(self.heading, text=f'<h2 style="font-size:15px;margin:0">{html.escape(title(self.walk))}</h2>')
            style.change(
                self.words, text=f'<p style="margin:2px 0;font-size:15px">{html.escape(sentence(self.walk))}</p>'
            )
            style.change(self.picture, text=picture(self.walk))
            style.change(self.steps, visible=True)
            style.change(self.position, end=self.walk.size, value=self.walk.step.position)

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
        if self.position.value == self.walk.size:
            self.play.active = False

    def _layout(self):
        goals = {
            "First": lambda: 0,
            "Back": lambda: max(self.position.value - 1, 0),
            "Step": lambda: min(self.position.value + 1, self.walk.size),
            "Last": lambda: self.walk.size,
        }
        buttons = [self._button(label, goal) for label, goal in goals.items()]
        panel = column(
            *(self.policy, self.parameter_place, self.trace, self.text, self.frames, self.speed),
            Div(
                text="<b>Keys</b>, when the picture or a button has the focus: ← → one reference, Home and End to the "
                "ends, space to play."
            ),
            width=PANEL_WIDTH,
            spacing=10,
            styles={"background": "var(--panel)", "border-radius": "8px", "padding": "12px 14px"},
        )
        heading = Div(text=f'<h1 style="font-size:19px;margin:4px 0">{html.escape(self.title)}</h1>')
        heading.sizing_mode = "stretch_width"
        self.steps = column(
            row(*buttons, self.play, self.position, sizing_mode="stretch_width"),
            self.heading,
            self.words,
            self.picture,
            name="stepper.walk",
            visible=False,
            sizing_mode="stretch_width",
            spacing=6,
            stylesheets=[sheet(FOCUS)],
            html_attributes={
                "tabindex": "0",
                "role": "group",
                "aria-label": "Stepper",
                "aria-keyshortcuts": "ArrowLeft ArrowRight Home End Space",
                "data-keys": "stepper",
            },
        )
        main = column(heading, self.status, self.message, self.steps, sizing_mode="stretch_width", spacing=6)
        return row(panel, main, sizing_mode="stretch_width", spacing=18)

    def _input(self, kind, name: str, title: str, **values):
        return kind(
            **{"name": f"stepper.{name}", "title": title, "sizing_mode": "stretch_width", "stylesheets": [sheet()]}
            | values
        )

    def _button(self, label: str, goal) -> Button:
        button = Button(label=label, name=f"stepper.{label.lower()}", width=70, stylesheets=[sheet()])
        button.on_click(lambda: setattr(self.position, "value", goal()))
        return button


def _walk(policy: str, text: str, frames: int) -> Question:
    return Question("walk", policy, json.dumps({"text": text, "frames": frames}))
