"""In which units numbers are shown: times, sizes, money. One choice for every page, kept for the next start."""

import contextlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from bokeh.layouts import row
from bokeh.models import CustomJS
from bokeh.models.widgets import Select

from pagecost import _private_files, exchange, units
from pagecost.errors import known, require
from pagecost_app.pages.changes import together
from pagecost_app.pages.frame import Frame
from pagecost_app.pages.look import STRIP, WIDGETS, sheet
from pagecost_app.pages.study_page import StudyPage
from pagecost_app.workspace import folders
from pagecost_app.workspace.parts import State

CHOICES = {
    "time": {"auto": "auto", "ms": "ms", "µs": "µs"},
    "bytes": {"auto": "auto", "GB": "GB", "GiB": "GiB"},
    "money": {"USD": "$", "EUR": "€"},
}
TITLES = {"time": "Times", "bytes": "Sizes", "money": "Money"}
DEFAULTS = {name: next(iter(options)) for name, options in CHOICES.items()}
FILE = "units.json"
STAYS = "CSV stays in SI units and dollars, and so do notes and presets, which are texts."
LOOK = """
select.bk-input { padding: 0 4px; min-width: 56px; }
.bk-input-group { flex-direction: row !important; align-items: center; gap: 6px; }
.bk-input-group label { white-space: nowrap; }
"""
FOLLOW = """
const chosen = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.value]))
window.pagecost_units = {time: chosen.time, bytes: chosen.bytes}
"""


class UnitsChoice:
    """`root` stands in the head. A part of the workspace: `name`, `state`, `restore`, `on_change`."""

    name = "units"

    def __init__(self, frame: Frame):
        self._frame, self._follows = frame, list[Callable[[units.Shown], None]]()
        self._changed: list[Callable[[], None]] = []
        self._setting = False
        kept = _kept()
        self.lists = {name: self._list(name, kept[name]) for name in CHOICES}
        self.root = row(*self.lists.values(), spacing=4, name="units", stylesheets=[sheet(STRIP)])
        self.begin = CustomJS(args={"lists": self.lists}, code=FOLLOW)
        for each in self.lists.values():
            each.js_on_change("value", self.begin)
            each.on_change("value", lambda attr, old, new: self._take())
        frame.on_made(lambda page: page.show_units(self.shown) if isinstance(page, StudyPage) else None)

    def state(self) -> State:
        """What is chosen: name -> unit; what no list offers is none, and counts as the first that it does."""
        found = {name: each.value for name, each in self.lists.items()}
        return {name: value if value in CHOICES[name] else DEFAULTS[name] for name, value in found.items()}

    def restore(self, state: State) -> None:
        """Choose what a state says. Raises ModelError for one that is none."""
        require(isinstance(state, Mapping), f"units: a state names times, sizes and money; got {str(state)[:80]!r}")
        fitting = {name: known(f"unit of {name}", state.get(name, DEFAULTS[name]), CHOICES[name]) for name in CHOICES}
        self._set(fitting)
        self._show()

    def on_change(self, callback: Callable[[], None]) -> None:
        """Have `callback()` called after each change by a person."""
        self._changed.append(callback)

    @property
    def shown(self) -> units.Shown:
        """The choice as the formatter takes it."""
        state = self.state()
        euro = exchange.rate("EUR").usd_per_unit if state["money"] == "EUR" else 0.0
        time, sizes = ("" if state[name] == "auto" else state[name] for name in ("time", "bytes"))
        return units.Shown(time, sizes, euro)

    def _list(self, name: str, value: str) -> Select:
        rate = exchange.rate("EUR")
        options: list[str | tuple[Any, str]] = [*CHOICES[name].items()]
        made = Select(
            name=f"units.{name}",
            title=TITLES[name],
            options=options,
            value=value,
            width=124,
            stylesheets=[sheet(WIDGETS + LOOK)],
        )
        if name == "money":
            made.description = f"{rate.said('€')}. {STAYS}"
        return made

    def follow(self, show: Callable[[units.Shown], None]) -> None:
        """Have `show(units)` called now and after each change."""
        self._follows.append(show)
        show(self.shown)

    def _take(self) -> None:
        if self._setting:
            return
        self._set(self.state())
        self._show()
        with contextlib.suppress(OSError):  # a read-only home: it counts until the end of the session
            _private_files.write(folders.made("settings") / FILE, json.dumps(self.state()).encode())
        for tell in self._changed:
            tell()

    def _set(self, state: Mapping[str, str]) -> None:
        self._setting = True
        for name, value in state.items():
            self.lists[name].value = value
        self._setting = False

    def _show(self) -> None:
        with together(self._frame.document):
            for show in (*self._follows, *(page.show_units for page in self._frame.study_pages)):
                show(self.shown)


def _kept() -> dict[str, str]:
    """What was chosen last; the defaults where that cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        read = _private_files.read(folders.state_folder() / "settings" / FILE)
        found = json.loads(read) if read else {}
        if isinstance(found, dict):
            return {name: found[name] if found.get(name) in list(CHOICES[name]) else DEFAULTS[name] for name in CHOICES}
    return dict(DEFAULTS)
