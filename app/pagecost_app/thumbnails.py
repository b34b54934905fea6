"""Small pictures of the questions: the first chart of each answer to its defaults, as lines and bars without words.

They are drawn once, by `python -m pagecost_app.thumbnails_found`, into `thumbnails.json`: drawing them when the app
starts would answer every question. What is walked through has no chart, and a picture of its own.
"""

import functools
import json
from pathlib import Path

from pagecost_app.charts import style

FILE = Path(__file__).with_name("thumbnails.json")
WIDTH, HEIGHT = 160, 62  # in which the shapes are given
GREY = "g"  # the class of what has no colour of the series

STEPS = (  # what is walked through is no chart: boxes in a row, one of which is left
    f'<path class="{GREY} l" d="M12 31H148"/><rect class="c0 f" x="14" y="19" width="24" height="24" rx="4"/>'
    '<rect class="c0 f" x="50" y="19" width="24" height="24" rx="4"/>'
    '<rect class="c1 f" x="86" y="19" width="24" height="24" rx="4"/>'
    f'<rect class="{GREY} l" x="122" y="19" width="24" height="24" rx="4" stroke-dasharray="3 3"/>'
)


@functools.cache
def listed() -> dict[str, str]:
    """The shapes of every question by its name, as SVG."""
    return json.loads(FILE.read_text("utf8"))


def picture(name: str) -> str:
    """The picture of a question or of what is walked through, as SVG; it says nothing that the title does not."""
    inside = listed().get(name, STEPS)
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" aria-hidden="true">{inside}</svg>'


# --series-N: see `look`
CSS = (
    "".join(f".c{slot} {{ --c: var(--series-{slot}); }}\n" for slot in range(len(style.stack_colours(False))))
    + f".{GREY} {{ --c: var(--muted); }}"
    + """
svg .l { fill: none; stroke: var(--c); stroke-width: 1.8; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
svg .d { fill: none; stroke: var(--c); stroke-width: 5; vector-effect: non-scaling-stroke; stroke-linecap: round; }
svg .f { fill: var(--c); stroke: none; }
svg .a { fill: var(--c); stroke: none; opacity: 0.3; }
"""
)
