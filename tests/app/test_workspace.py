"""A workspace without any page: parts, files, locks, what is kept when a program ends, and what goes wrong."""

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pagecost import _private_files, studies
from pagecost.errors import ModelError
from pagecost_app import uploads
from pagecost_app.workspace import autosave, files, folders, project_file, settings
from pagecost_app.workspace.answers import Answers
from pagecost_app.workspace.project_file import KIND, SCHEMA, Project
from pagecost_app.workspace.questions import Questions
from pagecost_app.workspace.workspace import Workspace

COMES = settings.shown(studies.find("buffer_size"), "frames", 1024)
FIXTURES = Path(__file__).parents[1] / "documents" / "projects"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


class Slot:
    """A part that holds whatever it is given."""

    def __init__(self, name, value=0, passing=False):
        self.name, self.value, self.passing = name, value, passing
        self.callbacks = []

    def state(self):
        return self.value

    def restore(self, state):
        self.value = state

    def on_change(self, callback):
        self.callbacks.append(callback)

    def set(self, value):
        self.value = value
        for callback in self.callbacks:
            callback()


class Page:
    """The page of a question, as a workspace sees it."""

    def __init__(self, name):
        self.study = studies.find(name)
        self.preset, self.values = None, settings.of_preset(self.study, None)
        self.callbacks = []

    def setting(self):
        return self.preset, self.values

    def take(self, preset, values=None):
        self.preset, self.values = preset, settings.of_preset(self.study, preset) | dict(values or {})
        self._say()

    def on_change(self, callback):
        self.callbacks.append(callback)

    def set(self, name, value, by_person=True):
        self.values = {**self.values, name: value}
        self._say(by_person)

    def _say(self, by_person=True):
        for callback in self.callbacks:
            callback(by_person)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "state"))


@pytest.fixture
def made():
    """made() -> (workspace, what it said); all are closed at the end."""
    open_ones = []

    def one():
        said = []
        workspace = Workspace(said.append, clock=iter(range(0, 10**6, 10)).__next__)
        open_ones.append(workspace)
        return workspace, said

    yield one
    for workspace in open_ones:
        workspace.close()


@given(st.lists(st.tuples(st.sampled_from("ab"), JSON), max_size=12))
@hypothesis_settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_set_all_undone_is_the_start_and_a_file_holds_it(tmp_path, changes):
    workspace = Workspace(lambda said: None, clock=iter(range(0, 10**6, 10)).__next__)
    parts = {name: Slot(name) for name in "ab"}
    for part in parts.values():
        workspace.add(part)
    for name, value in changes:
        parts[name].set(value)
    end = {name: part.value for name, part in parts.items()}
    while workspace.undoes:
        workspace.undo()
    assert [part.value for part in parts.values()] == [0, 0]
    assert workspace.is_untouched
    while workspace.redoes:
        workspace.redo()
    assert {name: part.value for name, part in parts.items()} == end
    workspace.save(tmp_path / "p.pagecost", replaced=tmp_path / "p.pagecost")  # of the example before
    assert workspace.is_saved
    read = project_file.read(tmp_path / "p.pagecost")
    assert dict(read.state) == end
    workspace.close()


def test_a_question_is_set_undone_saved_and_opened_in_another_session(made, tmp_path):
    first, _ = made()
    questions, page = Questions(), Page("buffer_size")
    first.add(questions)
    questions.opened(page)
    page.set("frames", 64)
    assert str(first.undoes) == f"Buffer size: {COMES} → 64 frames"
    assert not first.is_saved
    first.undo()
    assert page.values["frames"] == 1024
    assert first.is_untouched
    first.redo()
    assert page.values["frames"] == 64
    path = first.save(tmp_path / "mine")
    assert path.name == "mine.pagecost"
    assert first.save(tmp_path / "plan 1.5").name == "plan 1.5.pagecost"  # a version is no ending
    assert first.save(path, replaced=path) == path
    assert json.loads(path.read_text())["state"]["questions"] == {
        "buffer_size": {"preset": None, "values": {"frames": 64}}
    }
    first.close()

    second, _ = made()
    questions, page = Questions(), Page("buffer_size")
    second.add(questions)
    second.open(path, owned=True)
    assert second.name == "mine"
    questions.opened(page)  # built later: it takes what waits for it
    assert page.values["frames"] == 64
    assert second.is_saved
    second.undo()
    assert page.values["frames"] == 1024
    assert second.path is None  # what was there before belongs to no file
    second.redo()
    assert second.path == path


def test_a_change_that_follows_from_another_is_one_step_with_it(made):
    workspace, _ = made()
    questions, page, system = Questions(), Page("buffer_size"), Slot("system")
    workspace.add(system)
    workspace.add(questions)
    questions.opened(page)
    system.set(1)
    page.set("frames", 64, by_person=False)  # taken from the system
    page.set("frames", 65)
    workspace.undo()
    assert page.values["frames"] == 64
    workspace.undo()
    assert (system.value, page.values["frames"]) == (0, 1024)
    assert workspace.undoes is None
    workspace.redo()
    assert (system.value, page.values["frames"]) == (1, 64)


def test_what_only_passes_is_kept_and_is_no_step(made, tmp_path):
    workspace, _ = made()
    place, value = Slot("open", "x", passing=True), Slot("a")
    workspace.add(place)
    workspace.add(value)
    place.set("y")
    assert workspace.undoes is None
    assert workspace.is_saved
    value.set(1)
    place.set("z")
    workspace.undo()
    assert place.value == "y"  # where it was changed
    assert dict(project_file.of_bytes(workspace.as_download(), "it").state) == {"open": "y", "a": 0}


def test_a_part_that_is_not_here_is_kept_in_the_file_and_shown_when_it_comes(made, tmp_path):
    path = tmp_path / "p.pagecost"
    project_file.write(Project({"a": 1, "later": [1, 2]}), path)
    workspace, _ = made()
    workspace.add(Slot("a"))
    workspace.open(path, owned=True)
    assert dict(project_file.of_bytes(workspace.as_download(), "it").state) == {"a": 1, "later": [1, 2]}
    later = Slot("later", [])
    workspace.add(later)
    assert later.value == [1, 2]


@pytest.mark.parametrize("fixture", sorted(FIXTURES.glob("*.pagecost")), ids=lambda path: path.stem)
def test_a_project_of_every_older_version_opens(made, fixture):
    workspace, _ = made()
    questions, kept, page = Questions(), Answers(), Page("buffer_size")
    workspace.add(questions)
    workspace.add(kept)
    questions.opened(page)
    before = fixture.read_bytes()
    with pytest.raises(ModelError, match="left out: unknown input 'gone'"):  # what that version had and this has not
        workspace.open(fixture, owned=False)
    assert page.values["frames"] == 64
    assert [answer.name for answer in kept.kept] == ["Buffer size: 1 024 frames → 64 frames"]  # as it was saved
    assert fixture.read_bytes() == before


def test_there_is_a_fixture_of_every_schema():
    held = {json.loads(path.read_text())[KIND] for path in FIXTURES.glob("*.pagecost")}
    assert held == set(range(1, SCHEMA + 1))


GOOD = project_file.as_bytes(Project({"a": 1}))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "it is damaged, or no project"),
        (GOOD[:40], "it is damaged, or no project"),
        (b"\xff\xfe\x00", "it is damaged, or no project"),
        (b"[" * 200_000, "it is damaged, or no project"),
        (b"[1]", "this is no project of pagecost"),
        (b"{}", "this is no project of pagecost"),
        (GOOD.replace(b": 1,", b": 99,", 1), "it is of schema 99; this pagecost reads up to 1: update pagecost"),
        (GOOD.replace(b": 1,", b": true,", 1), "must be a whole number from 1"),
        (GOOD.replace(b": 1,", b": 0,", 1), "must be a whole number from 1"),
        (GOOD.replace(b'"state"', b'"sate"'), "it is damaged: state is missing or no dict"),
        (GOOD.replace(b'"a": 1', b'"a": NaN'), "NaN is no number of JSON"),
    ],
    ids=range(11),
)
def test_a_file_that_is_no_project_is_said_in_one_sentence_and_left_as_it_is(made, tmp_path, content, sentence):
    path = tmp_path / "p.pagecost"
    path.write_bytes(content)
    workspace, _ = made()
    part = Slot("a", 7)
    workspace.add(part)
    with pytest.raises(ModelError) as caught:
        workspace.open(path, owned=True)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content
    assert (part.value, workspace.path, workspace.undoes) == (7, None, None)


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_a_file_with_a_byte_changed_is_read_or_refused_in_a_sentence(place, byte):
    data = bytearray(GOOD)
    data[place] = byte
    try:
        read = project_file.of_bytes(bytes(data), "it")
    except ModelError as error:
        read = error
    assert isinstance(read, Project) or str(read).startswith("it: ")


def test_a_project_that_is_open_elsewhere_is_refused_and_free_when_it_is_closed(made, tmp_path):
    path = tmp_path / "p.pagecost"
    first, _ = made()
    second, _ = made()
    for workspace in (first, second):
        workspace.add(Slot("a"))
    first.save(path)
    with pytest.raises(ModelError, match="another window or program has it open"):
        second.open(path, owned=True)
    with pytest.raises(ModelError, match="another window or program has it open"):
        second.save(path)
    second.open(path, owned=False)  # a copy
    first.new()
    second.open(path, owned=True)


@pytest.mark.parametrize("linked", [True, False])
def test_a_dropped_file_outlives_the_program(made, tmp_path, monkeypatch, linked):
    copy = uploads.place("own trace.csv", 6)
    with uploads.create(copy) as file:
        file.write(b"1 r\n")

    def refuse(source, place):
        raise OSError(errno.EXDEV, "another disk")

    if not linked:
        monkeypatch.setattr(os, "link", refuse)
    workspace, _ = made()
    part = Slot("a")
    workspace.add(part)
    part.set([f"{copy}#time=0", {"trace": str(copy)}, "/elsewhere.csv"])
    path = workspace.save(tmp_path / "p.pagecost")
    uploads.discard()
    with_columns, named, other = project_file.read(path).state["a"]
    kept = Path(named["trace"])
    assert (kept.name, kept.read_bytes()) == (copy.name, b"1 r\n")
    assert (with_columns, other) == (f"{kept}#time=0", "/elsewhere.csv")
    assert [each.name for each in kept.parent.iterdir()] == [kept.name]


def test_a_dropped_file_that_cannot_be_kept_is_named_and_the_rest_is_saved(made, tmp_path, monkeypatch):
    copy = uploads.place("own.csv", 6)
    uploads.create(copy).close()
    (tmp_path / "file").write_text("no folder")
    workspace, _ = made()
    part = Slot("a")
    workspace.add(part)
    part.set(str(copy))
    workspace.autosave.flush()
    monkeypatch.setattr(files, "_kept", {})
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "file" / "state"))
    with pytest.raises(ModelError, match=r"own.*csv is not kept with what you set: Not a directory"):
        workspace.save(tmp_path / "p.pagecost")
    assert project_file.read(tmp_path / "p.pagecost").state["a"] == str(copy)
    assert workspace.is_saved
    uploads.discard()


FULL = OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_loses_nothing(made, tmp_path, monkeypatch):
    workspace, said = made()
    part = Slot("a")
    workspace.add(part)
    path = workspace.save(tmp_path / "p.pagecost")
    before = path.read_bytes()
    part.set(1)
    workspace.autosave.flush()

    def full(path, data, durable=False):
        raise FULL

    monkeypatch.setattr(_private_files, "write", full)
    with pytest.raises(ModelError, match="cannot be written: No space left on device; nothing is lost here"):
        workspace.save()
    assert path.read_bytes() == before
    assert (part.value, workspace.is_saved) == (1, False)
    part.set(2)
    workspace.autosave.flush()
    part.set(3)
    workspace.autosave.flush()
    assert said == [
        "What you set is not kept for recovery: No space left on device. It stays here; Save gives you a copy."
    ]
    monkeypatch.undo()
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "state"))
    part.set(4)
    workspace.autosave.flush()
    assert said[-1] is None


def test_a_home_that_cannot_be_written_is_said_once_and_all_else_works(made, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "file" / "state"))
    workspace, said = made()
    part = Slot("a")
    workspace.add(part)
    for value in (1, 2):
        part.set(value)
        workspace.autosave.flush()
    assert len(said) == 1
    assert said[0].startswith("What you set is not kept for recovery: Not a directory")
    workspace.save(tmp_path / "p.pagecost")
    assert dict(project_file.read(tmp_path / "p.pagecost").state) == {"a": 2}


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "p.pagecost"
    project_file.write(Project({"a": 1}), path)

    def interrupted(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        project_file.write(Project({"a": 2}), path)
    assert dict(project_file.read(path).state) == {"a": 1}
    assert [each.name for each in tmp_path.iterdir()] == ["p.pagecost"]


def test_what_is_not_saved_is_offered_again_once_and_what_is_saved_is_not(made, tmp_path):
    first, _ = made()
    part = Slot("a")
    first.add(part)
    part.set(1)
    first.autosave.flush()
    assert autosave.leftovers() == []  # it runs
    first.close()
    (left,) = autosave.leftovers()
    second, _ = made()
    part = Slot("a")
    second.add(part)
    second.recover(left)
    assert part.value == 1
    assert not second.is_saved
    assert autosave.leftovers() == []
    second.close()
    (left,) = autosave.leftovers()
    third, _ = made()
    third.add(Slot("a"))
    third.recover(left)
    third.save(tmp_path / "p.pagecost")
    third.close()
    assert autosave.leftovers() == []


KILLED = """
import sys, time
from pagecost_app.workspace.workspace import Workspace
from pagecost_app.workspace.questions import Questions
from pagecost_app.workspace.settings import Setting
workspace = Workspace(lambda said: None)
questions = Questions()
workspace.add(questions)
questions.take(Setting("buffer_size", None, {"frames": 64}))
workspace.autosave.flush()
questions.take(Setting("buffer_size", None, {"frames": 65}))
print("set", flush=True)
time.sleep(60)
"""


def test_a_program_that_is_killed_leaves_what_was_set():
    running = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "set\n"
    assert autosave.leftovers() == []  # it holds its lock
    running.send_signal(signal.SIGKILL)
    running.wait()
    running.stdout.close()
    (left,) = autosave.leftovers()
    assert left.project.state["questions"]["buffer_size"]["values"] == {"frames": 64}  # the last second may be lost
    left.forget()
    assert autosave.leftovers() == []


def test_a_damaged_leftover_is_said_and_stays_until_it_is_forgotten():
    folder = folders.made(autosave.FOLDER)
    damaged = folder / "aa.pagecost"
    damaged.write_bytes(GOOD[:50])
    (left,) = autosave.leftovers()
    assert left.project is None
    assert "it is damaged" in left.problem
    assert damaged.read_bytes() == GOOD[:50]


def test_only_some_leftovers_are_kept():
    folder = folders.made(autosave.FOLDER)
    for number in range(autosave.MOST + 3):
        path = folder / f"{number:02}.pagecost"
        path.write_bytes(project_file.as_bytes(Project({"a": number})))
        os.utime(path, (1000 + number, 1000 + number))
    left = autosave.leftovers()
    assert [each.project.state["a"] for each in left] == list(range(12, 2, -1))
    assert len(list(folder.glob("*.pagecost"))) == autosave.MOST


def test_changes_are_written_a_moment_later_and_together(made, monkeypatch):
    written, done = [], threading.Event()
    write = _private_files.write

    def noted(path, data, durable=False):
        write(path, data, durable=durable)
        written.append(dict(project_file.of_bytes(data, "it").state))
        done.set()

    monkeypatch.setattr(_private_files, "write", noted)
    workspace = Workspace(lambda said: None)
    workspace.autosave._delay_s = 0.05
    part = Slot("a")
    workspace.add(part)
    for value in range(1, 50):
        part.set(value)
    assert done.wait(10)
    assert written == [{"a": 49}]
    workspace.close()
