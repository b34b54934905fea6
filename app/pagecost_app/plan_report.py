"""A plan as one HTML page that defends it: every number with its formula, source, interval and the line that gives it
again; the runner-up and why it lost; what would change the decision. Works offline.
"""

import datetime
from collections.abc import Sequence
from html import escape
from math import isfinite, isnan
from pathlib import Path

from pagecost import catalogue, planner, system, whole_files
from pagecost.devices import title_of
from pagecost.planner import Figure, Plan, Planned, Swing
from pagecost.planner.words import percent
from pagecost.studies import StudyInputs
from pagecost.studies.plan import storage_plan
from pagecost.units import TEXT, format_bytes, format_cell, format_seconds, grouped
from pagecost_app import bokeh_scripts, plain_json, plan_command, printing, report_look
from pagecost_app.charts import embedding, recolouring
from pagecost_app.charts.chart import StudyChart
from pagecost_app.charts.plan.storage_plan import Chart

SHEET = """
.chosen td { font-weight: 600; } .chosen td:first-child::before { content: "✓ "; color: var(--good); }
.tile.missed { border-color: var(--bad); } .tile.met { border-color: var(--good); }
.tile small { display: block; color: var(--muted); }
.figure > summary { display: grid; gap: 12px; padding: 6px 4px; border-top: 1px solid var(--faint);
  grid-template-columns: minmax(240px, 1fr) 150px 220px 110px; }
.figure > summary:hover { background: var(--panel); } .figure > summary::marker { content: ""; }
.figure[open] { background: var(--panel); border-radius: 0 0 8px 8px; }
.figure b, .figure span { font-variant-numeric: tabular-nums; } .figure span { color: var(--muted); }
code { font: 12.5px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--panel); border-radius: 8px; padding: 12px 16px; overflow-x: auto; font-size: 12.5px; }
.drawn { background: var(--ground); color: var(--ink); border-radius: 8px; padding: 8px; margin: 16px 0; }
.head { display: flex; justify-content: space-between; gap: 16px; align-items: start; }
.scroll { overflow-x: auto; } ul { padding-left: 20px; max-width: 90ch; }
summary.more { color: var(--good); margin: 8px 0; }
@media (max-width: 900px) {
  .figure > summary { grid-template-columns: 1fr auto; } .figure .range, .figure .how { display: none; }
}
@media print { .drawn { break-inside: avoid; } }
"""
TILES = (
    (("cost",), "cost over the years"),
    (("simulated_percentile_s", "percentile_s"), "response time"),
    (("mean_w",), "power"),
    (("life_years",), "life of the devices"),
)
"""What stands at the top of a report: the first figure of each that the plan has."""
COMPARED = ("cost", "simulated_percentile_s", "percentile_s", "simulated_tps", "capacity_hz", "mean_w", "life_years")
SHOWN_LOSERS = 30


def write(planned: Planned, path: Path) -> None:
    """Write the page, and beside it the figures as CSV and the whole answer as JSON under the same name.

    Raises OSError where that is not possible.
    """
    texts = {
        path: with_chart(planned),
        path.with_suffix(".csv"): printing.csv_text(plan_command.rows(planned)),
        path.with_suffix(".json"): plain_json.text(plan_command.record(planned)) + "\n",
    }
    for name, text in texts.items():
        whole_files.write(name, text)


def with_chart(planned: Planned) -> str:
    """The page as text, with the live chart of its plans, made today."""
    chart = Chart()
    targets = planned.system.targets
    years = targets.years or planned.system.economics.horizon_years
    chart.draw(storage_plan.result_of(planned), targets.response_s or 0.0, targets.percentile, years)
    return page(planned, [chart], datetime.date.today().isoformat())


def of_inputs(inputs: StudyInputs) -> str:
    """The page for what the question `storage_plan` was asked; runs that it has made are not made again."""
    assert isinstance(inputs, storage_plan.Inputs)
    return with_chart(planner.plan(inputs.whole_system, seed=inputs.seed, runs=inputs.runs))


def page(planned: Planned, charts: Sequence[StudyChart] = (), made_on: str = "") -> str:
    """The page as text. charts: to stand in it, alive. made_on: a date, ISO."""
    script, drawn = embedding.parts([chart.root for chart in charts]) if charts else ("", [])
    best = planned.best
    second = None if planned.runner_up is None else planned.finalists[planned.runner_up]
    body = "".join(
        [
            _head(planned, made_on),
            _tiles(planned, best) if best else "",
            _listed("Why", planned.reasons[1:] if planned.impossible is None else planned.reasons),
            _bought(best) if best else "",
            "".join(f'<div class="drawn">{each}</div>' for each in drawn),
            _runner_up(best, second) if best and second else "",
            _changes(planned),
            _figures(best) if best else "",
            _finalists(planned),
            _losers(planned),
            _listed("What to know before trusting it", planned.notes),
            _provenance(planned),
        ]
    )
    head = bokeh_scripts.inline().render() + script if charts else ""
    follow = recolouring.script(charts)
    return report_look.page(f"{planned.system.name}: the plan", body, sheet=SHEET, script=follow, head=head)


def _head(planned: Planned, made_on: str) -> str:
    made = " · ".join(filter(None, (f"pagecost {planned.versions['pagecost']}", planned.system.name, made_on)))
    title = "The plan" if planned.impossible is None else "No plan meets the targets"
    return (
        f"<header class=head><div><p class=muted>{escape(made)}</p><h1>{title}</h1>"
        f"<p class=headline>{escape(planned.sentence)}</p></div>"
        '<button type="button" id="theme">Light or dark</button></header>'
    )


def _tiles(planned: Planned, best: Plan) -> str:
    return f"<div class=tiles>{''.join(_tile(best, names, words) for names, words in TILES)}</div>"


def _tile(best: Plan, names: Sequence[str], words: str) -> str:
    found = next((best.figures[name] for name in names if name in best.figures), None)
    if found is None or isnan(found.value):
        return f'<div class="tile"><b>–</b><span>{words}: not known</span></div>'
    said = f"<span>{escape(found.title)}</span><small>{_range(found)}</small>"
    return f'<div class="tile met"><b>{_cell(found)}</b>{said}</div>'


def _bought(best: Plan) -> str:
    rows = "".join(
        f"<tr><th>{escape(group.role)}<td>{group.count or ''}<td>{escape(title_of(group.device))}"
        f"<td>{escape(group.level.upper()) if group.count > 1 else ''}<td class=number>{format_bytes(group.size_bytes)}"
        for group in best.groups
    )
    memory = f"<p>{grouped(best.buffer_frames)} frames of database buffer" + (
        f" and {format_bytes(best.page_cache_bytes)} of page cache.</p>" if best.page_cache_bytes else ".</p>"
    )
    return (
        "<section><h2>What to buy</h2><table><tr><th>for<th>devices<th>which<th>joined as<th class=number>holds"
        f"{rows}</table>{memory}</section>"
    )


def _runner_up(best: Plan, second: Plan) -> str:
    rows = "".join(
        f"<tr><th>{escape(best.figures[name].title)}<td class=number>{_cell(best.figures[name])}"
        f"<td class=number>{_cell(second.figures[name]) if name in second.figures else ''}"
        for name in COMPARED
        if name in best.figures
    )
    return (
        f"<section><h2>The runner-up, and why it lost</h2><p>{escape(second.title)}. {escape(second.binding)}</p>"
        f"<table><tr><th><th class=number>the plan<th class=number>the runner-up{rows}</table></section>"
    )


def _changes(planned: Planned) -> str:
    sure = ""
    if isfinite(planned.sureness):
        sure = (
            f"<p>Of {planned.draws} draws of all uncertain inputs within their intervals, "
            f"{percent(planned.sureness)} choose the same plan (seed {planned.seed}).</p>"
        )
    rows = "".join(_swing(planned, swing) for swing in planned.tornado)
    tornado = (
        "<div class=scroll><table><caption>Each input alone, from one end to the other, the widest swing first; those "
        "that change the choice before.</caption><tr><th>input<th class=number>from<th class=number>to"
        "<th class=number>cost of the plan there<th>another plan is chosen<th class=number>share of what is open"
        f"{rows}</table></div>"
    )
    evens = "".join(f"<li>{escape(each.sentence)}" for each in planned.break_evens)
    if not (sure or rows or evens):
        return ""
    return (
        f"<section><h2>What would change the decision</h2>{sure}{tornado if rows else ''}"
        f"{f'<h3>When another one is cheaper</h3><ul>{evens}</ul>' if evens else ''}</section>"
    )


def _swing(planned: Planned, swing: Swing) -> str:
    own = planned.best.code if planned.best else ""
    others = "; ".join(
        f"at {_of_unit(end, swing.unit)} {plan.title if (plan := planned.plan(code)) else 'none meets the targets'}"
        for end, code in ((swing.low, swing.chosen_low), (swing.high, swing.chosen_high))
        if code != own
    )
    share = f"{swing.total_effect:.0%}" if isfinite(swing.total_effect) else ""
    return (
        f"<tr><th>{escape(swing.title)}<td class=number>{_of_unit(swing.low, swing.unit)}"
        f"<td class=number>{_of_unit(swing.high, swing.unit)}"
        f"<td class=number>{swing.cost_low:.0f} … {swing.cost_high:.0f} {planned.system.economics.currency}"
        f"<td>{escape(others)}<td class=number>{share}"
    )


def _figures(best: Plan) -> str:
    lines = "".join(map(_figure, best.figures.values()))
    return (
        "<section><h2>Every number of the plan</h2><p class=muted>Open a line for its formula, its sources and the "
        f"command that computes it again.</p>{lines}</section>"
    )


def _figure(found: Figure) -> str:
    cited = ", ".join(f'<a href="#source-{escape(name)}">{escape(name)}</a>' for name in found.sources)
    how = "simulated" if found.simulated else "by formula"
    return (
        f'<details class=figure id="{escape(found.name)}"><summary>{escape(found.title)}'
        f"<b class=number>{_cell(found)}</b><span class=range>{_range(found)}</span><span class=how>{how}</span>"
        f"</summary><dl><dt>formula<dd>{escape(found.formula)}<dt>sources<dd>{cited or '–'}"
        f"<dt>again<dd><code>{escape(found.run_line)}</code></dl></details>"
    )


def _finalists(planned: Planned) -> str:
    names = [name for name in COMPARED if any(name in plan.figures for plan in planned.finalists)]
    titles = {name: next(p.figures[name].title for p in planned.finalists if name in p.figures) for name in names}
    head = "".join(f"<th class=number>{escape(titles[name])}" for name in names)
    rows = ""
    for at, plan in enumerate(planned.finalists):
        cells = "".join(
            f"<td class=number>{_cell(plan.figures[name]) if name in plan.figures else ''}" for name in names
        )
        rows += (
            f"<tr{' class=chosen' if at == planned.chosen else ''}><td>{escape(plan.title)}{cells}"
            f"<td>{'yes' if at in planned.pareto else ''}<td>{escape(' '.join((plan.binding, *plan.notes)))}"
        )
    return (
        f"<section><h2>The finalists</h2><div class=scroll><table><caption>Of {planned.screened} plans "
        f"{planned.feasible} meet every target by formula (screened in {format_seconds(planned.screen_s)}); these were "
        "simulated where that was possible, with 95 % intervals over runs.</caption>"
        f"<tr><th>plan{head}<th>none is better in all<th>why not{rows}</table></div></section>"
    )


def _losers(planned: Planned) -> str:
    if not planned.losers:
        return ""
    counted = "; ".join(f"{title}: {count}" for title, count in planned.rejected.items())
    rows = "".join(
        f"<tr><td>{escape(plan.title)}<td class=number>{_cell(plan.figures['cost'])}<td>{escape(plan.binding)}"
        for plan in planned.losers[:SHOWN_LOSERS]
    )
    said = f"<p>Rejected by formula, by the limit that each misses most: {escape(counted)}.</p>" if counted else ""
    return (
        f"<section><h2>Those that lost, and what bound them</h2>{said}<details><summary class=more>Those that came "
        f"closest ({min(len(planned.losers), SHOWN_LOSERS)} of them)</summary><table><tr><th>plan"
        f"<th class=number>cost<th>why not{rows}</table></details></section>"
    )


def _listed(title: str, sentences: Sequence[str]) -> str:
    lines = "".join(f"<li>{escape(each)}" for each in sentences)
    return f"<section><h2>{title}</h2><ul>{lines}</ul></section>" if lines else ""


def _provenance(planned: Planned) -> str:
    plans = (*planned.finalists, *planned.losers)
    names = dict.fromkeys(name for plan in plans for figure in plan.figures.values() for name in figure.sources)
    known = catalogue.sources()
    rows = "".join(
        f'<tr id="source-{escape(name)}"><th>{escape(name)}<td>{escape(source.authors)}<td>{escape(source.title)}'
        f"<td>{escape(source.year)}<td>{escape(source.read_on)}<td><small>{escape(source.url)}</small>"
        for name in names
        if (source := known.get(name)) is not None
    )
    versions = ", ".join(f"{name} {version}" for name, version in planned.versions.items())
    seeds = ", ".join(map(str, planned.seeds))
    return (
        "<section><h2>Where it comes from</h2>"
        f"<p>{escape(versions)}; seeds of the runs {seeds or 'none'}; seed of the draws {planned.seed}.</p>"
        "<div class=scroll><table><caption>Sources</caption>"
        f"<tr><th>source<th>authors<th>title<th>year<th>read on<th>address{rows}</table></div>"
        "<h3>The system, as it was asked for</h3>"
        f"<pre>{escape(system.text(planned.system))}</pre></section>"
    )


def _cell(found: Figure) -> str:
    return "no end" if found.value == float("inf") else escape(_of_unit(found.value, found.unit))


def _range(found: Figure) -> str:
    if isnan(found.value):
        return "not known"
    if not (isfinite(found.low) and isfinite(found.high)):
        return "exact, given the inputs"
    return f"{escape(_of_unit(found.low, found.unit))} to {escape(_of_unit(found.high, found.unit))}"


def _of_unit(value: float, unit: str) -> str:
    return format_cell(value, unit) if unit != TEXT else str(value)
