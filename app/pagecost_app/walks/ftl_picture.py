"""A walk through a translation layer as HTML: the blocks and what lies in them, the map, the code, and what it cost."""

import html
from collections.abc import Sequence

from pagecost.devices.ftl import LAYERS, VICTIMS, told
from pagecost.walk.prices import rates
from pagecost_app.walks.asking import question_picture
from pagecost_app.walks.ftl_code import code_of
from pagecost_app.walks.ftl_walk import (
    ENERGY_J,
    ERASES,
    HOST,
    MAP_PAGE_ENTRIES,
    MONEY_USD,
    PROGRAMMED,
    TIME_S,
    FtlWalk,
)
from pagecost_app.walks.lines import code_picture
from pagecost_app.walks.look import CSS, number
from pagecost_app.walks.stage import Place, placed

IN_A_ROW, WIDTH, CELL = 8, 76, 27  # blocks side by side, pixels from block to block, and from page to page
HEAD, FOOT, GAP = 36, 20, 10  # pixels of a block's name above its pages, of its erases below, and between rows
AROUND = 5  # requests shown before and after the current one
LONGEST_MAP = 128

FTL_CSS = (
    CSS
    + """
.walk .ftl-stage li { box-sizing: border-box; width: 64px; min-width: 64px; height: 24px; padding: 1px 2px;
  border-width: 1px; border-radius: 3px; font-size: 12px; line-height: 20px; font-variant-numeric: tabular-nums; }
.walk .ftl-stage li.live { background: #0072B2; border-color: #0072B2; color: #fff; font-weight: 600; }
.walk .ftl-stage li.map { background: #6b4c9a; border-color: #6b4c9a; color: #fff; }
.walk .ftl-stage li.dead { border: 1px dotted var(--w-muted); background: none; color: var(--w-muted);
  text-decoration: line-through; }
.walk .ftl-stage li.free { border: 1px dashed var(--w-faint); background: none; color: var(--w-muted); }
.walk .ftl-stage li.now { outline: 3px solid var(--w-ink); outline-offset: 0; }
.walk .ftl-stage .at { box-sizing: border-box; border: 2px solid transparent; border-radius: 6px; width: 72px; }
.walk .ftl-stage .at.here { border-color: #D55E00; }
.walk .ftl-stage .at b { display: block; font-size: 12px; line-height: 16px; text-align: center; }
.walk .ftl-stage .at small { display: block; font-size: 11px; line-height: 14px; text-align: center; height: 14px;
  overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.walk .ftl-stage .at small.worn { position: absolute; bottom: 0; left: 0; right: 0; }
.walk .cells { display: flex; flex-wrap: wrap; gap: 3px; font-size: 11px; line-height: 15px; }
.walk .cells span { border: 1px solid var(--w-faint); border-radius: 3px; padding: 0 4px; min-width: 30px;
  text-align: center; font-variant-numeric: tabular-nums; }
.walk .cells span.now { outline: 2px solid var(--w-ink); }
.walk .cells span b { display: block; }
"""
)
VERBS = {"w": "writes", "r": "reads", "t": "trims"}
WAYS = {
    "switch": "the log block is full and in order, so it becomes the data block (a switch merge)",
    "partial": "the log block is in order, so the rest is copied behind it (a partial merge)",
    "full": "its pages lie everywhere, so they are copied to a new block (a full merge)",
}


def ftl_title(walk: FtlWalk) -> str:
    """What is walked through, in one line."""
    layer, last = walk.values["layer"], walk.happening
    served = last.request + 1 if last else 0
    policy = f", victims by {VICTIMS[walk.values['policy'].split(':')[0]].title}" if layer == "page" else ""
    return (
        f"{LAYERS[layer].title}{policy}: request {served} of {len(walk.requests)}, "
        f"operation {walk.position} of {walk.size}"
    )


def ftl_sentence(walk: FtlWalk) -> str:
    """What the last operation was, and because of which request."""
    one = walk.happening
    if one is None:
        state = "Every page was written once, in order" if walk.values["start"] == "filled" else "All blocks are erased"
        verb, page = walk.requests[0]
        return f"{state}. The first request {VERBS[verb]} page {page}."
    because = _because(walk, one)
    place = f"page {one.place} of block {one.block}"
    pages = walk.layer.geometry.logical_pages
    if one.kind == told.REQUEST:
        return f"Request {one.request + 1}: the host {VERBS[one.what]} page {one.page}."
    if one.kind == told.HOST_READ:
        return f"It lies in {place}." if one.block >= 0 else "It holds nothing, so nothing is read."
    if one.kind == told.TRIMMED:
        return f"Its version in {_place(one.origin)} is dead now, and nothing came in its place."
    if one.kind == told.OPEN:
        return f"Block {one.block}, erased longest ago, is taken for writing{because}."
    if one.kind == told.PROGRAM:
        old = f"; the version in {_place(one.origin)} is dead now" if one.origin else ""
        return f"The host's page {one.page} is programmed in {place}{old}."
    if one.kind == told.MAP_WRITE:
        return f"Page {one.page - pages} of the map is written to {place}{because}."
    if one.kind == told.MAP_READ:
        return f"A page of the map is read{because}."
    if one.kind == told.COPY:
        what = f"Page {one.page}" if one.page < pages else f"Page {one.page - pages} of the map"
        return f"{what} is copied from {_place(one.origin)} to {place}{because}."
    if one.kind == told.FILL:
        return f"{place.capitalize()} is programmed with nothing: no page holds data there, but one behind it does."
    if one.kind == told.ERASE:
        worn = int(walk.instant.erases[one.block])
        return f"Block {one.block} is erased, for the {_ordinal(worn)} time{because}."
    return _begins(walk, one, because)


def _begins(walk: FtlWalk, one: told.Happening, because: str) -> str:
    way, _, of = one.what.partition(" ")
    if not of:
        live = f"{way} of its {walk.layer.geometry.pages_per_block} pages live" + ("" if int(way) else ", none to copy")
        return f"Room is needed: block {one.block} is collected, {live}{because}."
    if one.kind == told.COLLECT and int(of) < 0:
        what = "every logical block with a live page in it is merged"
        return f"The oldest shared log block, {one.block}, is reclaimed: {what}{because}."
    if one.kind == told.COLLECT:
        return f"Log block {one.block} of logical block {of} is merged: {WAYS[way]}{because}."
    return f"A full merge of logical block {of} begins: the newest versions of its pages move to a new block{because}."


def _because(walk: FtlWalk, one: told.Happening) -> str:
    verb, page = walk.requests[one.request]
    return f", because request {one.request + 1} {VERBS[verb]} page {page}"


def _place(place: tuple[int, int] | None) -> str:
    return f"page {place[1]} of block {place[0]}" if place else "nowhere"


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def ftl_picture(walk: FtlWalk) -> str:
    """The walk as HTML, without its style sheet."""
    layer = walk.values["layer"]
    code = code_picture(f"{LAYERS[layer].title}, as it works", code_of(layer, walk.values["policy"]), walk.facts())
    main = question_picture(walk) + _requests(walk) + _stage(walk) + _map(walk) + _key(walk)
    return (
        f'<div class="walk ftl"><div class="walk-two"><div class="main">{main}</div>'
        f'<div class="side">{code}{_account(walk)}</div></div></div>'
    )


def _requests(walk: FtlWalk) -> str:
    served = walk.happening.request + 1 if walk.happening else 0
    begins = {one.request: at + 1 for at, one in enumerate(walk.happenings) if one.kind == told.REQUEST}
    return requests_picture(walk.requests, served, begins)


def requests_picture(requests: list[tuple[str, int]], served: int, begins: dict[int, int]) -> str:
    """The requests around the last one served; begins: by the number of each from 0, the place of a walk to go to."""
    size = len(requests)
    first, last = max(1, min(served - AROUND, size - 2 * AROUND)), min(size, max(served + AROUND, 1 + 2 * AROUND))
    cells = [f'<li class="ahead"><b>…</b><small>{first - 1} before</small></li>'] if first > 1 else []
    for place in range(first, last + 1):
        verb, page = requests[place - 1]
        kind = "now" if place == served else "ahead" if place > served else ""
        current = ' aria-current="step"' if place == served else ""
        cells.append(
            f'<li class="{kind}"{current}><button type="button" data-wish="go {begins[place - 1]}" '
            f'aria-label="go to request {place}, {verb}{page}"><b>{verb}{page}</b></button></li>'
        )
    if last < size:
        cells.append(f'<li class="ahead"><b>…</b><small>{size - last} more</small></li>')
    note = "press one to go there; w writes, r reads, t trims"
    return f'<div class="walk-string"><h3>requests <small>{note}</small></h3><ol>{"".join(cells)}</ol></div>'


def _spot(walk: FtlWalk, block: int, page: int, in_a_row: int) -> Place:
    height = HEAD + walk.layer.geometry.pages_per_block * CELL + FOOT + GAP
    return 4 + block % in_a_row * WIDTH, block // in_a_row * height + HEAD + page * CELL


def _stage(walk: FtlWalk) -> str:
    last = [walk.happening] if walk.happening else []
    return f"<h3>the flash <small>⌫ erases of a block</small></h3>{flash_picture(walk, IN_A_ROW, last)}"


def flash_picture(walk: FtlWalk, in_a_row: int, last: Sequence[told.Happening]) -> str:
    """The blocks and what lies in them, so many side by side; last: what just happened, to be outlined."""
    geometry, now = walk.layer.geometry, walk.instant
    touched = {one.block for one in last}
    written = {(one.block, one.place) for one in last}
    rows = -(-geometry.blocks // in_a_row)
    height = rows * (HEAD + geometry.pages_per_block * CELL + FOOT + GAP)
    boxes = []
    for block in range(geometry.blocks):
        live = int(now.alive[block].sum())
        left, top = _spot(walk, block, 0, in_a_row)
        here = " here" if block in touched else ""
        worn = int(now.erases[block])
        role = now.roles[block].replace("sequential", "seq.")
        frame = f"left:{left - 4:g}px;top:{top - HEAD:g}px;height:{HEAD + geometry.pages_per_block * CELL + FOOT - 2}px"
        boxes.append(
            f'<div class="at{here}" style="{frame}"><b>block {block}</b><small title="{role}">{role}</small>'
            f'<small class="worn">{live} live, ⌫ {worn}</small></div>'
        )
        cells = "".join(
            _cell(walk, block, page, in_a_row, (block, page) in written) for page in range(geometry.pages_per_block)
        )
        boxes.append(f'<ol aria-label="block {block}, {role}, erased {worn} times">{cells}</ol>')
    return f'<div class="walk-stage ftl-stage" style="height:{height}px">{"".join(boxes)}</div>'


def _cell(walk: FtlWalk, block: int, page: int, in_a_row: int, written: bool) -> str:
    now, one, pages = walk.instant, walk.happening, walk.layer.geometry.logical_pages
    held, alive = int(now.holds[block, page]), bool(now.alive[block, page])
    spot, before, kinds = _spot(walk, block, page, in_a_row), None, []
    if held == told.FREE:
        name, kind = "–", "free"
    elif held == told.FILLER:
        name, kind = "no data", "dead"
    else:
        name = str(held) if held < pages else f"map {held - pages}"
        kind = ("live" if held < pages else "live map") if alive else "dead"
    if written:
        kinds.append("now")
    if one and (one.block, one.place) == (block, page) and walk.stepped:
        if one.kind == told.COPY and one.origin:
            before = _spot(walk, *one.origin, in_a_row)
            kinds.append("moved")
        elif one.kind in (told.PROGRAM, told.MAP_WRITE, told.FILL):
            kinds.append("came")
    said = "free" if kind == "free" else f"page {name}, {'live' if alive else 'dead'}"
    return f'<li class="{" ".join([kind, *kinds])}" style="{placed(spot, before)}" aria-label="{said}">{name}</li>'


def _map(walk: FtlWalk) -> str:
    """The map as the layer has it: of every page, of logical blocks, or the entries in the cache."""
    now, geometry, one = walk.instant, walk.layer.geometry, walk.happening
    where = {
        int(page): divmod(at, geometry.pages_per_block)
        for at, page in enumerate(now.holds.ravel())
        if now.alive.ravel()[at]
    }
    parts = []
    if walk.values["layer"] in ("page", "dftl"):
        cells = []
        for page in range(min(geometry.logical_pages, LONGEST_MAP)):
            place = ".".join(map(str, where[page])) if page in where else "–"
            mark = ' class="now"' if one and one.page == page else ""
            cells.append(f"<span{mark}><b>{page}</b>{place}</span>")
        parts.append(f'<h3>the map <small>page → block.page</small></h3><div class="cells">{"".join(cells)}</div>')
    else:
        cells = []
        for logical in range(geometry.logical_blocks):
            data, logs = _blocks_of(now.roles, logical)
            mark = (
                ' class="now"'
                if one and 0 <= one.page < 10**9 and one.page // geometry.pages_per_block == logical
                else ""
            )
            log = f" + log {logs}" if logs else ""
            cells.append(f"<span{mark}><b>{logical}</b>{data}{log}</span>")
        note = f"logical block, {geometry.pages_per_block} pages each → data block"
        parts.append(f'<h3>the map <small>{note}</small></h3><div class="cells">{"".join(cells)}</div>')
    if now.cached is not None:
        cells = [f"<span><b>{page}</b>{'dirty' if dirty else 'clean'}</span>" for page, dirty in now.cached]
        note = f"last used first; a page of the map holds {MAP_PAGE_ENTRIES} entries"
        parts.append(
            f'<h3>cached entries <small>{note}</small></h3><div class="cells">{"".join(cells) or "none"}</div>'
        )
    return "".join(parts)


def _blocks_of(roles: tuple[str, ...], logical: int) -> tuple[str, str]:
    data = [str(block) for block, role in enumerate(roles) if role == f"data {logical}"]
    logs = [str(block) for block, role in enumerate(roles) if role.endswith(f"log of {logical}")]
    return ", ".join(data) or "–", ", ".join(logs)


def _account(walk: FtlWalk) -> str:
    at = walk.position
    begin = next((n for n in range(at - 1, -1, -1) if walk.happenings[n].kind == told.REQUEST), 0)
    parts = {
        "this step": walk.spent[at] - walk.spent[max(at - 1, 0)],
        "this request": walk.spent[at] - walk.spent[begin],
        "so far": walk.spent[at],
    }
    rows = {
        "pages of the host": lambda row: f"{row[HOST]:.0f}",
        "pages programmed": lambda row: f"{row[PROGRAMMED]:.0f}",
        "write amplification": lambda row: f"{row[PROGRAMMED] / row[HOST]:.3g}" if row[HOST] else "–",
        "blocks erased": lambda row: f"{row[ERASES]:.0f}",
        "time, µs": lambda row: number(row[TIME_S] * 1e6),
        "energy, µJ": lambda row: number(row[ENERGY_J] * 1e6),
        "money, 10⁻¹² $": lambda row: number(row[MONEY_USD] * 1e12),
    }
    head = "".join(f"<th>{name}</th>" for name in parts)
    body = "".join(
        f"<tr><th>{name}</th>" + "".join(f"<td>{told_(row)}</td>" for row in parts.values()) + "</tr>"
        for name, told_ in rows.items()
    )
    most, least = int(walk.instant.erases.max()), int(walk.instant.erases.min())
    wear = f"Wear: {most} erases of the most worn block, {least} of the least worn."
    return (
        f"<h3>what it costs</h3><table><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"
        f'<p class="walk-more">{wear}</p>'
    )


def _key(walk: FtlWalk) -> str:
    return (
        '<p class="walk-key walk-more">Filled: live, with its logical page. Struck through: dead, or filled up with no '
        "data. Dashed: erased. Outlined: just written. "
        f"{html.escape(rates().erase_said)} {html.escape(rates().energy_said)}</p>"
    )
