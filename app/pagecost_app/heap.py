"""The C library's heap: kept in one piece, and given back to the system when pages close.

The GNU C library gives each thread an arena of its own and keeps what is freed in it. The app has a thread for each
open question: its memory would be held in pieces by threads that are long done with it. Elsewhere nothing is done.
"""

import contextlib
import ctypes
import sys

ARENAS = -8  # the parameter of mallopt that bounds how many arenas there are (malloc.h of the GNU C library)


def keep_together() -> None:
    """One arena for all threads of this process, from now on."""
    _ask("mallopt", ARENAS, 1)


def give_back() -> None:
    """Return what is free to the system."""
    _ask("malloc_trim", 0)


def _ask(function: str, *arguments: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library
            getattr(ctypes.CDLL(None), function)(*arguments)
