"""Requests that reach a block device, as the kernel's tracepoint tells them: parsed, kept, and recorded for real."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import programs
from pagecost.errors import ModelError
from pagecost.programs import block_requests
from pagecost.programs.ledger import BLOCK_BYTES

SEEN = """\
              dd-24094   [001] ..... 39761.992322: block_rq_complete: 254,0 WS () 361017344 + 4096 be,0,4 [0]
          <idle>-0       [000] d.h.. 39761.996747: block_rq_complete: 254,0 WFSM () 12545549 + 2 be,0,4 [0]
    kworker/0:1H-54      [000] ..... 39761.996832: block_rq_complete: 254,0 FF () 0 + 0 none,0,0 [0]
    kworker/0:1H-54      [000] ..... 39761.996833: block_rq_complete: 254,0 RM () 333710056 + 8 be,0,4 [0]
    kworker/0:1H-54      [000] ..... 39761.996834: block_rq_complete: 254,0 DS () 4096 + 16 be,0,4 [0]
    kworker/1:1H-44      [001] ..... 39763.439119: block_rq_complete: 254,0 W () 8 + 8 be,0,4 [-5]
CPU:1 [LOST 12 EVENTS]
"""


def test_the_kernels_lines_become_writes_flushes_and_discards():
    found = block_requests.parsed(SEEN.splitlines(), "vda", lost=12)
    assert found.time_s.tolist() == [39761.992322, 39761.996747]
    assert found.size_bytes.tolist() == [4096 * 512, 2 * 512], "what failed is not written"
    assert (found.flushes, found.discarded_bytes, found.lost) == (1, 16 * 512, 12)
    first = 361017344 * 512 // BLOCK_BYTES
    half = 12545549 * 512 // BLOCK_BYTES
    assert found.blocks().tolist() == [*range(first, first + 512), half], "a part of a block wears all of it"


@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(1, 40)), max_size=20))
def test_each_block_that_a_write_touches_is_worn_once(writes):
    lines = [f" x-1 [0] ..... 1.5: block_rq_complete: 8,0 W () {at} + {size} be,0,4 [0]" for at, size in writes]
    slow = [block for at, size in writes for block in range(at // 8, (at + size - 1) // 8 + 1)]
    assert block_requests.parsed(lines, "sda").blocks().tolist() == slow


def test_recorded_requests_are_kept_with_the_calls_and_read_again():
    seen = block_requests.parsed(SEEN.splitlines(), "vda")
    again = block_requests.of_plain(json.loads(json.dumps(seen.plain())))
    assert again.plain() == seen.plain()
    for damage in ({"size_bytes": [1]}, {"offset_bytes": [-1, 0]}, {"flushes": None}, {"time_s": "soon"}):
        with pytest.raises(ModelError, match="recorded requests of a block device are damaged"):
            block_requests.of_plain({**seen.plain(), **damage})
    for other in ({}, [], 5, "text", None):
        with pytest.raises(ModelError, match="damaged: each write has a time"):
            block_requests.of_plain(other)


def test_what_reaches_the_disk_today_is_at_least_what_was_synced(tmp_path):
    """Where root may watch this folder's disk it has at least the bytes of the file; else a sentence says why not."""
    kept = tmp_path / "run.strace"
    script = "dd if=/dev/urandom of=out bs=64k count=16 conv=fsync 2>/dev/null"
    command = ["sh", "-c", f"cd {tmp_path} && {script}"]
    try:
        with block_requests.watched(tmp_path):
            pass
    except ModelError:
        with pytest.raises(ModelError, match=r"root only|no requests|cannot be watched|block device|disks at once"):
            programs.record(command, kept, tmp_path)
        assert not kept.exists()
        return
    programs.record(command, kept, tmp_path)
    wear = programs.wear(programs.read(kept))
    assert wear.recording.block.written_bytes >= 2**20
    assert wear.reached_bytes == wear.recording.block.written_bytes
    assert np.unique(wear.reached_blocks).size >= 2**20 // BLOCK_BYTES
    assert not list(block_requests.TRACING.glob("instances/pagecost-*")), "the kernel is left as it was"


def test_a_folder_on_no_disk_is_one_sentence():
    with pytest.raises(ModelError, match="/proc lies on no block device"):
        block_requests.disk_of(Path("/proc"))
