"""Two translation layers beside each other as HTML: the flash of both, and what each spent on the same requests."""

from pagecost.devices.ftl import LAYERS, told
from pagecost.units import format_seconds
from pagecost_app.walks.asking import question_picture
from pagecost_app.walks.ftl_picture import FTL_CSS, VERBS, flash_picture, requests_picture
from pagecost_app.walks.ftl_walk import ERASES, HOST, PROGRAMMED, TIME_S, FtlWalk
from pagecost_app.walks.layers_walk import LayersWalk

IN_A_ROW = 4  # blocks of one layer side by side: two layers stand beside each other
LAYERS_CSS = (
    FTL_CSS
    + """
.walk .ftl-pair { display: flex; flex-wrap: wrap; gap: 8px 30px; }
.walk .ftl-pair > section { flex: 1 1 312px; min-width: 0; max-width: 420px; }
.walk .ftl-pair p { margin: 2px 0 4px; min-height: 2.6em; }
"""
)


def layers_title(walk: LayersWalk) -> str:
    """What is walked through, in one line."""
    one, other = (LAYERS[each.values["layer"]].title for each in walk.walks)
    return f"{one} beside {other}: {walk.position} of {walk.size} requests done"


def layers_sentence(walk: LayersWalk) -> str:
    """What the last request made both of them do."""
    if not walk.position:
        verb, page = walk.requests[0]
        filled = "hold every page once, in order" if walk.values["start"] == "filled" else "are erased"
        return f"Both {filled}. The first request {VERBS[verb]} page {page}."
    verb, page = walk.requests[walk.position - 1]
    did = "; ".join(f"{LAYERS[each.values['layer']].title}: {_did(walk, each)}" for each in walk.walks)
    return f"The host {VERBS[verb]} page {page}. {did}."


def _did(walk: LayersWalk, one: FtlWalk) -> str:
    """What one layer did for the last request, counted."""
    if not walk.position:
        return "nothing yet"
    kinds = [each.kind for each in walk.caused(one, walk.position)]
    counts = {
        "programmed": kinds.count(told.PROGRAM) + kinds.count(told.MAP_WRITE) + kinds.count(told.FILL),
        "copied": kinds.count(told.COPY),
        "read": kinds.count(told.HOST_READ) + kinds.count(told.MAP_READ),
    }
    parts = [f"{count} {'page' if count == 1 else 'pages'} {what}" for what, count in counts.items() if count]
    erased = kinds.count(told.ERASE)
    if erased:
        parts.append(f"{erased} {'block' if erased == 1 else 'blocks'} erased")
    return ", ".join(parts) or "nothing"


def layers_picture(walk: LayersWalk) -> str:
    """The walk as HTML, without its style sheet."""
    sides = "".join(
        f"<section><h3>{LAYERS[each.values['layer']].title}</h3><p>{_did(walk, each)}</p>"
        f"{flash_picture(each, IN_A_ROW, walk.caused(each, walk.position) if walk.position else [])}{_account(each)}"
        "</section>"
        for each in walk.walks
    )
    begins = {number: number + 1 for number in range(walk.size)}
    return (
        f'<div class="walk ftl">{question_picture(walk)}'
        f"{requests_picture(walk.requests, walk.position, begins)}"
        f'<div class="ftl-pair">{sides}</div>'
        '<p class="walk-key walk-more">Filled: live, with its logical page. Struck through: dead. Dashed: erased. '
        "Outlined: written because of the last request; framed: blocks that it touched. ⌫: erases of a block.</p></div>"
    )


def _account(one: FtlWalk) -> str:
    row = one.spent[one.position]
    amplification = f"{row[PROGRAMMED] / row[HOST]:.3g}" if row[HOST] else "–"
    rows = {
        "pages of the host": f"{row[HOST]:.0f}",
        "pages programmed": f"{row[PROGRAMMED]:.0f}",
        "write amplification": amplification,
        "blocks erased": f"{row[ERASES]:.0f}",
        "time": format_seconds(row[TIME_S]),
    }
    body = "".join(f"<tr><th>{name}</th><td>{said}</td></tr>" for name, said in rows.items())
    return f"<table><tbody>{body}</tbody></table>"
