// Keys of whatever has the focus inside a stepper, but not of what has keys of its own; before JupyterLab's own
if (!window.pagecost_stepper_keys) {
  window.pagecost_stepper_keys = true
  const parts = {ArrowLeft: "back", ArrowRight: "step", Home: "first", End: "last", " ": "play"}
  window.addEventListener("keydown", (event) => {
    const at = event.target, stepper = at.closest?.(".pagecost-stepper"), part = parts[event.key]
    if (!stepper || !part || event.ctrlKey || event.altKey || event.metaKey) return
    if (at.matches("input, select, textarea") || (event.key === " " && at.matches("button"))) return
    const place = stepper.querySelector(".pagecost-walk-" + part)
    ;(place.matches("button") ? place : place.querySelector("button")).click()
    event.preventDefault()
    event.stopPropagation()
  }, true)
}
