"""A plan's write buffer: load, waits and wear count the same writes, and so do runs."""

import numpy as np
import pytest

from pagecost import planner, system

DISKS = "database=4*wd800aajs:raid-0"
BUFFERED = "write-buffer=intel-x25-m-g2-80gb/buffer=500"


def wanted(code: str, rate_hz: float, source: str = "debit-credit-1992"):
    return planner.candidates_of(
        code,
        system.System(
            load=system.Load(source=source, transaction_rate_hz=rate_hz, volume_bytes=1e10),
            targets=system.Targets(response_s=0.5),
            candidates=system.Candidates(devices=("wd800aajs", "intel-x25-m-g2-80gb"), counts=(4,)),
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


@pytest.mark.parametrize("rate_hz", [30.0, 60.0])
def test_a_log_behind_a_write_buffer_is_as_fast_by_formula_as_in_runs(rate_hz):
    """A read that stands in line behind the page that made room for it waits longer: means are 0.82 of these runs."""
    code = f"{DISKS}/{BUFFERED}"
    plan = planner.figures_of_one(wanted(code, rate_hz), code, runs=4).plan
    assert 0.78 < plan.value("response_s") / plan.value("simulated_response_s") < 1.02


def test_one_writer_of_the_log_is_less_busy_behind_a_write_buffer():
    alone, behind = (
        planner.search(wanted(code, 5.0, "tpc-c")).screened for code in (f"{DISKS}/buffer=500", f"{DISKS}/{BUFFERED}")
    )
    assert (behind.busy["log"] < alone.busy["log"] / 10).all()
    assert (behind.terms["log_s"] < alone.terms["log_s"] / 10).all()
    assert np.array_equal(behind.busy["database"], alone.busy["database"])  # what is written leaves the buffer for it
