"""A walk as HTML: the string and where one stands, what happened in a sentence, the policy's lists as boxes of pages.

The same words and boxes in app and notebook. Dirty is told by colour and by a mark; colours come from the page around.
"""

import html

from pagecost.buffer.policies import title_of
from pagecost_app.walks.walk import Walk

AROUND = 11  # references shown before and after the current one
DIRTY_MARK = "✎"

CSS = """
.walk { --w-ink: var(--ink, var(--jp-ui-font-color1, #1f2328));
  --w-muted: var(--muted, var(--jp-ui-font-color2, #57606a));
  --w-faint: var(--faint, var(--jp-border-color1, #bdbdbd)); --w-panel: var(--panel, var(--jp-layout-color2, #f6f8fa));
  color: var(--w-ink); line-height: 1.35; font-size: 14px; }
.walk h4 { margin: 12px 0 4px; font-size: 13px; font-weight: 600; }
.walk small, .walk-more { color: var(--w-muted); font-size: 12px; font-weight: 400; }
.walk ol { display: flex; flex-wrap: wrap; gap: 5px; margin: 0; padding: 0; list-style: none; align-items: stretch; }
.walk li { box-sizing: border-box; min-width: 46px; margin: 0; padding: 4px 7px; text-align: center;
  border: 2px solid #0072B2; border-radius: 5px; background: var(--w-panel); }
.walk li b { display: block; font-size: 15px; font-weight: 600; white-space: nowrap; }
.walk li small { display: block; min-height: 15px; font-size: 11px; line-height: 15px; white-space: nowrap; }
.walk li.dirty { background: #A84300; border-color: #A84300; color: #fff; }
.walk li.dirty small { color: #fff; }
.walk li.now { outline: 3px solid var(--w-ink); outline-offset: 1px; }
.walk li.free { border: 2px dashed var(--w-faint); background: none; color: var(--w-muted); }
.walk li.ghost { border: 2px dotted var(--w-muted); background: none; color: var(--w-muted); font-style: italic; }
.walk li.gone { border-style: dashed; }
.walk li.gone.dirty { border-color: #fff; }
.walk-string { min-height: 54px; }
.walk-string ol { gap: 3px; }
.walk-string li { min-width: 38px; padding: 2px 4px; border: 1px solid var(--w-faint); background: none; }
.walk-string li.ahead { color: var(--w-muted); }
.walk-string li.now { background: var(--w-panel); }
.walk-counts { display: flex; flex-wrap: wrap; gap: 2px 22px; margin: 8px 0 0; }
.walk-counts b { font-size: 16px; font-variant-numeric: tabular-nums; }
.walk-key { margin: 14px 0 0; }
.walk-lists { display: flex; flex-wrap: wrap; gap: 0 34px; }
"""


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
    step = walk.step
    shown = {entry.page for entries in step.lists.values() for entry in entries}
    lists = "".join(_list(name, entries, step.page) for name, entries in step.lists.items())
    ghosts = "".join(_ghosts(name, pages) for name, pages in step.ghosts.items())
    free = walk.frames - len(shown)
    empty = _section("free frames", str(free), ['<li class="free"><b>–</b><small></small></li>'] * free) if free else ""
    values = ", ".join(f"{name}: {value:.4g}" for name, value in step.values.items())
    return (
        f'<div class="walk">{_string(walk)}{_counts(step)}<div class="walk-lists">{lists}{empty}{_gone(step)}</div>'
        f'<div class="walk-lists">{ghosts}</div>'
        + (f"<h4>the policy keeps <small>{html.escape(values)}</small></h4>" if values else "")
        + '<p class="walk-key walk-more">'
        f"{DIRTY_MARK} and filled: dirty, it must be written before it leaves. Outlined twice: the page just used. "
        "Dashed: it has left. Dotted, slanted: only its id is remembered. In each list the newest is on the left, "
        "unless its name says otherwise.</p></div>"
    )


def _string(walk: Walk) -> str:
    at = walk.step.position
    first, last = max(1, min(at - AROUND, walk.size - 2 * AROUND)), min(walk.size, max(at + AROUND, 1 + 2 * AROUND))
    cells = [f'<li class="ahead"><b>…</b><small>{first - 1} before</small></li>'] if first > 1 else []
    for position in range(first, last + 1):
        page, write = walk.reference(position)
        place = "now" if position == at else "ahead" if position > at else ""
        result = "" if position > at else "hit" if walk.hits[position - 1] else "miss"
        current = ' aria-current="step"' if position == at else ""
        cells.append(f'<li class="{place}"{current}><b>{page}{"w" if write else "r"}</b><small>{result}</small></li>')
    if last < walk.size:
        cells.append(f'<li class="ahead"><b>…</b><small>{walk.size - last} more</small></li>')
    name = "the reference string <small>r reads, w writes</small>"
    return f'<div class="walk-string"><h4>{name}</h4><ol>{"".join(cells)}</ol></div>'


def _counts(step) -> str:
    share = f" ({step.hits / step.position:.0%})" if step.position else ""
    told = {"hits": f"{step.hits}{share}", "misses": step.misses, "write-backs": step.write_backs}
    return (
        f'<p class="walk-counts">{"".join(f"<span><b>{value}</b> {name}</span>" for name, value in told.items())}</p>'
    )


def _section(name: str, note: str, cells: list[str]) -> str:
    inside = f"<ol>{''.join(cells)}</ol>" if cells else '<span class="walk-more">empty</span>'
    return f"<section><h4>{html.escape(name)} <small>{html.escape(note)}</small></h4>{inside}</section>"


def _list(name: str, entries, now) -> str:
    cells = []
    for entry in entries:
        kinds = " ".join(kind for kind, is_so in (("dirty", entry.dirty), ("now", entry.page == now)) if is_so)
        cells.append(_box(entry.page, kinds, entry.mark, entry.dirty))
    return _section(name, str(len(entries)), cells)


def _gone(step) -> str:
    cells = [
        _box(page, "gone dirty" if dirty else "gone", "written" if dirty else "dropped", dirty)
        for page, dirty in step.victims
    ]
    return _section("has left just now", "", cells) if cells else ""


def _ghosts(name: str, pages: list[int]) -> str:
    return _section(name, "ids only", [f'<li class="ghost"><b>{page}</b></li>' for page in pages])


def _box(page: int, kinds: str, mark: str, dirty: bool) -> str:
    sign = f' <span role="img" aria-label="dirty">{DIRTY_MARK}</span>' if dirty else ""
    return f'<li class="{kinds}"><b>{page}{sign}</b><small>{html.escape(mark)}</small></li>'
