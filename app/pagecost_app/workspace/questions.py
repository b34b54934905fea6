"""The settings of every question that was opened, as a part of the workspace."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pagecost import studies
from pagecost.errors import ModelError, require
from pagecost.studies import Study
from pagecost_app.workspace import settings
from pagecost_app.workspace.parts import State, Told
from pagecost_app.workspace.settings import Setting

MOST_SAID = 3


class Asked(Protocol):
    """The page of a question."""

    study: Study

    def setting(self) -> tuple[str | None, Mapping[str, Any]]:
        """The preset and the values of all inputs, as they stand there."""

    def take(self, preset: str | None, values: Mapping | None = None) -> None:
        """Show a preset with these values on top of it."""

    def on_change(self, callback: Callable[[bool], None]) -> None:
        """Have `callback(by_person)` called after each change of an input; False: another part's change led to it."""


class Questions:
    """The part of the workspace that holds how each question is set. A page takes its setting when it is `opened`."""

    name = "questions"

    def __init__(self) -> None:
        self._pages: dict[str, Asked] = {}
        self._state: dict[str, State] = {}  # of those that are not as they come
        self._changed: list[Callable[[], None]] = []
        self._followed: list[Callable[[], None]] = []
        self._restoring = False

    def opened(self, page: Asked) -> None:
        """A page was built: it takes the setting that waits for it, and its changes count from now on."""
        name = page.study.name
        self._pages[name] = page
        if name in self._state:
            self._show(name)
        page.on_change(lambda by_person: self._note(name, by_person))

    def closed(self, name: str) -> None:
        """A page is no more; how its question is set stays, and waits for the next one."""
        del self._pages[name]

    def setting(self, name: str) -> Setting:
        """How a question is set."""
        if name in self._state:
            return settings.of_record(name, self._state[name])[0]
        return Setting(name)

    def take(self, setting: Setting) -> None:
        """Set a question, as a change by the user."""
        self._state = {**self._state, setting.study: setting.record()}
        self._say(self._changed)
        self._show(setting.study)  # then: what follows from it, such as inputs that are free now, is one step with it

    def state(self) -> State:
        return self._state

    def restore(self, state: State) -> None:
        """Raises ModelError that says what had to be left out; the rest is shown."""
        require(isinstance(state, dict), f"the settings of the questions are damaged: {str(state)[:80]!r}")
        before, said = self._state, []
        self._state = {}
        for name, record in state.items():
            try:
                setting, left_out = settings.of_record(name, record)
            except ModelError as error:
                said.append(str(error))
                continue
            said += left_out
            if not setting.is_default:
                self._state[name] = setting.record()
        for name in self._pages:
            if before.get(name) != self._state.get(name):
                self._show(name)
        more = f"; and {len(said) - MOST_SAID} more" if len(said) > MOST_SAID else ""
        require(not said, "; ".join(said[:MOST_SAID]) + more)

    def on_change(self, callback: Callable[[], None]) -> None:
        self._changed.append(callback)

    def on_follow(self, callback: Callable[[], None]) -> None:
        self._followed.append(callback)

    def told(self, before: State, after: State) -> Told:
        """The input that was changed, from which value to which."""
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        if len(names) != 1:
            return Told(f"{len(names)} questions")
        (name,) = names
        old, new = (
            settings.of_record(name, each[name])[0] if name in each else Setting(name) for each in (before, after)
        )
        return settings.told(old, new)

    def _show(self, name: str) -> None:
        page = self._pages.get(name)
        if page is None:
            return
        setting = self.setting(name)
        self._restoring = True
        try:
            page.take(setting.preset, setting.values)
        finally:
            self._restoring = False

    def _note(self, name: str, by_person: bool) -> None:
        if self._restoring:
            return
        setting = Setting.of(studies.find(name), *self._pages[name].setting())
        state = {other: record for other, record in self._state.items() if other != name}
        if not setting.is_default:
            state[name] = setting.record()
        if state == self._state:
            return
        self._state = state
        self._say(self._changed if by_person else self._followed)

    def _say(self, callbacks: list[Callable[[], None]]) -> None:
        for callback in callbacks:
            callback()
