"""Inputs that several questions about flash share, word for word: the load and the device."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from pagecost import catalogue
from pagecost.errors import require
from pagecost.studies.fields import About, Choice, Steps, how_many
from pagecost.studies.shared_fields import HOT_SHARE as HOT_SHARE  # other topics ask for these, too
from pagecost.studies.shared_fields import HOT_WRITES as HOT_WRITES
from pagecost.studies.shared_fields import PAGES_PER_BLOCK as PAGES_PER_BLOCK
from pagecost.studies.shared_fields import WORKLOAD as WORKLOAD
from pagecost.studies.shared_fields import per_second
from pagecost.studies.shared_fields import shares as shares
from pagecost.studies.shared_fields import spare as spare
from pagecost.studies.study import Result
from pagecost.units import format_bytes

DEPTHS = tuple(1 << k for k in range(9))  # 1 .. 256
DEPTH = Annotated[
    int,
    Steps(DEPTHS, "requests", str),
    Field(ge=1, le=256, title="Queue depth", description="Requests that are outstanding at all times."),
]
REQUEST_BYTES = Annotated[
    int,
    Steps(tuple(4096 << k for k in range(7)), "B", format_bytes),
    Field(ge=4096, le=1 << 20, title="Request size", description="Bytes of one request, a whole number of pages."),
]
INTERVAL = Annotated[
    float,
    Steps((0.005, 0.01, 0.02, 0.05, 0.1), "1", lambda share: f"± {100 * share:g} %"),
    Field(
        ge=0.002,
        le=0.2,
        title="Wanted interval",
        description="Of a rate, at 95 % confidence. Each run is as long as that takes, or says that it was not enough.",
    ),
]
AS_CATALOGUED = "as the drive"
WRITE_CACHES = {AS_CATALOGUED: "as the drive has it", "none": "none"} | {
    str(size << 20): f"{size} MiB" for size in (1, 16, 64)
}
WRITE_CACHE = Annotated[
    str,
    Choice(lambda: WRITE_CACHES),
    Field(title="Write cache", description="A write that it has room for is answered before it is programmed."),
]


def cache_changes(write_cache: str) -> dict[str, int]:
    """What an SSD's write cache is to be instead of the catalogue's, for `ssd_of`."""
    if write_cache == AS_CATALOGUED:
        return {}
    return {"write_cache_bytes": 0 if write_cache == "none" else int(write_cache)}


def rate_text(result: Result, row: int) -> str:
    """The rate of a row of an answer with its interval, where there is one: 5 108 ± 1.3 %."""
    rate, half_width = float(result["iops"][row]), float(result["half_width"][row])
    known = f" ± {100 * half_width / rate:.1f} %" if half_width > 5e-4 * rate else ""
    return f"{per_second(rate)}{known}"


def names_of(devices: Iterable[str]) -> dict[str, str]:
    """Id -> what people call the device."""
    return {id: catalogue.device(id).name for id in devices}


def blocks(*stops: int, ge: int = 64, le: int = 8192) -> About:
    """The kind of input that says how many erase blocks a device has."""
    return (
        Steps(stops, "blocks", how_many("blocks")),
        Field(ge=ge, le=le, title="Erase blocks", description="More blocks are nearer to theory, and slower."),
    )


def enough_spare_blocks(blocks: int, spare: float, who: str) -> None:
    """Refuse a device that leaves the collector nothing to work with."""
    require(blocks * spare >= 6, f"{blocks} blocks leave {who} {blocks * spare:.1f} spare ones; it needs 6")
