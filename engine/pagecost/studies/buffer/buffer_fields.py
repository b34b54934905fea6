"""Inputs that several questions about the buffer share, word for word, and what every answer to them says."""

from collections.abc import Iterable
from typing import Annotated, Protocol

from pydantic import Field

from pagecost import devices
from pagecost.answers import replays
from pagecost.answers.page_costs import PageCosts
from pagecost.answers.replays import Loaded
from pagecost.buffer import POLICIES
from pagecost.buffer.policies import find, title_of
from pagecost.studies.fields import About, Choice, Choices, Group, OfSystem, Steps, how_many
from pagecost.studies.study import Column, Fact, Progress, part_of
from pagecost.units import format_bytes
from pagecost.workload import sources

FRAMES = tuple(round(2 ** (k / 4)) for k in range(16, 73))  # 16 .. 262 144 frames
READING = 0.3  # of a study's work, where the trace is a file
AS_THE_TRACE_SAYS = 0

TRACE = Annotated[
    str,
    Choice(sources.titles, free=True, such=sources.check),
    OfSystem("load.source"),
    Field(title="Trace", description="A recording or load that comes with pagecost, or the path of a trace file."),
]
PAGE_BYTES = Annotated[
    int,
    Steps(
        (AS_THE_TRACE_SAYS, *(512 << k for k in range(12))),
        "B",
        lambda size: format_bytes(size) if size else "as the trace says, else 4 KiB",
    ),
    Group("A trace file of your own"),
    OfSystem("memory.page_bytes", given="trace", where=sources.is_file),
    Field(
        ge=0,
        le=1 << 30,
        multiple_of=512,
        title="Page size of a file",
        description="Byte addresses are cut into pages of this size; recordings and loads have their own.",
    ),
]
SIZE = Annotated[
    int,
    Steps(FRAMES, "frames", how_many("frames")),
    OfSystem("memory.buffer_frames"),
    Field(ge=1, le=2**31, title="Buffer size", description="Pages that the buffer pool holds."),
]


def device(description: str = "Where misses are read from and dirty pages are written to.") -> About:
    """The kind of input that names a device with a model."""
    return (
        Choice(devices.modelled, such=devices.load),
        OfSystem("devices.database.device"),
        Field(title="Device", description=description),
    )


def policies(description: str, least: int = 1, **options) -> About:
    """The kind of input that names replacement policies."""
    return (
        Choices(
            lambda: {name: policy.title for name, policy in POLICIES.items()},
            such=find,
            noun="replacement policy",
            **options,
        ),
        OfSystem("memory.policy"),
        Field(min_length=least, title="Replacement policies", description=description),
    )


class OfTrace(Protocol):
    """Inputs with a trace."""

    @property
    def trace(self) -> str:
        """Name of a recording or load, or path of a file."""

    @property
    def page_bytes(self) -> int:
        """Into pages of which size a file's addresses are cut [B]; `AS_THE_TRACE_SAYS` for its own."""


def source_of(inputs: OfTrace) -> sources.Source:
    """The trace of the inputs as it is now. Raises ModelError as `sources.named`."""
    return sources.named(inputs.trace, page_bytes=inputs.page_bytes or None)


def opened(inputs: OfTrace, progress: Progress) -> tuple[Loaded, Progress]:
    """The trace, read from its file if need be, and the progress of what is left to do."""
    reading = part_of(progress, 0, READING)
    loaded = replays.opened(source_of(inputs), lambda share: reading(share, None))
    return loaded, part_of(progress, READING, 1)


def among(names: Iterable[str]) -> str:
    """Among which policies MIN misses least: a policy that gives a missed page no frame may miss less often."""
    bypass = any(find(name)[0].bypasses for name in names)
    return "of all policies that load what they miss" if bypass else "of all policies"


def policy_column(names) -> Column:
    """The column of replacement policies, with their titles."""
    return Column(names, "text", "replacement policy", {str(name): title_of(str(name)) for name in names})


def page_facts(page_bytes: int, costs: PageCosts | None = None) -> dict[str, Fact]:
    """What every number of an answer stands on: the size of a page, and its times on the device."""
    facts = {"page_bytes": Fact(page_bytes, "B", "page size")}
    if costs is None:
        return facts
    return facts | {
        "page_read_s": Fact(costs.busy.read_s, "s", "device time of a random page read"),
        "page_write_s": Fact(costs.busy.write_s, "s", "device time of a random page write"),
        "page_read_alone_s": Fact(costs.alone.read_s, "s", "random page read while nothing else is asked"),
        "page_write_alone_s": Fact(costs.alone.write_s, "s", "random page write while nothing else is asked"),
    }
