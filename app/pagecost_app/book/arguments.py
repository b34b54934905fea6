"""What the kernels in the book's pages take: devices and buffers small enough to be seen, in their first state."""

from typing import NamedTuple

import numpy as np

from pagecost.buffer import policies
from pagecost.buffer.policy import Case
from pagecost.buffer.replay_kernels import new_frames
from pagecost.devices import ftl
from pagecost.devices.ftl import page_map_kernels, victims
from pagecost.devices.ftl.blame_kernels import ROWS

PAGES, REFERENCES, FRAMES = 100, 100_000, range(2, 13)
"""Of the buffers in the book: page numbers 0 .. PAGES - 1, references at a time, frames to choose from."""

REQUESTS, RESERVE_BLOCKS = 1 << 16, 2
"""Of the flash devices: requests at a time, free blocks that the collector keeps."""

SPARES = (0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
SEEN = ftl.Geometry(blocks=32, pages_per_block=16, spare=SPARES[0])
MEASURED = ftl.Geometry(blocks=256, pages_per_block=32, spare=SPARES[0])


class Live(NamedTuple):
    """A kernel, and arguments of the types that it is compiled for."""

    kernel: object
    arguments: tuple


def buffer_arguments(policy: str, frames: int) -> tuple:
    """What a replay takes: room for references, the position of the first, an empty buffer and the policy's state."""
    rule, options = policies.find(policy)
    pool = new_frames(PAGES, frames)
    pages = np.zeros(REFERENCES, np.uint32)
    state = rule.start(Case(frames=pool, pages=pages, ids=np.arange(PAGES), options=options))
    return pages, np.zeros(REFERENCES, np.uint8), 0, pool, state


def flash_arguments(policy: str, geometry: ftl.Geometry) -> tuple:
    """What a page map takes: room for requests and for what each causes, an erased device and the policy's state."""
    rule, options = victims.find(policy)
    flash = page_map_kernels.new_flash(
        geometry.blocks, geometry.pages_per_block, geometry.logical_pages, RESERVE_BLOCKS, separate=False, wear_gap=0
    )
    room = np.zeros(REQUESTS, np.uint32), np.zeros((ROWS, REQUESTS), np.uint32)
    return *room, flash, rule.start(flash, 1, options)


BUFFER, FLASH = "buffer", "flash"
LIVE: dict[str, Live] = {
    f"{BUFFER}-{name}": Live(policy.replay, buffer_arguments(name, FRAMES[0]))
    for name, policy in policies.POLICIES.items()
    if not (policy.offline or policy.foreknows)  # a page feeds them a reference at a time
} | {f"{FLASH}-{name}": Live(policy.serve, flash_arguments(name, SEEN)) for name, policy in ftl.VICTIMS.items()}
"""Every kernel that runs in a page, by a name; policies have their parameters as they are by default."""
