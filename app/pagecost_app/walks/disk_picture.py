"""A walk of a disk arm as HTML: the platter from above, the arm's way over the cylinders, the time of every request."""

import math

from pagecost.devices.disk.told import Served
from pagecost.units import format_seconds
from pagecost_app.walks.asking import question_picture
from pagecost_app.walks.disk_code import code_of
from pagecost_app.walks.disk_walk import CHOOSE, PHASES, SEEK, TRANSFER, Arm, DiskWalk
from pagecost_app.walks.ftl_picture import FTL_CSS
from pagecost_app.walks.lines import code_picture

SIDE, OUTER, INNER = 320, 138, 42  # pixels of the platter's picture, radius of the first and of the last cylinder
WAY_WIDTH, ROW = 400, 24  # pixels of the picture of the arm's way, and from one request to the next

DISK_CSS = (
    FTL_CSS
    + """
.walk.disk svg { display: block; max-width: 100%; height: auto; color: var(--w-ink); }
.walk.disk .platter { fill: var(--w-panel); stroke: var(--w-faint); }
.walk.disk .track { fill: none; stroke: var(--w-faint); stroke-dasharray: 2 4; }
.walk.disk .arm { fill: var(--w-muted); }
.walk.disk .waits { fill: #0072B2; }
.walk.disk .chosen { fill: #D55E00; stroke: var(--w-ink); stroke-width: 2; }
.walk.disk .done { fill: none; stroke: var(--w-muted); stroke-width: 2; }
.walk.disk text { font-size: 11px; fill: var(--w-ink); font-variant-numeric: tabular-nums; }
.walk.disk text.soft { fill: var(--w-muted); }
.walk.disk .way { fill: none; stroke: #0072B2; stroke-width: 2; }
.walk.disk .way.last { stroke: #D55E00; stroke-width: 3; }
.walk.disk .turns { transform: rotate(var(--to)); transform-origin: 160px 160px; }
.walk.disk .slides { transform: translateX(var(--x)); }
@media (prefers-reduced-motion: no-preference) {
  .walk.disk .turns { animation: disk-turn 0.9s ease-in-out; }
  .walk.disk .slides { animation: disk-slide 0.9s ease-in-out; }
}
@keyframes disk-turn { from { transform: rotate(var(--from)); } }
@keyframes disk-slide { from { transform: translateX(var(--x0)); } 50% { transform: translateX(var(--x1)); } }
.walk.disk tr.now th, .walk.disk tr.now td { background: var(--w-panel); font-weight: 600; }
.walk.disk td, .walk.disk th { font-size: 12.5px; }
.disk-arms { display: flex; flex-wrap: wrap; gap: 8px 34px; }
.disk-arms > section { flex: 1 1 250px; min-width: 0; max-width: 480px; }
"""
)


def disk_title(walk: DiskWalk) -> str:
    """What is walked through, in one line."""
    at = -(-walk.position // len(PHASES))
    beside = f" beside {walk.other.title}" if walk.other else ""
    order = f"request {at} of {len(walk.requests)} in the order of service"
    return f"{walk.arm.title}{beside} on {walk.values['disk']}: {order}"


def disk_sentence(walk: DiskWalk) -> str:
    """What the last step was; of the other scheduler too."""
    if not walk.position:
        return f"{len(walk.requests)} requests wait, the arm is over cylinder {walk.values['start']}."
    said = _step_said(walk.arm, walk.position)
    return (
        f"{walk.arm.title}: {said} {walk.other.title}: {_step_said(walk.other, walk.position)}" if walk.other else said
    )


def _step_said(arm: Arm, position: int) -> str:
    at, phase = divmod(position - 1, len(PHASES))
    one = arm.served[at]
    took = format_seconds(arm.phase_s(one)[phase])
    if phase == CHOOSE:
        return f"The request for cylinder {one.cylinder} is taken, {len(one.waited) - 1} still wait."
    if phase == SEEK:
        crossed = abs(one.cylinder - one.came_from)
        edge = f" by way of cylinder {one.past}" if one.past >= 0 else ""
        move = (
            f"moves from cylinder {one.came_from} to {one.cylinder}{edge}" if crossed or edge else "stays where it is"
        )
        return f"The arm {move}: {took}."
    if phase == TRANSFER:
        return f"The sectors pass the head: {took}. The request took {format_seconds(one.end_s - one.start_s)} in all."
    return f"The platter turns on until the first sector is under the head: {took}."


def disk_picture(walk: DiskWalk) -> str:
    """The walk as HTML, without its style sheet."""
    arms = [walk.arm] + ([walk.other] if walk.other else [])
    shown = "".join(
        f"<section><h3>{arm.title} <small>{format_seconds(arm.time_s(walk.position))} so far</small></h3>"
        f"{_platter(walk, arm)}{_way(walk, arm)}</section>"
        for arm in arms
    )
    codes = "".join(
        code_picture(f"{arm.title}, as it works", code_of(arm.scheduler), arm.facts(walk.position)) for arm in arms
    )
    tables = "".join(_times(walk, arm) for arm in arms)
    return (
        f'<div class="walk disk">{question_picture(walk)}<div class="walk-two"><div class="main">'
        f'<div class="disk-arms">{shown}</div>{_difference(walk)}</div>'
        f'<div class="side">{codes}{tables}</div></div>{_key(walk)}</div>'
    )


def _difference(walk: DiskWalk) -> str:
    if not walk.other:
        return ""
    one, other = (arm.time_s(walk.position) for arm in (walk.arm, walk.other))
    if one == other:
        return "<p>After as many steps both have taken as long.</p>"
    ahead, behind = (walk.arm, walk.other) if one < other else (walk.other, walk.arm)
    return (
        f"<p><b>Difference:</b> after as many steps {ahead.title} has taken {format_seconds(abs(one - other))} less "
        f"than {behind.title}.</p>"
    )


def _radius(arm: Arm, cylinder: int) -> float:
    return OUTER - (OUTER - INNER) * cylinder / (arm.disk.geometry.cylinders - 1)


def _platter(walk: DiskWalk, arm: Arm) -> str:
    """The platter turns to the left; the head stands on the right of the axle, over the cylinder of the arm."""
    centre, position = SIDE / 2, walk.position
    at, phase = divmod(max(position - 1, 0), len(PHASES))
    one = arm.served[at]
    moves = walk.stepped
    turned, before = (arm.turned(arm.time_s(step)) for step in (position, position - 1 if moves else position))
    to_degrees, from_degrees = -360 * turned, -360 * before
    arrived = position > 0 and phase >= SEEK
    now_x = centre + _radius(arm, one.cylinder if arrived else one.came_from)
    was_x, past_x = now_x, now_x
    if moves and position and phase == SEEK:
        was_x = centre + _radius(arm, one.came_from)
        past_x = centre + _radius(arm, one.past) if one.past >= 0 else (was_x + now_x) / 2
    done = {served.number for served in arm.served[: position // len(PHASES)]}
    dots = "".join(
        _dot(arm, served, to_degrees, "done" if served.number in done else _state(served, one, position))
        for served in arm.served
    )
    tracks = (
        f'<circle class="track" cx="{centre}" cy="{centre}" r="{_radius(arm, one.cylinder):.1f}"/>' if position else ""
    )
    turns = f"--from:{from_degrees:.2f}deg;--to:{to_degrees:.2f}deg"
    slides = f"--x:{now_x:.1f}px;--x0:{was_x:.1f}px;--x1:{past_x:.1f}px"
    words = (
        f"platter with {len(arm.served)} requests, the arm over cylinder {one.cylinder if arrived else one.came_from}"
    )
    return (
        f'<svg viewBox="0 0 {SIDE + 40} {SIDE}" width="{SIDE + 40}" role="img" aria-label="{words}">'
        f'<circle class="platter" cx="{centre}" cy="{centre}" r="{OUTER + 10}"/>'
        f'<circle class="track" cx="{centre}" cy="{centre}" r="{OUTER}"/>'
        f'<circle class="track" cx="{centre}" cy="{centre}" r="{INNER}"/>{tracks}'
        f'<g class="turns" style="{turns}"><circle cx="{centre}" cy="{centre}" r="12" class="done"/>'
        f'<path d="M{centre} {centre - 12}v12" stroke="currentColor" stroke-width="2"/>{dots}</g>'
        f'<g class="slides" style="{slides}"><path class="arm" d="M0 0l14 -7h400v14h-400z" '
        f'transform="translate(0 {centre})"/></g></svg>'
    )


def _state(served: Served, one: Served, position: int) -> str:
    return "chosen" if position and served.number == one.number else "waits"


def _dot(arm: Arm, served: Served, turned: float, state: str) -> str:
    centre, angle = SIDE / 2, 2 * math.pi * served.angle
    radius = _radius(arm, served.cylinder)
    x, y = centre + radius * math.cos(angle), centre + radius * math.sin(angle)
    size = 7 if state == "chosen" else 5
    label = f'<text transform="translate({x:.1f} {y:.1f}) rotate({-turned:.2f})" x="8" y="-6">{served.cylinder}</text>'
    return f'<circle class="{state}" cx="{x:.1f}" cy="{y:.1f}" r="{size}"/>{label}'


def _way(walk: DiskWalk, arm: Arm) -> str:
    """The arm's way over the cylinders, one request below the other."""
    reached = (
        -(-walk.position // len(PHASES)) if walk.position % len(PHASES) != CHOOSE + 1 else walk.position // len(PHASES)
    )
    last = arm.disk.geometry.cylinders - 1

    def x(cylinder: int) -> float:
        return 14 + (WAY_WIDTH - 28) * cylinder / last

    height = 30 + ROW * (len(arm.served) + 1)
    marks, lines = [f'<circle class="done" cx="{x(walk.values["start"]):.1f}" cy="26" r="4"/>'], []
    for number, one in enumerate(arm.served[:reached]):
        top, bottom = 26 + ROW * number, 26 + ROW * (number + 1)
        via = f" L{x(one.past):.1f} {(top + bottom) / 2:.1f}" if one.past >= 0 else ""
        mark = " last" if number == reached - 1 else ""
        lines.append(
            f'<path class="way{mark}" d="M{x(one.came_from):.1f} {top}{via} L{x(one.cylinder):.1f} {bottom}"/>'
        )
        marks.append(f'<circle class="waits" cx="{x(one.cylinder):.1f}" cy="{bottom}" r="4"/>')
        right = x(one.cylinder) > WAY_WIDTH - 60
        place = f'x="{x(one.cylinder) + (-8 if right else 8):.1f}" text-anchor="{"end" if right else "start"}"'
        marks.append(f'<text {place} y="{bottom + 4}">{one.cylinder}</text>')
    crossed = sum(_crossed(one) for one in arm.served[:reached])
    ends = (
        f'<text class="soft" x="14" y="12">0, outside</text>'
        f'<text class="soft" x="{WAY_WIDTH - 14}" y="12" text-anchor="end">inside, {last}</text>'
        f'<line x1="14" x2="{WAY_WIDTH - 14}" y1="17" y2="17" stroke="currentColor" stroke-opacity="0.3"/>'
    )
    note = f"{crossed} cylinders crossed"
    return (
        f"<h3>the arm's way <small>{note}</small></h3>"
        f'<svg viewBox="0 0 {WAY_WIDTH} {height}" width="{WAY_WIDTH}" role="img" '
        f'aria-label="order of service, {note}">{ends}{"".join(lines)}{"".join(marks)}</svg>'
    )


def _crossed(one: Served) -> int:
    if one.past < 0:
        return abs(one.cylinder - one.came_from)
    return abs(one.past - one.came_from) + abs(one.cylinder - one.past)


def _times(walk: DiskWalk, arm: Arm) -> str:
    """Seek, rotation and transfer of what was served so far; a phase that is yet to come is left open."""
    rows, sums = [], [0.0, 0.0, 0.0, 0.0]
    begun, phase = divmod(walk.position - 1, len(PHASES)) if walk.position else (-1, 0)
    for number, one in enumerate(arm.served[: begun + 1]):
        phases = arm.phase_s(one)
        known_ = len(PHASES) if number < begun else phase + 1
        for place in range(known_):
            sums[place] += phases[place]
        cells = "".join(
            f"<td>{phases[place] * 1e3:.2f}</td>" if place < known_ else "<td>…</td>" for place in (SEEK, 2, TRANSFER)
        )
        total = f"{(one.end_s - one.start_s) * 1e3:.2f}" if known_ == len(PHASES) else "…"
        now = ' class="now"' if number == begun else ""
        said = f"go to request {number + 1}, cylinder {one.cylinder}"
        press = f'type="button" data-wish="go {number * len(PHASES) + 1}" aria-label="{said}"'
        rows.append(f"<tr{now}><th><button {press}>{one.cylinder}</button></th>{cells}<td>{total}</td></tr>")
    cells = "".join(f"<td>{sums[place] * 1e3:.2f}</td>" for place in (SEEK, 2, TRANSFER))
    heads = "".join(f"<th>{name}</th>" for name in ("cylinder", "seek", "rotation", "transfer", "in all"))
    return (
        f"<h3>{arm.title}: times <small>ms; press a cylinder to go there</small></h3>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
        f"<tfoot><tr><th>sum</th>{cells}<td>{sum(sums) * 1e3:.2f}</td></tr></tfoot></table>"
    )


def _key(walk: DiskWalk) -> str:
    turn = format_seconds(walk.disk.turn_s)
    command_s = walk.arm.served[0].overhead_s
    command = f"“In all” holds the command's overhead too, {format_seconds(command_s)} each. " if command_s else ""
    return (
        '<p class="walk-key walk-more">Filled: waits. Orange: served now. Hollow: done. The platter turns to the left '
        f"once in {turn}; the head stands on the right. {command}"
        "A head switch counts to the seek. All requests are in the queue from the start.</p>"
    )
