"""Algorithm 1 of Fernando 2011 line by line: which lines run for a device and an access pattern, and what they do."""

from typing import NamedTuple

from pagecost.devices.best_block import ALGORITHM_1, KIB, algorithm_1
from pagecost.devices.service import PATTERNS
from pagecost.errors import known

SHORT = dict(zip(PATTERNS, ("SR", "RR", "SW", "RW"), strict=True))
"""The thesis' name of each access pattern."""

SHORT_CLASS = {"hard disk": "HDD", "flash drive": "FD", "solid state disk": "SSD"}
"""The thesis' name of each device class."""


class Branch(NamedTuple):
    """An `if` of the listing: its line, what it compares with, and the line that it sets the block size in (or 0)."""

    line: int
    names: tuple[str, ...]
    sets: int = 0


class Step(NamedTuple):
    """One executed line. outcome: true or false for a condition, None for the line that sets; block_kib after it."""

    line: int
    text: str
    outcome: bool | None
    block_kib: int | None


# The listing as printed (§4.1): which lines test what. Lines 10, 18 and 21 only close an `if`.
_DEVICES = {
    Branch(1, ("hard disk",)): (
        Branch(2, ("sequential read",), 3),
        Branch(4, ("random read",), 5),
        Branch(6, ("sequential write",), 7),
        Branch(8, ("random write",), 9),
    ),
    Branch(11, ("flash drive",)): (
        Branch(12, ("sequential read", "random read"), 13),
        Branch(14, ("sequential write",), 15),
        Branch(16, ("random write",), 17),
    ),
    Branch(19, ("solid state disk",), 20): (),
}


def listing() -> list[str]:
    """The lines 1..21 as text, each a statement."""
    lines = {}
    for device, patterns in _DEVICES.items():
        (name,) = device.names
        lines[device.line] = f"{'else ' if device.line > 1 else ''}if {_condition(device)}"
        if device.sets:
            lines[device.sets] = "    " + _setting(algorithm_1(name, PATTERNS[0]))
        for branch in patterns:
            lines[branch.line] = f"    {'else ' if branch is not patterns[0] else ''}if {_condition(branch)}"
            lines[branch.sets] = "        " + _setting(algorithm_1(name, branch.names[0]))
        if patterns:
            lines[patterns[-1].sets + 1] = "    end if"
    lines[max(lines) + 1] = "end if"
    return [lines[number] for number in sorted(lines)]


def steps(device_class: str, pattern: str) -> list[Step]:
    """The lines that run, in order (the thesis' scenarios 1 to 8). The last one sets the block size.

    device_class: one of ALGORITHM_1, pattern: one of PATTERNS. Raises ModelError for another name.
    """
    known("device class of Algorithm 1", device_class, ALGORITHM_1)
    known("access pattern", pattern, PATTERNS)
    done: list = []
    for device, patterns in _DEVICES.items():
        if _asks(done, device, device_class):
            last = device
            for branch in patterns:
                last = branch
                if _asks(done, branch, pattern):
                    break
            size = algorithm_1(device_class, pattern)
            done.append(Step(last.sets, _setting(size), None, size // KIB))
            break
    return done


def _asks(done: list[Step], branch: Branch, name: str) -> bool:
    outcome = name in branch.names
    done.append(Step(branch.line, _condition(branch), outcome, None))
    return outcome


def _condition(branch: Branch) -> str:
    if branch.names[0] in SHORT_CLASS:
        return f"storageDevice == {SHORT_CLASS[branch.names[0]]}"
    return " OR ".join(f"AP == {SHORT[name]}" for name in branch.names)


def _setting(block_bytes: int) -> str:
    return f"SETBlockSize = {block_bytes // KIB}"
