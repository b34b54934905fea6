"""A plan's write buffer: load, waits and wear count the same writes, and so do runs."""

import pytest

from pagecost import planner, system

DISKS = "database=4*wd800aajs:raid-0"
BUFFERED = "write-buffer=intel-x25-m-g2-80gb/buffer=500"


def wanted(code: str, rate_hz: float, source: str = "debit-credit-1992", update_strategy: str = system.NOFORCE):
    return planner.candidates_of(
        code,
        system.System(
            load=system.Load(source=source, transaction_rate_hz=rate_hz, volume_bytes=1e10),
            targets=system.Targets(response_s=0.5),
            log=system.Log(update_strategy=update_strategy),
            candidates=system.Candidates(devices=("wd800aajs", "intel-x25-m-g2-80gb"), counts=(1, 2, 4)),
        ),
    )


@pytest.mark.parametrize(("log", "logs"), [("", 1), ("/log=1*wd800aajs:raid-0", 0)])
def test_load_waits_and_wear_of_a_write_buffer_count_the_same_writes_by_hand(log, logs):
    """All writes to the devices behind it, of which each commit of Debit-Credit is one unless its log lies apart."""
    found = planner.search(wanted(f"{DISKS}{log}/{BUFFERED}", 60.0))
    n, visits, screened = found.numbers, found.visits, found.screened
    device = list(n.devices).index("intel-x25-m-g2-80gb")
    pages = float(visits.cold_writes[0] + visits.hot_writes[0])
    writes_hz = 60 * (pages + logs)
    assert screened.busy["write buffer"] == pytest.approx(writes_hz * n.write_s[device] / n.at_once[device], rel=1e-9)
    written = 60 * (pages * n.durable_page_bytes + logs * n.durable_log_bytes)
    assert screened.life_s == pytest.approx(n.written_bytes[device] / written, rel=1e-9)
    each_s = screened.terms["writes_s"] / pages
    if logs:
        assert screened.terms["log_s"] == pytest.approx(each_s, rel=1e-9)  # durable where a page is, as soon
    else:
        assert (screened.terms["log_s"] > 10 * each_s).all()  # on its disk


@pytest.mark.parametrize("log", ["", "/log=1*wd800aajs:raid-0"])
@pytest.mark.parametrize("disks", ["1*wd800aajs:raid-0", "4*wd800aajs:raid-0", "2*wd800aajs:raid-1"])
@pytest.mark.parametrize("busy", [0.3, 0.7])
def test_plans_behind_a_write_buffer_are_as_fast_by_formula_as_in_runs(disks, log, busy):
    """A read stands in line behind the page that made room for it, on one disk each time. As if it did not, means were
    0.47 (one disk) to 0.86 (four) of these runs; a run's own interval is some 2 %."""
    code = f"database={disks}{log}/{BUFFERED}"
    rate_hz = busy / float(planner.search(wanted(code, 1.0)).screened.busiest[0])
    plan = planner.figures_of_one(wanted(code, rate_hz), code, runs=4).plan
    assert plan.value("response_s") == pytest.approx(plan.value("simulated_response_s"), rel=0.06)


@pytest.mark.parametrize("busy", [0.3, 0.6])
def test_what_force_writes_leaves_a_write_buffer_in_one_batch(busy):
    """On two disks; as if the pages came one by one, means were 0.88 and 0.75 of these runs; a run's own
    interval is some 2 %."""
    code = f"database=2*wd800aajs:raid-0/{BUFFERED}"
    rate_hz = busy / float(planner.search(wanted(code, 1.0, update_strategy=system.FORCE)).screened.busiest[0])
    plan = planner.figures_of_one(wanted(code, rate_hz, update_strategy=system.FORCE), code, runs=4).plan
    assert plan.value("response_s") == pytest.approx(plan.value("simulated_response_s"), rel=0.06)


def test_one_writer_of_the_log_is_less_busy_behind_a_write_buffer():
    alone, behind = (
        planner.search(wanted(code, 5.0, "tpc-c")).screened for code in (f"{DISKS}/buffer=500", f"{DISKS}/{BUFFERED}")
    )
    assert (behind.busy["log"] < alone.busy["log"] / 10).all()
    assert (behind.terms["log_s"] < alone.terms["log_s"] / 10).all()
    # what is written leaves the buffer for it: as busy but for the order of a sum
    assert behind.busy["database"] == pytest.approx(alone.busy["database"], rel=1e-12)
