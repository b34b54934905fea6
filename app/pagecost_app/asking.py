"""Where a file shall lie: asked in a dialog of the native window, where there is one. A browser tells no path.

The window and the server of its pages are one process, so a place goes from the one to the other here and over no
network: nothing that a page or another program sends names a path by this way, or opens a dialog with its own words.
"""

from collections.abc import Callable
from pathlib import Path

Found = Callable[[Path | None], None]
"""found(the place that was chosen, or None), called from another thread"""
Ask = Callable[[str, Found], None]
"""ask(name, found): ask for the place of a new file, suggesting a name whose ending it has to have; returns at once"""

_asks: list[Ask] = []  # the newest answers


def offer(ask: Ask) -> Callable[[], None]:
    """Let `ask` be asked from now on, from any thread; the result takes that back."""
    _asks.append(ask)
    return lambda: _asks.remove(ask)


def is_there() -> bool:
    """Whether somebody can be asked."""
    return bool(_asks)


def save_as(name: str, found: Found) -> None:
    """Ask for the place of a new file; only where somebody can be asked."""
    _asks[-1](name, found)
