// A press is the next answer or step of a slide, then the next slide. `place` is the slide, `pressed` the presses on it.
const root = document.documentElement
const slides = [...document.querySelectorAll(".slide")]
const notes = document.getElementById("notes"), where = document.getElementById("where")
const LARGEST = 34, SMALLEST = 13
let place = 0, pressed = 0

const presses = (slide) => [...slide.querySelectorAll("details, .stage-of.press")]

function show(to, after = 0) {
  place = Math.min(Math.max(to, 0), slides.length - 1)
  const slide = slides[place], all = presses(slide)
  pressed = Math.min(after, all.length)
  slides.forEach((each, at) => {
    each.classList.toggle("here", at === place)
    each.inert = at !== place
  })
  all.forEach((each, at) => { if (each.tagName === "DETAILS") each.open = at < pressed })
  const stages = [...slide.querySelectorAll(".stage-of")]
  stages.forEach((each, at) => each.classList.toggle("shown", at === pressed))
  fit(slide)
  where.textContent = `${place + 1} of ${slides.length}`
  notes.innerHTML = slide.querySelector("template").innerHTML
  history.replaceState(null, "", `#${place + 1}`)
}

function press(way) {
  if (way > 0 && pressed < presses(slides[place]).length) show(place, pressed + 1)
  else if (way < 0 && pressed > 0) show(place, pressed - 1)
  else if (way > 0 && place < slides.length - 1) show(place + 1)
  else if (way < 0 && place > 0) show(place - 1, Infinity)
}

const fits = (content) =>
  content.scrollHeight <= content.clientHeight && content.scrollWidth <= content.clientWidth

// The largest letters with which a slide's text fits on it, and the largest picture; that of a walk never grows again
function fit(slide) {
  const content = slide.querySelector(".content"), drawn = slide.querySelector(".drawn")
  if (drawn) {
    const room = content.clientHeight - slide.querySelector(".said").offsetHeight - 16
    const factor = Math.min(content.clientWidth / drawn.offsetWidth, room / drawn.offsetHeight)
    drawn.style.transform = `scale(${factor})`
    drawn.style.marginBottom = `${drawn.offsetHeight * (factor - 1)}px`
    drawn.style.marginLeft = `${(content.clientWidth - drawn.offsetWidth * factor) / 2}px`
    return
  }
  for (let size = LARGEST; size >= SMALLEST; size -= 1) {
    slide.style.setProperty("--size", `${size}px`)
    if (fits(content)) break
  }
  if (!slide.matches(".walk")) return
  for (let zoom = Number(slide.dataset.zoom ?? 1.08); zoom >= 0.3; zoom -= 0.04) {
    slide.dataset.zoom = zoom
    slide.style.setProperty("--zoom", zoom)
    if (fits(content)) break
  }
}

function scale() {
  const main = document.querySelector("main").getBoundingClientRect()
  root.style.setProperty("--scale", Math.min(main.width / 1280, main.height / 720))
}

const turn = {
  theme() {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"
  },
  notes() {
    notes.hidden = !notes.hidden
    document.getElementById("speak").setAttribute("aria-expanded", String(!notes.hidden))
  },
  full() {
    if (document.fullscreenElement) document.exitFullscreen()
    else root.requestFullscreen()
  },
}
const KEYS = {
  ArrowRight: () => press(1), ArrowDown: () => press(1), PageDown: () => press(1), Enter: () => press(1),
  ArrowLeft: () => press(-1), ArrowUp: () => press(-1), PageUp: () => press(-1), Backspace: () => press(-1),
  Home: () => show(0), End: () => show(slides.length - 1, Infinity),
  f: turn.full, F: turn.full, n: turn.notes, N: turn.notes, d: turn.theme, D: turn.theme,
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const onControl = event.target.closest("button, summary, #notes")
  if (onControl && [" ", "Enter", "ArrowUp", "ArrowDown"].includes(event.key)) return
  const does = event.key === " " ? () => press(event.shiftKey ? -1 : 1) : KEYS[event.key]
  if (!does) return
  event.preventDefault()
  does()
})
for (const [id, does] of [
  ["back", () => press(-1)], ["next", () => press(1)], ["speak", turn.notes], ["dark", turn.theme],
  ["full", turn.full], ["print", () => print()],
]) document.getElementById(id).addEventListener("click", does)
document.querySelector("main").addEventListener("toggle", (event) => {
  if (!event.target.closest(".here")) return
  pressed = presses(slides[place]).filter((each) => each.open || each.classList.contains("shown")).length
  fit(slides[place])
}, true)
addEventListener("resize", scale)
addEventListener("hashchange", () => show((parseInt(location.hash.slice(1)) || 1) - 1))
addEventListener("beforeprint", () => slides.forEach((each) => {
  each.querySelectorAll("details").forEach((one) => { one.open = true })
  fit(each)
}))
addEventListener("afterprint", () => show(place, pressed))

scale()
const begin = () => show((parseInt(location.hash.slice(1)) || 1) - 1)
begin()
// Charts grow as they are drawn: their slide is fitted again whenever they do
const grown = new ResizeObserver((entries) => {
  for (const entry of entries) if (entry.target.closest(".here")) requestAnimationFrame(() => fit(slides[place]))
})
document.querySelectorAll(".drawn > *").forEach((each) => grown.observe(each))
