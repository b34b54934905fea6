"""Names and roles for what Bokeh draws without any: the handle of a slider, a chosen chip, a figure.

A screen reader reads them out, and whoever moves by keyboard is told where they are. Every view tells its own part once
it is rendered; nothing is looked for in the page afterwards.
"""

from bokeh.models import CustomJS

from pagecost_app.pages import long_lists

# `tell[type of a model](view)` runs after each rendering of a view; `also` keeps it true when a model changes
NAMES = r"""
const told = new WeakSet()
const heard = new WeakMap()
const also = (view, properties, action) => {
  const known = heard.get(view) ?? new Set()
  heard.set(view, known)
  for (const property of properties.filter((property) => !known.has(property))) {
    known.add(property)
    view.connect(property.change, () => action(view))
  }
}
const read = new DOMParser()
const plain = (html) => read.parseFromString(html ?? "", "text/html").body.textContent.replace(/\s+/g, " ").trim()
const set = (node, values) => {
  for (const [name, value] of Object.entries(values))
    if (value === null) node?.removeAttribute(name)
    else if (node?.getAttribute(name) !== value) node?.setAttribute(name, value)
}

"""
TELL = r"""
const slider = (view) => {
  const {title, value, categories} = view.model.properties
  const shown = view.title_el.querySelector("span")?.textContent
  for (const handle of view.slider_el.querySelectorAll(".noUi-handle"))
    set(handle, {"aria-label": view.model.title || view.model.name || "slider", "aria-valuetext": shown ?? null})
  also(view, [title, value, ...(categories ? [categories] : [])], slider)
}

// Bokeh gives the search line and the chips roles that do not fit, and names each button by an id
const chips = (view) => {
  const list = view.choice_el.itemList.element, {title} = view.model
  const label = (item) => item.firstChild?.textContent ?? item.dataset.value
  const again = () => {
    for (const item of list.children) {
      set(item, {"aria-selected": null, role: null})
      set(item.querySelector("button"), {"aria-label": `Remove ${label(item)} from ${title}`})
    }
    foldChips(view, title, [...list.children].map(label))
  }
  set(view.choice_el.input.element, {role: null, "aria-label": `${title}: add one`})
  set(view.choice_el.containerOuter.element,
    {role: "group", "aria-label": title, "aria-expanded": null, "aria-haspopup": null, "aria-autocomplete": null})
  // Tab would stop at the list that is scrolled, which is folded then, and the focus be nowhere
  set(view.choice_el.choiceList.element, {"aria-label": title, tabindex: "-1"})
  set(view.choice_el.dropdown.element, {tabindex: "-1"})
  again()
  if (told.has(list)) return
  told.add(list)
  new MutationObserver(again).observe(list, {childList: true})
}

const spinner = (view) => {
  const steps = [["up", "more"], ["down", "less"]]  // the arrow keys do the same
  for (const [way, word] of steps)
    set(view.shadow_el.querySelector(`.bk-spin-btn-${way}`),
      {"aria-label": `${view.model.title || view.model.name}: ${word}`, tabindex: "-1"})
}

const line = (view) => {
  if (!view.model.title) set(view.input_el, {"aria-label": view.model.placeholder || view.model.name})
}

const pressed = (view) => {
  set(view.button_el, {"aria-pressed": String(view.model.active)})
  also(view, [view.model.properties.active], pressed)
}
const group = (view) => {
  const chosen = [view.model.active].flat()
  view._buttons.forEach((button, number) => set(button, {"aria-pressed": String(chosen.includes(number))}))
  set(view._buttons[0]?.parentElement, {role: "group", "aria-label": view.model.tags[0] ?? view.model.name})
  also(view, [view.model.properties.active], group)
}

const sentence = (text) => text.replace(/[^.?!]$/, "$&.")
// A figure is a picture: its title, what its axes show, and the finding of its page
const figure = (view) => {
  const {title, name, left, below, above, right, center} = view.model
  const asks = (name ?? "").split(".")[0] + ".answer"
  const shown = [...Bokeh.index.query((each) => each.model.name?.endsWith(".answer"))].map((each) => each.model)
  const answer = shown.find((model) => model.name === asks) ?? shown.find((model) => model.text)
  // a figure that comes back to the page is drawn before the document knows its finding again
  if (!answer?.text && (view.waited = (view.waited ?? 0) + 1) < 20) setTimeout(() => figure(view), 250)
  const axes = (models) => models.map((model) => model.visible && model.axis_label).filter(Boolean).join(", ")
  const legends = [left, below, above, right, center].flat().filter((model) => model.type === "Legend" && model.visible)
  const items = legends.flatMap(({items}) => items.filter((item) => item.visible).map((item) => item.label?.value))
  const y = axes(left), x = axes(below.filter((model) => "axis_label" in model))
  const parts = [
    plain(title?.text),
    y && x ? `${y} over ${x}` : y || x,
    items.some(Boolean) ? `Drawn: ${items.filter(Boolean).join(", ")}` : "",
    plain(answer?.text),
  ]
  set(view.el, {role: "img", "aria-label": parts.filter(Boolean).map(sentence).join(" ") || "chart"})
  const labels = [...left, ...below].map((model) => model.properties.axis_label).filter(Boolean)
  const words = [title].filter(Boolean).map((model) => model.properties.text)
  const drawn = legends.flatMap(({items, properties}) =>
    [properties.items, ...items.map((item) => item.properties.visible)])
  also(view, [...words, ...labels, ...drawn], figure)
}

const words = (view) => {
  if (!view.model.name?.endsWith(".answer")) return
  for (const drawn of Bokeh.index.query((each) => each.model.type === "Figure")) figure(drawn)
  also(view, [view.model.properties.text], words)
}
const canvas = (view) => {
  for (const node of view.shadow_el.querySelectorAll("[tabindex]")) set(node, {tabindex: "-1"})  // no key does anything
}

const table = (view) => {
  const grid = view.shadow_el.querySelector(".bk-data-table")
  for (const node of grid?.querySelectorAll("[tabindex], [hidefocus]") ?? []) set(node, {tabindex: "-1"})
  set(grid?.querySelector(".slick-viewport-top.slick-viewport-left"),
    {tabindex: "0", role: "group", "aria-label": "Numbers, to be scrolled"})
}

const tell = {
  Slider: slider, CategoricalSlider: slider, MultiChoice: chips, Select: longList, Spinner: spinner, TextInput: line,
  Toggle: pressed, RadioButtonGroup: group, CheckboxButtonGroup: group, Figure: figure, Div: words, Canvas: canvas,
  DataTable: table,
}

// Widgets, and no figures, grow with the words. Rows go on in a further line where they are too narrow, figures too
const is_widget = (view) => {
  for (let kind = view.constructor; kind?.prototype; kind = Object.getPrototypeOf(kind))
    if (kind.__name__ === "WidgetView") return true
  return false
}
const ring = new CSSStyleSheet()
ring.replaceSync(`
  :focus-visible, :host(:focus-visible) { outline: 3px solid var(--focus) !important; outline-offset: 2px !important; }
  .slick-viewport:focus-visible, .scrolls:focus-visible { outline-offset: -3px !important; }
  .choices__input:focus-visible { outline: 0 !important; }
  .bk-btn { white-space: normal; max-width: 100%; }
  summary { padding: 4px 0; min-height: 24px; }
`)
const fit = (view) => {
  const sheets = view.el?.shadowRoot?.adoptedStyleSheets
  if (sheets && !sheets.includes(ring)) view.el.shadowRoot.adoptedStyleSheets = [...sheets, ring]
  if (is_widget(view)) view.el.style.zoom = "var(--size, 1)"
  else if (view.model?.type === "Row") view.el.style.flexWrap = "wrap"
  else if (view.model?.type === "Figure" && view.parent?.model) {
    view.el.style.forcedColorAdjust = "none"  // what is painted keeps its ground, so its legend has to
    const [columns, rows] = [view.model.x_range, view.model.y_range].map((range) => range.type === "FactorRange")
    const grid = rows && columns  // whose cells have words in them
    if (rows) view.el.style.minWidth = grid ? "560px" : "min(100%, 560px)"  // with their names they need room
    else if (view.parent.model.type === "Row") view.el.style.minWidth = "min(100%, 300px)"
    if (grid) view.parent.el.style.overflow = "auto hidden"
    if (grid) set(view.parent.el, {tabindex: "0", role: "group", "aria-label": "Charts, to be scrolled"})
  }
}
const one = (view) => {
  fit(view)
  try { tell[view.model?.type]?.(view) }
  catch (error) { console.warn(`${view.model} has no name for screen readers`, error) }
}
let base = Object.getPrototypeOf(Bokeh.index.roots[0])
while (!Object.hasOwn(base, "r_after_render")) base = Object.getPrototypeOf(base)
if (!base.pagecost_tells) {
  base.pagecost_tells = true
  const rendered = base.r_after_render
  base.r_after_render = function () {
    rendered.call(this)
    one(this)
  }
  // what is drawn anew keeps the focus: a list of chips is, whenever its title says that it was changed
  const again = base.rerender
  base.rerender = function () {
    const at = this.el.shadowRoot?.activeElement
    again.call(this)
    if (!at || this.el.shadowRoot.activeElement) return
    const like = [...this.el.shadowRoot.querySelectorAll(at.tagName)].filter((node) => node.className === at.className)
    const same = like.find((node) => node.getAttribute("aria-label") === at.getAttribute("aria-label"))
    ;(same ?? like[0])?.focus()
  }
}
const walk = (view) => { one(view); for (const child of view.children()) walk(child) }
for (const root of Bokeh.index.roots) walk(root)
"""


def names_and_roles() -> CustomJS:
    """What a document runs once, when it is ready, so that every widget and figure tells what it is."""
    return CustomJS(code=NAMES + long_lists.code() + TELL)
