// Keys of whatever has the focus inside a stepper, but not of what has keys of its own; before JupyterLab's own
if (!window.pagecost_stepper_keys) {
  window.pagecost_stepper_keys = true
  const parts = {ArrowLeft: "back", ArrowRight: "step", Home: "first", End: "last", " ": "play"}
  Object.assign(parts, {e: "erase", w: "why", PageUp: "previous", PageDown: "next", f: "full"})
  const wish = (stepper, what) => {
    const input = stepper.querySelector(".pagecost-walk-wish input")
    input.value = Date.now() + " " + what
    input.dispatchEvent(new Event("change", {bubbles: true}))
    stepper.querySelector(".pagecost-walk-boxes").focus()  // what was pressed is about to be drawn anew
  }
  window.addEventListener("keydown", (event) => {
    const at = event.target, stepper = at.closest?.(".pagecost-stepper"), part = parts[event.key]
    const answer = stepper?.querySelector(`[data-wish="answer ${event.key - 1}"]`)
    if (!stepper || !(part || answer) || event.ctrlKey || event.altKey || event.metaKey) return
    if (at.matches("input, select, textarea, .noUi-handle") || (event.key === " " && at.matches("button"))) return
    const place = answer || stepper.querySelector(".pagecost-walk-" + part)
    if (!place) return
    ;(place.matches("button") ? place : place.querySelector("button")).click()
    event.preventDefault()
    event.stopPropagation()
  }, true)
  // ipywidgets leaves the handle of a slider without a name
  new MutationObserver(() => {
    for (const handle of document.querySelectorAll(".pagecost-stepper .noUi-handle:not([aria-label])"))
      handle.setAttribute("aria-label", handle.closest(".widget-slider").querySelector(".widget-label").textContent.trim())
  }).observe(document.body, {subtree: true, childList: true})
  // what a picture offers to press: a wish, or the event to go to and who caused it; and the full screen
  window.addEventListener("click", (event) => {
    const stepper = event.target.closest?.(".pagecost-stepper")
    if (!stepper) return
    const wished = event.target.closest("[data-wish]"), pressed = event.target.closest("[data-event]")
    if (wished) wish(stepper, wished.dataset.wish)
    if (event.target.closest(".pagecost-walk-full")) {
      if (document.fullscreenElement) document.exitFullscreen()
      else stepper.requestFullscreen?.()
    }
    if (!pressed) return
    const input = stepper.querySelector(".pagecost-walk-position input")
    input.value = pressed.dataset.event
    input.dispatchEvent(new Event("change", {bubbles: true}))
    const why = stepper.querySelector(".pagecost-walk-why")
    if (why && !why.classList.contains("mod-active")) why.click()
  }, true)
}
