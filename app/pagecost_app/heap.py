"""Memory: no garbage is looked for in what is imported; the C library's heap is kept in one piece, and given back, and
so are pages of large libraries that were needed for a moment.

The GNU C library gives each thread an arena of its own and keeps what is freed in it. The app has a thread for each
open question: its memory would be held in pieces by threads that are long done with it. Elsewhere nothing is done.
"""

import contextlib
import ctypes
import gc
import sys
from collections.abc import Iterator

ARENAS, APART = -8, -3  # parameters of mallopt: how many arenas, and from how many bytes a piece is apart (malloc.h)
LARGE_BYTES, DONT_NEED = 1 << 24, 4  # a library of that size; an advice of madvise (mman.h)
APART_BYTES = 1 << 22  # else the C library raises it to 32 MB with what is freed, and keeps the arrays of a long run


@contextlib.contextmanager
def importing(*, for_good: bool = False) -> Iterator[None]:
    """Nothing that is imported becomes garbage, so none is looked for meanwhile: a seventh of the time.

    for_good: nor is any looked for in it later, which would take tenths of a second each time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if for_good:
            gc.freeze()
        if collects:
            gc.enable()


def keep_together() -> None:
    """One arena for all threads of this process from now on, large arrays apart: what is freed of them goes back."""
    _ask("mallopt", ARENAS, 1)
    _ask("mallopt", APART, APART_BYTES)


def give_back() -> None:
    """Return what is free to the system, and the code of large libraries, which it reads again where it is called.

    The compiler's is called when a kernel is loaded, the table reader's when a trace is: 60 to 130 MB of a program that
    then does neither.
    """
    _ask("malloc_trim", 0)
    for start, size in _code_of_large_libraries():
        _ask("madvise", ctypes.c_void_p(start), ctypes.c_size_t(size), DONT_NEED)


def _code_of_large_libraries() -> Iterator[tuple[int, int]]:
    """Addresses and bytes. Code is never written, so nothing of it can be lost."""
    with contextlib.suppress(OSError), open("/proc/self/maps", encoding="utf8", errors="replace") as maps:
        for line in maps:
            span, rights, *_, name = line.split(maxsplit=5)
            if rights == "r-xp" and name.startswith("/"):
                start, end = (int(address, 16) for address in span.split("-"))
                if end - start >= LARGE_BYTES:
                    yield start, end - start


def _ask(function: str, *arguments) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library
            getattr(ctypes.CDLL(None), function)(*arguments)
