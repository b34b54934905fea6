"""What a victim policy of garbage collection is: the contract of a file in `victims`."""

from collections.abc import Callable
from typing import NamedTuple

from pagecost.registry import Parameter


class Policy(NamedTuple):
    """A victim policy: `start(flash, seed, options)` returns its state; `serve` is its cached entry point.

    options: the policy's parameters by name. `serve_by_heat` is the entry point for a device that tells hot pages from
    cold ones.
    """

    name: str
    title: str
    start: Callable[..., tuple]
    serve: Callable
    source: str
    serve_by_heat: Callable
    parameters: tuple[Parameter, ...] = ()
