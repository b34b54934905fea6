"""Steps back and forth: a bounded row of changes, each with the states on its two sides."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from pagecost_app.workspace.parts import State, Told

MOST = 200
JOINED_S = 1.0  # a slider that is dragged passes many stops: changes of one thing so close together are one step


@dataclass(frozen=True)
class Step:
    """A change, with the whole states before and after it. of: the part of the states that was changed."""

    of: str
    told: Told
    before: State
    after: State


class Steps:
    """`state` is what is now. `noted` and `passed` bring it on, `undo` and `redo` walk. At most `most` steps are kept.

    clock() [s] tells whether two changes are close together.
    """

    def __init__(self, state: State, most: int = MOST, clock: Callable[[], float] = time.monotonic):
        self.state = state
        self._most, self._clock = most, clock
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._last_s: float | None = None  # of the last change, if the next one may join it

    def noted(self, state: State, tell: Callable[[State, State], Told], of: str = "") -> None:
        """A change of a part was made. tell(before, after) says it; it is asked again for changes that are joined."""
        now_s, before, told = self._clock(), self.state, tell(self.state, state)
        last = self._done[-1] if self._done else None
        close = last is not None and self._last_s is not None and now_s - self._last_s < JOINED_S
        self.state, self._undone, self._last_s = state, [], now_s
        if last is not None and close and (last.of, last.told.what) == (of, told.what):
            both = tell(last.before, state)
            if both.what == told.what or last.before == state:  # else one thing of two questions, by the same name
                self._done.pop()
                before, told = last.before, both
        if before == state:  # moved to and fro
            self._last_s = None
            return
        self._done = [*self._done, Step(of, told, before, state)][-self._most :]

    def followed(self, state: State) -> None:
        """The last change had a consequence, which is taken back and made again with it."""
        self.state = state
        if self._done:
            self._done[-1] = replace(self._done[-1], after=state)

    def passed(self, state: State) -> None:
        """Something came to be that is no step: what was undone can still be redone."""
        self.state = state

    def undo(self) -> State | None:
        """The state before the last step; None where there is none."""
        if not self._done:
            return None
        step = self._done.pop()
        self._undone.append(step)
        self.state, self._last_s = step.before, None
        return self.state

    def redo(self) -> State | None:
        """The state after the step that was undone last; None where there is none."""
        if not self._undone:
            return None
        step = self._undone.pop()
        self._done.append(step)
        self.state, self._last_s = step.after, None
        return self.state

    @property
    def undoes(self) -> Told | None:
        """What `undo` takes back."""
        return self._done[-1].told if self._done else None

    @property
    def redoes(self) -> Told | None:
        """What `redo` makes again."""
        return self._undone[-1].told if self._undone else None
