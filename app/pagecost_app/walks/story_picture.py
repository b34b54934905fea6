"""The story of one page access as a picture that moves by itself: CSS alone, and nothing moves for who wants it still.

The sentences are text, all of them below on demand: they say what the picture shows.
"""

import html
import textwrap

from pagecost.units import format_cell
from pagecost_app.walks.story import Step, Story

ROUNDS = 2  # then it rests
LEAST_S, WORD_S = 1.3, 0.2  # that a step is shown, and more for each word of its sentence
MOVE_S = 0.6  # from one place to the next
BOX_WIDTH, BOX_HEIGHT = 132, 70
LINE_LETTERS = 22  # of what a box says of its part
# place -> left upper corner of its box; what leads where
BOXES = {
    "transaction": (4, 30),
    "buffer": (164, 30),
    "page cache": (324, 30),
    "file system": (484, 30),
    "device": (644, 30),
    "log": (164, 140),
}
ARROWS = (
    *("M136 65H160", "M296 65H320", "M456 65H480", "M616 65H640"),  # along the way
    "M230 100V136",  # from the buffer to its log
    "M296 175H550V104",  # the log is written past the page cache
)
WIDTH, HEIGHT = 780, 222

TRILLION = 1e12

CSS = """
:host { font-family: var(--font); color: var(--ink); }
.story { display: grid; gap: 6px; overflow-x: auto; }
.story svg { width: 100%; min-width: 520px; max-width: 980px; display: block; }
.story .box { fill: var(--panel); stroke: var(--muted); stroke-width: 1.5; }
.story .name { font: 600 15px var(--font); fill: var(--ink); text-anchor: middle; }
.story .part { font: 11.5px var(--font); fill: var(--muted); text-anchor: middle; }
.story .way { fill: none; stroke: var(--muted); stroke-width: 1.5; marker-end: url(#story-tip); }
.story .tip { fill: var(--muted); }
.story .lit { fill: none; stroke: #0072B2; stroke-width: 4; opacity: 0; }
.story .token { fill: #D55E00; stroke: var(--ground); stroke-width: 2; }
.story .cost { font: 600 13px var(--font); fill: var(--ink); text-anchor: middle; opacity: 0; }
.story .said { display: grid; min-height: 3em; max-width: 980px; }
.story .said p { grid-area: 1 / 1; margin: 0; font-size: 15px; opacity: 0; }
.story .still p { opacity: 1; }
.story .bar { display: flex; flex-wrap: wrap; gap: 6px 22px; align-items: baseline; font-size: 13px; }
.story .bar b { font-variant-numeric: tabular-nums; }
.story label { display: inline-flex; gap: 6px; align-items: center; cursor: pointer; }
.story input:focus-visible, .story summary:focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
.story:has(input:checked) * { animation-play-state: paused !important; }
.story summary { cursor: pointer; font-size: 13px; }
.story details ol { margin: 6px 0; padding-left: 2em; font-size: 13px; color: var(--ink); }
.story .animated { display: contents; }
@media (prefers-reduced-motion: reduce) {
  .story *, .story label { animation: none !important; }
  .story label, .story .token { display: none; }
  .story .said .whole { opacity: 1; }
}
"""


def story_css(story: Story) -> str:
    """The style sheet of `story_picture`, with when each step is shown."""
    ends, total_s = [], 0.0
    for step in story.steps:
        total_s += LEAST_S + WORD_S * len(step.words.split())
        ends.append(total_s)
    total_s += LEAST_S + MOVE_S  # in which the whole is told
    rules, token = [], [_at(0.0, "transaction")]
    for number, (step, end) in enumerate(zip(story.steps, ends, strict=True)):
        start = ends[number - 1] if number else 0.0
        shown, hidden = 100 * start / total_s, 100 * end / total_s
        rules.append(
            f"@keyframes step{number} {{ 0%, {shown:.2f}% {{ opacity: 0 }} {shown + 0.4:.2f}%, {hidden:.2f}% "
            f"{{ opacity: 1 }} {hidden + 0.4:.2f}%, 100% {{ opacity: 0 }} }}\n"
            f".story .s{number} {{ animation: step{number} {total_s:.1f}s linear {ROUNDS}; }}\n"
        )
        token += [_at(100 * (start + MOVE_S) / total_s, step.place), _at(hidden, step.place)]
    last = 100 * ends[-1] / total_s
    rules.append(
        f"@keyframes whole {{ 0%, {last:.2f}% {{ opacity: 0 }} {last + 0.4:.2f}%, 100% {{ opacity: 1 }} }}\n"
        f".story .said .whole {{ animation: whole {total_s:.1f}s linear {ROUNDS} forwards; }}\n"
        f"@keyframes token {{ {' '.join(token)} {_at(100.0, story.steps[-1].place)} }}\n"
        f".story .token {{ animation: token {total_s:.1f}s ease-in-out {ROUNDS} forwards; }}\n"
    )
    return CSS.replace("@media", "".join(rules) + "@media", 1)


def _at(percent: float, place: str) -> str:
    x, y = BOXES[place]
    return f"{percent:.2f}% {{ transform: translate({x + BOX_WIDTH / 2:g}px, {y + BOX_HEIGHT:g}px) }}"


def story_picture(story: Story) -> str:
    """The picture as HTML."""
    time, energy, money = totals_said(story)
    whole = f"All of it: {time} of work of the device, {energy}, {money}."
    sentences = "".join(f'<p class="s{n}">{html.escape(step.words)}</p>' for n, step in enumerate(story.steps))
    listed = "".join(f"<li>{html.escape(step.words)}</li>" for step in story.steps)
    parts = {"transaction": story.whose, **story.parts}
    ways = "".join(f'<path class="way" d="{way}"/>' for way in ARROWS)
    boxes = "".join(_box(place, parts[place]) for place in BOXES)
    lit = "".join(_lit(number, step) for number, step in enumerate(story.steps))
    words = f"A page access on its way: {', '.join(BOXES)}. Its {len(story.steps)} steps are told below."
    return (
        f'<div class="story"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{words}">'
        f'<defs><marker id="story-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>'
        f'{ways}{boxes}{lit}<circle class="token" r="8"/></svg>'
        f'<div class="said" aria-hidden="true">{sentences}<p class="whole"><b>{html.escape(whole)}</b></p></div>'
        f'<div class="bar"><label><input type="checkbox"> Hold the picture</label>'
        f"<span>One access of {html.escape(story.whose)}: <b>{html.escape(time)}</b> of work of the device, "
        f"<b>{html.escape(energy)}</b>, <b>{html.escape(money)}</b></span></div>"
        f"<details><summary>All {len(story.steps)} steps in words</summary><ol>{listed}</ol></details></div>"
    )


def totals_said(story: Story) -> tuple[str, str, str]:
    """Time, energy and money of all steps, for people."""
    time_s, energy_j, usd = story.totals
    money = f"{format_cell(usd * TRILLION, 'USD')} for a trillion of them"
    return format_cell(time_s, "s"), format_cell(energy_j, "J"), money


def _box(place: str, part: str) -> str:
    x, y = BOXES[place]
    middle = x + BOX_WIDTH / 2
    lines = "".join(
        f'<tspan x="{middle:g}" y="{y + 42 + 15 * number}">{html.escape(line)}</tspan>'
        for number, line in enumerate(textwrap.wrap(part, LINE_LETTERS))
    )
    return (
        f'<rect class="box" x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8"/>'
        f'<text class="name" x="{middle:g}" y="{y + 25}">{html.escape(place.capitalize())}</text>'
        f'<text class="part">{lines}</text>'
    )


def _lit(number: int, step: Step) -> str:
    """The box that a step happens in, and what the device asks for it."""
    x, y = BOXES[step.place]
    lit = f'<rect class="lit s{number}" x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8"/>'
    if not step.time_s:
        return lit
    cost = f"+ {format_cell(step.time_s, 's')}"
    return f'{lit}<text class="cost s{number}" x="{x + BOX_WIDTH / 2:g}" y="{y - 10}">{html.escape(cost)}</text>'
