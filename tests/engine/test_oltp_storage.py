"""The loop's storage: file systems and their cleaner, the page cache, the page writer, schedulers."""

import dataclasses

import numpy as np
import pytest

from helpers.file_systems import twin_of
from helpers.oltp_parts import of_pages, pages_at_random, storage
from pagecost import oltp
from pagecost.errors import ModelError
from pagecost.filesystem import InPlace, LogStructured, OutOfPlace
from pagecost.intervals import batch_interval
from pagecost.oltp.setup import Buffer, Log, PageCache, Processors, Setup
from pagecost.workload.tpcc import TpcC
from twins.filesystem import WRITE
from twins.oltp import Twin

TPCC = oltp.tpcc(TpcC(warehouses=2), transactions=3000)
LOG_FILE = Log(file_bytes=8 * 2**20)
SMALL = LogStructured(segment_bytes=2**19, protection_period_s=0.0, min_clean=0.2, max_clean=0.3)


def on(layout, device="mtron-pro-7500", **changes):
    drive = oltp.drive(device) if isinstance(device, str) else device
    common = {"users": 8, "buffer": Buffer(frames=300), "log": LOG_FILE, "volume_bytes": 600e6}
    return Setup(**{**common, "file_system": layout, "storage": oltp.Storage(drive=drive), **changes})


# File systems


@pytest.mark.parametrize("layout", [InPlace(), SMALL, OutOfPlace(segment_bytes=2**19)], ids=lambda x: type(x).__name__)
def test_every_block_that_a_file_system_writes_has_a_cause_and_comes_to_the_device(layout):
    made = oltp.run(on(layout), TPCC, transactions=1500, fill=500)
    for operation in ("read", "write"):
        by_cause = sum(size for (_, op), size in made.by_cause.items() if op == operation)
        assert made.moved_bytes["file system", operation] == by_cause
        # what waits at the beginning and at the end, of every user and of the log
        assert made.moved_bytes["device", operation] == pytest.approx(by_cause, rel=0.02, abs=2**19)
    data = made.by_cause["data", "write"]
    assert data >= made.counts["page writes"] * 4096 - 2**19
    assert sum(made.composition.values()) == pytest.approx(made.response_s)


@pytest.mark.parametrize(
    ("layout", "checkpoint_s", "joined"),
    [
        (None, 0.5, {}),
        (InPlace(cached_metadata_blocks=2), 0.0, {}),
        (LogStructured(cached_metadata_blocks=4, syncs_per_checkpoint=3), 0.5, {}),
        (OutOfPlace(syncs_per_checkpoint=10), 0.0, {}),
        (LogStructured(cached_metadata_blocks=4, syncs_per_checkpoint=3), 0.5, {"count": 3, "parities": 1}),
        (OutOfPlace(syncs_per_checkpoint=10), 0.5, {"count": 5, "parities": 2}),
    ],
    ids=["checkpoints", "in place", "log-structured, checkpoints", "out of place", "with a parity", "with two"],
)
def test_a_loop_with_a_file_system_and_checkpoints_agrees_with_the_slow_twin(layout, checkpoint_s, joined):
    """Few blocks of metadata are held, so that most of what is read are metadata, where the layout reads any."""
    load = pages_at_random(30_000, references=3, pages=6000, write_share=0.4)
    blocks = 400_000  # more than all runs write: no segment is short, and no cleaner wakes
    slow = {"read_s": 1e-3, "write_s": 5e-4}
    twin_file_system = None
    if layout:
        twin_file_system = twin_of(layout, layout.state(blocks, load.pages, 4096, laid_out=False))
        for page in range(load.pages):
            twin_file_system.write(page)
        twin_file_system.sync()
        twin_file_system.memory.clear()  # that was long ago
    given = {"users": 6, "think_s": 0.08}
    twin = Twin(
        load,
        **given,
        **slow,
        transaction_s=2e-3,
        frames=800,
        fill=3000,
        seed=2,
        log_s=1e-3,
        file_system=twin_file_system,
        checkpoint_s=checkpoint_s,
        devices=joined.get("count", 1),
        parities=joined.get("parities", 0),
    )
    _, responses = twin.run(8000, 400)
    setup = Setup(
        **given,
        processors=Processors(transaction_s=2e-3),
        buffer=Buffer(frames=800),
        log=Log(storage=storage(write_s=1e-3)),
        file_system=layout,
        volume_bytes=blocks * 4096 if layout else None,
        cleaning=False,
        checkpoint_interval_s=checkpoint_s or None,
        storage=storage(**slow, **({"stripe_bytes": 4096, **joined} if joined else {})),
    )
    made = oltp.run(setup, load, transactions=20_000, fill=3000)
    mean_s, half_s = batch_interval(responses)
    assert half_s < 0.05 * mean_s
    assert abs(made.response_s - mean_s) < 1.5 * (half_s + made.half_width_s)
    if joined:
        written = (made.requests["device", "write"] - made.counts["log writes"]) / made.transactions
        assert written == pytest.approx(twin.served[WRITE] / 8400, rel=0.04)  # two runs of other lengths: 1 to 4 %
        # Long writes read at their ends alone, where rows are not whole: some 300 of the twin and 700 of the engine,
        # each of which ends at one place of a row or another (2 reads or 4, or none)
        replaced = made.requests["device", "read"] - made.moved_bytes["file system", "read"] / 4096
        assert replaced / made.transactions == pytest.approx(twin.replacing / 8400, rel=0.25)
        assert replaced / made.transactions < 0.1 * written


def test_a_log_structured_file_system_writes_more_in_fewer_and_larger_requests():  # Wang 2011, Figs. 7 to 9
    in_place, log = (oltp.run(on(layout), TPCC, transactions=1500, fill=500) for layout in (InPlace(), SMALL))
    logical = in_place.moved_bytes["database", "write"]
    assert log.moved_bytes["database", "write"] == pytest.approx(logical, rel=0.05)
    assert log.moved_bytes["device", "write"] > 1.5 * logical
    assert log.mean_request_bytes("device", "write") > 4 * in_place.mean_request_bytes("device", "write")
    assert log.requests["device", "write"] < 0.5 * in_place.requests["device", "write"]


def test_a_log_pays_where_random_writes_are_slow():
    gain = {}
    for device in ("mtron-pro-7500", "intel-x25-e"):
        made = [oltp.run(on(layout, device), TPCC, transactions=1500, fill=500).tps for layout in (InPlace(), SMALL)]
        gain[device] = made[1] / made[0]
    assert gain["mtron-pro-7500"] > 5
    assert gain["intel-x25-e"] < 0.5 * gain["mtron-pro-7500"]


def test_the_more_often_a_log_is_cleaned_the_less_is_done():
    tps, moved = [], []
    for interval_s in (1e6, 1.0, 0.1):
        layout = dataclasses.replace(
            SMALL, cleaning_interval_s=interval_s, min_clean=0.0, segments_per_clean=8, trim=True
        )
        made = oltp.run(on(layout, volume_bytes=1.5e9), TPCC, seconds=6, fill=300)
        tps.append(made.tps)
        moved.append(made.by_cause.get(("cleaning: read", "read"), 0))
        assert (made.counts["segments freed"] > 0) == (interval_s < 10)
        assert (made.requests["device", "trim"] > 0) == (interval_s < 10)
    assert tps[0] > tps[1] > tps[2]
    assert moved[0] == 0 < moved[1] < moved[2]


def test_who_finds_no_clean_segment_waits_for_the_cleaner():
    load = pages_at_random(references=2, pages=8000, write_share=1.0, transactions=20_000)
    layout = dataclasses.replace(SMALL, selection="greedy")
    setup = on(
        layout,
        cleaning=False,
        volume_bytes=70e6,
        log=dataclasses.replace(LOG_FILE, file_bytes=2**20, buffer_bytes=2**20),
    )
    made = oltp.run(setup, load, transactions=8000, fill=300)
    assert made.counts["segments freed"] > 20
    assert made.composition["cleaning_s"] > 0
    assert sum(made.composition.values()) == pytest.approx(made.response_s)
    protected = dataclasses.replace(setup, file_system=dataclasses.replace(layout, protection_period_s=1e6))
    with pytest.raises(ModelError, match="cannot free a segment"):
        oltp.run(protected, load, transactions=15_000, fill=300)


def test_a_file_system_larger_than_its_device_is_refused():
    with pytest.raises(ModelError, match="larger than its device"):
        oltp.run(on(InPlace(), "cheetah-15k5", volume_bytes=1e12), TPCC, transactions=1)
    with pytest.raises(ModelError, match="of 100 GB is larger than its device, Intel X25-E 64 GB, which holds 64 GB"):
        oltp.run(on(InPlace(), "intel-x25-e", volume_bytes=1e11), TPCC, transactions=1)
    with pytest.raises(ModelError, match="one size of blocks"):
        on(InPlace(block_bytes=1024))


@pytest.mark.parametrize("layout", [InPlace(), None])
def test_a_database_larger_than_its_devices_is_refused_with_a_file_system_and_without(layout):
    many = dataclasses.replace(TPCC, pages=20_000_000)
    for device, holds in (("intel-x25-e", "64 GB"), ("cheetah-15k5", "73.4 GB")):
        with pytest.raises(ModelError, match=rf"for the 8.* GB of TPC-C and its log is larger .* which holds {holds}"):
            oltp.run(on(layout, device), many, transactions=1)
    two = oltp.Storage(drive=oltp.drive("intel-x25-e"), count=2)
    assert oltp.run(on(None, storage=two), many, transactions=1).transactions == 1


def test_a_log_larger_than_its_own_device_is_refused():
    small = oltp.drive("fernando-memory-stick")
    log = dataclasses.replace(LOG_FILE, file_bytes=2 * 10**9, storage=oltp.Storage(drive=small))
    with pytest.raises(ModelError, match="for the 2 GB of the log is larger than its device, Sony Memory Stick"):
        oltp.run(on(None, log=log), TPCC, transactions=1)


# Page writer and page cache


def test_a_page_writer_makes_larger_requests_and_fewer_syncs():
    load = pages_at_random(references=2, pages=20_000, write_share=1.0, transactions=4000)
    slow = on(SMALL, log=None, storage=storage(1e-4, 5e-3), processors=Processors(transaction_s=1e-3))
    alone, batch = (
        oltp.run(dataclasses.replace(slow, buffer=Buffer(frames=300, write_batch=pages)), load, transactions=2000)
        for pages in (1, 8)
    )
    assert batch.counts["page writes"] == pytest.approx(alone.counts["page writes"], rel=0.02)
    assert batch.counts["syncs"] < 0.5 * alone.counts["syncs"]
    assert batch.moved_bytes["device", "write"] < alone.moved_bytes["device", "write"]


def test_a_page_cache_answers_reads_and_writes_go_through():
    without = oltp.run(on(None), TPCC, transactions=1500, fill=1000)
    made = oltp.run(on(None, page_cache=PageCache(pages=20_000)), TPCC, transactions=1500, fill=1000)
    assert made.counts["page cache reads"] == made.counts["page reads"]
    missed = made.counts["page reads"] - made.counts["page cache hits"] + made.counts["pages read ahead"]
    assert made.moved_bytes["file system", "read"] == missed * 4096 < 0.8 * without.moved_bytes["file system", "read"]
    assert made.moved_bytes["file system", "write"] == pytest.approx(
        without.moved_bytes["file system", "write"], rel=0.02
    )


def test_pages_that_wait_in_the_page_cache_are_written_once_and_by_the_flusher():
    load = pages_at_random(references=2, pages=1000, write_share=0.5, transactions=60_000)
    waiting = PageCache(pages=4000, synchronous=False, flush_interval_s=1.0, expire_s=2.0)
    setup = Setup(
        users=4, buffer=Buffer(frames=200), page_cache=waiting, log=None, storage=storage(1e-3, 2e-4, merge_bytes=65536)
    )
    made = oltp.run(setup, load, transactions=40_000)
    assert made.composition["write_s"] == 0.0  # nobody waits for the device
    assert 0 < made.counts["pages flushed"] < 0.8 * made.counts["page writes"]  # written again while it waits: once
    assert made.moved_bytes["file system", "write"] == made.counts["pages flushed"] * 4096
    narrow = dataclasses.replace(waiting, dirty_share=0.02, background_share=0.02)
    throttled = oltp.run(dataclasses.replace(setup, page_cache=narrow), load, transactions=10_000)
    assert throttled.composition["write_s"] > 0.0


def test_the_window_of_read_ahead_doubles_while_a_user_reads_on():
    load = of_pages(np.arange(2000), False, 20)
    for most in (32, 0):  # windows of 1, 4, 8, 16, 32, 32, … pages; of 1
        setup = Setup(
            users=1,
            processors=Processors(transaction_s=1e-4),
            buffer=Buffer(frames=1),
            page_cache=PageCache(pages=300, read_ahead_pages=most),
            log=None,
            storage=storage(),
        )
        made = oltp.run(setup, load, transactions=90)
        reads = 1800 if not most else 4 + len(range(29, 1800, 32))
        assert made.requests["file system", "read"] == pytest.approx(reads, abs=2)
        assert made.counts["pages read ahead"] == pytest.approx(1800 - reads, abs=32 if most else 0)


# Schedulers

DISK = oltp.drive("hgst-7k1000-750gb")


@pytest.mark.parametrize("scheduler", oltp.SCHEDULERS)
def test_every_scheduler_serves_everything(scheduler):
    load = pages_at_random(references=3, pages=500_000, write_share=0.3, transactions=3000)
    setup = Setup(users=30, buffer=Buffer(frames=100), storage=oltp.Storage(drive=DISK, scheduler=scheduler))
    made = oltp.run(setup, load, transactions=2000)
    for operation in ("read", "write"):
        handed, done = made.moved_bytes["file system", operation], made.moved_bytes["device", operation]
        assert 0 <= handed - done <= 31 * 2 * 4096
    assert made.percentiles[99] < 30 * made.response_s


def test_an_elevator_carries_more_than_the_order_of_arrival():
    load = pages_at_random(references=1, pages=10_000_000, transactions=8000)
    tps = {}
    for scheduler in ("noop", "c-look", "deadline"):
        disk = oltp.Storage(drive=oltp.drive("cheetah-15k5"), scheduler=scheduler)
        setup = Setup(
            users=30, processors=Processors(transaction_s=0.0), buffer=Buffer(frames=30), log=None, storage=disk
        )
        tps[scheduler] = oltp.run(setup, load, transactions=4000).tps
    assert tps["c-look"] > 1.3 * tps["noop"]
    assert tps["deadline"] > 1.3 * tps["noop"]


def test_an_anticipatory_scheduler_helps_processes_that_read_on():
    starts = np.random.default_rng(1).permutation(300) * 2000
    load = of_pages((starts[:, None] + np.arange(400)).ravel(), False, 400)
    made = {}
    for scheduler in ("deadline", "anticipatory"):
        disk = oltp.Storage(drive=DISK, scheduler=scheduler)
        setup = Setup(
            users=4, processors=Processors(transaction_s=0.04), buffer=Buffer(frames=8), log=None, storage=disk
        )
        made[scheduler] = oltp.run(setup, load, transactions=40)
    waited = made["anticipatory"].counts
    assert made["deadline"].counts["anticipations"] == 0 < waited["anticipations won"] <= waited["anticipations"]
    assert made["anticipatory"].tps > 1.3 * made["deadline"].tps


# Drives


def test_a_request_is_sequential_where_one_of_the_latest_ended():
    def seconds(page, streams):
        drive = oltp.drive("mtron-pro-7500", streams=streams)
        setup = Setup(
            users=1,
            processors=Processors(transaction_s=0.0),
            buffer=Buffer(frames=1),
            log=None,
            storage=oltp.Storage(drive=drive),
        )
        made = oltp.run(setup, of_pages(page, True, 1), transactions=900)
        return made.composition["write_s"]

    side_by_side = np.stack([np.arange(500), np.arange(500) + 5000], axis=1).ravel()
    assert seconds(side_by_side, 2) < 1e-4 < 7e-3 < seconds(side_by_side, 1)
    assert seconds(np.random.default_rng(1).permutation(1000) * 3, 4) > 7e-3


def test_large_sequential_writes_can_be_slower_by_a_factor():
    slow = oltp.drive("intel-x25-e", slow_above_bytes=32768, slow_factor=2.0)
    usual, slower = (each.times_s(4096)[0] for each in (oltp.drive("intel-x25-e"), slow))
    assert np.array_equal(usual[:, :, :4], slower[:, :, :4])
    assert np.allclose(slower[1, 1, 4:], 2 * usual[1, 1, 4:])
    assert np.array_equal(usual[0], slower[0])
