"""Whatever a system says goes into its plan, or the plan says that it does not."""

import pytest

from pagecost import planner, system
from pagecost.planner import demand, finalists, searching, space
from pagecost.planner.planning import estimated

TPCC = {"load.source": "tpc-c", "load.warehouses": 1, "load.transaction_rate_hz": 20.0}
TPOX = {"load.source": "tpox", "load.tpox_bytes": 1e8}
EUROS = {"economics.currency": "EUR", "economics.usd_per_unit": 1.2}
HOT = {"candidates.placements": ["hot apart"]}

# path -> another value, and what the system must say beside for it to matter
OTHERS = {
    "name": ("another", {}),
    "load.source": ("postgresql-order-entry", {}),
    "load.rate_hz": (800.0, {}),
    "load.transaction_rate_hz": (25.0, {}),
    "load.read_share": (0.5, {}),
    "load.volume_bytes": (1e11, {}),
    "load.mix": ("write-intensive", TPCC),
    "load.warehouses": (2, TPCC),
    "load.tpox_bytes": (2e8, TPOX),
    "load.tpox_mapping": ("el", TPOX),
    "load.tpox_mix": ("order=100", TPOX),
    "load.users": (20, {}),
    "load.think_s": (1.0, {}),
    "processors.servers": (4, {}),
    "processors.transaction_s": (1e-3, {}),
    "memory.buffer_frames": (2048, {}),
    "memory.policy": ("clock", {}),
    "memory.page_cache_bytes": (2.0**24, {}),
    "memory.page_bytes": (8192, {}),
    "log.update_strategy": ("FORCE", {}),
    "log.group_size": (10, {}),
    "file_system.layout": ("log-structured", {}),
    "economics.horizon_years": (3.0, {}),
    "economics.price_usd_per_kwh": (0.5, {}),
    "economics.power_usage_effectiveness": (1.5, {}),
    "economics.price_usd_per_device": ({"wd800aajs": 1000.0}, {}),
    "economics.currency": ("CHF", EUROS),
    "economics.usd_per_unit": (1.3, EUROS),
    "economics.discount_per_year": (0.1, {}),
    "economics.spare_share": (0.5, {}),
    "economics.failures_per_year": (0.1, {}),
    "economics.carbon_kg_per_kwh": (0.4, {}),
    "targets.transactions_per_s": (25.0, {}),
    "targets.response_s": (0.02, {}),
    "targets.percentile": (50, {}),
    "targets.years": (2.0, {}),
    "targets.lifetime_years": (500.0, {}),
    "targets.watts": (4.0, {}),
    "targets.budget": (90.0, {}),
    "targets.volume_bytes": (1e11, {}),
    "targets.growth_per_year": (0.5, {}),
    "candidates.devices": (["intel-x25-m-g2-80gb"], {}),
    "candidates.counts": ([4], {}),
    "candidates.levels": (["raid-1"], {}),
    "candidates.placements": (["log apart"], {}),
    "candidates.log_devices": (["intel-x25-m-g2-80gb"], {"candidates.placements": ["log apart"]}),
    "candidates.log_counts": ([4], {"candidates.placements": ["log apart"]}),
    "candidates.hot_devices": (["intel-x25-m-g2-80gb"], HOT),
    "candidates.hot_counts": ([4], HOT),
    "candidates.hot_share": (0.3, HOT),
    "candidates.buffers": ([256], {}),
    "candidates.page_caches_bytes": ([2.0**24], {}),
    "candidates.write_buffers": (["intel-x25-m-g2-80gb"], {}),
    "candidates.write_buffer_bytes": (2.0**24, {"candidates.write_buffers": ["rahm-nvem"]}),
    "candidates.log_bytes": (
        2.0**33,
        {"candidates.placements": ["log apart"], "candidates.log_devices": ["rahm-nvem"]},
    ),
    "candidates.memory": ("none", {}),
    "candidates.busy_at_most": (0.1, {}),
    "candidates.uncertainty": (0.5, {}),
    "devices.ROLE.device": ("wd400bb", {}),
    "devices.ROLE.count": (2, {}),
    "devices.ROLE.level": ("raid-1", {"devices.database.count": 2}),
    "devices.ROLE.role": (None, {}),
    "devices.ROLE.scheduler": ("look", {}),
    "devices.ROLE.write_cache_bytes": (2**23, {}),
}
# what lies where today is no part of what is chosen: the candidates are
NOT_ASKED = {"name", "devices.ROLE.device", "devices.ROLE.count", "devices.ROLE.level", "devices.ROLE.role"}


def base(**more) -> system.System:
    asked = {
        "load.rate_hz": 400.0,
        "load.transaction_rate_hz": 20.0,
        "load.volume_bytes": 6e10,
        "targets.response_s": 0.1,
        "candidates.devices": ["wd800aajs"],
        "candidates.counts": [2, 4],
        "candidates.placements": ["together"],
    }
    return system.System().changed(asked | more)


def seen(mine: system.System) -> str:
    """All that a plan by formula says, and what its finalists would be simulated with."""
    made = estimated(mine)
    found = searching.search(mine)
    plans = [
        (each.code, *((f.name, f.value, f.unit, f.low, f.high) for f in each.figures.values()))
        for each in made.finalists
    ]
    cases = [
        finalists.case_of(space.parts_of(each.code), found.asked, mine, found.numbers, 1) for each in made.finalists
    ]
    limits = [(each.name, each.excess.tolist()) for each in found.limits]
    return repr((plans, limits, [repr(case) for case in cases], made.reasons, made.notes))


def test_every_value_of_a_system_is_tried_here():
    assert OTHERS.keys() == set(system.paths())


@pytest.mark.parametrize("path", sorted(OTHERS.keys() - NOT_ASKED))
def test_each_goes_into_a_plan_or_the_plan_says_that_it_does_not(path):
    value, beside = OTHERS[path]
    mine = base(**beside)
    assert seen(mine.changed({path.replace("ROLE", "database"): value})) != seen(mine)


@pytest.mark.parametrize("source", ["tpc-c", "tpc-c-write-intensive", "debit-credit-1992", "tpox"])
def test_a_load_that_is_generated_lies_on_the_systems_pages(source):
    mine = base(**{"load.source": source, "load.warehouses": 1, "load.tpox_bytes": 1e8})
    usual, larger = (demand.asked(mine.changed({"memory.page_bytes": size})) for size in (None, 8192))
    assert (usual.page_bytes, larger.page_bytes) == (4096, 8192)
    few, many = (demand.shape(each, 0.1).pages for each in (larger, usual))
    assert few < 0.6 * many, "larger pages hold more rows"


def test_a_cache_that_no_plan_has_is_said():
    mine = base(**{"devices.cache.device": "intel-x25-e"})
    assert any("cache on Intel X25-E" in note and "is in no plan" in note for note in estimated(mine).notes)


@pytest.mark.parametrize(
    ("source", "said"), [("tpc-c", "reads to find them"), ("debit-credit-1992", "log-structured, is in none")]
)
def test_a_file_system_that_the_formula_leaves_out_is_said(source, said):
    """On one SSD it answers in 3 times the time."""
    mine = base(**{"load.source": source, "load.warehouses": 1})
    assert not any(said in note for note in estimated(mine).notes)
    assert any(said in note for note in estimated(mine.changed({"file_system.layout": "log-structured"})).notes)


@pytest.mark.parametrize(("device", "moves"), [("cheetah-15k5", True), ("intel-x25-m-g2-80gb", False)])
def test_over_which_part_of_a_disk_its_arm_moves_is_said(device, moves):
    asked = {"candidates.devices": [device], "candidates.counts": [2], "candidates.levels": ["raid-0"]}
    mine = base(**asked, **{"economics.price_usd_per_device": {"cheetah-15k5": 100.0}})
    made = planner.plan(mine, runs=1)
    assert any(note.startswith("The arms of Seagate Cheetah 15K.5") for note in made.notes) == moves
    assert any("lie evenly among the rest" in note for note in made.notes) == moves


@pytest.mark.parametrize(("device", "bound"), [("samsung-990-pro-1tb", True), ("intel-x25-m-g2-80gb", False)])
def test_a_drive_that_nobody_times_alone_is_said_to_be_a_bound(device, bound):
    asked = {"candidates.devices": [device], "candidates.counts": [2], "candidates.levels": ["raid-0"]}
    made = estimated(base(**asked, **{"economics.price_usd_per_device": {device: 100.0}}))
    told = [note for note in made.notes if note.startswith("How long a random read takes alone is not known of")]
    assert len(told) == bound


def test_large_buffers_are_full_when_counting_begins_or_the_plan_says_that_they_are_not():
    """Debit-Credit asks for 5 000 000 pages of ACCOUNT at random: a full buffer of F frames finds F / 5 000 000 of
    them, and writes what it reads, for all are changed."""
    debit_credit = system.System().changed({"load.source": "debit-credit-1992"})
    of = demand.asked(debit_credit)
    small, large = (
        [sum(counted(of, 0.1, "lru", frames)[:2]) for counted in (demand.reads, demand.writes)]
        for frames in (4096, 100_000)
    )
    # a miss is one of ACCOUNT (85 % at the branch's own) or a new page of HISTORY
    assert small[0] - large[0] == pytest.approx((100_000 - 4096) / 5_000_000, rel=0.3)
    assert large[1] == pytest.approx(large[0], rel=0.01)
    assert small[1] == pytest.approx(small[0], rel=0.01)
    assert demand.filled(of, 100_000) == 1
    assert demand.transactions_to_fill(of, 100_000) == pytest.approx(100_000 / 1.046, rel=0.01)  # pages of each
    assert 0.05 < demand.filled(of, 4_000_000) < 0.15  # as many references as are made at most
    said = {
        frames: " ".join(
            planner.plan(
                debit_credit.changed(
                    {"candidates.devices": ["wd800aajs"], "candidates.counts": [8], "candidates.buffers": [frames]}
                ),
                runs=0,
            ).notes
        )
        for frames in (4096, 4_000_000)
    }
    assert "fill buffers of" not in said[4096]
    assert "fill buffers of 4\N{NARROW NO-BREAK SPACE}000\N{NARROW NO-BREAK SPACE}000 frames to" in said[4_000_000]


def test_a_finalist_with_a_large_buffer_is_simulated_with_that_buffer_full():
    asked = system.System().changed(
        {"load.source": "debit-credit-1992", "candidates.devices": ["intel-x25-m-g2-80gb"], "candidates.counts": [4]}
        | {"candidates.levels": ["raid-0"], "candidates.placements": ["together"], "load.volume_bytes": 2e10}
        | {"candidates.buffers": [4096, 100_000], "load.transaction_rate_hz": 100.0}
    )
    made = planner.plan(asked, runs=1)
    times = [plan.value("simulated_percentile_s") for plan in made.finalists if plan.simulated]
    assert len(times) == 2
    assert times[0] == pytest.approx(times[1], rel=0.1)
