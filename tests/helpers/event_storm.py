"""Events of widgets in a seeded random order, as a person, or a child on a keyboard, makes them, without a browser.

`python -m helpers.event_storm 10000 1` (from `tests/`) sends 10,000 events with seed 1 over all pages and prints what
it saw; `python -m helpers.event_storm 10000 1 each` sends so many on every page.
"""

import gc
import html
import random
import re
import sys
import threading
import time
import traceback
from collections import Counter

import psutil
from bokeh.events import ButtonClick
from bokeh.models import Model
from bokeh.models.layouts import Tabs
from bokeh.models.widgets import (
    Button,
    CategoricalSlider,
    MultiChoice,
    RadioButtonGroup,
    Select,
    Slider,
    TextInput,
    Toggle,
)

from helpers.page_session import Session
from pagecost import studies
from pagecost_app import pages
from pagecost_app.pages import contents
from pagecost_app.pages.topic_page import title_of

KINDS = (Tabs, Select, CategoricalSlider, MultiChoice, TextInput, Toggle, RadioButtonGroup, Slider, Button)
ODD_TEXTS = (
    *("", " ", "-1", "0", "nan", "inf", "1e400", "٣", "💥" * 50, "a" * 5000, "<script>alert(1)</script>", "%s%n{}"),
    *("/nowhere/at/all.csv", "/", "/dev/null", ".", "../../etc/passwd", "x\x00y", "arc:p=2", "lru, lru", "4k", "1,2"),
)
ANSWERED_EVERY, PATIENCE_S = 40, 90  # now and then the storm waits for the answer, as people do
FAULT = "fault of pagecost"
WRITES = "project."  # these write files where they are told to


class Storm:
    """A session with everything on it, and a seeded way through it. `send(n)`; `seen` counts what was touched.

    only: the question that it stays at; "": it goes from one to another.
    """

    def __init__(self, seed: int, only: str = ""):
        self.only = only
        self.session = Session()
        self.random = random.Random(seed)
        self.seen: Counter[str] = Counter()
        self.opened: Counter[str] = Counter()
        self.waits: list[str] = []
        pages.build(self.session.document)

    def close(self) -> None:
        """The page is closed."""
        for callback in self.session.document.session_destroyed_callbacks.copy():
            callback(None)

    def send(self, events: int) -> None:
        """Send so many; after each, what the workers have delivered is drawn, and the page must fit its name."""
        for number in range(events):
            self.touch()
            self.draw()
            self.look()
            if number % ANSWERED_EVERY == ANSWERED_EVERY - 1:
                self.rest()

    def touch(self) -> None:
        """One event of one widget."""
        widget = self._chosen()
        before = (type(widget).__name__, widget.name)
        self.seen[type(widget).__name__] += 1
        try:
            self._move(widget)
        except Exception as error:
            raise AssertionError(f"{before}: {type(error).__name__}: {error}") from error

    def _chosen(self) -> Model:
        kinds = (each for each in self.session.document.models if isinstance(each, KINDS))
        found = [each for each in kinds if not str(each.name).startswith(WRITES)]
        if self.only:
            if self.shown() != self.only:
                return self.session.model("address")
            found = [each for each in found if each.name != "address"]
        elif self.random.random() < 0.1:  # to another question
            return self.session.model("address")
        kind = self.random.choice(sorted({type(each) for each in found}, key=lambda kind: kind.__name__))
        return self.random.choice([each for each in found if type(each) is kind])

    def _move(self, widget: Model) -> None:
        pick = self.random
        odd = pick.random() < 0.1
        if isinstance(widget, Toggle):
            widget.active = not widget.active
        elif isinstance(widget, Button):
            widget._trigger_event(ButtonClick(widget))
        elif isinstance(widget, Tabs | RadioButtonGroup):
            most = len(widget.tabs if isinstance(widget, Tabs) else widget.labels)
            widget.active = pick.choice((-1, most, 10**6)) if odd else pick.randrange(most)
        elif isinstance(widget, Select):
            options = [each if isinstance(each, str) else each[0] for each in widget.options]
            widget.value = pick.choice(ODD_TEXTS) if odd or not options else pick.choice(options)
        elif isinstance(widget, CategoricalSlider):
            widget.value = pick.choice(ODD_TEXTS) if odd else pick.choice(widget.categories)
        elif isinstance(widget, MultiChoice):
            options = [each if isinstance(each, str) else each[0] for each in widget.options]
            chosen = pick.sample(options, min(len(options), pick.randrange(5)))
            widget.value = [pick.choice(ODD_TEXTS)] if odd else chosen
        elif widget.name == "address":
            asked = self.only or pick.choice([each for names in contents.QUESTIONS.values() for each in names])
            address = contents.address_of(contents.title_with(asked), asked)
            widget.value = pick.choice(ODD_TEXTS) if odd and not self.only else address
        elif isinstance(widget, TextInput):
            widget.value = pick.choice(ODD_TEXTS)
        elif isinstance(widget, Slider):
            widget.value = widget.end + 7 if odd else round(pick.uniform(widget.start, widget.end))

    def draw(self) -> None:
        """Run what is to be run on the document's thread."""
        for _ in range(len(self.session.queue)):
            self.session.queue.pop(0)()

    def rest(self) -> None:
        """Wait until the question on show is answered, or refused."""
        deadline = time.monotonic() + PATIENCE_S
        shown = self.shown()
        pause = self.session.document.get_model_by_name(f"{shown}.pause")
        if pause is not None:
            pause.active = False
        while shown and time.monotonic() < deadline:
            self.draw()
            status, message = self._text(f"{shown}.status"), self.session.model(f"{shown}.message")
            if not self.session.queue and (not status or "stopped at" in status or message.visible):
                break
            time.sleep(0.01)
        else:
            self.waits += [shown] if shown else []
        self.look()

    def shown(self) -> str:
        """The name of the study on show; empty where it is none."""
        found = {
            name
            for name in studies.STUDIES
            if self.session.document.get_model_by_name(f"{name}.answer") is not None
            or self.session.document.get_model_by_name(f"{name}.results") is not None
        }
        assert len(found) <= 1, f"two questions at once: {found}"
        return next(iter(found), "")

    def look(self) -> None:
        """What is on show must be one question, under its own title, and no fault of the program."""
        document, shown = self.session.document, self.shown()
        if not shown:
            return
        self.opened[shown] += 1
        for each in document.models:
            name = str(each.name or "")
            if name.endswith(".question") and isinstance(each, Select):
                known = [option if isinstance(option, str) else option[0] for option in each.options]
                assert each.value == shown or each.value not in known, f"{name} says {each.value}, {shown} is shown"
        said = self._text(f"{shown}.message")
        assert FAULT not in said, f"{shown}: {said}"
        heads = [re.sub("<[^>]+>", "", text) for each in document.models if "<h1" in (text := _text_of(each))]
        assert any(html.escape(title_of(shown)) in head for head in heads), f"{shown} is shown under {heads}"

    def _text(self, name: str) -> str:
        found = self.session.document.get_model_by_name(name)
        return "" if found is None else found.text


def _text_of(model: Model) -> str:
    return str(getattr(model, "text", ""))


def main(events: int, seed: int, each: bool) -> None:
    """Send the events, over all pages or so many on every page; then end with the pages that broke."""
    from pagecost_app import compiling, heap

    heap.keep_together()
    compiling.begin()
    broken = []
    for name in studies.STUDIES if each else ("",):
        print(name or "all pages", flush=True)
        try:
            send(events, seed, name)
        except AssertionError:
            traceback.print_exc()
            broken.append(name)
    compiling.end()
    sys.exit(f"broken: {', '.join(broken)}" if broken else 0)


def send(events: int, seed: int, only: str) -> None:
    """Send the events and print now and then what is held."""
    started_at, process = time.monotonic(), psutil.Process()
    storm = Storm(seed, only)
    for done in range(0, events, 500):
        storm.send(min(500, events - done))
        gc.collect()
        held = f"{process.memory_info().rss / 1e6:.0f} MB, {threading.active_count()} threads"
        models = len(list(storm.session.document.models))
        print(f"{done + 500} events, {time.monotonic() - started_at:.0f} s, {held}, {models} models", flush=True)
    print(f"{len(storm.opened)} questions: {dict(storm.opened)}")
    print(f"touched {dict(storm.seen)}; not answered within {PATIENCE_S} s: {storm.waits}")
    storm.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ["each"])
