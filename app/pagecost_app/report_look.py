"""How pages look that pagecost writes to be read elsewhere: offline, in light and dark, on a phone and on paper."""

from html import escape

from pagecost_app.charts.style import DARK, FONT, LIGHT


def _variables(shade: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in shade.items())


SIGNS_LIGHT = "--good: #0072B2; --bad: #C2410C; --open: #9A6700; --band: #0072B233;"
SIGNS_DARK = "--good: #56B4E9; --bad: #FF8A3D; --open: #F2C14E; --band: #56B4E940;"

PAGE = (
    f":root {{ {_variables(LIGHT)} {SIGNS_LIGHT} --font: {FONT}; color-scheme: light; }}\n"
    f":root[data-theme=dark] {{ {_variables(DARK)} {SIGNS_DARK} color-scheme: dark; }}\n"
    f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) "
    f"{{ {_variables(DARK)} {SIGNS_DARK} color-scheme: dark; }} }}\n"
    """
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/1.5 var(--font); }
main { max-width: 1240px; margin: 0 auto; padding: 28px 28px 80px; }
h1 { font-size: 30px; line-height: 1.2; margin: 2px 0 12px; letter-spacing: -0.01em; }
h2 { font-size: 21px; margin: 52px 0 2px; }
h3 { font-size: 14px; font-weight: 400; margin: 22px 0 4px; color: var(--muted); }
h3 b { color: var(--ink); margin-right: 6px; }
p { margin: 4px 0; max-width: 80ch; }
a { color: var(--good); }
.muted { color: var(--muted); } .small, small { font-size: 12.5px; font-weight: 400; }
.headline { font-size: 17px; line-height: 1.45; max-width: 62ch; margin-bottom: 20px; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin-bottom: 28px; }
.tile { background: var(--panel); border-radius: 8px; padding: 14px 16px; border-top: 3px solid var(--faint); }
.tile b { display: block; font-size: 32px; line-height: 1.15; font-variant-numeric: tabular-nums; }
.tile span { color: var(--muted); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--muted); padding-bottom: 6px; }
th { text-align: left; font-weight: 600; } td, th { padding: 5px 12px 5px 0; vertical-align: top; }
tr { border-bottom: 1px solid var(--faint); } .number { text-align: right; font-variant-numeric: tabular-nums; }
input, select, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--faint);
  border-radius: 6px; padding: 6px 10px; }
input { flex: 1 1 220px; }
:focus-visible { outline: 2px solid var(--good); outline-offset: 1px; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
dl { display: grid; grid-template-columns: 150px 1fr; gap: 4px 16px; margin: 0; padding: 6px 16px 16px 32px; }
dt { color: var(--muted); text-align: right; } dd { margin: 0; max-width: 90ch; overflow-wrap: anywhere; }
svg { display: block; }
article { background: var(--panel); border-radius: 8px; padding: 12px 16px; }
article h3 { margin: 0 0 4px; font-weight: 600; color: var(--ink); } article small { color: var(--muted); }
article p { overflow-wrap: anywhere; }
@media (max-width: 900px) {
  main { padding: 16px 14px 60px; } .tiles { grid-template-columns: 1fr 1fr; }
  dl { grid-template-columns: 1fr; padding-left: 16px; } dt { text-align: left; }
}
@media print {
  :root, :root:not([data-theme=light]) { --ground: #fff; --ink: #000; --muted: #444; --faint: #ccc; --panel: #fff;
    --good: #0072B2; --bad: #C2410C; --open: #9A6700; --band: #0072B233; color-scheme: light; }
  main { max-width: none; padding: 0; } body { font-size: 9.5pt; } button { display: none; }
  tr, article { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .tile, article { border: 1px solid #ccc; } * { print-color-adjust: exact; }
}
"""
)
"""The style sheet of every report; each adds its own lines."""

THEME = """
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches
  root.dataset.theme = (root.dataset.theme ?? (dark ? "dark" : "light")) === "dark" ? "light" : "dark"
})
"""
"""What the button `theme` does."""


def page(title: str, body: str, *, sheet: str, script: str, head: str = "") -> str:
    """A whole page with a button `theme`; title: plain text; the rest is HTML, CSS and script."""
    return document(title, f"<main>{body}</main>", sheet=sheet, script=f"{script}{THEME}", head=head)


def document(title: str, body: str, *, sheet: str, script: str, head: str = "") -> str:
    """A whole page of which the body is given as it is; nothing in it is loaded from elsewhere."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{PAGE}{sheet}</style>{head}</head>'
        f"<body>{body}<script>{script}</script></body></html>\n"
    )
