"""A join's requests as SVG: across, one after the other; down, the pages of the device; below, what memory holds."""

import html

from pagecost.answers.join_runs import DIGEST
from pagecost.devices import title_of
from pagecost.units import format_seconds
from pagecost_app.walks.asking import question_picture
from pagecost_app.walks.join_code import code_of
from pagecost_app.walks.join_walk import DISK, DRIVE, JoinWalk, Memory, Region
from pagecost_app.walks.lines import code_picture
from pagecost_app.walks.look import CSS

WIDTH, LEFT, RIGHT, TOP = 720, 146, 8, 28  # pixels
TALLEST, CELL, GAP = 380, 7.0, 8  # of all pages, of one page at most, and between R, S and what is intermediate
LEAST_LABELLED = 13  # pixels from name to name
BAR = 26
PHASES = {"scan": "tables are read", "merge": "runs are merged", "join": "joining", "fetch": "rows are fetched"}

JOIN_CSS = (
    CSS
    + """
.walk.join svg { display: block; max-width: 100%; height: auto; }
.walk.join text { font-size: 13px; fill: var(--w-ink); }
.walk.join text.soft { fill: var(--w-muted); }
.walk.join .band { fill: var(--w-panel); }
.walk.join .band.other { fill: none; stroke: var(--w-faint); stroke-width: 0.6; }
.walk.join .r { fill: #0072B2; }
.walk.join .w { fill: #D55E00; }
.walk.join .ahead { opacity: 0.2; }
.walk.join .asking .ahead { visibility: hidden; }
.walk.join .here { stroke: var(--w-ink); stroke-width: 1.2; stroke-dasharray: 3 3; }
.walk.join .edge { stroke: var(--w-muted); stroke-width: 1; }
.walk.join .held { fill: var(--w-panel); stroke: #0072B2; stroke-width: 2; }
.walk.join .held.none { fill: none; stroke: var(--w-muted); stroke-width: 1; stroke-dasharray: 4 3; }
.walk.join .then .held { stroke: var(--w-faint); stroke-width: 1; }
.walk.join .key { display: inline-block; width: 11px; height: 11px; margin: 0 4px 0 12px; vertical-align: -1px; }
"""
)


def join_title(walk: JoinWalk) -> str:
    """What is walked through, in one line."""
    return (
        f"{walk.method}: R has {walk.outer.pages} pages, S {walk.inner.pages}, memory {walk.load.memory_pages}; after "
        f"{walk.position} of {walk.size} requests"
    )


def join_sentence(walk: JoinWalk) -> str:
    """What the last request was; at the end what all of them came to."""
    read, written, runs = walk.counts()
    if walk.position == walk.size:
        times = " and ".join(f"{format_seconds(walk.spent_s[name][-1])} {where}" for name, where in WHERE.items())
        return (
            f"Done: {read} pages read, {written} written, {runs} times to another place; {walk.results} pairs of rows. "
            f"That takes {times}."
        )
    if not walk.position:
        return f"Nothing was read yet. {walk.size} requests are to come."
    at = walk.position - 1
    count, place = int(walk.requests.pages[at]), walk.region_of(at)
    first = int(walk.requests.page[at]) - place.first + 1
    where = f"page {first}" if count == 1 else f"pages {first} to {first + count - 1}"
    moved = "at another place" if walk.new_run[at] else "where the last request ended"
    return f"{PHASES[walk.phases[at]].capitalize()}: {where} of {_said(place)} {_did(walk, at, count)}, {moved}."


WHERE = {DISK: "on a disk", DRIVE: "on an SSD"}


def _said(place: Region) -> str:
    return place.name if place.name in ("R", "S") else f"“{place.name}”"


def _did(walk: JoinWalk, at: int, count: int) -> str:
    return ("is " if count == 1 else "are ") + ("read" if walk.is_read[at] else "written")


def join_picture(walk: JoinWalk) -> str:
    """The walk as HTML, without its style sheet."""
    return (
        f'<div class="walk join">{question_picture(walk)}<div class="walk-two"><div class="main">'
        f"{_counts(walk)}{_requests(walk)}<h3>what memory holds <small>{walk.load.memory_pages} pages</small></h3>"
        f'{_memory(walk)}</div><div class="side">{code_picture(walk.method, code_of(walk.method), walk.facts())}'
        f"{_times(walk)}</div></div>{_key(walk)}</div>"
    )


def _counts(walk: JoinWalk) -> str:
    names = ("pages read", "pages written", "times to another place")
    told = "".join(f"<span><b>{count}</b> {name}</span>" for count, name in zip(walk.counts(), names, strict=True))
    return f'<p class="walk-counts">{told}</p>'


def _requests(walk: JoinWalk) -> str:
    """Each request as a box: its pages down, its turn across."""
    groups = [[walk.tables[0]], [walk.tables[1]], *([list(walk.work)] if walk.work else [])]
    pages = sum(region.pages for group in groups for region in group)
    cell = min(CELL, TALLEST / pages)
    tops, bands, y, named = {}, [], float(TOP), 0.0
    for group in groups:
        for number, region in enumerate(group):
            tops[region], high = y, region.pages * cell
            middle = y + high / 2 + 4
            has_room = middle - named >= LEAST_LABELLED
            named = middle if has_room else named
            bands.append(_band(region, y, high, number, middle if has_room else None))
            y += high
        y += GAP
    bottom, step = y - GAP, (WIDTH - LEFT - RIGHT) / walk.size
    width = max(step * 0.86, 1.4)
    boxes = []
    for at in range(walk.size):
        region = walk.region_of(at)
        top = tops[region] + (int(walk.requests.page[at]) - region.first) * cell
        high = max(int(walk.requests.pages[at]) * cell, 1.6)
        look = ("r" if walk.is_read[at] else "w") + ("" if at < walk.position else " ahead")
        boxes.append(
            f'<rect class="{look}" x="{LEFT + at * step:.1f}" y="{top:.1f}" width="{width:.1f}" height="{high:.1f}"/>'
        )
    here = LEFT + walk.position * step
    asking = ' class="asking"' if walk.asking else ""
    words = html.escape(f"{walk.size} requests of a {walk.method} over the pages of the device, {walk.position} done")
    guide = f'<path class="here" d="M{here:.1f} {TOP - 4}V{bottom + 4:.1f}"/>' if 0 < walk.position < walk.size else ""
    return (
        f'<svg viewBox="0 0 {WIDTH} {bottom + 20:.0f}" width="{WIDTH}" role="img" aria-label="{words}">{"".join(bands)}'
        f"<g{asking}>{_phase_names(walk, step, bottom)}{''.join(boxes)}</g>{guide}"
        f'<text class="soft" x="{LEFT}" y="{bottom + 15:.1f}">request 1</text><text class="soft" x="{WIDTH - RIGHT}" '
        f'y="{bottom + 15:.1f}" text-anchor="end">{walk.size}</text></svg>'
    )


def _band(region: Region, top: float, high: float, number: int, named: float | None) -> str:
    """The pages of a region. named: where its name stands, None without room for it."""
    shade = "band other" if number % 2 else "band"
    band = f'<rect class="{shade}" x="{LEFT}" y="{top:.1f}" width="{WIDTH - LEFT - RIGHT}" height="{high:.1f}"/>'
    if named is None:
        return band
    plural = f", {region.pages} pages" if region.name in ("R", "S") else ""
    return f'{band}<text x="{LEFT - 8}" y="{named:.1f}" text-anchor="end">{html.escape(region.name + plural)}</text>'


def _phase_names(walk: JoinWalk, step: float, bottom: float) -> str:
    """The name of each phase over its requests, a line where it begins."""
    begins = [at for at in range(walk.size) if at == 0 or walk.phases[at] != walk.phases[at - 1]]
    if len(begins) == 1:
        return ""
    parts = []
    for begin, end in zip(begins, [*begins[1:], walk.size], strict=True):
        x, ahead = LEFT + begin * step, " ahead" if begin >= walk.position and walk.asking else ""
        name = PHASES[walk.phases[begin]]
        if begin:
            parts.append(f'<path class="edge{ahead}" d="M{x - step * 0.07:.1f} {TOP - 16}V{bottom:.1f}"/>')
        if (end - begin) * step > 6.6 * len(name):
            parts.append(f'<text class="soft{ahead}" x="{x + 4:.1f}" y="{TOP - 8}">{name}</text>')
    return "".join(parts)


def _memory(walk: JoinWalk) -> str:
    """A bar for each phase, the phase of the last request in front."""
    now = walk.phases[walk.position - 1] if walk.position else walk.phases[0]
    there = [each for each in walk.memory if each.phase in walk.phases or len(walk.memory) == 1]
    whole = walk.load.memory_pages
    rows = "".join(_bar(each, whole, BAR * 1.5 * number, each.phase == now) for number, each in enumerate(there))
    words = "; ".join(f"{each.title}: " + ", ".join(f"{what} {pages}" for what, pages in each.parts) for each in there)
    return (
        f'<svg viewBox="0 0 {WIDTH} {BAR * 1.5 * len(there):.0f}" width="{WIDTH}" role="img" '
        f'aria-label="{html.escape(words)}">{rows}</svg>'
    )


def _bar(memory: Memory, whole: int, top: float, is_now: bool) -> str:
    """Memory as a bar of so many pages in all; what nobody uses is dashed."""
    parts, x = [], float(LEFT)
    free = whole - sum(pages for _, pages in memory.parts)
    for what, pages in (*memory.parts, ("free", free)):
        if not pages:
            continue
        wide = (WIDTH - LEFT - RIGHT) * pages / whole
        text = f"{what}: {pages}"
        look = "held none" if what == "free" else "held"
        shown = text if wide > 7.2 * len(text) else str(pages)
        parts.append(
            f'<g><title>{html.escape(text)}</title><rect class="{look}" x="{x + 1:.1f}" y="{top + 2:.1f}" '
            f'width="{max(wide - 2, 1):.1f}" height="{BAR - 2}" rx="3"/><text x="{x + wide / 2:.1f}" '
            f'y="{top + 19:.1f}" text-anchor="middle">{html.escape(shown)}</text></g>'
        )
        x += wide
    name = f'<text x="{LEFT - 8}" y="{top + 19:.1f}" text-anchor="end">{memory.title}</text>'
    return f'<g class="{"now" if is_now else "then"}">{name}{"".join(parts)}</g>'


def _times(walk: JoinWalk) -> str:
    rows = "".join(
        f"<tr><th>{html.escape(title_of(name))}</th><td>{format_seconds(spent[walk.position])}</td>"
        f"<td>{format_seconds(spent[-1])}</td></tr>"
        for name, spent in walk.spent_s.items()
    )
    return (
        "<h3>how long that takes <small>as many outstanding as the drive is rated with</small></h3>"
        f"<table><thead><tr><td></td><th>so far</th><th>in all</th></tr></thead>{rows}</table>"
    )


def _key(walk: JoinWalk) -> str:
    small = "Pages of eight rows; a digest is a key and the place of its row." if walk.method.startswith(DIGEST) else ""
    return (
        '<p class="walk-key walk-more"><span class="key" style="background:#0072B2"></span>read'
        '<span class="key" style="background:#D55E00"></span>written. A box is a request: as high as it has pages. '
        f"Pale: still to come. {small} Each time to another place costs a disk a seek over all of it and half a turn."
        "</p>"
    )
