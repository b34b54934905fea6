"""A walk of a disk arm through a queue of requests, phase by phase, that survives bad input."""

import random
import re
from typing import Any

import numpy as np

from pagecost import catalogue
from pagecost.answers.disk_runs import disks
from pagecost.devices.disk import SCHEDULERS, Disk, schedulers
from pagecost.devices.disk.told import Served, serve_all
from pagecost.errors import known, require
from pagecost_app.walks.asking import Question
from pagecost_app.walks.field_walk import FieldWalk
from pagecost_app.walks.fields import CHOICE, NUMBER, TEXT, Field

MOST_REQUESTS = 24
RANDOM_REQUESTS = 10
NOBODY = "none"
DEFAULT_DISK = "hp-97560"  # few cylinders, and a seek curve that was published
REQUESTS = "980:5 1830:40 370:62 1220:18 140:51 1240:68 650:30 670:9"
BY_SECTOR = {"scan", "look", "c-look"}  # schedulers that find the nearest request by its sector
CHOOSE, SEEK, ROTATE, TRANSFER = range(4)
PHASES = ("choose", "seek", "rotation", "transfer")
"""The steps of a request: it is chosen, the arm moves or a head is switched, its sector comes round, it passes."""

_NAMES = {name: scheduler.title for name, scheduler in SCHEDULERS.items()}
FIELDS = (
    Field("scheduler", "Scheduler", CHOICE, "sstf", _NAMES),
    Field("beside", "Beside it", CHOICE, NOBODY, {NOBODY: "nobody"} | _NAMES),
    Field("requests", "Cylinders (98, 98:12, 98w to write)", TEXT, REQUESTS),
    Field("disk", "Disk", CHOICE, DEFAULT_DISK, disks()),
    Field("start", "Cylinder of the arm", NUMBER, 530, least=0, most=10_000_000),
    Field("sectors", "Sectors of a request", NUMBER, 8, least=1, most=64),
)


def requests_of(text: str, disk: Disk) -> list[tuple[int, int, bool]]:
    """(cylinder, sector on its first track, whether it writes) of requests such as `98 183w 37:12`.

    Raises ModelError for what is no request, a place that the disk does not have, none, or more than 24.
    """
    found = []
    last = disk.geometry.cylinders - 1
    for number, word in enumerate(text.replace(",", " ").split(), start=1):
        read = re.fullmatch(r"([0-9]{1,9})(?::([0-9]{1,6}))?([rw]?)", word.lower())
        require(
            read is not None,
            f"request {number} must be a cylinder, as in 98, 98w to write, or 98:12 for a sector; got {word[:40]!r}",
        )
        cylinder, sector, verb = read.groups()  # type: ignore[union-attr]
        require(int(cylinder) <= last, f"{disk.name} has cylinders 0..{last}; request {number} asks for {cylinder}")
        found.append((int(cylinder), int(sector or 0), verb == "w"))
    require(len(found) > 0, "there is no request to serve; write some cylinders, as in 98 183 37")
    require(len(found) <= MOST_REQUESTS, f"a walk for the eye has at most {MOST_REQUESTS} requests; got {len(found)}")
    return found


class Arm:
    """One scheduler and what it did with the requests. `served` is in the order of service."""

    def __init__(self, values: dict, scheduler: str, disk: Disk, requests: list[tuple[int, int, bool]]):
        self.scheduler, self.disk = scheduler, disk
        self.title = schedulers.find(scheduler)[0].title
        cylinder, sector, write = (np.array(column) for column in zip(*requests, strict=True))
        lbn = disk.geometry.sector_numbers(cylinder, np.zeros_like(cylinder), sector)
        self.served, self.run = serve_all(disk, scheduler, lbn, values["sectors"], write, at_cylinder=values["start"])

    def phase_s(self, at: Served) -> tuple[float, float, float, float]:
        """Time of each of `PHASES` of a request [s]; a head switch counts to the seek, as it is the arm's."""
        return at.overhead_s, at.seek_s + at.switch_s, at.rotation_s, at.transfer_s

    def time_s(self, position: int) -> float:
        """Time after so many steps."""
        if position == 0:
            return 0.0
        at, phase = divmod(position - 1, len(PHASES))
        return self.served[at].start_s + sum(self.phase_s(self.served[at])[: phase + 1])

    def turned(self, time_s: float) -> float:
        """Turns of the platters by then."""
        return self.disk.phase + time_s * self.disk.rotation_hz

    def facts(self, position: int) -> set[str]:
        """What the last step was, in words that lines of pseudo-code are lit by."""
        if position == 0:
            return set()
        at, phase = divmod(position - 1, len(PHASES))
        one = self.served[at]
        facts = {PHASES[phase]}
        if phase == CHOOSE:
            facts.add("turned" if self._turned(at) else "went on")
        elif phase == SEEK and one.past >= 0:
            facts.add("past the edge")
        return facts

    def _turned(self, at: int) -> bool:
        """Whether the arm goes the other way than before; at the start it goes to higher cylinders."""
        way = 1
        for one in self.served[:at]:
            way = _sign(one.cylinder - one.came_from) or way
        return _sign(self.served[at].cylinder - self.served[at].came_from) == -way


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


class DiskWalk(FieldWalk):
    """Where one stands in the service of a queue. `arm` is the scheduler's, `other` the one beside it or None.

    values: what `FIELDS` names. Raises ModelError for what is not possible.
    """

    declared = FIELDS

    def _walk(self, asked: dict[str, Any]) -> None:
        self._keep_numbers_within(asked)
        disk = Disk.of(catalogue.device(known("hard disk", asked["disk"], disks())))
        last = disk.geometry.cylinders - 1
        require(
            asked["start"] <= last, f"{disk.name} has cylinders 0..{last}; the arm cannot stand at {asked['start']}"
        )
        requests = requests_of(str(asked["requests"]), disk)
        arm = Arm(asked, asked["scheduler"], disk, requests)
        other = None if asked["beside"] == NOBODY else Arm(asked, asked["beside"], disk, requests)
        self.requests, self.arm, self.other = requests, arm, other

    @property
    def size(self) -> int:  # type: ignore[override]
        """Steps of the whole walk."""
        return len(self.requests) * len(PHASES)

    @property
    def disk(self) -> Disk:
        """The disk that is walked over."""
        return self.arm.disk

    def place_of(self, wish: str) -> int:
        """Where a wish leads: to the end of the "next" or "previous" request."""
        step = len(PHASES)
        if wish == "previous":
            return max(0, (self.position - 1) // step * step)
        return min(self.size, (self.position // step + 1) * step)

    def random_text(self, seed: int) -> str:
        """Cylinders drawn with a seed from all of the disk, with a sector each."""
        dice = random.Random(seed)
        cylinders = self.disk.geometry.cylinders
        on_track = min(zone.track_sectors for zone in self.disk.geometry.zones)
        # the last cylinder may have spare tracks
        return " ".join(f"{dice.randrange(cylinders - 1)}:{dice.randrange(on_track)}" for _ in range(RANDOM_REQUESTS))

    def _move(self, position: int) -> None:
        self.position = position

    def _questions(self) -> list[Question]:
        """Before a request is chosen: which?"""
        at, phase = divmod(self.position, len(PHASES))
        if phase != CHOOSE or len(self.arm.served[at].waited) < 2:
            return []
        served = self.arm.served[at]
        waiting = served.waited
        right = frozenset(place for place, number in enumerate(waiting) if self._as_good(number, served))
        text = f"The arm is over cylinder {served.came_from}."
        here = any(self.requests[number][0] == served.came_from for number in waiting)
        if at and here and self.arm.scheduler in BY_SECTOR:
            text += " What lies before the end of the last transfer has passed the head."
        return [Question(f"{text} Which request does {self.arm.title} take next?", self._told_apart(waiting), right)]

    def _as_good(self, number: int, served: Served) -> bool:
        """Whether the scheduler finds a request as near as the one that it takes, so that only the age decides."""
        one, taken = self.requests[number], self.requests[served.number]
        if self.arm.scheduler == "fcfs":
            return number == served.number
        if self.arm.scheduler == "sstf":
            return abs(one[0] - served.came_from) == abs(taken[0] - served.came_from)
        return one[:2] == taken[:2] if self.arm.scheduler in BY_SECTOR else one == taken

    def _told_apart(self, waiting: tuple[int, ...]) -> tuple[str, ...]:
        """What requests are called: by their cylinders, with sector and number where a cylinder is asked for twice."""
        cylinders = [self.requests[number][0] for number in waiting]
        return tuple(
            f"cylinder {cylinder}, sector {self.requests[number][1]} (request {number + 1})"
            if cylinders.count(cylinder) > 1
            else f"cylinder {cylinder}"
            for cylinder, number in zip(cylinders, waiting, strict=True)
        )
