"""In-page logging against a slow twin that keeps every sector and every page, and node sizes against printed tables."""

import re
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import catalogue, operators, studies
from pagecost.buffer import replay
from pagecost.devices.nand import Chip
from pagecost.errors import ModelError
from pagecost.operators import GivenTimes, page_logging
from pagecost.operators.node_size import height, node_sizes
from pagecost.operators.page_logging import (
    IN_PAGE,
    IN_PLACE,
    LOG_STRUCTURED,
    Layout,
    Traffic,
    in_page,
    in_place,
    log_structured,
    traffic,
)

CHIP = Chip(name="small", page_bytes=2048, pages_per_block=64, read_s=80e-6, program_s=200e-6, erase_s=1.5e-3)
LEE_AND_MOON = Layout(CHIP, 8192, 1, 512)


class Unit:
    """An erase unit of the twin: what each page of data holds, and the sectors of its log, oldest first."""

    def __init__(self, layout: Layout, used: int):
        self.layout = layout
        self.content = [0] * layout.data_pages  # number of changes that a page on flash has
        self.log: list[tuple[int, int]] = [(-1, 0)] * used  # (page, changes)
        self.erases = 0

    def write(self, place: int, changes: int, sectors: int) -> int:
        """Log so many changes in so many sectors; programs that this takes."""
        programs = 0
        for number in range(sectors):
            if len(self.log) == self.layout.log_sectors:
                for page, logged in self.log:
                    if page >= 0:
                        self.content[page] += logged
                self.log, self.erases = [], self.erases + 1
                programs += self.layout.data_pages * self.layout.flash_pages
            self.log.append((place, changes if number == 0 else 0))
            programs += 1
        return programs

    def read(self, place: int) -> tuple[int, int]:
        """(changes that the page has, flash pages read for it)."""
        per_page = self.layout.programs_of_a_page
        logged = {at // per_page for at, (page, _) in enumerate(self.log) if page == place}
        changes = self.content[place] + sum(changes for page, changes in self.log if page == place)
        return changes, self.layout.flash_pages + len(logged)


STEPS = st.lists(st.tuples(st.integers(-1, 44), st.integers(-1, 44), st.integers(1, 30)), min_size=1, max_size=120)


@settings(max_examples=60, deadline=None)
@given(STEPS, st.integers(1, 3), st.integers(20, 3000))
def test_in_page_logging_does_what_a_twin_that_keeps_each_sector_does_and_no_change_is_lost(steps, log_pages, update):
    layout = Layout(CHIP, 8192, log_pages, 512)
    evicted, page, stay = (np.array(column, np.int64) for column in zip(*steps, strict=True))
    work = in_page(layout, Traffic(evicted, page, stay, updates=len(steps), pages=45), update)
    units = [Unit(layout, 1 + at % layout.log_sectors) for at in range(-(-45 // layout.data_pages))]
    changed, programs, reads, sectors = [0] * 45, 0, 0, 0
    for leaving, coming, changes in steps:
        if leaving >= 0:
            unit, place = divmod(leaving, layout.data_pages)
            needed = -(-changes * update // 512)
            changed[leaving] += changes
            programs += units[unit].write(place, changes, needed)
            sectors += needed
        if coming >= 0:
            unit, place = divmod(coming, layout.data_pages)
            held, read = units[unit].read(place)
            assert held == changed[coming]
            reads += read
    assert (work.programs, work.reads, work.sectors) == (programs, reads, sectors)
    assert work.erases == sum(unit.erases for unit in units)


def test_a_unit_of_128_kib_has_15_pages_and_16_sectors_and_a_merge_reads_programs_and_erases_all_of_it():
    """docs/models/operators.md#in-page-logging; 64 flash pages read, 60 programmed, one erase, by hand."""
    assert (LEE_AND_MOON.data_pages, LEE_AND_MOON.log_sectors) == (15, 16)
    one = Traffic(np.zeros(17, np.int64), np.full(17, -1), np.ones(17, np.int64), 17, 15)
    work = in_page(LEE_AND_MOON, one, 40)
    assert (work.sectors, work.erases) == (17, 1)
    times_s = work.times_s(CHIP)
    assert times_s["copy_s"] * 17 == pytest.approx(64 * 80e-6)
    assert times_s["program_s"] * 17 == pytest.approx((60 + 17) * 200e-6)
    assert times_s["erase_s"] * 17 == pytest.approx(1.5e-3)


@pytest.mark.parametrize("update_bytes", [20, 300, 2000])
def test_merges_are_the_sectors_over_those_of_a_log_region(update_bytes):
    """Half a log region in each of the units is undecided at both ends."""
    made = traffic(1500, 150, 20_000)
    work = in_page(LEE_AND_MOON, made, update_bytes)
    units = 1500 / LEE_AND_MOON.data_pages
    assert work.erases == pytest.approx(work.sectors / 16, abs=units)
    assert in_place(LEE_AND_MOON, made).erases == made.written.size


def test_traffic_is_that_of_an_lru_buffer_that_counts_the_updates_of_each_stay(monkeypatch):
    seen = []

    def noted(pages, *args, **named):
        seen.append(pages)
        return replay(pages, *args, **named)

    monkeypatch.setattr(page_logging, "replay", noted)
    made = traffic(60, 7, 500, 0.8, seed=3)
    held: OrderedDict[int, int] = OrderedDict()
    expected = []
    for at, page in enumerate(seen[0].tolist()):
        if page in held:
            held[page] += 1
            held.move_to_end(page)
            continue
        leaving = held.popitem(last=False) if len(held) == 7 else (-1, 0)
        held[page] = 1
        if at >= 500:
            expected.append((*leaving, page))
    assert list(zip(made.evicted.tolist(), made.stay.tolist(), made.page.tolist(), strict=True)) == expected


def test_stays_add_up_to_the_updates_that_left():
    """Every update of a page that left is in exactly one stay: of all updates, only those still held are missing."""
    made = traffic(200, 20, 3000, seed=2)
    whole = made.stay.sum()
    assert 3000 - 20 * made.stay.max() <= whole <= 3000 + 20 * made.stay.max()


def test_the_log_of_the_whole_device_has_the_space_of_the_log_regions():
    """A larger log region is more spare space there: fewer erases, at least one per unit of pages written."""
    made, erases = traffic(960, 48, 10_000), []
    for log_pages in (1, 4, 8):
        layout = Layout(CHIP, 8192, log_pages, 512)
        work = log_structured(layout, made)
        assert work.programs >= made.written.size * layout.flash_pages
        erases.append(work.erases)
    assert erases[0] > erases[1] > erases[2] >= made.written.size / 16


REFUSED = [
    (lambda: Layout(CHIP, 3072, 1, 512), "a database page must be a multiple of a flash page of 2048 bytes; got 3072"),
    (lambda: Layout(CHIP, 6144, 1, 512), "an erase unit of 131072 bytes must be two or more whole database pages"),
    (lambda: Layout(CHIP, 8192, 16, 512), "the log region must have 1..15 of the 16 pages of a unit; got 16"),
    (lambda: Layout(CHIP, 8192, 1, 600), "a log sector must divide a flash page of 2048 bytes; got 600"),
    (lambda: in_page(LEE_AND_MOON, traffic(90, 9, 1000), 0), "an update must change a byte; got 0"),
    (
        lambda: in_page(LEE_AND_MOON, traffic(90, 9, 1000), 8193),
        "an update must be of one database page, which has 8192 bytes; got 8193",
    ),
    (
        lambda: studies.find("in_page_logging").inputs({"update_bytes": 1 << 20, "page_bytes": 8192}),
        "an update must be of one database page, which has 8192 bytes; got 1048576",
    ),
    (lambda: traffic(10, 10, 100), "a buffer of 10 pages holds all 10: no page would ever leave it"),
    (lambda: traffic(100, 10, 100, 1.5), "the share of hot updates must lie within 0..1; got 1.5"),
    (lambda: node_sizes([16], GivenTimes(1, 1), 16), "a node must hold at least two entries of 20 bytes"),
    (lambda: node_sizes([4096], GivenTimes(1, 1), 4096, fill=1.2), "nodes are filled to more than 0 and at most 1"),
]


@pytest.mark.parametrize(("ask", "sentence"), REFUSED)
def test_what_cannot_be_is_refused_in_a_sentence(ask, sentence):
    with pytest.raises(ModelError, match=re.escape(sentence)) as error:
        ask()
    assert "\n" not in str(error.value)


def test_the_study_compares_three_ways_of_writing_and_keeps_its_books():
    study = studies.find("in_page_logging")
    small = {"pages": 1920, "updates": 10_000}
    result = study.compute(study.inputs(small))
    terms = sum(result[term] for term in ("read_s", "copy_s", "program_s", "erase_s"))
    assert result["time_per_update_s"] == pytest.approx(terms)
    rows = {method: result.rows(method=method, chosen=True)[0] for method in (IN_PLACE, LOG_STRUCTURED, IN_PAGE)}
    written = result.facts["pages_written"].number
    assert result["erases_per_update"][rows[IN_PLACE]] == pytest.approx(written)
    assert result["erases_per_update"][rows[IN_PAGE]] == pytest.approx(written / 16, rel=0.05)
    with pytest.raises(ModelError, match=r"the log region must have 1\.\.31"):
        study.compute(study.inputs({**small, "log_pages": 32}))


# node sizes --------------------------------------------------------------------------------------------------------

COMPUTED = {2: 0.60, 4: 0.69, 8: 0.76, 16: 0.79, 32: 0.77, 64: 0.68, 128: 0.53}
"""docs/models/operators.md#node-size: a disk of 10 ms and 10 MB/s; utility over cost [1/ms]."""


@pytest.mark.parametrize("kib", COMPUTED)
def test_utility_over_cost_of_a_disk_is_that_of_the_table(kib):
    found = node_sizes([1024 * kib], Linear(10e-3, 10e6), 1)
    assert found.per_second[0] / 1000 == pytest.approx(COMPUTED[kib], abs=0.006)


class Linear:
    """Latency and rate, as the papers on node sizes take them; a page is a byte."""

    def __init__(self, latency_s: float, bytes_per_s: float):
        self.latency_s, self.bytes_per_s = latency_s, bytes_per_s

    def run_s(self, pages, *, write: bool = False, at_once=np.inf):
        return self.latency_s + np.asarray(pages) / self.bytes_per_s


@pytest.mark.parametrize(
    ("latency_s", "bytes_per_s", "kib"),
    [(10e-3, 10e6, 16), (12e-3, 80e6, 128), (0.16e-3, 66e6, 2), (80e-6, 2e9, 32)],
)
def test_the_best_node_of_a_device_given_by_latency_and_rate(latency_s, bytes_per_s, kib):
    """Disks of 1997 and 2007, flash of 2007, NVMe: docs/models/operators.md#node-size."""
    sizes = np.array([1024 << step for step in range(10)])
    found = node_sizes(sizes, Linear(latency_s, bytes_per_s), 1)
    assert sizes[found.best] == 1024 * kib


def test_levels_are_those_of_a_tree_that_is_built_level_by_level():
    for rows, node in ((100, 512), (10**6, 4096), (10**9, 4096), (10**7, 65536)):
        entries, levels, reach = 0.7 * node / 20, 0, 1.0
        while reach < rows:
            levels, reach = levels + 1, reach * entries
        assert height(rows, node) == levels


def test_writing_nodes_makes_them_larger_where_a_random_write_is_dear_whatever_its_size():
    times = operators.on_device("mtron-pro-7500", 512)
    sizes = [512 << step for step in range(13)]
    read, both = (node_sizes(sizes, times, 512, writes=writes) for writes in (0.0, 1.0))
    assert both.node_bytes[both.best] > read.node_bytes[read.best]


def test_the_best_node_of_the_study_is_the_best_of_its_rows():
    study = studies.find("btree_node_size")
    result = study.compute(study.inputs())
    best = result.tables["best"]
    for row, device in enumerate(best["device"]):
        rows = result.rows(device=device)
        assert best["node_bytes"][row] == result["node_bytes"][rows[np.argmax(result["utility_hz"][rows])]]
        assert best["from_bytes"][row] <= best["node_bytes"][row] <= best["to_bytes"][row]
    assert catalogue.devices().keys() >= set(best["device"])


@pytest.mark.parametrize(("pages", "page_bytes"), [(7680, 8192), (262_144, 8192), (262_144, 65_536)])
def test_regions_are_merged_once_for_as_many_sectors_as_they_have_from_the_beginning(pages, page_bytes):
    """Within three standard deviations of a count of merges that come by chance, however many regions there are."""
    study = studies.find("in_page_logging")
    inputs = study.inputs({"pages": pages, "page_bytes": page_bytes})
    result = study.compute(inputs)
    (row,) = [at for at in result.rows(method=IN_PAGE) if result["chosen"][at]]
    sectors = result["sectors_per_update"][row] * inputs.updates
    expected = sectors / result.facts["log_sectors"].value
    merges = result["erases_per_update"][row] * inputs.updates
    assert abs(merges - expected) < 3 * expected**0.5 + 1
