"""`pagecost plan`: a system's targets and candidates in, a plan with its reasons out."""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pagecost import planner, system
from pagecost.planner import Plan, Planned
from pagecost.units import format_cell
from pagecost_app import printing, terminal
from pagecost_app.command_parts import DataFormat, Output
from pagecost_app.plain_json import plain

RECORDED = (
    *("screened", "feasible", "screen_s", "pareto", "chosen", "runner_up", "sureness", "draws", "seed", "seeds"),
    *("reasons", "notes", "impossible", "rejected", "versions"),
)
SHOWN = ("cost", "percentile_s", "simulated_percentile_s", "mean_w", "life_years")


def answer(file: Path, progress: Callable[..., None], *, seed: int = 1, runs: int = 3) -> Planned:
    """The plan for the system in a file. Raises ModelError when it is no system, or nothing can be made of it."""
    return planner.plan(system.read(file), seed=seed, runs=runs, progress=lambda share, _: progress(share))


def show(made: Planned, out: Output) -> None:
    """Print the answer: as a table with the sentence first; as CSV a row per figure of every finalist."""
    with_what = printing.typed(out)
    if out.format == DataFormat.json:
        printing.as_json(record(made) | {"provenance": with_what()})
        return
    if out.format == DataFormat.csv:
        printing.records(rows(made), out, with_what)
        return
    for number, line in enumerate((made.sentence, *made.reasons[1:])):
        terminal.say(line, strong=number == 0)
    print()
    _table([_row(made, at) for at in range(len(made.finalists))], out)
    print()
    for title, count in made.rejected.items():
        terminal.say(f"{count} {'plan misses' if count == 1 else 'plans miss'} most: {title}")
    print(f"{made.screened} plans by formula in {made.screen_s:.2g} s, {made.feasible} meet every target.")
    for crossing in made.break_evens:
        terminal.say(crossing.sentence)
    if made.tornado:
        print()
        _table([_swing(made, at) for at in range(len(made.tornado))], out)
    if made.best is not None:
        print()
        for figure in made.best.figures.values():
            terminal.say(f"{figure.title}: {figure.formula}")
        lines = dict.fromkeys(figure.run_line for figure in made.best.figures.values())
        print("\n".join(["computed again by:", *lines]))
    for note in made.notes:
        terminal.say(note, indent="- ")
    printing.foot(out, with_what)


def rows(made: Planned) -> list[dict]:
    """A row per figure of every finalist."""
    return [_figure_row(plan, each) for plan in made.finalists for each in plan.figures.values()]


def _table(lines: list[dict], out: Output) -> None:
    terminal.table(printing.texts(lines), wide=out.wide)


def record(made: Planned) -> dict[str, Any]:
    """The whole answer as plain lists, numbers and texts."""
    found = {name: getattr(made, name) for name in RECORDED}
    found |= {
        "answer": made.sentence,
        "finalists": [_plan(plan) for plan in made.finalists],
        "losers": [_plan(plan) for plan in made.losers],
        "break_evens": [dataclasses.asdict(each) for each in made.break_evens],
        "tornado": [dataclasses.asdict(each) for each in made.tornado],
        "system": made.system.model_dump(mode="json"),
    }
    return plain(found)


def _plan(plan: Plan) -> dict:
    return {
        "code": plan.code,
        "title": plan.title,
        "groups": [dataclasses.asdict(group) for group in plan.groups],
        "buffer_frames": plan.buffer_frames,
        "page_cache_bytes": plan.page_cache_bytes,
        "figures": {name: dataclasses.asdict(figure) for name, figure in plan.figures.items()},
        "binding": plan.binding,
        "notes": plan.notes,
    }


def _row(made: Planned, at: int) -> dict:
    plan = made.finalists[at]
    mark = "chosen" if at == made.chosen else "runner-up" if at == made.runner_up else ""
    cells = {name: _cell(plan, name) for name in SHOWN}
    return {"": mark or ("best" if at in made.pareto else ""), "plan": plan.code} | cells | {"why not": plan.binding}


def _cell(plan: Plan, name: str) -> str:
    figure = plan.figures.get(name)
    if figure is None or math.isnan(figure.value):
        return "–"
    return format_cell(figure.value, figure.unit)


def _swing(made: Planned, at: int) -> dict:
    swing, best = made.tornado[at], made.best
    others = [code or "none" for code in (swing.chosen_low, swing.chosen_high) if best is None or code != best.code]
    return {
        "input": swing.title,
        "from": f"{swing.low:.4g}",
        "to": f"{swing.high:.4g}",
        "unit": swing.unit,
        "cost from": f"{swing.cost_low:.2f}",
        "cost to": f"{swing.cost_high:.2f}",
        "then chosen": ", ".join(others),
    }


def _figure_row(plan: Plan, figure) -> dict:
    row = {"plan": plan.code} | dataclasses.asdict(figure)
    return {name: " ".join(value) if isinstance(value, tuple) else plain(value) for name, value in row.items()}
