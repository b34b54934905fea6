"""A volume that plain Python can use: every verb returns the block requests that it makes."""

import numpy as np

from pagecost.errors import require
from pagecost.filesystem import driving_kernels as entry
from pagecost.filesystem import state_kernels as kernels
from pagecost.filesystem.driving import CANNOT_FREE, drive
from pagecost.filesystem.layouts import FileSystem
from pagecost.filesystem.recovery_kernels import recover
from pagecost.filesystem.state_kernels import new_plan

CAUSES = ("data", "metadata", "summary", "checkpoint", "cleaning: read", "cleaning: write", "log", "deleted")
"""Why a block is read or written, by number. "log": a partial segment, whose parts the counts of blocks tell."""


class Volume:
    """A volume of `volume_blocks` blocks with files laid out on it. kernel: as of `driving.drive`.

    Raises ModelError as `FileSystem.state`.
    """

    def __init__(
        self,
        file_system: FileSystem,
        volume_blocks: int,
        file_pages,
        page_bytes: int,
        laid_out: bool = True,
        kernel=entry.drive,
    ):
        self.file_system, self._kernel = file_system, kernel
        self.fs = file_system.state(volume_blocks, file_pages, page_bytes, laid_out=False)
        if laid_out:
            file_system.lay_out(self.fs, kernel)
        self.plan = new_plan(self.fs)

    def _call(self, verb: int, page: int = 0, pages: int = 1, now_s: float = 0.0) -> tuple[int, np.ndarray]:
        ((rows, _, returned),) = drive(
            self.fs,
            [verb],
            [page],
            pages=[pages],
            now_s=[now_s],
            keep=True,
            clean_first=False,
            plan=self.plan,
            kernel=self._kernel,
        )
        return int(returned[0]), rows

    def read(self, page: int) -> np.ndarray:
        """Read a page. Rows of (op, block, blocks, cause, stream), int64[n, 5]."""
        return self._call(entry.READ, page)[1]

    def write(self, page: int) -> np.ndarray:
        """Hand a changed page over."""
        return self._call(entry.WRITE, page)[1]

    def sync(self) -> np.ndarray:
        """Make durable what was handed over."""
        return self._call(entry.SYNC)[1]

    def delete(self, page: int, pages: int = 1) -> np.ndarray:
        """Pages hold nothing any more."""
        return self._call(entry.DELETE, page, pages)[1]

    def clean(self, now_s: float = 0.0) -> tuple[int, np.ndarray]:
        """One round of the cleaner: (segments that became clean, requests)."""
        freed, rows = self._call(entry.CLEAN, now_s=now_s)
        require(freed >= 0, CANNOT_FREE)
        return freed, rows

    @property
    def must_clean(self) -> bool:
        """Whether the next write has to wait for `clean`."""
        fs = self.fs
        return bool(
            fs.setting[kernels.KIND] != kernels.IN_PLACE and fs.at[kernels.CLEAN] <= fs.setting[kernels.RESERVE]
        )

    def crash(self, lost: int = 0) -> None:
        """Lose memory and the last `lost` blocks that were written, and mount again."""
        recover(self.fs, lost)
