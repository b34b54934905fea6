"""The exercises of lesson 1: what does a page access cost?"""

import random
from collections.abc import Callable

from pagecost import devices, studies
from pagecost.devices import Flash, HardDisk
from pagecost.units import format_bytes
from pagecost_app.exercises.exercise import Exercise

KIB = 1024


def _draw_disk(dice: random.Random) -> dict:
    return {
        "seek_ms": dice.choice((3.5, 4.7, 8.2, 8.9, 11.0)),
        "rpm": dice.choice((4200, 5400, 7200, 10000)),
        "rate_mb_s": dice.choice((40, 60, 65, 80)),
        "block_bytes": dice.choice((256, 384, 512)) * KIB,
    }


def _disk_terms(seek_ms, rpm, rate_mb_s, block_bytes) -> dict[str, float]:
    """The terms [ms] of one random read."""
    disk = HardDisk(
        name="the disk of the exercise",
        capacity_bytes=1e12,
        rotation_hz=rpm / 60,
        media_bytes_per_s=rate_mb_s * 1e6,
        average_seek_read_s=seek_ms / 1e3,
        average_seek_write_s=seek_ms / 1e3,
    )
    return {name: float(time) * 1e3 for name, time in disk.service("random read", block_bytes).terms.items()}


def _disk(left_out: tuple[str, ...] = (), turns: float = 1.0) -> Callable[..., float]:
    """A random read [ms] as someone sees it who leaves terms out, or counts `turns` times the rotational latency."""

    def time(**numbers):
        terms = _disk_terms(**numbers)
        terms["rotation_s"] *= turns
        return sum(value for name, value in terms.items() if name not in left_out)

    return time


def _draw_flash(dice: random.Random) -> dict:
    return {
        "pages": dice.choice((16, 32)),
        "read_us": dice.choice((50, 75, 100)),
        "program_us": dice.choice((200, 250, 300)),
        "erase_ms": dice.choice((1.5, 2.0, 3.5)),
    }


def _flash_terms(pages, read_us, program_us, erase_ms) -> dict[str, float]:
    """The terms [ms] of overwriting one page."""
    flash = Flash(
        name="the flash of the exercise",
        page_bytes=4 * KIB,
        pages_per_block=pages,
        page_read_s=read_us / 1e6,
        page_program_s=program_us / 1e6,
        block_erase_s=erase_ms / 1e3,
    )
    return {name: float(time) * 1e3 for name, time in flash.service("random write", 4 * KIB).terms.items()}


def _flash(*terms: str) -> Callable[..., float]:
    """The overwriting of a page [ms], all of it or only the named terms."""
    return lambda **numbers: sum(value for name, value in _flash_terms(**numbers).items() if not terms or name in terms)


def _draw_buffer(dice: random.Random) -> dict:
    return {
        "frames": dice.choice((512, 724, 1024, 1448, 2048)),
        "device": dice.choice(("intel-x25-e", "mtron-pro-7500")),
    }


def _buffer_cell(frames: int, device: str) -> dict[str, float]:
    """The row of LRU at the chosen size."""
    study = studies.find("buffer_size")
    result = study.compute(study.inputs({"frames": frames, "device": device, "policies": ("lru",)}))
    (row,) = result.rows(chosen=True)
    return {name: float(result[name][row]) for name in ("misses", "write_backs", "references", "read_s", "write_s")}


def _share(part: str, *whole: str) -> Callable[..., float]:
    """One column as a share [%] of the sum of some columns."""

    def share(**numbers):
        cell = _buffer_cell(**numbers)
        return 100 * cell[part] / sum(cell[name] for name in whole)

    return share


def _random_over_sequential() -> float:
    disk = devices.load("hgst-7k1000-750gb")
    return float(disk.service("random read", 4 * KIB).total_s / disk.service("sequential read", 4 * KIB).total_s)


EXERCISES = (
    Exercise(
        "random-or-sequential",
        "A 2007 hard disk of 7200 turns a minute reads 4 KiB pages, first from random places, then one after the "
        "other. How many times as long does a random page take as a sequential one?",
        "1",
        draw=lambda dice: {},
        reference=_random_over_sequential,
        within=2.0,
        hints=("Between two sequential pages the arm need not move. How long does it take to move it?",),
        surprise="Most people expect ten or twenty times: the arm and the platter move on a scale of milliseconds, the "
        "bits of one page pass the head in a fraction of one.",
    ),
    Exercise(
        "random-read",
        "A disk has an average seek of {seek_ms} ms, turns {rpm} times a minute and reads {rate_mb_s} MB/s. "
        "How long does one random read of {block} take on average, without command overhead?",
        "ms",
        draw=_draw_disk,
        show=lambda numbers: {"block": format_bytes(numbers["block_bytes"])},
        reference=_disk(),
        hints=(
            "Three terms: the arm moves, the platter turns, the bits pass the head.",
            "On average the page is half a turn away; a turn takes 60 s / rpm.",
            "MB are 1000 × 1000 bytes, KiB are 1024 bytes.",
        ),
        mistakes=(
            (_disk(turns=2), "that is a whole turn; on average the page is only half a turn away."),
            (_disk(("rotation_s",)), "the platter must also turn until the page is below the head."),
            (_disk(("transfer_s",)), "this block is large: its transfer takes milliseconds, too."),
            (_disk(("seek_s",)), "the reads are random: the arm has to move before each."),
            (_disk(("seek_s", "rotation_s")), "that is a sequential read: only the transfer."),
        ),
    ),
    Exercise(
        "overwrite",
        "An erase block of flash holds {pages} pages. Reading a page takes {read_us} µs, programming one "
        "{program_us} µs, erasing the block {erase_ms} ms. All its pages are in use. How long does it take to "
        "overwrite one page, if the block is merged at once?",
        "ms",
        draw=_draw_flash,
        tolerance=0.0015,
        reference=_flash(),
        hints=(
            "A page cannot be programmed again before its whole block is erased.",
            "The other pages must not get lost: each is read and programmed again.",
            "(b − 1) reads + b programs + 1 erase.",
        ),
        mistakes=(
            (_flash("page_program_s"), "that is a page programmed into an erased block; here the block is full."),
            (
                _flash("page_program_s", "block_erase_s"),
                "erasing takes the whole block: what happens to its other pages?",
            ),
            (
                lambda pages, program_us, erase_ms, **_: pages * program_us / 1e3 + erase_ms,
                "the other pages must be read before they can be programmed again.",
            ),
            (
                lambda pages, read_us, program_us, erase_ms: pages * (read_us + program_us) / 1e3 + erase_ms,
                "nearly: the page that is overwritten need not be read.",
            ),
        ),
    ),
    Exercise(
        "write-backs",
        "The recording of SQLite is replayed with {frames} frames under LRU on {device}. Which share of the "
        "device's time goes into writing dirty evictions?",
        "%",
        draw=_draw_buffer,
        reference=_share("write_s", "read_s", "write_s"),
        hints=(
            'explore("buffer_size", frames=…, device="…") and look at "The numbers", or use its table().',
            "Two columns are times per reference, one for reading and one for writing: write / (read + write).",
        ),
        mistakes=(
            (
                _share("write_backs", "misses", "write_backs"),
                "that is the share of the requests; a write takes longer here than a read.",
            ),
            (_share("read_s", "read_s", "write_s"), "that is the share of the reads."),
            (_share("write_backs", "references"), "that compares counts with references; compare times."),
            (
                _share("write_s", "read_s"),
                "that compares writing with reading; the share is of both together.",
            ),
        ),
    ),
)
