"""How long every page takes to open, and from slider to chart, in a real browser: run it with the machine to itself.

`python bench_pages.py [STUDY …]` prints a line for each, slowest last, and which are over the budget of 60 ms in the
median and 100 ms at 95 %. Kernels are loaded and answers computed before: it is the page that is measured.
"""

import os
import shutil
import sys
import time

import numpy as np
from playwright.sync_api import Error, sync_playwright

from pagecost import studies
from pagecost.studies.fields import Steps, group_of, kind_of
from pagecost_app import compiling, pages
from pagecost_app.pages import contents
from pagecost_app.server import AppServer

MEDIAN_MS, LATE_MS = 60, 100
MOVES, PATIENCE_MS = 12, 8000
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
NAMED = "name => window.Bokeh?.documents?.[0]?.get_model_by_name(name)"
OPEN = "address => { Bokeh.documents[0].get_model_by_name('address').value = address }"
ANSWERED = f"name => ({NAMED})(name + '.answer')?.text.length > 0 && !({NAMED})(name + '.status')?.text"
# the page's own clock: from the moment that the slider's value changes to the next frame after the chart's data have
WATCH = """study => new Promise((done) => {
  const model = (name) => Bokeh.documents[0].get_model_by_name(name)
  const slider = model(study.slider), at = slider.categories.indexOf(slider.value)
  const next = at + study.step
  let over = false
  const note = () => { if (!over) { over = true; const said = performance.now() - begun
    requestAnimationFrame(() => done([said, performance.now() - begun])) } }
  for (const each of Bokeh.documents[0]._all_models.values())
    if (each.type == "ColumnDataSource" && each.name?.startsWith(study.name + ".")
        && !/\\.(result|csv)$/.test(each.name)) each.properties.data.change.connect(note)
  const begun = performance.now()
  setTimeout(() => done(null), study.patience)
  slider.value = slider.categories[next]
})"""
RELEASE = "name => { const s = Bokeh.documents[0].get_model_by_name(name); s.setv({value_throttled: s.value}) }"


def sliders(study) -> list[str]:
    """Names of the inputs that are sliders and not folded away, those first."""
    fields = study.Inputs.model_fields.items()
    found = [(bool(group_of(field)), name) for name, field in fields if isinstance(kind_of(field), Steps)]
    return [name for _, name in sorted(found, key=lambda each: each[0])]


def opened_ms(page, name: str) -> float:
    """From the wish for a question to its whole answer, in a page that has not shown it before."""
    begun = time.perf_counter()
    page.evaluate(OPEN, contents.address_of(contents.title_with(name), name))
    page.wait_for_function(ANSWERED, arg=name)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return 1e3 * (time.perf_counter() - begun)


def moved_ms(page, name: str, slider: str) -> list[float]:
    """Milliseconds from slider to painted chart, for moves to and fro."""
    found = []
    stops, at = page.evaluate(
        f"name => {{ const s = ({NAMED})(name); return [s.categories.length, s.categories.indexOf(s.value)] }}", slider
    )
    step = 1 if at < stops - 1 else -1
    for _ in range(MOVES):
        took = page.evaluate(WATCH, {"name": name, "slider": slider, "step": step, "patience": PATIENCE_MS})
        if took is None:  # this input does not move the chart, or not in time
            break
        found.append(took[1])
        step = -step
    page.evaluate(RELEASE, slider)
    page.wait_for_function(ANSWERED, arg=name)
    return found


def main(names: list[str]) -> None:
    """Measure and print."""
    compiling.begin()
    server = AppServer(pages.build)
    with sync_playwright() as playwright:
        executable = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(120_000)
        page.goto(server.url)
        page.wait_for_function(NAMED, arg="address")
        rows = []
        for name in names:
            try:
                row = (name, opened_ms(page, name), *measured(page, name))
            except Error as error:
                row = (name, np.nan, str(error).splitlines()[0][:40], np.nan, np.nan)
            rows.append(row)
            print(line(*row), flush=True)
        browser.close()
    server.stop()
    compiling.end()
    slow = [row for row in rows if not (row[3] <= MEDIAN_MS and row[4] <= LATE_MS)]
    print(f"\n{len(slow)} of {len(rows)} over {MEDIAN_MS} ms median or {LATE_MS} ms at 95 %, slowest last:")
    for row in sorted(slow, key=lambda row: row[3]):
        print(line(*row))
    opening = [row[1] for row in rows]
    print(f"opening: median {np.nanmedian(opening):.0f} ms, 95 % {np.nanpercentile(opening, 95):.0f} ms")


def measured(page, name: str) -> tuple[str, float, float]:
    """(the slider, median, 95 %) [ms] of the first slider that moves the chart."""
    for slider in sliders(studies.find(name)):
        found = moved_ms(page, name, f"{name}.{slider}")
        if found:
            return slider, *np.percentile(found, [50, 95])
    return "no slider moves it", np.nan, np.nan


def line(name: str, open_ms: float, slider: str, median: float, late: float) -> str:
    """A row of the table."""
    return f"{name:28s} open {open_ms:7.0f} ms   {slider:24s} median {median:6.0f} ms  95 % {late:6.0f} ms"


if __name__ == "__main__":
    main(sys.argv[1:] or list(studies.STUDIES))
