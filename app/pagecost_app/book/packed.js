// Data of a part of the page, packed so that the book fits on a stick: unpacked when the part comes near, or in idle
// time, one after the other
const unpacked = async (id) => {
  const bytes = Uint8Array.from(atob($(id).textContent), (letter) => letter.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json()
}

const waiting = new Map()  // place -> what wakes it
const near = new IntersectionObserver((entries) => {
  for (const {isIntersecting, target} of entries) if (isIntersecting) wake(target)
}, {rootMargin: "400px"})
const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 100))

const wake = async (place) => {
  const begin = waiting.get(place)
  if (!begin) return
  waiting.delete(place)
  near.unobserve(place)
  try {
    await begin()
  } catch (error) {
    console.error(error)
    const said = place.querySelector(".refused") ?? place
    said.hidden = false
    said.textContent = "This browser cannot show it: it needs to be from 2023 or later. The numbers are in the notebook."
  }
}
const when_near = (place, begin) => {
  waiting.set(place, begin)
  near.observe(place)
}
const wake_the_rest = async () => {
  const [place] = waiting.keys()
  if (!place) return
  await wake(place)
  idle(wake_the_rest)
}
addEventListener("load", () => setTimeout(() => idle(wake_the_rest), 500))
