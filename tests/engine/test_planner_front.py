"""The Pareto front of the planner: what a search over all pairs finds, and what of a plan is not known."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from helpers.small_plans import wanted
from pagecost import planner
from pagecost.planner import front, planned, words

UNKNOWN = math.nan
_rows = st.lists(
    st.tuples(
        st.sampled_from([1.0, 2.0, 3.0]),
        *[st.sampled_from([1.0, 2.0, 3.0, UNKNOWN])] * 2,
        st.sampled_from([1.0, 2.0, math.inf, UNKNOWN]),
    ),
    min_size=1,
    max_size=14,
)


@given(
    st.integers(1, 6).flatmap(
        lambda width: st.lists(st.lists(st.integers(0, 4), min_size=width, max_size=width), min_size=1, max_size=60)
    )
)
def test_the_front_is_what_a_search_over_all_pairs_finds(rows):
    values = np.array(rows, float)
    found = front.nondominated(values)
    shown = {tuple(values[at]) for at in found.tolist()}
    assert len(shown) == len(found), "equal plans stand once"
    for row in {tuple(row) for row in values.tolist()}:
        better = any(
            all(a <= b for a, b in zip(other, row, strict=True)) and tuple(other) != row for other in values.tolist()
        )
        assert (row in shown) != better


def _no_worse(one: tuple, other: tuple) -> bool:
    """Of (cost, response, power, life): in whatever is known of the other, one is known and as good."""
    signs = (1, 1, 1, -1)
    pairs = zip(signs, one, other, strict=True)
    return all(math.isnan(its) or (not math.isnan(mine) and sign * mine <= sign * its) for sign, mine, its in pairs)


def _shown(rows: list[tuple]) -> set[str]:
    """Rows of the front, as text: unknown is equal to unknown."""
    places = front.nondominated(front.objectives(*np.array(rows, float).T))
    return {str(rows[at]) for at in places.tolist()}


@given(_rows, st.randoms(use_true_random=False))
def test_the_front_of_plans_of_which_some_is_unknown_is_what_a_search_over_all_pairs_finds(rows, dice):
    shown = _shown(rows)
    for row in rows:
        better = any(_no_worse(other, row) and not _no_worse(row, other) for other in rows)
        assert (str(row) in shown) != better
        assert any(_no_worse(other, row) for other in rows if str(other) in shown), "one that stands is as good"
    assert _shown([row for row in rows if str(row) in shown]) == shown
    assert _shown(dice.sample(rows, len(rows))) == shown
    known = [row for row in rows if not math.isnan(row[3])]
    if known:
        of_known_life = {each for each in shown if not each.endswith("nan)")}
        assert of_known_life == _shown(known), "what is not known takes nothing from what is"


def test_a_candidate_of_unknown_endurance_and_power_takes_no_plan_from_the_front():
    """And a target that nothing is known of is missed for that, in words."""
    names = ("samsung-970-pro-1tb", "intel-x25-m-g2-80gb")
    known, both = (planner.search(wanted(devices=each)) for each in (names, (*names, "intel-x25-m-g1")))
    shown = [{found.space.code(at) for at in found.front.tolist()} for found in (known, both)]
    assert shown[0] == {code for code in shown[1] if "-g1" not in code}
    assert len(shown[0]) > 1
    asked = wanted(devices=("intel-x25-m-g1",), placements=("together",))
    made = planner.plan(asked.changed({"targets.lifetime_years": 3.0}), runs=0)
    assert "life of the devices is not known; at least 3 years is asked for" in made.finalists[0].binding
    assert "life of the devices not known in place of 3 years" in made.impossible


def test_what_the_printed_digits_do_not_show_is_no_gain():
    def a_plan(cost: float, **values: float) -> planned.Plan:
        shown = {"cost": (cost, "USD")} | {name: (value, name.rsplit("_")[-1]) for name, value in values.items()}
        units = {"years": "year", "w": "W"}
        figures = {
            name: planned.Figure(name, name, value, units.get(unit, unit), math.nan, math.nan, "", (), "")
            for name, (value, unit) in shown.items()
        }
        return planned.Plan("", "", (), 1, 0.0, figures)

    chosen = a_plan(100.0, percentile_s=0.01991, mean_w=5.0, life_years=9.0)
    same = a_plan(120.0, percentile_s=0.01989, mean_w=4.9999, life_years=9.001)
    assert "for nothing that counts here" in words.dearer(same, chosen)
    faster = a_plan(120.0, percentile_s=0.0197, mean_w=5.0, life_years=9.0)
    assert "percentile_s 19.9 ms against 19.7 ms" in words.dearer(faster, chosen)
    unknown = a_plan(100.0, percentile_s=0.01991, mean_w=5.0, life_years=math.nan)
    assert "life_years not known against 9 years" in words.dearer(chosen, unknown)
    assert "for nothing" in words.dearer(unknown, chosen)
    assert words.dominated(unknown, chosen).startswith("In nothing that is known of it is it better")
    assert words.dominated(same, chosen).startswith("In nothing is it better")
