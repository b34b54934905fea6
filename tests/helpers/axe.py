"""What axe-core finds wrong with a page: names, roles, contrast, headings, landmarks. Nothing is loaded for it."""

import importlib.resources
from collections.abc import Sequence

AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf8")
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
LOOKS = ("light", "dark", "contrast")

# Each look is only a set of variables for what axe sees; the charts are pictures to it. All rules are tried in the
# first, the contrast of words in the others
RUN = """async ([rules, looks]) => {
  const shown = document.documentElement.dataset, before = shown.theme, found = []
  const wanted = {resultTypes: ["violations"], runOnly: rules}
  for (const look of looks) {
    shown.theme = look
    await new Promise(requestAnimationFrame)
    const {violations} = await axe.run(document, look === looks[0] ? wanted : {...wanted, runOnly: ["color-contrast"]})
    for (const {id, nodes} of violations)
      for (const node of nodes) found.push(`${look}: ${id}: ${node.html.slice(0, 200)}: ${node.failureSummary}`)
  }
  shown.theme = before
  return found
}"""


def violations(page, looks: Sequence[str] = LOOKS) -> list[str]:
    """A sentence for every violation on the page as it stands, in these looks."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    page.emulate_media(reduced_motion="reduce")  # words that just come or go are paler than they are
    try:
        return page.evaluate(RUN, [list(RULES), list(looks)])
    finally:
        page.emulate_media(reduced_motion="null")
