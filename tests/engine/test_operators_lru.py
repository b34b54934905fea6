"""What a join reads again with a buffer, against an LRU that is run (docs/models/operators.md#joins)."""

import itertools
from collections import OrderedDict
from functools import partial

import numpy as np
import pytest

from pagecost import studies
from pagecost.errors import ModelError
from pagecost.operators import IndexSize, Join, Size, joins
from pagecost.operators.lru import Picked, pages_read
from pagecost.operators.selection import cardenas, distinct_pages


class Lru:
    """Counts what is read through so many frames."""

    def __init__(self, frames: int):
        self.frames, self.pages, self.read = frames, OrderedDict(), 0

    def ask(self, page) -> bool:
        """Whether the page has to be read."""
        missing = page not in self.pages
        if missing and len(self.pages) == self.frames:
            self.pages.popitem(last=False)
        self.pages[page] = None
        self.pages.move_to_end(page)
        self.read += missing
        return missing


OUTER, INNER = Size(4000, 200, 2048), Size(12_000, 200, 2048)  # 400 and 1200 pages, 134 leaves, 2 levels above them


def read_at_work(share: float, frames: int, seed: int) -> dict[str, int]:
    """Pages of the index and of rows that probes in random order read, keys that have no partner among the others."""
    random = np.random.default_rng(seed)
    index, partners = IndexSize(INNER, 16), INNER.rows // OUTER.rows
    page_of_entry = random.permutation(INNER.rows) // INNER.rows_per_page
    lru, read = Lru(frames), {"index of S": 0, "rows of S": 0}
    levels = len(index.levels)
    joined = set(random.permutation(OUTER.rows)[: round(share * OUTER.rows)].tolist())
    for key in random.permutation(OUTER.rows).tolist():
        at = key * partners
        for level in range(levels - 1):
            read["index of S"] += lru.ask((level, at // index.per_page ** (levels - level)))
        entries = range(at, at + (partners if key in joined else 0))
        for leaf in range(at // index.per_page, max(entries.stop - 1, at) // index.per_page + 1):
            read["index of S"] += lru.ask((levels, leaf))
        for entry in entries:
            read["rows of S"] += lru.ask(("row", page_of_entry[entry]))
    return read


@pytest.mark.parametrize("share", [0.1, 1.0])
@pytest.mark.parametrize("memory", [50, 100, 400, 1000, 1400])
def test_index_nested_loops_reads_what_an_lru_of_its_memory_reads(share, memory):
    """The window of an LRU is taken as a number of picks, which it is in the mean: 2 % of all pages. Of the index, few
    of whose pages are read again where it is nearly held, 5 %."""
    plan = joins.buffered_index_nested_loops(Join(OUTER, INNER, memory, share))
    frames = memory - round(plan.accesses[0].pages)
    runs = [read_at_work(share, frames, seed) for seed in range(3)]
    found = {phase: np.mean([run[phase] for run in runs]) for phase in runs[0]}
    expected = dict.fromkeys(found, 0.0)
    for access in plan.accesses[1:]:
        expected[access.phase] += access.all_pages
    assert sum(expected.values()) == pytest.approx(sum(found.values()), rel=0.02)
    assert expected["index of S"] == pytest.approx(found["index of S"], rel=0.05)


def test_with_memory_for_both_tables_and_the_index_no_page_is_read_twice():
    """The leaf and the page of each row were read anew for each of them: 500 000 pages of a table of 10 000."""
    study = studies.find("joins_by_device")
    inputs = study.Inputs(memory_share=10, share=1.0, outer_rows=100_000, inner_rows=400_000)
    result = study.compute(inputs)
    index = IndexSize(Size(400_000, inputs.row_bytes, inputs.page_bytes))
    whole = sum(result.facts[name].number for name in ("outer_pages", "inner_pages")) + sum(index.levels)
    read = result["pages_read"][result.rows(method="index nested loops")]
    assert (read <= whole * (1 + 1e-9)).all()
    assert (read >= 0.99 * whole).all()  # every row has a partner
    assert any("LRU buffer of the index and the rows of S" in note for note in result.notes)


def test_more_memory_never_reads_more():
    read = [joins.buffered_index_nested_loops(Join(OUTER, INNER, memory)).pages_read for memory in range(4, 2000, 7)]
    assert all(more <= less * (1 + 1e-9) for less, more in itertools.pairwise(read))


@pytest.mark.parametrize("frames", [1, 30, 99])
def test_of_one_file_each_pick_behind_the_full_buffer_misses_the_pages_that_are_not_in_it(frames):
    """Mackert and Lohman 1989: (T - b) / T."""
    (few,), (many,) = (pages_read([Picked(picks, partial(cardenas, 100))], frames) for picks in (10_000, 11_000))
    assert many - few == pytest.approx(1000 * (100 - frames) / 100)


def test_a_row_that_fills_its_page_is_read_once_however_small_the_buffer():
    table = Size(500, 2048, 2048)
    assert pages_read([Picked(500, partial(distinct_pages, table))], 3) == pytest.approx([500])


def test_a_buffer_without_a_frame_is_refused():
    with pytest.raises(ModelError, match="a buffer must have a frame; got 0"):
        pages_read([], 0)
