"""The SSD in time: against a slow twin, closed forms and laws, over random devices and streams."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.chips import SMALL_CHIP
from pagecost import catalogue
from pagecost.answers.ssd_runs import assumption_notes as notes_of
from pagecost.devices.ftl import theory as ftl_theory
from pagecost.devices.nand import Chip, chips
from pagecost.devices.ssd import ORDERS, TERMS, Session, Ssd, catalogued, joined, theory
from pagecost.devices.ssd.run import BIN_EDGES_S
from pagecost.errors import ModelError
from twins.ssd import Twin

CHIP = SMALL_CHIP
COMMANDED = dataclasses.replace(CHIP, read_command_s=2.9e-6, program_command_s=3.7e-6)  # ten times what chips need
US = 1e-6


def small(**changes) -> Ssd:
    fields = {"name": "small", "chip": CHIP, "channels": 2, "dies_per_channel": 2, "blocks": 24, "spare": 0.3}
    return Ssd(**{**fields, "channel_bytes_per_s": 40e6, **changes})


def one_die(**changes) -> Ssd:
    return small(channels=1, dies_per_channel=1, blocks=64, **changes)


def stream(ssd: Ssd, count: int, write_share: float, seed: int = 1, units: int = 1):
    random = np.random.default_rng(seed)
    return random.integers(0, ssd.logical_units - units + 1, count), random.random(count) < write_share


# ---- the slow twin


@pytest.mark.parametrize("order", ["fifo", "reads first"])
@pytest.mark.parametrize(
    ("units", "depth", "closed", "cached"),
    [
        *((1, 1, True, 0), (1, 7, True, 0), (3, 4, True, 0), (1, 9, False, 0)),
        *((1, 1, True, 5), (1, 7, True, 16), (3, 4, True, 7), (3, 2, True, 2), (1, 9, False, 3)),
    ],
)
@pytest.mark.parametrize("chip", [CHIP, COMMANDED], ids=("data only", "commands"))
def test_every_response_is_the_slow_twins(order, units, depth, closed, cached, chip):
    times = {"interface_bytes_per_s": 275e6, "command_s": 2.3 * US, "overhead_s": 17.7 * US}
    ssd = small(order=order, write_cache_bytes=cached * 4096, chip=chip, copy_back=cached == 16, **times)
    session = Session(ssd, depth, closed, request_bytes=units * 4096)
    session.precondition()
    first, write = stream(ssd, 600, 0.5, units=units)
    first[3::3] = first[2:-1:3]  # many reads of what was asked for just before, which a write cache may have
    arrival = None if closed else np.random.default_rng(2).exponential(400 * US, 600).cumsum()
    blames, real = [], session._blame
    session._blame = lambda *asked: blames.append(real(*asked)) or blames[-1]
    run = session.serve(first, write, arrival, last=True)
    found = run.response_s[np.argsort(run.number)]
    programs, _, erases = blames[0]
    assert erases.sum() > 10
    twin = Twin(ssd, session.request_bytes, depth)
    expected = twin.run(first, write.astype(int), (programs, erases), arrival)
    assert found == pytest.approx(expected, rel=1e-9)
    assert run.read_hits == twin.read_hits
    assert (run.read_hits > 0) == (cached > 0) or units > 1


# ---- the fill


def test_an_ssd_that_is_filled_in_order_again_and_again_copies_nothing():
    """Whole blocks are overwritten: write amplification 1, and every pass erases what it fills."""
    once, thrice = Session(small()), Session(small(), passes=3)
    assert thrice._counts().host_pages == 3 * once._counts().host_pages == 3 * small().logical_units
    assert thrice._counts().programmed_pages == thrice._counts().host_pages
    assert thrice._counts().erases >= thrice._counts().host_pages // CHIP.pages_per_block - small().dies * 24
    assert once._counts().erases == 0


def test_an_ssd_that_is_overwritten_at_random_comes_to_the_state_of_its_preconditioning():
    aged, steady = Session(small(blocks=64), passes=8, fill="at random"), Session(small(blocks=64))
    steady.precondition()
    first = stream(aged.ssd, 20_000, 1.0)[0]
    found, expected = (session.serve(first, np.ones(first.size)).write_amplification for session in (aged, steady))
    assert found == pytest.approx(expected, rel=0.02)
    assert expected > 1.3


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"passes": 0}, "a device is filled 1..100 times; got 0"),
        ({"fill": "backwards"}, "unknown order in which an SSD is filled 'backwards'; known: in order, at random"),
    ],
)
def test_a_fill_that_is_none_is_refused(given, sentence):
    with pytest.raises(ModelError, match=sentence):
        Session(small(), **given)


# ---- closed forms


def test_one_read_at_a_time_takes_the_sum_of_its_parts():
    ssd = small(interface_bytes_per_s=275e6, command_s=2 * US, overhead_s=10 * US)
    run = Session(ssd).serve(stream(ssd, 500, 0)[0], last=True)
    assert run.response_s == pytest.approx(theory.alone_s(ssd, write=False))
    assert run.iops == pytest.approx(1 / theory.alone_s(ssd, write=False))
    assert run.terms_s["array_s"] == pytest.approx(25 * US)
    assert run.terms_s["transfer_s"] == pytest.approx(4096 / 40e6)


def test_a_write_to_a_fresh_device_takes_the_sum_of_its_parts():
    ssd = small()
    run = Session(ssd).serve(np.arange(50), np.ones(50), last=True)
    assert run.write_amplification == 1
    assert run.response_s == pytest.approx(theory.alone_s(ssd, write=True))


def test_commands_take_the_channel_as_reckoned_by_hand():
    """MQSim's default chip: 8 KiB in 24.6 µs over 333 MB/s; 290 ns of cycles before a read, 361 ns before a program."""
    chip = Chip.of(catalogue.device("mqsim-default-chip"))
    whole = Ssd(name="one", chip=chip, channels=1, unit_bytes=8192, channel_bytes_per_s=333e6, spare=0.3)
    data_s = 8192 / 333e6
    read = Session(whole).serve(np.arange(50), last=True)
    assert read.terms_s["transfer_s"] == pytest.approx(data_s + 290e-9, rel=1e-9)
    assert read.response_s == pytest.approx(75e-6 + data_s + 290e-9, rel=1e-9)
    write = Session(whole).serve(np.arange(50), np.ones(50), last=True)
    assert write.terms_s["transfer_s"] == pytest.approx(data_s + 361e-9, rel=1e-9)
    halves = dataclasses.replace(whole, unit_bytes=4096, planes=2)  # four units share a program over two planes
    assert halves.write_transfer_s == pytest.approx((2 * data_s + 2 * 361e-9) / 4)
    both = Session(halves, request_bytes=4096).serve(np.arange(50), last=True)
    assert both.terms_s["transfer_s"] == pytest.approx(data_s / 2 + 2 * 290e-9, rel=1e-9)
    assert whole.copy_transfer_s == pytest.approx(2 * data_s + 651e-9)
    assert dataclasses.replace(whole, copy_back=True).copy_transfer_s == pytest.approx(651e-9)


def test_commands_lower_the_peak_of_a_channel_that_is_full():
    chip = dataclasses.replace(COMMANDED, read_command_s=10 * US)
    ssd = small(chip=chip, dies_per_channel=8, blocks=64, spare=0.5)
    size = ssd.dies * 16 * 4096
    first = np.arange(ssd.logical_units * 4096 // size // 2) * ssd.dies * 16
    run = Session(ssd, 4, request_bytes=size).serve(first, last=True)
    assert theory.flash_bytes_per_s(ssd, write=False) == pytest.approx(2 * 4096 / (102.4 * US + 10 * US))
    assert run.throughput_bytes_per_s == pytest.approx(2 * 4096 / (102.4 * US + 10 * US), rel=0.03)


def test_commands_that_no_source_states_take_no_time_and_are_named():
    device = catalogue.device("intel-x25-e")
    ssd = Ssd.of(device)
    assert not ssd.commands_known
    assert ssd.write_transfer_s == ssd.transfer_s
    assert ssd.read_command_s == 0
    assert any("command and address cycles on its channels are not known" in note for note in notes_of(ssd, device))
    known = dataclasses.replace(ssd, chip=dataclasses.replace(ssd.chip, read_command_s=0.3e-6, program_command_s=0.0))
    assert not any("command and address" in note for note in notes_of(known, device))
    with pytest.raises(ModelError, match="read_command_s must not be negative; got -1"):
        dataclasses.replace(CHIP, read_command_s=-1.0)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(("dies", "limit"), [(1, "die"), (8, "bus")])
def test_large_sequential_requests_reach_the_peak_rate(write, dies, limit):
    """Reads, or writes to fresh flash, in requests that keep every die busy; 3 % for the ends of each request."""
    ssd = small(dies_per_channel=dies, blocks=64, spare=0.5)
    size = ssd.dies * 16 * 4096
    count = ssd.logical_units * 4096 // size // 2
    run = Session(ssd, 4, request_bytes=size).serve(np.arange(count) * ssd.dies * 16, np.full(count, write), last=True)
    peak = theory.peak_bytes_per_s(ssd, size, write=write)
    assert peak == pytest.approx(2 * 40e6) if limit == "bus" else peak < 2 * 40e6
    assert run.throughput_bytes_per_s == pytest.approx(peak, rel=0.03)
    assert run.throughput_bytes_per_s <= peak * (1 + 1e-9)


def test_the_chip_of_wang_table_1_programs_and_reads_at_the_rates_of_models_2_4():
    chip = Chip.of(catalogue.device("samsung-4gb-flash-chip"))
    one = Ssd(name="one", chip=chip, channels=1, channel_bytes_per_s=40e6)
    assert theory.flash_bytes_per_s(one, write=False) == pytest.approx(4096 / (25 + 102.4) * 1e6)  # 32 MB/s
    fast = dataclasses.replace(one, channel_bytes_per_s=math.inf)
    assert theory.flash_bytes_per_s(fast, write=True) == pytest.approx(20.48e6)
    assert theory.flash_bytes_per_s(fast, write=False) == pytest.approx(163.84e6)


def test_doubling_the_channels_doubles_the_rate_until_the_interface_is_full():
    rates = []
    for channels in (1, 2, 4, 8, 16):
        ssd = small(channels=channels, dies_per_channel=2, interface_bytes_per_s=275e6)
        first = stream(ssd, 20_000, 0)[0]
        rates.append(Session(ssd, 256).serve(first, last=True).throughput_bytes_per_s)
    assert rates[1] / rates[0] == pytest.approx(2, rel=0.1)
    assert rates[2] / rates[1] == pytest.approx(2, rel=0.1)
    assert rates[4] == pytest.approx(275e6, rel=0.01)


@pytest.mark.parametrize("load", [0.3, 0.8])
def test_open_reads_of_one_die_wait_as_in_an_m_d_1_queue(load):
    """200 000 Poisson arrivals; the standard error of the mean wait at a load of 0.8 is below 1.5 %."""
    ssd = one_die()
    service = theory.alone_s(ssd, write=False)
    arrival = np.random.default_rng(4).exponential(service / load, 200_000).cumsum()
    run = Session(ssd, 4096, closed=False).serve(stream(ssd, arrival.size, 0)[0], None, arrival, last=True)
    wait = theory.open_wait_s(load / service, service, service**2)
    assert run.of().mean() == pytest.approx(service + wait, rel=0.03)
    assert run.utilisation["die"] == pytest.approx(load, rel=0.02)


def test_open_reads_and_fresh_writes_of_one_die_wait_as_in_an_m_g_1_queue():
    ssd = dataclasses.replace(one_die(), chip=dataclasses.replace(CHIP, pages_per_block=4096), blocks=32, spare=0.5)
    times = np.array([theory.alone_s(ssd, write=flag) for flag in (False, True)])
    mean, square = times.mean(), (times**2).mean()
    rate = 0.6 / mean
    arrival = np.random.default_rng(5).exponential(1 / rate, 100_000).cumsum()
    first, write = stream(ssd, arrival.size, 0.5)
    run = Session(ssd, 4096, closed=False).serve(first, write, arrival, last=True)
    assert run.write_amplification == 1
    assert run.of().mean() == pytest.approx(mean + theory.open_wait_s(rate, mean, square), rel=0.03)


def test_reads_and_writes_one_at_a_time_mix_by_the_harmonic_mean():
    ssd = small(chip=dataclasses.replace(CHIP, pages_per_block=64), blocks=64)
    rates = []
    for share in (1.0, 0.0, 0.5):
        session = Session(ssd)
        session.precondition()
        rates.append(session.serve(*stream(ssd, 60_000, 1 - share), last=True).iops)
    assert rates[2] == pytest.approx(theory.mixed_rate(*rates[:2], 0.5), rel=0.02)


def test_a_steady_write_alone_takes_its_copies_and_erases_too():
    """2 %: copies of one write wait for no channel when alone; the amplification is the run's own."""
    ssd = small(chip=dataclasses.replace(CHIP, pages_per_block=64), blocks=64)
    session = Session(ssd)
    assert session.precondition().steady
    run = session.serve(*stream(ssd, 60_000, 1), last=True)
    assert run.of().mean() == pytest.approx(theory.write_s(ssd, run.write_amplification), rel=0.02)
    geometry = ssd.geometry
    assert run.write_amplification == pytest.approx(ftl_theory.greedy_finite(geometry), rel=0.02)


# ---- what makes a difference


def test_reads_behind_a_collection_wait_less_when_they_go_first_and_least_when_erases_stop():
    worst = {}
    for order in ORDERS:
        session = Session(small(order=order, blocks=64, spare=0.1, dies_per_channel=4), 16)
        session.precondition()
        run = session.serve(*stream(session.ssd, 40_000, 0.3), last=True)
        worst[order] = run.percentile_s(0.999, write=False)
    assert worst["fifo"] > worst["reads first"] > worst["suspend"]


def test_fresh_flash_writes_faster_than_steady_flash():
    ssd = small(chip=dataclasses.replace(CHIP, pages_per_block=64), blocks=64, spare=0.1)
    first, write = stream(ssd, 800, 1)
    fresh = Session(ssd, 8).serve(first, write, last=True)
    session = Session(ssd, 8)
    session.precondition()
    steady = session.serve(*stream(ssd, 20_000, 1), last=True)
    assert fresh.write_amplification == 1
    assert steady.iops < fresh.iops / 3
    assert fresh.terms_s["collection_s"] == 0 < steady.terms_s["collection_s"]


def test_a_paced_collection_costs_as_much_but_stops_nobody_for_long():
    runs = {}
    for paced in (False, True):
        session = Session(small(chip=dataclasses.replace(CHIP, pages_per_block=64), blocks=64, paced=paced), 1)
        session.precondition()
        runs[paced] = session.serve(*stream(session.ssd, 60_000, 1), last=True)
    assert runs[True].iops == pytest.approx(runs[False].iops, rel=0.02)
    assert runs[True].percentile_s(0.999) < runs[False].percentile_s(0.999) / 3
    # what was not yet paid for is at most one block of each die
    assert abs(int(runs[True].work[2] - runs[True].counts.copied_pages)) <= session.ssd.dies * 64


def test_an_old_drive_with_log_blocks_writes_at_two_speeds():
    ssd = Ssd.of(catalogue.device("mtron-pro-7500"))
    session = Session(ssd)
    session.precondition()
    run = session.serve(*stream(ssd, 6000, 1), last=True)
    fast, slow = run.percentile_s(0.3), run.percentile_s(0.9)
    assert fast == pytest.approx(theory.alone_s(ssd, write=True), rel=0.01)
    assert slow > 100 * fast


def test_energy_is_operations_times_their_energy():
    session = Session(small(), 4)
    session.precondition()
    run = session.serve(*stream(session.ssd, 3000, 0.5), last=True)
    counts, energy = run.counts, run.energy_j
    assert energy["read"] == pytest.approx(np.count_nonzero(~run.write) * 3e-6)
    assert energy["program"] == pytest.approx(counts.host_pages * 25e-6)
    assert energy["copy"] == pytest.approx(counts.copied_pages * 28e-6)
    assert energy["erase"] == pytest.approx(counts.erases * 187e-6)


def test_a_run_in_parts_is_the_run_in_one():
    first, write = stream(small(), 3000, 0.5)
    whole = Session(small(), 8).serve(first, write, last=True)
    session = Session(small(), 8)
    parts = [session.serve(first[a:b], write[a:b], last=b == 3000) for a, b in ((0, 7), (7, 1500), (1500, 3000))]
    together = joined(parts)
    assert together.response_s.tolist() == whole.response_s.tolist()
    assert together.elapsed_s == pytest.approx(whole.elapsed_s)
    assert together.sums == pytest.approx(whole.sums)


def test_a_copy_of_a_device_goes_its_own_way():
    session = Session(small(), 1)
    session.precondition()
    first, write = stream(session.ssd, 500, 1)
    runs = [session.on_a_copy(depth).serve(first, write, last=True) for depth in (4, 4, 1)]
    assert runs[0].response_s.tolist() == runs[1].response_s.tolist()
    assert runs[2].response_s.tolist() == session.serve(first, write, last=True).response_s.tolist()
    assert runs[0].iops > runs[2].iops


def test_percentiles_are_order_statistics_and_the_histogram_counts_everyone():
    session = Session(small(), 4)
    session.precondition()
    run = session.serve(*stream(session.ssd, 1000, 0.5), last=True)
    ordered = np.sort(run.response_s)
    assert run.percentile_s(0.5) == ordered[499]
    assert run.percentile_s(0.999) == ordered[998]
    assert run.percentile_s(1) == ordered[-1]
    assert run.histogram().sum() == 1000
    assert (run.histogram(True) + run.histogram(False) == run.histogram()).all()
    assert BIN_EDGES_S[0] == pytest.approx(1e-6)


# ---- the write cache


def test_a_cached_write_takes_the_interface_and_the_controller_until_the_cache_is_full():
    ssd = small(write_cache_bytes=100 * 4096, overhead_s=10 * US, command_s=2 * US)
    run = Session(ssd).serve(*stream(ssd, 1000, 1.0), last=True)
    assert run.response_s[:100] == pytest.approx(12 * US)
    assert run.terms_of(write=True)["cache_wait_s"] > 10 * US
    assert run.terms_of(write=True)["array_s"] == 0


def test_a_read_of_what_the_write_cache_holds_takes_no_flash_read_and_one_that_it_holds_in_part_does():
    session = Session(small(write_cache_bytes=100 * 4096, overhead_s=10 * US), request_bytes=2 * 4096)
    run = session.serve(np.array([8, 8, 9]), np.array([True, False, False]), last=True)
    assert (run.read_hits, run.work[0]) == (1, 2)  # the last one reads a page of two dies
    assert run.response_s[1] == pytest.approx(10 * US)
    assert session.serve(np.array([8]), last=True).read_hits == 0, "all is on flash now"


def test_a_write_cache_shortens_writes_but_makes_no_flash_faster():
    """3 %: both runs end somewhere between two collections."""
    rates, medians = [], []
    for cached in (0, 64):
        ssd = small(blocks=64, write_cache_bytes=cached * 4096)
        session = Session(ssd, 32)
        session.precondition()
        session.serve(*stream(ssd, 2000, 1.0, seed=3))
        run = session.serve(*stream(ssd, 20_000, 1.0))
        rates.append(run.iops)
        medians.append(session.on_a_copy().serve(*stream(ssd, 50, 1.0)).percentile_s(0.5))
    assert rates[1] == pytest.approx(rates[0], rel=0.03)
    assert medians[1] < medians[0] / 10


def test_a_cached_nvme_drive_answers_a_write_within_what_its_maker_states():
    """The P3700 is specified with 20 µs for a write of 4 KB; nothing of the model was fitted to that."""
    device = catalogue.device("intel-dc-p3700-800gb")
    ssd = Ssd.of(device, blocks=24)
    run = Session(ssd).serve(*stream(ssd, 1000, 1.0))
    assert 5 * US < run.percentile_s(0.5) <= device.value("rated_write_latency_s")


# ---- laws, whatever the device and the stream


@settings(max_examples=40, deadline=None)
@given(
    order=st.sampled_from(list(ORDERS)),
    channels=st.integers(1, 4),
    dies=st.integers(1, 3),
    planes=st.sampled_from([1, 2]),
    units=st.integers(1, 5),
    depth=st.integers(1, 20),
    share=st.sampled_from([0.0, 0.3, 1.0]),
    layer=st.sampled_from(["page", "block", "bast", "fast"]),
    cached=st.sampled_from([0, 0, 1, 4, 50]),
    closed=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_laws_hold_for_every_device_and_stream(
    order, channels, dies, planes, units, depth, share, layer, cached, closed, seed
):
    """Little's law, the utilisation law and the sum of the terms are checked inside; here: nobody gets lost."""
    built = {"channels": channels, "dies_per_channel": dies, "planes": planes, "write_cache_bytes": cached * 4096}
    ssd = small(order=order, layer=layer, overhead_s=3 * US, **built)
    session = Session(ssd, depth, closed, request_bytes=units * 4096)
    first, write = stream(ssd, 300, share, seed, units)
    arrival = None if closed else np.random.default_rng(seed).exponential(100 * US, 300).cumsum()
    parts = [
        session.serve(first[a:b], write[a:b], None if closed else arrival[a:b], last=b == 300)
        for a, b in ((0, 120), (120, 300))
    ]
    run = joined(parts)
    assert run.size == 300
    least_s = ssd.overhead_s if cached else theory.alone_s(ssd, write=False) - ssd.program_s * ssd.batch
    assert (run.response_s >= least_s * (1 - 1e-9)).all()
    assert run.counts.host_pages == np.count_nonzero(write) * units
    assert run.counts.programmed_pages == run.counts.host_pages + run.counts.copied_pages + run.counts.merged_pages
    assert all(0 <= value <= 1 + 1e-9 for value in run.utilisation.values())
    assert sum(run.terms_s.values()) == pytest.approx(run.of().mean())
    assert set(run.terms_s) == set(TERMS)


# ---- the catalogue


def test_every_ssd_of_the_catalogue_is_as_fast_as_its_data_sheet_says():
    """5 %: the free parameters were fitted to these ratings, by hand."""
    for name, depth in (("mtron-pro-7500", 1), ("intel-x25-e", 32), ("intel-dc-p3700-800gb", 128)):
        device = catalogue.device(name)
        ssd = Ssd.of(device, blocks=32 if "p3700" in name else 128)
        reads = Session(ssd, depth).serve(stream(ssd, 40_000, 0)[0])
        assert reads.iops == pytest.approx(device.value("random_read_iops"), rel=0.05)
        session = Session(ssd, depth)
        session.precondition()
        session.serve(*stream(ssd, 10_000, 1, seed=2))
        writes = session.serve(*stream(ssd, 80_000, 1))
        assert writes.iops == pytest.approx(device.value("random_write_iops"), rel=0.05)


def test_an_nvme_drive_reads_4_kb_in_80_to_100_microseconds_and_obeys_little():
    """AnandTech's rows for the P3700: 77.9 µs at depth 1, 167 200 reads/s at 16; the model was fitted to neither.

    10 %: the overhead is a round assumption. Little: 16 / 93.9 µs is 2 % above the printed rate.
    """
    device = catalogue.device("intel-dc-p3700-800gb")
    ssd = Ssd.of(device, blocks=24)
    first = stream(ssd, 30_000, 0)[0]
    alone, sixteen = (Session(ssd, depth).serve(first) for depth in (1, 16))
    assert 80 * US <= alone.of().mean() <= 100 * US
    assert alone.of().mean() == pytest.approx(device.value("qd1_read_s"), rel=0.1)
    assert sixteen.iops == pytest.approx(device.value("qd16_random_read_iops"), rel=0.1)
    assert 16 / device.value("qd16_read_s") == pytest.approx(device.value("qd16_random_read_iops"), rel=0.03)


def test_every_chip_of_the_catalogue_is_a_chip():
    assert {"nand-slc-large-block", "nand-mlc", "nand-tlc", "nand-3d-qlc"} <= set(chips())
    for name in chips():
        chip = Chip.of(catalogue.device(name))
        assert chip.read_s < chip.program_s < chip.erase_s
    assert {"mtron-pro-7500", "intel-x25-e", "intel-dc-p3700-800gb", "indilinx-barefoot-ssd"} == set(catalogued())


# ---- bad input


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"spare": 0}, "spare space must be a share"),
        ({"channels": 0}, "channels must be a whole number above 0; got 0"),
        ({"channels": 3, "lockstep": 2}, "3 channels are not a whole number of groups of 2 in lockstep"),
        ({"unit_bytes": 3000}, "a program of 4096 bytes is not a whole number of units of 3000"),
        ({"overhead_s": -1}, "overhead_s must not be negative; got -1"),
        ({"channel_bytes_per_s": 0}, "channel_bytes_per_s must be above 0; got 0"),
        ({"order": "lottery"}, "unknown order of a die's work 'lottery'; known: fifo"),
        ({"layer": "dftl"}, "unknown translation layer with timing 'dftl'"),
        ({"layer": "bast", "paced": True}, "only a page map collects little by little; got 'bast'"),
    ],
)
def test_a_device_that_cannot_be_is_refused_in_a_sentence(changes, sentence):
    with pytest.raises(ModelError, match=sentence):
        small(**changes)


def test_requests_that_cannot_be_are_refused_in_a_sentence():
    session = Session(small(), closed=False)
    last = session.ssd.logical_units
    for asked, sentence in (
        (([last], None, [0.0]), f"requests of 1 units must lie in units 0..{last - 1}; got {last}..{last}"),
        (([-1], None, [0.0]), "got -1..-1"),
        (([0.5], None, [0.0]), "first units must be whole numbers"),
        (([0, 1], None, [2.0, 1.0]), "arrivals must not fall"),
        (([0], None, None), "an open run needs the arrival of every request"),
        (([0, 1], [1], [0.0, 1.0]), "must have one length; got 2, 1, 2"),
    ):
        with pytest.raises(ModelError, match=sentence):
            session.serve(np.array(asked[0]), *asked[1:])
    with pytest.raises(ModelError, match="a request must be 1"):
        Session(small(), request_bytes=5000)
    with pytest.raises(ModelError, match=r"a queue must have 1\.\.65536 places; got 0"):
        Session(small(), 0)
    with pytest.raises(ModelError, match="flash_chip is not known"):
        Ssd.of(catalogue.device("ocz-vertex-ex"))
