"""Bytes that a file system makes of a page and of a log write, in the wear of a plan."""

import pytest

from pagecost import planner, system
from pagecost.planner import demand, finalists, space
from pagecost.planner.durable import durable

PLAN = "database=1*intel-x25-m-g2-80gb:raid-0{log}/buffer=8192"


def asked(layout: str, log: str = "") -> system.System:
    mine = system.System(
        load=system.Load(source="tpc-c", warehouses=30, transaction_rate_hz=100.0, volume_bytes=3e9),
        memory=system.Memory(page_bytes=8192),
        processors=system.Processors(servers=4),
        file_system=system.FileSystem(layout=layout),
    )
    return planner.candidates_of(PLAN.format(log=log), mine)


@pytest.mark.parametrize("log", ["", "/log=1*intel-x25-m-g2-80gb:raid-0"], ids=["among pages", "apart"])
def test_a_log_structured_file_system_wears_a_drive_by_formula_as_in_runs(log):
    """Of a run's bytes the formula counts 0.7 and more where a cleaner copies some, and in place 0.89 and more: there
    a block of the log is not counted anew each time that it is written until it is full."""
    for layout, least in (("in-place", 0.85), ("log-structured", 0.7)):
        mine = asked(layout, log)
        found = planner.search(mine)
        life_s = float(found.screened.life_s[0])
        parts = space.parts_of(PLAN.format(log=log))
        case = finalists.case_of(parts, found.asked, mine, found.numbers, 1)
        seen = []
        run = finalists.oltp.run

        def keep(*args, seen=seen, run=run, **named):
            seen.append(run(*args, **named))
            return seen[-1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(finalists.oltp, "run", keep)
            finalists._path(case)
        written_hz = max(seen[-1].written_bytes.values()) / seen[-1].seconds
        by_formula_hz = float(found.numbers.written_bytes[0]) / life_s
        assert least < by_formula_hz / written_hz < 1.05, layout


def test_in_place_nothing_is_counted_and_a_log_structured_life_is_shorter():
    lives = {layout: float(planner.search(asked(layout)).screened.life_s[0]) for layout in system.LAYOUTS}
    assert lives["log-structured"] < 0.65 * lives["in-place"]


@pytest.mark.parametrize("force", [False, True])
def test_a_page_alone_takes_more_than_pages_that_are_written_together(force):
    of = demand.asked(asked("log-structured"))
    found = durable(of, "log-structured", "lru", 1024, force, 4096)
    assert (1.5 < found.page_bytes / 8192 < 2.5) != force
    assert found.log_bytes > 2 * 4096
    in_place = durable(of, "in-place", "lru", 1024, force, 4096)
    assert in_place.page_bytes == 8192
