"""Every plan that can be made of the candidates, as arrays of places: one entry per plan and part."""

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pagecost.economics import GROUP, LEVELS
from pagecost.errors import ModelError, known, require
from pagecost.system import NOTHING, System

MOST_PLANS = 2_000_000
WITH_DATABASE = -1
"""In the place of a group: it has no devices of its own. As a write buffer: there is none."""


@dataclass(frozen=True, eq=False)
class Groups:
    """So many devices of one kind at a level, one entry per group: place of the device, count, place of the level."""

    device: np.ndarray
    count: np.ndarray
    level: np.ndarray

    def of(self, places) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(device, count, level) of the groups at these places."""
        return self.device[places], self.count[places], self.level[places]

    @cached_property
    def usable(self) -> np.ndarray:
        """Usable share of the bytes of each group, `usable_share`."""
        pairs = np.unique(np.stack([self.count, self.level]), axis=1, return_inverse=True)
        shares = [usable_share(count, LEVEL_NAMES[level]) for count, level in pairs[0].T.tolist()]
        return np.array(shares)[pairs[1].ravel()]


class Memories(NamedTuple):
    """Sizes of the caches, one entry per combination: frames of the buffer, bytes of the page cache."""

    frames: np.ndarray
    cache_bytes: np.ndarray


@dataclass(frozen=True, eq=False)
class Space:
    """database, log, hot: places in `groups`, or `WITH_DATABASE`. write_buffer: a place among the devices, or none.

    memory: place in `memories`. All int64, one entry per plan.
    """

    devices: tuple[str, ...]
    groups: Groups
    memories: Memories
    database: np.ndarray
    log: np.ndarray
    hot: np.ndarray
    write_buffer: np.ndarray
    memory: np.ndarray

    @property
    def size(self) -> int:
        """Number of plans."""
        return self.database.size

    def chosen(self, places) -> "Space":
        """Only these plans."""
        at = np.atleast_1d(places)
        parts = (getattr(self, name)[at] for name in PARTS)
        return Space(self.devices, self.groups, self.memories, *parts)

    def code(self, place: int) -> str:
        """A plan as a text that `of_codes` reads again."""
        words = [f"database={self._group(self.database[place])}"]
        words += [f"{role}={self._group(at)}" for role in ("log", "hot") if (at := getattr(self, role)[place]) >= 0]
        if self.write_buffer[place] >= 0:
            words.append(f"write-buffer={self.devices[self.write_buffer[place]]}")
        at = self.memory[place]
        words.append(f"buffer={self.memories.frames[at]}")
        if self.memories.cache_bytes[at]:
            words.append(f"page-cache={self.memories.cache_bytes[at]:.0f}")
        return "/".join(words)

    def _group(self, at: int) -> str:
        device, count, level = self.groups.of(at)
        return f"{count}*{self.devices[device]}:{LEVEL_NAMES[level]}"


PARTS = ("database", "log", "hot", "write_buffer", "memory")
LEVEL_NAMES = tuple(LEVELS)


def usable_share(count: int, level: str) -> float:
    """Share of the bytes of so many devices that holds data; 0 where the level cannot be made of so many."""
    redundancy = LEVELS[level]
    if count < redundancy.least or count % redundancy.copies:
        return 0.0
    groups = -(-count // GROUP)
    parities = redundancy.parities * groups if redundancy.parities else 0
    if parities and count - (groups - 1) * GROUP < redundancy.least:
        return 0.0
    return (count - parities) / redundancy.copies / count


def space_of(system: System, devices: tuple[str, ...]) -> Space:
    """Every combination of the candidates. Raises ModelError where there are too many, or none that can be made."""
    asked, memory = system.candidates, system.memory
    found: dict[tuple[str, int, str], int] = {}

    def groups(names, counts) -> list[int]:
        made = itertools.product(names, counts, asked.levels)
        return [found.setdefault(each, len(found)) for each in made if usable_share(each[1], each[2])]

    database = groups(asked.devices, asked.counts)
    require(
        bool(database),
        f"candidates: no level of {', '.join(asked.levels)} can be made of {', '.join(map(str, asked.counts))} devices",
    )
    log = groups(asked.log_devices or asked.devices, asked.log_counts)
    hot = groups(asked.hot_devices or asked.devices, asked.hot_counts)
    buffers = asked.buffers or (memory.buffer_frames,)
    caches = asked.page_caches_bytes or (memory.page_cache_bytes,)
    memories = np.array(list(itertools.product(buffers, caches)), float)
    write_buffers = [WITH_DATABASE if name == NOTHING else devices.index(name) for name in asked.write_buffers]
    alone = [WITH_DATABASE]
    of_placement = {
        "together": (alone, alone),
        "log apart": (log, alone),
        "hot apart": (alone, hot),
        "log and hot apart": (log, hot),
    }
    pairs = [of_placement[name] for name in asked.placements]
    require(
        any(logs and hots for logs, hots in pairs),
        "candidates: no level can be made of log_counts or hot_counts, and nothing may lie together",
    )
    size = len(database) * len(write_buffers) * len(memories) * sum(len(logs) * len(hots) for logs, hots in pairs)
    require(
        size <= MOST_PLANS,
        f"candidates: {size} plans are more than {MOST_PLANS}, what one answer looks at; leave out counts, levels, "
        "buffers or devices",
    )
    parts = [
        np.stack([each.ravel() for each in np.meshgrid(database, *pair, write_buffers, range(len(memories)))])
        for pair in pairs
        if all(pair)
    ]
    return Space(
        devices,
        _groups(found, devices),
        Memories(memories[:, 0].astype(np.int64), memories[:, 1]),
        *np.concatenate(parts, axis=1).astype(np.int64),
    )


def _groups(found, devices: tuple[str, ...]) -> Groups:
    return Groups(
        np.array([devices.index(name) for name, _, _ in found], np.int64),
        np.array([count for _, count, _ in found], np.int64),
        np.array([LEVEL_NAMES.index(level) for _, _, level in found], np.int64),
    )


class Parts(NamedTuple):
    """A plan as its code says it: groups as (device, count, level), None where there is none."""

    database: tuple[str, int, str]
    log: tuple[str, int, str] | None
    hot: tuple[str, int, str] | None
    write_buffer: str
    buffer_frames: int
    page_cache_bytes: float


def parts_of(code: str) -> Parts:
    """What a plan's code says. Raises ModelError that names the part which is wrong."""
    words: dict[str, str] = {}
    for word in code.strip().split("/"):
        name, equals, value = word.partition("=")
        known("part of a plan", name, ("database", "log", "hot", "write-buffer", "buffer", "page-cache"))
        require(bool(equals and value), f"plan {code!r}: a part is written {name}=…; got {word!r}")
        require(name not in words, f"plan {code!r}: {name} is said twice")
        words[name] = value
    for name in ("database", "buffer"):
        require(name in words, f"plan {code!r}: it does not say its {name}, as database=2*DEVICE:raid-1/buffer=1024")
    groups = [_group_of(code, words[name]) if name in words else None for name in ("database", "log", "hot")]
    database = groups[0]
    assert database is not None
    frames, cache = (_number(code, words.get(name, "0")) for name in ("buffer", "page-cache"))
    return Parts(database, groups[1], groups[2], words.get("write-buffer", NOTHING), int(frames), cache)


def _group_of(code: str, text: str) -> tuple[str, int, str]:
    count, times, rest = text.partition("*")
    device, colon, level = rest.rpartition(":")
    require(bool(times and colon), f"plan {code!r}: devices are written COUNT*DEVICE:LEVEL; got {text!r}")
    return device, int(_number(code, count)), known("RAID level", level, LEVELS)


def _number(code: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ModelError(f"plan {code!r}: a number is needed; got {text!r}") from None


def candidates_of(code: str, system: System) -> System:
    """The system with this one plan as its only candidate. Raises ModelError as `parts_of`, and for unknown devices."""
    parts = parts_of(code)
    placement = "together"
    if parts.log or parts.hot:
        placement = " and ".join(n for n, g in (("log", parts.log), ("hot", parts.hot)) if g) + " apart"
    of = {
        "devices": (parts.database[0],),
        "counts": (parts.database[1],),
        "levels": tuple(dict.fromkeys(g[2] for g in (parts.database, parts.log, parts.hot) if g)),
        "placements": (placement,),
        "buffers": (parts.buffer_frames,),
        "page_caches_bytes": (parts.page_cache_bytes,),
        "write_buffers": (parts.write_buffer,),
    }
    for role, group in (("log", parts.log), ("hot", parts.hot)):
        if group:
            of |= {f"{role}_devices": (group[0],), f"{role}_counts": (group[1],)}
    kept = system.candidates.model_dump()
    return type(system).model_validate(system.model_dump() | {"candidates": kept | of})


def place_of(space: Space, code: str) -> int:
    """The place of the plan with this code. Raises ModelError where the space has none."""
    wanted = "/".join(code.strip().split("/"))
    for place in range(space.size):
        if space.code(place) == wanted:
            return place
    raise ModelError(f"plan {code!r}: this cannot be made of the candidates")
