"""How the report of the ledger looks, and the few lines of script that search it."""

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
html { scroll-padding-top: 64px; }
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
.tile.sound { border-color: var(--good); } .tile.fails { border-color: var(--bad); }
.tile.missing { border-color: var(--open); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--muted); padding-bottom: 6px; }
th { text-align: left; font-weight: 600; } td, th { padding: 5px 12px 5px 0; vertical-align: top; }
tr { border-bottom: 1px solid var(--faint); } .number { text-align: right; font-variant-numeric: tabular-nums; }
.kinds td:last-child { color: var(--muted); } .kinds td:nth-child(4) { width: 120px; padding-top: 11px; }
.bar { display: block; height: 6px; border-radius: 3px;
  background: linear-gradient(90deg, var(--good) calc(100% * var(--share)), var(--faint) 0); }
#filters { position: sticky; top: 0; z-index: 2; display: flex; gap: 8px; align-items: center; flex-wrap: wrap;
  padding: 12px 0; margin-top: 28px; background: var(--ground); border-bottom: 1px solid var(--faint); }
input, select, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--faint);
  border-radius: 6px; padding: 6px 10px; }
input { flex: 1 1 220px; } #count { color: var(--muted); min-width: 110px; text-align: right; }
:focus-visible { outline: 2px solid var(--good); outline-offset: 1px; }
.outcomes { display: flex; gap: 2px; height: 8px; margin: 12px 0 4px; border-radius: 4px; overflow: hidden; }
.outcomes i { min-width: 2px; background: var(--faint); }
.outcomes .sound { background: var(--good); } .outcomes .holds { background: var(--good); opacity: 0.4; }
.outcomes .not-informative { background: var(--muted); opacity: 0.6; } .outcomes .undecided { background: var(--open); }
.outcomes .fails { background: var(--bad); }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
.line { border-top: 1px solid var(--faint); }
.line > summary { display: grid; gap: 12px; align-items: center; padding: 5px 4px;
  grid-template-columns: 16px minmax(260px, 1fr) 130px 150px 150px 84px; }
.line > summary:hover { background: var(--panel); }
.line[open] { background: var(--panel); border-radius: 0 0 8px 8px; }
.line[open] > summary { font-weight: 600; }
.sign { text-align: center; color: var(--muted); }
.sound .sign, .holds .sign { color: var(--good); } .fails .sign { color: var(--bad); font-weight: 700; }
.undecided .sign { color: var(--open); }
.says small { color: var(--muted); white-space: nowrap; margin-left: 6px; }
.value { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.kind { font-size: 12px; color: var(--muted); }
dl { display: grid; grid-template-columns: 150px 1fr; gap: 4px 16px; margin: 0; padding: 6px 16px 16px 32px; }
dt { color: var(--muted); text-align: right; } dd { margin: 0; max-width: 90ch; overflow-wrap: anywhere; }
svg { display: block; }
.axis { stroke: var(--faint); } .band { fill: var(--band); } .used { stroke: var(--muted); stroke-width: 1.5; }
.measured { fill: var(--good); } .interval { stroke: var(--good); stroke-width: 3; }
.fails .measured { fill: var(--bad); } .fails .interval { stroke: var(--bad); }
.rival { stroke: var(--open); stroke-width: 1.6; fill: none; }
.cards > div { display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: 12px; }
.cards > div { margin-top: 12px; }
article { background: var(--panel); border-radius: 8px; padding: 12px 16px; }
article h3 { margin: 0 0 4px; font-weight: 600; color: var(--ink); } article small { color: var(--muted); }
article p { overflow-wrap: anywhere; }
.plain { margin-top: 10px; } .plain td:last-child { color: var(--muted); }
.moved { border-top: 1px solid var(--faint); padding: 6px 0; } .moved b { display: inline-block; min-width: 3ch; }
@media (max-width: 900px) {
  main { padding: 16px 14px 60px; } .tiles { grid-template-columns: 1fr 1fr; }
  .line > summary { grid-template-columns: 16px 1fr auto auto; }
  .line .drawn, .line .kind { display: none; } dl { grid-template-columns: 1fr; padding-left: 16px; }
  dt { text-align: left; } .kinds td:nth-child(4) { display: none; }
}
@media print {
  :root, :root:not([data-theme=light]) { --ground: #fff; --ink: #000; --muted: #444; --faint: #ccc; --panel: #fff;
    --good: #0072B2; --bad: #C2410C; --open: #9A6700; --band: #0072B233; color-scheme: light; }
  #filters { display: none; } main { max-width: none; padding: 0; } body { font-size: 9.5pt; }
  .line, tr, article { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .line > summary { grid-template-columns: 14px 1fr 90px 120px 150px 70px; gap: 8px; padding: 2px 0; }
  .tile, article { border: 1px solid #ccc; } * { print-color-adjust: exact; }
}
"""
)

SCRIPT = """
const form = document.getElementById("filters"), lines = [...document.querySelectorAll(".line")]
function search() {
  const wanted = Object.fromEntries(new FormData(form)), words = wanted.text.toLowerCase().split(/\\s+/)
  let shown = 0
  for (const line of lines) {
    const fits = ["paper", "kind", "outcome"].every((name) => !wanted[name] || line.dataset[name] === wanted[name])
      && words.every((word) => line.dataset.text.includes(word))
    line.hidden = !fits
    shown += fits
  }
  for (const group of document.querySelectorAll(".place, .paper"))
    group.hidden = !group.querySelector(".line:not([hidden])")
  document.getElementById("count").textContent = `${shown} of ${lines.length} lines`
  document.getElementById("none").hidden = shown > 0
}
function reveal() {
  const line = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!line?.matches(".line")) return
  if (line.hidden) { form.reset(); search() }
  line.open = true
  line.scrollIntoView()
}
form.addEventListener("input", search)
form.addEventListener("submit", (event) => event.preventDefault())
addEventListener("hashchange", reveal)
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches
  root.dataset.theme = (root.dataset.theme ?? (dark ? "dark" : "light")) === "dark" ? "light" : "dark"
})
search()
reveal()
"""
