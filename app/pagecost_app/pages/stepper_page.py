"""The stepper: a replacement policy, one reference at a time, by button, slider and key."""

import html

from bokeh.document import Document
from bokeh.layouts import column, row
from bokeh.models import Button, Div, Select, Slider, TextInput, Toggle

from pagecost.buffer import POLICIES
from pagecost.errors import ModelError
from pagecost_app.charts import style
from pagecost_app.pages.look import complaint, sheet
from pagecost_app.pages.study_page import PANEL_WIDTH, together
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
        self.walk = Walk("lru", GOLDEN, 4)
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
            Slider, "position", "References done", start=0, end=self.walk.size, step=1, value=0, sizing_mode=None
        )
        self.position.width = 320
        self.play = Toggle(label="Play", name="stepper.play", width=80, stylesheets=[sheet()])
        self.heading = Div(name="stepper.heading", sizing_mode="stretch_width")
        self.message = Div(name="stepper.message", visible=False, sizing_mode="stretch_width")
        self.status = Div(name="stepper.status")
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
        self._show()

    def refresh(self) -> None:
        """Read the inputs and walk anew to the same place; bad input is said and the last walk stays."""
        try:
            self.walk.ask(self._policy_text(), self.text.value, self.frames.value)
        except ModelError as error:
            style.change(self.message, text=complaint(str(error)), visible=True)
            return
        style.change(self.message, visible=False)
        if self.trace.value != OWN and text_of(self.trace.value) != self.text.value:
            self.trace.value = OWN
        self._show()

    def recolour(self, dark: bool) -> None:
        """The boxes take their colours from the page."""

    def say(self, message: str) -> None:
        """Show a line of progress, from any thread."""
        self.document.add_next_tick_callback(lambda: setattr(self.status, "text", html.escape(message)))

    def stop(self) -> None:
        """End what runs by itself."""
        self._play(False)

    def _take_policy(self, name: str) -> None:
        """Offer the parameters of the policy, each with its default."""
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
        defaults = {parameter.name: f"{parameter.default:g}" for parameter in POLICIES[self.policy.value].parameters}
        given = {name: control.value.strip() for name, control in self.parameters.items()}
        settings = [f"{name}={value}" for name, value in given.items() if value != defaults[name]]
        return ":".join([self.policy.value, *settings])

    def _offer(self, name: str) -> None:
        if name != OWN:
            self.text.value = text_of(name)

    def _go(self, position: int) -> None:
        if position != self.walk.step.position:
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
            style.change(self.position, end=self.walk.size, value=self.walk.step.position)

    def _play(self, playing: bool) -> None:
        if self._playing is not None:
            self.document.remove_periodic_callback(self._playing)
            self._playing = None
        if playing:
            if self.position.value == self.walk.size:
                self.position.value = 0
            self._playing = self.document.add_periodic_callback(self._tick, SPEEDS[self.speed.value])
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
        stepper = column(
            row(*buttons, self.play, self.position, sizing_mode="stretch_width"),
            self.heading,
            self.words,
            self.picture,
            name="stepper.walk",
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
        main = column(row(heading, self.status), self.message, stepper, sizing_mode="stretch_width", spacing=6)
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
