"""Goals on the whole path: the knee holds with other seeds and a step above it does not; buffers, drives, money."""

import math
from dataclasses import replace

import numpy as np
import pytest

from helpers.oltp_parts import storage
from pagecost import oltp
from pagecost.answers import path_goals
from pagecost.answers.path_goals import Found, Path, at_once, holds, knee_of, knee_with, least_drives, least_frames, ran
from pagecost.answers.response_goals import Within
from pagecost.errors import ModelError
from pagecost.studies import find
from pagecost.units import grouped
from pagecost.workload.debit_credit import DebitCredit
from pagecost.workload.patterns import Zipf
from pagecost_app.charts import CHARTS
from twins import queues

STUDY = find("path_goal")
EACH_S = 1e-3
SEEDS = (1, 2, 3, 4)
X25_M, OPTANE, EXOS = "intel-x25-m-g2-160gb", "intel-optane-p4800x-375gb", "seagate-exos-x18-18tb"
SMALL = {"fill": 20_000, "pages": 50_000, "seeds": 3, "measured": 3000}


def asked(**values):
    inputs = STUDY.inputs(SMALL | values)
    result = STUDY.compute(inputs)
    return result, STUDY.explain(inputs, result)


def one_device(law="exponential", **changes):
    """Reads of pages that no buffer holds, and nothing but a device in their way: a queue with one server."""
    setup = oltp.Setup(
        users=500,
        processors=oltp.Processors(transaction_s=0.0),
        buffer=oltp.Buffer(frames=500),
        log=None,
        storage=storage(EACH_S, law=law),
    )
    load = Zipf(pages=400_000, alpha=0.0, write_share=0.0)
    return Path(setup=setup, load=load, **{"fill": 0, "measured": 20_000} | changes)


def buffered():
    """Reads of some pages more often than others, on four devices of which one is asked at a time."""
    path = one_device("constant", fill=20_000, measured=4000)
    setup = replace(path.setup, users=32, storage=storage(EACH_S, stripe_bytes=4096), buffer=oltp.Buffer(frames=512))
    return replace(path, setup=setup, load=Zipf(pages=20_000, alpha=1.0, write_share=0.0))


# Theory and laws


@pytest.mark.parametrize(("share", "within_s"), [(0.95, 10e-3), (0.99, 10e-3), (0.5, 1.5e-3)])
def test_the_knee_of_one_exponential_server_is_that_of_theory(share, within_s):
    """M/M/1: the response is exponential, so the percentile is exact, and the largest rate within a goal with it."""
    goal = Within(share=share, within_s=within_s)
    knee = knee_of([knee_with(one_device(), goal, seed) for seed in SEEDS])
    exact_hz = queues.rate_within_hz(share, within_s, EACH_S)
    assert knee.rate_hz == pytest.approx(exact_hz, rel=0.02)
    assert knee.low_hz <= exact_hz <= knee.high_hz
    assert knee.capacity_hz == pytest.approx(1 / EACH_S, rel=0.02)
    assert knee.alone_s == pytest.approx(math.log(1 / (1 - share)) * EACH_S, rel=0.1)


def test_the_interval_covers_a_knee_that_many_seeds_agree_on():
    """Of ten intervals, each over three seeds; that fewer than seven of them cover it has a chance of 1 in 1000."""
    path, goal = one_device(measured=3000), Within(share=0.95, within_s=10e-3)
    exact_hz = queues.rate_within_hz(0.95, 10e-3, EACH_S)
    found = [knee_with(path, goal, seed) for seed in range(1, 31)]
    knees = [knee_of(found[at : at + 3]) for at in range(0, 30, 3)]
    assert sum(knee.low_hz <= exact_hz <= knee.high_hz for knee in knees) >= 7


def test_the_knee_holds_with_other_seeds_and_a_step_above_it_does_not():
    path, goal = replace(buffered(), measured=8000), Within(share=0.95, within_s=4e-3)
    knee = knee_of([knee_with(path, goal, seed) for seed in SEEDS])
    assert 0 < knee.low_hz <= knee.rate_hz <= knee.high_hz <= knee.capacity_hz
    others = (11, 12, 13, 14)
    below = [ran(path, goal.share, 0.95 * knee.low_hz, seed).percentile_s for seed in others]
    above = [ran(path, goal.share, 1.05 * knee.high_hz, seed).percentile_s for seed in others]
    assert np.mean(below) <= goal.within_s < np.mean(above)


def test_what_comes_at_once_is_carried_as_by_users_without_a_pause():
    load, users = DebitCredit(branches=20), 30
    setup = oltp.Setup(users=users, buffer=oltp.Buffer(frames=500), log=oltp.Log(group_size=30), storage=storage())
    path = Path(setup=setup, load=load, fill=5000)
    closed = oltp.run(setup, path.loaded(1), transactions=4000, fill=5000)
    assert at_once(path, 1).tps == pytest.approx(closed.tps, rel=0.03)


def test_what_a_path_cannot_do_for_ever_does_not_hold_however_short_the_run():
    path, goal = one_device(measured=1000), Within(share=0.99, within_s=3000.0)
    knee = knee_with(path, goal, 1)
    assert knee.rate_hz <= knee.capacity_hz
    assert holds(path, goal, 3 * knee.capacity_hz, 1), "a thousand transactions are soon over"
    assert least_drives(path, goal, 40 * knee.capacity_hz, SEEDS) is None


def test_a_goal_shorter_than_a_lone_transaction_has_no_knee():
    path, goal = one_device("constant"), Within(share=0.99, within_s=0.5e-3)
    knee = knee_of([knee_with(path, goal, seed) for seed in SEEDS])
    assert knee.rate_hz == knee.low_hz == knee.high_hz == 0
    assert knee.alone_s >= EACH_S


def test_one_seed_without_a_knee_leaves_the_interval_at_or_above_zero():
    found = [Found(rate, 1e-3, 100.0, ()) for rate in (0.0, 10.0, 0.0)]
    knee = knee_of(found)
    assert knee.low_hz == 0 < knee.rate_hz < knee.high_hz <= 100


def test_the_way_to_a_knee_is_shown_and_a_little_beyond():
    path, goal = one_device(measured=3000), Within(share=0.95, within_s=10e-3)
    knee = knee_with(path, goal, 1)
    shown = path_goals.way_to(path, goal, knee, 1)
    assert set(knee.points) < set(shown.points)
    rates = [point.rate_hz for point in shown.points]
    assert rates == sorted(rates)
    assert rates[-1] > knee.rate_hz


# The least that is enough


def test_so_many_drives_hold_and_one_less_does_not():
    """By theory, too: so many servers, each with its share, on which pages fall by chance."""
    path, goal, rate_hz = one_device(measured=6000), Within(share=0.95, within_s=10e-3), 3500.0
    found = least_drives(path, goal, rate_hz, SEEDS)
    assert found is not None
    assert found.any <= found.every
    assert all(holds(path.with_drives(found.every), goal, rate_hz, seed) for seed in SEEDS)
    assert not all(holds(path.with_drives(found.every - 1), goal, rate_hz, seed) for seed in SEEDS)
    assert not any(holds(path.with_drives(found.any - 1), goal, rate_hz, seed) for seed in SEEDS)
    each_hz = queues.rate_within_hz(0.95, 10e-3, EACH_S)
    assert abs(found.every - math.ceil(rate_hz / each_hz)) <= 1


def test_the_least_buffer_holds_and_the_next_smaller_one_does_not():
    path, goal = buffered(), Within(share=0.95, within_s=4e-3)
    rate_hz = 1.1 * knee_with(path, goal, 1).rate_hz
    found = least_frames(path, goal, rate_hz, SEEDS)
    assert found is not None
    assert found.any <= found.every
    assert found.every > path.setup.buffer.frames, "more comes than this buffer is enough for"
    sizes = path_goals.sizes(path, 1)
    smaller = sizes[sizes.index(found.every) - 1]
    assert all(holds(path.with_frames(found.every), goal, rate_hz, seed) for seed in SEEDS)
    assert not all(holds(path.with_frames(smaller), goal, rate_hz, seed) for seed in SEEDS)


def test_no_buffer_is_tried_that_is_not_full_when_the_clock_starts():
    path = buffered()
    sizes = path_goals.sizes(path, 1)
    load = path.loaded(1)
    assert sizes[-1] == np.unique(load.page[: path.fill]).size
    assert sizes[0] == 64
    assert list(sizes) == sorted(set(sizes))
    assert path_goals.sizes(replace(path, setup=replace(path.setup, users=400)), 1)[0] == 400


# The question


@pytest.fixture(scope="module")
def both():
    return asked(devices=(X25_M, OPTANE), watts=f"{X25_M}=0.06/3")


def test_the_cheapest_that_holds_is_chosen_and_its_cost_is_the_sum_of_its_parts(both):
    result, said = both
    assert result.facts["chosen"].value == OPTANE
    assert "1 × Intel Optane SSD DC P4800X 375 GB" in said[0]
    costs, numbers = result.tables["costs"], result.tables["numbers"]
    for row in range(len(costs)):
        parts = sum(costs[f"{part}_usd"][row] for part in ("purchase", "worn", "energy"))
        assert costs["total_usd"][row] == pytest.approx(parts)
    (row,) = costs.rows(device=OPTANE)
    (at,) = numbers.rows(device=OPTANE)
    busy_w = 5 + (13 - 5) * numbers["busy"][at]
    assert costs["purchase_usd"][row] == 1520
    assert costs["energy_usd"][row] == pytest.approx(busy_w * 24 * 365 * 5 / 1000 * 0.15)
    assert (numbers["checked"] == "holds").all()


def test_a_drive_that_is_worn_out_soon_is_bought_again_and_again(both):
    result, said = both
    (row,) = result.tables["wear"].rows(device=X25_M)
    wear = result.tables["wear"]
    assert wear["worn_years"][row] * wear["written_bytes_per_s"][row] * 365 * 86400 == pytest.approx(7.5e12, rel=1e-6)
    assert result["verdict"][result.rows(device=X25_M)[0]] == "over the budget"
    assert any("replaced" in line for line in said)


def test_an_impossible_goal_is_answered_with_the_nearest_possible_and_why():
    slow, said = asked(devices=(EXOS, X25_M), within_s=1e-4)
    assert set(slow["verdict"]) == {"slower even alone"}
    assert (
        "impossible with this buffer and any of these drives: even transactions that never meet take longer" in said[0]
    )
    assert "The nearest is Intel X25-M" in said[0]
    assert {"numbers", "costs"}.isdisjoint(slow.tables)
    assert set(slow.tables["buffers"]["frames"]) == {0}
    assert slow.tables["limits"]["mostly"][1] == "log", "a third of them write, and wait for that"
    assert "of it log" in said[0]
    assert "A buffer" not in said[0], "none is enough"
    full, said = asked(devices=(X25_M,), rate_hz=1e6)
    assert full["verdict"][0] == "not with any number of drives"
    assert full.tables["limits"]["busiest"][0] == "processors"
    assert "not even 32 of them are enough" in said[1]
    assert "what is busiest, processors" in said[1]
    assert "The nearest is Intel X25-M G2 160 GB (34 nm): the path as it is answers" in said[0]
    dear, said = asked(devices=(OPTANE,), budget_usd=1000.0)
    assert dear["verdict"][0] == "over the budget"
    assert "nothing holds it all. The nearest is 1 × Intel Optane" in said[0]
    unpriced, said = asked(devices=("intel-x25-e",), rate_hz=1000.0)
    assert unpriced["verdict"][0] == "in time, cost not known"
    assert "give prices and watts" in said[0]


def test_a_goal_that_a_larger_buffer_reaches_says_which():
    own = {"load": "tpc-c", "warehouses": 10, "frames": 8192, "rate_hz": 30.0, "within_s": 0.3, "share": 0.95}
    inputs = STUDY.inputs(own | {"devices": ("wd800aajs",)})
    result = STUDY.compute(inputs)
    said = STUDY.explain(inputs, result)
    (frames,) = result.tables["buffers"]["frames"]
    assert "impossible with this buffer" in said[0]
    assert f"A buffer of {grouped(int(frames))} frames is enough with Western Digital WD800AAJS" in said[0]


def test_a_drive_too_small_for_the_load_is_left_out_by_name_and_the_others_answer():
    small = {"load": "tpc-c", "warehouses": 100, "fill": 1000, "measured": 1000, "seeds": 2, "rate_hz": 10.0}
    own = {"within_s": 1.0, "transaction_s": 1e-3, "devices": ("fernando-microsd", OPTANE)}
    result, _ = asked(**small, **own)
    assert list(result["device"]) == [OPTANE]
    assert any(note.startswith("Left out: Kingston micro SD 1 GB.") for note in result.notes)
    with pytest.raises(ModelError, match="is larger than its device"):
        asked(**small, **own | {"devices": ("fernando-microsd",)})


def test_more_drives_are_bought_where_the_volume_needs_them():
    result, said = asked(devices=(OPTANE,), volume_bytes=1e12)
    assert result.tables["numbers"]["count"][0] == 3
    assert result.tables["numbers"]["count_every"][0] == 1
    assert "3 for the volume" in said[1]


REDUNDANT = {"raid-0": (1, 1), "raid-1": (2, 2), "raid-5": (3, 1), "raid-6": (4, 1)}
"""A level: the fewest drives, and how many more at a time."""


@pytest.mark.parametrize("level", REDUNDANT)
def test_drives_are_as_many_as_a_level_joins_and_hold_the_volume_behind_its_redundancy(level):
    fewest, step = REDUNDANT[level]
    given = {"level": level, "devices": (X25_M,), "rate_hz": 1000.0, "within_s": 5e-3}
    result, said = asked(**given)
    assert f"{fewest} of them, the path" in said[1] if fewest > 1 else "with one, the path" in said[1]
    count = result.tables["numbers"]["count"][0]
    assert count >= fewest
    assert (count - fewest) % step == 0
    larger, _ = asked(**given, volume_bytes=3.5 * 160e9)
    assert larger.tables["numbers"]["count"][0] == {"raid-0": 4, "raid-1": 8, "raid-5": 5, "raid-6": 6}[level]
    alone = STUDY.inputs(SMALL | given | {"count": 1})
    assert alone.drive_count == fewest
    assert any(f"knee and buffer are of {fewest}" in note for note in result.notes) == (fewest > 1)


def test_a_mirror_writes_all_twice_and_a_parity_reads_and_writes_what_it_replaces():
    given = SMALL | {"devices": (X25_M,), "count": 4, "load": "debit-credit", "transaction_s": 1e-4}
    written = {}
    for level in REDUNDANT:
        path = STUDY.inputs(given | {"level": level, "log_device": OPTANE}).path(X25_M)
        made = path_goals.ran(path, 0.99, 100.0, 1)
        written[level] = made.written_bytes_per_s
        assert 0 < made.log_busy < made.busy
        assert made.log_written_bytes_per_s > 0
    # what is under way at both ends of a run is dozens of pages of thousands
    assert written["raid-1"] == pytest.approx(2 * written["raid-0"], rel=0.01)
    assert written["raid-5"] == pytest.approx(2 * written["raid-0"], rel=0.01)
    assert written["raid-6"] == pytest.approx(3 * written["raid-0"], rel=0.01)


def test_a_log_with_a_drive_of_its_own_leaves_the_disks_to_the_data_and_costs_what_it_costs():
    disk, ssd = "wd800aajs", "intel-x25-m-g2-80gb"
    given = {"load": "debit-credit", "devices": (disk,), "rate_hz": 40.0, "within_s": 0.2, "share": 0.95}
    money = {"prices": f"{disk}=50, {ssd}=200", "watts": f"{disk}=6/9, {ssd}=0.06/2"}
    shared, _ = asked(**given, **money, transaction_s=5e-3)
    apart, said = asked(**given, **money, transaction_s=5e-3, log_device=ssd)
    # the intervals do not meet: the arm need not go to the log and back
    assert apart["knee_low_hz"][0] > shared["knee_high_hz"][0]
    assert apart["knee_hz"][0] > 1.2 * shared["knee_hz"][0]
    assert apart.tables["numbers"]["count"][0] < shared.tables["numbers"]["count"][0]
    assert "log" not in shared.tables
    costs, log = apart.tables["costs"], apart.tables["log"]
    parts = sum(costs[f"{part}_usd"][0] for part in ("purchase", "worn", "energy"))
    assert costs["total_usd"][0] == pytest.approx(parts + costs["log_usd"][0])
    watts = 0.06 + (2 - 0.06) * log["log_busy"][0]
    lives = math.floor(5 / log["log_worn_years"][0])
    energy_usd = watts * 24 * 365 * 5 / 1000 * 0.15
    assert costs["log_usd"][0] == pytest.approx(200 * (1 + lives) + energy_usd, rel=1e-3)
    assert "for the log's own" in said[1]
    assert any("The log has one Intel X25-M G2 80 GB" in note for note in apart.notes)
    mirrored, _ = asked(**given, **money, transaction_s=5e-3, log_device=ssd, log_level="raid-1")
    assert mirrored["knee_hz"][0] == apart["knee_hz"][0], "both devices of even times are written at once"
    both = mirrored.tables["log"]
    assert both["log_bytes_per_s"][0] == pytest.approx(2 * log["log_bytes_per_s"][0])
    assert both["log_worn_years"][0] == pytest.approx(log["log_worn_years"][0]), "each gets all of the log"
    assert mirrored.tables["costs"]["log_usd"][0] == pytest.approx(2 * costs["log_usd"][0])
    assert any("The log has 2 × Intel X25-M G2 80 GB (34 nm) (RAID-1: mirrored) for" in each for each in mirrored.notes)
    alone, _ = asked(**given, **money, transaction_s=5e-3, log_count=2)
    assert any("Without effect: Devices of the log. The log lies with the data" in note for note in alone.notes)
    unpriced, said = asked(**given, transaction_s=5e-3, log_device="cheetah-15k5", prices=f"{disk}=50")
    assert unpriced["verdict"][0] == "in time, cost not known"
    assert any(note.startswith("Seagate Cheetah 15K.5") for note in unpriced.notes)


def test_a_run_is_long_enough_for_its_percentile_and_says_so():
    inputs = STUDY.inputs(SMALL | {"share": 0.999, "devices": (OPTANE,)})
    assert inputs.path(OPTANE).measured == 10_000
    assert STUDY.inputs(SMALL).path(OPTANE).measured == SMALL["measured"]
    assert any(
        "10\N{NARROW NO-BREAK SPACE}000 transactions, so that ten take longer" in note
        for note in STUDY.compute(inputs).notes
    )


def test_a_path_that_nothing_is_waited_for_holds_any_goal():
    """All pages in the buffer, all read, and processors that take no time."""
    free = {"read_share": 1.0, "pages": 1000, "frames": 4096, "transaction_s": 0.0, "fill": 50_000}
    result, said = asked(**free, skew=0.0, devices=(OPTANE,))
    assert result["verdict"][0] == "holds"
    assert "1 × Intel Optane" in said[0]


def test_an_answer_grows_and_can_be_cancelled():
    seen = []

    def stop(share, partial):
        seen.append((share, partial))
        if partial is not None:
            raise KeyboardInterrupt

    inputs = STUDY.inputs(SMALL | {"devices": (X25_M, OPTANE)})
    with pytest.raises(KeyboardInterrupt):
        STUDY.compute(inputs, stop)
    share, growing = seen[-1]
    partial = growing()
    assert 0 < share < 1
    assert "knee_hz" in partial.columns
    assert STUDY.explain(inputs, partial), "what is there by now is told"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"within_s": 0}, "within_s"),
        ({"rate_hz": -1}, "rate_hz"),
        ({"share": 1.0}, "share"),
        ({"devices": ("floppy",)}, "unknown device with times 'floppy'"),
        ({"frames": 64, "connections": 65}, "65 connections need as many frames; got 64"),
        ({"seeds": 1}, "seeds"),
        ({"fill": 0}, "fill"),
        ({"load": "tpc-h"}, "unknown load 'tpc-h'"),
        ({"prices": "cheetah-15k5=-1"}, "prices: write cheetah-15k5=AMOUNT"),
    ],
)
def test_bad_goals_are_refused_in_a_sentence(values, sentence):
    with pytest.raises(ModelError, match=sentence) as refused:
        STUDY.inputs(values)
    assert "\n" not in str(refused.value)


# Write caches


def of_writes(cache_blocks, measured=3000):
    """Pages changed at random and a buffer that holds none of them: each is read, and one is written for it."""
    setup = oltp.Setup(
        users=4,
        processors=oltp.Processors(transaction_s=0.0),
        buffer=oltp.Buffer(frames=4),
        log=None,
        storage=storage(EACH_S, write_s=2 * EACH_S, write_cache_bytes=4096 * cache_blocks),
    )
    return Path(setup=setup, load=Zipf(pages=400_000, alpha=0.0, write_share=1.0), fill=100, measured=measured)


@pytest.mark.parametrize("blocks", [0, 500, 5000, 20_000])
def test_what_a_path_can_do_is_with_caches_that_are_full(blocks):
    """In the long run each write is done, however many a cache takes first: 3 ms, hardly any of them neighbours."""
    made = at_once(of_writes(blocks), seed=1)
    assert not made.filling
    assert 1 / made.tps == pytest.approx(3 * EACH_S, rel=0.03)


def test_a_cache_too_large_to_be_filled_is_said():
    path = of_writes(1000)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(path_goals, "FILLING_REFERENCES", 40)
        made = at_once(replace(path, fill=101, measured=100), seed=1)
    assert made.filling
    assert 1 / made.tps < 1.5 * EACH_S


def test_below_what_a_path_can_do_a_write_is_answered_by_the_cache():
    goal = Within(share=0.95, within_s=8e-3)
    without, cached = (knee_with(of_writes(blocks), goal, seed=1) for blocks in (0, 2000))
    assert cached.capacity_hz == pytest.approx(without.capacity_hz, rel=0.03)
    assert cached.rate_hz > 1.2 * without.rate_hz


def test_a_goal_with_write_caches_says_how_they_work():
    values = {"devices": (EXOS,), "rate_hz": 50.0, "within_s": 50e-3, "read_share": 0.3, "frames": 256}
    (_, plain), (cached, said) = asked(**values), asked(**values, write_cache_bytes=2**21)
    assert any("cache of 2 MiB has it" in note for note in cached.notes)
    assert plain != said


# Pages


def test_larger_pages_take_longer_and_hold_more_rows():
    given = {"devices": (X25_M,), "rate_hz": 1000.0, "within_s": 5e-3}
    small, large = (asked(**given, page_bytes=size)[0]["knee_hz"][0] for size in (4096, 16384))
    assert large < 0.8 * small, "the same pages are missed, and each is four times as long"
    rows = {"load": "tpc-c", "warehouses": 1}
    small, large = (STUDY.inputs(SMALL | rows | {"page_bytes": size}).asked() for size in (4096, 16384))
    few, many = (sum(load.pages_of().values()) for load in (large, small))
    assert many / 4.5 < few < many / 3.5


def test_a_page_of_ones_own_without_effect_is_said():
    given = {"load": "trace", "trace": "sqlite-order-entry", "devices": (X25_M,), "rate_hz": 20.0, "within_s": 0.1}
    result, _ = asked(**given, page_bytes=16384)
    assert any("Without effect: Page. The trace has its own pages, of 4 KiB" in note for note in result.notes)
    result, _ = asked(**given)
    assert not any("Without effect: Page" in note for note in result.notes)


@pytest.mark.parametrize("given", [{"page_bytes": 16384}, {"load": "trace", "trace": "sqlite-order-entry"}])
def test_the_least_buffer_in_bytes_has_the_pages_of_the_load(given):
    result, _ = asked(devices=(X25_M,), rate_hz=20.0, within_s=0.1, **given)
    least, page_bytes = result.tables["buffers"], given.get("page_bytes", 4096)
    assert least["frames"][0] > 0
    assert least["buffer_bytes"][0] == least["frames"][0] * page_bytes
    drawn = CHARTS["path_goal"]()
    drawn.update(STUDY.inputs(SMALL | {"devices": (X25_M,), "rate_hz": 20.0, "within_s": 0.1} | given), result)
    assert drawn.buffers.source.data["least"].tolist() == [least["buffer_bytes"][0]]


def test_a_flash_drive_that_nobody_times_alone_is_said_to_be_a_bound():
    silent = "samsung-990-pro-1tb"
    notes = STUDY.compute(STUDY.inputs(SMALL | {"devices": (silent, OPTANE)})).notes
    (read,) = [note for note in notes if note.startswith("How long a random read takes alone is not known of")]
    assert "990 Pro 1 TB: 30 µs stand" in read
    assert "Optane" not in read
    assert not any("not known of" in note for note in STUDY.compute(STUDY.inputs(SMALL | {"devices": (OPTANE,)})).notes)
