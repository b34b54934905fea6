"""What the report of the ledger has beyond the look of every report, and the few lines of script that search it."""

SHEET = """
html { scroll-padding-top: 64px; }
#count { color: var(--muted); min-width: 110px; text-align: right; }
.tile.sound { border-color: var(--good); } .tile.fails { border-color: var(--bad); }
.tile.missing { border-color: var(--open); }
.kinds td:last-child { color: var(--muted); } .kinds td:nth-child(4) { width: 120px; padding-top: 11px; }
.bar { display: block; height: 6px; border-radius: 3px;
  background: linear-gradient(90deg, var(--good) calc(100% * var(--share)), var(--faint) 0); }
#filters { position: sticky; top: 0; z-index: 2; display: flex; gap: 8px; align-items: center; flex-wrap: wrap;
  padding: 12px 0; margin-top: 28px; background: var(--ground); border-bottom: 1px solid var(--faint); }
.outcomes { display: flex; gap: 2px; height: 8px; margin: 12px 0 4px; border-radius: 4px; overflow: hidden; }
.outcomes i { min-width: 2px; background: var(--faint); }
.outcomes .sound { background: var(--good); } .outcomes .holds { background: var(--good); opacity: 0.4; }
.outcomes .not-informative { background: var(--muted); opacity: 0.6; } .outcomes .undecided { background: var(--open); }
.outcomes .fails { background: var(--bad); }
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
.axis { stroke: var(--faint); } .band { fill: var(--band); } .used { stroke: var(--muted); stroke-width: 1.5; }
.measured { fill: var(--good); } .interval { stroke: var(--good); stroke-width: 3; }
.fails .measured { fill: var(--bad); } .fails .interval { stroke: var(--bad); }
.rival { stroke: var(--open); stroke-width: 1.6; fill: none; }
.cards > div { display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: 12px; }
.cards > div { margin-top: 12px; }
.plain { margin-top: 10px; } .plain td:last-child { color: var(--muted); }
.moved { border-top: 1px solid var(--faint); padding: 6px 0; } .moved b { display: inline-block; min-width: 3ch; }
@media (max-width: 900px) {
  .line > summary { grid-template-columns: 16px 1fr auto auto; }
  .line .drawn, .line .kind { display: none; } .kinds td:nth-child(4) { display: none; }
}
@media print {
  #filters { display: none; } .line { break-inside: avoid; }
  .line > summary { grid-template-columns: 14px 1fr 90px 120px 150px 70px; gap: 8px; padding: 2px 0; }
}
"""

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
search()
reveal()
"""
