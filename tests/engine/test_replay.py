"""Buffer replay: golden traces, slow twins, laws, another simulator, and what it refuses."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.golden_traces import trace_a, trace_b
from pagecost.buffer import POLICIES, References, Sampler, Stepper, StreamedReplays, Wanted, lru_curve, replay
from pagecost.buffer.bounds import fewest_write_backs, optimal_cost
from pagecost.buffer.policies import find
from pagecost.errors import ModelError
from pagecost.oltp import Buffer
from pagecost.walk.setup import Setup
from pagecost.workload import zipf_pages
from twins.flash_policies import FLASH_TWINS, WTinyLfu
from twins.policies import TWINS

ONLINE = [name for name, policy in POLICIES.items() if not policy.offline]


def counts(run):
    return run.hits, run.write_backs


# hits and write-backs from docs/models/buffer.md#check-values
@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("fifo", (5, 4)),
        ("clock", (5, 2)),
        ("lru", (4, 3)),
        ("mru", (7, 3)),
        ("lfu", (6, 1)),
        ("lru-2", (6, 1)),
        ("2q", (4, 3)),
        ("arc", (4, 3)),
        ("sieve", (6, 1)),
        ("cflru", (6, 1)),
        ("lru-wsr", (6, 1)),
        ("ccf-lru", (7, 0)),
        ("ad-lru:min_cold=0.25", (7, 1)),
        ("min", (8, 1)),
    ],
)
def test_trace_a_gives_the_golden_counts(policy, expected):
    pages, writes = trace_a()
    assert counts(replay(pages, 4, policy, writes)) == expected


@pytest.mark.parametrize(
    ("policy", "victims"),
    [
        ("lru", [5, 1, 2]),
        ("2q", [2, 5, 2]),
        ("arc", [1, 5, 2]),
        ("mru", [2, 2, 5]),
        ("cflru", [5]),
        ("fifo", [2, 5, 1, 2]),
    ],
)
def test_trace_a_writes_back_the_golden_pages_in_order(policy, victims):
    pages, writes = trace_a()
    assert replay(pages, 4, policy, writes, keep_written=True).written.tolist() == victims


EXACT = 0.0  # the rule is fixed to the last tie, or libCacheSim counts the same
TIES = 0.005  # tie rules differ


@pytest.mark.parametrize(
    ("policy", "at_20", "at_50", "tolerance"),
    [
        ("fifo", (5833, 6567), (9446, 5478), EXACT),
        ("clock", (6732, 5841), (10407, 4648), EXACT),
        ("lru", (6568, 5972), (10209, 4818), EXACT),
        ("mru", (2798, 7499), (5716, 6845), EXACT),
        ("lfu", (8381, 4659), (11540, 3381), EXACT),
        ("lru-2", (7627, 5345), (11095, 4131), EXACT),
        ("2q", (7690, 5255), (10966, 4199), EXACT),
        ("arc", (7643, 5361), (10736, 4417), EXACT),
        ("lirs", (7573, 5334), (10999, 4126), EXACT),
        ("cflru", (6768, 5556), (10414, 4176), EXACT),
        ("cflru:window=1", (6890, 5239), (10549, 3753), EXACT),
        ("lru-wsr", (6752, 5668), (10338, 4414), EXACT),
        ("ccf-lru", (6884, 5247), (10547, 3760), EXACT),
        ("ad-lru", (8117, 4747), (11618, 3313), EXACT),
        ("ad-lru:min_cold=0.5", (7195, 5101), (10342, 3850), EXACT),
        ("cfdc", (6643, 5633), (10703, 4002), TIES),
        ("casa:write_cost=1", (6715, 5622), (10263, 4491), EXACT),
        ("casa:write_cost=8", (6873, 5279), (10527, 3869), EXACT),
        ("sieve", (8256, 4787), (11609, 3484), EXACT),
        ("s3-fifo", (8266, 4891), (11322, 3845), TIES),
        ("min", (11312, 4419), (14886, 3020), EXACT),
    ],
)
def test_trace_b_gives_the_golden_counts(policy, at_20, at_50, tolerance):
    pages, writes = trace_b()
    for frames, golden in ((20, at_20), (50, at_50)):
        assert counts(replay(pages, frames, policy, writes)) == pytest.approx(golden, rel=tolerance)


def test_the_tables_of_trace_b_in_the_documents_are_what_is_counted():
    text = (Path(__file__).parents[2] / "docs/models" / "buffer.md").read_text()
    rows = re.findall(r"^\| ([A-Z0-9]+) \| (\d+), (\d+) \| (\d+), (\d+) \|", text, re.MULTILINE)
    assert {name for name, *_ in rows} == {"FIFO", "CLOCK", "LRU", "LFU", "2Q", "ARC", "SIEVE", "MIN"}
    pages, writes = trace_b()
    for name, *stated in rows:
        found = [count for frames in (20, 50) for count in counts(replay(pages, frames, name.lower(), writes))]
        assert found == list(map(int, stated)), name


ALL_TWINS = TWINS | FLASH_TWINS


def test_every_policy_has_a_twin():
    assert set(ALL_TWINS) == set(POLICIES)


def test_a_class_without_frames_does_not_keep_the_multi_buffer_manager_from_moving_others():
    """Pages that are read once take no frames at last, and those that are updated once give theirs next, until all that
    comes again is a hit. Until 0.3.0 nothing moved any more, and a third of it was missed."""
    random, frames, late = np.random.default_rng(1), 400, 150_000
    once = np.arange(1000, 201_000)
    page = np.where(random.random(once.size) < 0.8, random.integers(300, size=once.size), once)
    write = np.where(page < 1000, random.random(once.size) < 0.3, once % 2 == 0)
    page = np.concatenate([np.tile(np.arange(300), 5), page])
    write = np.concatenate([np.ones(1500, bool), write])
    hits = replay(page, frames, "multi-buffer", write).hits
    hits -= replay(page[:late], frames, "multi-buffer", write[:late]).hits
    assert hits == np.count_nonzero(page[late:] < 300)


references = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=80)


OTHERS = [
    "cflru:window=0",
    "cflru:window=1",
    "cfdc:window=1:cluster_pages=3",
    "ref:window=0.8:log_blocks=2:block_pages=2",
]
OTHERS += ["fab:block_pages=3", "bplru:block_pages=2", "2q:kin=0:kout=2", "lirs:hir=0.4", "s3-fifo:small=0.5"]
OTHERS += ["clock:bit=1", "lirs:ghosts=0", "lirs:ghosts=1", "lirs:hir=0.4:ghosts=0.5", "s3-fifo:main_fills=1"]
OTHERS += ["s3-fifo:ghost_first=1", "s3-fifo:small=0.4:main_fills=1:ghost_first=1"]
OTHERS += ["casa:write_cost=1", "ad-lru:min_cold=0.5", "fd-buffer:write_cost=0", "cfdc:cluster_pages=4"]
OTHERS += ["w-tinylfu:window=0.4", "w-tinylfu:protected=1"]


@pytest.mark.parametrize("policy", [*ALL_TWINS, *OTHERS])
@settings(deadline=None, max_examples=40)
@given(trace=references, frames=st.integers(1, 14))
def test_a_policy_equals_its_slow_twin(policy, trace, frames):
    pages, writes = (list(column) for column in zip(*trace, strict=True))
    run = replay(np.array(pages), frames, policy, np.array(writes), keep_written=True, each=True)
    rule, options = find(policy)
    twin = ALL_TWINS[rule.name](pages, min(frames, len(set(pages))), **options)
    assert (run.hits, run.write_backs, run.dirty_left, run.written.tolist()) == twin.run(writes)
    assert (run.hit.tolist(), run.write_backs_before.tolist()) == (twin.found, twin.gone)


def test_the_counters_of_w_tinylfu_stand_for_half_as_many_uses_after_they_were_halved():
    """Einziger, Friedman and Manes 2017: the number of uses is halved with the counters, so the period is half too."""
    pages = (zipf_pages(4000, 300, 1.0, seed=3) + np.arange(4000) // 1000 * 150).tolist()  # what is hot moves
    walk = Stepper(np.array(pages), 20, "w-tinylfu", plain=True)
    left = [walk.jump(at).values["uses until the counters are halved"] for at in (199, 200, 299, 300, 400)]
    assert left == [1, 100, 1, 100, 100]
    twin = WTinyLfu(pages, 20, window=0.01, protected=0.8)
    assert twin.run([False] * 4000)[0] == replay(np.array(pages), 20, "w-tinylfu").hits


@pytest.mark.parametrize("policy", ONLINE)
@settings(deadline=None, max_examples=25)
@given(trace=references, frames=st.integers(1, 14))
def test_no_policy_hits_more_often_than_min(policy, trace, frames):
    pages = np.array([page for page, _ in trace])
    assert replay(pages, frames, policy).hits <= replay(pages, frames, "min").hits


@pytest.mark.parametrize("policy", ["lru", "min", "mru"])
def test_a_stack_policy_never_loses_hits_with_a_larger_buffer(policy):
    pages, _ = trace_b()
    hits = [replay(pages, frames, policy).hits for frames in range(1, 201, 9)]
    assert hits == sorted(hits)


@pytest.mark.parametrize("policy", [name for name in POLICIES if name != "bplru"])  # it does not keep what is read
def test_a_buffer_as_large_as_the_database_misses_each_page_once(policy):
    pages, writes = trace_b()
    run = replay(pages, 200, policy, writes)
    assert (run.misses, run.write_backs) == (200, 0)
    assert run.dirty_left == np.unique(pages[writes]).size
    assert replay(pages, 10**9, policy, writes).misses == 200


@pytest.mark.parametrize("policy", POLICIES)
def test_counts_add_up(policy):
    pages, writes = trace_b()
    run = replay(pages, 20, policy, writes)
    assert run.hits + run.misses == run.references == pages.size
    assert run.write_hits <= writes.sum()
    assert run.write_backs + run.dirty_left <= writes.sum()


@pytest.mark.parametrize("policy", [name for name, policy in POLICIES.items() if not policy.flash_aware])
def test_policies_that_ignore_dirtiness_hit_alike_when_all_are_reads(policy):
    pages, writes = trace_b()
    reads = replay(pages, 20, policy)
    assert reads.hits == replay(pages, 20, policy, writes).hits
    assert reads.write_backs == reads.write_hits == reads.dirty_left == 0


@pytest.mark.parametrize("policy", ["cflru", "lru-wsr", "cfdc", "casa", "fd-buffer", "cflru:window=0.1"])
def test_a_policy_that_spares_dirty_pages_is_lru_where_nothing_is_written(policy):
    pages, _ = trace_b()
    assert replay(pages, 20, policy).hits == replay(pages, 20, "lru").hits


@settings(deadline=None, max_examples=25)
@given(trace=references, frames=st.integers(1, 14))
def test_cflru_without_a_window_is_lru(trace, frames):
    pages, writes = (np.array(column) for column in zip(*trace, strict=True))
    runs = [replay(pages, frames, policy, writes, keep_written=True) for policy in ("lru", "cflru:window=0")]
    assert counts(runs[0]) == counts(runs[1])
    assert runs[0].written.tolist() == runs[1].written.tolist()


ON_BLOCKS = ["cfdc", "ref", "fab", "bplru"]  # neighbours on the device count


@pytest.mark.parametrize("policy", POLICIES)
def test_page_ids_may_be_any_64_bit_integers(policy):
    pages, writes = trace_b()
    pages = pages.astype(np.int64)
    # the order of the ids is kept: MIN's ties depend on it
    moved = pages - 2**62 if policy in ON_BLOCKS else pages * 46_116_860_184_273_879 - 2**62
    assert counts(replay(moved, 20, policy, writes)) == counts(replay(pages, 20, policy, writes))


def test_the_write_backs_in_order_do_not_depend_on_where_a_replay_is_cut(monkeypatch):
    pages, writes = trace_b()
    for policy in ("cflru", "fab"):
        whole = replay(pages, 20, policy, writes, keep_written=True, warm_up=100)
        assert whole.written.size == whole.write_backs
        monkeypatch.setattr("pagecost.buffer.pool.CHUNK", 700)
        parts = replay(pages, 20, policy, writes, keep_written=True, warm_up=100)
        monkeypatch.undo()
        assert parts.written.tolist() == whole.written.tolist()


def test_a_frequency_sketch_keeps_a_scan_out():
    """One pass over many pages between uses of a few: LRU loses the few, W-TinyLFU keeps them."""
    few, scan = np.tile(np.arange(80), 10), 1000 + np.arange(5000)
    pages = np.concatenate([few, np.concatenate([few, scan]), few])
    assert replay(pages, 100, "w-tinylfu").hits >= replay(pages, 100, "lru").hits + 70


@pytest.mark.parametrize("policy", POLICIES)
def test_a_warm_up_fills_the_buffer_and_counts_nothing(policy):
    pages, writes = trace_b()
    whole, rest = replay(pages, 50, policy, writes), replay(pages, 50, policy, writes, warm_up=5000)
    assert rest.references == 15_000
    if policy != "min":  # MIN's decisions in the warm-up depend on the future; an online policy's do not
        first = replay(pages[:5000], 50, policy, writes[:5000])
        assert rest.hits == whole.hits - first.hits
        assert rest.write_backs == whole.write_backs - first.write_backs


def test_a_replay_in_pieces_reports_progress_and_can_be_cancelled(monkeypatch):
    monkeypatch.setattr("pagecost.buffer.pool.CHUNK", 3000)
    pages, writes = trace_b()
    seen = []
    run = replay(pages, 20, "lru", writes, progress=lambda done, total: seen.append((done, total)))
    assert counts(run) == (6568, 5972)
    assert seen[0] == (3000, 20_000)
    assert seen[-1] == (20_000, 20_000)

    def cancel(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        replay(pages, 20, "lru", writes, progress=cancel)


# LIRS of libCacheSim bounds the stack; its 2Q forgets a ghost too early
PEERS = [("fifo", "FIFO", 0), ("clock", "Clock", 0), ("lru", "LRU", 0), ("lfu", "LFU", 0), ("arc", "ARC", 0)]
PEERS += [("sieve", "Sieve", 0), ("min", "Belady", 0), ("2q", "TwoQ", 0.005), ("s3-fifo", "S3FIFO", 0.01)]
PEERS += [("s3-fifo:main_fills=1:ghost_first=1", "S3FIFO", 0)]
PEERS += [("lirs", "LIRS", 0.03)]


@pytest.mark.parametrize(("policy", "peer", "tolerance"), PEERS)
def test_libcachesim_counts_the_same_misses(policy, peer, tolerance, tmp_path):
    import libcachesim

    pages = zipf_pages(20_000, 2000, 0.9, seed=7)
    trace = tmp_path / "trace.oracleGeneral"
    last, following = {}, np.full(pages.size, -1, np.int64)
    for at in range(pages.size - 1, -1, -1):
        following[at] = last.get(pages[at], -1)
        last[pages[at]] = at
    records = np.zeros(pages.size, np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")]))
    records["time"], records["id"], records["size"], records["next"] = np.arange(pages.size), pages, 1, following
    records.tofile(trace)
    for frames in (50, 300):
        reader = libcachesim.TraceReader(str(trace), trace_type=libcachesim.TraceType.ORACLE_GENERAL_TRACE)
        miss_ratio, _ = getattr(libcachesim, peer)(frames).process_trace(reader)
        misses = replay(pages, frames, policy).misses
        assert misses == pytest.approx(round(miss_ratio * pages.size), rel=tolerance, abs=0)


def test_what_a_replay_refuses_is_said_in_a_sentence():
    pages = np.arange(5)
    for wrong, sentence in [
        (lambda: replay(pages, 0), "at least one frame; got 0"),
        (lambda: replay(pages, 3, "fab:block_pages=7.99"), "fab: block_pages must be whole; got 7.99"),
        (lambda: replay(pages, 3, "bplru:block_pages=1.5"), "bplru: block_pages must be whole; got 1.5"),
        (lambda: replay(pages, 3, "cfdc:cluster_pages=3.9"), "cfdc: cluster_pages must be whole; got 3.9"),
        (lambda: replay(pages, 3, "ref:log_blocks=2.9"), "ref: log_blocks must be whole; got 2.9"),
        (lambda: replay(pages, 3, "ref:block_pages=1.1"), "ref: block_pages must be whole; got 1.1"),
        (lambda: replay(pages, 3, "random"), "unknown replacement policy 'random'; known: 2q, arc, clock"),
        (lambda: replay([], 3), "reference string is empty"),
        (lambda: replay([0.5, 1.5], 3), "must be integers; got float64"),
        (lambda: replay(np.zeros((2, 2), int), 3), r"one dimension; got shape \(2, 2\)"),
        (lambda: replay(pages, 3, writes=list("rwrww")), "writes must be flags, true or 1 for a write; got texts"),
        (lambda: replay(pages, 3, writes=[0.0, 1.0, np.nan, 0.0, 1.0]), "true or 1 for a write; got float64"),
        (lambda: replay(pages, 3, writes=[0, 1, 2, 0, 1]), "true or 1 for a write; got 2"),
        (lambda: replay(pages, 3, writes=[0, 1, -1, 0, 1]), "true or 1 for a write; got -1"),
        (lambda: replay(pages, 3, writes=[True]), r"one flag per reference \(5\); got shape \(1,\)"),
        (lambda: replay(pages, 3, warm_up=5), r"\(0..4\); got 5"),
        (lambda: replay(np.array([2**63], np.uint64), 3), "must fit into 63 bits; got 9223372036854775808"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()


@pytest.mark.parametrize("frames", [0, -1, 2.5, 2.0, np.inf, np.nan, True, "3", None, np.float64(3), np.bool_(True)])
def test_a_buffer_has_whole_frames_and_at_least_one_wherever_it_is_asked_for(frames):
    pages = [1, 2, 3, 1]
    for asked in (
        lambda: replay(pages, frames),
        lambda: optimal_cost(pages, frames, 1, 1),
        lambda: fewest_write_backs(References.of(pages), frames),
        lambda: StreamedReplays([Wanted("lru", frames)]),
        lambda: Stepper(pages, frames),
        lambda: lru_curve(pages).at([frames]),
        lambda: lru_curve(pages).at(frames),
        lambda: Buffer(frames=frames),
        lambda: Setup(frames=frames),
    ):
        with pytest.raises(ModelError):
            asked()
    with pytest.raises(ModelError, match=re.escape(f"whole number of frames, at least one frame; got {frames!r}")):
        replay(pages, frames)


def test_whole_frames_are_taken_from_numpy_too():
    assert replay([1, 2, 1], np.int32(2)) == replay([1, 2, 1], 2)
    assert lru_curve([1, 2, 1]).at(np.uint8([2, 1])).misses.tolist() == [2, 3]
    assert Buffer(frames=np.int64(7)).frames == 7


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, list])
def test_flags_are_truth_values_or_0_and_1_of_any_type(kind):
    flags = [0, 1, 1, 0] if kind is list else np.array([0, 1, 1, 0]).astype(kind)
    assert References.of([3, 4, 5, 3], flags).writes.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("fed", [lambda: Sampler(0.5), lambda: StreamedReplays([Wanted("lru", 4)])])
def test_a_trace_in_pieces_is_held_to_the_same_rules(fed):
    for pages, writes, sentence in [
        ([1.7, 1.2, -0.5], [True] * 3, "page ids must be integers; got float64"),
        (np.array([2**63], np.uint64), [True], "must fit into 63 bits"),
        ([1, 2], ["r", "w"], "true or 1 for a write; got texts"),
        ([1, 2], [True], r"one flag per reference \(2\); got shape \(1,\)"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            fed().add(pages, writes)


def test_pieces_may_be_lists_and_flags_of_any_width():
    with StreamedReplays([Wanted("lru", 2)]) as replays:
        replays.add([7, 8, 7], [0, 1, 0])
        replays.add(np.array([9], np.int32), np.array([1]))
        assert replays.found() == [replay([7, 8, 7, 9], 2, "lru", [0, 1, 0, 1])]


def test_references_number_pages_in_order_of_appearance():
    made = References.of(np.array([70, -3, 70, 2**62, -3]))
    assert made.pages.tolist() == [0, 1, 0, 2, 1]
    assert made.ids.tolist() == [70, -3, 2**62]


def test_references_number_more_pages_than_the_first_table_holds():
    ids = np.random.default_rng(3).permutation(400_000) * 1_000_003
    made = References.of(np.concatenate([ids, ids[::-1]]))
    assert made.distinct == 400_000
    assert (made.ids[made.pages] == np.concatenate([ids, ids[::-1]])).all()


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_references_are_the_same_whatever_integers_the_ids_are(kind):
    ids = np.random.default_rng(5).integers(0, 100, 3000)
    if np.iinfo(kind).min < 0:
        ids -= 50
    wide = ids.astype(kind)
    wide.flags.writeable = False
    for shape in (wide, np.repeat(wide, 2)[::2]):
        made, plain = References.of(shape), References.of(ids)
        assert (made.pages == plain.pages).all()
        assert (made.ids == plain.ids).all()
        assert made.ids.dtype == np.int64


def test_every_reference_says_whether_it_hit_and_what_had_been_written_by_then(monkeypatch):
    """The golden trace A under LRU, in chunks of 5 references and with a warm-up."""
    monkeypatch.setattr("pagecost.buffer.pool.CHUNK", 5)
    pages, writes = trace_a()
    twin = TWINS["lru"](pages.tolist(), 4)
    twin.run(writes)
    whole = replay(pages, 4, "lru", writes, each=True)
    assert whole.hit.tolist() == twin.found
    assert whole.write_backs_before.tolist() == twin.gone
    warmed = replay(pages, 4, "lru", writes, each=True, warm_up=7, keep_written=True)
    assert warmed.hit.tolist() == twin.found[7:]
    assert warmed.write_backs_before.tolist() == [gone - twin.gone[6] for gone in twin.gone[7:]]
    assert warmed.hits == warmed.hit.sum()
    assert warmed.written.size == warmed.write_backs == warmed.write_backs_before[-1]
    with pytest.raises(ValueError, match="read-only"):
        whole.hit[0] = False
    assert replay(pages, 4, "lru", writes).hit is None
