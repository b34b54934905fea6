"""The app as a process of its own, as a person starts it on a machine without a display."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import psutil

START = "import sys; sys.argv = ['pagecost', 'app']; from pagecost_app.cli import main; main()"
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


@contextlib.contextmanager
def served_app(**environment: str) -> Iterator[tuple[str, psutil.Process]]:
    """The address of the app and the process that serves it; at the end it is stopped, and has left nobody behind."""
    env = {name: value for name, value in os.environ.items() if name not in DISPLAYS} | environment
    process = subprocess.Popen(
        [sys.executable, "-c", START], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    address = re.search(r"http://\S+", process.stdout.readline())[0]
    try:
        yield address, psutil.Process(process.pid)
    finally:
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        ended = process.wait(30)
        process.stdout.close()
        alive = psutil.wait_procs(children, timeout=10)[1]
    assert ended == 0
    assert not alive, "a compiler outlived the app"
