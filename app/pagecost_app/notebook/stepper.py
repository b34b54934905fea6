"""The stepper in a lesson: `step("lru", "1r 2w 3r", frames=2)` walks through a reference string by button and key."""

import ipywidgets as widgets

from pagecost.buffer import POLICIES
from pagecost.buffer.policies import title_of
from pagecost_app.notebook.walking import WalkWidget
from pagecost_app.walks import CSS, GOLDEN, MOST_FRAMES, NOBODY, Walk, picture, sentence, title
from pagecost_app.walks.face import random_label
from pagecost_app.walks.page_bill import DEVICE, offered


def step(
    policy: str = "lru", references: str = GOLDEN, frames: int = 4, *, beside: str = NOBODY, device: str = DEVICE
) -> "StepperWidget":
    """A stepper: references as `1r 2w 3r`, a policy with parameters as in `cflru:window=0.25`.

    beside: another policy on the same string in lock-step, or "none". device: on which the pages cost time and money.
    Raises ModelError for an unknown policy or device, a text that is no reference string, or other than 1 .. 64 frames.
    """
    return StepperWidget(Walk(policy, references, frames, beside, device))


class StepperWidget(WalkWidget):
    """A policy, a reference string and frames, and the walk through them.

    `go(7)` moves it from a cell; `walk` is where it stands; `walk.step` what the last reference did.
    """

    css = CSS

    def _inputs(self) -> list:
        walk = self.walk
        names = {name: policy.title for name, policy in POLICIES.items()} | {walk.policy: title_of(walk.policy)}
        self.policy = widgets.Dropdown(
            options=[(shown, name) for name, shown in names.items()],
            value=walk.policy,
            description="Policy",
            layout={"width": "auto"},
        )
        self.references = widgets.Text(
            value=walk.text,
            description="References",
            continuous_update=False,
            layout={"width": "auto", "flex": "1 1 240px"},
        )
        self.frames = widgets.BoundedIntText(
            value=walk.frames, min=1, max=MOST_FRAMES, description="Frames", layout={"width": "160px"}
        )
        others = {NOBODY: "nobody"} | {name: policy.title for name, policy in POLICIES.items()}
        others |= {walk.beside: title_of(walk.beside)} if walk.other else {}
        self.beside, self.device = (
            widgets.Dropdown(
                options=[(shown, name) for name, shown in options.items()],
                value=value,
                description=label,
                layout={"width": "auto"},
            )
            for label, options, value in (("Beside it", others, walk.beside), ("Device", offered(), walk.bill.device))
        )
        self.seed = 0
        self.random = widgets.Button(description=random_label(0), layout={"flex": "none"})
        self.random.add_class("pagecost-walk-wide")
        self.random.on_click(lambda _: self._draw())
        for control in (self.policy, self.references, self.frames, self.beside, self.device):
            control.observe(lambda change: self._asked(), names="value")
        chosen = widgets.HBox([self.policy, self.frames, self.beside, self.device], layout={"flex_flow": "row wrap"})
        return [chosen, widgets.HBox([self.references, self.random], layout={"flex_flow": "row wrap"})]

    def _draw(self) -> None:
        self.seed += 1
        self.random.description = random_label(self.seed)
        self.references.value = self.walk.random_text(self.seed)

    def _ask(self) -> None:
        self.walk.ask(self.policy.value, self.references.value, self.frames.value, self.beside.value, self.device.value)

    def _shown(self) -> tuple[str, str, str]:
        return title(self.walk), sentence(self.walk), picture(self.walk)
