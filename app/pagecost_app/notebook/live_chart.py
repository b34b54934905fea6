"""A chart as a widget: BokehJS from this machine, one message per answer, fresh after a reload, named and in theme."""

import contextlib
import html
import json
from pathlib import Path

import bokeh
from bokeh.core.json_encoder import serialize_json
from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.models import ColumnDataSource, CustomJS
from bokeh.protocol.messages.patch_doc import patch_doc
from jupyter_bokeh import BokehModel

from pagecost_app.charts import embedding, style

IN_THE_PAGE = embedding.CAPTIONED + "".join(
    (Path(__file__).parent / name).read_text("utf8") for name in ("saving.js", "live_chart.js")
)


class LiveChart(BokehModel):
    """A view of a chart of `pagecost_app.charts` (`chart.root`, `chart.recolour`).

    jupyter_bokeh's widget, and what it lacks: `redrawing` sends all changes of an answer as one message, before Bokeh
    does its bookkeeping; a view that shows an old answer (it was made before the last change, or after a reload) is
    sent a fresh one; the chart carries its words for those who cannot see it; it follows JupyterLab's theme.
    """

    _dark = False  # of the last view anywhere in this kernel: a new chart starts on the right ground

    def __init__(self, chart, words: str):
        self._chart = chart
        self._changes: list | None = None
        self._asked = 0  # files so far
        self._is_dark = LiveChart._dark
        self._face = ColumnDataSource({"version": [0], "words": [words]}, name="face")
        self._face.on_change("tags", lambda attr, old, new: self._seen(*new))
        for model in chart.root.references():
            model.syncable = False  # else every view would report the ranges it computed, and keep the kernel busy
        chart.root.tags = [self._face]  # so that it is part of the document
        document = Document()
        document.theme = style.theme(self._is_dark)
        chart.recolour(self._is_dark)
        document.add_root(chart.root)
        args = {"root": chart.root, "face": self._face}
        document.js_on_event("document_ready", CustomJS(args=args, code=IN_THE_PAGE))
        super().__init__(chart.root)

    def update_from_model(self, model) -> None:
        """Follow the chart. Its bundle is made once, by `get_state`, as the widget opens; jupyter_bokeh makes one here,
        too, a tenth of a second for each chart."""
        self._model = model
        self._document.on_change_dispatch_to(self)

    @contextlib.contextmanager
    def redrawing(self, words: str | None = None):
        """Changes of the chart inside the `with` reach every view together. words: the new text alternative."""
        models = self._document.models
        grown = []
        models.invalidate = lambda: grown.append(True)  # looking for new models takes 60 ms: after the message
        self._changes = []
        try:
            yield
        finally:
            del models.invalidate  # the manager's own again
            said = self.words if words is None else words
            self._face.data = {"version": [self._version + 1], "words": [said]}
            changes, self._changes = self._changes, None
            self._send_patch(changes)
            if grown:
                models.recompute()
            models.flush_synced()

    def save(self, kind: str, name: str, line: str, text: str = "") -> None:
        """Have the page save a file called `name`: the chart as "svg" or "png", with a line below it that says what
        made it, or "csv", a text.
        """
        self._asked += 1
        asked = {"kind": kind, "name": name, "line": line, "text": text, "number": self._asked}
        self._face.data = dict(self._face.data) | {"asked": [json.dumps(asked)]}

    @property
    def words(self) -> str:
        """The chart in words."""
        return self._face.data["words"][0]

    def get_state(self, key=None, drop_defaults=False):
        """The state a new view starts with; the chart in it is always the chart of now."""
        asked = {key} if isinstance(key, str) else set(key or ["render_bundle"])
        if "render_bundle" in asked:
            self._trait_values["render_bundle"] = self._model_to_traits(self._model)
        return super().get_state(key=key, drop_defaults=drop_defaults)

    @property
    def _version(self) -> int:
        return self._face.data["version"][0]

    def _seen(self, dark: bool, version: int) -> None:
        """A view says what it shows."""
        is_old = version != self._version
        if dark != self._is_dark:
            self._is_dark = LiveChart._dark = dark
            with self.redrawing():
                self._document.theme = style.theme(dark)
                self._chart.recolour(dark)
        if is_old:
            self.send_state("render_bundle")

    def _document_patched(self, event) -> None:
        if event.setter is self:
            return
        if self._changes is None:
            self._send_patch([event])
        else:
            self._changes.append(event)

    def _send_patch(self, changes) -> None:
        if not changes:
            return
        serializer = Serializer(references=self._document.models.synced_references, deferred=False)
        message = patch_doc(patch_doc.create_header(), {}, {"events": serializer.encode(changes)})
        for part in (message.header_json, message.metadata_json, serialize_json(message.content)):
            self.send({"msg": "patch", "payload": part})


def standalone(chart, words: str, with_bokeh: bool) -> str:
    """The chart as HTML that is alive in any browser without a kernel; with_bokeh: BokehJS goes along."""
    script, (place,) = embedding.parts([chart.root])
    library = embedding.library() if with_bokeh else ""
    return f'<script>{library}</script><div role="figure" aria-label="{html.escape(words)}">{place}</div>{script}'


def bokeh_loader() -> dict:
    """A display bundle that gives the page BokehJS, if it has none yet, from this machine and never from elsewhere."""
    library = embedding.BOKEH_JS.read_text("utf8")
    code = f"if (window.Bokeh?.version !== '{bokeh.__version__}') {{ (function() {{ {library}\n }}).call(window) }}"
    return {"application/javascript": code, "text/plain": ""}
