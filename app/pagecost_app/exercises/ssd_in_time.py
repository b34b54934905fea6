"""The exercises of lesson 5: the SSD in time."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from pagecost import studies
from pagecost.devices.nand import Chip
from pagecost.devices.ssd import Ssd, theory
from pagecost_app.exercises.exercise import Axis
from pagecost_app.exercises.kinds import Choice, Claim, Curve, Number, Order

US, MS, MB = 1e-6, 1e-3, 10**6
DEPTH = 32  # of the prediction
DEPTHS = (1, 2, 4, 8, 16, 32, 64)  # of the curve


@lru_cache(maxsize=1)
def _fresh_and_steady() -> tuple[float, float]:
    """Writes per second of both."""
    study = studies.find("ssd_queue_depth")
    inputs = study.inputs({"loads": ("writes fresh", "writes steady"), "depths": (DEPTH,), "detail_depth": DEPTH})
    fresh, steady = study.compute(inputs)["iops"]
    return float(fresh), float(steady)


def _fresh_over_steady() -> float:
    fresh, steady = _fresh_and_steady()
    return fresh / steady


def _fresh_steps() -> Iterator[str]:
    fresh, steady = _fresh_and_steady()
    yield f"Fresh, a write is a program: {fresh:.0f} writes per second."
    yield f"Steady, it waits for copies and for an erase, too: {steady:.0f} per second."
    yield f"{fresh:.0f} / {steady:.0f} = {fresh / steady:.4g}."


def _draw_queue(dice: random.Random) -> dict:
    return {"iops": 1000 * dice.randint(20, 90), "depth": dice.choice((8, 16, 32, 64, 128))}


def _response_ms(iops: float, depth: float) -> float:
    """Little's law for a closed queue."""
    return depth / iops / MS


def _draw_array(dice: random.Random) -> dict:
    return {
        "channels": dice.choice((6, 8, 10, 12, 16)),
        "dies": dice.choice((2, 3, 4)),  # fewer than channels
        "read_us": dice.choice(range(40, 100, 5)),
        "bus_mb_s": dice.choice((40, 100, 200, 400)),
    }


def _ssd(channels: int, dies: int, read_us: float, bus_mb_s: float) -> Ssd:
    chip = Chip(
        name="the chip of the exercise",
        page_bytes=4096,
        pages_per_block=64,
        read_s=read_us * US,
        program_s=3 * read_us * US,
        erase_s=2 * MS,
    )
    return Ssd(
        name="the SSD of the exercise",
        chip=chip,
        channels=channels,
        dies_per_channel=dies,
        channel_bytes_per_s=bus_mb_s * MB,
    )


def _array(change: Callable[[Ssd], Ssd] = lambda ssd: ssd) -> Callable[..., float]:
    """Reads per second of all chips, of the SSD as someone sees it."""

    def rate(**numbers) -> float:
        ssd = change(_ssd(**numbers))
        return theory.flash_bytes_per_s(ssd, write=False) / ssd.page_bytes

    return rate


def _array_steps(channels: int, dies: int, read_us: float, bus_mb_s: float) -> tuple[str, ...]:
    transfer_us = 4096 / bus_mb_s
    of_bus, of_dies = 1e6 / transfer_us, dies * 1e6 / (read_us + transfer_us)
    return (
        f"A page over the channel: 4096 B / {bus_mb_s} MB/s = {transfer_us:.1f} µs, at most {of_bus:.0f} a second.",
        f"A die does one in {read_us} + {transfer_us:.1f} µs, so {dies} of them do {of_dies:.0f} a second.",
        f"The lower of the two, {min(of_bus, of_dies):.0f}, times {channels} channels are "
        f"{channels * min(of_bus, of_dies):.0f} a second.",
    )


@dataclass(frozen=True)
class _Collected:
    """A die whose collected blocks hold `live` of `pages` pages; times in µs and ms."""

    dies: int
    pages: int
    live: int
    read_us: float
    program_us: float
    erase_ms: float

    @property
    def gained(self) -> int:
        return self.pages - self.live

    @property
    def copies_s(self) -> float:
        return self.live * (self.read_us + self.program_us) * US

    def rate(self, *, copies: bool = True, erase: bool = True, dies: bool = True) -> float:
        """Host writes per second, with what someone takes into account."""
        one_block_s = self.gained * self.program_us * US + copies * self.copies_s + erase * self.erase_ms * MS
        return (self.dies if dies else 1) * self.gained / one_block_s

    @property
    def stall_s(self) -> float:
        """How long a write waits that finds its die collecting."""
        return self.copies_s + self.erase_ms * MS

    def steps(self) -> tuple[str, ...]:
        own_s = self.gained * self.program_us * US
        return (
            f"One block makes room for {self.pages} − {self.live} = {self.gained} pages of the host.",
            f"Their programs take {own_s * 1e3:.2f} ms, {self.live} copies {self.copies_s * 1e3:.2f} ms, the erase "
            f"{self.erase_ms:g} ms: {(own_s + self.stall_s) * 1e3:.2f} ms for {self.gained} pages.",
            f"That is {self.rate(dies=False):.0f} pages per second of one die, and there are {self.dies}: "
            f"{self.rate():.0f} per second.",
        )


def _draw_collected(dice: random.Random) -> dict:
    pages = dice.choice((64, 128))
    return {
        "dies": dice.choice((4, 8, 10, 16, 32)),
        "pages": pages,
        "live": round(pages * dice.choice((0.5, 0.625, 0.75, 0.875))),
        "read_us": dice.choice((25, 50)),
        "program_us": dice.choice((200, 250, 300)),
        "erase_ms": dice.choice((1.5, 2.0, 3.0)),
    }


def _draw_mix(dice: random.Random) -> dict:
    return {
        "reads": 1000 * dice.randint(10, 60),
        "writes": 100 * dice.randint(5, 40),
        "percent": dice.choice((60, 70, 80, 90)),
    }


def _mixed(reads: float, writes: float, percent: float) -> float:
    return theory.mixed_rate(reads, writes, percent / 100)


def _draw_course(dice: random.Random) -> dict:
    return {
        "channels": dice.choice((4, 8, 10, 16)),
        "dies": dice.choice((2, 4, 8)),
        "read_us": dice.choice(range(50, 100, 5)),
        "interface_us": dice.choice(range(4, 21)),
    }


def _course(channels: int, dies: int, read_us: float, interface_us: float) -> list[float]:
    """Reads per second over the queue depth; the channels are fast enough not to count."""
    ssd = replace(_ssd(channels, dies, read_us, 4000), command_s=interface_us * US)
    return [theory.rate_at_depth(ssd, ssd.unit_bytes, depth) for depth in DEPTHS]


def _for_ever(**numbers) -> list[float]:
    """As if every further request were served at the same time as the others."""
    return [depth * _course(**numbers)[0] for depth in DEPTHS]


def _draw_orders(dice: random.Random) -> dict:
    return _draw_collected(dice) | {"depth": dice.choice((8, 16, 32, 64)), "interface_us": dice.choice(range(5, 30, 5))}


def _times_us(depth: int, interface_us: float, **collected) -> dict[str, float]:
    """What each of the things to be ordered takes."""
    die = _Collected(**collected)
    return {
        "read": die.read_us + interface_us,
        "write": die.program_us + interface_us,
        "queued": depth * interface_us,
        "erase": die.erase_ms * 1e3,
        "stalled": die.stall_s * 1e6 + die.program_us + interface_us,
    }


def _times_named(depth: int, interface_us: float, pages: int, live: int, **_) -> dict[str, str]:
    return {
        "read": "a read when nobody else asks",
        "write": "a write of the fresh drive when nobody else asks",
        "queued": f"a read with {depth} outstanding, all waiting for the interface ({interface_us} µs each)",
        "erase": "the erase of one block",
        "stalled": f"a write whose die must first collect a block, {live} of its {pages} pages live",
    }


def _plain(reads: float, writes: float, percent: float) -> float:
    return percent / 100 * reads + (1 - percent / 100) * writes


EXERCISES = (
    Number(
        "fresh-or-steady",
        "An Intel X25-E of 2008 writes 4 KiB pages at random with 32 requests outstanding. It was filled once, in "
        "order, and has spare blocks left. Some minutes later the spare blocks are used up and it collects. How many "
        "times as many writes per second did it do before?",
        "1",
        draw=lambda dice: {},
        reference=_fresh_over_steady,
        steps=_fresh_steps,
        within=1.6,
        hints=("Before, a write is a program. Afterwards, what has to happen before that program has a place?",),
        surprise="Two things come together: most pages of each collected block are copied first, and a die that "
        "collects does nothing else for many milliseconds, while other dies run out of requests.",
    ),
    Number(
        "little",
        "A data sheet rates {iops} random reads of 4 KiB per second, measured with {depth} requests outstanding at all "
        "times. How long did one of these reads take on average?",
        "ms",
        draw=_draw_queue,
        reference=_response_ms,
        steps=lambda iops, depth: (
            f"{depth} requests are in the drive at all times, and {iops} leave it each second.",
            f"Little's law: each is in it for {depth} / {iops} s = {_response_ms(iops, depth):.4g} ms.",
        ),
        hints=(
            "Little's law: requests in the device = requests per second · time that each is in it.",
            "depth / rate.",
        ),
        mistakes=(
            (
                lambda iops, depth: _response_ms(iops, 1),
                "that is the time between two answers, not the time of one read: many are under way at once.",
            ),
        ),
    ),
    Number(
        "channels",
        "An SSD has {channels} channels with {dies} dies on each. A page of 4 KiB is read from the cells in "
        "{read_us} µs, then it moves over the channel at {bus_mb_s} MB/s; its die and the channel are taken meanwhile. "
        "How many reads per second do all chips together do at most?",
        "1/s",
        draw=_draw_array,
        tolerance=0.02,
        reference=_array(),
        steps=_array_steps,
        hints=(
            "A die does one page in (read + transfer). A channel moves one page in (transfer). Which is used up first?",
            "channels · min(1 / transfer, dies / (read + transfer)).",
        ),
        mistakes=(
            (
                _array(lambda ssd: replace(ssd, dies_per_channel=1)),
                "that is one die on each channel; while one page moves, the others can read.",
            ),
            (
                lambda channels, dies, read_us, bus_mb_s: channels * dies / (read_us * US),
                "the pages have to leave the chips: the transfer over the channel is missing.",
            ),
            (
                lambda channels, dies, read_us, bus_mb_s: _array()(
                    channels=1, dies=dies, read_us=read_us, bus_mb_s=bus_mb_s
                ),
                "that is one channel; all of them work at once.",
            ),
        ),
    ),
    Number(
        "steady-rate",
        "An SSD of {dies} dies is overwritten at random and has come to rest. A collected block of {pages} pages "
        "holds {live} live ones. A page read takes {read_us} µs, a program {program_us} µs, an erase {erase_ms} ms; "
        "transfers are too short to count. All dies always have work. How many pages of the host are written per "
        "second?",
        "1/s",
        draw=_draw_collected,
        reference=lambda **numbers: _Collected(**numbers).rate(),
        steps=lambda **numbers: _Collected(**numbers).steps(),
        hints=(
            "Follow one block from collection to collection: what is done, and for how many pages of the host?",
            "(pages − live) programs, live copies (a read and a program each), one erase. Then all dies.",
        ),
        mistakes=(
            (
                lambda **numbers: _Collected(**numbers).rate(copies=False),
                "the live pages have to be copied before the block can be erased.",
            ),
            (
                lambda **numbers: _Collected(**numbers).rate(dies=False),
                "that is one die; all of them work at once.",
            ),
            (
                lambda **numbers: _Collected(**numbers).rate(copies=False, erase=False),
                "that is a fresh device: nothing is collected yet.",
            ),
        ),
    ),
    Number(
        "mixture",
        "Alone, an SSD does {reads} random reads per second, or {writes} random writes. Now {percent} % of the "
        "requests are reads, and reads and writes are served one after the other. How many requests per second?",
        "1/s",
        draw=_draw_mix,
        reference=_mixed,
        steps=lambda reads, writes, percent: (
            f"A read takes 1 / {reads} s, a write 1 / {writes} s.",
            f"A mean request takes {percent / 100:g} / {reads} + {1 - percent / 100:g} / {writes} s = "
            f"{1e6 / _mixed(reads, writes, percent):.1f} µs.",
            f"The rate is one over that: {_mixed(reads, writes, percent):.0f} per second.",
        ),
        hints=(
            "How long does a request take on average?",
            "Times can be averaged, rates cannot: 1 / (share / reads + (1 − share) / writes).",
        ),
        mistakes=(
            (
                _plain,
                "that averages rates; what adds up is the time of the requests, and most of it goes to the writes.",
            ),
            (
                lambda reads, writes, percent: _mixed(writes, reads, percent),
                "the shares are exchanged: that many per cent are reads.",
            ),
        ),
    ),
    Curve(
        "rate-over-depth",
        "Reads of 4 KiB: {read_us} µs in the cells of a die, then {interface_us} µs over the one host interface. There "
        "are {channels} channels with {dies} dies on each, and the channels are so fast that they do not count. Draw "
        "the reads per second over the queue depth.",
        draw=_draw_course,
        x=lambda **_: Axis("requests outstanding", positions=DEPTHS, least=1, most=DEPTHS[-1], logarithmic=True),
        y=lambda **_: Axis("reads per second", "1/s", least=5e3, most=1e6, logarithmic=True),
        course=_course,
        mistakes=((_for_ever, "it rises for ever in your drawing; all of them pass one interface, one by one."),),
        hints=(
            "Where does it begin? One read takes the sum of both times.",
            "Where does it end? The interface does one request at a time.",
        ),
        steps=lambda channels, dies, read_us, interface_us: (
            f"Alone a read takes {read_us} + {interface_us} µs: {1e6 / (read_us + interface_us):.0f} per second.",
            f"The interface lets at most 1 / {interface_us} µs = {1e6 / interface_us:.0f} per second pass.",
            "From a depth of about the one over the other the line is level; before that it rises in proportion.",
        ),
    ),
    Order(
        "five-times",
        "A die reads a page in {read_us} µs, programs one in {program_us} µs and erases a block in {erase_ms} ms; "
        "every request passes the host interface in {interface_us} µs. Which takes how long?",
        draw=_draw_orders,
        items=_times_named,
        sizes=_times_us,
        first="the shortest first",
        unit="µs",
        mistakes=(
            (
                lambda **numbers: _times_us(**numbers) | {"stalled": _times_us(**numbers)["write"] + 1},
                "a write that finds its die collecting waits for every copy and for the erase.",
            ),
        ),
        hints=("Compute all five in µs. A collection is all of its copies, each a read and a program, and the erase.",),
        steps=lambda **numbers: (
            f"{_times_named(**numbers)[name]}: {time:.0f} µs" for name, time in _times_us(**numbers).items()
        ),
    ),
    Choice(
        "mixture-or-average",
        "Alone, an SSD does {reads} random reads per second, or {writes} random writes. One after the other, {percent} "
        "% of the requests being reads, it does …",
        draw=_draw_mix,
        options=(
            Claim(
                "less than half of the average of both rates, weighted by the requests",
                lambda **numbers: _mixed(**numbers) < 0.5 * _plain(**numbers),
                "work out how long 100 such requests take: the harmonic mean is above that half here.",
            ),
            Claim(
                "at least half of that average, and less than the whole of it",
                lambda **numbers: 0.5 * _plain(**numbers) <= _mixed(**numbers) < 0.99 * _plain(**numbers),
                "work out how long 100 such requests take: most of the time goes to few writes.",
            ),
            Claim(
                "that average",
                lambda **numbers: _mixed(**numbers) >= 0.99 * _plain(**numbers),
                "rates cannot be averaged over requests; what adds up is the time that each of them takes.",
            ),
        ),
        reasons=(
            Claim(
                "the times of the requests add up, and a write takes much longer than a read",
                lambda **_: True,
                "",
            ),
            Claim(
                "each kind of request gets its share of the second",
                lambda **_: False,
                "the shares are shares of the requests, not of the time.",
            ),
            Claim(
                "the drive can do reads while it writes",
                lambda **_: False,
                "here they are served one after the other.",
            ),
        ),
        hints=("How long do 100 such requests take together?",),
        steps=lambda reads, writes, percent: (
            f"100 requests: {percent} reads of 1 / {reads} s and {100 - percent} writes of 1 / {writes} s = "
            f"{1e5 / _mixed(reads, writes, percent):.2f} ms, so {_mixed(reads, writes, percent):.0f} per second.",
            f"The average of the rates is {_plain(reads, writes, percent):.0f}.",
        ),
    ),
)
