"""Tables of rows in pages, and their indexes: how many pages they have, which rows stand in which page."""

import math
from dataclasses import dataclass, field

import numpy as np

from pagecost.errors import require
from pagecost.operators.run_times import require_page

RID_BYTES = 8  # a row's identifier: page and place in it
FILL = 0.7  # of a B+-tree's pages after random inserts (ln 2)


@dataclass(frozen=True)
class Size:
    """How large a table is. rows; row_bytes; page_bytes.

    Rows do not span pages. Raises ModelError for a table without rows, and for a row that does not fit into a page.
    """

    rows: int
    row_bytes: int
    page_bytes: int

    def __post_init__(self):
        require_page(self.page_bytes)
        require(self.rows >= 1, f"a table must have a row; got {self.rows}")
        require(
            1 <= self.row_bytes <= self.page_bytes,
            f"a row must have 1..{self.page_bytes} bytes to fit into a page; got {self.row_bytes}",
        )

    @property
    def rows_per_page(self) -> int:
        """Rows in a full page."""
        return self.page_bytes // self.row_bytes

    @property
    def pages(self) -> int:
        """Pages of the table."""
        return -(-self.rows // self.rows_per_page)

    def of_rows(self, rows: float) -> float:
        """Pages that so many rows fill."""
        return math.ceil(rows / self.rows_per_page)


@dataclass(frozen=True)
class IndexSize:
    """A B+-tree over a table: entries of entry_bytes, a key and a row's identifier, in pages filled to `fill`.

    Raises ModelError for pages that hold fewer than two entries, and for a fill outside 0..1.
    """

    table: Size
    entry_bytes: int = 8 + RID_BYTES
    fill: float = FILL

    def __post_init__(self):
        require(0 < self.fill <= 1, f"pages are filled to more than 0 and at most 1; got {self.fill:g}")
        require(
            self.per_page >= 2,
            f"an index page must hold at least two entries; {self.table.page_bytes} bytes filled to {self.fill:g} "
            f"hold {self.per_page} of {self.entry_bytes} bytes",
        )

    @property
    def per_page(self) -> int:
        """Entries of a page, leaf or not."""
        return int(self.table.page_bytes * self.fill) // self.entry_bytes

    @property
    def levels(self) -> tuple[int, ...]:
        """Pages of each level, root first, leaves last."""
        found = [-(-self.table.rows // self.per_page)]
        while found[0] > 1:
            found.insert(0, -(-found[0] // self.per_page))
        return tuple(found)

    @property
    def inner_levels(self) -> int:
        """Levels above the leaves."""
        return len(self.levels) - 1

    def leaves_of(self, entries: float) -> float:
        """Leaves that so many neighbouring entries touch (> 0), expected over where they begin."""
        return min(1 + (entries - 1) / self.per_page, self.levels[-1])


@dataclass(frozen=True, eq=False)
class Rows:
    """Real rows. columns: name -> int64[rows]; widths: name -> bytes of a value, 8 where it is not there.

    first_page: the table's place on the device; stream: which file it is. What the columns leave of row_bytes is filled
    with others. Raises ModelError for columns of different lengths, or wider together than a row.
    """

    size: Size
    columns: dict[str, np.ndarray]
    first_page: int = 0
    stream: int = 0
    widths: dict[str, int] = field(default_factory=dict)

    def __post_init__(self):
        lengths = {name: column.size for name, column in self.columns.items()}
        require(
            set(lengths.values()) == {self.size.rows},
            f"each column of a table of {self.size.rows} rows must have a value for each; got {lengths}",
        )
        wide = sum(self.width(name) for name in self.columns)
        require(
            wide <= self.size.row_bytes,
            f"the columns of a row must fit into its {self.size.row_bytes} bytes; got {wide}",
        )

    def width(self, name: str) -> int:
        """Bytes of a value of a column; 8 unless said."""
        return self.widths.get(name, 8)

    def page_of(self, rids: np.ndarray) -> np.ndarray:
        """The page on the device in which each row (its number) stands, int64, shape as `rids`."""
        return self.first_page + rids // self.size.rows_per_page

    @property
    def end_page(self) -> int:
        """The page behind the table's last."""
        return self.first_page + self.size.pages
