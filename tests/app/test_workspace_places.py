"""Where a project is saved: a file of its own, by whichever name, and none of somebody else."""

import contextlib

import pytest

from pagecost.errors import ModelError
from pagecost_app.workspace import folders, project_file
from pagecost_app.workspace.workspace import Occupied, Workspace


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Two workspaces."""
    monkeypatch.setenv(folders.PLACE, str(tmp_path / "state"))
    with contextlib.ExitStack() as closing:
        made = Workspace(print), Workspace(print)
        for each in made:
            closing.callback(each.close)
        yield made


def test_its_own_file_by_another_name_is_written_without_a_question_and_stays_locked(two, tmp_path):
    first, second = two
    path, other_name = tmp_path / "p.pagecost", tmp_path / "link.pagecost"
    first.save(path)
    other_name.symlink_to(path)
    first.save(other_name)
    assert project_file.read(path).name == "link"
    with pytest.raises(ModelError, match="another window or program has it open"):
        second.save(path, replaced=path)


def test_another_file_is_kept_until_it_is_given_up_and_may_then_be_opened_by_others(two, tmp_path):
    first, second = two
    path = tmp_path / "letter.txt"
    path.write_text("a letter")
    with pytest.raises(Occupied) as refused:
        first.save(path)
    assert refused.value.path == path
    assert path.read_text() == "a letter"
    second.save(path, replaced=path)  # the one that was refused holds no lock on it
    assert project_file.read(path).name == "letter"
