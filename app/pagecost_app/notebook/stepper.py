"""The stepper in a lesson: `step("lru", "1r 2w 3r", frames=2)` walks through a reference string by button and key."""

import html
import os
from pathlib import Path

import ipywidgets as widgets
from IPython.display import display

from pagecost.buffer import POLICIES
from pagecost.buffer.policies import title_of
from pagecost.errors import ModelError
from pagecost_app.notebook.explorer import EXPORT, STYLE
from pagecost_app.notebook.waiting import moving
from pagecost_app.walks import CSS, GOLDEN, MOST_FRAMES, Walk, picture, sentence, title

KEYS = Path(__file__).with_suffix(".js").read_text("utf8")
STEP_MS = 1000  # of Play
OWN_STYLE = """
.pagecost-stepper .jupyter-button { background: var(--jp-layout-color2, #f6f8fa);
  border: 1px solid var(--jp-border-color1, #bdbdbd); color: var(--jp-ui-font-color1, inherit); width: 74px; }
.pagecost-stepper .widget-play .jupyter-button { width: 38px; }
.pagecost-walk-boxes:focus-visible { outline: 3px solid #0072B2; outline-offset: -3px; }
.pagecost-walk-boxes .walk { padding: 5px 8px; }
"""


def step(policy: str = "lru", references: str = GOLDEN, frames: int = 4) -> "StepperWidget":
    """A stepper: references as `1r 2w 3r`, a policy with parameters as in `cflru:window=0.25`.

    Raises ModelError for an unknown policy, a text that is no reference string, or other than 1 .. 64 frames.
    """
    return StepperWidget(Walk(policy, references, frames))


class StepperWidget(widgets.VBox):
    """The walk and its buttons. Keys, while its boxes or a button have the focus: arrows, Home, End, and space to play.

    `go(7)` moves it from a cell; `walk` is where it stands; `walk.step` what the last reference did.
    """

    def __init__(self, walk: Walk):
        self.walk = walk
        self._setting = False
        wide = {"width": "auto"}
        names = {name: policy.title for name, policy in POLICIES.items()} | {walk.policy: title_of(walk.policy)}
        self.policy = widgets.Dropdown(
            options=[(shown, name) for name, shown in names.items()],
            value=walk.policy,
            description="Policy",
            layout=wide,
        )
        self.references = widgets.Text(
            value=walk.text, description="References", continuous_update=False, layout={"width": "auto", "flex": "1"}
        )
        self.frames = widgets.BoundedIntText(
            value=walk.frames, min=1, max=MOST_FRAMES, description="Frames", layout={"width": "160px"}
        )
        self.position = widgets.BoundedIntText(
            value=0, min=0, max=walk.size, description="Done", layout={"width": "160px"}
        )
        self._play = widgets.Play(min=0, max=walk.size, interval=STEP_MS, show_repeat=False)
        self._play.add_class("pagecost-walk-play")
        widgets.jslink((self._play, "value"), (self.position, "value"))
        self._message, self._words = widgets.HTML(), widgets.HTML()
        self._picture = widgets.HTML(tabbable=True)
        self._picture.add_class("pagecost-walk-boxes")
        for control in (self.policy, self.references, self.frames):
            control.observe(lambda change: self._asked(), names="value")
        self.position.observe(lambda change: self.go(change.new), names="value")
        head = widgets.HTML(f"<style>{STYLE}{CSS}{OWN_STYLE}</style>")
        panel = widgets.VBox([widgets.HBox([self.policy, self.frames]), self.references])
        panel.add_class("pagecost-panel")
        moves = widgets.HBox([*self._buttons(), self._play, self.position], layout={"flex_flow": "row wrap"})
        super().__init__([head, panel, self._message, moves, self._words, self._picture])
        self.add_class("pagecost-explorer")
        self.add_class("pagecost-stepper")
        self._show()

    def go(self, position: int) -> "StepperWidget":
        """To the place after `position` references; beyond an end it stops there."""
        self.walk.go(position)
        self._show()
        return self

    def _asked(self) -> None:
        """Policy, references or frames changed; bad input is said and the last walk stays."""
        try:
            with moving(lambda line: setattr(self._message, "value", line)):
                self.walk.ask(self.policy.value, self.references.value, self.frames.value)
        except ModelError as error:
            self._message.value = f'<div class="pagecost-say" role="alert">{html.escape(str(error))}</div>'
            return
        self._message.value = ""
        self._show()

    def _show(self) -> None:
        at, size = self.walk.step.position, self.walk.size
        for counter in (self.position, self._play):
            if counter.max != size:
                counter.max = size
        if self.position.value != at:
            self.position.value = at
        self._words.value = (
            f'<b>{html.escape(title(self.walk))}</b><p class="pagecost-answer" role="status">{self._news()}</p>'
        )
        self._picture.value = self._figure()

    def _news(self) -> str:
        return html.escape(sentence(self.walk))

    def _figure(self) -> str:
        words = html.escape(f"{title(self.walk)}. {sentence(self.walk)}")
        return f'<div role="figure" class="walk-figure" aria-label="{words}">{picture(self.walk)}</div>'

    def _buttons(self) -> list[widgets.Button]:
        goals = {
            "First": lambda: 0,
            "Back": lambda: self.walk.step.position - 1,
            "Step": lambda: self.walk.step.position + 1,
            "Last": lambda: self.walk.size,
        }
        buttons = []
        for label, goal in goals.items():
            button = widgets.Button(description=label)
            button.add_class(f"pagecost-walk-{label.lower()}")
            button.on_click(lambda _, goal=goal: self.go(goal()))
            buttons.append(button)
        return buttons

    def __repr__(self):
        return f"{title(self.walk)}. {sentence(self.walk)}"

    def _ipython_display_(self) -> None:
        if os.environ.get(EXPORT):
            shown = f"<style>{CSS}</style><b>{html.escape(title(self.walk))}</b><p>{self._news()}</p>{self._figure()}"
            display({"text/html": shown, "text/plain": repr(self)}, raw=True)
            return
        display({"application/javascript": KEYS, "text/plain": ""}, raw=True)
        display({**self._repr_mimebundle_(), "text/plain": repr(self)}, raw=True)
