"""Save a study's chart as a file: HTML that works offline, or a picture drawn by a browser of this machine."""

import re
import shutil
import subprocess
import tempfile
from html import escape, unescape
from pathlib import Path

from bokeh.core.templates import FILE, get_env
from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.models.widgets import Div
from bokeh.resources import Resources

from pagecost.errors import ModelError, require
from pagecost.studies import Result, Study, StudyInputs
from pagecost_app.charts import style

WIDTH, HEIGHT = 1200, 2400  # of the window; a picture ends where its page ends
MARGIN = 16
BROWSERS = ("chromium", "google-chrome", "chromium-browser", "msedge", "chrome")
TIMEOUT_S = 60
MARK = "pagecost-picture"
# Replaces the page by the text of its picture, once Bokeh has drawn it
AS_SVG = (
    """{% extends base %}{% block postamble %}<script>
  const draw = async () => {
    const view = Bokeh.index.roots[0]
    const picture = document.createElement("pre")
    picture.id = "MARK"
    picture.textContent = await (await view.export("svg").to_blob()).text()
    document.body.replaceChildren(picture)
  }
  window.addEventListener("load", () => setTimeout(draw, 1000))
</script>{% endblock %}"""
).replace("MARK", MARK)


def save(study: Study, inputs: StudyInputs, result: Result, path: Path) -> None:
    """Draw the answer into `path`; its ending chooses the form: .html, .svg or .png.

    Raises ModelError for another ending, for a folder that cannot be written, or when a picture is wanted and the
    machine has no Chromium, Chrome or Edge to draw it.
    """
    kind = path.suffix.lower().lstrip(".")
    require(kind in ("html", "svg", "png"), f"a chart is saved as .html, .svg or .png; got {path.name!r}")
    page = html(study, inputs, result, AS_SVG if kind == "svg" else None)
    try:
        if kind == "html":
            path.write_text(page, "utf8")
        elif kind == "png":
            _browse(page, [f"--screenshot={path.absolute()}", f"--window-size={WIDTH},{HEIGHT}"])
            _crop(path)
        else:
            dom = _browse(page, ["--dump-dom", f"--window-size={WIDTH},{HEIGHT}"])
            path.write_text(_svg_in(dom), "utf8")
    except OSError as error:
        raise ModelError(f"cannot write {path}: {error.strerror}") from None


def html(study: Study, inputs: StudyInputs, result: Result, template: str | None = None) -> str:
    """One HTML page with the chart, its question and its answer; nothing is loaded from elsewhere."""
    from bokeh.layouts import column

    from pagecost_app.charts import CHARTS

    chart = CHARTS[study.name]()
    chart.update(inputs, result)
    answer = chart.describe(inputs, result)
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    heading = f"<h1 style='font:600 19px sans-serif'>{escape(study.title)}</h1>"
    words = Div(text=f"{heading}<p style='font:14px sans-serif'>{escape(answer)}</p>")
    foot = Div(text=f"<ul style='font:13px sans-serif'>{notes}</ul>")
    drawn = chart.root if template else column(words, chart.root, foot, sizing_mode="stretch_width")
    document = Document()
    document.add_root(drawn)
    document.theme = style.theme(False)
    chosen = get_env().from_string(template) if template else FILE
    return file_html(
        document, Resources(mode="inline"), title=study.title, template=chosen, suppress_callback_warning=True
    )


def _browse(page: str, options: list[str]) -> str:
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise ModelError("a picture needs Chromium, Chrome or Edge on this machine; save .html instead")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "chart.html"
        source.write_text(page, "utf8")
        command = [
            *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *(f"--user-data-dir={folder}/profile", "--virtual-time-budget=20000"),
        ]
        done = subprocess.run(
            [*command, *options, source.as_uri()], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        require(done.returncode == 0, f"{browser} could not draw the chart: {done.stderr.strip()[-200:]}")
        return done.stdout


def _crop(path: Path) -> None:
    """Cut off the empty part of the window below the page."""
    from PIL import Image, ImageChops  # late: only a picture needs it

    with Image.open(path) as picture:
        whole = picture.convert("RGB")
    blank = Image.new("RGB", whole.size, whole.getpixel((whole.width - 1, whole.height - 1)))
    drawn = ImageChops.difference(whole, blank).getbbox()
    if drawn:
        whole.crop((0, 0, whole.width, min(drawn[3] + MARGIN, whole.height))).save(path)


def _svg_in(dom: str) -> str:
    found = re.search(f'<pre id="{MARK}">(.*?)</pre>', dom, re.DOTALL)
    if found is None:
        raise ModelError("the browser gave no SVG; save .html or .png instead")
    return unescape(found[1])
