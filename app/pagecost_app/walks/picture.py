"""A walk as HTML: the string and where one stands, what happened in a sentence, the policy's lists as boxes of pages.

The same words and boxes in app and notebook. Dirty is told by colour and by a mark; colours come from the page around.
"""

import html

from pagecost.buffer.policies import title_of
from pagecost_app.walks.asking import question_picture
from pagecost_app.walks.buffer_code import code_of, heading_of
from pagecost_app.walks.lines import code_picture
from pagecost_app.walks.look import DIRTY_MARK, number
from pagecost_app.walks.stage import Place, placed
from pagecost_app.walks.walk import Walk

AROUND = 11  # references shown before and after the current one
IN_A_ROW, WIDTH, HEIGHT, HEAD = 8, 60, 52, 24  # boxes side by side, pixels from box to box, and of a list's name
IN_A_ROW_BESIDE = 4  # where another policy stands beside


def title(walk: Walk) -> str:
    """What the picture shows, in one line."""
    frames = f"{walk.frames} frame" + ("s" if walk.frames > 1 else "")
    return f"{title_of(walk.policy)} with {frames}, after {walk.step.position} of {walk.size} references"


def sentence(walk: Walk) -> str:
    """What the last reference did, who left and why: the picture's news in words."""
    step = walk.step
    if step.page is None:
        return f"The buffer is empty. The first reference will {_does(*walk.reference(1))}."
    did = f"Reference {step.position} {'writes' if step.write else 'reads'} page {step.page}: "
    if step.hit:
        did += "a hit."
    elif any(entry.page == step.page for entries in step.lists.values() for entry in entries):
        did += "a miss, so it is read in."
    else:
        did += "a miss, and it gets no frame."
    if not step.victims:
        return did + ("" if step.hit else " Nobody has to leave.")
    return f"{did} {_leaving(step)}. Why: {step.reason}."


def _leaving(step) -> str:
    dirty = [str(page) for page, was_dirty in step.victims if was_dirty]
    clean = [str(page) for page, was_dirty in step.victims if not was_dirty]
    told = []
    if dirty:
        told.append(f"{_pages(dirty)} and must be written back first" if len(dirty) == 1 else _pages(dirty, "written"))
    if clean:
        told.append(f"{_pages(clean)}, clean, so nothing is written")
    return "; ".join(told)


def _pages(pages: list[str], how: str = "") -> str:
    if len(pages) == 1:
        return f"Page {pages[0]} leaves"
    return f"Pages {', '.join(pages)} leave" + (" and must be written back first" if how else "")


def _does(page: int, write: bool) -> str:
    return f"{'write' if write else 'read'} page {page}"


def picture(walk: Walk) -> str:
    """The walk as HTML, without its style sheet. The sentence is left to the face, which has a place for news."""
    both = [walk, walk.other] if walk.other else [walk]
    stages = "".join(
        f'<section class="one"><h3>{html.escape(title_of(one.policy))}</h3>{_counts(one.step)}{_stage(one, walk)}'
        f"{_values(one)}</section>"
        for one in both
    )
    if not walk.other:
        stages = f"{_counts(walk.step)}{_stage(walk, walk)}{_values(walk)}"
    codes = "".join(code_picture(heading_of(one.policy), code_of(one.policy), one.facts()) for one in both)
    main = f'<div class="main"><div class="walk-lists">{stages}</div>{_difference(walk)}</div>'
    return (
        f'<div class="walk">{question_picture(walk)}{_string(walk)}<div class="walk-two">{main}'
        f'<div class="side">{codes}{_bill(both)}</div></div>'
        '<p class="walk-key walk-more">'
        f"{DIRTY_MARK} and filled: dirty, it must be written before it leaves. Outlined twice: the page just used. "
        "Dashed: it has left. Dotted, slanted: only its id is remembered. In each list the newest is on the left, "
        f"unless its name says otherwise.{ONLY_SAID if walk.other else ''} {html.escape(walk.bill.said)}</p></div>"
    )


ONLY_SAID = " ≠: only this policy holds it."


def _string(walk: Walk) -> str:
    at = walk.step.position
    first, last = max(1, min(at - AROUND, walk.size - 2 * AROUND)), min(walk.size, max(at + AROUND, 1 + 2 * AROUND))
    cells = [f'<li class="ahead"><b>…</b><small>{first - 1} before</small></li>'] if first > 1 else []
    for position in range(first, last + 1):
        page, write = walk.reference(position)
        place = "now" if position == at else "ahead" if position > at else ""
        result = "" if position > at else _results(walk, position)
        current = ' aria-current="step"' if position == at else ""
        name = f"{page}{'w' if write else 'r'}"
        cells.append(
            f'<li class="{place}"{current}><button type="button" data-wish="go {position}" '
            f'aria-label="go to reference {position}, {name}"><b>{name}</b><small>{result}</small></button></li>'
        )
    if last < walk.size:
        cells.append(f'<li class="ahead"><b>…</b><small>{walk.size - last} more</small></li>')
    order = f", {title_of(walk.policy)} before {title_of(walk.other.policy)}" if walk.other else ""
    name = f"the reference string <small>r reads, w writes; press one to go there{html.escape(order)}</small>"
    return f'<div class="walk-string"><h3>{name}</h3><ol>{"".join(cells)}</ol></div>'


def _results(walk: Walk, position: int) -> str:
    told = ["hit" if one.hits[position - 1] else "miss" for one in (walk, walk.other) if one]
    return told[0] if len(set(told)) == 1 else f'<span class="differs">{" ≠ ".join(told)}</span>'


def _counts(step) -> str:
    share = f" ({step.hits / step.position:.0%})" if step.position else ""
    told = {"hits": f"{step.hits}{share}", "misses": step.misses, "write-backs": step.write_backs}
    return (
        f'<p class="walk-counts">{"".join(f"<span><b>{value}</b> {name}</span>" for name, value in told.items())}</p>'
    )


def _values(walk: Walk) -> str:
    values = ", ".join(f"{name}: {value:.4g}" for name, value in walk.step.values.items())
    return f"<h3>the policy keeps <small>{html.escape(values)}</small></h3>" if values else ""


def _parts(step, frames: int) -> list[tuple[str, str, list]]:
    """(name, note, what lies in it) of every part of the stage: the lists, free frames, who left, who is remembered."""
    held = sum(len(entries) for entries in step.lists.values())
    parts: list[tuple[str, str, list]] = [(name, str(len(entries)), entries) for name, entries in step.lists.items()]
    if frames > held:
        parts.append((FREE, str(frames - held), [None] * (frames - held)))
    parts.append((GONE, "", list(step.victims)))
    return parts + [(name, "ids only", pages) for name, pages in step.ghosts.items()]


FREE, GONE = "free frames", "has left just now"


def _places(step, frames: int, in_a_row: int) -> tuple[dict[tuple[str, int], Place], list[float], float]:
    """Where every page lies on the stage, by ("held", page) or ("ghost", page); the tops of the parts; the height."""
    places: dict[tuple[str, int], Place] = {}
    tops, top = [], 0.0
    for name, _, inside in _parts(step, frames):
        tops.append(top)
        kind = "ghost" if name in step.ghosts else "held"
        for at, one in enumerate(inside):
            if one is not None:
                page = one if kind == "ghost" else one[0] if name == GONE else one.page
                places[kind, page] = _spot(top, at, in_a_row)
        top += HEAD + max(1, -(-len(inside) // in_a_row)) * HEIGHT + 4
    return places, tops, top


def _spot(top: float, at: int, in_a_row: int) -> Place:
    return 4 + at % in_a_row * WIDTH, top + HEAD + at // in_a_row * HEIGHT


def _stage(one: Walk, walk: Walk) -> str:
    """All that a policy holds and remembers; a page that lay elsewhere before the step moves from there."""
    step, frames = one.step, one.frames
    in_a_row = IN_A_ROW_BESIDE if walk.other else IN_A_ROW
    before: dict[tuple[str, int], Place] = {}
    if walk.stepped and one.position:
        before, _, _ = _places(one.steps[one.position - 1], frames, in_a_row)
    other = walk.other if one is walk else walk
    theirs = _held(other.step) if other else None
    _, tops, height = _places(step, frames, in_a_row)
    shown = []
    for (name, note, inside), top in zip(_parts(step, frames), tops, strict=True):
        cells = []
        for at, entry in enumerate(inside):
            spot = _spot(top, at, in_a_row)
            if name == FREE:
                cells.append(f'<li class="free" style="{placed(spot)}"><b>–</b><small></small></li>')
            elif name == GONE:
                page, dirty = entry
                kinds = "gone dirty" if dirty else "gone"
                cells.append(
                    _box(page, kinds, "written" if dirty else "dropped", dirty, spot, before.get(("held", page)))
                )
            elif name in step.ghosts:
                was = before.get(("ghost", entry), before.get(("held", entry)))
                cells.append(f'<li class="ghost{_moved(spot, was)}" style="{placed(spot, was)}"><b>{entry}</b></li>')
            else:
                kinds = " ".join(
                    kind for kind, is_so in (("dirty", entry.dirty), ("now", entry.page == step.page)) if is_so
                )
                was = before.get(("held", entry.page))
                if walk.stepped and was is None:
                    kinds += " came"
                mark = entry.mark if theirs is None or entry.page in theirs else f"≠ {entry.mark}"
                cells.append(_box(entry.page, kinds, mark, entry.dirty, spot, was))
        empty = f'<span class="at walk-more" style="{placed((4, top + HEAD))}">none</span>' if not cells else ""
        heading = f'<h3 style="{placed((0, top))}">{html.escape(name)} <small>{html.escape(note)}</small></h3>'
        shown.append(f'{heading}<ol aria-label="{html.escape(name)}">{"".join(cells)}</ol>{empty}')
    width = 4 + in_a_row * WIDTH
    return f'<div class="walk-stage" style="height:{height:g}px;width:{width}px">{"".join(shown)}</div>'


def _moved(now: Place, before: Place | None) -> str:
    return " moved" if before is not None and before != now else ""


def _box(page: int, kinds: str, mark: str, dirty: bool, now: Place, before: Place | None) -> str:
    sign = f' <span role="img" aria-label="dirty">{DIRTY_MARK}</span>' if dirty else ""
    where = f'class="{kinds}{_moved(now, before)}" style="{placed(now, before)}"'
    return f'<li {where}><b>{page}{sign}</b><small title="{html.escape(mark)}">{html.escape(mark)}</small></li>'


def _held(step) -> set[int]:
    return {entry.page for entries in step.lists.values() for entry in entries}


def _difference(walk: Walk) -> str:
    """How two policies in lock-step differ so far, in words."""
    if not walk.other:
        return ""
    one, other = walk.step, walk.other.step
    here, there = _held(one), _held(other)
    names = [html.escape(title_of(each.policy)) for each in (walk, walk.other)]
    told = [
        f"{names[0]} {mine} {what}, {names[1]} {theirs}"
        for what, mine, theirs in (
            ("hits", one.hits, other.hits),
            ("misses", one.misses, other.misses),
            ("write-backs", one.write_backs, other.write_backs),
        )
        if mine != theirs
    ]
    for name, mine, theirs in ((names[0], here, there), (names[1], there, here)):
        if mine - theirs:
            told.append(f"only {name} holds {', '.join(map(str, sorted(mine - theirs)))}")
    return f'<p class="differs"><b>Difference:</b> {"; ".join(told) or "none so far"}.</p>'


def _bill(walks: list[Walk]) -> str:
    """What the last reference and all so far cost on the device."""
    units = (("time, µs", 1e6), ("energy, µJ", 1e6), ("money, 10⁻⁹ $", 1e9))
    heads, rows = [], [[name] for name, _ in units]
    for one in walks:
        title = f" {html.escape(title_of(one.policy))}" if len(walks) > 1 else ""
        heads += [f"<th>this step{title}</th>", f"<th>so far{title}</th>"]
        now, before = one.spent(one.position), one.spent(max(one.position - 1, 0))
        for row, (_, scale), new, old in zip(rows, units, now, before, strict=True):
            row += [number((new - old) * scale), number(new * scale)]
    body = "".join(f"<tr><th>{row[0]}</th>" + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>" for row in rows)
    return (
        f"<h3>what it costs</h3><table><thead><tr><td></td>{''.join(heads)}</tr></thead><tbody>{body}</tbody></table>"
    )
