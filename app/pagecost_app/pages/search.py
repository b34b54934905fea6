"""Search by words, in the browser alone: a button and Ctrl-K open a list that follows what is typed.

It is the pattern of a combobox with a listbox: arrows move, Enter opens, Escape leaves.
"""

import json
import threading

from bokeh.document import Document
from bokeh.models import ColumnDataSource, CustomJS
from bokeh.models.widgets import Button

from pagecost_app.pages import search_entries
from pagecost_app.pages.changes import deliver
from pagecost_app.pages.look import sheet

NAME = "search"
CSS = """
dialog.search { width: min(680px, calc(100vw - 32px)); max-height: min(640px, calc(100vh - 64px));
  margin: 8vh auto auto; padding: 0; overflow: hidden; border: 1px solid var(--muted); border-radius: 10px;
  background: var(--ground); color: var(--ink);
  font: 14px/1.4 var(--font); }
dialog.search[open] { display: flex; flex-direction: column; }
dialog.search::backdrop { background: rgba(0, 0, 0, 0.45); }
dialog.search input { font: 17px var(--font); color: var(--ink); background: var(--ground); padding: 14px 18px;
  border: 0; border-bottom: 1px solid var(--faint); outline: none; }
dialog.search input::placeholder { color: var(--muted); opacity: 1; }
dialog.search input:focus-visible { box-shadow: inset 0 -2px 0 #0072B2; }
dialog.search ul { list-style: none; margin: 0; padding: 6px; overflow-y: auto; flex: 1 1 auto; }
dialog.search li { display: grid; grid-template-columns: minmax(0, 1fr) max-content; gap: 0 14px; padding: 6px 12px;
  border-radius: 6px; cursor: pointer; }
dialog.search li[aria-selected=true] { background: #0072B2; color: #fff; }
dialog.search li small { color: var(--muted); font-size: 12px; }
dialog.search li .where { grid-column: 1 / -1; }
dialog.search li[aria-selected=true] small { color: #fff; }
dialog.search mark { background: none; color: inherit; font-weight: 700; text-decoration: underline;
  text-underline-offset: 2px; }
dialog.search p { margin: 0; padding: 7px 18px; border-top: 1px solid var(--faint); color: var(--muted);
  font-size: 12px; display: flex; justify-content: space-between; gap: 16px; }
"""

# How well a word fits: as the beginning of a word of the title, in it, in what is said of it; else with one letter
SCRIPT = """
const MOST = 40
const style = document.createElement("style")
style.textContent = css
const box = document.createElement("dialog")
box.className = "search"
box.setAttribute("aria-label", "Search")
box.innerHTML = `<input type="text" role="combobox" aria-expanded="true" aria-autocomplete="list" autocomplete="off"
  spellcheck="false" aria-controls="search-found" aria-label="Search questions, presets, papers and devices"
  placeholder="Search questions, presets, papers, devices"><ul role="listbox" id="search-found" aria-label="Found"></ul>
  <p><span role="status"></span><span>↑ ↓ to choose · Enter opens · Esc closes</span></p>`
document.head.append(style)
document.body.append(box)
const [line, list, told] = [box.querySelector("input"), box.querySelector("ul"), box.querySelector("[role=status]")]
const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/[\\u0300-\\u036f]/g, "")
const words_of = (text) => plain(text).split(/[^\\p{L}\\p{N}.]+/u).filter(Boolean)

let entries = null
const read = () => {
  const text = source.data.entries?.[0]
  if (entries || !text) return entries ?? []
  entries = JSON.parse(text).map(([title, kind, where, words, target, also], rank) => ({
    title, kind, where, target, rank, plain: plain(title),
    own: words_of(title + " " + also), more: words_of(where + " " + words),
  }))
  return entries
}
const near = (typed, word) => {  // equal but for one letter that is wrong, lacks or is too much
  if (typed.length < 4 || Math.abs(typed.length - word.length) > 1) return false
  let start = 0, end = 0
  const least = Math.min(typed.length, word.length)
  while (start < least && typed[start] === word[start]) start++
  while (end < least - start && typed.at(-1 - end) === word.at(-1 - end)) end++
  return Math.max(typed.length, word.length) - start - end <= 1
    || (typed.length === word.length && typed.length - start - end === 2
      && typed[start] === word[start + 1] && typed[start + 1] === word[start])
}
const fit = (typed, {own, plain, more}) => {
  if (own.includes(typed)) return 10
  if (own.some((word) => word.startsWith(typed))) return 8
  if (typed.length > 2 && plain.includes(typed)) return 6
  if (more.includes(typed)) return 4
  if (more.some((word) => word.startsWith(typed))) return 3
  if (own.some((word) => near(typed, word.slice(0, typed.length + 1)) || near(typed, word))) return 2
  if (more.some((word) => near(typed, word))) return 1
  return 0
}
const IDLE = new Set(`a about all am an and any are as at be been but by can could did do does for from get had has
  have he how i if in is it its just many me much my need of off on or our should so some that the their them then
  there these they this to too up us want was we what when where which while who whose why will with would you your
  `.split(/\\s+/))
const asked_for = (text) => {  // the words that tell one question from another; the last one may be half typed
  const typed = words_of(text), telling = typed.filter((word) => !IDLE.has(word))
  return telling.length ? telling : typed
}
const KINDS = {question: 3, page: 1, paper: 0.5, device: 0.25, preset: 0}
const judged = (typed, entry) => {  // how many of the words fit, and how well
  const fits = typed.map((word) => fit(word, entry)), sum = fits.reduce((one, other) => one + other, 0)
  const begins = entry.plain.startsWith(plain(line.value).trim())
  return {entry, count: fits.filter(Boolean).length, sum: sum + KINDS[entry.kind] + (begins ? 5 : 0)}
}
const best = (typed, all) => {  // those that have every word, else those that have half of them or more
  const each = all.map((entry) => judged(typed, entry)), whole = each.some(({count}) => count === typed.length)
  const least = whole ? typed.length : Math.max(1, typed.length / 2)
  return [whole, each.filter(({count}) => count >= least)
    .sort((one, other) => other.sum - one.sum || one.entry.rank - other.entry.rank).map(({entry}) => entry)]
}
const marked = (title, typed) => {
  const shown = document.createElement("span")
  for (const part of title.split(/([\\p{L}\\p{N}.]+)/u)) {
    const word = typed.filter((each) => plain(part).startsWith(each)).sort((a, b) => b.length - a.length)[0]
    if (!word) { shown.append(part); continue }
    const mark = document.createElement("mark")
    mark.textContent = part.slice(0, word.length)
    shown.append(mark, part.slice(word.length))
  }
  return shown
}
let found = [], at = 0
const choose = (number) => {
  at = found.length ? (number + found.length) % found.length : 0
  for (const [index, item] of [...list.children].entries()) item.setAttribute("aria-selected", index === at)
  line.setAttribute("aria-activedescendant", found.length ? `search-found-${at}` : "")
  list.children[at]?.scrollIntoView({block: "nearest"})
}
const show = () => {
  const typed = asked_for(line.value), all = read()
  let whole = true
  if (typed.length) [whole, found] = best(typed, all)
  else found = all.filter(({kind}) => kind === "question")
  const many = found.length
  found = found.slice(0, typed.length ? MOST : many)
  list.replaceChildren(...found.map((entry, index) => {
    const item = document.createElement("li"), kind = document.createElement("small")
    item.setAttribute("role", "option")
    item.id = `search-found-${index}`
    kind.textContent = entry.kind
    item.append(marked(entry.title, typed), kind)
    if (entry.where) {
      const where = document.createElement("small")
      where.className = "where"
      where.textContent = entry.where
      item.append(where)
    }
    item.onmousemove = () => { if (at !== index) choose(index) }
    item.onclick = () => open(index)
    return item
  }))
  told.textContent = !all.length ? "being read …"
    : many ? `${many} found${whole ? "" : ", none has all words"}` : `nothing is called ${line.value.trim()}`
  choose(0)
}
const open = (index) => {
  const entry = found[index]
  if (!entry) return
  box.close()
  window.pagecost_go(entry.target)
}
line.addEventListener("input", show)
line.addEventListener("keydown", (event) => {
  const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8}
  if (event.key in steps) {
    const goal = at + steps[event.key]
    choose(Math.abs(steps[event.key]) > 1 ? Math.min(Math.max(goal, 0), found.length - 1) : goal)
  }
  else if (event.key === "Enter" && !event.isComposing) open(at)
  else return
  event.preventDefault()
})
box.addEventListener("click", (event) => { if (event.target === box) box.close() })
source.properties.data.change.connect(() => { entries = null; if (box.open) show() })
window.pagecost_search = () => {
  if (!box.open) box.showModal()
  line.focus()
  line.select()
  show()
}
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return
  event.preventDefault()
  window.pagecost_search()
})
"""


class Search:
    """`button` opens the list; `begin()` is what a document runs once, when it is ready, after `Navigation.begin()`."""

    def __init__(self, document: Document):
        self.document = document
        self.source = ColumnDataSource({"entries": []}, name=f"{NAME}.entries")
        self.button = Button(
            label="Search  (Ctrl-K)",
            name=NAME,
            stylesheets=[sheet()],
            html_attributes={"aria-keyshortcuts": "Control+K Meta+K", "aria-haspopup": "dialog"},
        )
        self.button.js_on_click(CustomJS(args={"source": self.source}, code="window.pagecost_search?.()"))

    def begin(self) -> CustomJS:
        """What makes the list and listens to its keys."""
        return CustomJS(args={"source": self.source, "css": CSS}, code=SCRIPT)

    def read(self) -> None:
        """Gather what can be found, beside what else is done, and hand it to the browser."""
        threading.Thread(target=self._read, daemon=True, name="search").start()

    def _read(self) -> None:
        found = json.dumps(search_entries.entries(), ensure_ascii=False, separators=(",", ":"))
        deliver(self.document, lambda: self.source.update(data={"entries": [found]}))
