"""Lesson 14, built: a storage hierarchy of 1991 that answers in time and within a budget."""

import math
import random
from collections.abc import Iterator, Mapping
from functools import lru_cache

from pagecost.answers.transaction_runs import estimated, simulated
from pagecost.economics.hierarchy import describe
from pagecost.errors import require
from pagecost.studies.transactions import storage_cost
from pagecost.transactions.plans import Plan
from pagecost.units import grouped
from pagecost_app.exercises.exercise import Field, Option
from pagecost_app.exercises.kinds import Condition, Configuration

LESSON = "energy_and_money"

MAIN = ("200", "500", "1000", "2000")
HOMES = {
    "disk": "on disk",
    "NVEM write buffer": "on disk, written through a buffer of 500 pages in NVEM",
    "NVEM cache": "on disk, with a page cache of 1000 pages in NVEM",
    "ssd": "on SSD",
    "nvem": "in NVEM",
}
LOGS = {name: said for name, said in HOMES.items() if name != "NVEM cache"}
BRANCHES = {name: said for name, said in HOMES.items() if name in ("disk", "ssd", "nvem")} | {
    "main memory": "in main memory for good"
}
MOST = 20_000  # transactions of a run
ROOM = 1.04  # of the response time by formula: what chance may add in a run


def _plan(main: str, account: str, branch: str, log: str) -> Plan:
    """BRANCH and TELLER on disk are treated there like the accounts."""
    home = account if branch == "disk" else branch
    return Plan(account=account, history=account, branch=home, log=log, buffer_pages=int(main), write_buffer_pages=500)


KNOWN = tuple(
    (main, account, branch, log)
    for main in ("200", "500", "1000")
    for account in ("NVEM write buffer", "NVEM cache")
    for branch in ("nvem", "ssd", "disk")
    for log in ("NVEM write buffer", "ssd", "disk")
)
"""Plans that are worth their price, of which a variant's goal is drawn."""


@lru_cache(maxsize=4096)
def _by_formula(rate: int, end: str, *homes: str) -> tuple[float, float, str]:
    """(response time [ms], dollars, the station that cannot keep up or nothing) of a plan."""
    inputs = storage_cost.Inputs(rate_hz=float(rate), price_end=end)
    bought = storage_cost.buy(inputs, _plan(*homes))
    assert bought is not None  # everything of HOMES has a price
    found = estimated(storage_cost.case_of(inputs, bought))
    return 1e3 * found.response_s, bought.total_usd, found.saturated


def _draw_goal(dice: random.Random) -> dict:
    while True:
        rate, end, homes = dice.randrange(150, 651, 25), dice.choice(("low", "middle", "high")), dice.choice(KNOWN)
        response_ms, usd, saturated = _by_formula(rate, end, *homes)
        plain_ms = _by_formula(rate, end, "200", "disk", "disk", "disk")[0]
        if not saturated and ROOM * response_ms < 0.75 * plain_ms:
            target_ms = math.ceil(2 * ROOM * response_ms) / 2
            return {"rate": rate, "target_ms": target_ms, "budget": 1000 * math.ceil(usd / 995), "end": end}


def _ran(answer: Mapping[str, str], rate: int, end: str, **_) -> dict:
    """The plan that was set: bought, and a run of its transactions."""
    homes = (answer["main"], answer["account"], answer["branch"], answer["log"])
    inputs = storage_cost.Inputs(rate_hz=float(rate), price_end=end)
    bought = storage_cost.buy(inputs, _plan(*homes))
    assert bought is not None
    run = simulated(storage_cost.case_of(inputs, bought), most=MOST)
    require(not math.isnan(run.response_s), "the run answered nothing")
    return {
        "plan": describe(bought.plan),
        "response_ms": 1e3 * run.response_s,
        "usd": bought.total_usd,
        "log_waits": answer["log"] == "disk",
        "branch_waits": answer["branch"] == "disk",
        "victim_waits": answer["account"] == "disk",
    }


def _in_time(known: Mapping) -> bool:
    return known["response_ms"] <= known["target_ms"]


def _example(rate: int, target_ms: float, budget: int, end: str) -> dict[str, str]:
    """The cheapest of `KNOWN` that holds."""
    for homes in sorted(KNOWN, key=lambda each: _by_formula(rate, end, *each)[1]):
        response_ms, usd, saturated = _by_formula(rate, end, *homes)
        answer = dict(zip(("main", "account", "branch", "log"), homes, strict=True))
        if saturated or usd > budget or response_ms > 1.02 * target_ms:
            continue
        if _ran(answer, rate=rate, end=end)["response_ms"] <= target_ms:
            return answer
    return {}


def _late(account: str, branch: str, log: str, rate: int, target_ms: float, end: str, **_) -> dict[str, str] | None:
    """A plan with little main memory, where it is too slow by a good deal and yet keeps up; else nothing."""
    homes = ("200", account, branch, log)
    response_ms, _usd, saturated = _by_formula(rate, end, *homes)
    late = not saturated and response_ms > 1.1 * target_ms
    return dict(zip(("main", "account", "branch", "log"), homes, strict=True)) if late else None


def _goal_steps(rate: int, target_ms: float, budget: int, end: str) -> Iterator[str]:
    homes = tuple(_example(rate, target_ms, budget, end).values())
    stages = (
        ("200", "disk", "disk", "disk"),
        ("200", "disk", "disk", homes[3]),
        ("200", homes[1], "disk", homes[3]),
        ("200", *homes[1:]),
        homes,
    )
    for stage in dict.fromkeys(stages):
        response_ms, usd, saturated = _by_formula(rate, end, *stage)
        time = f"the {saturated} cannot keep up" if saturated else f"{response_ms:.4g} ms by formula"
        yield f"{describe(_plan(*stage))}: {time}, {usd:.0f} dollars."


def _goal_fields(**_) -> tuple[Field, ...]:
    def field(name: str, label: str, options: Mapping[str, str]) -> Field:
        return Field(name, "choice", label, options=tuple(Option(value, text) for value, text in options.items()))

    return (
        field("main", "Main memory", {pages: f"{pages} pages" for pages in MAIN}),
        field("account", "Accounts and HISTORY", HOMES),
        field("branch", "BRANCH and TELLER", BRANCHES),
        field("log", "The log", LOGS),
    )


EXERCISES = (
    Configuration(
        "within-time-and-budget",
        "Prices of 1991 ({end_said} of the ranges in Rahm's Table 2.1). Debit-Credit transactions arrive at "
        "{rate} a second. Show a configuration that answers within {target_ms:g} ms on average for less than "
        "{budget_said} dollars of storage.",
        draw=_draw_goal,
        lesson_case={"rate": 500, "target_ms": 25.0, "budget": 280_000, "end": "middle"},
        show=lambda numbers: {
            "end_said": {"low": "the low ends", "middle": "the middle", "high": "the high ends"}[numbers["end"]],
            "budget_said": grouped(numbers["budget"]),
        },
        fields=_goal_fields,
        run=_ran,
        conditions=(
            Condition(
                lambda known: _in_time(known) or not known["victim_waits"],
                "{plan}: {response_ms:.4g} ms, {usd:.0f} dollars. A miss waits twice: for its page, and for the "
                "changed one that has to leave before it.",
                wrong=lambda **numbers: _late("disk", "nvem", "nvem", **numbers),
            ),
            Condition(
                lambda known: _in_time(known) or not known["log_waits"],
                "{plan}: {response_ms:.4g} ms, {usd:.0f} dollars. Each transaction waits for its write to the log's "
                "disk.",
                wrong=lambda **numbers: _late("NVEM write buffer", "nvem", "disk", **numbers),
            ),
            Condition(
                lambda known: _in_time(known) or not known["branch_waits"],
                "{plan}: {response_ms:.4g} ms, {usd:.0f} dollars. BRANCH and TELLER are few pages, and each "
                "transaction wants one of them.",
                wrong=lambda **numbers: _late("NVEM write buffer", "disk", "NVEM write buffer", **numbers),
            ),
            Condition(
                _in_time,
                "{plan}: {response_ms:.4g} ms, {usd:.0f} dollars. In time it is not yet; what does a transaction still "
                "wait for?",
                wrong=lambda **numbers: _late("NVEM write buffer", "ssd", "ssd", **numbers),
            ),
            Condition(
                lambda known: known["usd"] < known["budget"],
                "{plan}: {response_ms:.4g} ms is in time, but {usd:.0f} dollars are too many. What of it takes most "
                "pages in something dear?",
                wrong=lambda **_: {"main": "2000", "account": "nvem", "branch": "nvem", "log": "nvem"},
            ),
        ),
        example=_example,
        points=2,
        hints=(
            "Non-volatile memory is dear by the page. Which few pages, or which writes, does everybody wait for?",
            "A write buffer of 500 pages costs two thousand dollars, and serves every page that is written.",
        ),
        why="Little of the dear memory, where everybody waits: that is what a hierarchy is.",
        steps=_goal_steps,
    ),
)
