"""An SSD that is filled, brought to its steady state, and then asked for reads and writes."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pagecost import cancellation, catalogue
from pagecost.devices.ftl import Counts, Simulation, Steadiness
from pagecost.devices.ftl.blame_kernels import ROWS
from pagecost.devices.ftl.page_map_kernels import TRIM
from pagecost.devices.ftl.run import MOST_ROUNDS
from pagecost.devices.ssd import maps_kernels, queue_kernels
from pagecost.devices.ssd import state_kernels as kernels
from pagecost.devices.ssd.model import Ssd
from pagecost.devices.ssd.run import EXACT, TERMS, Run
from pagecost.errors import known, require

FILLS = {"in order": "one unit after the other", "at random": "single units, at random over all of it"}
"""How an SSD is written over before a session, after it was filled once in order."""
MOST_DEPTH, MOST_NODES = 65_536, 1 << 22
MOST_PASSES = 100
UNTIMED = 1 << 18  # requests at a time while nothing is timed


@dataclass
class Session:
    """A run that goes on. A new session has a device that was filled once, in order ("fresh"), if not said otherwise.

    passes: how often as many units were written as the device has; the first pass is in order, the others as `fill`, a
    key of `FILLS`, says. For what is steady, see `precondition`.
    depth: places in the device's queue. closed: arrivals are ignored, `depth` requests are outstanding at all times;
    else further arrivals wait before the queue. request_bytes: of every request, a whole number of units; None: one.
    seed: of the preconditioning and of victim policies that draw lots.

    The translation layers see the requests in the order of the stream; a die that takes reads first changes times
    only, not places, since a place depends on the writes alone. Every page counts as written once.
    """

    ssd: Ssd
    depth: int = 1
    closed: bool = True
    request_bytes: int | None = None
    seed: int = 1
    passes: int = 1
    fill: str = "in order"
    steadiness: Steadiness | None = field(default=None, init=False)

    def __post_init__(self):
        ssd = self.ssd
        self._open_queue()
        self._dies = [
            Simulation(
                ssd.geometry,
                layer=ssd.layer,
                seed=self.seed * 1009 + die,
                policy=ssd.policy,
                reserve_blocks=ssd.reserve_blocks,
                log_blocks=ssd.log_blocks,
            )
            for die in range(ssd.dies)
        ]
        self._debt = np.zeros((ssd.dies, ROWS), np.int64)
        self._horizon = np.ones((ssd.dies, 1), np.int64)
        known("order in which an SSD is filled", self.fill, FILLS)
        require(1 <= self.passes <= MOST_PASSES, f"a device is filled 1..{MOST_PASSES} times; got {self.passes}")
        for _ in range(self.passes - 1):
            self._pass()

    def _pass(self) -> None:
        """Write over the device once more, untimed, as `fill` says."""
        if self.fill == "at random":
            for die in self._dies:
                die.write(self.ssd.geometry.logical_pages)
        else:
            units = self.ssd.logical_units // self.units * self.units
            for at in range(0, units, UNTIMED // self.units * self.units):
                end = min(at + UNTIMED // self.units * self.units, units)
                first = np.arange(at, end, self.units, dtype=np.uint32)
                self._blame(first, np.ones(first.size, np.uint8))

    def _open_queue(self) -> None:
        ssd = self.ssd
        self.request_bytes = ssd.unit_bytes if self.request_bytes is None else self.request_bytes
        self.units = ssd.units_of(self.request_bytes)
        require(1 <= self.depth <= MOST_DEPTH, f"a queue must have 1..{MOST_DEPTH} places; got {self.depth}")
        slots = self.depth + -(-ssd.cache_units // self.units)
        require(
            slots * self.units <= MOST_NODES,
            f"{slots} requests of {self.units} units at a time, outstanding or cached, are too many to simulate",
        )
        self._state = kernels.new_state(ssd.dies, ssd.channels // ssd.lockstep, slots, self.units)
        self._last_arrival_s = 0.0

    def on_a_copy(
        self, depth: int = 1, closed: bool = True, request_bytes: int | None = None, ssd: Ssd | None = None
    ) -> "Session":
        """A new session, at time 0 with an empty queue, on a copy of the flash as it is now.

        ssd: how it is driven from here on (times, order of work, write cache), with the same flash and map.
        """
        copied = copy.deepcopy(self)
        copied.ssd = self.ssd if ssd is None else ssd
        copied.depth, copied.closed, copied.request_bytes = depth, closed, request_bytes
        copied._open_queue()
        return copied

    def precondition(self, draw: Callable | None = None) -> Steadiness:
        """Overwrite the device, without timing, in rounds of its size until it is steady (SNIA PTS).

        draw(count): first units of the next requests that it is overwritten with, of `request_bytes` each; default:
        single units at random over all of it. At most 25 rounds; the result says whether that was enough, and so does
        `steadiness`.
        """
        rounds: list[float] = []
        steadiness = Steadiness.of(rounds)
        while len(rounds) < MOST_ROUNDS and not steadiness.steady:
            if draw is None:
                made = sum((die.write(self.ssd.geometry.logical_pages).counts for die in self._dies), Counts())
            else:
                made = self._overwrite(draw)
            rounds.append(made.write_amplification)
            self.steadiness = steadiness = Steadiness.of(rounds)
        if self.ssd.paced and draw is None:  # until what is put off is paid at the rate at which it arises
            draws = 2 * self.ssd.geometry.pages_per_block * self.ssd.dies // self.units
            first = np.random.default_rng([self.seed, 23]).integers(0, self.ssd.logical_units - self.units + 1, draws)
            self._blame(first.astype(np.uint32), np.ones(draws, np.uint8))
        return steadiness

    def write_untimed(self, first) -> np.ndarray:
        """Write requests from their first units on, shape (n,), in no time.

        Returns the programs, page reads and erases due to each of their units, beyond its own: shape (3, n, units).
        """
        first = self._placed(first)
        return self._blame(first, np.ones(first.size, np.uint8)).astype(np.int64)

    def trim(self, units) -> None:
        """Tell the device that units hold nothing any more, shape (n,). Takes no time."""
        units = self._placed(units)
        for die, simulation in enumerate(self._dies):
            simulation.device.trim(units[units % self.ssd.dies == die] // self.ssd.dies)

    def _overwrite(self, draw: Callable) -> Counts:
        """One round: as many units as the device has, untimed."""
        before, left = self._counts(), max(1, self.ssd.logical_units // self.units)
        while left:
            first = self._placed(draw(min(left, UNTIMED)))
            self._blame(first, np.ones(first.size, np.uint8))
            left -= first.size
        return self._counts() - before

    def _counts(self) -> Counts:
        return sum((die.device.counts() for die in self._dies), Counts())

    @property
    def cached_units(self) -> int:
        """Units that stand in the write cache now."""
        return int(self._state.counts[kernels.CACHED])

    def serve(self, first, write=None, arrival_s=None, *, trim=None, last: bool = False) -> Run:
        """Serve requests: first unit, write flags (none: reads), arrivals [s]; shape (n,).

        trim: flags, of those that neither read nor write but tell the device that their units hold nothing any more;
        they reach the map in their place and take no time, and the numbers of the run do not count them. last: nothing
        follows, the device and its write cache are emptied. arrival_s must not fall and is needed in an open run only.
        Raises ModelError for requests beyond the device or arrivals that fall.
        """
        first, write, arrival_s = self._checked(first, write, arrival_s)
        trim = np.zeros(first.size, bool) if trim is None else np.asarray(trim, bool)
        require(
            trim.shape == first.shape,
            f"{self.ssd.name}: trim must have one flag per request; got {trim.size} for {first.size}",
        )
        state, clock, counts = self._state, self._state.clock, self._state.counts
        outstanding, before = int(counts[kernels.OUTSTANDING]), self._totals()
        layers, hits = self._counts(), int(counts[kernels.READ_HITS])
        blame = self._blame(first, write, trim)
        if trim.any():
            first, write, blame = first[~trim], write[~trim], blame[:, ~trim]
            arrival_s = arrival_s if self.closed else arrival_s[~trim]
        stream = kernels.Stream(first, write, arrival_s, *blame)
        room = first.size + outstanding
        response_s, finished = np.empty(room), np.empty(room, np.int64)
        state.sums[:] = 0
        request_bytes = self.units * self.ssd.unit_bytes
        params = self.ssd.params(request_bytes, self.depth, self.closed, last)
        queue_kernels.serve(params, stream, state, response_s, finished)
        done, after = int(counts[kernels.DONE]), self._totals()
        passed = after - before
        run = Run(
            ssd=self.ssd,
            request_bytes=request_bytes,
            response_s=response_s[:done],
            write=finished[:done] % 2 == 1,
            number=finished[:done] // 2,
            sums=state.sums[:, : len(TERMS)].copy(),
            elapsed_s=float(passed[0]),
            area_s=float(passed[1]),
            aged_s=float(passed[2]),
            busy_s=tuple(passed[3:6].tolist()),
            counts=self._counts() - layers,
            read_hits=int(counts[kernels.READ_HITS]) - hits,
            work=passed[6:].round().astype(np.int64),
        )
        run.check()
        self._check_utilisation(params, float(clock[kernels.NOW]))
        return run

    @property
    def now_s(self) -> float:
        """Time of the last event [s]."""
        return float(self._state.clock[kernels.NOW])

    def _placed(self, first) -> np.ndarray:
        """First units, uint32[n]. Raises ModelError where a request would not lie on the device."""
        name, units = self.ssd.name, self.ssd.logical_units
        first = np.asarray(first)
        require(
            first.ndim == 1 and (first.size == 0 or first.dtype.kind in "iu"),
            f"{name}: first units must be whole numbers in one dimension; got {first.dtype} of shape {first.shape}",
        )
        low, high = (int(first.min()), int(first.max())) if first.size else (0, 0)
        require(
            low >= 0 and high + self.units <= units,
            f"{name}: requests of {self.units} units must lie in units 0..{units - 1}; got {low}..{high}",
        )
        return np.ascontiguousarray(first, np.uint32)

    def _checked(self, first, write, arrival_s):
        name, first = self.ssd.name, self._placed(first)
        write = np.zeros(first.size, np.uint8) if write is None else np.array(write, np.uint8)
        require(self.closed or arrival_s is not None, f"{name}: an open run needs the arrival of every request")
        arrival_s = np.empty(0) if self.closed else np.array(arrival_s, float)
        require(
            write.shape == first.shape and (self.closed or arrival_s.shape == first.shape),
            f"{name}: first, write and arrival_s must have one length; got {first.size}, {write.size}, "
            f"{arrival_s.size}",
        )
        if arrival_s.size:
            steps = np.diff(arrival_s, prepend=self._last_arrival_s)
            require(bool((steps >= 0).all()), f"{name}: arrivals must not fall and not be negative")
            self._last_arrival_s = float(arrival_s[-1])
        return first, write, arrival_s

    def _blame(self, first, write, trim=None):
        """Let every die's translation layer serve its own; the blame of every unit, uint32[3, n, units]."""
        cancellation.point()
        size, dies = first.size * self.units, self.ssd.dies
        start, place = np.zeros(dies + 1, np.int64), np.empty(size, np.int64)
        requests, ordered = np.empty(size, np.uint32), np.empty((ROWS, size), np.uint32)
        blame = np.empty((ROWS, size), np.uint32)
        if trim is None or not trim.any():
            maps_kernels.sort_by_die(first, write, self.units, start, place, requests)
        else:
            maps_kernels.sort_by_die(first, np.where(trim, np.uint8(1), write), self.units, start, place, requests)
            requests[place.reshape(-1, self.units)[trim]] |= TRIM
        for die, simulation in enumerate(self._dies):
            own = slice(int(start[die]), int(start[die + 1]))
            due = simulation.device.serve(requests[own])
            if self.ssd.paced:
                of_block = self.ssd.geometry.pages_per_block
                maps_kernels.spread(self._debt[die], self._horizon[die], of_block, requests[own] >= TRIM, due)
            ordered[:, own] = due
        maps_kernels.sort_back(place, blame, ordered)
        return blame.reshape(ROWS, first.size, self.units)

    def _totals(self) -> np.ndarray:
        """Of the whole session: time, area, age of those in the device, three busy times, and the planned work."""
        state, clock, counts = self._state, self._state.clock, self._state.counts
        now = clock[kernels.NOW]
        at_work = state.die[:, kernels.PHASE] != kernels.IDLE
        dies_busy = clock[kernels.DIE_BUSY] + (now - state.die_s[at_work, kernels.BUSY_SINCE]).sum()
        # transfers are booked when they are asked for: what lies ahead is not yet busy
        channels_busy = state.channel_busy.sum() - np.maximum(state.channel_free - now, 0).sum()
        interface_busy = clock[kernels.INTERFACE_BUSY] - max(clock[kernels.INTERFACE_FREE] - now, 0)
        kinds = (kernels.HOST_READS, kernels.HOST_UNITS, kernels.COPIES, kernels.COPY_READS, kernels.ERASES)
        waiting = self._busy_slots()
        waiting = waiting[state.slot[waiting, kernels.ANSWERED] == 0]
        age = (now - state.slot_s[waiting, kernels.ISSUED]).sum()
        return np.array(
            [now, clock[kernels.AREA], age, dies_busy, channels_busy, interface_busy, *counts[list(kinds)]], float
        )

    def _busy_slots(self) -> np.ndarray:
        busy = np.ones(self._state.free.size, bool)
        busy[self._state.free[: self._state.counts[kernels.FREE_SLOTS]]] = False
        return np.flatnonzero(busy)

    def _check_utilisation(self, params, now: float) -> None:
        """Raise ModelError unless the dies were busy for what their operations take: U = Σ X S.

        With requests still in the device, their work is planned but not all done: the law is then a pair of bounds.
        """
        state, totals = self._state, self._totals()
        reads, units, copies, scans, erases = totals[6:]
        planned = (reads + scans) * params.read_s + (units + copies) * params.program_s + erases * params.erase_s
        planned += state.channel_busy.sum() + state.clock[kernels.CHANNEL_WAITED] + state.clock[kernels.SUSPENDED_FOR]
        left = 0.0
        at_work = self._busy_slots()
        if at_work.size:
            first = at_work[:, None] * self.units
            nodes = state.node[(first + np.arange(self.units)).ravel()]
            wait = np.maximum(state.channel_free - now, 0).max() + params.read_s + params.program_s * params.batch
            wait += (
                params.write_transfer_s * params.batch
                + params.read_command_s
                + params.copy_transfer_s
                + params.suspend_s
            )
            left = float(
                nodes[:, kernels.COPIES_LEFT].clip(0).sum() * (params.read_s + params.program_s)
                + nodes[:, kernels.ERASES_LEFT].clip(0).sum() * params.erase_s
                + wait * self.ssd.dies
            )
        slack = EXACT * max(planned, now, 1e-12)
        busy = totals[3]
        require(
            -slack <= planned - busy <= left + slack,
            f"{self.ssd.name}: the utilisation law does not hold in this run: the dies were busy for {busy!r} s, their "
            f"operations take {planned!r} s, of which at most {left!r} s are still to come",
        )


def catalogued() -> dict[str, str]:
    """Id -> name of every SSD of the catalogue whose chips and channels are known."""
    return {
        id: device.name
        for id, device in catalogue.devices().items()
        if {"flash_chip", "channels", "spare_share"} <= device.parameters.keys()
    }
