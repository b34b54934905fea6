const USED = 0, READ_HITS = 1, WRITE_HITS = 2, WRITE_BACKS = 3  // places in the buffer's counts
const PAGES_AT = 0, WRITES_AT = 1, POSITION_AT = 2, POOL_AT = 3  // arguments of a replay
const STRIP = 25

let references = [], named_by = [], at = 0, playing = null, asked = null
const compiled = {}

const module_of = async (name) =>
  compiled[name] ??= await WebAssembly.compile(bytes_of(DATA.policies[name].module))

// A policy with an empty buffer that answers references of the string, from `done` on
class Replay {
  constructor(name, frames) {
    this.name = name
    this.kernel = new Kernel(compiled[name], DATA.policies[name].states[frames])
    this.pool = this.kernel.arrays[POOL_AT]
    this.done = 0
    references.forEach(({number, write}, i) => {
      this.kernel.arrays[PAGES_AT][i] = number
      this.kernel.arrays[WRITES_AT][i] = write
    })
  }
  answer(until) {
    const [pages, writes] = this.kernel.arrays
    this.kernel.call({
      [PAGES_AT]: pages.subarray(this.done, until), [WRITES_AT]: writes.subarray(this.done, until),
      [POSITION_AT]: this.done,
    })
    this.done = until
  }
  count(place) { return Number(this.pool.counts[place]) }
  get hits() { return this.count(READ_HITS) + this.count(WRITE_HITS) }
  frames() {
    return Array.from(this.pool.page_in, (number, frame) => ({
      page: named_by[number], dirty: this.pool.dirty[frame] > 0, empty: this.pool.frame_of[number] !== frame,
    }))
  }
}

function read_string() {
  const words = $("string").value.trim().split(/[\s,;]+/).filter(Boolean)
  const found = words.map((word) => {
    const parts = /^(\d{1,9})(w?)$/i.exec(word)
    if (!parts || Number(parts[1]) >= DATA.pages)
      throw new Error(`“${word}” is no reference: write a page number from 0 to ${DATA.pages - 1}, and w behind it if the page is written, as in 7w.`)
    return {page: Number(parts[1]), write: parts[2] ? 1 : 0}
  })
  if (!found.length) throw new Error("The reference string is empty: write some page numbers, as in 1 2 3w 1.")
  if (found.length > DATA.references)
    throw new Error(`The string has ${found.length} references; a page takes up to ${DATA.references}.`)
  named_by = [...new Set(found.map(({page}) => page))]  // as they come first, which is how the engine numbers pages:
  const number_of = new Map(named_by.map((page, number) => [page, number]))  // a sketch hashes the number
  return found.map((each) => ({...each, number: number_of.get(each.page)}))
}

const sides = () => [$("left").value, $("right").value]
const frames = () => Number($("frames").value)
const device = () => DATA.devices[Number($("device").value)]
const named = ({page, write}) => `${page}${write ? "w" : ""}`

function replayed(name, until, size = frames()) {
  const replay = new Replay(name, size)
  if (until > 0) replay.answer(until)
  return replay
}

// What the last reference did: the state before it against the state behind it
function happened(name, until) {
  const behind = replayed(name, until)
  if (until === 0) return {behind, words: "The buffer is empty.", marks: {}}
  const before = replayed(name, until - 1)
  const {page, write} = references[until - 1]
  const was = before.frames(), is = behind.frames()
  const here = is.findIndex((each) => !each.empty && each.page === page)
  if (behind.hits > before.hits)
    return {behind, marks: {[here]: "hit"}, words: `Page ${page} is in the buffer: <b>a hit</b>${write ? ", and it is changed" : ""}.`}
  if (here < 0) return {behind, marks: {}, words: `Page ${page} is read past the buffer: <b>a miss</b>, and it gets no frame.`}
  const kept = new Set(is.filter((each) => !each.empty).map((each) => each.page))
  const left = was.filter((each) => !each.empty && !kept.has(each.page))
  const written = behind.count(WRITE_BACKS) - before.count(WRITE_BACKS)
  const leaves = left.length ? `Page ${left.map((each) => each.page).join(", ")} <b>leaves</b>${written ? ", and is written back" : ", unchanged"}.` : "A frame was free."
  return {behind, left, marks: {[here]: "loaded"}, words: `Page ${page} is not there: <b>a miss</b>. ${leaves}`}
}

function draw_side(name, side) {
  const policy = DATA.policies[name], {behind, words, marks} = happened(name, at)
  const boxes = behind.frames().map(({page, dirty, empty}, frame) =>
    `<button class="frame ${empty ? "empty" : ""} ${marks[frame] ?? ""}" data-frame="${frame}" data-side="${side}" ` +
    `aria-label="frame ${frame}: ${empty ? "empty" : `page ${page}${dirty ? ", changed" : ""}`}">` +
    `${empty ? "–" : page}<small>${empty ? "empty" : dirty ? "changed" : "clean"}</small></button>`).join("")
  const misses = at - behind.hits, {read_s, write_s} = device(), written = behind.count(WRITE_BACKS)
  const seconds = misses * read_s + written * write_s
  return `<section class="panel" aria-label="${policy.title}"><h2>${policy.title}</h2>
    <p class="muted" style="font-size:.85rem">${policy.source}</p>
    <div class="frames">${boxes}</div><p class="happened" role="status">${asked ? "" : words}</p>
    <table><tr><th>hits</th><th>misses</th><th>written back</th><th>time on the device</th></tr>
    <tr><td><b>${behind.hits}</b></td><td><b>${misses}</b></td><td><b>${written}</b></td><td><b>${time(seconds)}</b></td></tr></table>
    <p class="muted" style="font-size:.85rem">${misses} × ${time(read_s)} + ${written} × ${time(write_s)} = ${time(seconds)}</p></section>`
}

function draw_strip() {
  const from = Math.max(0, Math.min(at - Math.floor(STRIP / 2), references.length - STRIP))
  $("strip").innerHTML = references.slice(from, from + STRIP).map((each, i) => {
    const place = from + i + 1
    const kind = place === at ? "now" : place < at ? "done" : ""
    return `<button class="${kind}" data-at="${place}" ${place === at ? 'aria-current="step"' : ""}>${named(each)}</button>`
  }).join("")
}

function draw() {
  $("at").max = references.length
  $("at").value = at
  $("position").textContent = `${at} of ${references.length} references answered`
  $("frames_said").textContent = frames()
  $("back").disabled = $("first").disabled = at === 0
  $("step").disabled = $("last").disabled = at === references.length || asked !== null
  draw_strip()
  $("pair").innerHTML = sides().map(draw_side).join("")
  if (asked) $("pair").querySelectorAll(".happened")[0].innerHTML =
    `Page ${references[at].page} is not there and no frame is free. <b>Which page leaves?</b> Press its frame.`
}

function draw_curve() {
  const [least, most] = DATA.frames, sizes = Array.from({length: most - least + 1}, (_, i) => least + i)
  const lines = sides().map((name) => ({title: DATA.policies[name].title, xs: sizes, dots: true,
    ys: sizes.map((size) => replayed(name, references.length, size).hits / references.length)}))
  const said = sizes.map((size, i) => `${size} frames: ${lines.map(({ys}) => `${(100 * ys[i]).toFixed(0)} %`).join(" and ")}`)
  $("curve").innerHTML = chart(lines,
    {title: "frames", from: least, to: most, ticks: sizes.map((size) => [size, size])},
    {title: "hits per reference", from: 0, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1].map((share) => [share, `${share * 100} %`])},
    `Hit ratio of ${lines.map(({title}) => title).join(" and ")}. ${said.join("; ")}`)
}

async function refresh() {
  try {
    references = read_string()
    $("complaint").hidden = true
  } catch (error) {
    $("complaint").textContent = error.message
    $("complaint").hidden = false
    return
  }
  await Promise.all(sides().map(module_of))
  at = Math.min(at, references.length)
  asked = null
  draw()
  draw_curve()
}

function go(to) {
  asked = null
  at = Math.max(0, Math.min(to, references.length))
  draw()
}

function step() {
  if (at === references.length) return stop()
  if ($("ask").checked && !asked) {
    const next = happened(sides()[0], at + 1)
    if (next.left?.length) {
      asked = next
      stop()
      draw()
      $("pair").querySelector(".frame").focus()
      return
    }
  }
  go(at + 1)
}

function answer(frame) {
  const page = replayed(sides()[0], at).frames()[frame].page, {left} = asked
  const right = left.some((each) => each.page === page)
  go(at + 1)
  const said = $("pair").querySelector(".happened")
  said.innerHTML = `${right ? "<b>Right.</b>" : `<b>No</b>: you said page ${page}.`} ${said.innerHTML}`
}

function stop() {
  clearInterval(playing)
  playing = null
  $("play").textContent = "Play"
  $("play").setAttribute("aria-pressed", "false")
}

function play() {
  if (playing) return stop()
  if (at === references.length) go(0)
  playing = setInterval(step, 700)
  $("play").textContent = "Pause"
  $("play").setAttribute("aria-pressed", "true")
}

const written = (page) => `${page}${chance() < 0.25 ? "w" : ""}`
const MADE = {
  skew: () => Array.from({length: 200}, () => written(chance() < 0.8 ? below(4) : 4 + below(16))),
  loop: () => Array.from({length: 200}, (_, i) => written(i % 9)),
  scan: () => Array.from({length: 200}, (_, i) => written(i % 50 < 30 ? below(5) : 20 + i % 50)),
  even: () => Array.from({length: 200}, () => written(below(20))),
}

const names = Object.keys(DATA.policies)
options($("left"), names.map((name) => [name, DATA.policies[name].title]), names.includes("lru") ? "lru" : names[0])
options($("right"), names.map((name) => [name, DATA.policies[name].title]), names.includes("cflru") ? "cflru" : names.at(-1))
options($("device"), DATA.devices.map(({title}, i) => [i, title]), 0)
Object.assign($("frames"), {min: DATA.frames[0], max: DATA.frames[1], value: 4})
$("string").value = DATA.example
// What a lesson gives along: policies, frames, its string; then the page stands inside the lesson's
const given = new URLSearchParams(location.hash.slice(1))
for (const [id, value] of given) if (["left", "right", "frames", "string"].includes(id)) $(id).value = value
if (window.parent !== window) document.documentElement.dataset.embedded = "yes"
for (const id of ["left", "right", "frames", "device"]) $(id).addEventListener("input", refresh)
$("string").addEventListener("input", () => { at = 0; refresh() })
for (const button of document.querySelectorAll("[data-made]"))
  button.addEventListener("click", () => { seed += 1; $("string").value = MADE[button.dataset.made]().join(" "); at = 0; refresh() })
$("at").addEventListener("input", () => { stop(); go(Number($("at").value)) })
$("first").onclick = () => { stop(); go(0) }
$("back").onclick = () => { stop(); go(at - 1) }
$("step").onclick = () => { stop(); step() }
$("last").onclick = () => { stop(); go(references.length) }
$("play").onclick = play
$("strip").onclick = ({target}) => { if (target.dataset.at) { stop(); go(Number(target.dataset.at)) } }
$("pair").onclick = ({target}) => {
  const box = target.closest(".frame")
  if (asked && box?.dataset.side === "0" && !box.classList.contains("empty")) answer(Number(box.dataset.frame))
}
have_looks(draw_curve)
document.addEventListener("keydown", (event) => {
  if (event.target.matches("textarea, select, input")) return
  if (event.key === "ArrowRight") step()
  if (event.key === "ArrowLeft") { stop(); go(at - 1) }
})
refresh()
