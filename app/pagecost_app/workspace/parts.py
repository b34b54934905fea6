"""The contract between a workspace and what keeps something that a person set."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

State = Any
"""What JSON can hold. Nobody changes one after handing it over: steps, project and autosave share it."""


class Part(Protocol):
    """Something that a person set. Three attributes may be there as well:

    passing (bool): a change is kept, but it is no step of its own that could be undone, such as which page is open.
    told(before, after) -> Told: a change in words; without it the differing places of the two states are named.
    on_follow(callback): have `callback()` called after a change that follows from another part's, and is one with it.
    """

    name: str

    def state(self) -> State:
        """What it is now. Cheap: it is asked for after every change."""

    def restore(self, state: State) -> None:
        """Show this state. Raises ModelError for one that cannot be shown; what can be is."""

    def on_change(self, callback: Callable[[], None]) -> None:
        """Have `callback()` called after each change by the user, and not after `restore`."""


class Told(NamedTuple):
    """A change: what was changed, and to what. Changes of one thing in quick succession are one step."""

    what: str
    how: str = ""

    def __str__(self) -> str:
        return f"{self.what}: {self.how}" if self.how else self.what


@runtime_checkable
class Teller(Protocol):
    """A part that says its changes itself."""

    def told(self, before: State, after: State) -> Told: ...


MOST_LETTERS = 60
NOTHING = object()


def told(part: Part, before: State, after: State) -> Told:
    """A change of a part in words."""
    if isinstance(part, Teller):
        return part.told(before, after)
    places = list(_differing(before, after))
    if len(places) != 1:
        return Told(part.name, f"{len(places)} changes")
    path, old, new = places[0]
    return Told(" ".join((part.name, *path)), f"{_short(old)} → {_short(new)}")


def _differing(before: State, after: State, path: tuple[str, ...] = ()):
    """The places where two states differ: (path, old, new)."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in (*before, *(name for name in after if name not in before)):
            yield from _differing(before.get(name, NOTHING), after.get(name, NOTHING), (*path, str(name)))
    elif before != after:
        yield path, before, after


def _short(value: State) -> str:
    if value is NOTHING or value in (None, ""):
        return "nothing"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…"
