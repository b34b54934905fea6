"""A search line for lists that are too long to be read through, and chosen chips that fold where there are many.

The browser's own list stays: it shows what is chosen, has the name and takes the change. Where it is long, what opens
is a small window with a line to type a part of a name into. Choices.js, which Bokeh's lists of chips are made with,
would put a list of its own in its place, with roles that do not fit.
"""

LONG = 15  # options; a list with more gets a search line
MOST_CHIPS = 4  # chosen; more fold behind their number

SHEET = """
.long-list { position: fixed; inset: auto; margin: 0; padding: 8px; box-sizing: border-box; color: var(--ink);
  background: var(--ground); border: 1px solid var(--muted); border-radius: 8px; box-shadow: 0 6px 24px #0004;
  font: 13px/1.4 var(--font); white-space: normal; }
.long-list input { box-sizing: border-box; width: 100%; padding: 5px 8px; font: inherit; color: var(--ink);
  background: var(--ground); border: 1px solid var(--muted); border-radius: 4px; }
.long-list ul { list-style: none; margin: 6px 0 0; padding: 0; overflow: auto; overscroll-behavior: contain; }
.long-list li { padding: 4px 8px; min-height: 16px; border-left: 3px solid transparent; cursor: pointer;
  overflow-wrap: anywhere; }
.long-list li[aria-selected=true] { font-weight: 650; }
.long-list li.at { background: var(--panel); border-left-color: var(--focus); outline: 1px solid var(--faint);
  outline-offset: -1px; }
.long-list p { margin: 8px 8px 2px; color: var(--muted); }
@media (forced-colors: active) { .long-list li.at { outline: 2px solid Highlight; outline-offset: -2px; } }
.fold { display: block; box-sizing: border-box; width: 100%; margin-bottom: 4px; padding: 4px 8px; min-height: 26px;
  font: 12.5px/1.35 var(--font); text-align: left; color: var(--ink); background: var(--ground); cursor: pointer;
  border: 1px solid var(--faint); border-radius: 4px; white-space: normal; }
.fold b { font-weight: 650; }
.fold span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden;
  color: var(--muted); overflow-wrap: anywhere; }
.choices.folded .choices__list--multiple { display: none; }
"""

# `longList(view)` after each rendering of a Select, `foldChips(view, title, label)` whenever chips came or went
CODE = (
    f"const LONG = {LONG}, MOST_CHIPS = {MOST_CHIPS}\n"
    + r"""
const wears = (view, worn) => {
  const sheets = view.el.shadowRoot.adoptedStyleSheets
  if (!sheets.includes(worn)) view.el.shadowRoot.adoptedStyleSheets = [...sheets, worn]
}
const listSheet = new CSSStyleSheet()
listSheet.replaceSync(LIST_LOOK)
const made = (tag, values, ...inside) => {
  const node = document.createElement(tag)
  set(node, values)
  node.append(...inside)
  return node
}

const openList = (view, select, typed) => {
  const title = plain(view.model.title) || view.model.name
  const id = `list-${view.model.id}`
  const line = made("input", {type: "text", role: "combobox", "aria-expanded": "true", "aria-autocomplete": "list",
    "aria-controls": id, "aria-label": `${title}: type part of a name`, placeholder: "type part of a name",
    autocomplete: "off", spellcheck: "false"})
  const list = made("ul", {id, role: "listbox", "aria-label": title, tabindex: "-1"})
  const none = made("p", {role: "status"})
  const box = made("div", {class: "long-list", popover: "auto", role: "dialog", "aria-label": title}, line, list, none)
  const close = () => { if (box.isConnected) box.hidePopover() }
  const choose = (item) => {
    close()
    select.focus()
    if (!item || select.selectedIndex === item.number) return
    select.selectedIndex = item.number
    select.dispatchEvent(new Event("change"))
  }
  const items = [...select.options].map((option, number) => {
    const item = made("li", {id: `${id}-${number}`, role: "option", "aria-selected": String(option.selected)},
      option.text)
    item.number = number
    item.addEventListener("click", () => choose(item))
    item.addEventListener("pointermove", () => mark(item, false))
    return item
  })
  let shown = items, at = null
  const mark = (item, scrolls = true) => {
    at?.classList.remove("at")
    at = item ?? null
    at?.classList.add("at")
    set(line, {"aria-activedescendant": at?.id ?? null})
    if (scrolls) at?.scrollIntoView({block: "nearest"})
  }
  const narrow = () => {
    const words = line.value.toLowerCase().split(/\s+/).filter(Boolean)
    shown = items.filter((item) => words.every((word) => item.textContent.toLowerCase().includes(word)))
    list.replaceChildren(...shown)
    none.textContent = shown.length ? "" : "nothing is called so"
    none.hidden = shown.length > 0
    mark(words.length ? shown[0] : items[select.selectedIndex] ?? items[0])
  }
  const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8}
  line.addEventListener("input", narrow)
  line.addEventListener("keydown", (event) => {
    if (event.key in step) {
      const next = shown.indexOf(at) + step[event.key]
      mark(shown[Math.max(0, Math.min(next, shown.length - 1))])
    } else if (event.key === "Enter") choose(at)
    else if (event.key === "Escape") choose(null)
    else if (event.key === "Tab") { choose(null); return }  // and on from there
    else return
    event.preventDefault()
  })
  // what is typed here is meant for nothing else on the page
  for (const kind of ["keydown", "input", "change"]) box.addEventListener(kind, (event) => event.stopPropagation())
  const moved = () => { if (Math.abs(select.getBoundingClientRect().top - place.top) > 2) close() }
  box.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return
    removeEventListener("scroll", moved, true)
    box.remove()
  })
  addEventListener("scroll", moved, true)
  select.focus()
  select.after(box)
  line.value = typed
  box.showPopover()
  const zoom = box.currentCSSZoom ?? 1, place = select.getBoundingClientRect()
  const width = Math.min(Math.max(place.width, 300 * zoom), innerWidth - 16)
  const under = innerHeight - place.bottom, above = under < 260 && place.top > under
  const room = Math.min((above ? place.top : under) - 12, 420 * zoom)
  list.style.maxHeight = `${room / zoom - 60}px`
  box.style.width = `${width / zoom}px`
  box.style.left = `${Math.max(8, Math.min(place.left, innerWidth - width - 8)) / zoom}px`
  if (above) box.style.bottom = `${(innerHeight - place.top + 2) / zoom}px`
  else box.style.top = `${(place.bottom + 2) / zoom}px`
  narrow()
  line.focus()
}

const listed = new WeakSet()
const longList = (view) => {
  const select = view.input_el
  if (listed.has(select)) return
  listed.add(select)
  wears(view, listSheet)
  const isLong = () => select.options.length > LONG
  let wasOpen = false  // the browser closes it when the button is let go, before there is a click
  select.addEventListener("mousedown", (event) => {
    if (!isLong()) return
    wasOpen = select.nextElementSibling?.matches(".long-list") === true
    event.preventDefault()
  })
  select.addEventListener("click", () => {
    if (isLong() && !wasOpen) openList(view, select, "")
  })
  select.addEventListener("keydown", (event) => {
    if (!isLong() || event.ctrlKey || event.metaKey) return
    const typed = event.key.length === 1 && event.key !== " " && !event.altKey ? event.key : ""
    if (!typed && ![" ", "Enter", "ArrowDown", "ArrowUp", "F4"].includes(event.key)) return
    event.preventDefault()
    event.stopPropagation()
    openList(view, select, typed)
  })
}

const foldChips = (view, title, names) => {
  const outer = view.choice_el.containerOuter.element
  const many = names.length > MOST_CHIPS, open = many && view.pagecost_unfolded === true
  wears(view, listSheet)
  outer.classList.toggle("folded", many && !open)
  view.choice_el.input.element.placeholder = many && !open ? "add one" : ""
  let button = outer.previousElementSibling?.matches(".fold") ? outer.previousElementSibling : null
  if (!many) { button?.remove(); return }
  if (!button) {
    button = made("button", {type: "button", class: "fold"}, made("b", {}), made("span", {}))
    button.addEventListener("click", () => {
      view.pagecost_unfolded = view.pagecost_unfolded !== true
      chips(view)
    })
    outer.before(button)
  }
  const [count, said] = button.children
  count.textContent = open ? `${names.length} chosen, fold` : `${names.length} chosen …`
  said.textContent = open ? "" : names.join(", ")
  said.hidden = open
  set(button, {"aria-expanded": String(open), title: names.join(", "),
    "aria-label": `${title}: ${count.textContent} ${names.join(", ")}`})
}
"""
)


def code() -> str:
    """JavaScript that defines both, for the script that is told of every rendered view."""
    return f"const LIST_LOOK = `{SHEET}`\n{CODE}"
