"""The walk through the path: any way to an event ends in the same state, and its counts are those of the stages."""

import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.buffer.policies import POLICIES
from pagecost.devices.ftl.layers import PageMap, verify
from pagecost.errors import ModelError
from pagecost.filesystem.state_kernels import WAITS
from pagecost.oscaches import Host
from pagecost.path import BufferStage, DiskStage, SsdStage
from pagecost.requests import READ, TRIM, WRITE, Requests
from pagecost.walk import DEVICES, FILE_SYSTEMS, LAYERS, Setup, Walker, events
from pagecost.walk.arm import BLOCK_SECTORS, disk
from pagecost.walk.memory import READ_AHEAD
from pagecost.walk.setup import MOST_FRAMES, PAGE_BYTES
from pagecost.walk.system import PLAIN_REFERENCES

SYSTEMS = [(system, device) for system in FILE_SYSTEMS for device in DEVICES]
ON_FLASH = pytest.mark.parametrize("file_system", FILE_SYSTEMS)
EVERYWHERE = pytest.mark.parametrize(("file_system", "device"), SYSTEMS)


@pytest.fixture(scope="module")
def walker():
    """walker(file system, device, **rest) -> the walk of TPC-C, at its end; each is made once."""
    made: dict[Setup, Walker] = {}

    def make(file_system="in place", device="flash", **rest):
        setup = Setup(**{"load": "tpc-c", "transactions": 60, "file_system": file_system, "device": device, **rest})
        if setup not in made:
            made[setup] = Walker(setup)
        made[setup].jump(made[setup].size)
        return made[setup]

    return make


def of_kind(walk, *kinds):
    return [event for event in walk.system.events if event.kind in kinds]


def requests_of(rows) -> Requests:
    """Requests from (op, page, pages), all at once."""
    op, page, pages = (np.array(column) for column in zip(*rows, strict=True))
    size = op.size
    columns = (op.astype(np.uint8), page.astype(np.int64), pages.astype(np.int32), np.zeros(size, np.int16))
    return Requests(np.zeros(size), *columns, PAGE_BYTES)


@EVERYWHERE
@settings(deadline=None, max_examples=5)
@given(stops=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_any_walk_ends_in_the_state_of_a_fresh_replay(walker, file_system, device, stops):
    walked = walker(file_system, device, transactions=8)
    for stop in stops:
        walked.jump(round(stop * walked.size))
        walked.back()
        walked.forward()
    fresh = Walker(walked.setup)
    while fresh.position < walked.position:
        fresh.forward()
    assert fresh.state_hash() == walked.state_hash()
    assert fresh.system.events == walked.system.events


def same_walk_compiled(setup: Setup, monkeypatch) -> Walker:
    """A walk whose models are machine code, however short it is."""
    with monkeypatch.context() as patched:
        patched.setattr("pagecost.walk.system.PLAIN_REFERENCES", 0)
        return Walker(setup)


@EVERYWHERE
def test_models_in_plain_python_and_compiled_walk_alike(walker, file_system, device, monkeypatch):
    walked = walker(file_system, device)
    assert walked.load.page.size <= PLAIN_REFERENCES
    compiled = same_walk_compiled(walked.setup, monkeypatch)
    compiled.jump(compiled.size)
    assert compiled.state_hash() == walked.state_hash()
    assert compiled.system.events == walked.system.events


@pytest.mark.parametrize("frames", [3, MOST_FRAMES])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_walks_alike_in_plain_python_and_compiled(walker, policy, frames, monkeypatch):
    walked = walker(policy=policy, frames=frames, transactions=20)
    compiled = same_walk_compiled(walked.setup, monkeypatch)
    compiled.jump(compiled.size)
    assert compiled.state_hash() == walked.state_hash()


def test_a_walk_of_ones_own_references_waits_for_no_compiler():
    """Numbering is compiled, in a fifth of a second; file system, flash, disk, page cache and policy are not."""
    code = (
        "from pagecost import _jit\n"
        "from pagecost.walk import DEVICES, FILE_SYSTEMS, Setup, Walker\n"
        "for system in FILE_SYSTEMS:\n"
        "    for device in DEVICES:\n"
        "        Walker(Setup(load='1r 2w 3w | 4w 1w 5w', file_system=system, device=device))\n"
        "print(sorted({name.rpartition('.')[0] for name in _jit.asked_for()}))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['numbering_kernels']"


def test_every_event_changes_the_state_and_going_back_undoes_it(walker):
    walk = walker("log-structured", transactions=8)
    walk.jump(900)
    seen = []
    for _ in range(60):
        seen.append(walk.state_hash())
        walk.forward()
    for digest in reversed(seen):
        walk.back()
        assert walk.state_hash() == digest
    assert len(set(seen)) == len(seen)


def test_the_buffer_of_a_walk_is_the_buffers_stage(walker):
    walk = walker()
    stage = BufferStage(walk.setup.frames, walk.setup.policy).serve(walk.load.requests())
    hits, written = walk.system.buffer.counts()
    assert (hits * PAGE_BYTES, written * PAGE_BYTES) == (stage.account.absorbed_bytes, stage.account.added_bytes)
    assert len(of_kind(walk, events.HIT)) == hits
    below = list(zip(stage.requests.op.tolist(), stage.requests.page.tolist(), strict=True))
    assert in_order_of_the_cache(walk) == below


def in_order_of_the_cache(walk):
    """(op, page) of what the buffer hands down: a missed page is read after the pages that it drove out are written."""
    asked, waits = [], None
    for event in walk.system.events:
        if event.kind in (events.REFERENCE, events.COMMIT) and waits is not None:
            asked.append((READ, waits))
            waits = None
        if event.kind == events.MISS:
            waits = event.number
        elif event.kind == events.CACHE_TAKE:
            asked.append((WRITE, event.number))
    return asked if waits is None else [*asked, (READ, waits)]


def test_the_page_cache_of_a_walk_hands_on_what_the_caches_of_the_system_do(walker):
    walk = walker()
    write, page = zip(*in_order_of_the_cache(walk), strict=True)
    host = Host(
        buffer_pages=1,
        page_cache_pages=walk.setup.page_cache_pages,
        read_ahead_pages=READ_AHEAD,
        sync=False,
        expires=walk.setup.expires,
    )
    below = host.serve(np.array(page), np.array(write), len(walk.load.names), page_bytes=PAGE_BYTES)
    data = below.page >= 0
    sent = of_kind(walk, events.CACHE_READ, events.CACHE_AHEAD, events.CACHE_WRITE)
    assert [event.number for event in sent] == below.page[data].tolist()
    assert [event.kind == events.CACHE_WRITE for event in sent] == below.write[data].tolist()
    assert len(of_kind(walk, events.CACHE_AHEAD)) == below.prefetched


@ON_FLASH
def test_the_layers_of_a_walk_on_flash_add_up_to_the_account_of_the_ssds_stage(walker, file_system):
    walk = walker(file_system)
    ops = {events.FLASH_READ: READ, events.FLASH_PROGRAM: WRITE, events.FLASH_TRIM: TRIM}
    asked = requests_of([(ops[event.kind], event.number, 1) for event in of_kind(walk, *ops)])
    account = SsdStage(ssd=walk.system.flash.ssd, depth=1, closed=True).serve(asked).account
    paid = walk.system.account.sum(axis=0)
    assert paid[events.TIME_S] == pytest.approx(account.time_s, rel=1e-9)
    assert paid[events.ENERGY_J] == pytest.approx(account.energy_j, rel=1e-9)
    assert len(of_kind(walk, events.FLASH_ERASE)) == account.erases > 0
    assert len(of_kind(walk, events.FLASH_COPY)) * PAGE_BYTES == account.copied_bytes
    assert walk.system.flash.busy_s.sum() == pytest.approx(account.time_s, rel=1e-9)
    by_event = np.zeros((len(LAYERS), 3))
    for event in walk.system.events:
        by_event[event.layer] += (event.time_s, event.energy_j, event.usd) if event.layer >= 0 else 0
    assert by_event == pytest.approx(walk.system.account[:, :3], rel=1e-9)


@ON_FLASH
def test_the_layers_of_a_walk_on_a_disk_add_up_to_the_account_of_the_disks_stage(walker, file_system):
    walk = walker(file_system, "disk")
    arm, ops = walk.system.arm, {events.ARM_READ: READ, events.ARM_WRITE: WRITE}
    rows = [
        (ops[event.kind], arm.sector_of(event.number) // BLOCK_SECTORS, event.place) for event in of_kind(walk, *ops)
    ]
    account = DiskStage(disk=disk(), closed=True, active_w=arm.active_w).serve(requests_of(rows)).account
    paid = walk.system.account.sum(axis=0)
    assert paid[events.TIME_S] == pytest.approx(account.busy_s, rel=1e-9)
    assert paid[events.ENERGY_J] == pytest.approx(arm.active_w * account.busy_s, rel=1e-9)


@ON_FLASH
def test_the_flash_of_a_walk_is_what_the_translation_layer_makes_of_the_same_writes(walker, file_system):
    walk = walker(file_system)
    flash, ops = (
        walk.system.flash,
        {events.FLASH_READ: "read", events.FLASH_PROGRAM: "write", events.FLASH_TRIM: "trim"},
    )
    for number, die in enumerate(flash.dies):
        verify(die)
        alone = PageMap(die.geometry, die.options)
        alone.write(np.arange(die.geometry.logical_pages))
        for event in of_kind(walk, *ops):
            if event.number % len(flash.dies) == number:
                getattr(alone, ops[event.kind])(np.array([event.number // len(flash.dies)]))
        assert alone.counts() == die.counts()
        assert np.array_equal(alone.erase_counts, die.erase_counts)
        for one, other in zip(alone.whereabouts(), die.whereabouts(), strict=True):
            assert np.array_equal(one, other)


@EVERYWHERE
def test_what_every_page_holds_lies_where_the_file_system_says(walker, file_system, device):
    system = walker(file_system, device).system
    held = [number for kind, number in map(system.content_of, range(system.blocks)) if kind == "page"]
    waiting = set(np.flatnonzero(system.volume.fs.page[WAITS]).tolist())
    assert sorted(held) == sorted(set(held))
    assert set(range(system.pages)) <= set(held) | waiting


@EVERYWHERE
def test_the_requests_of_the_file_system_are_those_that_it_counts(walker, file_system, device):
    walk = walker(file_system, device)
    counted = walk.system.volume.fs.blocks
    asked = np.zeros_like(counted)
    for event in of_kind(walk, events.FS_READ, events.FS_WRITE):
        blocks, why = divmod(event.place, 16)
        asked[WRITE if event.kind == events.FS_WRITE else READ, why] += blocks
    assert asked[READ].tolist() == counted[READ].tolist()
    assert asked[WRITE].sum() == counted[WRITE].sum() > 0


@ON_FLASH
def test_every_erase_goes_back_to_a_transaction_and_every_page_of_its_block_to_one_or_to_the_preconditioning(
    walker, file_system
):
    walk, origins = walker(file_system), set()
    for number, event in enumerate(walk.system.events):
        chain = walk.chain(number)
        assert walk.system.events[chain[-1]].kind == events.TRANSACTION
        assert chain == sorted(chain, reverse=True)  # a cause comes before what it causes
        if event.kind == events.FLASH_ERASE:
            reference = [at for at in chain if walk.system.events[at].kind in (events.REFERENCE, events.COMMIT)]
            assert reference
            fillers = walk.fillers(number)
            assert len(fillers) == walk.system.flash.ssd.geometry.pages_per_block
            copies = sum(page >= 0 for _, page in fillers)
            assert [walk.system.events[at].kind for at in range(number - copies, number)] == [
                events.FLASH_COPY
            ] * copies
            for writer, _ in fillers:
                first = walk.origin(writer)
                assert first < number
                origins.add(walk.transaction_of(first))
    assert len(origins - {None}) > 1


def test_a_page_that_leaves_changed_names_who_changed_it_and_its_log_is_on_the_device_first(walker):
    walk = walker()
    changed_by, flushed_at, appended = {}, -1, {}
    for number, event in enumerate(walk.system.events):
        if event.kind == events.REFERENCE and event.place % 2:
            changed_by[event.number] = number
        elif event.kind == events.APPEND:
            appended[event.number] = number
        elif event.kind == events.LOG_FLUSH:
            flushed_at = number
        elif event.kind == events.EVICT and event.place % 2:
            assert event.other == changed_by[event.number]
        elif event.kind == events.CACHE_TAKE:
            assert appended[event.number] < flushed_at
    commits = of_kind(walk, events.COMMIT)
    assert len(commits) == walk.setup.transactions


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"policy": "lruu"}, "lruu"),
        ({"load": "1r zwei"}, "reference 2 must be a whole page id"),
        ({"load": "tpcc"}, "reference 1 must be a whole page id"),
        ({"load": " | "}, "the reference string is empty"),
        ({"load": " ".join(f"{page}r" for page in range(49))}, "at most 48 different pages; got 49"),
        ({"frames": 25}, r"1\.\.24 frames; got 25"),
        ({"frames": 2.5}, r"1\.\.24 frames; got 2.5"),
        ({"page_cache_pages": 3}, r"4\.\.24 page cache pages; got 3"),
        ({"transactions": 0}, r"1\.\.20000 transactions; got 0"),
        ({"file_system": "fat"}, "fat"),
        ({"device": "tape"}, "tape"),
    ],
)
def test_what_cannot_be_walked_through_is_said_in_one_sentence(values, said):
    with pytest.raises(ModelError, match=said) as caught:
        Walker(Setup(**values))
    assert "\n" not in str(caught.value)


def test_the_ends_hold_and_a_bar_ends_a_transaction():
    walk = Walker(Setup(load="7r 5w | 7w", group_commit=1))
    assert (walk.load.names, walk.load.page.tolist()) == (("page 5", "page 7"), [1, 0, 1])
    assert walk.load.transaction.tolist() == [0, 0, 1]
    walk.back()
    assert walk.position == 0
    walk.jump(walk.size)
    walk.forward()
    assert (walk.position, len(of_kind(walk, events.LOG_FLUSH))) == (walk.size, 2)
    for wrong in (-1, walk.size + 1):
        with pytest.raises(ModelError, match=rf"positions 0\.\.{walk.size}; got {wrong}"):
            walk.jump(wrong)
    with pytest.raises(ModelError, match="is no collection and no erase"):
        walk.fillers(0)


@pytest.mark.timed
def test_a_step_back_from_event_100_000_takes_less_than_50_ms():
    walk = Walker(Setup(load="tpc-c", transactions=360, file_system="log-structured"))
    times_s = []
    for start in range(100_000, 100_000 - 7 * 137, -137):
        walk.jump(start)
        begun = time.perf_counter()
        walk.back()
        times_s.append(time.perf_counter() - begun)
        assert walk.position == start - 1
    assert sorted(times_s)[len(times_s) // 2] < 0.050
    assert max(times_s) < 0.100  # whatever the machine did meanwhile
