"""Plans under FORCE: pages that are written at commit are counted as sets are, and formula and runs agree."""

from collections import defaultdict

import numpy as np
import pytest

from pagecost import planner, studies, system
from pagecost.planner import demand, waits
from pagecost.workload.loads import DEBIT_CREDIT

HOT_SHARE = 0.1


def wanted(source: str, strategy: str, **load) -> system.System:
    """A load on one SSD."""
    return system.System(
        load=system.Load(source=source, rate_hz=4000, transaction_rate_hz=50, volume_bytes=2e10, **load),
        log=system.Log(update_strategy=strategy),
        targets=system.Targets(response_s=0.5),
        candidates=system.Candidates(
            devices=("intel-x25-m-g2-80gb",),
            counts=(1,),
            buffers=(2000,),
            placements=("together",),
            hot_share=HOT_SHARE,
        ),
    )


@pytest.mark.parametrize("source", [DEBIT_CREDIT, "tpc-c", "sqlite-order-entry"])
def test_what_is_forced_is_each_changed_page_of_a_transaction_once(source):
    """By sets, a transaction at a time, over the half that is measured."""
    of = demand.asked(wanted(source, "FORCE"))
    load = of.load()
    hot = demand._prepared(of, HOT_SHARE).hot
    dense = {page: number for number, page in enumerate(demand._prepared(of, HOT_SHARE).references.ids.tolist())}
    of_hot, of_cold = [], []
    for number in range(load.transactions // 2, load.transactions):
        span = slice(load.first[number], load.first[number + 1])
        pages = set(load.page[span][load.write[span] > 0].tolist())
        of_hot.append(sum(bool(hot[dense[page]]) for page in pages))
        of_cold.append(len(pages) - of_hot[-1])
    found = demand.forced(of, HOT_SHARE)
    assert found.hot == pytest.approx(np.mean(of_hot))
    assert found.cold == pytest.approx(np.mean(of_cold))
    each, kinds = np.add(of_hot, of_cold), load.kind[load.transactions // 2 :]
    by_type = [each[kinds == kind] for kind in np.unique(kinds)]
    assert found.of_type == pytest.approx([of_one.mean() for of_one in by_type])
    assert found.variance == pytest.approx([of_one.var() for of_one in by_type])


def test_debit_credit_forces_three_pages_where_noforce_writes_one():
    """Rahm 1992, §4.3: three forced writes against 1.1 (ACCOUNT, HISTORY, and BRANCH with its TELLERs)."""
    forced = demand.forced(demand.asked(wanted(DEBIT_CREDIT, "FORCE")), HOT_SHARE)
    later = demand.writes(demand.asked(wanted(DEBIT_CREDIT, "NOFORCE")), HOT_SHARE, "lru", 2000)
    assert forced.cold + forced.hot == pytest.approx(3.0)
    assert later.cold + later.hot == pytest.approx(1.1, abs=0.1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "load"),
    [(DEBIT_CREDIT, {}), ("tpc-c", {"mix": "normal", "warehouses": 5})],
    ids=["debit-credit", "tpc-c"],
)
def test_plans_under_force_are_simulated_and_agree_with_the_formula(source, load):
    """Mean response within 35 %, as without FORCE; and FORCE is never the faster."""
    seen = defaultdict(dict)
    for strategy in ("NOFORCE", "FORCE"):
        made = planner.plan(wanted(source, strategy, **load), runs=2)
        assert made.best is not None
        assert made.best.simulated
        for figure in ("response_s", "simulated_response_s"):
            seen[strategy][figure] = made.best.value(figure)
    assert seen["FORCE"]["simulated_response_s"] == pytest.approx(seen["FORCE"]["response_s"], rel=0.35)
    assert seen["FORCE"]["simulated_response_s"] > seen["NOFORCE"]["simulated_response_s"]
    assert seen["FORCE"]["response_s"] > seen["NOFORCE"]["response_s"]


def test_the_question_takes_the_strategy_and_says_what_it_means():
    study = studies.find("storage_plan")
    inputs = study.inputs({"strategy": "FORCE", "runs": 0})
    assert inputs.whole_system.log.update_strategy == "FORCE"
    assert any(note.startswith("FORCE: each page") for note in study.compute(inputs).notes)


@pytest.mark.parametrize(
    ("count", "level"), [(2, "raid-0"), (4, "raid-0"), (4, "raid-1"), (4, "raid-5"), (8, "raid-5")]
)
@pytest.mark.parametrize("rate_hz", [1.25, 3.75])
def test_forced_pages_wait_for_the_disk_that_gets_most_of_them(count, level, rate_hz):
    """TPC-C writes some ten pages at a time. rate_hz: of a disk. Spread evenly, parities are 0.74 to 0.80 of runs.
    15 %: the formula takes each page for random, and the mean number of pages for each transaction's."""
    asked = system.System(
        load=system.Load(source="tpc-c", transaction_rate_hz=rate_hz * count, rate_hz=100, volume_bytes=3e9),
        log=system.Log(update_strategy="FORCE"),
        processors=system.Processors(servers=4),
        targets=system.Targets(response_s=5.0),
    )
    plan = f"database={count}*cheetah-15k5:{level}/log=1*intel-x25-m-g2-80gb:raid-0/buffer=4096"
    found = planner.figures_of_one(planner.candidates_of(plan, asked), plan, runs=1).plan
    assert found.value("response_s") == pytest.approx(found.value("simulated_response_s"), rel=0.15)


@pytest.mark.parametrize("places", [1, 2, 4, 16])
@pytest.mark.parametrize("requests", [5, 10, 40])
def test_the_place_that_gets_most_gets_as_many_as_drawn(requests, places):
    """Of 20 000 draws: 8 % where a place gets five or more, and not more than 18 % fewer where it gets less, for then a
    count is no normal number."""
    drawn = np.random.default_rng(2).multinomial(requests, [1 / places] * places, 20_000).max(axis=1).mean()
    found = float(waits.most_of(np.array(float(requests)), np.array(float(places))))
    assert found == pytest.approx(drawn, rel=0.08 if requests >= 5 * places else 0.18)
