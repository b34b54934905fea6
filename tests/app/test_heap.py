"""What the process gives back to the system, and that nothing is lost by it."""

import gc
import sys

import pytest
from llvmlite import binding

from pagecost_app import heap

TWICE = "define i64 @twice(i64 %x) {\n  %y = add i64 %x, %x\n  ret i64 %y\n}"


def code_in_memory_bytes(library: str) -> int:
    """Of the code of a library, what is in this process's memory."""
    held, here = 0, False
    with open("/proc/self/smaps", encoding="utf8") as maps:
        for line in maps:
            first, *rest = line.split()
            if "-" in first and not first.endswith(":"):
                here = rest[0] == "r-xp" and library in line
            elif here and first == "Rss:":
                held += int(rest[0]) * 1024
    return held


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is done")
def test_the_compilers_code_is_given_back_and_there_again_when_it_is_called():
    said = str(binding.parse_assembly(TWICE))
    held = code_in_memory_bytes("libllvmlite")
    assert held > 0
    heap.give_back()
    assert code_in_memory_bytes("libllvmlite") == 0
    assert str(binding.parse_assembly(TWICE)) == said
    assert 0 < code_in_memory_bytes("libllvmlite") <= held


def test_no_garbage_is_looked_for_while_something_is_imported():
    frozen = gc.get_freeze_count()
    with heap.importing():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen
