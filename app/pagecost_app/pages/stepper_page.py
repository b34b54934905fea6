"""The stepper: a replacement policy, one reference at a time, by button, slider and key."""

import json

from bokeh.layouts import column
from bokeh.models.widgets import Button, Select, Slider, TextInput

from pagecost.buffer import POLICIES
from pagecost_app.charts import style
from pagecost_app.compiling import Question
from pagecost_app.pages.look import sheet
from pagecost_app.pages.walking_page import WalkingPage
from pagecost_app.walks import CSS, GOLDEN, NOBODY, Walk, picture, sentence, strings, text_of, title
from pagecost_app.walks.face import random_label
from pagecost_app.walks.page_bill import DEVICE, offered

OWN = "own"
FRAMES = 16


class StepperPage(WalkingPage):
    """A policy, a reference string and frames, and the walk through them."""

    title = "How does a replacement policy decide? Step by step"
    after = "policy_ranking"
    place = "buffer"
    name = "stepper"
    group = "Stepper"
    keys = "← → one reference, Home and End to the ends, space to play,"
    steps_label = "References done"
    css = CSS

    @staticmethod
    def question() -> Question:
        """What it asks when it is opened."""
        return _walk("lru", GOLDEN, 4)

    def _inputs(self) -> list:
        policies = [(name, policy.title) for name, policy in POLICIES.items()]
        self.policy = self._input(Select, "policy", "Replacement policy", options=policies, value="lru")
        self.parameters: dict[str, TextInput] = {}  # of the chosen policy
        self.parameter_place = column(sizing_mode="stretch_width", visible=False)
        traces = [*strings().items(), (OWN, "typed in below")]
        self.trace = self._input(Select, "trace", "Reference string", options=traces, value=traces[0][0])
        self.text = self._input(TextInput, "text", "Page ids with r (read) or w (write)", value=GOLDEN)
        self.frames = self._input(Slider, "frames", "Frames of the buffer", start=1, end=FRAMES, step=1, value=4)
        self.beside = self._input(
            Select, "beside", "Beside it, in lock-step", options=[(NOBODY, "nobody"), *policies], value=NOBODY
        )
        self.device = self._input(Select, "device", "Device", options=list(offered().items()), value=DEVICE)
        self.seed = 0
        self.random = Button(label=random_label(0), name="stepper.random", width=200, stylesheets=[sheet()])
        self.random.on_click(self._draw)
        for control in (self.text, self.frames, self.beside, self.device):
            control.on_change("value", lambda attr, old, new: self.refresh())
        self.policy.on_change("value", lambda attr, old, new: self._take_policy(new))
        self.trace.on_change("value", lambda attr, old, new: self._offer(new))
        string = [self.trace, self.text, self.random]
        return [self.policy, self.parameter_place, *string, self.frames, self.beside, self.device]

    def _draw(self) -> None:
        if self.walk:
            self.seed += 1
            style.change(self.random, label=random_label(self.seed))
            self.text.value = self.walk.random_text(self.seed)

    def _shown(self) -> tuple[str, str, str]:
        return title(self.walk), sentence(self.walk), picture(self.walk)

    def refresh(self) -> None:
        """Read the inputs and walk anew to the same place; bad input is said and the last walk stays."""
        policy, values = self._policy_text(), {"text": self.text.value, "frames": self.frames.value}
        more = {"beside": self.beside.value, "device": self.device.value}

        def walk() -> None:
            if self.walk is None:
                self.walk = Walk(policy, **values, **more)
            else:
                self.walk.ask(policy, **values, **more)
            style.change(self.message, visible=False)
            if self.trace.value != OWN and text_of(self.trace.value) != self.text.value:
                self.trace.value = OWN
            self._show()

        self._do(walk, _walk(policy, **values), self.refresh)

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


def _walk(policy: str, text: str, frames: int) -> Question:
    return Question("walk", policy, json.dumps({"text": text, "frames": frames}))
