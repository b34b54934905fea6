"""Translation layers: no rule of NAND flash is broken, nothing gets lost, slow twins agree, lifetimes come out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.devices.ftl import (
    LAYERS,
    VICTIMS,
    Geometry,
    Options,
    Simulation,
    Steadiness,
    Workload,
    lifetime,
    simulate,
    verify,
)
from pagecost.errors import ModelError
from twins.ftl import BastTwin, PageMapTwin

SMALL = Geometry(blocks=16, pages_per_block=4, page_bytes=16, spare=0.5)  # 32 logical pages
VARIANTS = [
    *(("page", {"policy": policy}) for policy in VICTIMS),
    *(("page", {"policy": policy, "separate": True}) for policy in VICTIMS),
    *(("page", {"policy": policy, "wear_gap": 2}) for policy in VICTIMS),
    *(("page", {"policy": policy, "heat_pages": 1}) for policy in VICTIMS),
    ("page", {"heat_pages": 5, "wear_gap": 2}),
    ("page", {"policy": "windowed-greedy:window=5"}),
    ("page", {"reserve_blocks": 1}),
    ("block", {}),
    ("bast", {}),
    ("bast", {"log_blocks": 1}),
    ("fast", {}),
    ("fast", {"log_blocks": 2}),
    ("dftl", {"cached_entries": 1}),
    ("dftl", {"cached_entries": 5}),
    ("dftl", {"cached_entries": 32}),
]
operations = st.lists(
    st.tuples(st.sampled_from(["write", "write", "write", "trim", "read"]), st.integers(0, 31)), max_size=250
)


def device(layer, geometry=SMALL, **options):
    return LAYERS[layer](geometry, Options(**options))


@pytest.mark.parametrize(("layer", "options"), VARIANTS, ids=lambda value: str(value))
@settings(deadline=None, max_examples=25)
@given(operations=operations)
def test_any_stream_leaves_a_bijection_and_breaks_no_rule(layer, options, operations):
    made = device(layer, **options)
    held = set()
    for verb, page in operations:
        getattr(made, verb)(np.array([page]))
        held = held | {page} if verb == "write" else held - {page} if verb == "trim" else held
    verify(made)
    mapped, _ = made.whereabouts()
    assert set(np.flatnonzero(mapped[:32] >= 0)) == held
    counts = made.counts()
    assert counts.host_pages == sum(verb == "write" for verb, _ in operations)
    assert counts.host_reads == sum(verb == "read" for verb, _ in operations)


@pytest.mark.parametrize(("layer", "options"), VARIANTS, ids=lambda value: str(value))
def test_a_long_run_keeps_every_rule(layer, options):
    geometry = Geometry(blocks=40, pages_per_block=8, page_bytes=64, spare=0.4)
    options = {name: value if value != 32 else geometry.logical_pages for name, value in options.items()}
    simulation = Simulation(geometry, Workload(kind="hot-cold"), layer=layer, **options)
    for _ in range(5):
        made = simulation.write(2000)
        verify(simulation.device)
        extra = made.counts.copied_pages + made.counts.merged_pages + made.counts.translation_pages
        assert made.counts.programmed_pages == 2000 + extra
        assert made.free_blocks >= 1


@pytest.mark.parametrize("policy", ["greedy", "fifo", "windowed-greedy", "cost-benefit", "cost-age-times"])
@settings(deadline=None, max_examples=60)
@given(operations=operations, reserve=st.integers(1, 3), window=st.integers(1, 20))
def test_the_page_map_equals_its_slow_twin(policy, operations, reserve, window):
    spelled = f"{policy}:window={window}" if policy == "windowed-greedy" else policy
    made = device("page", policy=spelled, reserve_blocks=reserve)
    twin = PageMapTwin(16, 4, 32, reserve, policy, window)
    for verb, page in operations:
        if verb != "read":
            getattr(made, verb)(np.array([page]))
            getattr(twin, verb)(page)
    mapped, _ = made.whereabouts()
    assert {page: divmod(int(mapped[page]), 4) for page in np.flatnonzero(mapped >= 0)} == twin.place
    counts = made.counts()
    assert (counts.copied_pages, counts.programmed_pages, counts.erases) == (
        twin.copied,
        twin.chip.programs,
        twin.chip.erases,
    )


def agree_on_merges(made, twin: BastTwin) -> None:
    """The merges of log blocks by kind, and what they cost, are those of the twin."""
    counts = made.counts()
    assert (counts.switch_merges, counts.partial_merges, counts.full_merges, counts.merged_pages) == (
        twin.switches,
        twin.partials,
        twin.fulls,
        twin.merged,
    )
    assert (counts.programmed_pages, counts.erases) == (twin.chip.programs, twin.chip.erases)
    assert counts.unused_pages == twin.unused


@settings(deadline=None, max_examples=100)
@given(operations=operations, log_blocks=st.integers(1, 4))
def test_bast_equals_its_slow_twin(operations, log_blocks):
    made = device("bast", log_blocks=log_blocks)
    twin = BastTwin(16, 4, 32, log_blocks)
    for verb, page in operations:
        if verb != "read":
            getattr(made, verb)(np.array([page]))
            getattr(twin, verb)(page)
    mapped, _ = made.whereabouts()
    assert {page: divmod(int(mapped[page]), 4) for page in np.flatnonzero(mapped >= 0)} == twin.place
    agree_on_merges(made, twin)


@pytest.mark.parametrize("kind", ["uniform", "hot-cold", "zipf", "sequential"])
def test_dftl_with_every_entry_cached_is_the_page_map(kind):
    geometry = Geometry(blocks=64, pages_per_block=16, spare=0.2)
    runs = [
        simulate(geometry, Workload(kind=kind), layer=layer, rounds=5, **options)
        for layer, options in (("page", {}), ("dftl", {"cached_entries": geometry.logical_pages}))
    ]
    assert runs[0].whole == runs[1].whole
    assert (runs[0].erase_counts == runs[1].erase_counts).all()


def test_a_small_map_cache_costs_translation_pages():
    geometry = Geometry(blocks=128, pages_per_block=32, page_bytes=512, spare=0.3)
    little, much = (simulate(geometry, layer="dftl", rounds=6, cached_entries=n) for n in (30, 1000))
    assert little.counts.translation_pages > much.counts.translation_pages > 0
    assert little.counts.translation_reads > 0
    assert little.write_amplification > much.write_amplification


@pytest.mark.parametrize("layer", LAYERS)
def test_a_fill_programs_every_page_once(layer):
    geometry = Geometry(blocks=64, pages_per_block=16, spare=0.2)
    counts = Simulation(geometry, layer=layer).device.counts()
    assert counts.host_pages == geometry.logical_pages
    assert counts.programmed_pages - counts.translation_pages == geometry.logical_pages
    assert counts.erases == counts.copied_pages == counts.merged_pages == 0


@pytest.mark.parametrize("policy", ["greedy", "fifo", "cost-benefit"])
def test_sequential_overwrites_of_a_page_map_cost_one_program_each(policy):
    run = simulate(Geometry(blocks=64, pages_per_block=16, spare=0.1), Workload(kind="sequential"), policy=policy)
    assert run.whole.write_amplification == 1
    assert run.counts.copied_pages == run.worst_request == 0


def test_an_isolated_overwrite_below_a_block_map_moves_the_block():
    made = device("block")
    made.write(np.arange(32))
    blame = made.write(np.array([5]))
    assert blame.tolist() == [3]
    counts = made.counts()
    assert (counts.merged_pages, counts.copy_reads, counts.erases, counts.full_merges) == (3, 3, 1, 1)


@pytest.mark.parametrize("log_blocks", [2, 4, 8])
def test_bast_merges_no_log_block_while_another_is_free(log_blocks):
    """Between two random pages of a hot block another one is overwritten in order and switched: its log block is free
    again, and the hot one's is merged when it is full alone. Until 0.3.0 it was merged in its turn, of four log blocks
    16 times as often."""
    geometry = Geometry(blocks=64, pages_per_block=64, spare=0.2)
    made = device("bast", geometry, log_blocks=log_blocks)
    made.write(np.arange(geometry.logical_pages))
    random = np.random.default_rng(1)
    streamed = 1 + np.arange(640) % (geometry.logical_blocks - 2)
    made.write(np.concatenate([np.append(random.integers(64), 64 * block + np.arange(64)) for block in streamed]))
    counts = made.counts()
    assert (counts.switch_merges, counts.full_merges) == (640, 640 // 64 - 1)  # the last one is not due yet
    assert counts.merged_pages == counts.full_merges * 64


@pytest.mark.parametrize("spare", [0.5, 0.57])  # 32 pages, or 27, so that the last block has three
@pytest.mark.parametrize("log_blocks", [1, 2, 3, 5])
def test_bast_equals_its_slow_twin_among_blocks_that_are_overwritten_in_order(log_blocks, spare):
    geometry = Geometry(blocks=16, pages_per_block=4, page_bytes=16, spare=spare)
    last = geometry.logical_pages
    made, twin = device("bast", geometry, log_blocks=log_blocks), BastTwin(16, 4, last, log_blocks)
    random = np.random.default_rng(log_blocks)
    for _ in range(400):
        first, pages = 4 * random.integers(geometry.logical_blocks), random.integers(12, size=2)
        for page in np.arange(first, min(first + 4, last)) if random.random() < 0.4 else pages:
            made.write(np.array([page]))
            twin.write(int(page))
    agree_on_merges(made, twin)


def test_bast_switches_a_sequentially_overwritten_block_for_one_erase():
    made = device("bast")
    made.write(np.arange(32))
    assert made.write(np.arange(8, 12)).sum() == 0
    counts = made.counts()
    assert (counts.switch_merges, counts.erases, counts.merged_pages) == (1, 1, 0)


def test_fast_pays_for_every_block_in_the_oldest_log_block():
    made = device("fast", log_blocks=2)  # one shared log block of 4 pages
    made.write(np.arange(32))
    assert made.write(np.array([1, 5, 9, 13])).sum() == 0
    blame = made.write(np.array([17]))
    assert blame.tolist() == [4 * 4]  # k x b programs
    assert made.counts().erases == 4 + 1  # k + 1 erases
    verify(made)


def test_copies_are_blamed_on_the_write_that_caused_them():
    simulation = Simulation(Geometry(blocks=64, pages_per_block=16, spare=0.1))
    requests = np.random.default_rng(1).integers(0, simulation.geometry.logical_pages, 5000)
    blame = simulation.device.write(requests)
    counts = simulation.device.counts()
    assert blame.sum() == counts.copied_pages > 0
    assert np.count_nonzero(blame) <= counts.erases
    assert (blame[:16] == 0).all()  # there was still room


def test_trim_lowers_write_amplification():
    geometry = Geometry(blocks=256, spare=0.07)
    plain, trimmed = (simulate(geometry, Workload(trimmed=share)) for share in (0.0, 0.2))
    assert trimmed.write_amplification < plain.write_amplification / 3


def test_static_wear_levelling_bounds_the_spread_of_erases():
    geometry = Geometry(blocks=128, pages_per_block=16, spare=0.15)
    load = Workload(kind="hot-cold", hot_share=0.1, hot_writes=0.99)
    without, with_it = (simulate(geometry, load, rounds=40, separate=True, wear_gap=gap) for gap in (0, 20))
    spread = [int(np.ptp(run.erase_counts)) for run in (without, with_it)]
    assert spread[1] < spread[0] / 5
    assert with_it.erase_counts.max() / with_it.erase_counts.mean() < 1.5
    assert with_it.counts.wear_moves > 0


def test_the_map_of_a_page_map_takes_a_thousandth_and_of_a_block_map_a_64th_of_that():
    geometry = Geometry(blocks=64, pages_per_block=64, spare=0.25)
    page, block = (device(layer, geometry).map_bytes for layer in ("page", "block"))
    assert page == geometry.logical_pages * geometry.page_bytes / 1024
    assert page == 64 * block


def test_hybrid_layers_lie_between_page_and_block_map():
    geometry = Geometry(blocks=64, pages_per_block=32, spare=0.2)
    found = {layer: simulate(geometry, layer=layer, rounds=6).write_amplification for layer in LAYERS}
    assert found["page"] < found["fast"] < found["bast"] < found["block"] < 32 + 1e-9


def test_a_run_says_whether_it_is_steady_or_how_far_it_came():
    geometry = Geometry(blocks=64, pages_per_block=16, spare=0.28)
    short = simulate(geometry, rounds=5, writes=700)
    assert not short.steady
    assert "Not steady: over the last 5 of 5 rounds" in short.steadiness.sentence()
    assert simulate(geometry, rounds=10).steady
    assert "3 rounds were run, the criterion needs 5" in simulate(geometry, rounds=3).steadiness.sentence()


@pytest.mark.parametrize(
    ("rounds", "steady"),
    [
        ([1, 1, 1, 1, 1], True),
        ([9, 9, 4, 4, 4, 4, 4], True),
        ([3.61, 4.39, 4, 3.61, 4.39], True),
        ([3.5, 4.5, 4, 4, 4], False),
        ([3.78, 3.89, 4.0, 4.11, 4.23], False),
    ],
)
def test_the_snia_criterion_wants_20_percent_spread_and_10_percent_drift(rounds, steady):
    assert Steadiness.of(rounds).steady == steady


def test_lifetimes_of_wang_2011():
    """Tables 5 and 6: Mtron 32 GB, 50 GB a day; 2 PB at the rates of four file systems."""
    raw = lifetime.total_bytes_written(32e9, 100_000)
    assert lifetime.years(raw, 50e9 / 86400) == pytest.approx(175.34, abs=0.01)
    assert lifetime.implied_write_amplification(raw, 50e9 * 365 * 140) == pytest.approx(1.252, abs=1e-3)
    for years, rate in ((5.47, 11.59e6), (2.19, 28.96e6), (2.32, 27.34e6), (1.43, 44.35e6)):
        assert lifetime.rate(2e15, years) == pytest.approx(rate, rel=1e-3)
        assert lifetime.years(2e15, lifetime.rate(2e15, years)) == pytest.approx(years)
    assert lifetime.implied_write_amplification(64e9 * 1e5, 2e15) == pytest.approx(3.2)
    assert lifetime.drive_writes_per_day(1825e12, 1e12, 5) == pytest.approx(1)


def test_what_a_device_refuses_is_said_in_a_sentence():
    for wrong, sentence in [
        (lambda: Geometry(spare=0), "between 0 and 1 .* got 0"),
        (lambda: Geometry(spare=-0.1), "got -0.1"),
        (lambda: Geometry(spare=1.0), "got 1.0"),
        (lambda: Geometry(blocks=3), "at least 4 blocks; got 3"),
        (lambda: Geometry(pages_per_block=1), "must be 2..65536; got 1"),
        (lambda: Geometry(blocks=1 << 25), "at most 2"),
        (lambda: Geometry(page_bytes=0), "page_bytes must be a whole number above 0; got 0"),
        (lambda: Geometry.of_capacity(10**9, 4096, 64, spare=0.1), "1000000000 bytes .* not a whole number of blocks"),
        (lambda: Geometry.of_capacity(2**30, 4096, 64, 10**9), "1000000000 logical bytes are not a whole number"),
        (lambda: device("page").write([32]), "the device has pages 0..31; got requests 32..32"),
        (lambda: device("page").write([-1]), "got requests -1..-1"),
        (lambda: device("page").write([0.5]), "must be integers; got float64"),
        (lambda: device("page").write([[1]]), r"one dimension; got shape \(1, 1\)"),
        (lambda: device("page", Geometry(blocks=8, spare=0.1)), "page: .*; the device has 8"),
        (lambda: device("bast", Geometry(blocks=16, spare=0.01)), "bast: .* the device has 16"),
        (lambda: device("fast", log_blocks=1), "at least 2 log blocks; got 1"),
        (lambda: device("dftl", policy="fifo"), "collects greedily; got policy 'fifo'"),
        (lambda: Options(policy="lru"), "unknown victim policy 'lru'; known: cost-age-times, cost-benefit, d-cho"),
        (lambda: Options(heat_pages=-1), "heat_pages must be at least 0; got -1"),
        (lambda: Options(heat_pages=1, separate=True), "no other frontier for copies"),
        (lambda: Options(heat_pages=1, reserve_blocks=1), "need 2 blocks in reserve; got 1"),
        (lambda: device("dftl", heat_pages=1), "one frontier"),
        (lambda: Options(reserve_blocks=0), "reserve_blocks must be at least 1; got 0"),
        (lambda: Simulation(SMALL, layer="nand"), "unknown translation layer 'nand'; known: page, block"),
        (lambda: Workload(kind="warm"), "unknown workload 'warm'"),
        (lambda: Workload(hot_share=1), "hot_share must lie between 0 and 1; got 1"),
        (lambda: Workload(trimmed=1), "got 1"),
        (lambda: simulate(SMALL, writes=3), "at least one per round"),
        (lambda: simulate(SMALL, np.array([], int)), "empty"),
        (lambda: lifetime.years(1, 0), "rate must be above 0; got 0"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()


def test_a_capacity_in_bytes_makes_the_same_geometry():
    made = Geometry.of_capacity(2**30, 4096, 64, 1_000_001_536)
    assert (made.blocks, made.logical_pages) == (4096, 244_141)
    assert made.over_provisioning == pytest.approx(0.0737, abs=1e-4)


def test_given_page_numbers_are_written_over_and_over():
    simulation = Simulation(SMALL, np.array([3, 1, 3]))
    simulation.write(7)
    assert simulation.device.counts().host_pages == 32 + 7
    verify(simulation.device)


def test_a_run_streams_its_rounds_and_can_be_cancelled():
    geometry = Geometry(blocks=64, pages_per_block=16, spare=0.2)
    seen = []
    simulate(geometry, rounds=4, progress=lambda done, total, made: seen.append((done, made.rounds[-1].free_blocks)))
    assert [done for done, _ in seen] == [1, 2, 3, 4]

    def cancel(done, total, made):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        simulate(geometry, progress=cancel)
