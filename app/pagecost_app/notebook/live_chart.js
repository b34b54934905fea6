// Runs in the page whenever a view of the chart is drawn: first display, second display, page reload.
const figure = cb_context.index.find_one(root).el
const explorer = figure.closest(".pagecost-explorer")
const named = (group, child) => group.querySelector(child)?.textContent.trim() ?? ""

// ipywidgets leaves sliders and groups of check boxes without a name, and Bokeh its canvas without words
const name = () => {
  figure.setAttribute("role", "figure")
  figure.setAttribute("aria-label", face.get_column("words")[0])
  for (const slider of explorer?.querySelectorAll(".widget-slider") ?? []) {
    for (const handle of slider.querySelectorAll(".noUi-handle")) {
      handle.setAttribute("aria-label", named(slider, ".widget-label"))
      handle.setAttribute("aria-valuetext", named(slider, ".widget-readout"))
    }
  }
  for (const group of explorer?.querySelectorAll(".pagecost-group") ?? []) {
    group.setAttribute("role", "group")
    group.setAttribute("aria-label", named(group, ".widget-label"))
  }
  for (const toggle of explorer?.querySelectorAll(".widget-toggle-button") ?? [])
    toggle.setAttribute("aria-expanded", toggle.classList.contains("mod-active"))
}

// what this view shows, and on what ground: the kernel compares and sends what is missing
const report = () => {
  if (root.document == null) watch.disconnect()
  else face.tags = [document.body.dataset.jpThemeLight === "false", face.get_column("version")[0]]
}
const watch = new MutationObserver(report)
watch.observe(document.body, {attributes: true, attributeFilter: ["data-jp-theme-light"]})
face.connect(face.properties.data.change, name)
// of several views of a chart one saves what is asked for
face.connect(face.properties.data.change, () => {
  const asked = face.get_column("asked")?.[0]
  const which = `${face.id} ${asked}`
  if (asked == null || which === window.pagecostSaved || !figure.isConnected) return
  window.pagecostSaved = which
  saveFile(cb_context.index.find_one(root), JSON.parse(asked))
})
if (explorer) // labels change, buttons are pressed
  new MutationObserver(name).observe(explorer, {subtree: true, childList: true, characterData: true,
    attributes: true, attributeFilter: ["class"]})
name()
report()
