"""The head of a question's page: its title, what is being waited for, what is wrong, and what it reproduces."""

from collections.abc import Callable

from bokeh.layouts import row
from bokeh.models import LayoutDOM
from bokeh.models.widgets import Button, Div, Toggle

from pagecost_app.charts import style
from pagecost_app.compiling import News
from pagecost_app.pages.copying import to_copy
from pagecost_app.pages.look import complaint, sheet, waiting, waiting_line
from pagecost_app.pages.terms import TERMS, with_terms

ASK_AGAIN = "Ask again"


class StudyHead:
    """`models` stand under each other. `pause(paused)`, `cancel()` and, of a run that was stopped, `again()` are called
    when a person wants that.

    share: of the running answer that is done, 0 .. 1. reproduces: a row for those who know what papers say about it.
    """

    def __init__(
        self,
        name: str,
        title: str,
        pause: Callable[[bool], None],
        cancel: Callable[[], None],
        again: Callable[[], None],
    ):
        self.share = 0.0
        heading = Div(
            stylesheets=[sheet(TERMS)], text=f'<h1 style="font-size:19px;margin:4px 0">{with_terms(title)}</h1>'
        )
        heading.sizing_mode = "stretch_width"
        self._pause = pause
        self.pause = Toggle(label="Pause", name=f"{name}.pause", width=90, stylesheets=[sheet()])
        cancel_button = Button(label="Cancel", name=f"{name}.cancel", width=90, stylesheets=[sheet()])
        self.long_run = row(self.pause, cancel_button, name=f"{name}.long_run", visible=False)
        self.again = Button(label=ASK_AGAIN, name=f"{name}.again", width=90, visible=False, stylesheets=[sheet()])
        self.status = waiting_line(f"{name}.status")
        self.message = Div(name=f"{name}.message", visible=False, sizing_mode="stretch_width")
        self.reproduces = row(Div(), name=f"{name}.reproduces", styles={"flex-wrap": "wrap"}, visible=False)
        self.models: list[LayoutDOM] = [
            row(heading, self.again, self.long_run, sizing_mode="stretch_width"),
            self.status,
            self.message,
            self.reproduces,
        ]
        self.pause.on_change("active", lambda attr, old, new: self._set_pause(new))
        cancel_button.on_click(cancel)
        self.again.on_click(again)

    @property
    def is_silent(self) -> bool:
        """Whether nothing is wrong, waited for or stopped."""
        return not self.message.visible and not self.status.text

    def begin(self) -> None:
        """A new answer is asked for."""
        self.share = 0.0
        style.change(self.again, visible=False)

    def fail(self, message: str, details: str = "") -> None:
        """Say in one sentence what is wrong. details: for whoever mends it."""
        self.status.text = ""
        style.change(self.message, text=complaint(message) + to_copy(details), visible=True)

    def clear_message(self) -> None:
        """Nothing is wrong any more."""
        style.change(self.message, visible=False)

    def clear_status(self) -> None:
        """Nothing is waited for any more."""
        style.change(self.status, text="")

    def say_compiles(self, compiles: News, *, alone: bool) -> None:
        """Say that the answer waits for compiling. alone: nothing else is shown."""
        style.change(self.status, text=waiting(str(compiles), compiles.share, alone=alone))

    def say_share(self, seconds: float, *, alone: bool) -> None:
        """Say how long the answer has been computed, and how much of it there is. alone: nothing else is shown."""
        share = f" {self.share:.0%}" if self.share else ""
        words = f"computing …{share}{f', {seconds:.0f} s so far' if seconds >= 1 else ''}"
        style.change(self.status, text=waiting(words, self.share or None, alone=alone))

    def say_stopped(self, share: float) -> None:
        """Say how far a run came that was stopped, and offer it anew."""
        style.change(self.again, visible=True)
        self.status.text = waiting(f"stopped at {share:.0%}", share)

    def show_long_run(self, running: bool) -> None:
        """A run takes long enough to be paused or stopped, or is over."""
        style.change(self.long_run, visible=running)
        style.change(self.pause, active=False)

    def _set_pause(self, paused: bool) -> None:
        runs = self.long_run.visible
        if paused and not runs:  # pressed while the answer came: there is nothing to hold
            self.pause.active = False
            return
        self._pause(paused)
        style.change(self.pause, label="Resume" if paused else "Pause")
        if runs:
            self.status.text = waiting(f"{'paused at' if paused else 'computing …'} {self.share:.0%}", self.share)
