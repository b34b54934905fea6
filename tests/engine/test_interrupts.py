"""Control-C that arrives in native code is raised in one of its callbacks: it must not be lost, nor anything else."""

import ctypes
import sys
import threading

import pytest

from pagecost._interrupts import Heard

CALLBACK = ctypes.CFUNCTYPE(None)


def losing(error: BaseException) -> None:
    """Raise in a callback of C code, where Python can only report it."""

    def raised():
        raise error

    CALLBACK(raised)()


def test_an_interrupt_that_a_callback_loses_is_raised_at_the_end(capfd):
    heard = Heard()
    heard.listen()
    losing(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        heard.stop()
    assert "Traceback" not in capfd.readouterr().err


def test_another_error_of_a_callback_is_reported_as_before(monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: reported.append(what.exc_type))
    before = sys.unraisablehook
    with Heard():
        losing(ValueError("x"))
    assert reported == [ValueError]
    assert sys.unraisablehook is before


def test_only_the_main_thread_is_interrupted():
    hooks = []

    def listen():
        with Heard():
            hooks.append(sys.unraisablehook)

    before = sys.unraisablehook
    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert hooks == [before]
