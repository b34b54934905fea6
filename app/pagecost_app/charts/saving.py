"""Save a study's chart as a file: HTML that works offline, or a picture drawn by a browser of this machine."""

import io
import re
import shutil
import tempfile
import textwrap
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

from bokeh.core.templates import FILE, get_env
from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.models.widgets import Div
from bokeh.resources import Resources

from pagecost import whole_files
from pagecost.errors import ModelError, require
from pagecost.studies import Result, Study, StudyInputs
from pagecost_app import made_with
from pagecost_app.charts import recolouring, style
from pagecost_app.other_programs import said_by

WIDTH, HEIGHT = 1200, 2400  # of the window; a picture ends where its page ends
MARGIN = 16
CAPTION, LETTER = 16, 6.2  # pixels: of a line below a picture that says what made it, of a letter in it
BROWSERS = ("chromium", "google-chrome", "chromium-browser", "msedge", "chrome")
TIMEOUT_S = 60.0
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


# A page whose ground and words follow the reader's light and dark; its charts do by a script
FOLLOWING = """{% extends base %}{% block preamble %}<style>
  :root { color-scheme: light dark; background: LIGHT_GROUND; color: LIGHT_INK; }
  @media (prefers-color-scheme: dark) { :root { background: DARK_GROUND; color: DARK_INK; } }
  @media print { :root { background: LIGHT_GROUND; color: LIGHT_INK; } }
</style>{% endblock %}{% block postamble %}<script>{% raw %}SCRIPT{% endraw %}</script>{% endblock %}"""
for shade, name in ((style.LIGHT, "LIGHT"), (style.DARK, "DARK")):
    FOLLOWING = FOLLOWING.replace(f"{name}_GROUND", shade["ground"]).replace(f"{name}_INK", shade["ink"])


def save(study: Study, inputs: StudyInputs, result: Result, path: Path, made: Mapping[str, Any] | None = None) -> None:
    """Draw the answer into `path`; its ending chooses the form: .html, .svg or .png.

    made: its provenance, a line below the picture and in the file.

    Raises ModelError for another ending, for a folder that cannot be written, or when a picture is wanted and the
    machine has no Chromium, Chrome or Edge that draws it in time.
    """
    kind = path.suffix.lower().lstrip(".")
    require(kind in ("html", "svg", "png"), f"a chart is saved as .html, .svg or .png; got {path.name!r}")
    made = made_with.of_study(study, inputs) if made is None else made
    page = html(study, inputs, result, made, AS_SVG if kind == "svg" else None, follows=kind == "html")
    try:
        if kind == "html":
            whole_files.write(path, page)
        elif kind == "png":
            whole_files.write(path, _png(page, made_with.in_one_line(made)))
        else:
            dom = _browse(page, ["--dump-dom", f"--window-size={WIDTH},{HEIGHT}"])
            whole_files.write(path, _captioned(_svg_in(dom), study.title, made_with.in_one_line(made)))
    except OSError as error:
        raise ModelError(f"cannot write {path}: {error.strerror}") from None


def html(
    study: Study,
    inputs: StudyInputs,
    result: Result,
    made: Mapping[str, Any] | None = None,
    template: str | None = None,
    *,
    follows: bool = True,
) -> str:
    """One HTML page with the chart, its question and its answer; nothing is loaded from elsewhere.

    template: of a page with the chart alone. follows: whether it turns dark where its reader's system is.
    """
    from bokeh.layouts import column

    from pagecost_app.charts import CHARTS

    chart = CHARTS[study.name]()
    chart.update(inputs, result)
    answer = study.describe(inputs, result)
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    heading = f"<h1 style='font:600 19px sans-serif'>{escape(study.title)}</h1>"
    words = Div(text=f"{heading}<p style='font:14px sans-serif'>{escape(answer)}</p>")
    line = f"<p style='font:12px sans-serif;opacity:.75'>{escape(made_with.in_one_line(made))}</p>" if made else ""
    foot = Div(text=f"<ul style='font:13px sans-serif'>{notes}</ul>{line}")
    drawn = chart.root if template else column(words, chart.root, foot, sizing_mode="stretch_width")
    if follows and not template:
        template = FOLLOWING.replace("SCRIPT", recolouring.script([chart]))
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
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a browser ends slowly
        source = Path(folder) / "chart.html"
        source.write_text(page, "utf8")
        command = [
            *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *(f"--user-data-dir={folder}/profile", "--virtual-time-budget=20000"),
        ]
        code, said, complaints = said_by([*command, *options, source.as_uri()], TIMEOUT_S)
        require(code == 0, f"{browser} could not draw the chart: {complaints.strip()[-200:]}")
        return said


def _png(page: str, made: str) -> bytes:
    """The page as a picture, without the empty part of the window below it; made: what made it, for the file."""
    try:
        from PIL import Image, ImageChops, PngImagePlugin  # late: only a picture needs it
    except ModuleNotFoundError:  # the packaged program
        raise ModelError("this package of pagecost writes no .png; save .svg or .html instead") from None

    told = PngImagePlugin.PngInfo()
    told.add_itxt("Description", made)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        shot = Path(folder) / "chart.png"
        _browse(page, [f"--screenshot={shot}", f"--window-size={WIDTH},{HEIGHT}"])
        require(shot.exists(), "the browser gave no picture; save .html instead")
        with Image.open(shot) as picture:
            whole = picture.convert("RGB")
    blank = Image.new("RGB", whole.size, whole.getpixel((whole.width - 1, whole.height - 1)))
    drawn = ImageChops.difference(whole, blank).getbbox()
    bottom = min(drawn[3] + MARGIN, whole.height) if drawn else whole.height
    cropped = io.BytesIO()
    whole.crop((0, 0, whole.width, bottom)).save(cropped, "png", pnginfo=told)
    return cropped.getvalue()


def _svg_in(dom: str) -> str:
    found = re.search(f'<pre id="{MARK}">(.*?)</pre>', dom, re.DOTALL)
    if found is None:
        raise ModelError("the browser gave no SVG; save .html or .png instead")
    return unescape(found[1])


def _captioned(svg: str, title: str, line: str) -> str:
    """The picture with its title and description for readers, and a line below it that says what made it."""
    found = re.match(r'<svg [^>]*?width="(\d+)" height="(\d+)"[^>]*>', svg)
    if found is None:
        raise ModelError("the browser gave an SVG without a size; save .html or .png instead")
    width, height = int(found[1]), int(found[2])
    rows = textwrap.wrap(line, max(int((width - 2 * MARGIN) / LETTER), 20), break_on_hyphens=False)
    foot = CAPTION * len(rows) + MARGIN // 2
    head = found[0].replace(f'height="{height}"', f'height="{height + foot}"', 1)
    head = re.sub(r' viewBox="[^"]*"', "", head)
    told = f"<title>{escape(title)}</title><desc>{escape(line)}</desc>"
    ground = f'<rect y="{height}" width="{width}" height="{foot}" fill="#ffffff"/>'
    look = f'x="{MARGIN}" font-family="sans-serif" font-size="11" fill="#5f6368"'
    text = "".join(
        f'<text y="{height + CAPTION * number}" {look}>{escape(row)}</text>' for number, row in enumerate(rows, start=1)
    )
    return f"{head}{told}{svg[found.end() :].removesuffix('</svg>')}{ground}{text}</svg>"
