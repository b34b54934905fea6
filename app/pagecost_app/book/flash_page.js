const REQUESTS_AT = 0, BLAME_AT = 1, FLASH_AT = 2  // arguments of a device
const AT = DATA.places
const compiled = {}
let writes = [], playing = null

const chosen = () => DATA.policies[$("policy").value]
const module_of = async (name) => compiled[name] ??= await WebAssembly.compile(bytes_of(DATA.policies[name].module))

class Device {
  constructor(which, policy, spare) {
    this.geometry = DATA[which]
    this.logical = this.geometry.logical[spare]
    this.kernel = new Kernel(compiled[policy], DATA.policies[policy][which][spare])
    this.flash = this.kernel.arrays[FLASH_AT]
    this.write(Array.from({length: this.logical}, (_, page) => page))
    this.filled = this.scalar(AT.HOST)
  }
  write(pages) {
    for (let from = 0; from < pages.length; from += DATA.requests) {
      const part = pages.slice(from, from + DATA.requests)
      const blame = this.kernel.arrays[BLAME_AT].subarray(0, 3 * part.length)
      blame.shape = [3, part.length]
      blame.fill(0)
      this.kernel.arrays[REQUESTS_AT].set(part)
      this.kernel.call({[REQUESTS_AT]: this.kernel.arrays[REQUESTS_AT].subarray(0, part.length), [BLAME_AT]: blame})
    }
  }
  scalar(place) { return Number(this.flash.scalars[place]) }
  counts() {
    return {host: this.scalar(AT.HOST) - this.filled, copied: this.scalar(AT.COPIED), erases: this.scalar(AT.ERASES)}
  }
  // of each page of each block: "erased", "live" or "dead", and whose it is
  cells() {
    const {blocks, pages_per_block} = this.geometry, {owner, status} = this.flash
    return Array.from({length: blocks}, (_, block) => Array.from({length: pages_per_block}, (_, i) => {
      const place = block * pages_per_block + i
      const ahead = status[block] === DATA.states.open && place >= this.scalar(AT.HOST_AT) && place < this.scalar(AT.HOST_END)
      if (status[block] === DATA.states.free || ahead) return {kind: "erased"}
      return owner[place] === this.logical ? {kind: "dead"} : {kind: "live", page: owner[place]}
    }))
  }
}

// The writes of a workload: drawn one after the other, so that a step back finds the same again
function drawn(workload, logical, count) {
  seed = 7
  const hot = Math.max(1, Math.round(0.2 * logical))
  const one = {
    uniform: () => below(logical),
    "hot-cold": () => chance() < 0.8 ? below(hot) : hot + below(logical - hot),
    sequential: (_, i) => i % logical,
  }[workload]
  return Array.from({length: count}, one)
}

function draw_device(device, last) {
  const {blocks, pages_per_block} = device.geometry, size = 13, gap = 6, cells = device.cells()
  const wide = blocks * (size + gap), high = pages_per_block * size + 20
  let live = 0, dead = 0
  const drawn = cells.map((block, b) => block.map(({kind, page}, i) => {
    const x = b * (size + gap), y = i * size
    live += kind === "live"
    dead += kind === "dead"
    const mark = kind === "dead" ? `<path class="dead" d="M${x + 3},${y + 3}L${x + size - 4},${y + size - 4}M${x + size - 4},${y + 3}L${x + 3},${y + size - 4}"/>` : ""
    return `<rect x="${x}" y="${y}" width="${size - 1}" height="${size - 1}" class="cell ${kind} ${kind === "live" && page === last ? "last" : ""}" fill="${kind === "live" ? "var(--accent)" : "none"}"/>${mark}`
  }).join("") + `<text x="${b * (size + gap) + size / 2}" y="${high - 4}" text-anchor="middle" style="font-size:9px">${device.flash.erases[b]}</text>`).join("")
  const free = device.scalar(AT.FREE_BLOCKS)
  return `<svg viewBox="-4 -4 ${wide + 8} ${high + 6}" style="width:100%" role="img" aria-label="${blocks} blocks of ${pages_per_block} pages: ${live} live, ${dead} dead, ${free} blocks erased and free">${drawn}</svg>` +
    `<p class="muted" style="font-size:.85rem;margin:0">${blocks} blocks, one a column; below each, how often it was erased. ${live} pages live, ${dead} dead, ${free} blocks free (the collector keeps ${DATA.reserve}).</p>`
}

function state_of(count) {
  const device = new Device("seen", $("policy").value, Number($("spare").value))
  device.write(writes.slice(0, count))
  return device
}

let count = 0
function draw() {
  const device = state_of(count), {host, copied, erases} = device.counts(), page = writes[count - 1]
  let said = "The device is full. Every write from now on needs a page that is erased."
  if (count > 0) {
    const before = state_of(count - 1)
    const moved = copied - before.counts().copied, erased = erases - before.counts().erases
    const collected = Array.from(device.flash.erases, (each, block) => each > before.flash.erases[block] ? block + 1 : 0).filter(Boolean)
    said = `Page ${page} is written; its old version is dead. ` + (erased
      ? `No erased page was left: <b>${collected.length > 1 ? "blocks" : "block"} ${collected.join(", ")} collected</b>, ${moved} live pages copied first.`
      : "There was an erased page.")
  }
  $("said").innerHTML = said
  $("device").innerHTML = draw_device(device, page)
  const amplification = host ? (host + copied) / host : NaN
  $("counts").innerHTML = [host, copied, erases, host ? amplification.toFixed(2) : "–"].map((each) => `<td><b>${each.toLocaleString("en")}</b></td>`).join("")
  $("sum").textContent = host ? `(${host} host pages + ${copied} copies) / ${host} = ${amplification.toFixed(3)} pages programmed per page of the host` : ""
  $("back").disabled = $("first").disabled = count === 0
}

function have_writes(wanted) {
  if (wanted > writes.length) writes = drawn($("workload").value, DATA.seen.logical[Number($("spare").value)], 2 * wanted + 256)
}

function go(to) {
  have_writes(to)
  count = Math.max(0, to)
  draw()
}

function next_collection() {
  have_writes(count + 1024)
  const erases = state_of(count).counts().erases
  let to = count + 1
  while (to < count + 1024 && state_of(to).counts().erases === erases) to += 1
  go(to)
}

// Filled once, overwritten twice to become steady, and then as often as the numbers below say
const STEADY_PASSES = 3, PASSES = 3
function measured(policy, spare, workload) {
  const device = new Device("measured", policy, spare), logical = device.logical
  const all = drawn(workload, logical, (STEADY_PASSES + PASSES) * logical)
  device.write(all.slice(0, STEADY_PASSES * logical))
  const before = device.counts()
  device.write(all.slice(STEADY_PASSES * logical))
  const after = device.counts()
  return 1 + (after.copied - before.copied) / (after.host - before.host)
}

function draw_curve() {
  const workload = $("workload").value, began = performance.now()
  const here = DATA.spares.map((_, spare) => measured($("policy").value, spare, workload))
  const ms = performance.now() - began, theory = chosen().theory[workload]
  const lines = [{title: "measured here", xs: DATA.spares, ys: here, dots: true}]
  if (theory) lines.push({title: "theory", xs: DATA.spares, ys: theory})
  const most = Math.max(2, Math.ceil(Math.max(...here, ...(theory ?? []))))
  const ticks = Array.from({length: most}, (_, i) => i + 1).filter((each) => most <= 6 || each % 2 === 1)
  $("curve").innerHTML = chart(lines,
    {title: "spare space, share of the flash", from: DATA.spares[0], to: DATA.spares.at(-1), ticks: DATA.spares.map((spare) => [spare, `${Math.round(100 * spare)} %`])},
    {title: "pages programmed per host page", from: 1, to: most, ticks: ticks.map((each) => [each, each])},
    `Write amplification by spare space: ${DATA.spares.map((spare, i) => `${Math.round(100 * spare)} %: ${here[i].toFixed(2)}`).join("; ")}`)
  const {blocks, pages_per_block} = DATA.measured
  $("how").textContent = `A larger device of ${blocks} blocks of ${pages_per_block} pages, overwritten ${STEADY_PASSES} times and then measured over ${PASSES}: ` +
    `${DATA.spares.length} devices in ${Math.round(ms)} ms, in this page.` + (theory ? " Theory leaves out the blocks that the collector keeps free." : " For this there is no theory here.")
}

function stop() {
  clearInterval(playing)
  playing = null
  $("play").textContent = "Play"
  $("play").setAttribute("aria-pressed", "false")
}

async function refresh() {
  stop()
  await module_of($("policy").value)
  const spare = Number($("spare").value), logical = DATA.seen.logical[spare]
  $("source").textContent = chosen().source
  $("spare_said").textContent = `${Math.round(100 * DATA.spares[spare])} %`
  $("logical").textContent = logical
  $("physical").textContent = DATA.seen.blocks * DATA.seen.pages_per_block
  writes = []
  go(0)
  draw_curve()
}

$("legend").innerHTML = `<svg viewBox="0 0 240 60" style="width:100%" aria-hidden="true"><rect class="cell live" x="1" y="3" width="12" height="12" fill="var(--accent)"/>
  <text x="20" y="14">live page</text><rect class="cell dead" x="1" y="23" width="12" height="12" fill="none"/><path class="dead" d="M4,26L10,32M10,26L4,32"/>
  <text x="20" y="34">dead page</text><rect class="cell erased" x="1" y="43" width="12" height="12" fill="none"/><text x="20" y="54">erased page</text>
  <rect class="cell live last" x="121" y="3" width="12" height="12" fill="var(--accent)"/><text x="140" y="14">just written</text></svg>`
const names = Object.keys(DATA.policies)
options($("policy"), names.map((name) => [name, DATA.policies[name].title]), names.includes("greedy") ? "greedy" : names[0])
options($("workload"), Object.entries(DATA.workloads), "uniform")
Object.assign($("spare"), {max: DATA.spares.length - 1, value: 2})
for (const id of ["spare", "policy", "workload"]) $(id).addEventListener("input", refresh)
$("first").onclick = () => { stop(); go(0) }
$("back").onclick = () => { stop(); go(count - 1) }
$("step").onclick = () => { stop(); go(count + 1) }
$("more").onclick = () => { stop(); go(count + 16) }
$("next").onclick = () => { stop(); next_collection() }
$("pass").onclick = () => { stop(); go(count + DATA.seen.logical[Number($("spare").value)]) }
$("play").onclick = () => {
  if (playing) return stop()
  playing = setInterval(() => go(count + 1), 250)
  $("play").textContent = "Pause"
  $("play").setAttribute("aria-pressed", "true")
}
document.addEventListener("keydown", (event) => {
  if (event.target.matches("select, input")) return
  if (event.key === "ArrowRight") { stop(); go(count + 1) }
  if (event.key === "ArrowLeft" && count > 0) { stop(); go(count - 1) }
})
have_looks(draw_curve)
refresh()
