"""Where the pages of an array lie, and which disks a read and a small write ask: `array_places(4)`.

What is drawn is what the model of an array makes of the requests (`pagecost.devices.disk.Array.place`).
"""

import numpy as np

from pagecost.devices.disk import Array
from pagecost.devices.disk.arrays import LEVELS
from pagecost.errors import require
from pagecost_app.pictures.drawing import Picture, box, text

ROWS, MOST = 6, 5  # of striping units that are drawn; disks, so that three arrays stand side by side
UNIT = 8  # sectors of a striping unit: a page of 4 KiB
DRAWN = (0, 1, 5)  # RAID-10 has no odd number of disks
WIDE, HIGH, TOP, APART = 44, 26, 52, 264  # pixels: of a unit, above the units, from an array to the next


def array_places(disks: int = 4, read: int = 2, write: int = 5) -> Picture:
    """RAID-0, 1 and 5 of so many disks side by side; read, write: the pages that a request is for.

    Raises ModelError for a number of disks that cannot be drawn, and for a page that is not on the picture.
    """
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in (disks, read, write))
    require(whole and 3 <= disks <= MOST, f"3 to {MOST} disks can be drawn; got {disks!r}")
    for page in (read, write):
        require(0 <= page < ROWS, f"pages 0 to {ROWS - 1} are in every array that is drawn; got {page}")
    drawn, said = [], []
    for number, level in enumerate(DRAWN):
        array, left = Array(disks=disks, level=level, unit_sectors=UNIT), 1 + number * APART
        drawn += [text(left, 14, f"RAID-{level}: {LEVELS[level]}", "b")]
        drawn += [text(left + WIDE * disk + WIDE / 2 - 2, 40, f"disk {disk + 1}", "m c") for disk in range(disks)]
        drawn += _units(array, left)
        asked = [_asked(array, page, flag) for page, flag in ((read, False), (write, True))]
        for parts, look, inset in zip(asked, ("way", "open"), (3, 1), strict=True):
            drawn += [
                box(x + inset, y + inset, WIDE - 4 - 2 * inset, HIGH - 4 - 2 * inset, look)
                for x, y in dict.fromkeys(_place(left, disk, row) for disk, row, _ in parts)
            ]
        reads = sum(not flag for _, _, flag in asked[1])
        writes = len(asked[1]) - reads
        cost = f"{reads} reads, then {writes} writes" if reads else f"{writes} write{'s' if writes > 1 else ''}"
        low = TOP + ROWS * HIGH + 18
        drawn += [text(left, low, f"read of {read}: {len(asked[0])} access", "m")]
        drawn += [text(left, low + 17, f"write of {write}: {cost}", "b")]
        said.append(f"RAID-{level}: {cost}")
    words = (
        f"Pages of an array of {disks} disks, P: parity of a row. Solid: whom a read of page {read} asks; dashed: whom "
        f"a small write of page {write} asks. A write costs {'; '.join(said)}."
    )
    return Picture("".join(drawn), TOP + ROWS * HIGH + 44, words)


def _asked(array: Array, page: int, write: bool) -> list[tuple[int, int, bool]]:
    """(disk, row, whether it is written) of every request that one for a page becomes."""
    made = array.place([page * UNIT], [UNIT], [write])
    return list(zip(made.member.tolist(), (made.lbn // UNIT).tolist(), made.write.tolist(), strict=True))


def _place(left: float, disk: int, row: int) -> tuple[float, float]:
    return left + disk * WIDE, TOP + row * HIGH


def _units(array: Array, left: float) -> list[str]:
    """Every unit of the first rows with the page that lies there, or P."""
    names = np.full((array.disks, ROWS), "", object)
    for page in range(ROWS * array.disks):
        parts = [(disk, row) for disk, row, _ in _asked(array, page, True) if row < ROWS]
        for disk, row in parts:
            parity = array.level == 5 and (disk, row) != parts[0]
            names[disk, row] = "P" if parity else str(page)
    drawn = []
    for (disk, row), name in np.ndenumerate(names):
        x, y = _place(left, disk, row)
        drawn += [box(x, y, WIDE - 4, HIGH - 4), text(x + WIDE / 2 - 2, y + HIGH / 2 + 2, name, "m c")]
    return drawn
