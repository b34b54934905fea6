"""File systems: every request as in the plain twin, and after any crash every page that was synced, whole."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.file_systems import twin_of
from pagecost.errors import ModelError
from pagecost.filesystem import InPlace, LogStructured, OutOfPlace, Volume, trees
from pagecost.filesystem import state_kernels as kernels
from twins.filesystem import LogTwin

PAGES = 21
LAYOUTS = [
    *[InPlace(cached_metadata_blocks=cached, trim=trim, block_bytes=512) for cached, trim in ((1, True), (50, False))],
    *[
        LogStructured(
            segment_bytes=12 * 512,
            block_bytes=512,
            protection_period_s=0,
            min_clean=0,
            max_clean=0,
            selection=selection,
            **rest,
        )
        for selection, rest in (
            ("timestamp", {"segments_per_clean": 2, "cached_metadata_blocks": 3}),
            ("greedy", {"syncs_per_checkpoint": 3, "by_age": True, "trim": True}),
            ("cost-benefit", {"streams": 3, "read_whole_segments": True, "syncs_per_checkpoint": 2}),
            ("greedy", {"streams": 2, "cached_metadata_blocks": 5, "checkpoint_blocks": 1}),
        )
    ],
    *[
        OutOfPlace(segment_bytes=8 * 512, block_bytes=512, min_clean=0, max_clean=0, **rest)
        for rest in (
            {"syncs_per_checkpoint": 4, "trim": True},
            {"streams": 3, "selection": "cost-benefit", "segments_per_clean": 2, "by_age": True},
        )
    ],
]
COMMANDS = st.lists(
    st.tuples(
        st.sampled_from(["write"] * 5 + ["sync", "sync", "read", "delete", "clean", "crash"]),
        st.integers(0, PAGES - 1),
        st.integers(0, 1 << 16),
    ),
    max_size=70,
)


def check_bijection(volume, twin):
    """Pages and nodes lie where the twin has them, no two of them on one block, and segments count what lives there."""
    fs = volume.fs
    size = int(fs.setting[kernels.PAGE_BLOCKS])
    address = fs.page[kernels.ADDRESS]
    assert {page: block for page, block in enumerate(address.tolist()) if block >= 0} == twin.address
    assert {node: block for node, block in enumerate(fs.node[kernels.PLACE].tolist()) if block >= 0} == twin.place
    taken = [block + at for block in twin.address.values() for at in range(size)] + list(twin.place.values())
    assert len(taken) == len(set(taken))
    assert all(0 <= block < fs.setting[kernels.BLOCKS] for block in taken)
    if fs.segment.shape[1]:
        segments = np.bincount(np.array(taken, int) // fs.setting[kernels.SEGMENT_BLOCKS], minlength=twin.segments)
        assert fs.segment[kernels.LIVE].tolist() == segments.tolist()
        assert fs.at[kernels.CLEAN] == twin.state.count("clean")
        for page, block in twin.address.items():
            assert [twin.disk[block + at][:2] for at in range(size)] == [("page", page)] * size
            assert len({twin.disk[block + at][2] for at in range(size)}) == 1, "a page is torn"


@settings(max_examples=40, deadline=None)
@given(commands=COMMANDS, page_blocks=st.sampled_from([1, 2, 4]), laid_out=st.booleans())
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: type(layout).__name__)
def test_any_sequence_makes_the_twins_requests_and_any_crash_keeps_what_was_synced(
    layout, commands, page_blocks, laid_out
):
    volume = Volume(layout, 720, [4, PAGES - 4], 512 * page_blocks, laid_out=False)
    twin = twin_of(layout, volume.fs)
    durable, newest, version = {}, {}, 0  # page -> versions that a crash may leave, None: there is none
    start = [("write", page, 0) for page in range(PAGES)] if laid_out else []
    for command, page, number in [*start, ("sync", 0, 0), *commands, ("crash", 0, 0)]:
        while volume.must_clean and command in ("write", "sync"):
            freed, rows = volume.clean()
            assert (freed, rows.tolist()) == twin.clean()
        before = twin.written if isinstance(twin, LogTwin) else 0
        if command == "write":
            version += 1
            assert volume.write(page).tolist() == twin.write(page, version)
            durable.setdefault(page, {None}).add(version)
            newest[page] = version
        elif command == "read":
            assert volume.read(page).tolist() == twin.read(page)
        elif command == "delete":
            pages = min(1 + number % 3, PAGES - page)
            assert volume.delete(page, pages).tolist() == twin.delete(page, pages)
            for each in range(page, page + pages):
                durable.setdefault(each, {None}).add(None)
                newest.pop(each, None)
        elif command == "clean" and isinstance(twin, LogTwin):
            freed, rows = volume.clean()
            assert (freed, rows.tolist()) == twin.clean()
        elif command == "sync":
            assert volume.sync().tolist() == twin.sync()
            torn = number % 5 == 0 and isinstance(twin, LogTwin) and twin.written > before
            if torn:  # the power fails within it
                lost = 1 + number % (twin.written - before)
                volume.crash(lost)
                twin.crash(lost)
            now = versions(twin)
            assert all(now.get(each) in allowed for each, allowed in durable.items()) if torn else now == newest
            durable, newest = {each: {now.get(each)} for each in range(PAGES)}, now
        elif command == "crash":
            lost = number % (twin.written - before + 1) if isinstance(twin, LogTwin) else 0
            volume.crash(lost)
            twin.crash(lost)
            now = versions(twin)
            assert all(now.get(each) in allowed for each, allowed in durable.items())
            durable, newest = {each: {now.get(each)} for each in range(PAGES)}, now
        check_bijection(volume, twin)


def versions(twin):
    """What one reads of every page that is there: of a log from the disk."""
    if isinstance(twin, LogTwin):
        return {page: twin.disk[block][2] for page, block in twin.address.items()}
    return {page: twin.version[page] for page in twin.address}


def test_ext2_reaches_48_kib_4_mib_and_4_gib_behind_none_one_and_two_indirect_blocks():
    """Card, Ts'o and Tweedie 1994: 12 direct blocks, then 1024 pointers a block of 4 KiB."""
    tree, _ = trees.in_place((12 + 1024 + 1024**2 + 5,), 1, 4096)

    def above(page):
        node, depth = int(tree.leaf[page]), 0
        while tree.parent[node] >= 0:
            node, depth = tree.parent[node], depth + 1
        return depth

    borders = {0: 0, 11: 0, 12: 1, 12 + 1023: 1, 12 + 1024: 2, 12 + 1024 + 1024**2 - 1: 2, 12 + 1024 + 1024**2: 3}
    assert {page: above(page) for page in borders} == borders


def test_a_cold_page_of_ext2_costs_its_inode_and_each_indirect_block_and_a_warm_one_only_itself():
    volume = Volume(InPlace(), 1 << 19, 300_000, 4096)
    assert [row[2] for row in volume.read(5)] == [1, 1]  # inode, page
    assert sum(row[2] for row in volume.read(600)) == 2  # single indirect block, page
    assert sum(row[2] for row in volume.read(200_000)) == 3
    assert volume.read(200_001).tolist() == [[0, volume.fs.page[kernels.ADDRESS, 200_001], 1, kernels.DATA, 0]]


def test_a_sync_of_one_page_in_nilfs2_writes_the_page_and_all_that_moves_with_it():
    """40 000 blocks: leaf, the node above and the inode, what translates them, a summary, three of a checkpoint."""
    layout = LogStructured(protection_period_s=0)
    volume = Volume(layout, 1 << 17, 40_000, 4096)
    volume.write(33_333)
    ((op, _, blocks, cause, _),) = volume.sync()
    assert (op, cause) == (kernels.WRITE, kernels.LOG)
    counts = volume.fs.blocks[kernels.WRITE]
    assert counts[kernels.DATA] == 1
    assert counts[kernels.SUMMARY] == 1
    assert counts[kernels.CHECKPOINT] == 3
    tree = 1 + 1 + 1  # leaf of 255 of 157, the one that holds them, inode
    translation = 2 + 1 + 1  # page and nodes lie in two blocks, under two of three leaves at the super root
    assert counts[kernels.METADATA] in (tree + translation - 1, tree + translation)
    assert blocks == counts.sum()
    data_alone = Volume(LogStructured(protection_period_s=0, syncs_per_checkpoint=10), 1 << 17, 40_000, 4096)
    data_alone.write(33_333)
    assert data_alone.sync()[:, 2].tolist() == [2]  # page and summary


@pytest.mark.parametrize(
    ("layout", "volume", "sentence"),
    [
        (InPlace(), (1000, 1001, 4096), "files of 1001 blocks do not fit on a volume of 1000; make them smaller"),
        (InPlace(), (1000, 999, 4096), "with their indirect blocks do not fit on a volume of 1000"),
        (InPlace(), (1000, 10, 6000), "a page must be a whole number of blocks of 4096 bytes; got 6000 bytes"),
        (InPlace(), (1000, [3, 0], 4096), r"a file has at least one page; got \[3, 0\]"),
        (LogStructured(), (1 << 15, 30_000, 4096), "need 24 segments with their metadata and what the cleaner keeps"),
        (LogStructured(), (1 << 31, 10, 4096), "a volume has"),
        (OutOfPlace(segment_bytes=4 * 4096), (1000, 10, 8 * 4096), "does not fit into a segment of 4; make segments"),
    ],
)
def test_a_file_system_that_cannot_be_is_refused_in_a_sentence(layout, volume, sentence):
    with pytest.raises(ModelError, match=sentence):
        layout.state(*volume)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"cleaning_interval_s": 0}, "a cleaner that wakes every 0 s never sleeps"),
        ({"selection": "lru"}, "unknown selection of segments 'lru'; known: timestamp, greedy, cost-benefit"),
        ({"min_clean": 0.3}, "min_clean and max_clean must be shares of the segments, in this order; got 0.3 and 0.2"),
        ({"segment_bytes": 10_000}, "a segment must be four blocks of 4096 bytes or more"),
        ({"streams": 4}, "a log tells new, cleaned and metadata apart, 3 streams; got 4"),
        ({"protection_period_s": -1}, "must not be negative"),
        ({"segments_per_clean": 0}, "segments_per_clean must be at least 1; got 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_a_sentence(values, sentence):
    with pytest.raises(ModelError, match=sentence):
        LogStructured(**values)


def test_a_cleaner_that_can_free_nothing_says_so():
    """Everything is younger than the protection period: no segment may be cleaned, and the log runs full."""
    volume = Volume(LogStructured(segment_bytes=32 * 4096), 40 * 32, 600, 4096)

    def overwrite(cleans):
        for _ in range(2000):
            volume.write(7)
            volume.sync()
            while cleans and volume.must_clean:
                volume.clean(1.0)

    with pytest.raises(ModelError, match="cleaning cannot free a segment: all that may be cleaned are full of live or"):
        overwrite(cleans=True)
    with pytest.raises(ModelError, match="clean before writing"):
        overwrite(cleans=False)


def test_old_versions_are_copied_while_they_are_protected_and_not_afterwards():
    layout = LogStructured(segment_bytes=32 * 4096, protection_period_s=100, min_clean=0, max_clean=0)
    copied = []
    for wait_s in (50.0, 150.0):
        volume = Volume(layout, 60 * 32, 400, 4096)
        for page in range(64):
            volume.write(page)
        volume.sync()
        volume.fs.closed_s[:] = -1000.0  # all segments are old, what died in them died at 0 s
        volume.clean(wait_s)
        copied.append(volume.fs.blocks[kernels.WRITE, kernels.CLEANING_WRITE])
    assert copied[0] >= copied[1] + 50


@pytest.mark.parametrize("protection_s", [0.0, 100.0])
def test_by_age_live_pages_are_cleaned_in_the_order_of_their_age_whether_old_versions_are_protected_or_not(
    protection_s,
):
    """Greedily the emptier of two segments comes first, here the younger."""
    together = {}
    for by_age in (False, True):
        layout = LogStructured(
            segment_bytes=32 * 4096,
            protection_period_s=protection_s,
            min_clean=0,
            max_clean=0,
            selection="greedy",
            by_age=by_age,
        )
        volume = Volume(layout, 60 * 32, 400, 4096)
        for page in [*range(34, 44), *range(120, 140)]:
            volume.write(page)
        volume.sync()
        volume.fs.closed_s[:] = -1000.0  # all segments are old, what died in them died at 0 s
        before = volume.fs.page[kernels.ADDRESS].copy()
        volume.clean(50.0)
        address = volume.fs.page[kernels.ADDRESS]
        (moved,) = np.nonzero(address != before)
        order = moved[np.argsort(address[moved])]
        together[by_age] = sorted(order.tolist())
        in_order = (np.diff(volume.fs.page[kernels.BORN, order]) >= 0).all()
        assert in_order == by_age
        kept = volume.fs.blocks[kernels.WRITE, kernels.CLEANING_WRITE] > moved.size + 20
        assert kept == (protection_s > 0), "old versions are copied as well"
    assert together[True] == together[False] != []


def test_the_cleaner_works_between_its_two_thresholds():
    layout = LogStructured(segment_bytes=32 * 4096, protection_period_s=0, min_clean=0.3, max_clean=0.5)
    volume = Volume(layout, 60 * 32, 600, 4096)
    clean = []
    for number in range(3000):
        volume.write(number % 600)
        if number % 10 == 9:
            volume.sync()
        freed, _ = volume.clean()
        clean.append((int(volume.fs.at[kernels.CLEAN]), freed))
    freed_at = [count for count, freed in clean if freed]
    assert min(count for count, _ in clean) >= 0.3 * 60 - 2
    assert max(freed_at) >= 0.5 * 60
    assert max(freed_at) <= 0.5 * 60 + 2


@settings(max_examples=40, deadline=None)
@given(
    commands=st.lists(
        st.tuples(st.sampled_from(["write", "write", "sync", "delete"]), st.integers(0, 2)), min_size=1, max_size=60
    ),
    back=st.integers(0, 1 << 16),
)
@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if not isinstance(layout, InPlace)], ids=repr)
def test_a_crash_that_loses_several_checkpoints_leaves_what_was_there_at_the_last_sync_before(layout, commands, back):
    """However often a page was deleted and written since; the volume is so large that no segment is taken again."""
    volume = Volume(layout, 8192, [4, PAGES - 4], 512, laid_out=False)
    twin = twin_of(layout, volume.fs)
    synced, newest, version = [(0, {})], {}, 0  # blocks written, page -> version
    for command, page in [*commands, ("sync", 0)]:
        if command == "write":
            version += 1
            assert volume.write(page).tolist() == twin.write(page, version)
            newest[page] = version
        elif command == "delete":
            assert volume.delete(page).tolist() == twin.delete(page, 1)
            newest.pop(page, None)
        else:
            assert volume.sync().tolist() == twin.sync()
            synced.append((twin.written, dict(newest)))
    for _ in range(2):  # and once more, from there
        written, _ = synced[back % len(synced)]
        synced = [sync for sync in synced if sync[0] <= written]
        lost = twin.written - written
        volume.crash(lost)
        twin.crash(lost)
        check_bijection(volume, twin)
        assert versions(twin) == synced[-1][1]
        assert volume.sync().tolist() == twin.sync()
        synced.append((twin.written, synced[-1][1]))


def test_a_page_stays_gone_whose_deletion_a_complete_checkpoint_holds_though_it_came_and_went_again_since():
    volume = Volume(LogStructured(protection_period_s=0), 1 << 18, 2000, 4096)
    volume.delete(7)
    volume.sync()
    safe = int(volume.fs.at[kernels.WRITTEN])
    for verb in (volume.write, volume.delete):
        verb(7)
        volume.sync()
    volume.crash(int(volume.fs.at[kernels.WRITTEN]) - safe)
    assert volume.read(7).size == 0
    assert volume.read(8).size > 0
