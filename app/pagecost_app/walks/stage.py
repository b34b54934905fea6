"""Boxes that lie on a stage at places that are known, so that a box that was elsewhere before moves to where it is now.

The movement is the style sheet's: a box starts displaced by --dx and --dy. Who asked for less motion sees none.
"""

STAGE_CSS = """
.walk-stage { position: relative; overflow-x: auto; overflow-y: hidden; max-width: 100%; }
.walk .walk-stage ol { display: block; position: static; }
.walk-stage h3, .walk-stage li, .walk-stage .at { position: absolute; margin: 0; }
.walk .walk-stage h3 { margin: 0; white-space: nowrap; }
@media (prefers-reduced-motion: no-preference) {
  .walk-stage .moved { animation: walk-move 0.6s ease-in-out; z-index: 2; }
  .walk-stage .came { animation: walk-come 0.5s ease-out; z-index: 2; }
  .walk-stage .left { animation: walk-leave 0.6s ease-in; }
}
@keyframes walk-move { from { transform: translate(var(--dx), var(--dy)); } }
@keyframes walk-come { from { opacity: 0; transform: translateY(-22px); } }
@keyframes walk-leave { from { opacity: 1; } to { opacity: 0.75; } }
"""

Place = tuple[float, float]


def placed(now: Place, before: Place | None = None) -> str:
    """The style of a box that lies at `now` and lay at `before`, both in pixels from the left and the top."""
    style = f"left:{now[0]:g}px;top:{now[1]:g}px"
    if before is None or before == now:
        return style
    return f"{style};--dx:{before[0] - now[0]:g}px;--dy:{before[1] - now[1]:g}px"
