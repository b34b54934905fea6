"""How many kernels a question still needs: which ones its answer reaches is in `kernels_needed.json`.

Nobody keeps that file by hand: `python -m pagecost_app.kernels_needed` answers every question's defaults, each in a
process of its own, and writes down which kernels were asked for. How many of them are compiled is looked up in the
kernel cache when it matters. Other inputs may need others, so that the number is said with "about".
"""

import json
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from pagecost import _jit
from pagecost._stamps import NotUnderstood

FILE = Path(__file__).with_suffix(".json")


def missing(kind: str, name: str) -> int:
    """How many kernels of a question are about to be compiled; 0 where that is not known."""
    import pagecost.studies  # noqa: F401  every kernel that can be asked for is imported with them
    from pagecost_app import walks  # noqa: F401

    known = _jit.kernels()
    return sum(
        max(0, signatures - _compiled(known[kernel]))
        for kernel, signatures in listed().get(key(kind, name), {}).items()
        if kernel in known
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
        return sum(1 for _ in _jit.kernel_cache().glob(f"{kernel.stem()}-*{_jit.ENDING}"))
    except NotUnderstood:  # it is never kept
        return 0


# how the file is made ------------------------------------------------------------------------------------------------


def questions() -> list:
    """The questions that pages ask when they are opened."""
    from pagecost_app import pages
    from pagecost_app.pages.topic_page import question_of

    return [question_of(name) for names in pages.PAGES.values() for name in names]


def reached(number: int) -> dict[str, int]:
    """Which kernels the answer to a question asks for, and with how many signatures; for a process of its own."""
    from pagecost_app.compiler import KINDS

    question = questions()[number]
    KINDS[question.kind](question.name, json.loads(question.values))
    return dict(sorted(Counter(_jit.asked_for()).items()))


def found(numbers: Iterable[int]) -> dict[str, dict[str, int]]:
    """What the file should say of these questions."""
    asked = questions()
    numbers = list(numbers)
    fresh = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
    if os.name == "posix":
        fresh.set_forkserver_preload(["pagecost_app.pages"])  # each starts with all imported and nothing loaded
    with ProcessPoolExecutor(2, mp_context=fresh, max_tasks_per_child=1) as processes:
        kernels = processes.map(reached, numbers)
        return {
            key(asked[number].kind, asked[number].name): each for number, each in zip(numbers, kernels, strict=True)
        }


if __name__ == "__main__":
    FILE.write_text(json.dumps(found(range(len(questions()))), indent=1) + "\n", encoding="utf-8")
