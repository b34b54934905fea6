// What the fields of exercises lack: Enter answers, names for what ipywidgets leaves without, presses on a curve
if (!window.pagecost_exercises) {
  window.pagecost_exercises = true
  window.addEventListener("keydown", (event) => { // before JupyterLab's own keys
    if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return
    if (!event.target.matches?.(".pagecost-exercise .pagecost-enter input")) return
    event.target.closest(".pagecost-exercise").querySelector(".pagecost-answer-button").click()
    event.preventDefault()
    event.stopPropagation()
  }, true)

  const panels = ".pagecost-exercise "
  const text = (element, child) => element.querySelector(child)?.textContent.trim() ?? ""
  const name = () => {
    for (const panel of document.querySelectorAll(".pagecost-exercise:not([role])")) {
      panel.setAttribute("role", "group")
      panel.setAttribute("aria-label", text(panel, ".pagecost-question b"))
    }
    // a field says its name as its title; labels that nothing points to
    for (const [found, role] of [[".widget-radio-box", "radiogroup"], ["select[multiple], select[size]", ""], [".pagecost-lines textarea", ""]])
      for (const field of document.querySelectorAll(panels + found)) {
        const title = field.title || field.closest("[title]")?.title
        if (role) field.setAttribute("role", role)
        if (title && field.getAttribute("aria-label") !== title) field.setAttribute("aria-label", title)
      }
    for (const slider of document.querySelectorAll(panels + ".widget-slider"))
      for (const handle of slider.querySelectorAll(".noUi-handle")) {
        const said = [text(slider, ".widget-label"), text(slider, ".widget-readout")]
        if (handle.getAttribute("aria-valuetext") === said[1] && handle.hasAttribute("aria-label")) continue
        handle.setAttribute("aria-label", said[0])
        handle.setAttribute("aria-valuetext", said[1])
      }
  }
  let asked = false
  new MutationObserver(() => {
    if (asked) return
    asked = true
    requestAnimationFrame(() => { asked = false; name() })
  }).observe(document.body, {subtree: true, childList: true, characterData: true})

  // a press on the drawing sets the value of the nearest place
  const draw = (event) => {
    const picture = event.target.closest?.(".pagecost-drawing")
    if (!picture) return
    const inputs = [...picture.closest(".pagecost-curve").querySelectorAll(".pagecost-at input")]
    if (!inputs.length || inputs[0].disabled) return
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse())
    const places = JSON.parse(picture.dataset.places), far = places.map((place) => Math.abs(place - point.x))
    const input = inputs[far.indexOf(Math.min(...far))]
    const [top, bottom, least, most, logarithmic] = JSON.parse(picture.dataset.scale)
    const share = Math.min(Math.max((bottom - point.y) / (bottom - top), 0), 1)
    const value = logarithmic ? least * (most / least) ** share : least + (most - least) * share
    input.value = Number(value.toPrecision(3))
    input.dispatchEvent(new Event("change", {bubbles: true}))
  }
  window.addEventListener("pointerdown", (event) => {
    if (!event.target.closest?.(".pagecost-drawing")) return
    event.preventDefault()
    draw(event)
  })
  window.addEventListener("pointermove", (event) => { if (event.buttons === 1) draw(event) })
}
