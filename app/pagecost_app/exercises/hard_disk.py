"""The exercises of lesson 2: the hard disk."""

import random
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from pagecost import catalogue, studies
from pagecost.devices.disk import Array, Disk, Geometry, Zone, random_requests, sequential_unbuffered
from pagecost.devices.disk.seek import Constant
from pagecost.devices.disk.told import serve_all
from pagecost_app.exercises.kinds import Choice, Claim, Number, Order

QUEUED = {
    "wd400bb": "A disk of 7200 turns a minute",
    "cheetah-15k5": "A disk of 15 000 turns a minute",
    "hp-97560": "An old disk of 4002 turns a minute",
}
PAUSE_S = 1e-4  # how long the program thinks; any time shorter than a turn gives the same


def _draw_turn(dice: random.Random) -> dict:
    return {
        "rpm": dice.choice((4200, 5400, 5900, 7200, 10000, 15000)),
        "track_sectors": dice.randrange(1000, 2001, 5),
        "block_sectors": dice.choice((8, 12, 16)),
    }


def _lost_turn(rpm, track_sectors, block_sectors) -> float:
    """Rate [kB/s] of sequential writes after each of which the program pauses."""
    zone = Zone(cylinders=100, track_sectors=track_sectors)
    disk = Disk(
        name="the disk of the exercise",
        geometry=Geometry(heads=1, zones=(zone,), sectors=100 * track_sectors),
        rotation_hz=rpm / 60,
        curve=Constant(0.0),
    )
    terms = sequential_unbuffered(disk, block_sectors, write=True, pause_s=PAUSE_S)
    return block_sectors * 512 / 1e3 / (sum(terms.values()) + PAUSE_S)


def _media_rate(rpm, track_sectors, **_) -> float:
    return track_sectors * 512 / 1e3 * rpm / 60


def _draw_short(dice: random.Random) -> dict:
    return {"disk": dice.choice(("wd400bb", "cheetah-15k5", "hp-97560")), "percent": dice.randrange(50, 501) / 20}


def _short_stroke(seek: Callable = lambda whole, part, share: part, rotation: float = 1.0) -> Callable[..., float]:
    """Random 4 KiB reads per second on a part of a disk, the seek as someone believes it to be."""

    def rate(disk, percent):
        known = Disk.of(catalogue.device(disk))
        share = percent / 100
        span = int(share * known.geometry.sectors)
        whole, part = (random_requests(known, size, 8).mean_s for size in (known.geometry.sectors, span))
        time_s = sum(part.values()) - part["seek_s"] + seek(whole["seek_s"], part["seek_s"], share)
        return 1 / (time_s - (1 - rotation) * part["rotation_s"])

    return rate


def _draw_parity(dice: random.Random) -> dict:
    return {
        "disks": dice.randrange(4, 13),
        "rate": dice.randrange(70, 181),
        "writes": dice.randrange(20, 61, 5),
    }


def _parity(disks, rate, writes, level=5, data=None) -> float:
    """Requests per second of an array whose disks do `rate` each."""
    return (data or disks) * rate / Array(disks=disks, level=level).ios_per_request(writes / 100)


def _draw_queue(dice: random.Random) -> dict:
    return {"disk": dice.choice(list(QUEUED)), "depth": dice.randrange(8, 65), "span_gb": dice.randrange(4, 14) / 10}


@lru_cache(maxsize=256)
def _sptf_gain(disk: str, depth: int, span_gb: float) -> float:
    study = studies.find("disk_scheduling")
    queue = {"schedulers": ("sptf",), "depths": (depth,), "detail_depth": depth}
    return float(study.compute(study.inputs({"disk": disk, "span_bytes": span_gb * 1e9, **queue}))["gain"][0])


def _queue_steps(disk: str, depth: int, span_gb: float) -> Iterator[str]:
    gain = _sptf_gain(disk, depth, span_gb)
    yield "One at a time, a request waits for a whole mean seek and for half a turn."
    yield f"Of {depth} the drive takes the nearest: most of the seek goes, and of the turn a good part."
    yield f"What remains is paid by every request: {gain:.4g} times as many requests per second, not {depth} times."


def _lost_steps(rpm, track_sectors, block_sectors) -> Iterator[str]:
    turn = 60e3 / rpm
    block = turn * block_sectors / track_sectors
    kb = block_sectors * 0.512
    yield f"A turn takes 60 000 ms / {rpm} = {turn:.4g} ms."
    yield (
        f"A block passes the head in {block_sectors} / {track_sectors} of that, {block:.3g} ms; then the program "
        "thinks."
    )
    yield "The next sector has gone by: it comes back when the turn is over, so a block takes a whole turn and itself."
    yield f"{kb:.4g} kB / ({turn:.4g} + {block:.3g}) ms = {1e3 * kb / (turn + block):.4g} kB/s."


def _short_steps(disk: str, percent: float) -> Iterator[str]:
    known = Disk.of(catalogue.device(disk))
    span = int(percent / 100 * known.geometry.sectors)
    terms = random_requests(known, span, 8).mean_s
    whole = random_requests(known, known.geometry.sectors, 8).mean_s["seek_s"]
    time = sum(terms.values())
    yield (
        f"Over the whole disk the mean seek takes {whole * 1e3:.3g} ms, over {percent:g} % of it "
        f"{terms['seek_s'] * 1e3:.3g} ms."
    )
    rest = time - terms["seek_s"] - terms["rotation_s"]
    yield f"Half a turn is {terms['rotation_s'] * 1e3:.3g} ms as before; the rest takes {rest * 1e3:.3g} ms."
    yield f"Together {time * 1e3:.4g} ms, so 1000 / {time * 1e3:.4g} = {1 / time:.4g} reads per second."


def _parity_steps(disks, rate, writes) -> Iterator[str]:
    each = (100 - writes) / 100 + 4 * writes / 100
    yield f"All disks together do {disks} · {rate} = {disks * rate} requests per second."
    yield f"A request of the array costs {100 - writes} % · 1 + {writes} % · 4 = {each:g} of them."
    yield f"{disks * rate} / {each:g} = {disks * rate / each:.4g}."


WAITING = 5  # requests that wait: few enough to be ordered by hand
ARM = "hp-97560"


def _draw_waiting(dice: random.Random) -> dict:
    return {"start": dice.randrange(200, 1700), "cylinders": tuple(dice.sample(range(20, 1940), WAITING))}


@lru_cache(maxsize=1024)
def _places(scheduler: str, start: int, cylinders: tuple[int, ...]) -> dict[str, float]:
    """The place, from 1 on, that each cylinder has in the order of service."""
    disk = Disk.of(catalogue.device(ARM))
    zeros = np.zeros(len(cylinders), np.int64)
    lbn = disk.geometry.sector_numbers(np.array(cylinders), zeros, zeros)
    served, _ = serve_all(disk, scheduler, lbn, 8, zeros.astype(bool), at_cylinder=start)
    return {str(one.cylinder): place for place, one in enumerate(served, start=1)}


def _in_order_of(scheduler: str) -> Callable[..., dict[str, float]]:
    return lambda start, cylinders: _places(scheduler, start, cylinders)


def _nearest_of_all(start: int, cylinders: tuple[int, ...]) -> dict[str, float]:
    """As if the way were measured from where the arm began, however far it has gone."""
    return {str(cylinder): abs(cylinder - start) for cylinder in cylinders}


def _served_steps(start: int, cylinders: tuple[int, ...]) -> Iterator[str]:
    here, left = start, list(cylinders)
    for cylinder in sorted(cylinders, key=lambda one: _places("sstf", start, cylinders)[str(one)]):
        ways = ", ".join(f"{one}: {abs(one - here)}" for one in left)
        yield f"From {here} the ways are {ways}. The shortest leads to {cylinder}."
        left.remove(cylinder)
        here = cylinder


FASTER_TURN = {4200: 5400, 5400: 7200, 7200: 10000, 10000: 15000}


def _draw_remedy(dice: random.Random) -> dict:
    return {
        "rpm": dice.choice(list(FASTER_TURN)),
        "track_sectors": dice.randrange(800, 2001, 5),
        "block_sectors": dice.choice((8, 16, 24, 32)),
    }


def _remedies(rpm, track_sectors, block_sectors) -> dict[str, float]:
    """By how much each remedy multiplies the rate of a writer who loses a turn."""
    now = _lost_turn(rpm, track_sectors, block_sectors)
    return {
        "block": _lost_turn(rpm, track_sectors, 2 * block_sectors) / now,
        "turn": _lost_turn(FASTER_TURN[rpm], track_sectors, block_sectors) / now,
        "arm": 1.0,  # the writes lie one behind the other: the arm does not move
    }


def _best_remedy(name: str) -> Callable[..., bool]:
    return lambda **numbers: max(_remedies(**numbers), key=_remedies(**numbers).__getitem__) == name


def _remedy_steps(**numbers) -> Iterator[str]:
    turn = 60e3 / numbers["rpm"]
    gains = _remedies(**numbers)
    yield f"A block costs a whole turn, {turn:.4g} ms, and the little time in which it passes the head."
    yield f"Twice the block: twice the bytes for nearly the same turn, {gains['block']:.3g} times the rate."
    yield f"{FASTER_TURN[numbers['rpm']]} turns a minute: {gains['turn']:.3g} times the rate. Another arm: no gain."


EXERCISES = (
    Order(
        "nearest-next",
        "The arm stands over cylinder {start}. Requests wait for the cylinders {listed}, in this order of arrival. In "
        "which order does SSTF (nearest cylinder next) serve them?",
        draw=_draw_waiting,
        show=lambda numbers: {"listed": ", ".join(map(str, numbers["cylinders"]))},
        items=lambda start, cylinders: {str(cylinder): f"cylinder {cylinder}" for cylinder in cylinders},
        sizes=_in_order_of("sstf"),
        first="the first to be served first",
        mistakes=(
            (_in_order_of("fcfs"), "that is the order of arrival (FCFS)."),
            (_in_order_of("look"), "that is an elevator (LOOK): it goes on in one direction while there are any."),
            (
                _nearest_of_all,
                "the ways are measured from where the arm stands by then, not from where it began.",
            ),
        ),
        hints=(
            "Which cylinder is nearest to where the arm stands?",
            "After each request the arm stands somewhere else: measure all ways anew.",
        ),
        why="It looks one step ahead only; the whole way may be longer than an elevator's.",
        steps=_served_steps,
    ),
    Choice(
        "lost-turn-remedy",
        "A program writes blocks of {block_sectors} sectors one behind the other to a disk of {rpm} turns a minute "
        "with {track_sectors} sectors on a track, without a cache, and thinks a moment after each. What makes it "
        "faster by most?",
        draw=_draw_remedy,
        show=lambda numbers: {"faster": FASTER_TURN[numbers["rpm"]]},
        options=(
            Claim("blocks of twice the size", _best_remedy("block"), "work out what a turn carries then, and now."),
            Claim(
                "a disk of {faster} turns a minute",
                _best_remedy("turn"),
                "that shortens each turn by the same factor; how many bytes does a turn carry?",
            ),
            Claim(
                "an arm that seeks twice as fast",
                _best_remedy("arm"),
                "the blocks lie one behind the other: the arm does not move.",
            ),
        ),
        reasons=(
            Claim("each block costs a whole turn, whatever its size", lambda **_: True, ""),
            Claim(
                "each block costs the seek and half a turn",
                lambda **_: False,
                "that is the mean for random places; these blocks lie one behind the other.",
            ),
            Claim(
                "a block's time is in proportion to its bytes",
                lambda **_: False,
                "it would be, if the next sector were still there when the program has done thinking.",
            ),
        ),
        hints=("How long does one block take, from the moment when its program asks to the next such moment?",),
        why="Real systems collect small writes into large ones, or let a cache answer.",
        steps=_remedy_steps,
    ),
    Number(
        "thirty-two-waiting",
        "{which} reads 4 KiB from random places of {span_gb:g} GB of it, one request at a time. Now {depth} requests "
        "wait at all times, and the drive picks the one it can reach first. How many times as many requests does it "
        "do per second?",
        "1",
        draw=_draw_queue,
        lesson_case={"disk": "wd400bb", "depth": 32, "span_gb": 40},
        show=lambda numbers: {"which": QUEUED[numbers["disk"]]},
        steps=_queue_steps,
        why="The nearest of many is near, but never at no distance.",
        reference=_sptf_gain,
        within=1.4,
        hints=("The arm still moves and the platter still turns. By how much do both get shorter?",),
        surprise="A queue does not make {depth} disks out of one: the nearest of {depth} sectors saves most of the "
        "seek and part of the turn, and the rest of both is paid as before.",
    ),
    Number(
        "lost-turn",
        "A program writes blocks of {block_sectors} sectors (512 bytes each) one after the other to a disk of {rpm} "
        "turns a minute with {track_sectors} sectors on a track. There is no cache, and the program thinks a moment "
        "after each block. How fast does it write? (Leave switches from track to track out.)",
        "kB/s",
        draw=_draw_turn,
        tolerance=0.025,
        reference=_lost_turn,
        steps=_lost_steps,
        why="The sector passed by while the program was thinking, and comes back a turn later.",
        hints=(
            "While the program thinks, the sector that it wants next passes the head.",
            "It comes back after a whole turn: one block per turn, and the time of the block itself.",
        ),
        mistakes=(
            (_media_rate, "that is the rate at which sectors pass the head; after a pause the next one is gone."),
            (
                lambda rpm, block_sectors, **_: block_sectors * 512 / 1e3 / (30 / rpm),
                "half a turn is the mean for random places; this sector has just passed, so it takes a whole turn.",
            ),
            (
                lambda **numbers: _lost_turn(**numbers) / 512 * 1e3,
                "those are sectors per second; the answer is wanted in bytes.",
            ),
        ),
    ),
    Number(
        "short-stroke",
        "Only the outermost {percent} % of the capacity of {disk} are used, for random reads of 4 KiB, one at a time. "
        "How many reads per second does it do?",
        "1/s",
        draw=_draw_short,
        tolerance=0.02,
        reference=_short_stroke(),
        steps=_short_steps,
        why="Only the seek gets shorter, and it less than the way: starting and settling remain.",
        hints=(
            'explore("disk_access_time", …) with that part of the disk; a read per second is 1 / time.',
            "The seek over a part is the curve's mean over that part. It does not shrink in proportion.",
        ),
        mistakes=(
            (
                _short_stroke(lambda whole, part, share: whole),
                "that is the whole disk; a shorter way takes less.",
            ),
            (
                _short_stroke(lambda whole, part, share: share * whole),
                "the seek does not shrink in proportion: the arm must start, brake and settle however short the way.",
            ),
            (_short_stroke(rotation=0.0), "the platter turns as fast as before: half a turn remains."),
        ),
    ),
    Number(
        "parity",
        "A RAID-5 of {disks} disks gets small random requests, {writes} % of them writes. Each disk alone does {rate} "
        "requests per second. How many requests per second does the array do at most?",
        "1/s",
        draw=_draw_parity,
        reference=_parity,
        steps=_parity_steps,
        why="A small write is four requests of disks, and parity goes round, so that all disks share them.",
        hints=(
            "A small write reads the old data and the old parity, and writes both.",
            "Requests of disks per request of the array: reads 1, writes 4. All disks share them.",
        ),
        mistakes=(
            (
                lambda **numbers: _parity(**numbers, level=0),
                "that is without parity; a write is more than one.",
            ),
            (
                lambda **numbers: _parity(**numbers, data=numbers["disks"] - 1),
                "no disk is set aside for parity: it goes round, so all of them work.",
            ),
            (
                lambda disks, rate, writes: disks * rate / (1 + writes / 100),
                "that counts two writes only; the old data and the old parity must be read first.",
            ),
        ),
    ),
)
