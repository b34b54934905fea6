"""What a disk scheduler is: the contract of a file in `schedulers`."""

from collections.abc import Callable
from typing import NamedTuple

from pagecost.registry import Parameter


class Scheduler(NamedTuple):
    """A scheduler: `serve` is its cached entry point. rank: its place in lists, the simplest first.

    parameters: at most as many as `queue_kernels.Memory.settings` has places, which they fill in their order.
    """

    name: str
    title: str
    serve: Callable
    source: str
    rank: int
    parameters: tuple[Parameter, ...] = ()
