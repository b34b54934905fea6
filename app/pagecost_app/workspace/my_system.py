"""My system: the one that a person says once, and from which of a question's inputs it is kept away."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pagecost import catalogue, studies, system
from pagecost._jit import NotCompiled
from pagecost.errors import ModelError, require
from pagecost.studies import Study
from pagecost.studies.taking import Taken, unchecked
from pagecost.system import System
from pagecost_app.workspace.parts import State, Told

EXAMPLES = "systems"  # folder of the datasets


@functools.cache
def examples() -> Mapping[str, System]:
    """The systems that come with pagecost, by their names."""
    found = (system.read(path) for path in sorted((catalogue.root() / EXAMPLES).glob("*.toml")))
    return {each.name: each for each in found}


class MySystem:
    """A part of the workspace. `system` is None as long as nobody said one.

    What an input was before it took something of the system is kept with it: freed, it has that again.
    """

    name = "my system"

    def __init__(self) -> None:
        self.system: System | None = None
        self._freed: dict[str, frozenset[str]] = {}
        self._own: dict[str, dict[str, Any]] = {}
        self._changed: list[Callable[[], None]] = []
        self._followed: list[Callable[[], None]] = []
        self._followers: list[Callable[[], None]] = []

    def put(self, found: System | None) -> None:
        """Have this system from now on, or none."""
        self.system = found
        self._say(self._changed)

    def change(self, changes: Mapping[str, Any]) -> None:
        """Say some values (path -> value); who had no system has an ordinary one with them.

        Raises ModelError for a value that breaks a rule; nothing is then changed.
        """
        self.put((self.system or System()).changed(changes))

    def taken(self, study: Study, preset: str | None, values: Mapping, set_here: Iterable[str] = ()) -> Taken:
        """What a question takes; values: of all its inputs, of which those that are freed or set here take nothing."""
        if self.system is None:
            return Taken({}, {}, {})
        own = {name: values[name] for name in self.freed(study.name) | {*set_here} if name in values}
        preset = preset if preset in study.presets else None
        try:
            return study.of_system(self.system, preset, own)
        except NotCompiled:  # a rule that looks at the load; who answers the question checks it
            return unchecked(study.Inputs, self.system, dict(study.presets[preset]) if preset else {}, own)

    def freed(self, study: str) -> frozenset[str]:
        """The inputs of a question that are not to take anything."""
        return self._freed.get(study, frozenset())

    def free(self, study: str, names: Iterable[str]) -> None:
        """Let inputs of a question take nothing from now on."""
        self._set_freed(study, self.freed(study) | {*names}, self._changed)

    def set_apart(self, study: str, names: Iterable[str]) -> None:
        """As `free`, because a question was set otherwise, with which it is one change."""
        self._set_freed(study, self.freed(study) | {*names}, self._followed)

    def link(self, study: str, names: Iterable[str]) -> None:
        """Let inputs of a question take what they can again."""
        self._set_freed(study, self.freed(study) - {*names}, self._changed)

    def own(self, study: str) -> dict[str, Any]:
        """What inputs of a question were before they took something: name -> value, to be changed in place."""
        return self._own.setdefault(study, {})

    def state(self) -> State:
        said = None if self.system is None else {"schema": system.SCHEMA} | self.system.model_dump(mode="json")
        freed = {study: sorted(names) for study, names in self._freed.items() if names}
        own = {
            study: {name: _plain(value) for name, value in kept.items()} for study, kept in self._own.items() if kept
        }
        return {"system": said, "freed": freed, "own": own}

    def restore(self, state: State) -> None:
        """Raises ModelError for a system that cannot be: a trace or a device of it that is not there any more."""
        require(isinstance(state, dict), f"my system: its state is no table: {str(state)[:80]!r}")
        freed, own = _of_studies(state, "freed", list), _of_studies(state, "own", dict)
        self._freed = {study: frozenset(map(str, names)) for study, names in freed.items()}
        self._own = {study: {name: _tupled(value) for name, value in kept.items()} for study, kept in own.items()}
        fault, self.system = None, None
        said = state.get("system")
        try:
            require(said is None or isinstance(said, dict), f"my system: it is no table: {str(said)[:80]!r}")
            self.system = None if said is None else system.of(said, "my system")
        except ModelError as error:
            fault = error
        self._follow()
        if fault:
            raise fault

    def told(self, before: State, after: State) -> Told:
        """What was said otherwise, or which input was freed or linked."""
        old, new = (each.get("system") for each in (before, after))
        if old != new:
            if old is None or new is None:
                return Told("My system", "forgotten" if new is None else new["name"])
            paths = [path for path, value in _flat(new) if dict(_flat(old)).get(path) != value]
            return Told(f"My system: {paths[0]}") if len(paths) == 1 else Told("My system", f"{len(paths)} values")
        for study in sorted({*before["freed"], *after["freed"]}):
            was, now = (set(each["freed"].get(study, ())) for each in (before, after))
            if was != now:
                fields = studies.find(study).Inputs.model_fields
                names = ", ".join(fields[name].title or name for name in sorted(was ^ now) if name in fields)
                return Told(names, "free of my system" if now - was else "from my system")
        return Told("My system")

    def on_change(self, callback: Callable[[], None]) -> None:
        """Have `callback()` called after each change by the user, and not after `restore`."""
        self._changed.append(callback)

    def on_follow(self, callback: Callable[[], None]) -> None:
        """Have `callback()` called after each change that follows from that of a question."""
        self._followed.append(callback)

    def follow(self, callback: Callable[[], None]) -> None:
        """Have `callback()` called after every change."""
        self._followers.append(callback)

    def _set_freed(self, study: str, names: frozenset[str], callbacks: list[Callable[[], None]]) -> None:
        if names != self.freed(study):
            self._freed[study] = names
            self._say(callbacks)

    def _say(self, callbacks: list[Callable[[], None]]) -> None:
        self._follow()
        for callback in callbacks:
            callback()

    def _follow(self) -> None:
        for callback in self._followers:
            callback()


def _flat(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a system's dictionary by their paths."""
    for name, value in part.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", value


def _of_studies(state: dict, name: str, kind: type) -> dict:
    """A part of a state: study -> something of that kind. What is damaged or of no known study is left out."""
    found = state.get(name)
    kept = found if isinstance(found, dict) else {}
    return {study: each for study, each in kept.items() if study in studies.STUDIES and isinstance(each, kind)}


def _plain(value):
    return list(value) if isinstance(value, tuple) else value


def _tupled(value):
    return tuple(value) if isinstance(value, list) else value
