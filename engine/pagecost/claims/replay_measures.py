"""How claims on replacement policies are measured by time on a simulated SSD, and in which region they hold."""

from pagecost import catalogue
from pagecost.answers.timed_replays import TimedReplay, chip_for, drive_for, timed
from pagecost.claims.answers import asks_as
from pagecost.workload import sources


def replay_time_ratio(
    policy: str, over: str, trace: str, frames: int, device: str = "mtron-pro-7500", layer: str | None = None
) -> float:
    """Time of a policy's misses and write-backs on a simulated SSD, or on one chip, over that of another policy."""
    one, other = (_timed(each, trace, frames, device, layer) for each in (policy, over))
    return one.total_s / other.total_s


@asks_as(replay_time_ratio)
def replay_faster(than: float = 1.0, **compared) -> str:
    """Whether `replay_time_ratio` is below so much: "faster" or "not faster"."""
    return "faster" if replay_time_ratio(**compared) < than else "not faster"


def faster_where(policy: str, over: str, trace: str, frames: list[int], layers: list[str], device: str) -> str:
    """The region in which a policy takes less time than another: "bast 256 1024; fast 1024; page none"."""
    parts = []
    for layer in layers:
        held = [size for size in frames if replay_time_ratio(policy, over, trace, size, device, layer) < 1]
        parts.append(f"{layer} {' '.join(map(str, held)) or 'none'}")
    return "; ".join(parts)


def _timed(policy: str, trace: str, frames: int, device: str, layer: str | None) -> TimedReplay:
    source = sources.named(trace)
    if "flash_chip" in catalogue.device(device).parameters:
        drive = drive_for(source, device, layer)
    else:
        drive = chip_for(source, device, layer or "bast")
    return timed(source, policy, frames, drive)
