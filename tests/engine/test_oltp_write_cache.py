"""Write caches of the loop's devices: against none, against laws, conserved to the block, and against a slow twin."""

from itertools import pairwise

import numpy as np
import pytest

from helpers.oltp_parts import of_pages, pages_at_random, small_system, storage
from pagecost import oltp, system
from pagecost.errors import ModelError
from pagecost.intervals import batch_interval
from pagecost.oltp import queues_kernels as q
from pagecost.oltp.setup import Buffer, Log, Processors, Setup
from pagecost.studies.path import whole_path
from pagecost.workload.debit_credit import DebitCredit
from twins.oltp import Twin

LOAD = oltp.debit_credit(DebitCredit(branches=20, accounts_per_branch=2000), transactions=30_000)
BLOCK = 4096
BUS_S = 2e-4
FAST = {"interface_bytes_per_s": BLOCK / BUS_S}


def writes_alone(data, users=1):
    """One who only writes pages: each reference evicts a changed page; no log, no processor time."""
    return Setup(
        users=users, processors=Processors(transaction_s=0.0), buffer=Buffer(frames=users), log=None, storage=data
    )


@pytest.mark.parametrize("joined", [{}, {"count": 2}, {"count": 2, "copies": 2}, {"count": 3, "parities": 1}], ids=str)
@pytest.mark.parametrize("blocks", [4, 60])
def test_a_loop_with_write_caches_agrees_with_the_slow_twin(joined, blocks):
    twin = Twin(
        LOAD,
        users=8,
        think_s=0.05,
        processors=2,
        transaction_s=4e-3,
        frames=300,
        devices=joined.get("count", 1),
        copies=joined.get("copies", 1),
        parities=joined.get("parities", 0),
        cache_blocks=blocks,
        bus_s=BUS_S,
        write_s=8e-3,
        fill=3000,
        seed=2,
    )
    _, responses = twin.run(12_000, 300)
    data = storage(write_s=8e-3, stripe_bytes=BLOCK, write_cache_bytes=blocks * BLOCK, **FAST, **joined)
    made = oltp.run(small_system(data), LOAD, transactions=25_000, fill=3000)
    mean_s, half_s = batch_interval(responses)
    assert half_s < 0.08 * mean_s  # full caches make the times of the twin's 12 000 transactions vary
    assert abs(made.response_s - mean_s) < 1.5 * (half_s + made.half_width_s)
    done = made.transactions / len(responses)
    # the two draw other processor times, so that counts differ as those of two samples: five deviations
    for name, told in (("extents destaged", "destaged"), ("write cache reads", "read_hits")):
        slow = sum(getattr(device, told) for device in twin.devices)
        assert made.counts[name] == pytest.approx(done * slow, rel=0.05, abs=5 * np.sqrt(done * slow * (1 + done))), (
            name
        )


def test_a_write_takes_the_time_of_the_interface_as_long_as_there_is_room():
    load = pages_at_random(write_share=1.0, transactions=2000)
    made = oltp.run(writes_alone(storage(write_cache_bytes=1 << 30, **FAST)), load, transactions=1500)
    assert made.counts["writes without room"] == 0
    assert made.composition["write_s"] == pytest.approx(BUS_S, rel=0.01)
    assert made.requests["device", "write"] == made.counts["page writes"]


def test_in_the_long_run_writes_are_as_fast_as_they_are_destaged():
    """Pages so far apart that none touch: each write costs the device a read and, in the end, a write."""
    load = of_pages(np.random.default_rng(3).permutation(30_000) * 2, True, 1)
    made = oltp.run(writes_alone(storage(write_cache_bytes=50 * BLOCK, **FAST)), load, transactions=20_000)
    assert made.utilisation["device"] == pytest.approx(1.0, abs=0.01)
    assert 1 / made.tps == pytest.approx(1e-3 + 2e-3, rel=0.01)


def test_neighbours_go_back_in_one_piece_and_what_is_written_over_is_written_once():
    page = np.tile(np.arange(40), 500)  # forty pages, over and over, with a buffer for one
    load = of_pages(page, True, 1)
    none, cached = (
        oltp.run(writes_alone(storage(write_cache_bytes=blocks * BLOCK, **FAST), users=8), load, transactions=10_000)
        for blocks in (0, 64)
    )
    assert cached.tps > 1.5 * none.tps
    assert cached.counts["extents destaged"] < none.requests["device", "write"] / 5
    assert cached.counts["write cache reads"] > 0


@pytest.mark.parametrize("device", ["hgst-7k1000-750gb", "intel-x25-e"])
@pytest.mark.parametrize("blocks", [1, 7, 300])
def test_every_block_is_destaged_held_or_written_over(device, blocks):
    data = oltp.Storage(drive=oltp.drive(device), count=2, write_cache_bytes=blocks * BLOCK)
    simulation = oltp.Simulation(small_system(data, frames=64), LOAD, fill=500)
    simulation.carry_on(transactions=800)
    made, every = simulation.result(), simulation.state.queues.unit
    unit, log = every[:2], every[2:]
    came = simulation.state.core.blocks[2, q.WRITE] - log[:, q.WRITTEN].sum()
    assert unit[:, q.WRITTEN].sum() + unit[:, q.HELD].sum() + made.counts["blocks written over"] == came
    assert sum(made.written_bytes[name] for name in made.devices()) == unit[:, q.WRITTEN].sum() * BLOCK
    extent = [sorted(map(tuple, simulation.state.queues.extent[at, : unit[at, q.EXTENTS]])) for at in (0, 1)]
    for at, held in enumerate(extent):
        assert sum(length for _, length in held) == unit[at, q.HELD]
        assert all(first + length < after for (first, length), (after, _) in pairwise(held))
    assert (unit[:, q.HELD] + unit[:, q.DESTAGING] <= blocks).all()


def test_without_a_cache_nothing_of_it_is_counted():
    made = oltp.run(small_system(storage()), LOAD, transactions=500, fill=500)
    names = ("extents destaged", "blocks written over", "write cache reads", "writes without room")
    assert [made.counts[name] for name in names] == [0, 0, 0, 0]


def test_a_cache_that_makes_no_sense_is_refused():
    with pytest.raises(ModelError, match="write_cache_bytes must not be negative; got -1"):
        storage(write_cache_bytes=-1)
    with pytest.raises(ModelError, match="interface_bytes_per_s must be above 0; got 0"):
        storage(interface_bytes_per_s=0)
    with pytest.raises(ModelError, match="holds a block of 4096 bytes or more, or is 0: none; got 1000"):
        small_system(storage(write_cache_bytes=1000))
    with pytest.raises(ModelError, match="holds a block of 4096 bytes"):
        Setup(storage=storage(), log=Log(storage=storage(write_cache_bytes=1)))


def test_the_questions_about_the_path_ask_for_it_and_say_where_it_never_filled():
    small = {
        "devices": ("hgst-7k1000-750gb",),
        "file_systems": ("none",),
        "warehouses": 2,
        "fill": 2000,
        "seconds": 10.0,
    }
    found = {}
    for size in (0, 64 * 1024, 256 * 2**20):
        found[size] = whole_path.compute(whole_path.STUDY.inputs(small | {"write_cache_bytes": size}))
    tpm = {size: float(result["tpm"][0]) for size, result in found.items()}
    assert tpm[0] < tpm[64 * 1024] < tpm[256 * 2**20]
    said = {size: " ".join(result.notes) for size, result in found.items()}
    assert "cache of" not in said[0]
    assert "No cache was full" not in said[64 * 1024]
    assert "No cache was full by the end: in a longer run it may be slower on commercial, HGST" in said[256 * 2**20]
    lost = {size: float(result["write_factor"][0]) for size, result in found.items()}
    assert lost[256 * 2**20] < lost[64 * 1024] <= lost[0] + 1e-9, (
        "what is written over or held never reaches the platters"
    )


def test_a_system_says_it_of_its_devices():
    mine = system.System().changed({"devices.database.write_cache_bytes": 8 * 2**20})
    taken = whole_path.STUDY.of_system(mine).values
    assert taken["write_cache_bytes"] == 8 * 2**20
    with pytest.raises(ModelError, match="write_cache_bytes"):
        mine.changed({"devices.database.write_cache_bytes": -1})
