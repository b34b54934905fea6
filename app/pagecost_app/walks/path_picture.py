"""A walk through the path as HTML: every list, page, map and queue as the models hold it, and what each layer costs.

The same picture in app and notebook. Nothing is told by colour alone; colours come from the page around. What can be
pressed carries data-event, the position to go to, or data-wish (see the faces' scripts).
"""

import html
import math

import numpy as np

from pagecost.buffer.policies import title_of
from pagecost.devices.ftl.page_map_kernels import CLOSED, FREE, FREE_BLOCKS, LEAVING, OPEN
from pagecost.filesystem import state_kernels as fs_kernels
from pagecost.units import grouped
from pagecost.walk import LAYERS, Walker, events
from pagecost.walk.arm import GROUP_BLOCKS, disk
from pagecost.walk.flash import BLOCK_PAGES, DIES
from pagecost.walk.memory import APPENDED, FLUSHED, WAITING
from pagecost.walk.prices import rates
from pagecost.walk.setup import SEGMENT_BLOCKS
from pagecost_app.walks.asking import question_picture
from pagecost_app.walks.lines import code_picture
from pagecost_app.walks.look import CSS, DIRTY_MARK
from pagecost_app.walks.path_code import code_of, facts_of
from pagecost_app.walks.path_walk import ERASES, PathWalk
from pagecost_app.walks.path_words import because, page_name, transaction_name, why_sentence

AROUND = 6  # references shown before and after the current one
LATEST = 6  # erases that are offered
BLUE, ORANGE = "#0072B2", "#A84300"

PATH_CSS = (
    CSS
    + """
.path { display: flex; flex-wrap: wrap; gap: 4px 22px; align-items: flex-start; }
.path section { min-width: 0; padding: 2px 8px 8px; border-left: 4px solid transparent; }
.path-asked { flex: 1 1 100%; }
.path-main { flex: 3 1 500px; min-width: 0; }
.path-side { flex: 1 1 290px; min-width: 0; }
.path section.here { border-left-color: var(--w-ink); background: var(--w-panel); border-radius: 0 6px 6px 0;
  --w-muted: var(--w-ink); }
.path-main { grid-column: 1; }
.path-side { grid-column: 2; grid-row: 1 / span 9; }
.path h3 { margin: 6px 0 4px; font-size: 1em; }
.path h3 b { font-weight: 600; }
.walk.path li { min-width: 40px; padding: 2px 5px; }
.walk.path li b { font-size: 13px; }
.path li small { min-height: 0; line-height: 13px; }
.path .cells { display: grid; gap: 2px; font-size: 11px; line-height: 17px; font-variant-numeric: tabular-nums; }
.path .cells i { font-style: normal; text-align: center; border: 1px solid var(--w-faint); border-radius: 2px;
  overflow: hidden; white-space: nowrap; min-width: 0; min-height: 17px; }
.path .cells i.page { background: #0072B2; border-color: #0072B2; color: #fff; }
.path .cells i.log { background: #6b4c9a; border-color: #6b4c9a; color: #fff; }
.path .cells i.own { background: #A84300; border-color: #A84300; color: #fff; }
.path .cells i.dead { color: var(--w-muted); text-decoration: line-through; border-style: dotted; }
.path .cells i.free { border-style: dashed; color: var(--w-muted); }
.path .cells i.now { outline: 3px solid var(--w-ink); outline-offset: 0; position: relative; }
.path .rows { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 8px; align-items: center;
  font-size: 11px; color: var(--w-muted); }
.path .dies { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(230px, 100%), 1fr)); gap: 4px 18px; }
.path table { border-collapse: collapse; width: 100%; font-size: 12px; font-variant-numeric: tabular-nums; }
.path th { font-weight: 600; text-align: left; }
.path td, .path thead th + th { text-align: right; padding: 1px 0 1px 8px; white-space: nowrap; }
.path tr.here th, .path tr.here td { background: var(--w-panel); }
.path tfoot th, .path tfoot td { border-top: 1px solid var(--w-muted); font-weight: 600; }
.path button { font: inherit; font-size: 12px; color: var(--w-ink); background: var(--w-panel); cursor: pointer;
  border: 1px solid var(--w-muted); border-radius: 4px; padding: 1px 7px; margin: 0 4px 4px 0; text-align: left; }
.path button:focus-visible { outline: 3px solid #0072B2; outline-offset: 1px; }
.path ol.why { gap: 2px 0; margin: 4px 0 0; }
.path ol.why li { border: 0; background: none; padding: 0; text-align: left; display: flex; align-items: baseline; }
.path ol.why li + li::before { content: "←"; color: var(--w-muted); margin-right: 4px; }
.path p { margin: 4px 0; font-size: 13px; }
.path svg { max-width: 230px; display: block; }
"""
)


def path_picture(walk: PathWalk, why: bool = False) -> str:
    """The walk as HTML, without its style sheet. why: with the chain of causes of the last event."""
    event = walk.walker.event
    here = events.PLACE_OF[event.kind] if event else ""
    asked = _why(walk) if why else ""
    main = [
        _section("", "references", "what the transactions refer to", _references(walk)),
        _section("buffer" * (here == "buffer"), "buffer", _buffer_note(walk.walker), _buffer(walk, walk.walker)),
        _beside(walk),
        _section("log" * (here == "log"), "log", _log_note(walk), _log(walk)),
        _section("cache" * (here == "page cache"), "page cache", "newest first", _cache(walk)),
        _section("fs" * (here == "file system"), "file system", _volume_note(walk), _volume(walk)),
        _section("device" * (here == "device"), "device", _device_note(walk), _device(walk)),
    ]
    code = code_picture("every layer, as it works", code_of(walk.setup), facts_of(event))
    side = f'<div class="path-side">{_account(walk)}{code}{_erases(walk)}{_key(walk)}</div>'
    first = f'<div class="path-asked">{question}</div>' if (question := question_picture(walk)) else ""
    return f'<div class="walk path">{first}{asked}<div class="path-main">{"".join(main)}</div>{side}</div>'


def _section(here: str, name: str, note: str, inside: str) -> str:
    mark = ' class="here"' if here else ""
    return f"<section{mark}><h3>{html.escape(name)} <small>{html.escape(note)}</small></h3>{inside}</section>"


def _number(page: int, pages: int) -> str:
    return str(page) if page < pages else f"L{page - pages}"


# memory --------------------------------------------------------------------------------------------------------------


def _references(walk: PathWalk) -> str:
    load, system = walk.walker.load, walk.walker.system
    at, size = int(system.at[0]), load.page.size
    first, last = max(1, min(at - AROUND, size - 2 * AROUND)), min(size, max(at + AROUND, 1 + 2 * AROUND))
    cells = []
    for position in range(first, last + 1):
        page, write = int(load.page[position - 1]), bool(load.write[position - 1])
        now = ' class="now" aria-current="step"' if position == at else ""
        begins = position == 1 or load.transaction[position - 1] != load.transaction[position - 2]
        number = f"T{int(load.transaction[position - 1]) + 1}" if begins or position == first else ""
        name = html.escape(load.names[page])
        cells.append(f'<li{now} title="{name}"><b>{page}{"w" if write else "r"}</b><small>{number}</small></li>')
    return f'<div class="walk-string" style="min-height:0"><ol>{"".join(cells)}</ol></div>'


def _box(walk: PathWalk, page: int, kinds: str, mark: str, dirty: bool) -> str:
    sign = f' <span role="img" aria-label="dirty">{DIRTY_MARK}</span>' if dirty else ""
    name = html.escape(page_name(walk.walker, page))
    return f'<li class="{kinds}" title="{name}"><b>{page}{sign}</b><small>{html.escape(mark)}</small></li>'


def _page_now(walk: PathWalk) -> int:
    event = walk.walker.event
    if event is None or not events.REFERENCE <= event.kind <= events.FS_TAKE:
        return -1
    return -1 if event.kind in (events.COMMIT, events.LOG_FLUSH, events.FS_READ) else event.number


def _buffer_note(walker: Walker) -> str:
    hits, written = walker.system.buffer.counts()
    done = int(walker.system.at[0])
    setup = walker.setup
    return f"{setup.frames} frames, {setup.policy}: {hits} of {done} references hit, {written} pages written"


def _buffer(walk: PathWalk, walker: Walker) -> str:
    """The buffer of the walk or of the one beside it; ≠ marks a page that only one of them has."""
    made, dirty = walker.system.buffer.picture()
    other = walk.other if walker is walk.walker else walk.walker
    common = dirty if other is None else other.system.buffer.picture()[1]
    now, parts = _page_now(walk), []
    for name, entries in made.lists.items():
        cells = [
            _box(
                walk,
                page,
                f"{'dirty ' * dirty[page]}{'now' * (page == now)}",
                mark if page in common else f"{mark} ≠".strip(),
                dirty[page],
            )
            for page, mark in entries
        ]
        if len(made.lists) == 1:
            cells += ['<li class="free"><b>–</b><small></small></li>'] * (walker.setup.frames - len(dirty))
        heading = f"<h3><small>{html.escape(name)}</small></h3>" if len(made.lists) > 1 else ""
        parts.append(f"{heading}<ol>{''.join(cells)}</ol>")
    for name, pages in made.ghosts.items():
        cells = [_box(walk, page, "ghost", "", False) for page in pages]
        parts.append(f"<h3><small>{html.escape(name)}, ids only</small></h3><ol>{''.join(cells)}</ol>")
    return "".join(parts)


def _beside(walk: PathWalk) -> str:
    """The buffer of the policy beside, after all of this reference."""
    if walk.other is None:
        return ""
    name = f"beside it: {title_of(walk.beside)}"
    note = '<p class="walk-more">It has done all of this reference. ≠: a page that only one of the two holds.</p>'
    return _section("", name, _buffer_note(walk.other), _buffer(walk, walk.other) + note)


def _log_note(walk: PathWalk) -> str:
    log = walk.walker.system.log
    appended, flushed, waiting = (int(log.at[place]) for place in (APPENDED, FLUSHED, WAITING))
    return (
        f"{grouped(appended)} bytes appended, {grouped(flushed)} of them on the device; {waiting} of {log.group} "
        "commits wait for a flush"
    )


def _log(walk: PathWalk) -> str:
    log = walk.walker.system.log
    waits = int(log.at[APPENDED] - log.at[FLUSHED])
    records = waits // log.record_bytes
    shown = min(records, 24)
    cells = "".join(f'<i class="log" title="{log.record_bytes} bytes">{log.record_bytes}</i>' for _ in range(shown))
    more = f"<i>+{records - shown}</i>" if records > shown else ""
    empty = '<span class="walk-more">nothing waits</span>'
    return f'<div class="cells" style="grid-template-columns:repeat(12,1fr)">{cells}{more}</div>' if records else empty


def _cache(walk: PathWalk) -> str:
    now = _page_now(walk)
    entries = walk.walker.system.cache.pages()
    cells = [
        _box(walk, page, f"{'dirty ' * dirty}{'ghost ' * fresh}{'now' * (page == now)}", "ahead" * fresh, dirty)
        for page, dirty, fresh in entries
    ]
    cells += ['<li class="free"><b>–</b><small></small></li>'] * (walk.setup.page_cache_pages - len(entries))
    return f"<ol>{''.join(cells)}</ol>"


# file system and device ----------------------------------------------------------------------------------------------


def _volume_note(walk: PathWalk) -> str:
    fs = walk.walker.system.volume.fs
    if walk.setup.file_system == "in place":
        return f"in place: {walk.walker.system.blocks} blocks, {int(fs.at[fs_kernels.DIRTY])} changed nodes in memory"
    return (
        f"{walk.setup.file_system}: a row is a segment, {int(fs.at[fs_kernels.CLEAN])} clean; "
        f"{int(fs.at[fs_kernels.PENDING])} pages wait to be written"
    )


SIGNS = {"metadata": "m", "summary": "s", "free": ""}


def _volume(walk: PathWalk) -> str:
    system = walk.walker.system
    pages, event = system.pages, walk.walker.event
    asked: range = range(0)
    if event and event.kind in (events.FS_READ, events.FS_WRITE, events.FS_TRIM):
        asked = range(event.number, event.number + event.place // 16)
    elif event and event.kind in (events.FLASH_READ, events.FLASH_PROGRAM, events.FLASH_COPY, events.FLASH_TRIM):
        asked = range(event.number, event.number + 1)
    elif event and event.kind in (events.ARM_READ, events.ARM_WRITE):
        asked = range(event.number, event.number + event.place)
    rows = []
    for first in range(0, system.blocks, SEGMENT_BLOCKS):
        cells = []
        for block in range(first, min(first + SEGMENT_BLOCKS, system.blocks)):
            kind, number = system.content_of(block)
            text = SIGNS.get(kind, _number(number, pages) if kind == "page" else "×")
            look = kind if kind in ("free", "dead") else "own"
            if kind == "page":
                look = "page" if number < pages else "log"
            title = page_name(walk.walker, number) if kind == "page" else kind
            now = " now" * (block in asked)
            cells.append(f'<i class="{look}{now}" title="block {block}: {html.escape(title)}">{text}</i>')
        row = f'<div class="cells" style="grid-template-columns:repeat({SEGMENT_BLOCKS},1fr)">{"".join(cells)}</div>'
        rows.append(f"<span>{first}</span>{row}")
    return f'<div class="rows">{"".join(rows)}</div>{_waiting(walk)}'


def _waiting(walk: PathWalk) -> str:
    """The pages that a log was handed and has not written yet."""
    fs = walk.walker.system.volume.fs
    waits = np.flatnonzero(fs.page[fs_kernels.WAITS]).tolist()
    if not waits:
        return ""
    cells = "".join(f'<li class="dirty"><b>{_number(page, walk.walker.system.pages)}</b></li>' for page in waits)
    return f"<h3><small>handed over, not yet written</small></h3><ol>{cells}</ol>"


def _device_note(walk: PathWalk) -> str:
    if walk.setup.device == "flash":
        return f"{DIES} dies with a page map each; a row is an erase block of {BLOCK_PAGES} pages that hold blocks"
    return f"the volume in groups of {GROUP_BLOCKS} blocks, spread over {grouped(disk().geometry.cylinders)} cylinders"


def _device(walk: PathWalk) -> str:
    if walk.setup.device == "disk":
        return _platter(walk)
    return f'<div class="dies">{"".join(_die(walk, number) for number in range(DIES))}</div>'


STATUS = {int(FREE): "erased", int(OPEN): "open", int(CLOSED): "", int(LEAVING): "leaves"}


def _die(walk: PathWalk, number: int) -> str:
    flash, event = walk.walker.system.flash, walk.walker.event
    assert flash is not None
    die = flash.dies[number]
    written, (_, owner) = die.written_pages(), die.whereabouts()
    owner = owner.reshape(-1, BLOCK_PAGES)
    place, whole = (-1, -1), -1
    if event and event.kind in (events.FLASH_READ, events.FLASH_PROGRAM, events.FLASH_COPY):
        at, on = divmod(event.place, DIES)
        place = flash.place_name(at) if on == number else place
    elif event and event.kind in (events.FLASH_OPEN, events.FLASH_COLLECT, events.FLASH_ERASE):
        whole = event.number if event.place == number else -1
    rows = []
    for block, worn in enumerate(die.flash.erases.tolist()):
        cells = []
        for page in range(BLOCK_PAGES):
            held = int(owner[block, page])
            look = "page" if held >= 0 else "dead" if page < written[block] else "free"
            text = str(held * DIES + number) if held >= 0 else "×" if look == "dead" else ""
            now = " now" * ((block, page) == place or block == whole)
            cells.append(f'<i class="{look}{now}">{text}</i>')
        status = STATUS[int(die.flash.status[block])]
        erases = f"{worn} erase{'s' * (worn != 1)}"
        said = f"{block}: {erases}" + f", {status}" * bool(status)
        row = f'<div class="cells" style="grid-template-columns:repeat({BLOCK_PAGES},1fr)">{"".join(cells)}</div>'
        rows.append(f"<span>{said}</span>{row}")
    busy = f"{flash.busy_s[number] * 1e3:.1f} ms at work"
    free = int(die.flash.scalars[FREE_BLOCKS])
    return (
        f"<div><h3><small>die {number}: {busy}, {free} blocks erased and not open</small></h3>"
        f'<div class="rows">{"".join(rows)}</div></div>'
    )


def _platter(walk: PathWalk) -> str:
    arm, geometry = walk.walker.system.arm, disk().geometry
    assert arm is not None
    share = arm.cylinder / geometry.cylinders
    radius, turned = 95 - 60 * share, 2 * math.pi * arm.angle
    groups = []
    for first in range(0, walk.walker.system.blocks, GROUP_BLOCKS):
        at = 95 - 60 * geometry.cylinder_of(arm.sector_of(first)) / geometry.cylinders
        groups.append(f'<circle cx="100" cy="100" r="{at:.1f}" fill="none" stroke="var(--w-faint)"/>')
    x, y = 100 + 95 * math.sin(turned), 100 - 95 * math.cos(turned)
    terms = ", ".join(
        f"{name} {time_s * 1e3:.2f} ms"
        for name, time_s in zip(("overhead", "seek", "rotation", "switch", "transfer"), arm.terms.tolist(), strict=True)
        if time_s > 0
    )
    words = f"the arm stands over cylinder {grouped(arm.cylinder)}, the platters have turned {arm.angle:.2f} of a turn"
    return (
        f'<svg viewBox="0 0 230 200" role="img" aria-label="{words}"><circle cx="100" cy="100" r="98" '
        f'fill="var(--w-panel)" stroke="var(--w-muted)"/>{"".join(groups)}'
        f'<circle cx="100" cy="100" r="14" fill="var(--w-muted)"/>'
        f'<line x1="100" y1="100" x2="{x:.1f}" y2="{y:.1f}" stroke="var(--w-muted)" stroke-dasharray="3 3"/>'
        f'<line x1="225" y1="100" x2="{100 + radius:.1f}" y2="100" stroke="{ORANGE}" stroke-width="5"/>'
        f'<circle cx="{100 + radius:.1f}" cy="100" r="6" fill="{ORANGE}"/></svg>'
        f"<p>{words[0].upper()}{words[1:]}.{f' The last request: {terms}.' if terms else ''}</p>"
    )


# beside --------------------------------------------------------------------------------------------------------------


def _account(walk: PathWalk) -> str:
    account, event = walk.walker.system.account, walk.walker.event
    paid = event.layer if event else -1
    rows = []
    for number, name in enumerate(LAYERS):
        here = ' class="here"' if number == paid else ""
        rows.append(f"<tr{here}><th>{name}</th>{_costs(account[number])}</tr>")
    own = f"all, {title_of(walk.setup.policy)}" if walk.other else "all"
    sums = [f"<tr><th>{html.escape(own)}</th>{_costs(account.sum(axis=0))}</tr>"]
    if walk.other:
        beside = f"all, {title_of(walk.beside)}, after this reference"
        sums.append(f"<tr><th>{html.escape(beside)}</th>{_costs(walk.other.system.account.sum(axis=0))}</tr>")
    return (
        "<section><h3>what it cost so far <small>operations of the device, by the layer that asked</small></h3><table>"
        "<thead><tr><td></td><th>ops</th><th>µs</th><th>µJ</th><th>10⁻¹² $</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody><tfoot>{''.join(sums)}</tfoot></table></section>"
    )


def _costs(row: np.ndarray) -> str:
    time_s, energy_j, usd, operations = row.tolist()
    told = (
        grouped(operations),
        grouped(time_s * 1e6),
        grouped(energy_j * 1e6),
        grouped(usd * 1e12),
    )
    return "".join(f"<td>{each}</td>" for each in told)


def _erases(walk: PathWalk) -> str:
    if walk.setup.device != "flash":
        return ""
    record = walk.walker.system.events
    found = [number for number in range(walk.position) if record[number].kind in ERASES][-LATEST:]
    buttons = "".join(
        f'<button type="button" data-event="{number + 1}">block {record[number].number} of die {record[number].place}, '
        f"event {number + 1}</button>"
        for number in reversed(found)
    )
    none = '<span class="walk-more">none yet</span>'
    return f"<section><h3>who caused this erase? <small>press one of the latest</small></h3>{buttons or none}</section>"


def _why(walk: PathWalk) -> str:
    walker = walk.walker
    chain = because(walker, walk.position - 1) if walk.position else []
    steps = "".join(
        f'<li><button type="button" data-event="{number + 1}">{html.escape(clause)} <small>event {number + 1}</small>'
        "</button></li>"
        for number, clause in chain
    )
    last = walker.transaction_of(chain[-1][0]) if chain else None
    whose = f" <small>{html.escape(transaction_name(walker, last))}</small>" if last is not None else ""
    return (
        f'<section class="here path-asked"><h3>who caused this?{whose}</h3><p role="note" class="path-why">'
        f'{html.escape(why_sentence(walk))}</p><ol class="why">{steps}</ol></section>'
    )


def _key(walk: PathWalk) -> str:
    return (
        '<p class="walk-key walk-more">The bar at the left says where the last event happened, the double outline what '
        f"it was about. {DIRTY_MARK}: changed. A number in a filled cell is the page, on flash the block of the "
        "volume, that lives there. ×: dead, superseded by a newer version. m, s: metadata and summaries of the file "
        "system. L: pages of the log file. Dashed: erased or free. Main memory's own time and energy are not counted. "
        f"{html.escape(rates().said)}</p>"
    )
