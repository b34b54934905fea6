"""Charts as HTML parts that are alive without a server."""

from collections.abc import Sequence
from pathlib import Path

import bokeh
from bokeh.document import Document
from bokeh.embed import components
from bokeh.io.doc import patch_curdoc
from bokeh.models import LayoutDOM

from pagecost_app.charts import style

BOKEH_JS = Path(bokeh.__file__).parent / "server" / "static" / "js" / "bokeh.min.js"
CAPTIONED = Path(__file__).with_name("captioned.js").read_text("utf8")  # `captioned` and `saveBlob`, for a page's code


def parts(roots: Sequence[LayoutDOM]) -> tuple[str, list[str]]:
    """(script, the places of the roots) for a page that has BokehJS.

    Bokeh copies callbacks from the current document, which may be one that has ended: it is given a new one.
    """
    fresh = Document()  # held here: Bokeh refers to it weakly
    with patch_curdoc(fresh):
        script, places = components(list(roots), theme=style.theme(False))
    return script, list(places)


def library() -> str:
    """BokehJS, as it may stand in a page's script."""
    return BOKEH_JS.read_text("utf8").replace("</script", r"<\/script")
