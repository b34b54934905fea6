"""Inputs that several questions about flash share, word for word: the load and the device."""

import functools
from typing import Annotated

from pydantic import AfterValidator, Field

from pagecost.devices import ftl
from pagecost.errors import known, require
from pagecost.studies.fields import Choice, From, Steps


def shares(*percent: float) -> tuple[float, ...]:
    """Stops of a slider over shares."""
    return tuple(number / 100 for number in percent)


def percent(share: float) -> str:
    """A share as a slider names it."""
    return f"{share:.0%}"


WORKLOAD = Annotated[
    str,
    Choice(lambda: ftl.KINDS),
    AfterValidator(functools.partial(known, "workload", names=ftl.KINDS)),
    Field(title="Workload", description="Which pages the host overwrites, one at a time."),
]
HOT_SHARE = Annotated[
    float,
    Steps(shares(5, 10, 20, 30, 40, 50), "1", lambda share: f"{share:.0%} of the pages"),
    Field(gt=0, lt=1, title="Hot pages", description="Share of the pages that is hot (hot and cold only)."),
]
HOT_WRITES = Annotated[
    float,
    Steps(shares(50, 60, 70, 80, 90, 95), "1", lambda share: f"{share:.0%} of the writes"),
    Field(gt=0, lt=1, title="Hot writes", description="Share of the writes that the hot pages get."),
]
PAGES_PER_BLOCK = Annotated[
    int,
    Steps((16, 32, 64, 128, 256), "pages", lambda count: f"{count} pages"),
    From("wang2011 Table 1"),
    Field(ge=4, le=1024, title="Pages per block", description="Pages that are erased together."),
]


def blocks(*stops: int, ge: int = 64, le: int = 8192):
    """The kind of input that says how many erase blocks a device has."""
    return Annotated[
        int,
        Steps(stops, "blocks", lambda count: f"{count} blocks"),
        Field(ge=ge, le=le, title="Erase blocks", description="More blocks are nearer to theory, and slower."),
    ]


def spare(*stops: float, ge: float = 0.05):
    """The kind of input that says how much of the flash the host never sees."""
    return Annotated[
        float,
        Steps(stops, "1", percent),
        Field(
            ge=ge,
            le=0.9,
            title="Spare space",
            description="Share of the flash that the host never sees: 1 - logical / physical pages.",
        ),
    ]


def enough_spare_blocks(blocks: int, spare: float, who: str) -> None:
    """Refuse a device that leaves the collector nothing to work with."""
    require(blocks * spare >= 6, f"{blocks} blocks leave {who} {blocks * spare:.1f} spare ones; it needs 6")
