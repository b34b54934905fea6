"""What a program's writes do to a drive: recorded calls, page cache, file system, translation layer, years, money."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pagecost import catalogue, programs
from pagecost.devices import ftl
from pagecost.devices.ftl import lifetime
from pagecost.economics import endurance
from pagecost.errors import ModelError, known, require, there_is
from pagecost.programs import Settings, Wear
from pagecost.programs.ledger import BLOCK_BYTES
from pagecost.remembering import remembered
from pagecost.units import format_seconds, grouped

PAGES_PER_BLOCK, SPARE = 64, 0.07  # of a drive of which neither is known
LEAST_PAGES, MOST_PAGES = 1 << 13, 1 << 17  # of the drive that is simulated; more only if the program writes to more
COLLECTION = "collection"
FLASH_CLASS = "flash"
ENDING = ".strace.gz"


@dataclass(frozen=True, kw_only=True)
class Drive:
    """What the life of a drive depends on. None and nan: not known. rated: its stated endurance, in words.

    layer: a translation layer (`ftl.LAYERS`); spare: 1 - logical / physical.
    """

    id: str
    name: str
    capacity_bytes: float
    spare: float
    pages_per_block: int
    layer: str
    program_erase_cycles: float | None
    rated_bytes: float | None
    rated: str
    price_usd: float


@dataclass(frozen=True, kw_only=True)
class Flash:
    """What a drive makes of a run that is repeated for ever.

    write_amplification: programmed per written; wear_amplification: erased per written in the long run, more where
    blocks are erased before they are full. simulated_pages: of the drive that was simulated; its share that the
    program writes to is `share`, of the real drive `true_share`.
    """

    write_amplification: float
    wear_amplification: float
    steady: bool
    simulated_pages: int
    share: float
    true_share: float


@dataclass(frozen=True, kw_only=True)
class Life:
    """How long a drive lasts at so many bytes to it a second, and what that costs; nan where it is not known.

    rated_years: until its stated endurance is written. cell_years: until its cells have stood their cycles, all blocks
    worn alike.
    """

    bytes_per_s: float
    rated_years: float
    cell_years: float
    usd_per_year: float

    @property
    def years(self) -> float:
        """By the stated endurance; where there is none, by the cells."""
        return self.cell_years if math.isnan(self.rated_years) else self.rated_years


def drives() -> dict[str, str]:
    """Id -> name of flash drives of which capacity and either endurance or cycles are known."""
    return {
        name: device.name
        for name, device in catalogue.devices().items()
        if FLASH_CLASS in device.device_class
        and device.get("capacity_bytes")
        and (endurance(device) or _cycles(device))
    }


def _cycles(device: catalogue.Device) -> float | None:
    chip = device.get("flash_chip")
    own = device.get("program_erase_cycles")
    if own is not None or chip not in catalogue.devices():
        return own
    return catalogue.device(chip).get("program_erase_cycles")


def drive(name: str) -> Drive:
    """A drive of the catalogue. Raises ModelError for one that is not known well enough."""
    device = catalogue.device(known("drive whose wear can be told", name, drives()))
    rated = endurance(device)
    chip = device.get("flash_chip")
    own = [device] + ([catalogue.device(chip)] if chip in catalogue.devices() else [])
    pages = next((int(one.value("pages_per_block")) for one in own if one.get("pages_per_block")), PAGES_PER_BLOCK)
    layer = device.get("translation_layer", "page")
    return Drive(
        id=name,
        name=device.name,
        capacity_bytes=device.value("capacity_bytes"),
        spare=device.get("spare_share", SPARE),
        pages_per_block=pages,
        layer=layer if layer in ftl.LAYERS else "page",
        program_erase_cycles=_cycles(device),
        rated_bytes=None if rated is None else rated.written_bytes,
        rated="no endurance is stated" if rated is None else rated.said,
        price_usd=device.price_usd,
    )


def flash(written: np.ndarray, on: Drive, seed: int = 1) -> Flash:
    """Repeat a run on a drive that is full otherwise, until the drive is steady. written: its blocks, in order.

    The drive is simulated small: where the program writes to a smaller share of the real one, collection costs less
    than here. nan where the run writes nothing.
    """
    if not written.size:
        return Flash(
            write_amplification=math.nan,
            wear_amplification=math.nan,
            steady=True,
            simulated_pages=0,
            share=0.0,
            true_share=0.0,
        )
    touched, pages = np.unique(written, return_inverse=True)
    true_share = touched.size * BLOCK_BYTES / on.capacity_bytes
    require(
        true_share <= 1,
        f"the program writes to {touched.size * BLOCK_BYTES} bytes, more than {on.name} holds; choose a larger drive",
    )
    wanted = min(max(touched.size / true_share, LEAST_PAGES), MOST_PAGES)
    logical = max(wanted, touched.size)
    blocks = math.ceil(logical / (1 - on.spare) / on.pages_per_block)
    geometry = ftl.Geometry(blocks=max(blocks, 32), pages_per_block=on.pages_per_block, spare=on.spare)
    writes = pages.size * math.ceil(geometry.logical_pages / pages.size)
    run = ftl.measure(geometry, pages.astype(np.int64), writes=writes, layer=on.layer, seed=seed, rounds=1)
    return Flash(
        write_amplification=run.write_amplification,
        wear_amplification=run.wear_amplification,
        steady=run.steady,
        simulated_pages=geometry.logical_pages,
        share=touched.size / geometry.logical_pages,
        true_share=true_share,
    )


def life(bytes_per_s: float, on: Drive, found: Flash) -> Life:
    """How long a drive lasts at a rate of bytes to it."""
    if bytes_per_s <= 0:
        return Life(bytes_per_s=0.0, rated_years=math.inf, cell_years=math.inf, usd_per_year=0.0)
    rated = math.nan if on.rated_bytes is None else lifetime.years(on.rated_bytes, bytes_per_s)
    cells = math.nan
    if on.program_erase_cycles is not None:
        total = lifetime.total_bytes_written(
            on.capacity_bytes, on.program_erase_cycles, found.wear_amplification, on.spare / (1 - on.spare)
        )
        cells = lifetime.years(total, bytes_per_s)
    years = cells if math.isnan(rated) else rated
    return Life(bytes_per_s=bytes_per_s, rated_years=rated, cell_years=cells, usd_per_year=on.price_usd / years)


def rate_bytes_per_s(size_bytes: float, seconds: float, runs_per_day: float = 0.0) -> float:
    """Bytes to the device a second, of runs that write so many and take `seconds`; runs_per_day 0: without a pause."""
    require(runs_per_day >= 0, f"runs a day must not be negative; got {runs_per_day}")
    if runs_per_day:
        return size_bytes * runs_per_day / lifetime.DAY_S
    return size_bytes / seconds if seconds > 0 else 0.0


def overlap_said(seconds: float, runs_per_day: float) -> str:
    """A sentence where so many runs a day, each of which takes so long [s], cannot go on one after the other; or ""."""
    at_once = seconds * runs_per_day / lifetime.DAY_S
    if at_once <= 1:
        return ""
    return (
        f"{grouped(runs_per_day)} runs a day of {format_seconds(seconds)} each do not fit one after the other: some "
        f"{at_once:.3g} go on at once, and are taken not to slow each other."
    )


def recordings() -> dict[str, str]:
    """Recordings that come with pagecost: name -> title."""
    return {
        path.name.removesuffix(ENDING): _title(path.name.removesuffix(ENDING))
        for path in sorted(_folder().glob(f"*{ENDING}"))
    }


def measured() -> list[dict[str, str]]:
    """What the device was seen to get in the runs of `recordings`: rows of wear.csv."""
    with (_folder() / "wear.csv").open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file))


def check(name: str) -> None:
    """Raise ModelError unless it is a recording's name or a file."""
    path_of(name)


def worn(name: str, settings: Settings) -> Wear:
    """The wear of a recording, by its name or the path of a file that `pagecost wear --keep` wrote."""
    return _worn(_file(name), settings)


def worn_flash(name: str, settings: Settings, on: Drive, seed: int = 1) -> Flash:
    """`flash` of all blocks that such a recording writes."""
    return _worn_flash(_file(name), settings, on, seed)


@dataclass(frozen=True)
class File:
    """A file as it is now: another one under its path is another value."""

    path: Path
    modified_ns: int
    size_bytes: int


@remembered
def _worn(file: File, settings: Settings) -> Wear:
    return programs.wear(programs.read(file.path), settings)


@remembered
def _worn_flash(file: File, settings: Settings, on: Drive, seed: int) -> Flash:
    return flash(_worn(file, settings).blocks, on, seed)


def _file(name: str) -> File:
    path = path_of(name)
    state = path.stat()
    return File(path, state.st_mtime_ns, state.st_size)


def _folder() -> Path:
    return catalogue.root() / "traces" / "wear"


def path_of(name: str) -> Path:
    if name in recordings():
        return _folder() / f"{name}{ENDING}"
    path = Path(name)
    if not (there_is(path) and path.is_file()):
        raise ModelError(
            f"there is no recording {name!r}: neither a file nor one of {', '.join(recordings())}; "
            "pagecost wear --keep FILE -- COMMAND makes one"
        )
    return path


def _title(name: str) -> str:
    words = name.split("-")
    if len(words) == 3:
        return f"SQLite {words[1]}, synced {words[2]}"
    return "PostgreSQL, order entry with checkpoints"
