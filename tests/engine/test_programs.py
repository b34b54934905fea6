"""Writes of programs: held to the block I/O of real runs, to the kernel's own counters, and to a byte-by-byte twin."""

import dataclasses
import gzip
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import programs, studies
from pagecost.answers import program_wear
from pagecost.devices import ftl
from pagecost.devices.ftl.lifetime import YEAR_S
from pagecost.errors import ModelError
from pagecost.programs import Settings, events, strace
from pagecost.programs.events import Event, Recording
from pagecost.programs.ledger import BLOCK_BYTES
from pagecost.studies.flash.program_wear import TERMS

LOOP_JOURNAL_BYTES = 64 * 2**20  # mke2fs gives a volume of 2 or 4 GiB such a journal
RECORDED = {row["case"]: row for row in program_wear.measured()}
PAGES, FILES = 4, 2
LOAD = Path(__file__).parents[2] / "datasets" / "traces" / "wear_load.py"


def of_case(case: str, **changed) -> programs.Wear:
    return program_wear.worn(case, Settings(journal_bytes=LOOP_JOURNAL_BYTES, **changed))


def data_bytes(wear: programs.Wear) -> int:
    return wear.causes.get("data", 0) + wear.causes.get("partial pages", 0)


@pytest.mark.parametrize("case", RECORDED)
def test_predicted_bytes_are_those_that_the_device_got(case):
    """Pages of files to the byte. The journal within 6 blocks in 400, whose first commit holds what is not modelled:

    the superblock, and bitmaps of groups that are used for the first time; all of PostgreSQL's bytes within 1 %.
    """
    row, wear = RECORDED[case], of_case(case)
    assert data_bytes(wear) == int(row["data_bytes"])
    if int(row["asked_bytes"]):  # of one process the kernel counts itself
        assert wear.asked_bytes == int(row["asked_bytes"])
    assert wear.device_bytes == pytest.approx(int(row["device_bytes"]), rel=0.01, abs=6 * BLOCK_BYTES)
    assert wear.at_end_bytes == pytest.approx(int(row["device_bytes_at_end"]), rel=0.01)


def test_every_recorded_case_is_told_and_has_its_recording():
    assert set(RECORDED) == set(program_wear.recordings())
    assert len(RECORDED) == 6 * 4 + 1


@pytest.mark.parametrize("mode", ["delete", "wal", "off"])
def test_a_run_of_today_writes_what_the_kernel_counts(mode, tmp_path):
    """A process's own counters (/proc/self/io) say what it asked and which pages it made the device write.

    Where nothing can be recorded, what was recorded once stands in.
    """
    counters, kept = tmp_path / "counters", tmp_path / "run.strace.gz"
    command = [sys.executable, "-S", "-E", "-B", str(LOAD), str(tmp_path / "a.db"), mode, "full", "10", str(counters)]
    try:
        programs.record(command, kept)
        counted = dict(line.split(": ") for line in counters.read_text().splitlines())
        wear = programs.wear(programs.read(kept))
        asked = int(counted["wchar"])
        written = int(counted["write_bytes"]) - int(counted["cancelled_write_bytes"])
    except (ModelError, OSError):
        wear = None
    if wear is None or not wear.asked_bytes:  # no strace, no counters, or a folder that lies in memory
        wear = of_case(f"sqlite-{mode}-full")
        asked, written = (int(RECORDED[f"sqlite-{mode}-full"][name]) for name in ("asked_bytes", "process_bytes"))
    database = [size for path, size in wear.asked.items() if "a.db" in path]
    assert sum(database) == asked
    pages = sum(
        size for (path, cause), size in wear.by.items() if "a.db" in path and cause in ("data", "partial pages")
    )
    # on a busy machine the flusher falls into the run, and a page that changes again is counted again
    assert pages * 0.999 <= written <= pages * 1.2


# the journal, by hand: a descriptor, the changed blocks, a commit


def made(*moves: tuple, seconds: float = 1.0) -> Recording:
    """A recording of (kind, offset, size, flags) on one file, a tenth of a second between them."""
    found = [Event(move[0], 0.1 * at, 0, *move[1:]) for at, move in enumerate(moves, start=1)]
    return Recording(events=found, paths=["/data/f"], labels=["other files"], seconds=seconds)


def test_each_synced_page_that_is_new_costs_five_blocks_of_journal():
    moves = [move for page in range(10) for move in ((events.WRITE, page * BLOCK_BYTES, BLOCK_BYTES), (events.SYNC,))]
    wear = programs.wear(made((events.CREATE,), *moves))
    # descriptor, inode, bitmap, group descriptors, commit; with the first also directory and bitmap of inodes
    assert wear.causes["journal"] == (10 * 5 + 2) * BLOCK_BYTES
    assert wear.commits == 10


@pytest.mark.parametrize(("sync", "blocks"), [(events.SYNC, 3), (events.DATA_SYNC, 0)])
def test_overwriting_costs_the_inode_with_fsync_and_nothing_with_fdatasync(sync, blocks):
    moves = [move for _ in range(10) for move in ((events.WRITE, 0, 100), (sync,))]
    wear = programs.wear(made((events.EXISTS, 0, 4 * BLOCK_BYTES), *moves))
    last = 3 if blocks == 0 else 0  # the inode's times, with the timer or at the end
    assert wear.causes["journal"] == (10 * blocks + last) * BLOCK_BYTES
    assert wear.causes["data"] == 1000
    assert wear.causes["partial pages"] == 10 * BLOCK_BYTES - 1000


def test_what_is_deleted_in_time_never_reaches_the_device():
    wear = programs.wear(made((events.CREATE,), (events.WRITE, 0, 10**6), (events.UNLINK,)))
    assert wear.kept_back == {("/data/f", "dropped"): 10**6}
    assert "data" not in wear.causes


def test_a_page_waits_thirty_seconds_and_is_written_by_a_flusher_that_wakes_every_five():
    late = Event(events.LOOK, 36.0, 0)
    found = made((events.EXISTS, 0, BLOCK_BYTES), (events.WRITE, 0, BLOCK_BYTES))
    before = programs.wear(Recording([*found.events, late._replace(time_s=29.0)], found.paths, 40, labels=["x"]))
    after = programs.wear(Recording([*found.events, late], found.paths, 40, labels=["x"]))
    assert before.at_end_bytes == 3 * BLOCK_BYTES  # the journal's timer has been there
    assert after.at_end_bytes == 4 * BLOCK_BYTES


def test_other_file_systems_write_the_same_pages():
    ordered, in_place, log = (of_case("sqlite-wal-full", file_system=name) for name in ("ext4", "ext2", "nilfs2"))
    assert data_bytes(ordered) == data_bytes(in_place)
    assert "journal" not in in_place.causes
    assert log.causes["log"] > 0
    # a page that waits in the log while it is written again is written once
    assert data_bytes(log) <= data_bytes(ordered)


# against a twin that knows every byte

moves = st.lists(
    st.one_of(
        st.tuples(
            st.just(events.WRITE),
            st.integers(0, FILES - 1),
            st.integers(0, PAGES * BLOCK_BYTES - 1),
            st.integers(1, 2 * BLOCK_BYTES),
        ),
        st.tuples(
            st.sampled_from([events.SYNC, events.DATA_SYNC, events.SYNC_ALL]),
            st.integers(0, FILES - 1),
            st.just(0),
            st.just(0),
        ),
        st.tuples(st.just(events.TRUNCATE), st.integers(0, FILES - 1), st.just(0), st.integers(0, PAGES * BLOCK_BYTES)),
    ),
    max_size=30,
)


@given(moves)
@settings(max_examples=100, deadline=None)
def test_the_page_cache_agrees_with_a_twin_of_single_bytes(moves):
    dirty: list[set[int]] = [set() for _ in range(FILES)]
    counted = {"asked": 0, "data": 0, "pages": 0, "merged": 0, "dropped": 0}

    def flush(file: int) -> None:
        counted["data"] += len(dirty[file])
        counted["pages"] += len({byte // BLOCK_BYTES for byte in dirty[file]})
        dirty[file].clear()

    for kind, file, offset, size in moves:
        if kind == events.WRITE:
            new = set(range(offset, offset + size))
            counted["asked"] += size
            counted["merged"] += len(dirty[file] & new)
            dirty[file] |= new
        elif kind == events.TRUNCATE:
            first = -(-size // BLOCK_BYTES) * BLOCK_BYTES
            gone = {byte for byte in dirty[file] if byte >= first}
            counted["dropped"] += len(gone)
            dirty[file] -= gone
        else:
            for each in range(FILES) if kind == events.SYNC_ALL else [file]:
                flush(each)
    for file in range(FILES):
        flush(file)
    found = [Event(events.CREATE, 0.0, file) for file in range(FILES)]
    found += [
        Event(kind, 0.001 * at, -1 if kind == events.SYNC_ALL else file, offset, size)
        for at, (kind, file, offset, size) in enumerate(moves)
    ]
    wear = programs.wear(Recording(found, ["/data/a", "/data/b"], 1.0, labels=["", ""]))
    kept = {why: sum(size for (_, of), size in wear.kept_back.items() if of == why) for why in programs.KEPT_BACK}
    assert wear.asked_bytes == counted["asked"] == wear.causes.get("data", 0) + sum(kept.values())
    assert wear.causes.get("data", 0) == counted["data"]
    assert data_bytes(wear) == counted["pages"] * BLOCK_BYTES
    assert kept == {"merged": counted["merged"], "dropped": counted["dropped"]}


def test_a_sync_of_a_folder_commits_what_waits_even_if_nothing_of_it_was_written():
    found = [Event(events.CREATE, 0.1, 0), Event(events.EXISTS, 0.2, 1, 0, -1), Event(events.SYNC, 0.3, 1)]
    paths, labels = ["/data/f", "/other/folder"], ["", ""]
    plain = Recording(found, paths, 1.0, labels=labels)
    told = Recording(found, paths, 1.0, labels=labels, folders=("/other/folder",))
    assert programs.wear(plain).at_end_bytes == 0
    assert programs.wear(told).at_end_bytes > 0


def test_inodes_that_are_known_to_be_neighbours_share_a_block():
    both = [
        event for at in (0, 1) for event in (Event(events.EXISTS, 0.1, at, 0, 4096), Event(events.WRITE, 0.2, at, 0, 9))
    ]
    for numbers, blocks in (((17, 32), 1), ((16, 17), 2)):
        inodes = {"/data/a": numbers[0], "/data/b": numbers[1]}
        found = Recording(both, ["/data/a", "/data/b"], 1.0, labels=["", ""], inodes=inodes)
        assert programs.wear(found).causes["metadata"] == blocks * BLOCK_BYTES


# reading strace


def told(*lines: str) -> Recording:
    return strace.parse([f"7 {100 + at * 0.1:.6f} {line}" for at, line in enumerate(lines)])


def writes(recording: Recording) -> list[tuple[str, int, int]]:
    return [(recording.paths[e.file], e.offset, e.size) for e in recording.events if e.kind == events.WRITE]


def kinds(recording: Recording) -> list[int]:
    return [event.kind for event in recording.events]


def test_positions_follow_writes_seeks_and_appends():
    found = told(
        'openat(AT_FDCWD</w>, "a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/a>',
        'write(3</w/a>, ""..., 10) = 10',
        'write(3</w/a>, ""..., 10) = 4',
        "lseek(3</w/a>, 100, SEEK_SET) = 100",
        'writev(3</w/a>, [{iov_base=""..., iov_len=5}, {iov_base=""..., iov_len=6}], 2) = 11',
        'pwrite64(3</w/a>, ""..., 7, 50) = 7',
        'pwritev2(3</w/a>, [{iov_base=""..., iov_len=9}], 1, 300, RWF_DSYNC) = 9',
        'openat(AT_FDCWD</w>, "a", O_WRONLY|O_APPEND) = 4</w/a>',
        'write(4</w/a>, ""..., 1) = 1',
    )
    expected = [(0, 10), (10, 4), (100, 11), (50, 7), (300, 9), (309, 1)]
    assert writes(found) == [("/w/a", *each) for each in expected]
    assert found.events[-2].flags & events.DATA_SYNCED


def test_calls_that_others_interrupt_are_put_together():
    lines = [
        '7 100.0 openat(AT_FDCWD</w>, "a", O_WRONLY|O_CREAT|O_EXCL, 0666) = 3</w/a>',
        '7 100.1 write(3</w/a>, ""..., 10 <unfinished ...>',
        '8 100.2 write(3</w/a>, ""..., 5 <unfinished ...>',
        "7 100.3 <... write resumed>) = 10",
        "8 100.4 <... write resumed>) = -1 ENOSPC (No space left on device)",
        "9 100.5 <... write resumed>) = 99",
    ]
    assert writes(strace.parse(lines)) == [("/w/a", 0, 10)]


def test_who_replaces_and_who_is_deleted():
    found = told(
        'openat(AT_FDCWD</w>, "/w/new", O_WRONLY|O_CREAT|O_EXCL, 0666) = 3</w/new>',
        'openat(AT_FDCWD</w>, "/w/old", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 4</w/old>',
        'write(3</w/new>, ""..., 10) = 10',
        'rename("new", "/w/old") = 0',
        'write(3</w/old>, ""..., 10) = 10',
        'unlinkat(AT_FDCWD</w>, "old", 0) = 0',
        'write(3</w/old>(deleted), ""..., 10) = 10',
    )
    assert kinds(found) == [
        *(events.CREATE, events.CREATE, events.WRITE, events.RENAME, events.UNLINK),
        *(events.WRITE, events.UNLINK, events.WRITE, events.RELEASE, events.RELEASE),
    ]
    held = [event.flags & events.HELD for event in found.events if event.kind == events.UNLINK]
    assert held == [events.HELD, events.HELD]  # both were open, and went with the last descriptor
    assert {event.file for event in found.events if event.kind == events.WRITE} == {0}


def test_whether_a_file_was_there_before():
    found = told(
        'openat(AT_FDCWD</w>, "a", O_RDWR|O_CREAT, 0644) = 3</w/a>',
        'newfstatat(3</w/a>, "", {st_mode=S_IFREG|0644, st_size=8192, ...}, AT_EMPTY_PATH) = 0',
        'openat(AT_FDCWD</w>, "b", O_RDWR|O_CREAT, 0644) = 4</w/b>',
        "fstat(4</w/b>, {st_mode=S_IFREG|0644, st_size=0, ...}) = 0",
        'openat(AT_FDCWD</w>, "c", O_RDWR) = 5</w/c>',
        'write(5</w/c>, ""..., 1) = 1',
    )
    assert [(e.kind, e.size) for e in found.events if e.kind in (events.EXISTS, events.CREATE)] == [
        (events.EXISTS, 8192),
        (events.CREATE, 0),
        (events.EXISTS, -1),
    ]


def test_what_cannot_be_seen_is_said():
    found = told(
        "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</w/db-shm>, 0) = 0x7f00",
        "io_uring_setup(8, {flags=0}) = 4",
        "nonsense",
    )
    assert len(found.unseen) == 3
    assert "/w/db-shm" in found.unseen[1]
    assert "io_uring" in found.unseen[0]


def test_paths_that_reach_no_device_are_left_out_and_odd_names_are_read():
    found = told(
        'write(1</dev/pts/0>, ""..., 5) = 5',
        'write(1<pipe:[77]>, ""..., 5) = 5',
        'openat(AT_FDCWD</w>, "x", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/\\303\\244 \\76b>',
        'write(3</w/\\303\\244 \\76b>, ""..., 5) = 5',
    )
    assert writes(found) == [("/w/ä >b", 0, 5)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no line of it is a system call"),
        (b"\x00\xff" * 50, "no line of it is a system call"),
        (b"\x1f\x8bbroken", "cannot be read"),
        (gzip.compress(b"7 1.0 write(1) = 1\n", mtime=0)[:-9], "cannot be read"),
        (b"# pagecost wear {", "is damaged"),
        (b'# pagecost wear {"version": 9}', "another version"),
        (b"# pagecost wear []", "is damaged"),
        (b"# pagecost wear " + b"[" * 5000, "is damaged"),
    ],
)
def test_a_file_that_is_no_recording_is_one_sentence(tmp_path, content, words):
    path = tmp_path / "recording"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=words):
        programs.read(path)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        programs.read(tmp_path / "nothing")


def test_databases_are_known_by_their_files():
    found = programs.read(program_wear.path_of("postgresql"))
    labels = set(found.labels)
    assert {"PostgreSQL write-ahead log", "PostgreSQL tables and indexes", "PostgreSQL control file"} <= labels
    found = programs.read(program_wear.path_of("sqlite-wal-full"))
    assert set(found.labels) >= {"SQLite database", "SQLite write-ahead log", "SQLite index of the log"}


def test_checkpoints_are_told_from_commits():
    assert of_case("sqlite-delete-full").checkpoint_bytes == 0
    logged = of_case("sqlite-wal-full")
    assert logged.checkpoint_bytes == logged.asked["/data/a.db"]
    wear = of_case("postgresql")
    recorded = wear.recording
    # by hand: the one process that syncs tables and control file, and what it writes outside the log
    (process,) = {
        event.process
        for event in recorded.events
        if event.kind == events.SYNC and "/base/" in recorded.paths[event.file]
    }
    written = sum(
        event.size
        for event in recorded.events
        if event.kind == events.WRITE
        and event.process == process
        and recorded.paths[event.file]
        .split("/cluster/")[-1]
        .startswith(("base/", "global/", "pg_xact/", "pg_multixact/", "pg_subtrans/"))
    )
    assert wear.checkpoint_bytes == written > 0


@pytest.mark.parametrize(
    "wrong",
    [{"file_system": "fat"}, {"commit_s": 0}, {"journal_bytes": 5}, {"background_bytes": -1}],
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ModelError):
        Settings(**wrong)


# drives


def test_a_drive_that_is_written_in_small_part_copies_next_to_nothing():
    wear = of_case("sqlite-wal-full")
    on = program_wear.drive("samsung-970-pro-1tb")
    found = program_wear.flash(wear.blocks, on)
    assert found.steady
    assert 1 <= found.write_amplification < 1.05
    life = program_wear.life(1e6, on, found)
    assert life.years == pytest.approx(1200e12 / 1e6 / (365 * 86400))
    assert life.usd_per_year == pytest.approx(on.price_usd / life.years)


def test_every_drive_that_is_offered_can_be_asked():
    for name in program_wear.drives():
        on = program_wear.drive(name)
        assert on.capacity_bytes > 0
        assert on.rated_bytes or on.program_erase_cycles


def test_the_study_stands_beside_what_was_recorded_and_adds_up(tmp_path):
    own = tmp_path / "own.strace"
    own.write_text(
        '7 1.0 openat(AT_FDCWD</w>, "/w/a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/a>\n'
        '7 2.0 write(3</w/a>, ""..., 5000) = 5000\n'
    )
    study = studies.find("program_wear")
    inputs = study.Inputs(recordings=("sqlite-wal-full",), own_file=str(own), runs_per_day=10)
    result = study.compute(inputs)
    seen = result.tables["seen"]
    assert list(seen["recording"]) == ["sqlite-wal-full"]
    assert abs(seen["distance"][0]) < 0.01
    assert result["asked_bytes"][1] == 5000
    stages, files = result.tables["stages"], result.tables["files"]
    for row, name in enumerate(result["recording"]):
        for stage, column in (("asked", "asked_bytes"), ("device", "device_bytes"), ("flash", "flash_bytes")):
            (at,) = stages.rows(recording=name, stage=stage)
            assert sum(stages[term][at] for term in TERMS) == pytest.approx(result[column][row])
        of = files.rows(recording=name)
        caused = sum(files[term][of].sum() for term in TERMS if term != "kept")
        assert caused == pytest.approx(result["device_bytes"][row])
    per_year = result["device_bytes"] * 10 * 365
    assert result["rated_life_s"] == pytest.approx(1200e12 / per_year * 365 * 86400)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"recordings": ()}, "choose a recorded run"),
        ({"recordings": ("nothing",)}, "nothing"),
        ({"own_file": "/no/such/file"}, "there is no recording"),
        ({"device": "wd400bb"}, "drive"),
        ({"runs_per_day": -1}, "runs_per_day|Runs a day"),
    ],
)
def test_the_study_refuses_what_is_not_possible(wrong, words):
    study = studies.find("program_wear")
    with pytest.raises((ModelError, ValueError), match=words):
        study.compute(study.Inputs(**wrong))


def test_a_log_block_drive_copies_what_a_page_mapped_one_does_not():
    wear = of_case("sqlite-wal-full")
    found = program_wear.flash(wear.blocks, program_wear.drive("mtron-pro-7500"))
    assert found.write_amplification > 1.2


def test_the_cells_of_a_log_block_drive_last_by_what_is_erased():
    """By the engine's erase counters: a random page per block and turn leaves log blocks that are erased half empty."""
    on = dataclasses.replace(program_wear.drive("mtron-pro-7500"), capacity_bytes=2.0**25, rated_bytes=None)
    written = np.random.default_rng(1).integers(0, 8192, 50_000)
    found = program_wear.flash(written, on)
    blocks = math.ceil(found.simulated_pages / (1 - on.spare) / on.pages_per_block)
    geometry = ftl.Geometry(blocks=blocks, pages_per_block=on.pages_per_block, spare=on.spare)
    run = ftl.measure(geometry, written, writes=100_000, layer="bast")
    erased = run.counts.erases * on.pages_per_block / run.counts.host_pages
    life = program_wear.life(1e3, on, found)
    total = on.capacity_bytes * on.program_erase_cycles / (1 - on.spare)
    assert life.cell_years == pytest.approx(total / erased / 1e3 / YEAR_S, rel=0.05)


def test_a_program_that_writes_more_than_the_drive_holds_is_refused():
    wear = of_case("postgresql")
    small = dataclasses.replace(program_wear.drive("samsung-970-pro-1tb"), capacity_bytes=1e6)
    with pytest.raises(ModelError, match="more than Samsung SSD 970 Pro 1 TB holds"):
        program_wear.flash(wear.blocks, small)


def test_strace_is_among_what_the_tests_install():
    packages = (LOAD.parents[2] / "app" / "packaging" / "debian-packages.txt").read_text()
    assert "\ntest strace\n" in packages
    if programs.why_not() is None:
        said = subprocess.run(["strace", "--version"], capture_output=True, text=True, check=True).stdout
        assert "strace" in said


def test_runs_that_do_not_fit_into_a_day_are_said_to_go_on_at_once():
    assert not program_wear.overlap_said(10.0, 8640)
    assert "some 2 go on at once" in program_wear.overlap_said(10.0, 17_280)
    study = studies.find("program_wear")
    inputs = study.inputs({"runs_per_day": 1e7})
    assert any("go on at once" in note for note in study.compute(inputs).notes)
    assert not any("go on at once" in note for note in study.compute(study.inputs({"runs_per_day": 1})).notes)
