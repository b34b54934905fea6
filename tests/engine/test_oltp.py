"""The system in the loop against laws, exact theory and its SimPy twin."""

import dataclasses
import math

import numpy as np
import pytest

from helpers.oltp_parts import of_pages, pages_at_random, storage
from pagecost import oltp
from pagecost.errors import ModelError
from pagecost.intervals import batch_interval
from pagecost.oltp.outcomes import outcomes
from pagecost.oltp.setup import Buffer, Log, Processors, Setup
from pagecost.transactions.theory import closed_network_rate, share_of_stations
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.tpcc import TpcC
from twins.oltp import Twin

TPCC = oltp.tpcc(TpcC(warehouses=2), transactions=3000)


RANDOM = pages_at_random()


# Laws


@pytest.mark.parametrize("think_s", [0.0, 0.5])
def test_users_are_either_in_a_transaction_or_think(think_s):
    setup = Setup(users=20, think_s=think_s, buffer=Buffer(frames=500), storage=storage())
    made = oltp.run(setup, TPCC, transactions=2000, fill=500)
    assert made.response_s == pytest.approx(setup.users / made.tps - think_s, rel=0.03)


@pytest.mark.parametrize(
    "setup",
    [
        Setup(users=8, buffer=Buffer(frames=300), storage=storage(), log=Log(storage=storage())),
        Setup(users=8, buffer=Buffer(frames=300), storage=oltp.Storage(drive=oltp.drive("cheetah-15k5"), count=3)),
        Setup(
            users=8,
            buffer=Buffer(frames=300, policy="cfdc"),
            processors=Processors(servers=2, io_s=1e-4, law="constant"),
            log=Log(group_size=4, group_wait_s=2e-3),
            checkpoint_interval_s=0.5,
            storage=oltp.Storage(drive=oltp.drive("intel-x25-e"), scheduler="anticipatory"),
        ),
        Setup(users=8, buffer=Buffer(frames=300, force=True, write_batch=8), storage=storage(count=2)),
    ],
    ids=["log apart", "array", "groups and checkpoints", "forced"],
)
def test_what_goes_in_comes_out_at_every_level_and_the_terms_add_up(setup):
    made = oltp.run(setup, TPCC, seconds=30, fill=300)  # asserts Little's and the utilisation law at every station
    assert sum(made.composition.values()) == pytest.approx(made.response_s, rel=1e-9)
    assert sum(made.by_type.values()) == pytest.approx(made.tps)
    counts = made.counts
    assert made.requests["database", "read"] == counts["page reads"]
    pages = counts["page writes"] + counts["checkpoint writes"] + counts["log writes"] + counts["forced writes"]
    assert abs(made.requests["database", "write"] - pages) <= 64  # a batch of a checkpoint may be on its way
    for operation in ("read", "write"):
        asked = made.moved_bytes["database", operation]
        assert abs(made.moved_bytes["file system", operation] - asked) <= 65 * 4096
        handed, done = made.moved_bytes["file system", operation], made.moved_bytes["device", operation]
        assert abs(handed - done) <= 100 * 4096 < 0.05 * done  # what waits at the beginning and the end
    assert sum(made.written_bytes.values()) == made.moved_bytes["device", "write"]
    assert counts["page reads"] <= counts["logical reads"] + counts["logical writes"]
    assert all(0 <= share <= 1 + 1e-12 for share in made.utilisation.values())


def test_merging_preserves_bytes_and_makes_fewer_larger_requests():
    random = np.random.default_rng(1)
    page = (random.integers(0, 5000, 4000)[:, None] * 4 + np.arange(4)).ravel()  # four pages side by side
    load = of_pages(page, True, 4)
    made = {}
    for merge_bytes in (0, 65536):
        setup = Setup(
            users=20,
            buffer=Buffer(frames=400),
            processors=Processors(transaction_s=1e-3),
            checkpoint_interval_s=0.2,
            log=None,
            storage=storage(merge_bytes=merge_bytes),
        )
        made[merge_bytes] = oltp.run(setup, load, transactions=2000)
    apart, merged = made[0], made[65536]
    assert apart.counts["merged"] == 0 < merged.counts["merged"]
    assert apart.mean_request_bytes("device", "write") == 4096 < merged.mean_request_bytes("device", "write")
    handed = merged.moved_bytes["file system", "write"]
    assert abs(merged.moved_bytes["device", "write"] - handed) <= 84 * 4096 < 0.03 * handed
    assert merged.tps > 1.2 * apart.tps  # this device takes as long for many pages as for one


# Exact theory


@pytest.mark.parametrize(("users", "think_s", "servers"), [(1, 0.0, 1), (5, 0.01, 1), (20, 0.05, 2)])
def test_a_product_form_network_has_the_throughput_of_exact_theory(users, think_s, servers):
    setup = Setup(
        users=users,
        think_s=think_s,
        processors=Processors(servers=servers, transaction_s=3e-3),
        buffer=Buffer(frames=users),
        log=None,
        storage=storage(2e-3, law="exponential", servers=servers),
    )
    made = oltp.run(setup, RANDOM, transactions=40_000)
    exact = closed_network_rate([3e-3, 2e-3], [servers, servers], users, think_s)
    assert made.tps == pytest.approx(exact, rel=0.015)
    assert made.utilisation["device"] == pytest.approx(made.tps * 2e-3 / servers, rel=0.02)


def test_twelve_users_keep_eight_even_devices_busy_for_the_share_that_theory_gives():
    ideal = 8 / 2e-3
    setup = Setup(
        users=12,
        processors=Processors(transaction_s=0.0),
        buffer=Buffer(frames=12),
        log=None,
        storage=storage(2e-3, law="exponential", count=8, stripe_bytes=4096),
    )
    made = oltp.run(setup, RANDOM, transactions=40_000)
    assert made.tps / ideal == pytest.approx(share_of_stations(12, 8), rel=0.015)  # 12 / 19


def test_eight_disks_lie_idle_for_a_third_of_the_time_with_twelve_users():
    load = pages_at_random(pages=1_000_000)
    disks = oltp.Storage(drive=oltp.drive("cheetah-15k5", idle_w=10.0, active_w=18.0), count=8)
    setup = Setup(users=12, processors=Processors(transaction_s=0.0), buffer=Buffer(frames=12), log=None, storage=disks)
    made = oltp.run(setup, load, transactions=6000)
    busy = np.array([share for name, share in made.utilisation.items() if "device" in name])
    # the times of a disk vary less than exponential ones, with which it would be 12 / 19
    assert share_of_stations(12, 8) < busy.mean() < 0.75
    assert np.ptp(busy) < 0.1
    assert made.average_w == pytest.approx(8 * (10 + 8 * busy.mean()))
    assert made.energy_j == pytest.approx(made.seconds * made.average_w)


# The slow twin


@pytest.mark.parametrize(
    ("cached", "group_size", "think_s", "force"),
    [(0, 1, 0.0, False), (1000, 1, 0.0, False), (0, 5, 0.02, False), (0, 1, 0.0, True), (1000, 5, 0.02, True)],
    ids=["direct", "page cache", "groups and think times", "forced", "all of it, forced"],
)
def test_the_system_agrees_with_its_slow_twin(cached, group_size, think_s, force):
    load = oltp.debit_credit(DebitCredit(branches=20, accounts_per_branch=2000), transactions=30_000)
    twin = Twin(
        load,
        users=12,
        think_s=think_s,
        processors=2,
        transaction_s=4e-3,
        frames=300,
        cache_pages=cached,
        devices=2,
        group_size=group_size,
        force=force,
        fill=3000,
        seed=2,
    )
    _, responses = twin.run(3000, 300)
    setup = Setup(
        users=12,
        think_s=think_s,
        processors=Processors(servers=2, transaction_s=4e-3),
        buffer=Buffer(frames=300, force=force),
        page_cache=oltp.PageCache(pages=cached, read_ahead_pages=0) if cached else None,
        log=Log(storage=storage(write_s=1e-3), group_size=group_size),
        storage=storage(count=2, stripe_bytes=4096),
    )
    made = oltp.run(setup, load, transactions=25_000, fill=3000)
    mean_s, half_s = batch_interval(responses)
    assert half_s < 0.05 * mean_s
    assert abs(made.response_s - mean_s) < 1.5 * (half_s + made.half_width_s)


def test_forced_pages_are_written_once_each_behind_the_log_and_not_again():
    """One user, everything constant: three distinct pages of four changes, side by side on two devices."""
    load = of_pages([0, 1, 2, 0] * 500, True, 4)
    given = {"users": 1, "processors": Processors(transaction_s=0.0), "storage": storage(count=2, stripe_bytes=4096)}
    log = Log(storage=storage(write_s=1e-3))
    made = {
        force: oltp.run(Setup(buffer=Buffer(frames=3, force=force), log=log, **given), load, transactions=400, fill=3)
        for force in (False, True)
    }
    assert made[False].response_s == pytest.approx(1e-3)
    assert made[True].response_s == pytest.approx(1e-3 + 2 * 2e-3)  # pages 0 and 2 lie on one device
    assert made[True].composition["write_s"] == pytest.approx(4e-3)
    counts = made[True].counts
    assert (counts["forced writes"], counts["page writes"]) == (3 * 400, 0)


def test_among_many_users_who_think_a_page_is_forced_once_and_nothing_is_written_before_it_is_changed():
    """Victims are known without times, as if all users were at work at once. Where few are, a page that leaves may
    become changed only later in time; 2.7 such pages were written beside the 9.4 that a transaction forces."""
    load = oltp.tpcc(TpcC(warehouses=2), transactions=6000, seed=3)
    asked = Setup(
        users=200,
        think_s=1.0,
        processors=Processors(servers=4, transaction_s=1e-3),
        buffer=Buffer(frames=1024, force=True),
        storage=storage(count=4, read_s=2e-4, write_s=2e-4),
    )
    made = oltp.run(asked, load, transactions=3000, fill=2000)
    alone = oltp.run(dataclasses.replace(asked, users=1), load, transactions=3000, fill=2000)
    assert alone.counts["page writes"] == 0
    assert made.counts["page writes"] < 0.01 * made.counts["forced writes"]
    assert made.counts["forced writes"] == pytest.approx(alone.counts["forced writes"], rel=0.05)


def test_who_rolls_back_forces_nothing():
    load = of_pages([0, 1] * 500, True, 2)
    load = dataclasses.replace(load, uncommitted=load.kinds)
    made = oltp.run(Setup(users=1, buffer=Buffer(frames=4, force=True), storage=storage()), load, transactions=400)
    assert (made.counts["forced writes"], made.counts["commits"]) == (0, 0)


# Log


def test_a_group_commit_writes_the_log_once_for_all_who_gathered():
    load = pages_at_random(references=1, pages=200, write_share=1.0)
    slow = storage(write_s=10e-3)
    setup = Setup(
        users=10,
        processors=Processors(transaction_s=0.0),
        buffer=Buffer(frames=200),
        log=Log(storage=slow),
        storage=storage(),
    )
    alone = oltp.run(setup, load, transactions=2000, fill=2000)
    assert alone.tps == pytest.approx(100, rel=0.01)  # one write of 10 ms after the other
    gathered = oltp.run(
        dataclasses.replace(setup, log=Log(storage=slow, group_size=10)), load, transactions=2000, fill=2000
    )
    assert gathered.tps == pytest.approx(5 * alone.tps, rel=0.01)  # half of them gather while the others are written
    waited = dataclasses.replace(setup, log=Log(storage=slow, group_size=10, group_wait_s=5e-3))
    assert oltp.run(waited, load, transactions=2000, fill=2000).tps <= 1.01 * 10 / 10e-3
    unflushed = dataclasses.replace(
        setup, log=Log(storage=slow, flush=False), processors=Processors(transaction_s=1e-3)
    )
    free = oltp.run(unflushed, load, transactions=2000, fill=2000)
    assert free.composition["log_s"] == 0
    assert free.tps == pytest.approx(1e3, rel=0.05)


def test_a_timer_closes_a_group_that_stays_small():
    load = pages_at_random(references=1, pages=200, write_share=1.0)
    setup = Setup(
        users=1,
        processors=Processors(transaction_s=0.0),
        buffer=Buffer(frames=200),
        log=Log(storage=storage(write_s=1e-3), group_size=8, group_wait_s=4e-3),
        storage=storage(),
    )
    made = oltp.run(setup, load, transactions=500, fill=2000)
    assert made.response_s == pytest.approx(5e-3)


# Checkpoints, locks, load


def test_a_page_that_a_checkpoint_wrote_is_not_written_again_when_it_leaves():
    load = pages_at_random(references=4, pages=3000, write_share=0.5, transactions=20_000)
    setup = Setup(users=4, buffer=Buffer(frames=1000), log=None, storage=storage(1e-4, 1e-4))
    without = oltp.run(setup, load, transactions=15_000)
    often = oltp.run(dataclasses.replace(setup, checkpoint_interval_s=2.0), load, transactions=15_000)
    assert often.counts["checkpoints"] > 3
    assert often.counts["checkpoint writes"] > 1000
    assert often.counts["page writes"] < without.counts["page writes"] - 0.3 * often.counts["checkpoint writes"]
    assert without.counts["page reads"] == pytest.approx(often.counts["page reads"], abs=20)


@pytest.mark.parametrize("policy", ["lru", "clock", "cflru"])
def test_the_first_checkpoint_writes_what_was_changed_while_the_buffer_was_filled(policy):
    load = pages_at_random(references=4, pages=3000, write_share=0.5, transactions=9000)
    buffer, fill = Buffer(frames=1000, policy=policy), 3000
    found = outcomes(load, 1, buffer)
    changed = set()
    for reference in range(load.first[fill]):  # one after the other, as of one user
        if not found.hit[reference]:
            changed -= set(found.victim[slice(*found.victims[reference])].tolist())
        changed |= {int(load.page[reference])} if load.write[reference] else set()
    assert set(np.flatnonzero(found.changed(load, load.first[fill])).tolist()) == changed
    setup = Setup(
        users=1, think_s=50.0, buffer=buffer, log=None, checkpoint_interval_s=1.0, storage=storage(1e-4, 1e-4)
    )
    made = oltp.run(setup, load, transactions=40, fill=fill)
    assert made.counts["page writes"] <= 4  # of the second before it
    assert len(changed) - 4 <= made.counts["checkpoint writes"] <= len(changed) + 4 * 40


def test_users_of_one_page_take_turns_and_deadlocks_are_broken():
    load = oltp.debit_credit(DebitCredit(branches=1, accounts_per_branch=1000), transactions=2000)
    setup = Setup(
        users=5,
        buffer=Buffer(frames=200),
        processors=Processors(servers=5, transaction_s=5e-3, law="constant"),
        log=Log(storage=storage(write_s=1e-3)),
        storage=storage(),
    )
    made = oltp.run(setup, load, transactions=1500, fill=300)
    assert made.composition["lock_wait_s"] > made.composition["processor_s"]
    assert made.tps < 1 / (2e-3 + 1e-3)  # the branch is held from its change over the log write to the end
    random = np.random.default_rng(1)
    page = random.integers(0, 20, 8000)
    crossing = dataclasses.replace(of_pages(page, True, 4), lock=page)
    made = oltp.run(setup, crossing, transactions=1500)
    assert made.counts["deadlocks"] == made.counts["restarts"] > 10
    assert made.transactions == 1500


def test_a_run_ends_where_its_load_ends_and_says_so():
    setup = Setup(users=4, buffer=Buffer(frames=100), storage=storage(1e-4, 1e-4))
    made = oltp.run(setup, TPCC, seconds=1e5)
    assert made.ended
    assert made.seconds < 1e5
    assert made.transactions == pytest.approx(TPCC.transactions, abs=4)


def test_a_cold_start_is_slower_than_a_warm_one():
    setup = Setup(users=4, buffer=Buffer(frames=4000), storage=storage())
    cold = oltp.run(setup, TPCC, transactions=500)
    warm = oltp.run(setup, TPCC, transactions=500, fill=2400)
    assert cold.windows["tps"][:2].mean() < 0.5 * warm.tps
    assert cold.window_end_s.size == cold.windows["tps"].size == 60
    assert (np.diff(cold.window_end_s) >= 0).all()


def test_a_run_can_be_cancelled_between_its_windows():
    seen = []

    def stop(share, so_far):
        seen.append(so_far().transactions)
        if share > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        oltp.run(Setup(users=4, buffer=Buffer(frames=100), storage=storage()), TPCC, transactions=600, progress=stop)
    assert seen == sorted(seen)
    assert len(seen) == 13


# What makes no sense

REFUSED = {
    "as many frames": lambda: Setup(users=30, buffer=Buffer(frames=20), storage=storage()),
    "users must be": lambda: Setup(users=0, storage=storage()),
    "think time": lambda: Setup(think_s=-1, storage=storage()),
    "interval between checkpoints": lambda: Setup(checkpoint_interval_s=0, storage=storage()),
    "lets writes wait": lambda: Setup(
        buffer=Buffer(force=True), page_cache=oltp.PageCache(pages=500, synchronous=False), storage=storage()
    ),
    "unknown scheduler": lambda: storage(scheduler="fastest"),
    "group_size": lambda: Log(group_size=0),
    "count must be": lambda: storage(count=0),
    "at least one frame": lambda: Buffer(frames=0),
    "unknown replacement policy": lambda: Buffer(policy="best"),
    "whole number of blocks": lambda: oltp.run(
        Setup(users=2, block_bytes=8192, storage=storage()), TPCC, transactions=1
    ),
    "hold": lambda: oltp.run(Setup(users=2, storage=oltp.Storage(drive=_small_disk())), TPCC, transactions=1),
    "not both": lambda: oltp.run(Setup(users=2, storage=storage()), TPCC),
    "fill must leave": lambda: oltp.run(Setup(users=2, storage=storage()), TPCC, transactions=1, fill=3000),
    "processor time": lambda: oltp.run(
        Setup(users=2, processors=Processors(transaction_s={"Payment": 1e-3}), storage=storage()), TPCC, transactions=1
    ),
}


def _small_disk():
    from pagecost.devices.disk import Disk

    return oltp.DiskDrive(disk=Disk.flat("small", capacity_bytes=1e6, access_s=1e-3, bytes_per_s=1e8))


@pytest.mark.parametrize("words", REFUSED)
def test_what_makes_no_sense_is_refused_in_one_sentence(words):
    with pytest.raises(ModelError, match=words) as caught:
        REFUSED[words]()
    assert "\n" not in str(caught.value)


def test_a_run_says_how_much_of_its_buffer_was_full():
    """Random pages of 10 000: after n references to them 10 000 (1 - e^(-n / 10 000)) are known."""
    load = pages_at_random(references=1, pages=10_000, write_share=1.0)

    def one(frames: int) -> Setup:
        return Setup(users=1, buffer=Buffer(frames=frames), storage=storage())

    filled = {frames: oltp.run(one(frames), load, transactions=100, fill=2000).filled for frames in (100, 4000, 10**6)}
    known = 10_000 * (1 - math.exp(-0.2))
    assert filled[100] == 1.0
    assert filled[4000] == pytest.approx(known / 4000, rel=0.03)
    assert filled[10**6] == pytest.approx(known / 10_000, rel=0.03)  # for which the database has no pages counts not
    assert oltp.run(one(100), load, transactions=100).filled == 0.0
