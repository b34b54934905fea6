"""All that a person set, in one value: it collects the parts, goes steps back and forth, and is kept."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from pagecost.errors import ModelError, require
from pagecost_app.workspace import files, folders, parts, project_file
from pagecost_app.workspace.autosave import Autosave, Leftover
from pagecost_app.workspace.folders import Held
from pagecost_app.workspace.parts import Part, State, Told
from pagecost_app.workspace.project_file import ENDING, Project
from pagecost_app.workspace.steps import Steps

NAME = "my project"
PROJECT = "project"  # in a state: which project that is (name, path); no part, and not in the file


class Occupied(ModelError):
    """Where a project is to be saved stands another file; `path` [Path]: the one that would be replaced."""

    def __init__(self, path: Path):
        self.path = path
        super().__init__(f"project {path}: there is a file of this name already, and it is not this project's own")


class Workspace:
    """A session's workspace. `name` is the project's, `path` its file, where it has one that can be written again.

    said(sentence): something to tell the user, from any thread; None takes it back. clock() [s]: see `Steps`.
    """

    def __init__(self, said: Callable[[str | None], None], clock: Callable[[], float] = time.monotonic):
        self.name = NAME
        self.path: Path | None = None
        self._parts: dict[str, Part] = {}
        self._start: dict[str, State] = {}
        self._strange: dict[str, State] = {}  # of parts that are not here, from a file: they are kept in it
        self._steps = Steps({PROJECT: (NAME, None)}, clock=clock)
        self._saved: dict[str, State] = {}
        self._lock: Held | None = None
        self._restoring = False
        self._changed: list[Callable[[], None]] = []
        self.autosave = Autosave(said)

    def add(self, part: Part) -> None:
        """Take up a part, which is now as it comes; what was opened before it was there is shown now."""
        name = part.name
        self._parts[name] = part
        self._start[name] = part.state()
        waiting = self._strange.pop(name, None)
        if waiting is not None:
            self._show({name: waiting})
        now = part.state()
        self._steps.passed({**self._steps.state, name: now})
        self._saved = {**self._saved, name: now}
        part.on_change(lambda: self._note(part))
        if hasattr(part, "on_follow"):
            part.on_follow(lambda: self._note(part, follows=True))

    def on_change(self, callback: Callable[[], None]) -> None:
        """Have `callback()` called when the state, or what can be undone, is another one."""
        self._changed.append(callback)

    @property
    def undoes(self) -> Told | None:
        """What `undo` takes back."""
        return self._steps.undoes

    @property
    def redoes(self) -> Told | None:
        """What `redo` makes again."""
        return self._steps.redoes

    @property
    def is_saved(self) -> bool:
        """Whether the project is as it was saved or opened, or as everything comes."""
        return self._lasting(self._steps.state) == self._lasting(self._saved)

    @property
    def is_untouched(self) -> bool:
        """Whether nothing is set but how everything comes."""
        return self._lasting(self._steps.state) == self._lasting(self._start) and not self._strange

    def project(self) -> Project:
        """What a file would hold."""
        own = {name: state for name, state in self._steps.state.items() if name != PROJECT}
        return Project({**self._strange, **own}, self.name)

    def undo(self) -> None:
        """Take the last step back. Raises ModelError that says what could not be shown."""
        self._go(self._steps.undo())

    def redo(self) -> None:
        """Make the step again that was taken back last. Raises as `undo`."""
        self._go(self._steps.redo())

    def new(self) -> None:
        """Begin again with everything as it comes. It can be undone."""
        self._replace(Project(self._start, NAME), Told("New project"), None)

    def open(self, path: Path, *, owned: bool) -> None:
        """Open a project's file; owned: `save` may write there again. It can be undone.

        Raises ModelError: a file that cannot be read changes nothing; of one that can is said what could not be shown.
        """
        project = project_file.read(path)
        self._replace(project, Told(f"Opened {project.name}"), path if owned else None)

    def recover(self, leftover: Leftover) -> None:
        """Go on with what another session left. It is kept as this one's own from now on."""
        assert leftover.project is not None
        self._replace(leftover.project, Told(f"Recovered {leftover.project.name}"), None, saved=False)
        self.autosave.changed(self.project())
        if self.autosave.flush():
            leftover.forget()

    def save(self, path: Path | None = None, *, replaced: Path | None = None) -> Path:
        """Write the project to a path, or to its own; the path. replaced: another file that the user gave up for it.

        Raises Occupied for another file that stands there and was not given up, ModelError for a folder and for what
        cannot be written; nothing is lost then.
        """
        path = path or self.path
        assert path is not None
        inside = path / f"{self.name}{ENDING}"
        require(not os.path.isdir(path), f"project {path}: this is a folder; write a name behind it, such as {inside}")
        path = path if path.suffix[1:2].isalpha() else path.with_name(f"{path.name}{ENDING}")  # a version is no ending
        if not self._is_own(path):
            lock = folders.hold_project(path)
            if os.path.exists(path) and path != replaced:
                if lock:
                    lock.release()
                raise Occupied(path)
            self._hold(lock)
        name, self.name = self.name, self.name if path == self.path else path.stem
        try:
            problems = self._write(path)
        except ModelError:
            self.name = name
            raise
        self.path = path
        self._steps.passed({**self._steps.state, PROJECT: (self.name, path)})
        self._has_been_saved()
        if problems:
            raise ModelError("; ".join(problems))
        return path

    def _is_own(self, path: Path) -> bool:
        """Whether a path leads to the project's own file, by whichever name."""
        return self.path is not None and os.path.realpath(path) == os.path.realpath(self.path)

    def as_download(self) -> bytes:
        """The file's content, for a copy elsewhere."""
        state, _ = files.with_kept(dict(self.project().state))
        return project_file.as_bytes(Project(state, self.name))

    def _write(self, path: Path) -> list[str]:
        """Write the project; which dropped files could not be kept with it. Raises ModelError."""
        state, problems = files.with_kept(dict(self.project().state))
        project_file.write(Project(state, self.name), path)
        return problems

    def _has_been_saved(self) -> None:
        """All of it is in a file now."""
        self._saved = self._steps.state
        self.autosave.forget()
        self._say()

    def close(self) -> None:
        """The session is over; what is not saved is offered to the next one."""
        self.autosave.close()
        if self._lock:
            self._lock.release()

    def _note(self, part: Part, *, follows: bool = False) -> None:
        if self._restoring:
            return
        before, after = self._steps.state.get(part.name), part.state()
        if before == after:
            return
        state = {**self._steps.state, part.name: after}
        if getattr(part, "passing", False):
            self._steps.passed(state)
        elif follows:
            self._steps.followed(state)
        else:
            self._steps.noted(state, lambda old, new: self._told(part, old, new), part.name)
        self._keep()

    def _told(self, part: Part, old: State, new: State) -> Told:
        """What a change of a part did: where it was moved to and fro, what followed from that and stayed."""
        differing = (each for each in self._parts.values() if old.get(each.name) != new.get(each.name))
        told_of = part if old.get(part.name) != new.get(part.name) else next(differing, part)
        return parts.told(told_of, old.get(told_of.name), new.get(told_of.name))

    def _keep(self) -> None:
        if self.is_saved:
            self.autosave.forget()
        else:
            self.autosave.changed(self.project())
        self._say()

    def _go(self, state: State | None) -> None:
        if state is None:
            return
        name, path = state[PROJECT]
        try:
            if path != self.path:
                self._hold(folders.hold_project(path) if path else None)
            self.name, self.path = name, path
            self._show(state)
        finally:
            self._keep()

    def _replace(self, project: Project, told: Told, path: Path | None, *, saved: bool = True) -> None:
        """Show a project in place of what is there, as one step."""
        if path != self.path:
            self._hold(folders.hold_project(path) if path else None)
        self.name, self.path = project.name, path
        strange = {name: state for name, state in project.state.items() if name not in self._parts}
        own = {name: project.state.get(name, self._start[name]) for name in self._parts}
        try:
            self._show(own)
        finally:
            self._strange = strange
            shown = {name: part.state() for name, part in self._parts.items()} | {PROJECT: (self.name, self.path)}
            self._steps.noted(shown, lambda old, new: told)
            if saved:
                self._saved = shown
            self._keep()

    def _hold(self, lock: Held | None) -> None:
        """Keep another lock than so far."""
        if self._lock:
            self._lock.release()
        self._lock = lock

    def _show(self, state: dict[str, State]) -> None:
        """Have the parts show what differs. Raises ModelError with what could not be, when all others are shown."""
        said = []
        self._restoring = True
        try:
            for name, part in sorted(self._parts.items(), key=lambda item: getattr(item[1], "passing", False)):
                if name in state and part.state() != state[name]:
                    try:
                        part.restore(state[name])
                    except ModelError as error:
                        said.append(str(error))
        finally:
            self._restoring = False
        if said:
            raise ModelError("; ".join(said))

    def _lasting(self, state: dict[str, State]) -> dict[str, State]:
        """Without what only passes."""
        passing = {name for name, part in self._parts.items() if getattr(part, "passing", False)}
        return {name: each for name, each in state.items() if name not in passing and name != PROJECT}

    def _say(self) -> None:
        for callback in self._changed:
            callback()
