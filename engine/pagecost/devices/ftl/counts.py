"""What happened in flash below a translation layer, counted."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """What happened, in pages and blocks. Conservation: programmed = host + copied + merged + translation pages.

    copied: moved by garbage collection; merged: moved, or filled up, by merges; unused: erased without having been
    programmed, in blocks that were not full; reads: `host_reads` of the host (of them `missing_reads` of pages that
    hold nothing), `copy_reads`, `translation_reads`.
    """

    host_pages: int = 0
    copied_pages: int = 0
    merged_pages: int = 0
    translation_pages: int = 0
    programmed_pages: int = 0
    unused_pages: int = 0
    erases: int = 0
    switch_merges: int = 0
    partial_merges: int = 0
    full_merges: int = 0
    host_reads: int = 0
    missing_reads: int = 0
    copy_reads: int = 0
    translation_reads: int = 0
    trimmed_pages: int = 0
    wear_moves: int = 0

    def __sub__(self, earlier: "Counts") -> "Counts":
        return Counts(**{f.name: getattr(self, f.name) - getattr(earlier, f.name) for f in fields(self)})

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})

    @property
    def write_amplification(self) -> float:
        """Programmed pages per host page; nan before the first one."""
        return self.programmed_pages / self.host_pages if self.host_pages else float("nan")

    @property
    def wear_amplification(self) -> float:
        """Pages whose cycle is used up per host page, programmed or erased unused; nan before the first one.

        Erases times pages per block over host pages in the long run: what divides the cycles of the cells.
        """
        return (self.programmed_pages + self.unused_pages) / self.host_pages if self.host_pages else float("nan")
