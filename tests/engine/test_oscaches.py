"""The operating system's caches: layers answer as a slow twin does, read-ahead follows its rules, nothing is lost."""

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagecost import buffer
from pagecost.errors import ModelError
from pagecost.oscaches import OFF, WORK, Host, contiguous_file
from pagecost.oscaches import caches_kernels as kernels
from twins import oscache

PAGES = 1200  # beyond the pages that a single indirect block reaches


def read(host, pages, file_pages=PAGES, **options):
    return host.run(pages, np.zeros(len(pages)), file_pages, **options)


def windows_of(host, pages, file_pages):
    """(first page, size) of every window of read-ahead, as the state machine goes."""
    file = contiguous_file(file_pages)
    stack = kernels.new_stack(file.page.size, host._limits())
    seen = []
    for page in pages:
        before = tuple(stack.window[:2])
        kernels.replay(np.array([page], np.int64), np.zeros(1, np.uint8), file, host._options(), stack)
        if tuple(stack.window[:2]) != before:
            seen.append(tuple(int(number) for number in stack.window[:2]))
    return seen


HOSTS = st.builds(
    Host,
    buffer_pages=st.integers(1, 6),
    page_cache_pages=st.sampled_from((0, 1, 5, 40)),
    inode_cache=st.booleans(),
    mapping_blocks=st.sampled_from((0, 1, 2, 100)),
    block_cache_pages=st.sampled_from((0, 3, 20)),
    device_cache_pages=st.sampled_from((0, 8, 30)),
    device_ahead=st.sampled_from((0, 3)),
    device_writes_back=st.booleans(),
    read_ahead_pages=st.sampled_from((0, 1, 2, 4, 32)),
    first_block=st.booleans(),
    synchronous=st.booleans(),
    asynchronous=st.booleans(),
    direct=st.booleans(),
    sync=st.booleans(),
    expires=st.sampled_from((1, 7, 1 << 40)),
    exclusive=st.booleans(),
    force=st.booleans(),
)
RUNS = st.lists(  # random places, and runs of neighbours that read-ahead recognises
    st.tuples(st.sampled_from((0, 3, 11, 12, 1030, 1036, 1150)), st.integers(0, 9), st.integers(1, 12), st.booleans()),
    min_size=1,
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(host=HOSTS, runs=RUNS)
@example(host=Host(buffer_pages=1, page_cache_pages=1, read_ahead_pages=2), runs=[(0, 0, 1, False)])
def test_every_count_is_that_of_the_slow_twin(host, runs):
    pages = [first + on + step for first, on, length, _ in runs for step in range(length)]
    writes = [write and step % 2 == 0 for _, _, length, write in runs for step in range(length)]
    made = host.run(pages, writes, PAGES)
    twin = oscache.Twin(host, PAGES).run(pages, writes)
    for layer in oscache.LAYERS:
        assert made.hits[layer] == (twin.hits[layer, 0], twin.hits[layer, 1]), layer
        assert made.asked[layer] == (twin.asked[layer, 0], twin.asked[layer, 1]), layer
    for how, counts in (("waited", made.waited), ("behind", made.behind)):
        assert counts == {name: twin.work[how, name] for name in WORK}, how
    assert (made.prefetched, made.prefetch_used) == (twin.prefetched, twin.prefetch_used)


@settings(max_examples=100, deadline=None)
@given(host=HOSTS, runs=RUNS)
def test_what_reaches_the_device_past_the_buffer_is_what_the_slow_twin_sends_there(host, runs):
    host = dataclasses.replace(host, device_cache_pages=0)
    pages = [first + on + step for first, on, length, _ in runs for step in range(length)]
    writes = [write and step % 2 == 0 for _, _, length, write in runs for step in range(length)]
    if 0 < host.page_cache_pages < host.read_ahead_pages:
        with pytest.raises(ModelError, match="must hold a window of read-ahead"):
            host.serve(pages, writes, PAGES)
        return
    below = host.serve(pages, writes, PAGES)
    twin = oscache.Twin(host, PAGES).serve(pages, writes)
    assert list(zip(below.block.tolist(), below.write.tolist(), below.cause.tolist(), strict=True)) == twin.log
    assert below.dirty_left == len(twin.dirty_page)
    assert below.prefetched == twin.prefetched
    data = below.page >= 0
    assert np.count_nonzero(data & ~below.write) + below.read_hits == len(pages) - sum(writes) + below.prefetched
    assert np.count_nonzero(below.write) + below.absorbed_writes + below.dirty_left == sum(writes)
    below = host.serve(pages, writes, PAGES, buffered=True)
    twin = oscache.Twin(host, PAGES).run(pages, writes)
    assert list(zip(below.block.tolist(), below.write.tolist(), below.cause.tolist(), strict=True)) == twin.log


@pytest.mark.parametrize("pages", [1, 12, 13, 12 + 8, 12 + 8 + 1, 12 + 8 + 64, 12 + 8 + 64 + 1, 12 + 8 + 64 + 512])
def test_block_mappings_are_those_of_a_file_that_grows(pages):
    """Blocks of 32 bytes name 8 others, so all three levels are reached."""
    file = contiguous_file(pages, 32)
    blocks, chains = oscache.file_of(pages, 8)
    assert file.address.tolist() == blocks
    for page in range(12, pages):
        assert [block for block in file.chain[(page - 12) // 8] if block >= 0] == chains[page]
    assert (file.page >= 0).sum() == pages


def test_a_file_beyond_three_levels_is_refused():
    with pytest.raises(ModelError, match="three levels of indirect blocks reach 596 pages; got 597"):
        contiguous_file(597, 32)


def test_a_gigabyte_needs_one_root_and_about_256_indirect_blocks():
    """docs/models/caches.md#mapping-blocks."""
    file = contiguous_file(10**9 // 4096)
    assert np.unique(file.chain[:, 2]).size == pytest.approx(256, rel=0.1)
    assert np.unique(file.chain[1:, 1]).size == 1


def test_windows_of_a_sequential_reader_grow_4_8_16_32_32():
    """Linux 2.6.23 and later: docs/models/caches.md#read-ahead."""
    windows = windows_of(Host(buffer_pages=1, page_cache_pages=500), range(150), 1000)
    assert [size for _, size in windows] == [4, 8, 16, 32, 32, 32, 32, 32]
    assert [first for first, _ in windows] == [0, 4, 12, 28, 60, 92, 124, 156]


def test_the_first_access_reads_ahead_only_at_the_first_block():
    cached = Host(buffer_pages=1, page_cache_pages=500)
    assert read(cached, [0]).prefetched == 3
    assert read(cached, [7]).prefetched == 0
    assert read(Host(buffer_pages=1, page_cache_pages=500, first_block=False), [0]).prefetched == 0


def test_random_reads_are_not_read_ahead_and_a_recognised_sequence_is():
    cached = Host(buffer_pages=1, page_cache_pages=500)
    assert read(cached, [100, 50, 700, 300]).prefetched == 0
    assert read(cached, [100, 101]).prefetched == 3
    alone = Host(buffer_pages=1, page_cache_pages=500, synchronous=False)
    assert read(alone, [100, 101, 102, 103]).prefetched == 0


def test_synchronous_read_ahead_is_waited_for_and_asynchronous_is_not():
    pages = range(200)
    both = read(Host(buffer_pages=1, page_cache_pages=500), pages)
    waiting = read(Host(buffer_pages=1, page_cache_pages=500, asynchronous=False), pages)
    none = read(Host(buffer_pages=1, page_cache_pages=500, read_ahead_pages=0), pages)

    def stalls(traffic):
        return traffic.references - traffic.hits["page"][0]

    assert stalls(none) == 200
    assert stalls(waiting) == 9  # one at the start of each window: 0, 4, 12, 28, 60, 92, 124, 156, 188
    assert stalls(both) == 1
    assert both.behind["next read"] > 0
    assert waiting.behind["next read"] == waiting.behind["random read"] == 0


def test_the_buffer_is_the_lru_buffer_of_the_replay():
    draw = np.random.default_rng(1)
    pages, writes = draw.zipf(1.3, 5000) % 900, draw.random(5000) < 0.3
    run = buffer.replay(pages, 50, writes=writes, warm_up=1000)
    made = Host(buffer_pages=50, force=False, direct=True).run(pages, writes, PAGES, warm_up=1000)
    assert made.hits["buffer"][0] == run.hits
    assert made.device_requests(write=True) == run.write_backs
    assert made.device_requests(write=False) == run.misses + made.asked["device"][1]


def test_of_equal_lru_caches_the_lower_answers_next_to_nothing_unless_they_are_exclusive():
    """The volatile cache of Rahm 1992, Table 4.2, answers 0 % where main memory is as large."""
    pages = np.random.default_rng(2).zipf(1.2, 6000) % PAGES
    equal = Host(buffer_pages=80, page_cache_pages=80, read_ahead_pages=0)
    inclusive = read(equal, pages, warm_up=1000)
    assert inclusive.hits["page"][0] < 0.01 * inclusive.references
    assert inclusive.kept_twice > 0.5
    apart = read(Host(buffer_pages=80, page_cache_pages=80, read_ahead_pages=0, exclusive=True), pages, warm_up=1000)
    assert apart.kept_twice == 0
    whole = buffer.replay(pages, 160, warm_up=1000)  # exclusive LRU levels are one LRU of their common size
    assert apart.hits["buffer"][0] + apart.hits["page"][0] == whole.hits


def test_direct_io_goes_past_the_page_cache_and_metadata_does_not():
    pages = np.random.default_rng(3).integers(0, PAGES, 3000)
    host = Host(buffer_pages=10, page_cache_pages=400, block_cache_pages=400, mapping_blocks=0, direct=True)
    made = read(host, pages)
    assert made.asked["page"] == (0, 0)
    assert made.asked["block"][0] == 0
    assert made.hits["block"][1] > 0
    assert made.kept_twice == 0


def test_a_write_that_is_not_synchronous_reaches_the_device_later_and_less_often():
    pages = np.tile(np.arange(20), 200)
    writes = np.ones(pages.size)
    now, later, soon = (
        Host(buffer_pages=5, page_cache_pages=100, sync=sync, expires=expires).run(pages, writes, PAGES)
        for sync, expires in ((True, 1 << 40), (False, 1000), (False, 100))
    )
    assert now.waited["random write"] == pages.size
    assert later.waited["random write"] == 0
    assert 0 < later.behind["random write"] < soon.behind["random write"] < pages.size


def test_a_device_that_writes_back_is_not_waited_for_and_still_works():
    pages = np.random.default_rng(4).integers(0, PAGES, 500)
    host = Host(buffer_pages=10, device_cache_pages=100, device_writes_back=True)
    made = host.run(pages, np.ones(500), PAGES)
    assert made.waited["cached write"] == made.behind["random write"] == 500
    assert made.waited["random write"] == 0


@pytest.mark.parametrize("part", OFF)
def test_switching_a_part_off_never_saves_the_device_work_here(part):
    """Uniform references to more than all caches hold: there is nothing that a cache could do wrong."""
    draw = np.random.default_rng(5)
    starts = draw.integers(0, PAGES - 6, 2000)
    pages = (starts[:, None] + np.arange(6)).ravel()  # short runs, so that reading ahead pays
    whole = Host(
        **{"buffer_pages": 10, "page_cache_pages": 200, "block_cache_pages": 100, "mapping_blocks": 4},
        **{"device_cache_pages": 40, "device_ahead": 8},
    )
    on, off = read(whole, pages), read(whole.without(part), pages)
    assert off.waited["random read"] >= on.waited["random read"]
    assert on.hits["buffer"] == off.hits["buffer"]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"buffer_pages": 0}, "a buffer needs at least one page; got 0"),
        ({"page_cache_pages": -1}, "page_cache_pages must not be negative; got -1"),
        ({"expires": 0}, "expires must be at least one request; got 0"),
    ],
)
def test_a_host_that_cannot_be_is_refused(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        Host(**({"buffer_pages": 1} | values))


def test_pages_outside_the_file_are_refused():
    with pytest.raises(ModelError, match=r"pages must be 0\.\.9; got 3\.\.10"):
        read(Host(buffer_pages=1), [3, 10], file_pages=10)


def test_a_page_that_is_changed_again_after_it_was_written_waits_as_long_as_any():
    """Pushed out by others at reference 32 and changed again at 900, it is written at 1900, not when the first change
    would have been due, at 1000."""
    host = Host(buffer_pages=1, page_cache_pages=32, sync=False, expires=1000, read_ahead_pages=0)
    page = np.concatenate([[0], 100 + np.arange(60), np.full(839, 200), [0], np.full(1200, 200)])
    write = np.zeros(page.size, bool)
    write[[0, 900]] = True
    log = host.serve(page, write, 1000)
    assert log.cause[log.write].tolist() == [32, 1900]
