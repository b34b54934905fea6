"""A text to be copied, such as the details of a fault: a button, and the text itself on demand."""

import html

from bokeh.models import CustomJS

# Where a window refuses its clipboard to scripts, the text is shown and chosen, to be copied by hand
COPY = """
document.addEventListener("click", async (event) => {
  const button = event.composedPath().find((node) => node.dataset?.copies !== undefined)
  if (!button) return
  const shown = button.parentNode.querySelector("pre")
  try {
    await navigator.clipboard.writeText(shown.textContent)
    button.textContent = "Copied"
  } catch {
    shown.closest("details").open = true
    getSelection().selectAllChildren(shown)
    button.textContent = document.execCommand("copy") ? "Copied" : "Press Ctrl-C to copy"
  }
})
"""
BUTTON = "font:inherit;color:var(--ink);background:var(--panel);border:1px solid var(--faint);border-radius:4px"


def copying() -> CustomJS:
    """What a document runs once, when it is ready, so that its buttons copy."""
    return CustomJS(code=COPY)


def to_copy(details: str) -> str:
    """HTML of a button that copies the details, and of the details; nothing where there are none."""
    if not details:
        return ""
    return (
        f'<div style="padding:6px 12px"><button type="button" data-copies style="{BUTTON};padding:4px 10px">'
        "Copy details</button><details><summary>Details</summary>"
        f'<pre style="white-space:pre-wrap;font-size:12px">{html.escape(details)}</pre></details></div>'
    )
