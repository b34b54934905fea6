"""The planner: every plan by formula, the best of them simulated, one chosen, and what would change that."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import nan

import numpy as np

from pagecost import provenance
from pagecost.devices import title_of as title_of_device
from pagecost.economics.ownership import Currency
from pagecost.errors import require
from pagecost.planner import words
from pagecost.planner.crossing import break_evens
from pagecost.planner.figures import Interval, figures_of, title_of
from pagecost.planner.finalists import SERVED, Simulated, case_of, run_all, unsimulated
from pagecost.planner.front import (
    binding,
    cheapest,
    currency_of,
    met,
    nearest,
    nondominated,
    objectives,
)
from pagecost.planner.planned import One, Plan, Planned, Swing
from pagecost.planner.searching import Search, search
from pagecost.planner.sensitivity import DRAWS, Input, Judge, drawn, inputs_of, moved, total_effects
from pagecost.planner.space import place_of
from pagecost.system import System

FINALISTS = 8
NEAR = 1.5  # a response time that is missed by less may still be met when it is simulated
ROUNDS = 6  # how often further plans are simulated: while none holds, or one that costs less has not been tried
LOSERS = 80
RUNS = 3

Progress = Callable[[float, str], None]


def quiet(share: float, doing: str) -> None:
    """The progress of someone who just waits."""


def never() -> bool:
    """Nobody wants it to end early."""
    return False


def plan(
    system: System,
    *,
    progress: Progress = quiet,
    stop: Callable[[], bool] = never,
    seed: int = 1,
    runs: int = RUNS,
) -> Planned:
    """The plan for a system's targets out of its candidates.

    progress(share done, what is done) may raise to cancel. stop(): whether to end with what there is; plans that were
    not simulated by then are judged by formula. runs: of each finalist, 0: none is simulated. Raises ModelError for
    candidates of which no plan can be made, or without a price.
    """
    progress(0.0, "screening")
    found = _priced(search(system))
    progress(0.1, f"screened {found.space.size} plans")
    simulated: dict[int, Simulated] = {}
    wanted = _first(found)
    for round_ in range(ROUNDS):
        part = (0.1 + 0.7 * round_ / ROUNDS, 0.1 + 0.7 * (round_ + 1) / ROUNDS)
        simulated |= _simulated(found, wanted, seed, runs, progress, stop, part)
        if not runs or stop():
            break
        wanted = _further(found, simulated)
        if not wanted:
            break
    progress(0.8, "looking at what would change it")
    return _planned(found, simulated, seed, runs, progress)


def estimated(system: System) -> Planned:
    """The plan by formula alone, without what would change it: soon enough to follow a slider. ModelError as `plan`."""
    found = _priced(search(system))
    return _planned(found, _simulated(found, _first(found), 1, 0, quiet, never, (0.0, 1.0)), 1, 0, quiet, doubted=False)


def _priced(found: Search) -> Search:
    require(
        bool(np.isfinite(found.screened.cost_usd).any()),
        f"no plan of the candidates has a price: {', '.join(found.numbers.unpriced)} "
        "has none; give yours in [economics.price_usd_per_device]",
    )
    return found


def figures_of_one(
    system: System, code: str, *, seed: int = 1, runs: int = 0, progress: Progress = quiet, stop=never
) -> One:
    """The figures of one plan without any other. system: as `candidates_of` makes it. ModelError as `search`."""
    found = search(system)
    place = place_of(found.space, code)
    simulated = _simulated(found, [place], seed, runs, progress, stop, (0.0, 1.0)) if runs else {}
    currency = currency_of(system.economics)
    alone = Judge(system, found.space.chosen([place]), found.visits, np.ones(1), np.ones(1, bool))
    inputs = inputs_of(system, found.numbers)
    judged = alone.judged([moved(found.numbers, inputs, row) for row in drawn(inputs, DRAWS, seed)])
    of_figures = words.intervals(judged, currency, found.numbers.carbon_kg_per_kwh)
    intervals = {name: row[0] for name, row in of_figures.items()}
    made = _plan(found, place, simulated.get(place), currency, intervals, seed)
    terms = {name: float(np.asarray(values)[place]) for name, values in found.screened.terms.items()}
    of_terms = {name: words.ends(judged, np.asarray(values))[0] for name, values in judged.made.terms.items()}
    notes = words.notes(found.numbers, system, found.asked, _used([made]), list(simulated.values()))
    return One(made, terms, of_terms, (*notes, words.broken_or_held(found.row(place), found.limits)))


def _first(found: Search) -> list[int]:
    """Which plans are simulated: the cheapest, others that none is better than (the next in cost, the next on other
    devices, those at the ends), and cheaper ones that miss narrowly."""
    if not found.feasible.any():
        return list(dict.fromkeys([nearest(found.limits), *_near_misses(found, np.inf)[:2]]))
    by_cost = found.front[np.argsort(found.screened.cost_usd[found.front], kind="stable")].tolist()
    ends = [
        int(found.front[np.nanargmin(column[found.front])])
        for column in (found.screened.percentile_s, found.screened.mean_w, -found.screened.life_s)
        if not np.isnan(column[found.front]).all()
    ]
    first = found.row(by_cost[0]).parts[:4]
    other = next((place for place in by_cost[1:] if found.row(place).parts[:4] != first), by_cost[0])
    near = _near_misses(found, float(found.screened.cost_usd[by_cost[0]]))
    spread = [by_cost[at] for at in np.linspace(0, len(by_cost) - 1, FINALISTS).round().astype(int)]
    return list(dict.fromkeys([*by_cost[:2], other, *near[:2], *ends, *spread]))[:FINALISTS]


def _near_misses(found: Search, below_usd: float) -> list[int]:
    """Cheaper plans that miss the response time alone, and not by much; the cheapest that none is better than first."""
    near = _but_for_time(found, 1 / NEAR) & ~found.feasible & (found.screened.cost_usd < below_usd)
    places = np.flatnonzero(near)
    if not places.size:
        return []
    pairs = np.stack([found.screened.cost_usd[places], found.screened.percentile_s[places]], axis=1)
    return places[nondominated(pairs)[::-1]].tolist()


def _but_for_time(found: Search, factor: float) -> np.ndarray:
    """Plans that meet every limit, if their response time is so many times that of the formula."""
    of_time = next((limit for limit in found.limits if limit.name == "percentile_s"), None)
    if of_time is None:
        return found.feasible
    others = tuple(limit for limit in found.limits if limit.name != "percentile_s")
    return met(others) & (of_time.excess * factor <= 1)


def _further(found: Search, simulated: dict[int, Simulated]) -> list[int]:
    """The next ones: what costs less than the chosen one and is promised by formula; while none holds, the cheapest of
    those that answer clearly faster than what has failed."""
    chosen = _chosen(found, simulated)
    if chosen is not None:
        return _untried(found, simulated, chosen)[: FINALISTS // 2]
    tried = np.array(list(simulated))
    slowest = np.min(found.screened.percentile_s[tried[found.feasible[tried]]], initial=np.inf)
    left = [p for p in found.front.tolist() if p not in simulated and found.screened.percentile_s[p] < slowest]
    return left[: FINALISTS // 2]


def _untried(found: Search, simulated: dict[int, Simulated], chosen: int) -> list[int]:
    """Plans that by formula hold and cost less than the chosen one, and were not simulated; the cheapest first.

    Where the formula is as slow for them as it was for the chosen one, they hold, too: it is too slow for
    disks near saturation. Of those that buy the same devices, the one that answers fastest comes first.
    """
    cost = found.screened.cost_usd
    promised = found.feasible | _but_for_time(found, min(1.0, _correction(found, simulated, chosen)))
    places = [p for p in np.flatnonzero(promised & (cost < cost[chosen])).tolist() if p not in simulated]
    fastest: dict[tuple, int] = {}
    for place in sorted(places, key=lambda p: float(found.screened.percentile_s[p])):
        fastest.setdefault(found.row(place).parts[:4], place)
    first = set(fastest.values())
    return sorted(places, key=lambda p: (p not in first, float(cost[p]), p))


def _simulated(
    found: Search, places: Iterable[int], seed: int, runs: int, progress: Progress, stop, part: tuple[float, float]
) -> dict[int, Simulated]:
    """Runs of each plan, side by side; those that cannot be simulated with the reason."""
    wanted = list(places)
    if not runs:
        return {place: unsimulated("no runs were asked for") for place in wanted}
    refused = {place for place in wanted if not np.isfinite(found.screened.response_s[place])}
    cases = {
        (place, run): case_of(
            found.row(place).parts,
            found.asked,
            found.system,
            found.numbers,
            seed + 1000 * run,
        )
        for run in range(runs)
        for place in wanted
        if place not in refused
    }

    def ended(done: int) -> None:
        share = part[0] + (part[1] - part[0]) * done / len(cases)
        progress(share, f"simulating {len(wanted)} plans, run {done} of {len(cases)}")

    made = run_all(cases, ended, stop)
    return {place: made.get(place, unsimulated("by formula it cannot keep up")) for place in wanted}


def _percentile_s(found: Search, simulated: dict[int, Simulated], place: int) -> float:
    """Simulated where it was, else by formula."""
    made = simulated.get(place)
    return float(found.screened.percentile_s[place]) if made is None or made.why else made.percentile_s[0]


def _correction(found: Search, simulated: dict[int, Simulated], place: int) -> float:
    """What the formula's response time is multiplied by to be that of the runs; 1 where there are none."""
    made = simulated.get(place)
    if made is None or made.why:
        return 1.0
    return made.percentile_s[0] / float(found.screened.percentile_s[place])


def _holds(found: Search, simulated: dict[int, Simulated], place: int) -> bool:
    """Whether a plan meets every target, its response time and rate as simulated where they were."""
    made = simulated[place]
    if made.why:
        return bool(found.feasible[place])
    others = met(tuple(limit for limit in found.limits if limit.name != "percentile_s"))[place]
    wanted = found.system.targets.response_s
    in_time = wanted is None or made.percentile_s[0] <= wanted
    return bool(others and in_time and made.tps[0] >= SERVED * found.numbers.rate_hz)


def _chosen(found: Search, simulated: dict[int, Simulated]) -> int | None:
    """The cheapest plan that holds; simulated ones first, for a formula alone is no proof."""
    holding = [place for place in simulated if _holds(found, simulated, place)]
    proven = [place for place in holding if not simulated[place].why]
    return _cheapest(found, simulated, proven or holding)


def _cheapest(found: Search, simulated: dict[int, Simulated], places: Sequence[int]) -> int | None:
    if not places:
        return None
    cost = found.screened.cost_usd[list(places)]
    percentile = np.array([_percentile_s(found, simulated, place) for place in places])
    at = cheapest(cost, percentile, np.ones(len(places), bool))
    return None if at is None else places[at]


def _runner_up(found: Search, simulated: dict[int, Simulated], chosen: int, others: list[int]) -> int | None:
    """The cheapest of the others, simulated ones first, and first those that buy other devices."""
    proven = [place for place in others if not simulated[place].why] or others
    bought = found.row(chosen).parts[:4]
    return _cheapest(found, simulated, [p for p in proven if found.row(p).parts[:4] != bought] or proven)


def _pareto(found: Search, simulated: dict[int, Simulated], places: list[int]) -> set[int]:
    """Those of the plans that hold and that none of them dominates, with simulated times where there are some."""
    holding = [place for place in places if _holds(found, simulated, place)]
    return {holding[at] for at in nondominated(_objectives(found, simulated, holding)).tolist()} if holding else set()


def _objectives(found: Search, simulated: dict[int, Simulated], places: list[int]) -> np.ndarray:
    """`objectives` of plans, with simulated times where there are some."""
    s = found.screened
    percentile = np.array([_percentile_s(found, simulated, place) for place in places])
    return objectives(s.cost_usd[places], percentile, s.mean_w[places], s.life_s[places])


def _planned(
    found: Search, simulated: dict[int, Simulated], seed: int, runs: int, progress: Progress, *, doubted: bool = True
) -> Planned:
    """The answer. doubted: whether it is asked what would change it: intervals, draws, tornado, break-evens."""
    system, currency = found.system, currency_of(found.system.economics)
    order = sorted(simulated, key=lambda place: (float(found.screened.cost_usd[place]), place))
    chosen = _chosen(found, simulated)
    pareto = _pareto(found, simulated, order)
    others = [p for p in order if p != chosen and _holds(found, simulated, p)]
    runner_up = None if chosen is None else _runner_up(found, simulated, chosen, others)
    losers = _losers(found, set(order))
    pool = [*order, *losers]
    correction = np.array([_correction(found, simulated, place) for place in pool])
    proven = np.array([place in simulated and not simulated[place].why for place in pool])
    eligible = proven if proven.any() else np.ones(len(pool), bool)
    judge = Judge(system, found.space.chosen(pool), found.visits, correction, eligible)
    inputs = inputs_of(system, found.numbers) if doubted else ()
    factors = drawn(inputs, DRAWS, seed) if inputs else np.ones((0, 0))
    judged = judge.judged([moved(found.numbers, inputs, row) for row in factors]) if len(factors) else None
    sureness = nan
    if judged is not None and chosen is not None:
        sureness = float(np.mean(judged.chosen == pool.index(chosen)))
    progress(0.92, "the tornado")
    tornado = _tornado(found, judge, inputs, pool, chosen, runner_up, seed)
    ends = words.intervals(judged, currency, found.numbers.carbon_kg_per_kwh)
    plans = {
        place: _plan(found, place, simulated.get(place), currency, {name: row[at] for name, row in ends.items()}, seed)
        for at, place in enumerate(pool)
    }
    if chosen is not None:
        plans = {
            place: replace(made, binding=_why_lost(found, simulated, place, chosen, pareto, plans))
            for place, made in plans.items()
        }
    else:
        plans = {p: replace(made, binding=words.broken(found.row(p), found.limits)) for p, made in plans.items()}
    finalists = tuple(plans[place] for place in order)
    titles = {made.code: made.title for made in plans.values()}
    best = None if chosen is None else plans[chosen]
    second = None if runner_up is None else plans[runner_up]
    progress(1.0, "done")
    return Planned(
        system=system,
        screened=found.space.size,
        feasible=int(found.feasible.sum()),
        screen_s=found.screen_s,
        finalists=finalists,
        pareto=tuple(at for at, place in enumerate(order) if place in pareto),
        chosen=None if chosen is None else order.index(chosen),
        runner_up=None if runner_up is None else order.index(runner_up),
        losers=tuple(plans[place] for place in losers),
        reasons=words.reasons(found.system, best, second, sureness, tornado, titles),
        break_evens=()
        if chosen is None or not doubted
        else break_evens(judge, found.numbers, pool, others, chosen, plans),
        tornado=tornado,
        sureness=sureness,
        draws=len(factors),
        seed=seed,
        notes=words.notes(found.numbers, system, found.asked, _used(plans.values()), list(simulated.values())),
        impossible=None if chosen is not None else _impossible(found, order, plans, simulated),
        versions=provenance.versions(),
        seeds=tuple(seed + 1000 * run for run in range(runs)),
        rejected=_rejected(found),
    )


def _used(plans: Iterable[Plan]) -> list[str]:
    """Names of the devices that any of the plans has."""
    return sorted({title_of_device(group.device) for plan in plans for group in plan.groups})


def _impossible(found: Search, order: list[int], plans: dict[int, Plan], simulated: dict[int, Simulated]) -> str:
    """What is nearest: of the plans that hold by formula the one that is fastest simulated, else the least missed."""
    least = nearest(found.limits)
    if found.feasible.any():
        least = min(order, key=lambda place: _percentile_s(found, simulated, place))
    return words.impossible(
        plans[least], found.limits, found.row(least), simulated.get(least), found.system, found.numbers
    )


def _rejected(found: Search) -> dict[str, int]:
    """How many plans miss each limit by most."""
    missed = binding(found.limits)[~found.feasible]
    counts = np.bincount(missed, minlength=len(found.limits))
    return {limit.title: int(count) for limit, count in zip(found.limits, counts, strict=True) if count}


def _plan(found: Search, place: int, simulated, currency: Currency, intervals: dict[str, Interval], seed: int) -> Plan:
    row = found.row(place)
    settings = found.settings if seed == 1 else (*found.settings, f"seed={seed}")
    parts = row.parts
    return Plan(
        code=row.code,
        title=title_of(row),
        groups=row.groups,
        buffer_frames=parts.buffer_frames,
        page_cache_bytes=parts.page_cache_bytes,
        figures=figures_of(row, found.system, settings, currency, intervals, simulated),
        notes=(f"Not simulated: {simulated.why}.",) if simulated and simulated.why else (),
    )


def _losers(found: Search, without: set[int]) -> list[int]:
    """A sample of the plans that were not simulated: of each reason those that came closest."""
    cost = found.screened.cost_usd
    missed = binding(found.limits)
    picked: list[int] = []
    reasons = sorted(set(missed[~found.feasible].tolist()))
    each = LOSERS // (len(reasons) + 1)
    for reason in reasons:
        places = np.flatnonzero(~found.feasible & (missed == reason) & np.isfinite(cost))
        order = np.lexsort((cost[places], found.limits[reason].excess[places]))
        picked += places[order[:each]].tolist()
    places = np.flatnonzero(found.feasible)
    picked += places[np.argsort(cost[places], kind="stable")[:each]].tolist()
    return [place for place in dict.fromkeys(picked) if place not in without]


def _why_lost(found: Search, simulated, place: int, chosen: int, pareto: set[int], plans: dict[int, Plan]) -> str:
    if place == chosen:
        return ""
    made = simulated.get(place)
    if made is not None and not made.why and not _holds(found, simulated, place):
        return words.failed_when_simulated(made, found.system, found.numbers, found.row(place), found.limits)
    if not found.feasible[place] and (made is None or made.why):
        return words.broken(found.row(place), found.limits)
    if place in pareto:
        return words.dearer(plans[place], plans[chosen])
    s = found.screened
    if made is None and s.cost_usd[place] < s.cost_usd[chosen]:
        return words.untried(plans[place])
    for other in sorted(pareto):
        mine, theirs = _objectives(found, simulated, [place, other])
        if (theirs <= mine).all() and (theirs < mine).any():
            return words.dominated(plans[place], plans[other])
    return words.dearer(plans[place], plans[chosen])


def _tornado(
    found: Search,
    judge: Judge,
    inputs: Sequence[Input],
    pool: list[int],
    chosen: int | None,
    runner_up: int | None,
    seed: int,
) -> tuple[Swing, ...]:
    """Each input at its ends, the widest swing of the chosen plan's cost first; those that flip the choice before."""
    if chosen is None or not inputs:
        return ()
    at = pool.index(chosen)
    ends = [(each, end) for each in inputs for end in (each.low, each.high)]
    numbers = [moved(found.numbers, [each], np.array([end])) for each, end in ends]
    judged = judge.judged(numbers)
    pair = (at, pool.index(runner_up)) if runner_up is not None else None
    totals = total_effects(judge, found.numbers, inputs, pair, seed) if pair else np.full(len(inputs), nan)
    currency = currency_of(found.system.economics)

    def code(place: int) -> str:
        return found.space.code(pool[place]) if place >= 0 else ""

    swings = [
        Swing(
            each.name,
            each.title,
            each.unit,
            each.base * each.low,
            each.base,
            each.base * each.high,
            float(currency.of_usd(judged.cost_usd[2 * number, at])),
            float(currency.of_usd(judged.cost_usd[2 * number + 1, at])),
            code(int(judged.chosen[2 * number])),
            code(int(judged.chosen[2 * number + 1])),
            float(totals[number]),
        )
        for number, each in enumerate(inputs)
    ]
    best = found.space.code(chosen)

    def rank(swing: Swing) -> tuple[bool, float]:
        flips = swing.chosen_low != best or swing.chosen_high != best
        return not flips, -abs(swing.cost_high - swing.cost_low)

    return tuple(sorted(swings, key=rank))
