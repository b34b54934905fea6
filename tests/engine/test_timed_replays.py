"""A replay's time on a simulated SSD: the law of its operations, the order of the requests, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from pagecost import catalogue
from pagecost.answers.replays import opened, written_by
from pagecost.answers.timed_replays import chip_for, drive_for, timed
from pagecost.buffer import replay
from pagecost.devices.ssd import Session, theory
from pagecost.errors import ModelError
from pagecost.workload import sources

MTRON, CHIP, FRAMES = "mtron-pro-7500", "samsung-4gb-flash-chip", 256


@pytest.fixture(scope="module")
def source():
    return sources.named("sqlite-order-entry")


def test_a_drive_holds_the_database_and_keeps_its_share_of_spare_space(source):
    drive = drive_for(source, MTRON)
    pages = int(opened(source).references.ids.max()) + 1
    assert pages <= drive.logical_units < pages + drive.dies * drive.geometry.pages_per_block
    assert drive.spare == pytest.approx(catalogue.device(MTRON).value("spare_share"), abs=0.02)
    assert (drive.layer, drive_for(source, MTRON, "page").layer) == ("bast", "page")


@pytest.mark.parametrize("layer", ["bast", "page"])
def test_time_is_the_sum_of_the_operations(source, layer):
    drive = drive_for(source, MTRON, layer)
    found = timed(source, "cfdc", FRAMES, drive)
    copied = found.programmed - found.write_backs
    assert found.reads_s == found.misses * theory.alone_s(drive, write=False)
    operations_s = found.write_backs * theory.alone_s(drive, write=True) + found.erases * drive.chip.erase_s
    # one read of a flash page for up to `batch` copied units, so a pair of bounds
    assert operations_s + copied * (drive.program_s + drive.chip.read_s / drive.batch) <= found.writes_s * (1 + 1e-9)
    assert found.writes_s <= operations_s + copied * drive.copy_s * (1 + 1e-9)


def test_misses_and_write_backs_in_their_true_order_take_the_time_of_both_apart(source):
    drive = drive_for(source, MTRON)
    run = replay(opened(source).references, FRAMES, "lru", warm_up=source.warm_up, keep_written=True, each=True)
    misses = np.flatnonzero(~run.hit)
    references = opened(source).references
    ids = references.ids[references.pages[source.warm_up :][misses]]
    place = np.concatenate([run.write_backs_before[misses] + 0.5, np.arange(run.write_backs) + 1.0])
    order = np.argsort(place, kind="stable")
    pages = np.concatenate([ids, run.written])[order]
    flags = np.concatenate([np.zeros(ids.size, bool), np.ones(run.write_backs, bool)])[order]
    together, apart = Session(drive), Session(drive)
    whole_s = together.serve(pages, flags, last=True).elapsed_s
    writes_s = apart.serve(run.written, np.ones(run.write_backs, bool), last=True).elapsed_s
    assert whole_s == pytest.approx(writes_s + ids.size * theory.alone_s(drive, write=False), rel=1e-9)


def test_a_buffer_for_all_pages_pays_for_its_reads_only(source):
    everything = opened(source).references.distinct
    found = timed(source, "lru", everything, drive_for(source, MTRON))
    assert (found.write_backs, found.writes_s, found.erases) == (
        written_by(source, "lru", everything).write_backs,
        0,
        0,
    )
    assert found.total_s == found.reads_s > 0


def test_runs_are_paid_for_by_log_blocks_and_not_by_a_page_map(source):
    def ratio(layer):
        drive = drive_for(source, MTRON, layer)
        return timed(source, "cfdc", 1024, drive).total_s / timed(source, "cflru", 1024, drive).total_s

    assert ratio("bast") < 0.9 < 1 < ratio("page")


def test_a_device_whose_chips_are_not_known_is_refused(source):
    with pytest.raises(ModelError, match="unknown SSD whose chips are known 'wd800aajs'"):
        drive_for(source, "wd800aajs")


def test_one_chip_has_the_chips_own_times_and_reads_nothing_fitted(source):
    chip = chip_for(source, CHIP)
    assert (chip.dies, chip.batch, chip.layer) == (1, 1, "bast")
    own = catalogue.device(CHIP)
    moved_s = 4096 / own.value("channel_bytes_per_s")
    assert theory.alone_s(chip, write=True) == pytest.approx(own.value("page_program_s") + moved_s)
    found = timed(source, "lru", FRAMES, chip)
    slower = replace(chip, chip=replace(chip.chip, erase_s=2 * chip.chip.erase_s))
    assert timed(source, "lru", FRAMES, slower).writes_s - found.writes_s == pytest.approx(
        found.erases * own.value("block_erase_s")
    )
