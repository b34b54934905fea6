"""The memory of the process that serves, after every question in one session."""

import subprocess
import sys
from pathlib import Path

import pytest

HELD_AT_MOST_BYTES = 520 * 10**6  # server, connection and a browser's visit take 60 MB more: 580 MB in all
SERVE = """
import gc
import psutil
from helpers import page_session
from helpers.page_session import Session, opened
from pagecost import _jit, studies
from pagecost_app import compiling, heap, pages

page_session.PATIENCE_S = 600  # kernels may have to be compiled
heap.keep_together()
compiling.begin()
gc.freeze()
session = Session()
pages.build(session.document)
for study in studies.STUDIES:
    opened(session, study)
print(len(studies.STUDIES), _jit.loaded(), psutil.Process().memory_info().rss, flush=True)
compiling.end()
"""


@pytest.mark.whole
def test_a_session_of_all_questions_holds_no_more_than_its_share_of_the_app(capsys):
    """In a process of its own, as the app has it: with every kernel loaded, and none of what tests have loaded."""
    told = subprocess.run(
        [sys.executable, "-c", SERVE], cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    questions, kernels, held = map(int, told.split())
    with capsys.disabled():
        print(f"\n{questions} questions, {kernels} kernels loaded: {held / 1e6:.0f} MB")
    assert kernels > questions  # they were answered, and not taken from a test that answered them
    assert held <= HELD_AT_MOST_BYTES
