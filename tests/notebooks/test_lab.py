"""`pagecost lab`: which JupyterLab it starts, and what it says when it cannot."""

import json
import socket

import pytest

from pagecost.errors import ModelError
from pagecost_app import lab


@pytest.fixture
def launched(monkeypatch):
    """The arguments that JupyterLab would have been started with."""
    from jupyterlab.labapp import LabApp

    calls = []
    monkeypatch.setattr(LabApp, "launch_instance", classmethod(lambda cls, argv: calls.append(argv)))
    return calls


def test_lab_opens_the_first_lesson_of_the_checkout_on_loopback(launched):
    assert lab.run(None) == 0
    (arguments,) = launched
    assert f"--ServerApp.root_dir={lab.CHECKOUT}" in arguments
    assert "--ServerApp.ip=127.0.0.1" in arguments
    assert f"--LabApp.default_url=/lab/tree/{lab.FIRST_LESSON}" in arguments
    assert (lab.CHECKOUT / lab.FIRST_LESSON).is_file()


def test_nothing_is_asked_of_the_network():
    assert "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate" in lab.arguments(lab.CHECKOUT)
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


def test_without_lessons_there_is_a_sentence(launched, monkeypatch, tmp_path):
    monkeypatch.setattr(lab, "CHECKOUT", tmp_path / "notebooks")
    with pytest.raises(ModelError, match=r"there are no lessons in .*; run `pagecost lab` from a checkout"):
        lab.run(None)
    assert launched == []
