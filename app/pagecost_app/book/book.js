// What the pages have in common: words for numbers, lists, theme and size of the text
const $ = (id) => document.getElementById(id)
const number = (value, digits = 3) => Number(value.toPrecision(digits)).toLocaleString("en")
const time = (seconds) => seconds === 0 ? "0 ms" : seconds < 1e-3 ? `${number(seconds * 1e6)} µs`
  : seconds < 1 ? `${number(seconds * 1e3)} ms` : `${number(seconds)} s`
const options = (select, entries, chosen) => {
  select.innerHTML = entries.map(([value, title]) => `<option value="${value}">${title}</option>`).join("")
  select.value = chosen
}

// A small generator of random numbers of its own: the same numbers everywhere
let seed = 1
const chance = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, (seed >>> 8) / 16777216)
const below = (n) => Math.floor(chance() * n)

// Theme and large text, which stay from page to page where the browser keeps anything of a file
const kept = {
  get: (name) => { try { return localStorage.getItem(name) } catch { return null } },
  set: (name, value) => { try { localStorage.setItem(name, value) } catch { /* a browser that keeps nothing */ } },
}
const shown = document.documentElement
const look_again = []  // called with the theme: what has colours of its own
const have_looks = (draw) => look_again.push(draw)
const is_dark = () => shown.dataset.theme === "dark"

function say_looks() {
  $("theme").textContent = is_dark() ? "Light" : "Dark"
  $("large").setAttribute("aria-pressed", String(shown.dataset.size === "large"))
}
$("theme").onclick = () => {
  shown.dataset.theme = is_dark() ? "light" : "dark"
  kept.set("theme", shown.dataset.theme)
  say_looks()
  for (const draw of look_again) draw(is_dark())
}
$("large").onclick = () => {
  shown.dataset.size = shown.dataset.size === "large" ? "" : "large"
  kept.set("size", shown.dataset.size)
  say_looks()
}
say_looks()

// On a narrow page the list of contents would push the text away
if (matchMedia("(max-width: 62rem)").matches) document.querySelector(".contents details")?.removeAttribute("open")

// A worked solution stands on the page only when it is asked for: a search does not find it
document.addEventListener("toggle", (event) => {
  const place = event.target.open && event.target.querySelector(":scope > [data-told]")
  if (!place || place.childElementCount) return
  const bytes = Uint8Array.from(atob(place.dataset.told), (letter) => letter.charCodeAt(0))
  place.innerHTML = new TextDecoder().decode(bytes)
}, true)
