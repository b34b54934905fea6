"""Finds out which kernels every question needs: `python -m pagecost_app.kernels_found` writes `kernels_needed.json`.

Each question's defaults are answered in a process of its own, and what that asks the kernel cache for is written down.
"""

import json
import multiprocessing
import os
from collections import Counter

from pagecost import _jit
from pagecost._processes import process_pool
from pagecost_app import pages
from pagecost_app.compiler import KINDS
from pagecost_app.compiling import Question
from pagecost_app.kernels_needed import FILE, key
from pagecost_app.pages.topic_page import question_of


def questions() -> list[Question]:
    """The questions that pages ask when they are opened."""
    return [question_of(name) for names in pages.PAGES.values() for name in names]


def reached(question: Question) -> dict[str, int]:
    """Which kernels the answer asks for, and with how many signatures; for a process that has answered nothing yet."""
    KINDS[question.kind](question.name, json.loads(question.values))
    return dict(sorted(Counter(_jit.asked_for()).items()))


def found(asked: list[Question]) -> dict[str, dict[str, int]]:
    """What the file should say of these questions."""
    fresh = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
    if os.name == "posix":
        fresh.set_forkserver_preload([pages.__name__])  # each starts with all imported and nothing loaded
    with process_pool(2, fresh, max_tasks_per_child=1) as processes:
        kernels = processes.map(reached, asked)
        return {key(question.kind, question.name): each for question, each in zip(asked, kernels, strict=True)}


if __name__ == "__main__":
    FILE.write_text(json.dumps(found(questions()), indent=1) + "\n", encoding="utf-8")
