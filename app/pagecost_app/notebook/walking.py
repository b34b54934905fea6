"""What every stepper in a lesson does: walk by button, number and key, play, and say what is wrong."""

import html
import os
from abc import abstractmethod
from pathlib import Path

import ipywidgets as widgets
from IPython.display import display

from pagecost.errors import ModelError
from pagecost_app.notebook.explorer import EXPORT, STYLE
from pagecost_app.notebook.waiting import moving
from pagecost_app.walks.face import ASK_LABEL, FULL_LABEL, SPEEDS, Face

KEYS = Path(__file__).with_suffix(".js").read_text("utf8")
OWN_STYLE = """
.pagecost-stepper .jupyter-button { background: var(--jp-layout-color2, #f6f8fa);
  border: 1px solid var(--jp-border-color1, #bdbdbd); color: var(--jp-ui-font-color1, inherit); width: 74px; }
.pagecost-stepper .jupyter-button.pagecost-walk-wide { width: 160px; }
.pagecost-stepper .pagecost-walk-full, .pagecost-stepper .pagecost-walk-ask { width: 104px; }
.pagecost-stepper:fullscreen { background: var(--jp-layout-color0, #fff); overflow: auto; padding: 22px; zoom: 1.35; }
.pagecost-stepper .widget-play .jupyter-button { width: 38px; }
.pagecost-walk-boxes:focus-visible { outline: 3px solid #0072B2; outline-offset: -3px; }
.pagecost-walk-boxes .walk { padding: 5px 8px; }
"""


class WalkWidget(Face, widgets.VBox):
    """A walk and its buttons. Keys, while its boxes or a button have the focus: arrows, Home, End, space to play, f for
    the full screen, and 1 .. 9 for the answers to a question.

    A subclass says what is walked through. `go(7)` moves it from a cell; `walk` is where it stands.
    """

    def __init__(self, walk):
        self.walk = walk
        self.position = widgets.BoundedIntText(
            value=0, min=0, max=walk.size, description="Done", layout={"width": "160px"}
        )
        self.position.add_class("pagecost-walk-position")
        self._slider = widgets.IntSlider(value=0, min=0, max=walk.size, readout=False, layout={"width": "220px"})
        self._slider.add_class("pagecost-walk-slider")
        self._slider.description, self._slider.style.description_width = "Go to", "44px"
        self._slider.observe(lambda change: self.go(change.new), names="value")
        self._wish = widgets.Text(continuous_update=False, layout={"display": "none"})
        self._wish.add_class("pagecost-walk-wish")
        self._wish.observe(lambda change: self._wished(change.new), names="value")
        self._play = widgets.Play(min=0, max=walk.size, interval=SPEEDS["normal"], show_repeat=False)
        self._play.add_class("pagecost-walk-play")
        widgets.jslink((self._play, "value"), (self.position, "value"))
        self.speed = widgets.Dropdown(
            options=list(SPEEDS), value="normal", description="Speed", layout={"width": "170px"}
        )
        self.speed.observe(lambda change: setattr(self._play, "interval", SPEEDS[change.new]), names="value")
        self._message, self._words = widgets.HTML(), widgets.HTML()
        self._picture = widgets.HTML(tabbable=True)
        self._picture.add_class("pagecost-walk-boxes")
        self.position.observe(lambda change: self.go(change.new), names="value")
        head = widgets.HTML(f"<style>{STYLE}{self.css}{OWN_STYLE}</style>")
        panel = widgets.VBox(self._inputs())
        panel.add_class("pagecost-panel")
        moves = widgets.HBox(
            [*self._buttons(), self._play, self._slider, self.position, self.speed, *self._more(), *self._modes()],
            layout={"flex_flow": "row wrap"},
        )
        super().__init__([head, panel, self._message, moves, self._words, self._picture, self._wish])
        self.add_class("pagecost-explorer")
        self.add_class("pagecost-stepper")
        self._show()

    @abstractmethod
    def _inputs(self) -> list:
        """The inputs of what is walked through, in rows; each calls `_asked` when it changes."""

    @abstractmethod
    def _ask(self) -> None:
        """Hand the inputs to the walk. Raises ModelError."""

    def go(self, position: int):
        """To the place after `position` steps; beyond an end it stops there."""
        self.walk.go(position)
        self._show()
        return self

    def ask_first(self, asking: bool = True):
        """Question mode on or off: before each step it asks, and shows nothing until the answer is given."""
        self.walk.ask_first(asking)
        self._show()
        return self

    def answer(self, number: int):
        """Answer the question that is asked, by the place of the answer among the options, from 0 on."""
        self.walk.answer(number)
        self._show()
        return self

    def _wished(self, text: str) -> None:
        """What was pressed in the picture, behind the time at which it was: that makes it another text."""
        self.walk.wish(text.partition(" ")[2])
        self._show()

    def _modes(self) -> list:
        """Question mode, and the full screen, which the browser gives."""
        full = widgets.Button(description=FULL_LABEL)
        full.add_class("pagecost-walk-full")
        self.asks = widgets.ToggleButton(description=ASK_LABEL)
        self.asks.add_class("pagecost-walk-ask")
        self.asks.observe(lambda change: self.ask_first(change.new), names="value")
        return [self.asks, full]

    def _asked(self) -> None:
        """An input changed; what is wrong is said and the last walk stays."""
        try:
            with moving(lambda line: setattr(self._message, "value", line)):
                self._ask()
        except ModelError as error:
            self._message.value = f'<div class="pagecost-say" role="alert">{html.escape(str(error))}</div>'
            return
        self._message.value = ""
        self._show()

    def _show(self) -> None:
        at, size = self._at, self.walk.size
        for counter in (self.position, self._play, self._slider):
            if counter.max != size:
                counter.max = size
            if counter.value != at:
                counter.value = at
        if self.walk.question is not None:
            self._play.playing = False  # it waits for the answer
        title, sentence, _ = self._shown()
        self._words.value = (
            f'<b>{html.escape(title)}</b><p class="pagecost-answer" role="status">{html.escape(sentence)}</p>'
        )
        self._picture.value = self._figure()

    def _figure(self) -> str:
        title, sentence, picture = self._shown()
        words = html.escape(f"{title}. {sentence}")
        return f'<div role="figure" class="walk-figure" aria-label="{words}">{picture}</div>'

    def _buttons(self) -> list[widgets.Button]:
        goals = {
            "First": lambda: 0,
            "Back": lambda: self._at - 1,
            "Step": lambda: self._at + 1,
            "Last": lambda: self.walk.size,
        }
        return [self._button(label, label.lower(), goal) for label, goal in goals.items()]

    def _button(self, label: str, name: str, goal, wide: bool = False) -> widgets.Button:
        """A button that leads to the position that goal() says. name: by which its key finds it."""
        button = widgets.Button(description=label)
        button.add_class(f"pagecost-walk-{name}")
        if wide:
            button.add_class("pagecost-walk-wide")
        button.on_click(lambda _: self.go(goal()))
        return button

    def __repr__(self):
        title, sentence, _ = self._shown()
        return f"{title}. {sentence}"

    def _ipython_display_(self) -> None:
        if os.environ.get(EXPORT):
            title, sentence, _ = self._shown()
            told = f"<b>{html.escape(title)}</b><p>{html.escape(sentence)}</p>{self._figure()}"
            display({"text/html": f"<style>{self.css}</style>{told}", "text/plain": repr(self)}, raw=True)
            return
        display({"application/javascript": KEYS, "text/plain": ""}, raw=True)
        display({**self._repr_mimebundle_(), "text/plain": repr(self)}, raw=True)
