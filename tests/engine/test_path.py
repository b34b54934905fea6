"""Stages that chain: bytes and requests are conserved in every allowed order, and a chain is what its parts are."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.chips import SMALL_CHIP
from pagecost import catalogue
from pagecost.buffer import replay
from pagecost.devices import disk, ftl, ssd
from pagecost.errors import ModelError
from pagecost.filesystem import InPlace, LogStructured, OutOfPlace
from pagecost.path import (
    MAY_FOLLOW,
    BufferStage,
    DiskStage,
    FileSystemStage,
    FtlStage,
    PageCacheStage,
    Path,
    SchedulerStage,
    SsdStage,
)
from pagecost.requests import READ, TRIM, WRITE, Requests

DISK = disk.Disk.of(catalogue.device("wd400bb"))
CHIP = SMALL_CHIP
SSD = ssd.Ssd(name="small", chip=CHIP, channels=2, dies_per_channel=2, blocks=24, spare=0.3, channel_bytes_per_s=40e6)
GEOMETRY = ftl.Geometry(blocks=64, pages_per_block=8, spare=0.2)
STAGES = {
    "buffer": BufferStage(5, "lru"),
    "page cache": PageCacheStage(pages=9, read_ahead_pages=4, expires=30),
    "file system": FileSystemStage(
        file_system=OutOfPlace(segment_bytes=8 * 4096, trim=True), volume_blocks=400, file_pages=305, sync_every=3
    ),
    "scheduler": SchedulerStage(disk=DISK, scheduler="sptf", depth=4),
    "disk": DiskStage(disk=DISK),
    "ssd": SsdStage(ssd=SSD, depth=4),
    "flash": FtlStage(geometry=GEOMETRY, chip=CHIP),
}
ORDERS = [()]
for at in itertools.count():
    if at == len(ORDERS):
        break
    ORDERS += [(*ORDERS[at], after) for after in MAY_FOLLOW[ORDERS[at][-1] if ORDERS[at] else ""]]
ORDERS = ORDERS[1:]


def made(rows, page_bytes=4096) -> Requests:
    """From (milliseconds since the one before, op, page, pages)."""
    gap_ms, op, page, pages = (np.array(column) for column in zip(*rows, strict=True))
    stream = page % 3
    arrival_s = np.cumsum(gap_ms) * 1e-3
    return Requests(arrival_s, op.astype(np.uint8), page, pages.astype(np.int32), stream.astype(np.int16), page_bytes)


def drawn(count=3000, pages=300, seed=1, write_share=0.4, gap_s=4e-3) -> Requests:
    """Skewed single-page reads and writes at random times."""
    random = np.random.default_rng(seed)
    return Requests(
        np.cumsum(random.exponential(gap_s, count)),
        np.where(random.random(count) < write_share, WRITE, READ),
        (pages * random.random(count) ** 3).astype(np.int64),
        np.ones(count, np.int32),
        np.zeros(count, np.int16),
        4096,
    )


REQUESTS = st.lists(
    st.tuples(
        st.sampled_from((0, 0, 1, 30)),
        st.sampled_from((READ, READ, WRITE, WRITE, TRIM)),
        st.integers(0, 60),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=40,
).map(made)


def test_the_orders_are_all_subsets_before_every_device_or_none():
    assert len(ORDERS) == len(set(ORDERS)) == 2**4 * 4 - 1
    assert {stage for order in ORDERS for stage in order} == set(STAGES)


@pytest.mark.parametrize("order", ORDERS, ids=" > ".join)
@settings(max_examples=12, deadline=None)
@given(requests=REQUESTS)
def test_bytes_and_requests_are_conserved_in_every_allowed_order(order, requests):
    journey = Path(*(STAGES[name] for name in order)).serve(requests)
    before = (requests.size, requests.bytes_of(READ), requests.bytes_of(WRITE), requests.bytes_of(TRIM))
    for account, name in zip(journey.accounts, order, strict=True):
        assert account.stage == name
        taken = account.requests_in, account.read_bytes_in, account.written_bytes_in, account.trimmed_bytes_in
        assert taken == before
        assert account.bytes_in - account.absorbed_bytes == account.bytes_out - account.added_bytes
        assert 0 <= account.absorbed_bytes <= account.bytes_in
        assert 0 <= account.held_bytes <= account.written_bytes_in
        if name in ("disk", "ssd", "flash"):
            assert account.written_bytes_out == account.written_bytes_in
            assert account.read_bytes_out == account.read_bytes_in
        if name in ("ssd", "flash"):
            assert account.programmed_bytes == account.written_bytes_in + account.copied_bytes
        before = account.requests_out, account.read_bytes_out, account.written_bytes_out, account.trimmed_bytes_out
    out = journey.requests
    assert before == (out.size, out.bytes_of(READ), out.bytes_of(WRITE), out.bytes_of(TRIM))
    assert out.page_bytes == requests.page_bytes
    assert (np.diff(out.arrival_s) >= 0).all()
    done_s = journey.accounts[-1].completion_s
    if done_s is not None:
        assert done_s.shape == (out.size,)
        assert (done_s > out.arrival_s).all()
        assert journey.accounts[-1].time_s >= done_s.max(initial=0.0) * (1 - 1e-12)


@pytest.mark.parametrize("order", ORDERS, ids=" > ".join)
@settings(max_examples=12, deadline=None)
@given(requests=REQUESTS, share=st.floats(0, 1))
def test_bytes_and_requests_are_conserved_behind_a_warm_up_too(order, requests, share):
    """Of a device with time: what it did for the warm-up and what it did behind it are what it did for both."""
    warm_up = round(share * requests.size)
    path = Path(*(STAGES[name] for name in order))
    journey, whole = path.serve(requests, warm_up), path.serve(requests)
    first = path.serve(requests.chosen(slice(warm_up)))
    rest = requests.chosen(slice(warm_up, None))
    before = (rest.size, rest.bytes_of(READ), rest.bytes_of(WRITE), rest.bytes_of(TRIM))
    for account, warm, both, name in zip(journey.accounts, first.accounts, whole.accounts, order, strict=True):
        taken = account.requests_in, account.read_bytes_in, account.written_bytes_in, account.trimmed_bytes_in
        assert taken == before
        assert account.bytes_in - account.absorbed_bytes == account.bytes_out - account.added_bytes
        assert min(account.absorbed_bytes, account.added_bytes, account.held_bytes) >= 0
        if "page cache" not in order or name != "file system":
            assert account.held_bytes <= account.written_bytes_in + warm.held_bytes
        if "page cache" not in order:  # the file below it may be smaller in the warm-up alone
            for side in ("bytes_in", "bytes_out", "requests_in", "requests_out", "programmed_bytes"):
                assert getattr(account, side) + getattr(warm, side) == pytest.approx(getattr(both, side)) or (
                    name in ("ssd", "flash", "disk") and side == "programmed_bytes"
                )
        if name in ("ssd", "flash"):
            assert account.programmed_bytes == account.written_bytes_in + account.copied_bytes
            if "scheduler" not in order and "page cache" not in order:
                assert account.erases + warm.erases == both.erases
                assert account.copied_bytes + warm.copied_bytes == both.copied_bytes
        before = account.requests_out, account.read_bytes_out, account.written_bytes_out, account.trimmed_bytes_out
    out = journey.requests
    assert before == (out.size, out.bytes_of(READ), out.bytes_of(WRITE), out.bytes_of(TRIM))
    done_s = journey.accounts[-1].completion_s
    if done_s is not None:
        assert done_s.shape == (out.size,)
        assert (done_s > out.arrival_s).all()


def test_without_a_warm_up_a_journey_is_what_it_was_and_more_than_all_cannot_warm_up():
    requests = drawn(500)
    path = Path(STAGES["buffer"], STAGES["page cache"], STAGES["disk"])
    plain, none = path.serve(requests), path.serve(requests, 0)
    for one, other in zip(plain.accounts, none.accounts, strict=True):
        assert one.row() == pytest.approx(other.row(), nan_ok=True)
    with pytest.raises(ModelError, match=r"0\.\.500 of the requests can warm the path up; got 501"):
        path.serve(requests, 501)


def test_a_warm_buffer_misses_as_the_second_part_of_the_whole_replay():
    requests = drawn(3000)
    hits = replay(*_references(requests, "lru", 40), each=True).hit
    warm = Path(BufferStage(40)).serve(requests, 1000)["buffer"]
    cold = Path(BufferStage(40)).serve(requests.chosen(slice(1000, None)))["buffer"]
    assert warm.absorbed_bytes == 4096 * int(hits[1000:].sum()) > cold.absorbed_bytes
    assert warm.read_bytes_out < cold.read_bytes_out


def test_a_warm_up_ages_the_flash_and_is_not_in_its_wear():
    """A fresh device takes its spare blocks first: no erase; behind a warm-up the same writes must collect."""
    random = np.random.default_rng(2)
    rows = [(1, WRITE, int(page), 1) for page in random.integers(0, SSD.logical_units, 3000)]
    stage = SsdStage(ssd=SSD, depth=4)
    early = stage.serve(made(rows[:60])).account
    late = Path(stage).serve(made(rows), 2940)["ssd"]
    assert early.erases == 0 < late.erases
    assert late.requests_in == 60
    assert late.time_s < 0.5 * made(rows).arrival_s[-1]
    aged = SsdStage(ssd=SSD, depth=4, passes=4, fill="at random").serve(made(rows[:60])).account
    assert aged.erases > 0


def test_trims_on_an_ssd_spare_it_copies_exactly_as_on_its_flash_without_time():
    """One die: the map sees what the flash stage sees, trims of several pages among the writes."""
    one = replace(SSD, channels=1, dies_per_channel=1, blocks=64, spare=0.2)
    random, rows = np.random.default_rng(4), []
    for page in random.integers(0, one.logical_units - 8, 4000).tolist():
        rows.append((1, WRITE, page, 1))
        if page % 3 == 0:
            rows.append((1, TRIM, page // 2, 4))
        if page % 7 == 0:
            rows.append((1, READ, page, 2))
    flash = FtlStage(geometry=one.geometry, chip=CHIP)
    with_trims, without = made(rows), made([row for row in rows if row[1] != TRIM])
    found, expected = (stage.serve(with_trims).account for stage in (SsdStage(ssd=one), flash))
    assert (found.erases, found.copied_bytes) == (expected.erases, expected.copied_bytes)
    untrimmed = SsdStage(ssd=one).serve(without).account
    assert found.copied_bytes < 0.8 * untrimmed.copied_bytes
    assert found.erases < untrimmed.erases
    assert found.absorbed_bytes == with_trims.bytes_of(TRIM)
    assert found.completion_s.shape == (without.size,)
    paced = SsdStage(ssd=replace(one, paced=True)).serve(with_trims).account
    assert paced.copied_bytes == found.copied_bytes


def buffer_by_hand(requests, frames):
    """LRU in plain Python: ([(arrival, op, page, pages, stream)] below it, hits, pages still dirty)."""
    held, stream_of, below, hits = {}, {}, [], 0
    columns = (requests.arrival_s, requests.op, requests.page, requests.pages, requests.stream)
    for arrival_s, op, page, pages, stream in zip(*(column.tolist() for column in columns), strict=True):
        if op == TRIM:
            below.append((arrival_s, TRIM, page, pages, stream))
            continue
        for each in range(page, page + pages):
            stream_of.setdefault(each, stream)
            dirty = held.pop(each, None)
            if dirty is None:
                if len(held) == frames:
                    victim = next(iter(held))
                    if held.pop(victim):
                        below.append((arrival_s, WRITE, victim, 1, stream_of[victim]))
                below.append((arrival_s, READ, each, 1, stream))
                dirty = False
            else:
                hits += 1
            held[each] = dirty or op == WRITE
    return below, hits, sum(held.values())


@settings(max_examples=60, deadline=None)
@given(requests=REQUESTS, frames=st.integers(1, 20))
def test_below_the_buffer_come_misses_and_changed_pages_in_time_order(requests, frames):
    passed = BufferStage(frames).serve(requests)
    below, hits, dirty = buffer_by_hand(requests, frames)
    out = passed.requests
    columns = (out.arrival_s, out.op, out.page, out.pages, out.stream)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == below
    assert passed.account.absorbed_bytes == 4096 * hits
    assert passed.account.held_bytes == 4096 * dirty


def test_what_a_stage_hands_on_cannot_be_written_to():
    passed = Path(BufferStage(10), DiskStage(disk=DISK)).serve(drawn(200))
    for array in (passed.requests.page, passed.requests.arrival_s, passed["disk"].completion_s):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("policy", ["lru", "cflru", "arc"])
def test_a_replay_chained_to_a_disk_is_the_replay_and_then_the_disk(policy):
    requests = drawn()
    journey = Path(BufferStage(40, policy), DiskStage(disk=DISK, scheduler="sptf", depth=8)).serve(requests)
    run = replay(*_references(requests, policy, 40), each=True, keep_written=True)
    assert (journey["buffer"].read_bytes_out, journey["buffer"].written_bytes_out) == (
        4096 * run.misses,
        4096 * run.write_backs,
    )
    rows, written = [], iter(run.written.tolist())
    for at, hit in enumerate(run.hit.tolist()):
        gone = int(run.write_backs_before[at] - (run.write_backs_before[at - 1] if at else 0))
        rows += [(requests.arrival_s[at], next(written), True) for _ in range(gone)]
        rows += [] if hit else [(requests.arrival_s[at], requests.page[at], False)]
    arrival_s, page, write = (np.array(column) for column in zip(*rows, strict=True))
    session = disk.Session(DISK, "sptf", 8, closed=False)
    alone = session.serve(page * 8, 8, write, arrival_s).in_order()
    account = journey["disk"]
    assert account.completion_s - journey.requests.arrival_s == pytest.approx(alone.response_s)
    assert (account.time_s, account.busy_s) == (alone.elapsed_s, alone.busy_s)
    assert math.isnan(account.energy_j)
    powered = replace(STAGES["disk"], scheduler="sptf", depth=8, idle_w=5.0, active_w=8.0)
    energy_j = Path(BufferStage(40, policy), powered).serve(requests).energy_j
    assert energy_j == pytest.approx(8 * alone.busy_s + 5 * alone.idle_s)


def _references(requests, policy, frames):
    pages, writes = requests.page_references()
    return pages, frames, policy, writes


def test_a_replay_chained_to_an_ssd_is_the_replay_and_then_the_ssd():
    requests = drawn(pages=200, gap_s=1e-4)
    journey = Path(BufferStage(40), SsdStage(ssd=SSD, depth=8, precondition=True)).serve(requests)
    below = BufferStage(40).serve(requests).requests
    session = ssd.Session(SSD, 8, closed=False)
    session.precondition()
    run = session.serve(below.page, below.op == WRITE, below.arrival_s, last=True)
    response_s = np.empty(run.size)
    response_s[run.number] = run.response_s
    account = journey["ssd"]
    assert account.completion_s - below.arrival_s == pytest.approx(response_s)
    assert account.programmed_bytes == run.counts.programmed_pages * 4096
    assert account.erases == run.counts.erases > 0
    assert account.write_amplification == pytest.approx(run.write_amplification)
    assert account.energy_j == pytest.approx(sum(run.energy_j.values()))
    assert account.time_s == run.elapsed_s


@pytest.mark.parametrize("policy", ["lru", "cflru", "fab:block_pages=8"])
def test_a_replay_chained_to_flash_is_the_replay_and_then_its_write_backs_on_a_filled_device(policy):
    """As the study of write clustering chains them, in its first pass."""
    requests = drawn(8000)
    journey = Path(BufferStage(60, policy), FtlStage(geometry=GEOMETRY)).serve(requests)
    run = replay(*_references(requests, policy, 60), keep_written=True)
    counts = ftl.Simulation(GEOMETRY, run.written).write(run.write_backs).counts
    assert journey["buffer"].written_bytes_out == 4096 * run.write_backs
    assert journey["buffer"].read_bytes_out == 4096 * run.misses
    assert journey["flash"].erases == counts.erases > 0
    assert journey["flash"].programmed_bytes == 4096 * counts.programmed_pages
    assert journey["flash"].copied_bytes == 4096 * counts.copied_pages
    assert math.isnan(journey.energy_j)


@pytest.mark.parametrize("scheduler", list(disk.SCHEDULERS))
@pytest.mark.parametrize(("gap_s", "closed"), [(4e-3, False), (30e-3, False), (4e-3, True)])
def test_a_scheduler_before_a_disk_in_order_of_arrival_is_the_disk_with_that_scheduler(scheduler, gap_s, closed):
    random = np.random.default_rng(3)
    requests = replace(drawn(400, gap_s=gap_s), page=random.integers(0, 4_000_000, 400))
    inside = DiskStage(disk=DISK, scheduler=scheduler, depth=6, closed=closed).serve(requests)
    before = SchedulerStage(disk=DISK, scheduler=scheduler, depth=6, closed=closed)
    outside = Path(before, DiskStage(disk=DISK, closed=closed)).serve(requests)
    assert outside["scheduler"].requests_out == 400
    if scheduler == "scan":  # the arm's way to the edge is the disk's own, and no order of requests
        return
    assert np.sort(outside["disk"].completion_s) == pytest.approx(np.sort(inside.account.completion_s))
    assert outside["disk"].time_s == pytest.approx(inside.account.time_s)
    done_s = dict(zip(outside.requests.page.tolist(), outside["disk"].completion_s.tolist(), strict=True))
    assert [done_s[page] for page in requests.page.tolist()] == pytest.approx(inside.account.completion_s.tolist())


def test_pages_become_units_of_the_device_and_sizes_that_do_not_divide_are_refused():
    eight = made([(0, READ, 3, 2), (1, WRITE, 10, 4)], page_bytes=8192)
    assert [column.tolist() for column in eight.in_units(512)] == [[48, 160], [32, 64]]
    assert [column.tolist() for column in eight.in_units(8192)] == [[3, 10], [2, 4]]
    whole = made([(0, READ, 2, 2), (1, WRITE, 12, 4)], page_bytes=8192)
    assert [column.tolist() for column in whole.in_units(16384)] == [[1, 6], [1, 2]]
    with pytest.raises(ModelError, match=r"begin and end at flash units of 16384 bytes; got pages \[3\] to \[5\]"):
        eight.in_units(16384, "flash units")
    with pytest.raises(ModelError, match="whole number of 512-byte sectors; got 1000 bytes"):
        replace(eight, page_bytes=1000).in_units(512)
    with pytest.raises(ModelError, match="whole number of 4096-byte flash units; got 6144 bytes"):
        SsdStage(ssd=SSD).serve(replace(eight, page_bytes=6144))
    with pytest.raises(ModelError, match="beyond 64-bit places"):
        replace(eight, page=np.array([0, 1 << 61])).in_units(512)


def test_pages_of_eight_kib_cost_what_eight_kib_cost():
    small = drawn(500)
    large = replace(small, page_bytes=8192)
    disks = [Path(BufferStage(40), DiskStage(disk=DISK)).serve(requests) for requests in (small, large)]
    assert disks[1]["disk"].bytes_in == 2 * disks[0]["disk"].bytes_in
    assert disks[1]["disk"].busy_s > disks[0]["disk"].busy_s
    wear = [
        Path(STAGES["buffer"], STAGES["flash"]).serve(requests)["flash"]
        for requests in (small, replace(large, page=small.page // 2))
    ]
    assert wear[1].written_bytes_in % 8192 == 0
    assert wear[1].programmed_bytes >= wear[1].written_bytes_in > 0


def test_a_request_of_several_pages_is_done_when_its_last_page_is():
    rows = [(0, WRITE, 0, 4), (1, READ, 0, 3), (0, READ, 8, 1)]
    account = SsdStage(ssd=SSD, depth=16).serve(made(rows)).account
    single, of = made(rows).singles()
    alone = SsdStage(ssd=SSD, depth=16).serve(single).account
    assert account.completion_s.tolist() == [alone.completion_s[of == request].max() for request in range(3)]
    assert (account.requests_in, alone.requests_in) == (3, 8)
    assert account.bytes_in == alone.bytes_in


@pytest.mark.parametrize(
    ("stages", "sentence"),
    [
        (("page cache", "buffer"), "buffer cannot follow page cache; file system, scheduler, disk, ssd, flash can"),
        (("disk", "ssd"), "ssd cannot follow disk; nothing can"),
        (("scheduler", "scheduler"), "scheduler cannot follow scheduler; disk, ssd, flash can"),
        ((), "a path needs at least one stage"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(stages, sentence):
    with pytest.raises(ModelError, match=sentence):
        Path(*(STAGES[name] for name in stages))


def test_an_account_is_asked_for_by_the_name_of_its_stage():
    journey = Path(BufferStage(10), DiskStage(disk=DISK)).serve(drawn(50))
    assert journey["buffer"].row()["requests_in"] == 50
    with pytest.raises(ModelError, match="this path has no stage 'ssd'; it has buffer, disk"):
        journey["ssd"]


@pytest.mark.parametrize("sync_every", [0, 1, 5])
@pytest.mark.parametrize(
    "file_system",
    [
        InPlace(trim=True),
        LogStructured(segment_bytes=32 * 4096, protection_period_s=0, cleaning_interval_s=0.5, trim=True),
        OutOfPlace(segment_bytes=32 * 4096, streams=3),
    ],
    ids=lambda file_system: type(file_system).__name__,
)
def test_a_file_system_conserves_bytes_and_its_blocks_are_whole_pages_and_metadata(file_system, sync_every):
    requests = drawn(4000, pages=900)
    rows = [(1, TRIM, page, 3) for page in range(0, 900, 100)]
    requests = requests.followed_by(replace(made(rows, 4096), arrival_s=requests.arrival_s[-1] + np.arange(9.0)))
    requests = replace(requests, page_bytes=8192)
    stage = FileSystemStage(file_system=file_system, volume_blocks=3600, file_pages=900, sync_every=sync_every)
    account = stage.serve(requests).account
    assert account.held_bytes == 0 or sync_every != 1
    assert account.written_bytes_out >= account.written_bytes_in - account.absorbed_bytes
    assert (account.trimmed_bytes_out > 0) == (
        file_system.trim and (sync_every > 0 or file_system != InPlace(trim=True))
    )
    reads = requests.bytes_of(READ)
    assert reads <= account.read_bytes_out + account.absorbed_bytes
    small = Path(stage, FtlStage(geometry=ftl.Geometry(blocks=80, pages_per_block=64, spare=0.2))).serve(requests, 1000)
    assert small["flash"].written_bytes_in == small["file system"].written_bytes_out


def test_a_file_larger_than_the_volume_or_a_cleaner_without_sleep_is_refused_in_a_sentence():
    stage = FileSystemStage(file_system=InPlace(), volume_blocks=200)
    with pytest.raises(ModelError, match="do not fit on a volume of 200"):
        stage.serve(drawn(50))
    with pytest.raises(ModelError, match=r"pages must be 0\.\.9; got"):
        replace(stage, file_pages=10).serve(drawn(50))
    often = FileSystemStage(file_system=LogStructured(cleaning_interval_s=1e-9), volume_blocks=1 << 17)
    with pytest.raises(ModelError, match=r"would wake .* times; make the interval longer"):
        often.serve(drawn(50))
