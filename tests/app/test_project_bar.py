"""The project's bar without a browser: what is set is undone, saved, opened, recovered and said."""

import threading

import pytest
from bokeh.events import ButtonClick

from helpers.page_session import Session, opened
from pagecost_app import asking, pages
from pagecost_app.workspace import autosave, folders, project_file

pytestmark = pytest.mark.usefixtures("remembered_answers")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "state"))


@pytest.fixture
def new_session():
    """new_session() -> a session of the app; all are ended at the end."""
    made = []

    def one():
        session = Session()
        pages.build(session.document)
        made.append(session)
        return session

    yield one
    for session in made:
        end(session)


def end(session):
    for callback in session.document.session_destroyed_callbacks.copy():
        session.document.session_destroyed_callbacks.discard(callback)
        callback(None)


def press(session, name):
    button = session.model(f"project.{name}")
    assert not button.disabled
    button._trigger_event(ButtonClick(button))


def said(session, name="message"):
    return session.model(f"project.{name}").text


def frames_of(session):
    slider = session.model("buffer_size.frames")
    return slider.categories, slider


def set_frames(session, place):
    categories, slider = frames_of(session)
    slider.value = categories[place]
    return categories[place]


def test_a_change_is_undone_made_again_saved_and_opened(new_session, tmp_path):
    session = new_session()
    assert session.model("project.undo").disabled
    opened(session, "buffer_size")
    comes = frames_of(session)[1].value
    chosen = set_frames(session, 2)
    session.until(lambda: "not saved in a file yet" in said(session, "state"))
    assert session.model("project.undo").html_attributes["title"] == f"Undo: Buffer size: {comes} → {chosen}"
    opened(session, "block_size")
    press(session, "undo")  # it leads to where it was changed
    assert frames_of(session)[1].value == comes
    assert f"{comes} → {chosen}" in said(session)
    session.model("project.wish").value = "redo 1"
    assert frames_of(session)[1].value == chosen
    session.model("project.save_path").value = str(tmp_path / "mine")
    assert "all saved" in said(session, "state")
    path = tmp_path / "mine.pagecost"
    assert project_file.read(path).state["open"] == "buffer/buffer_size"

    other = new_session()
    other.model("project.file").value = str(path)
    assert "has it open" in said(other)
    press(session, "new")
    assert frames_of(session)[1].value == comes
    other.model("project.file").value = str(path)
    assert frames_of(other)[1].value == chosen
    assert "all saved" in said(other, "state")


def test_a_preset_that_was_taken_is_one_step(new_session):
    session = new_session()
    opened(session, "block_size")
    preset = session.model("block_size.preset")
    preset.value = preset.options[1]
    assert session.model("project.undo").html_attributes["title"] == f"Undo: Preset of block_size: {preset.options[1]}"
    press(session, "undo")
    assert preset.value == "defaults"
    assert session.model("project.undo").disabled


def test_what_was_not_saved_is_offered_and_gone_on_with(new_session):
    first = new_session()
    opened(first, "buffer_size")
    chosen = set_frames(first, 2)
    end(first)
    second = new_session()
    second.until(lambda: second.model("project.left").text)
    assert "was not saved when pagecost ended" in said(second, "left")
    press(second, "go_on")
    assert frames_of(second)[1].value == chosen
    assert autosave.leftovers() == []
    end(second)
    third = new_session()
    third.until(lambda: third.model("project.left").text)
    press(third, "forget")
    assert autosave.leftovers() == []


def test_a_damaged_file_is_said_and_nothing_changes(new_session, tmp_path):
    session = new_session()
    opened(session, "buffer_size")
    chosen = set_frames(session, 2)
    path = tmp_path / "bad.pagecost"
    path.write_bytes(b"{}")
    session.model("project.file").value = str(path)
    assert "this is no project of pagecost" in said(session)
    assert 'role="alert"' in said(session)
    assert frames_of(session)[1].value == chosen


def test_link_and_command_say_how_the_question_is_set_and_the_link_opens_it(new_session):
    session = new_session()
    press(session, "command")
    assert "no question is open" in said(session)
    opened(session, "buffer_size")
    chosen = set_frames(session, 2)
    press(session, "command")
    (command,) = session.model("project.clipboard").data["text"]
    assert command.startswith("pagecost run buffer_size --set frames=")
    press(session, "link")
    link = session.model("project.clipboard").data["text"][0].partition("#")[2]
    other = new_session()
    other.model("address").value = link
    assert frames_of(other)[1].value == chosen
    assert other.model("address").value == "buffer/buffer_size"
    assert not other.model("project.undo").disabled
    other.model("address").value = "buffer/buffer_size?frames=none"
    assert "The link was opened without its setting: frames" in said(other)


def test_the_complaint_of_a_refused_link_goes_with_the_next_one_and_nothing_else_does(new_session):
    session = new_session()
    address, message = session.model("address"), session.model("project.message")
    address.value = "buffer/buffer_size?frames=none"
    assert "The link was opened without its setting: frames" in said(session)
    address.value = "buffer_size?frames=64"
    assert frames_of(session)[1].value == "64 frames"
    assert not message.visible
    address.value = "buffer/buffer_size?frames=none"
    assert message.visible
    address.value = "devices/block_size"
    assert not message.visible
    address.value = "buffer/buffer_size?frames=none"
    press(session, "undo")
    assert "Taken back: " in said(session)
    address.value = "devices/block_size"
    assert "Taken back: " in said(session)
    assert message.visible


@pytest.mark.parametrize(
    ("link", "opens", "sentence"),
    [
        ("buffer_sise?frames=64", "start", "unknown page or question &#x27;buffer_sise&#x27;"),
        ("buffer_sise", "start", ": buffer_size, "),
        ("devices/block_sise", "devices/block_size", "unknown question of the page Devices &#x27;block_sise&#x27;"),
        ("claims?id=3", "claims", "The link was opened without its setting: the page Claims takes none"),
        ("<img src=x>", "start", "&lt;img src=x&gt;"),
    ],
)
def test_a_link_that_leads_elsewhere_than_it_says_tells_so(new_session, link, opens, sentence):
    session = new_session()
    session.model("address").value = link
    assert session.model("address").value == opens
    assert sentence in said(session)
    session.model("address").value = "buffer"
    assert not session.model("project.message").visible


def test_an_answer_is_kept_and_a_copy_is_handed_over(new_session):
    session = new_session()
    opened(session, "buffer_size")
    press(session, "keep")
    assert "Kept: defaults" in said(session)
    press(session, "save")
    handed = session.model("project.download").data
    assert handed["name"] == ["my project.pagecost"]
    project = project_file.of_bytes(handed["text"][0].encode(), "it")
    assert project.state["answers"][0]["study"] == "buffer_size"
    session.until(lambda: session.model("project.download").data["name"] == [""])
    assert "not saved in a file yet" in said(session, "state")  # nobody knows what became of the copy
    assert "the browser does not tell whether it was kept" in said(session)
    end(session)
    assert [left.project.state["answers"][0]["study"] for left in autosave.leftovers()] == ["buffer_size"]


@pytest.fixture
def window():
    """A native window's dialog: the names that were suggested, and how it is answered, from a thread of its own."""
    asked = []

    def ask(name, found):
        asked.append((name, found))

    def answer(place):
        thread = threading.Thread(target=asked[-1][1], args=(place,))
        thread.start()
        thread.join()

    take_back = asking.offer(ask)
    yield asked, answer
    take_back()
    assert not asking.is_there()


def test_in_a_window_save_asks_for_a_place_and_writes_there_from_then_on(new_session, window, tmp_path):
    asked, answer = window
    session = new_session()
    opened(session, "buffer_size")
    set_frames(session, 2)
    press(session, "save")
    assert [name for name, _ in asked] == ["my project.pagecost"]
    assert session.model("project.download").data["name"] == [""]
    answer(None)
    session.until(lambda: "no file was chosen" in said(session))
    assert "not saved in a file yet" in said(session, "state")
    session.model("project.saves_as").active = True
    path = tmp_path / "mine.pagecost"
    answer(path)
    session.until(lambda: "all saved" in said(session, "state"))
    assert not session.model("project.save_place").visible
    chosen = set_frames(session, 3)
    session.model("project.wish").value = "save 1"
    assert len(asked) == 2
    assert chosen.split()[0] in str(project_file.read(path).state["questions"])
    end(session)
    assert autosave.leftovers() == []


def test_a_place_that_cannot_be_written_is_said_and_nothing_is_lost(new_session, window, tmp_path):
    session = new_session()
    opened(session, "buffer_size")
    set_frames(session, 2)
    press(session, "save")
    window[1](tmp_path / "nowhere" / "mine.pagecost")
    session.until(lambda: "cannot be written" in said(session))
    assert "not saved in a file yet" in said(session, "state")


def test_another_projects_file_is_written_over_only_when_the_user_says_so(new_session, tmp_path):
    first, second = new_session(), new_session()
    opened(first, "buffer_size")
    set_frames(first, 2)
    path = tmp_path / "mine.pagecost"
    first.model("project.save_path").value = str(tmp_path / "mine")
    press(first, "new")  # so that the file is nobody's
    before = path.read_bytes()

    opened(second, "buffer_size")
    chosen = set_frames(second, 3)
    second.model("project.saves_as").active = True
    second.model("project.save_path").value = str(tmp_path / "mine")  # the ending is added to it
    assert path.read_bytes() == before
    second.until(lambda: "not saved in a file yet" in said(second, "state"))
    assert second.model("project.replaces").visible
    assert f"project {path}: there is a file of this name already" in said(second, "occupied")
    press(second, "replace_not")
    assert not second.model("project.replaces").visible
    assert path.read_bytes() == before
    assert second.model("project.save_path").value == str(tmp_path / "mine")  # to be written otherwise

    second.model("project.save_path").value = str(path)
    press(second, "replace")
    assert not second.model("project.replaces").visible
    assert "all saved" in said(second, "state")
    assert chosen.split()[0] in str(project_file.read(path).state["questions"])
    chosen = set_frames(second, 1)
    second.model("project.save_path").value = str(path)  # its own now
    assert chosen.split()[0] in str(project_file.read(path).state["questions"])
    assert not second.model("project.replaces").visible


def test_a_replacement_that_was_offered_goes_with_the_line_and_with_another_place(new_session, tmp_path):
    session = new_session()
    opened(session, "buffer_size")
    (tmp_path / "a.txt").write_text("a letter")
    session.model("project.saves_as").active = True
    session.model("project.save_path").value = str(tmp_path / "a.txt")
    assert session.model("project.replaces").visible
    session.model("project.saves_as").active = False
    assert not session.model("project.replaces").visible
    session.model("project.saves_as").active = True
    session.model("project.save_path").value = str(tmp_path / "b")
    assert f"Saved in {tmp_path / 'b.pagecost'}" in said(session)
    assert not session.model("project.replaces").visible
    assert (tmp_path / "a.txt").read_text() == "a letter"


@pytest.mark.parametrize("typed", ["dl", "dl/"])
def test_a_folder_is_no_place_of_a_project_and_a_name_in_it_is_proposed(new_session, tmp_path, typed):
    session = new_session()
    opened(session, "buffer_size")
    (tmp_path / "dl").mkdir()
    session.model("project.save_path").value = f"{tmp_path}/{typed}"
    folder = tmp_path / "dl"
    assert f"project {folder}: this is a folder; write a name behind it, such as" in said(session)
    assert str(folder / "my project.pagecost") in said(session)
    assert [each.name for each in tmp_path.iterdir() if each.name != "state"] == ["dl"]
    session.model("project.save_path").value = f"{tmp_path}/nowhere/"
    assert "there is no such folder" in said(session)
    assert not (tmp_path / "nowhere.pagecost").exists()


def test_a_window_has_asked_already_before_it_writes_over_a_file(new_session, window, tmp_path):
    session = new_session()
    opened(session, "buffer_size")
    set_frames(session, 2)
    path = tmp_path / "mine.pagecost"
    path.write_text("what was there")
    press(session, "save")
    window[1](path)
    session.until(lambda: "all saved" in said(session, "state"))
    assert project_file.read(path).name == "mine"


def test_an_input_that_the_study_refuses_is_kept_and_undone_too(new_session):
    session = new_session()
    opened(session, "buffer_size")
    session.model("buffer_size.trace.other").value = "/nowhere/a.parquet"
    session.until(lambda: session.model("buffer_size.message").visible)
    press(session, "undo")
    session.until(lambda: not session.model("buffer_size.message").visible)
    assert session.model("buffer_size.trace.other").value == ""


def test_kept_answers_stand_side_by_side_with_what_differs_marked(new_session):
    session = new_session()
    session.model("address").value = "compare"
    assert session.model("compare.empty").visible
    opened(session, "buffer_size")
    press(session, "keep")
    before = session.model("buffer_size.answer").text
    chosen = set_frames(session, 2)
    session.until(lambda: session.model("buffer_size.answer").text != before and not session.queue)
    press(session, "keep")
    session.model("address").value = "compare"
    asked = session.model("compare.asked").text
    assert '<tr class=differs><th scope="row">Buffer size</th>' in asked
    assert f"<td class=other>{chosen}</td>" in asked
    assert '<tr><th scope="row">Device</th>' in asked
    assert 'href="#buffer_size?frames=' in asked
    assert len(session.model("compare.chosen").value) == 2
    column = session.model("compare.column")
    column.value = "hit_ratio"
    assert "hit ratio, by" in session.model("compare.numbers").text
    session.model("compare.charts").active = True
    assert len(session.model("compare.pictures").children[0].children) == 2
    session.model("compare.name").value = "smaller"
    assert session.model("compare.chosen").value[-1] == "smaller"
    assert "2. smaller" in session.model("compare.asked").text
    press(session, "undo")
    assert "smaller" not in session.model("compare.asked").text
    remove = session.model("compare.remove")
    remove._trigger_event(ButtonClick(remove))
    assert len(session.model("compare.chosen").options) == 1
    assert "Looked at lately" in session.model("compare.recent").text
    report = session.model("compare.report")
    report._trigger_event(ButtonClick(report))
    session.until(lambda: session.model("project.download").data["name"] == ["comparison.html"])
    assert "What was asked" in session.model("project.download").data["text"][0]


@pytest.mark.parametrize("text", ["x" * 5000, "a\0b", "~nobody-of-this-name/mine", "/"])
@pytest.mark.parametrize("line", ["file", "save_path"])
def test_what_can_be_no_path_is_said_and_nothing_is_lost(new_session, line, text):
    session = new_session()
    opened(session, "buffer_size")
    chosen = set_frames(session, 2)
    session.model(f"project.{line}").value = text
    assert 'role="alert"' in said(session)
    assert frames_of(session)[1].value == chosen


def test_a_preset_over_a_change_is_one_step_there_and_back(new_session):
    """A held document tells of the list of presets late: that must not take the preset anew, without what was set."""
    session = new_session()
    opened(session, "buffer_size")
    chosen = set_frames(session, 2)
    preset = session.model("buffer_size.preset")
    of_preset, _ = preset.value, (setattr(preset, "value", preset.options[1]))
    with_preset = frames_of(session)[1].value
    press(session, "undo")
    session.until(lambda: not session.queue)
    assert (preset.value, frames_of(session)[1].value) == (of_preset, chosen)
    press(session, "redo")
    session.until(lambda: not session.queue)
    assert (preset.value, frames_of(session)[1].value) == (preset.options[1], with_preset)
    press(session, "undo")
    press(session, "undo")
    assert session.model("project.undo").disabled


def test_a_project_opened_over_an_open_question_sets_what_was_saved(new_session, tmp_path):
    session, other = new_session(), new_session()
    opened(session, "buffer_size")
    preset = session.model("buffer_size.preset")
    preset.value = preset.options[1]
    chosen = set_frames(session, 1)
    session.model("project.save_path").value = str(tmp_path / "mine")
    press(session, "new")
    opened(other, "buffer_size")
    other.model("project.file").value = str(tmp_path / "mine.pagecost")
    other.until(lambda: not other.queue)
    assert other.model("buffer_size.preset").value == preset.options[1]
    assert frames_of(other)[1].value == chosen
    assert "all saved" in said(other, "state")
    opened(other, "block_size")
    opened(other, "buffer_size")
    assert frames_of(other)[1].value == chosen


def test_no_answer_is_handed_over_that_is_not_to_what_is_set(new_session):
    session = new_session()
    opened(session, "buffer_size")
    session.until(lambda: session.model("buffer_size.answer").text and not session.queue)
    preset = session.model("buffer_size.preset")
    preset.value = preset.options[1]
    press(session, "keep")
    assert "still to come" in said(session)


def test_the_answer_of_the_planner_has_a_report_of_its_own(new_session):
    session = new_session()
    button = session.model("project.plan_report")
    opened(session, "block_size")
    assert not button.visible
    opened(session, "storage_plan")
    session.model("storage_plan.runs").value = "by formula"
    session.until(lambda: button.visible and "not simulated" in session.model("storage_plan.answer").text)
    handed = []
    session.model("project.download").on_change("data", lambda attr, old, new: handed.append(new))
    button._trigger_event(ButtonClick(button))
    session.until(lambda: any(each["text"][0] for each in handed))
    found = next(each for each in handed if each["text"][0])
    assert found["name"] == ["plan.html"]
    page = found["text"][0]
    assert "Every number of the plan" in page
    assert "computes it again" in page
