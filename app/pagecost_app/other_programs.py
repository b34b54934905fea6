"""Other programs of this machine that pagecost starts: a browser that draws, a browser that shows the app."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence

from pagecost.errors import ModelError


@contextlib.contextmanager
def libraries_of_the_system() -> Iterator[None]:
    """A packaged program finds its own libraries first; another program that it starts must not."""
    ours = os.environ.get("LD_LIBRARY_PATH")
    if not getattr(sys, "frozen", False) or ours is None:
        yield
        return
    os.environ["LD_LIBRARY_PATH"] = os.environ.get("LD_LIBRARY_PATH_ORIG", "")
    try:
        yield
    finally:
        os.environ["LD_LIBRARY_PATH"] = ours


def said_by(command: Sequence[str], timeout_s: float) -> tuple[int, str, str]:
    """Run a program to its end: its exit code, what it said, and what it complained of.

    Raises ModelError where it cannot be started or is not done in time; it is ended then, with all that it started.
    """
    with contextlib.ExitStack() as stack:
        try:
            with libraries_of_the_system():
                running = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    errors="replace",
                    start_new_session=True,  # a group of its own, which can be ended as a whole
                )
        except OSError as error:
            raise ModelError(f"{command[0]} cannot be started: {error.strerror}") from None
        stack.callback(_end, running)
        try:
            out, complaints = running.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise ModelError(f"{command[0]} did not answer within {timeout_s:g} s and was ended") from None
        return running.returncode, out, complaints


def _end(running: subprocess.Popen) -> None:
    """End a program and all that it started; whoever of its group outlives it is ended too."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(running.pid, signal.SIGKILL)
    else:
        running.kill()
    for stream in (running.stdout, running.stderr):
        if stream:
            stream.close()
    running.wait()
