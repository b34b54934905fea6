"""What pictures made from a model's state are drawn of: lines, boxes and words in the colours of the page, be that a
notebook, the book or a slide."""

import html
from dataclasses import dataclass

WIDTH = 780
CSS = """
.model-picture { --p-ink: var(--ink, var(--jp-ui-font-color1, #1f2328));
  --p-muted: var(--muted, var(--jp-ui-font-color2, #57606a));
  --p-faint: var(--faint, var(--jp-border-color2, #d8dee4)); --p-panel: var(--panel, var(--jp-layout-color2, #f6f8fa));
  --p-one: #0072B2; --p-two: #C24E00; color: var(--p-ink); overflow-x: auto; margin: 4px 0; }
[data-jp-theme-light="false"] .model-picture, [data-theme="dark"] .model-picture { --p-one: #56B4E9; --p-two: #FF8A3D; }
.model-picture svg { width: 100%; min-width: 560px; max-width: 980px; display: block; }
.model-picture text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: var(--p-ink); }
.model-picture .m { fill: var(--p-muted); font-size: 12px; }
.model-picture .b { font-weight: 600; }
.model-picture .e { text-anchor: end; } .model-picture .c { text-anchor: middle; }
.model-picture .box { fill: var(--p-panel); stroke: var(--p-muted); }
.model-picture .faint { stroke: var(--p-faint); fill: none; } .model-picture .grid { stroke: var(--p-muted); fill: none;
  stroke-dasharray: 3 4; opacity: .7; }
.model-picture .one { fill: var(--p-one); stroke: var(--p-one); } .model-picture .two { fill: var(--p-two);
  stroke: var(--p-two); }
.model-picture .way { fill: none; stroke: var(--p-one); stroke-width: 2; }
.model-picture .spread { stroke: var(--p-one); stroke-width: 2; opacity: .55; }
.model-picture .open { fill: none; stroke: var(--p-two); stroke-width: 2; stroke-dasharray: 5 4; }
.model-picture .arrow { stroke: var(--p-muted); fill: none; }
.model-picture p { max-width: 980px; margin: 4px 0; line-height: 1.45; }
"""


@dataclass(frozen=True)
class Picture:
    """An SVG and what it shows in words, which stand below it and are its name.

    In notebooks and their exports (MathJax 3 and 2) two prices in dollars are no formula.
    """

    svg: str
    height: float
    words: str

    def _repr_html_(self) -> str:
        words = html.escape(self.words)
        return (
            f'<style>{CSS}</style><div class="model-picture mathjax_ignore tex2jax_ignore">'
            f'<svg viewBox="0 0 {WIDTH} {self.height:g}" role="img" aria-label="{words}">{self.svg}</svg>'
            f"<p>{words}</p></div>"
        )

    def __repr__(self) -> str:
        return self.words


def text(x: float, y: float, said: str, kind: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{html.escape(said)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def box(x: float, y: float, width: float, height: float, kind: str = "box") -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" rx="4" class="{kind}"/>'


def dot(x: float, y: float, kind: str = "one", r: float = 4.5) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" class="{kind}"/>'
