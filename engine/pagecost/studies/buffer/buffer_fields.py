"""Inputs that several questions about the buffer share, word for word: the trace, its size and the policies."""

from typing import Annotated

from pydantic import AfterValidator, Field

from pagecost import devices
from pagecost.buffer import POLICIES
from pagecost.buffer.policies import find
from pagecost.studies.buffer import page_sources
from pagecost.studies.fields import Choice, Choices, OfSystem, Steps

FRAMES = tuple(round(2 ** (k / 4)) for k in range(16, 73))  # 16 .. 262 144 frames


def _readable_trace(name: str) -> str:
    page_sources.check(name)
    return name


def _known_device(name: str) -> str:
    devices.load(name)
    return name


TRACE = Annotated[
    str,
    Choice(page_sources.titles, free=True),
    AfterValidator(_readable_trace),
    OfSystem("load.source"),
    Field(title="Trace", description="A recording or load that comes with pagecost, or the path of a trace file."),
]
SIZE = Annotated[
    int,
    Steps(FRAMES, "frames", lambda frames: f"{frames:,} frames".replace(",", " ")),
    OfSystem("memory.buffer_frames"),
    Field(ge=1, le=2**31, title="Buffer size", description="Pages that the buffer pool holds."),
]


def device(description: str = "Where misses are read from and dirty pages are written to."):
    """The kind of input that names a device with a model."""
    return Annotated[
        str,
        Choice(devices.modelled),
        AfterValidator(_known_device),
        OfSystem("devices.database.device"),
        Field(title="Device", description=description),
    ]


def policies(description: str, least: int = 1, **options):
    """The kind of input that names replacement policies."""
    return Annotated[
        tuple[str, ...],
        Choices(lambda: {name: policy.title for name, policy in POLICIES.items()}, such=find, **options),
        OfSystem("memory.policy"),
        Field(min_length=least, title="Replacement policies", description=description),
    ]
