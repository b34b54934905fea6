"""The stepper over the whole path: one access through all layers, one event at a time, and who caused what."""

import json
import math
from typing import Any

from bokeh.models.widgets import Button, Select, Slider, Spinner, TextInput, Toggle

from pagecost.buffer import POLICIES
from pagecost.walk import DEVICES, FILE_SYSTEMS, LOADS
from pagecost.walk.setup import MOST_CACHED, MOST_FRAMES
from pagecost_app.charts import style
from pagecost_app.compiling import Question
from pagecost_app.pages.look import sheet
from pagecost_app.pages.walking_page import WalkingPage
from pagecost_app.walks import GOLDEN, NOBODY, PATH_CSS, PathWalk, path_picture, path_sentence, path_title
from pagecost_app.walks.face import random_label

TYPED = "typed"
START: dict[str, Any] = {
    "load": "debit-credit",
    "transactions": 60,
    "frames": 8,
    "policy": "lru",
    "beside": NOBODY,
    "group_commit": 3,
    "page_cache_pages": 8,
    "file_system": "in place",
    "device": "flash",
}
"""What is walked through when the page is opened."""


class PathStepperPage(WalkingPage):
    """The parts of a small system, a load, and the walk through all of it."""

    title = "One access, all layers: step by step"
    topic = "Path"  # the page on which it stands where the study that it follows does not
    after = ""
    place = "whole path"
    name = "path"
    group = "Stepper of the path"
    more_keys = " PageUp PageDown e w"
    keys = (
        "← → one event, Page Up and Page Down a transaction, Home and End to the ends, space to play, <b>e</b> the "
        "next erase, <b>w</b> who caused this,"
    )
    steps_label = "Events done"
    css = PATH_CSS

    @staticmethod
    def question() -> Question:
        """What it asks when it is opened."""
        return _question(START)

    def _inputs(self) -> list:
        def choice(name: str, title: str, options, value: str) -> Select:
            return self._input(Select, name, title, options=options, value=value)

        def slider(name: str, title: str, least: int, most: int) -> Slider:
            return self._input(
                Slider, name, title, start=least, end=most, step=1, value=START[name], value_throttled=START[name]
            )

        self.load = choice("load", "Load", [*LOADS.items(), (TYPED, "typed in below")], START["load"])
        self.text = self._input(TextInput, "text", "Pages with r or w; | ends a transaction", value=GOLDEN)
        self.text.on_change("value", lambda attr, old, new: style.change(self.load, value=TYPED))
        self.seed = 0
        self.random = Button(label=random_label(0), name="path.random", width=200, stylesheets=[sheet()])
        self.random.on_click(self._draw)
        policies = {name: policy.title for name, policy in POLICIES.items()}
        self.controls: dict[str, Any] = {
            "transactions": slider("transactions", "Transactions", 5, 100),
            "policy": choice("policy", "Replacement policy", list(policies.items()), START["policy"]),
            "beside": choice("beside", "Beside it", list(({NOBODY: "nobody"} | policies).items()), START["beside"]),
            "frames": slider("frames", "Frames of the buffer", 1, MOST_FRAMES),
            "group_commit": slider("group_commit", "Commits that share a flush of the log", 1, 16),
            "page_cache_pages": slider("page_cache_pages", "Pages of the page cache", 4, MOST_CACHED),
            "file_system": choice("file_system", "File system", list(FILE_SYSTEMS), START["file_system"]),
            "device": choice("device", "Device", list(DEVICES.items()), START["device"]),
        }
        for control in (self.load, self.text, *self.controls.values()):
            moved = "value_throttled" if isinstance(control, Slider) else "value"
            control.on_change(moved, lambda attr, old, new: self.refresh())
        return [self.load, self.text, self.random, *self.controls.values()]

    def _draw(self) -> None:
        if self.walk:
            self.seed += 1
            style.change(self.random, label=random_label(self.seed))
            self.text.value = self.walk.random_text(self.seed)

    def _more(self) -> list:
        self.why = Toggle(label="Who caused this?", name="path.why", width=130, stylesheets=[sheet()])
        self.why.on_change("active", lambda attr, old, new: self._show() if self.walk else None)
        erase = Button(label="Next erase", name="path.erase", width=90, stylesheets=[sheet()])
        erase.on_click(lambda: self._wish("erase"))
        self.number = Spinner(
            title="Event", name="path.number", low=0, high=1, value=0, step=1, width=90, stylesheets=[sheet()]
        )
        self.number.on_change("value", lambda attr, old, new: self._jump(new))
        return [erase, self.why, self.number]

    def _values(self) -> dict:
        values = {name: control.value for name, control in self.controls.items()}
        typed = self.load.value == TYPED
        return {"load": self.text.value if typed else self.load.value, **values}

    def refresh(self) -> None:
        """Read the inputs and walk anew to the same place; bad input is said and the last walk stays."""
        values = self._values()

        def walk() -> None:
            if self.walk is None:
                self.walk = PathWalk(**values)
            else:
                self.walk.ask(**values)
            style.change(self.message, visible=False)
            self._show()

        self._do(walk, _question(values), self.refresh)

    def _wish(self, text: str) -> None:
        """A key or something in the picture: "why", "erase", "next", "previous", or the number of an event."""
        if not self.walk:
            return
        if text == "why":
            self.why.active = not self.why.active
        elif text in ("erase", "next", "previous"):
            self.position.value = self.walk.place_of(text)
        elif text.isascii() and text.isdigit() and len(text) < 10:
            self.position.value = min(int(text), self.walk.size)
            self.why.active = True
        else:
            super()._wish(text)

    def _jump(self, number) -> None:
        if self.walk and isinstance(number, int | float) and math.isfinite(number):
            self.position.value = min(max(int(number), 0), self.walk.size)

    def _show(self) -> None:
        super()._show()
        style.change(self.number, high=self.walk.size, value=self._at)

    def _shown(self) -> tuple[str, str, str]:
        return path_title(self.walk), path_sentence(self.walk), path_picture(self.walk, bool(self.why.active))


def _question(values: dict) -> Question:
    return Question("path", values["policy"], json.dumps(values))
