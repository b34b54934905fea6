"""The exercises of lesson 2: the hard disk."""

import random
from collections.abc import Callable

from pagecost import catalogue, studies
from pagecost.devices.disk import Array, Disk, Geometry, Zone, random_requests, sequential_unbuffered
from pagecost.devices.disk.seek import Constant
from pagecost_app.exercises.exercise import Exercise

PAUSE_S = 1e-4  # how long the program thinks; any time shorter than a turn gives the same


def _draw_turn(dice: random.Random) -> dict:
    return {
        "rpm": dice.choice((5400, 7200, 10000, 15000)),
        "track_sectors": dice.choice((1000, 2000)),
        "block_sectors": dice.choice((8, 16)),
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
    return {"disk": dice.choice(("wd400bb", "cheetah-15k5", "hp-97560")), "percent": dice.choice((5, 10, 20, 25))}


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
        "disks": dice.choice((4, 5, 6, 8, 10)),
        "rate": dice.choice((70, 80, 120, 150)),
        "writes": dice.choice((20, 30, 40, 50)),
    }


def _parity(disks, rate, writes, level=5, data=None) -> float:
    """Requests per second of an array whose disks do `rate` each."""
    return (data or disks) * rate / Array(disks=disks, level=level).ios_per_request(writes / 100)


def _sptf_gain() -> float:
    study = studies.find("disk_scheduling")
    inputs = study.inputs({"schedulers": ("sptf",), "depths": (32,), "detail_depth": 32, "span_bytes": 4e10})
    return float(study.compute(inputs)["gain"][0])


EXERCISES = (
    Exercise(
        "thirty-two-waiting",
        "A disk of 7200 turns a minute reads 4 KiB from random places all over it, one request at a time. Now 32 "
        "requests wait at all times, and the drive picks the one it can reach first. How many times as many requests "
        "does it do per second?",
        "1",
        draw=lambda dice: {},
        reference=_sptf_gain,
        within=1.4,
        hints=("The arm still moves and the platter still turns. By how much do both get shorter?",),
        surprise="A queue does not make 32 disks out of one: the nearest of 32 sectors saves most of the seek and part "
        "of the turn, and the rest of both is paid as before.",
    ),
    Exercise(
        "lost-turn",
        "A program writes blocks of {block_sectors} sectors (512 bytes each) one after the other to a disk of {rpm} "
        "turns a minute with {track_sectors} sectors on a track. There is no cache, and the program thinks a moment "
        "after each block. How fast does it write? (Leave switches from track to track out.)",
        "kB/s",
        draw=_draw_turn,
        tolerance=0.025,
        reference=_lost_turn,
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
    Exercise(
        "short-stroke",
        "Only the outermost {percent} % of the capacity of {disk} are used, for random reads of 4 KiB, one at a time. "
        "How many reads per second does it do?",
        "1/s",
        draw=_draw_short,
        tolerance=0.02,
        reference=_short_stroke(),
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
    Exercise(
        "parity",
        "A RAID-5 of {disks} disks gets small random requests, {writes} % of them writes. Each disk alone does {rate} "
        "requests per second. How many requests per second does the array do at most?",
        "1/s",
        draw=_draw_parity,
        reference=_parity,
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
