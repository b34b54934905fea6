// A walk whose steps were recorded: forward, back, to a place, and on its own
class WalkThrough {
  constructor(section, data) {
    Object.assign(this, {section, data, at: data.start, playing: null, first: data.first})
    this.figure = section.querySelector(".walk-figure")
    this.slider = section.querySelector("input[type=range]")
    this.last = this.first + data.titles.length - 1
    const moves = {first: () => this.first, back: () => this.at - 1, step: () => this.at + 1, last: () => this.last}
    for (const button of section.querySelectorAll("[data-move]")) {
      const move = button.dataset.move
      button.onclick = () => { if (move === "play") return this.play(); this.stop(); this.go(moves[move]()) }
    }
    for (const button of section.querySelectorAll("[data-lead]"))
      button.onclick = () => { this.stop(); this.go(data.wishes[button.dataset.lead][this.at - this.first]) }
    this.slider.oninput = () => { this.stop(); this.go(Number(this.slider.value)) }
    this.figure.onclick = ({target}) => {
      const [verb, number] = target.closest("[data-wish]")?.dataset.wish.split(" ") ?? []
      const place = verb === "go" ? number : target.closest("[data-event]")?.dataset.event
      if (place === undefined) return
      this.stop()
      this.go(Number(place))
      this.figure.focus()
    }
    section.addEventListener("keydown", (event) => {
      if (event.target.matches("input, iframe") || event.ctrlKey || event.altKey || event.metaKey) return
      const move = {ArrowLeft: "back", ArrowRight: "step", Home: "first", End: "last"}[event.key]
      if (!move) return
      event.preventDefault()
      this.stop()
      this.go(moves[move]())
    })
    this.go(data.start)
    section.dataset.drawn = "yes"
  }
  go(to) {
    const {data, section} = this, before = this.at
    this.at = Math.max(this.first, Math.min(to, this.last))
    const step = this.at - this.first
    this.figure.classList.toggle("still", this.at !== before + 1)  // boxes move with a step, not with a leap
    this.figure.innerHTML = data.pictures[step].map((piece) => data.pieces[piece]).join("")
    this.figure.setAttribute("aria-label", data.titles[step])
    section.querySelector(".study b").textContent = data.titles[step]
    section.querySelector(".finding").textContent = data.sentences[step]
    section.querySelector(".position").textContent = `${this.at} of ${this.last}`
    this.slider.value = this.at
    for (const button of section.querySelectorAll("[data-move]")) {
      const move = button.dataset.move
      button.disabled = move === "first" || move === "back" ? this.at === this.first : move !== "play" && this.at === this.last
    }
    for (const button of section.querySelectorAll("[data-lead]")) {
      const place = data.wishes[button.dataset.lead][step]
      button.disabled = place === this.at || place < this.first || place > this.last
    }
    if (this.at === this.last) this.stop()
  }
  stop() {
    clearInterval(this.playing)
    this.playing = null
    this.say_playing()
  }
  play() {
    if (this.playing) return this.stop()
    if (this.at === this.last) this.go(this.first)
    this.playing = setInterval(() => this.go(this.at + 1), 1000)
    this.say_playing()
  }
  say_playing() {
    const button = this.section.querySelector("[data-move=play]")
    button.textContent = this.playing ? "Pause" : "Play"
    button.setAttribute("aria-pressed", String(this.playing !== null))
  }
}

for (const section of document.querySelectorAll(".walk-through")) {
  when_near(section, async () => { section.walk = new WalkThrough(section, await unpacked(section.dataset.walk)) })
  // the page with the model comes only when it is asked for
  section.querySelector(".own")?.addEventListener("toggle", ({target}) => {
    const frame = target.querySelector("iframe")
    if (target.open && !frame.src) frame.src = frame.dataset.src
  })
}
