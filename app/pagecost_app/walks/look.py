"""The look that all steppers share, and how they write a number. Colours come from the page around."""

import math

from pagecost.units import grouped
from pagecost_app.walks.lines import CODE_CSS
from pagecost_app.walks.stage import STAGE_CSS

DIRTY_MARK = "✎"

OWN_CSS = """
.walk { --w-ink: var(--ink, var(--jp-ui-font-color1, #1f2328));
  --w-muted: var(--muted, var(--jp-ui-font-color2, #57606a));
  --w-faint: var(--faint, var(--jp-border-color1, #bdbdbd)); --w-panel: var(--panel, var(--jp-layout-color2, #f6f8fa));
  color: var(--w-ink); line-height: 1.35; font-size: 14px; }
.bk-clearfix:has(> .walk) { display: block; max-width: 100%; }
.walk h3 { margin: 12px 0 4px; font-size: 13px; font-weight: 600; }
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
.walk-lists { display: flex; flex-wrap: wrap; gap: 0 18px; }
.walk-two { display: flex; flex-wrap: wrap; gap: 8px 26px; align-items: flex-start; }
.walk-two > .main { flex: 3 1 480px; min-width: 0; }
.walk-two > .side { flex: 2 1 330px; min-width: 0; }
.walk table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
.walk th { font-weight: 600; text-align: left; padding: 1px 12px 1px 0; }
.walk td { text-align: right; padding: 1px 0 1px 14px; white-space: nowrap; }
.walk thead td + th, .walk thead th + th { text-align: right; padding: 1px 0 1px 14px; }
.walk button { font: inherit; font-size: 13px; color: var(--w-ink); background: var(--w-panel); cursor: pointer;
  border: 1px solid var(--w-muted); border-radius: 4px; padding: 2px 9px; margin: 0 5px 4px 0; }
.walk button:focus-visible { outline: 3px solid #0072B2; outline-offset: 1px; }
.walk-ask { border-left: 4px solid #D55E00; background: var(--w-panel); padding: 4px 10px; margin: 6px 0;
  border-radius: 0 6px 6px 0; }
.walk-ask h3, .walk-ask p { margin: 3px 0; }
.walk-string button { all: unset; display: block; box-sizing: border-box; width: 100%; cursor: pointer; }
.walk-string button:focus-visible { outline: 3px solid #0072B2; }
.walk .walk-stage li { width: 54px; min-width: 46px; padding: 4px 1px; overflow: hidden; }
.walk-lists > .one { flex: 1 1 244px; min-width: 0; }
.walk .differs { font-weight: 600; text-decoration: underline 2px #D55E00; text-underline-offset: 3px; }
"""
CSS = OWN_CSS + STAGE_CSS + CODE_CSS


def number(value: float) -> str:
    """A cost for a table; a dash where it is not known."""
    return "–" if math.isnan(value) else grouped(value) if value >= 100 or value == 0 else f"{value:.3g}"
