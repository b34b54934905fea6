"""What a policy of the write buffer is: the contract of a file in `buffers`."""

from collections.abc import Callable
from typing import NamedTuple

from pagecost.registry import Parameter


class WritePolicy(NamedTuple):
    """`start(logical_pages, pages_per_block)` returns a policy's state, `absorb` is its cached entry point."""

    name: str
    title: str
    start: Callable[..., tuple]
    absorb: Callable
    source: str
    parameters: tuple[Parameter, ...] = ()
