"""`pagecost lab`: which JupyterLab it starts, and what it says when it cannot."""

import json
import socket

import pytest
from jupyter_client.manager import start_new_kernel

from pagecost.errors import ModelError
from pagecost_app import lab
from pagecost_app.course import lessons
from pagecost_app.notebook.waiting import QUIET


@pytest.fixture
def launched(monkeypatch):
    """The arguments that JupyterLab would have been started with."""
    from jupyterlab.labapp import LabApp

    calls = []
    monkeypatch.setenv("JUPYTER_PATH", "")  # `run` sets it
    monkeypatch.setattr(LabApp, "launch_instance", classmethod(lambda cls, argv: calls.append(argv)))
    return calls


def test_lab_opens_the_first_lesson_of_the_checkout_on_loopback(launched):
    assert lab.run(None) == 0
    (arguments,) = launched
    assert f"--ServerApp.root_dir={lessons.CHECKOUT}" in arguments
    assert "--ServerApp.ip=127.0.0.1" in arguments
    assert f"--LabApp.default_url=/lab/tree/{lab.FIRST_LESSON}" in arguments
    assert (lessons.CHECKOUT / lab.FIRST_LESSON).is_file()


def test_its_kernels_have_loaded_pagecost_before_the_first_cell(launched, monkeypatch):
    monkeypatch.delenv(QUIET, raising=False)  # as it is where no outputs are compared
    assert lab.run() == 0
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        client.execute_interactive("", timeout=120)  # the kernel has started
        said = []
        client.execute_interactive(
            "import sys; print('pagecost_app.notebook' in sys.modules, hasattr(get_ipython(), 'pagecost_line'))",
            timeout=120,
            output_hook=lambda message: said.append(message["content"].get("text")),
        )
        assert "True True\n" in said, "loaded, and cells that take long say so from the first on"
        assert manager.kernel_spec.display_name == "Python 3 (ipykernel)", "as lessons name it"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_nothing_is_asked_of_the_network():
    assert "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate" in lab.arguments(lessons.CHECKOUT)
    settings = json.loads((lab.HERE / "lab-settings" / "overrides.json").read_text("utf8"))
    notification = settings["@jupyterlab/apputils-extension:notification"]
    assert notification == {"checkForUpdates": False, "fetchNews": "false"}
    assert settings["@jupyterlab/apputils-extension:themes"]["adaptive-theme"]


def test_a_port_in_use_is_refused_in_a_sentence(launched):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ModelError, match=f"port {port} cannot be used: .*; choose another with --port"):
            lab.run(port)
    assert launched == []
    assert lab.run(port) == 0
    assert f"--ServerApp.port={port}" in launched[0]
    assert "--ServerApp.port_retries=0" in launched[0], "JupyterLab would silently take another port"


def test_an_installed_package_copies_its_lessons_to_the_users_home_and_never_over_their_work(
    launched, monkeypatch, tmp_path
):
    carried = tmp_path / "package"
    carried.mkdir()
    for path in list(lessons.CHECKOUT.glob("0[01]_*.ipynb")):
        (carried / path.name).write_bytes(path.read_bytes())
        (carried / path.name).chmod(0o444)  # a shared package, read-only
    monkeypatch.setattr(lessons, "FOLDER", carried)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))  # Windows' home
    own = tmp_path / lab.OWN
    assert lab.run() == 0
    assert f"--ServerApp.root_dir={own}" in launched[0]
    assert {path.name for path in own.iterdir()} == {path.name for path in carried.iterdir()}
    (own / lab.FIRST_LESSON).write_text("what a student did")  # and it can be written
    next(own.glob("01_*.ipynb")).unlink()
    assert lab.run() == 0
    assert (own / lab.FIRST_LESSON).read_text() == "what a student did"
    assert len(list(own.glob("01_*.ipynb"))) == 1


def test_a_folder_that_is_named_gets_the_lessons_of_a_checkout_too(launched, tmp_path):
    assert lab.run(folder=tmp_path / "mine") == 0
    assert f"--ServerApp.root_dir={tmp_path / 'mine'}" in launched[0]
    assert len(list((tmp_path / "mine").glob("*.ipynb"))) == len(lessons.lessons())


def test_a_folder_that_cannot_be_written_is_refused_in_a_sentence(launched, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelError, match=r"the lessons cannot be copied to .*; name another folder"):
        lab.run(folder=tmp_path / "file" / "lessons")
    assert launched == []


def test_without_lessons_there_is_a_sentence(launched, monkeypatch, tmp_path):
    monkeypatch.setattr(lessons, "FOLDER", tmp_path / "notebooks")
    with pytest.raises(ModelError, match="this package of pagecost holds no lessons"):
        lab.run()
    assert launched == []
