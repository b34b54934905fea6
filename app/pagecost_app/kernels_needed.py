"""How many kernels a question still needs: which ones its answer reaches is in `kernels_needed.json`.

Nobody keeps that file by hand: `kernels_found` writes it. How many of those kernels are compiled is looked up in the
kernel cache, and in what a package carries, when it matters. The file speaks of a question's defaults, and other inputs
may need others, so that the number is said with "about".
"""

import json
from functools import cache
from pathlib import Path

from pagecost import _jit
from pagecost._stamps import NotUnderstood

FILE = Path(__file__).with_suffix(".json")


def missing(kind: str, name: str) -> int:
    """How many kernels of a question are about to be compiled; 0 where that is not known."""
    needed = listed().get(key(kind, name))
    if not needed:
        return 0
    import pagecost.studies  # noqa: F401  every kernel that can be asked for is imported with them

    known = _jit.kernels()
    return sum(
        max(0, signatures - _compiled(known[kernel])) for kernel, signatures in needed.items() if kernel in known
    )


def key(kind: str, name: str) -> str:
    """How the file calls a question."""
    return f"{kind} {name}"


@cache
def listed() -> dict[str, dict[str, int]]:
    """What the file says: for each question how many signatures of which kernel its defaults need."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def _compiled(kernel) -> int:
    try:
        pattern = f"{kernel.stem()}-*{_jit.ENDING}"
        return len({file.name for folder in _jit.folders() for file in folder.glob(pattern)})
    except NotUnderstood:  # it is never kept
        return 0
