"""What a replacement policy is: the contract between a file in `policies` and everything that replays one."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from pagecost.buffer.replay_kernels import Frames
from pagecost.registry import Parameter


class Case(NamedTuple):
    """What a policy may look at when it starts. Only Belady's MIN reads `pages`, which lie in its future."""

    frames: Frames
    pages: np.ndarray  # uint32[references], dense page numbers
    ids: np.ndarray  # int64[distinct pages], the page ids as given
    options: Mapping[str, float]  # the policy's parameters by name


class Picture(NamedTuple):
    """The state of a policy for the eye: pages as dense numbers, the newest first."""

    lists: dict[str, list]  # title -> [(page, mark)], every resident page once
    ghosts: dict[str, list]  # title -> [page], remembered but not in the buffer
    values: dict[str, float]  # targets and clocks by name


class Policy(NamedTuple):
    """A replacement policy: `start(case)` returns its state, `replay` is its cached entry point.

    describe(pool, state) draws the state from the arrays that the kernel works on. reasons: why a victim was chosen,
    told apart by state.reason[0] where there are several. parameters: shares are of the buffer's frames.
    """

    name: str
    title: str
    start: Callable[[Case], tuple]
    replay: Callable
    source: str
    describe: Callable[[Frames, tuple], Picture]
    reasons: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()
    offline: bool = False  # looks into the future: a bound, not something a system can run
    bypasses: bool = False  # a page that is missed may get no frame
    foreknows: bool = False  # starts by looking at the pages to come, so it cannot be fed a trace piece by piece
    flash_aware: bool = False  # asks whether a page is dirty, or where on the device it lies
