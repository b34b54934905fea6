"""Files that Python makes and the browser saves: a copy of a project, a report."""

import html
import threading
from collections.abc import Callable

from bokeh.document import Document
from bokeh.models import ColumnDataSource, CustomJS
from bokeh.models.widgets import Div

from pagecost.errors import ModelError
from pagecost_app.charts import style
from pagecost_app.compiling import here
from pagecost_app.pages.changes import deliver
from pagecost_app.pages.look import complaint, waiting

SAVE = """
const [name, text, type] = [source.data.name[0], source.data.text[0], source.data.type[0]]
if (!name) return
const link = document.createElement("a")
link.href = URL.createObjectURL(new Blob([text], {type}))
link.download = name
link.click()
setTimeout(() => URL.revokeObjectURL(link.href), 60000)
"""
NOTHING = {"name": [""], "text": [""], "type": [""]}


class HandingOver:
    """`source` must be part of the document."""

    def __init__(self, document: Document):
        self.document = document
        self.source = ColumnDataSource(NOTHING, name="project.download")
        self.source.js_on_change("data", CustomJS(args={"source": self.source}, code=SAVE))

    def give(self, name: str, text: str, kind: str) -> None:
        """Have the browser save a file of that name. kind: its media type."""
        self.source.data = {"name": [name], "text": [text], "type": [kind]}
        deliver(self.document, lambda: setattr(self.source, "data", NOTHING))  # a message of its own

    def report(self, name: str, page: Callable[[], str], message: Div) -> None:
        """Make a report in another thread, for it may have to compute, and hand it over. message: says how it goes."""
        style.change(message, text=waiting(f"writing {name} …", None), visible=True)

        def work() -> None:
            try:
                with here():
                    text = page()
            except ModelError as error:
                said = complaint(str(error))
                deliver(self.document, lambda: style.change(message, text=said, visible=True))
                return
            except Exception as error:  # or the page would say for ever that it is being written
                said = complaint(f"{name} could not be written; this is a fault of pagecost, not yours: {error!r}")
                deliver(self.document, lambda: style.change(message, text=said, visible=True))
                raise
            deliver(self.document, lambda: give(text))

        def give(text: str) -> None:
            self.give(name, text, "text/html")
            said = f"{name} is handed over to the browser's downloads; it opens anywhere, without a network."
            style.change(message, text=f'<div role="status">{html.escape(said)}</div>', visible=True)

        threading.Thread(target=work, daemon=True, name="report").start()
