"""What a cell of a lesson says while it takes long, in a real kernel's words."""

import os

import pytest
from jupyter_client.manager import start_new_kernel

LONG = """
import time
from pagecost import _jit
from pagecost_app.notebook import waiting
"""


@pytest.fixture(scope="module")
def run():
    """run(code) -> the messages of one cell: (kind, content)."""
    own = {name: value for name, value in os.environ.items() if name != "PAGECOST_QUIET"}
    manager, client = start_new_kernel(kernel_name="python3", env=own)

    def run_one(code):
        told = []
        client.execute_interactive(
            code, timeout=120, output_hook=lambda said: told.append((said["msg_type"], said["content"]))
        )
        return [(kind, content) for kind, content in told if kind not in ("status", "execute_input")]

    assert run_one(LONG) == []  # what is quick says nothing
    yield run_one
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def words(content):
    return content["data"].get("text/html", "")


def test_a_cell_that_computes_for_long_says_so_itself_and_leaves_nothing(run):
    said = run("time.sleep(2.2)")
    kinds = [kind for kind, _ in said]
    assert kinds[0] == "display_data"
    assert set(kinds[1:]) == {"update_display_data"}
    assert "computing … 1 s so far" in words(said[0][1])
    assert 'role="status"' in words(said[0][1])
    assert words(said[-1][1]) == ""


def test_a_cell_that_compiles_names_the_kernel_and_what_it_took(run):
    said = run(
        "_jit._announcer.current = 'pagecost.buffer.policies.lru_kernels.replay', time.monotonic()\n"
        "_jit._announcer.compilations += 1\ntime.sleep(1.5)\n_jit._announcer.current = None"
    )
    assert "compiling for this machine, once: kernel 1 (lru: replay), 1 s so far" in words(said[0][1])
    assert "1 kernels were compiled for this machine, once; all of it took" in words(said[-1][1])
    assert {kind for kind, _ in said} == {"display_data", "update_display_data"}  # nothing in the colour of errors


def test_a_quick_cell_says_nothing(run):
    assert run("1 + 1;") == []
