// A study's chart, drawn once, and its answers: each says what stands at the places of the chart that ever change
const numbers_of = (given) => {
  if (given?.type === "ndarray") {
    const bytes = Uint8Array.from(atob(given.array.data), (letter) => letter.charCodeAt(0))
    return Array.from(new {float64: Float64Array, float32: Float32Array}[given.dtype](bytes.buffer))
  }
  const list = Array.isArray(given) ? given : [given]
  return list.map((each) => each?.type === "number" ? Number(each.value.replace("inf", "Infinity")) : each)
}
const mixed = (low, high, weight, way) => low.map((one, i) => way === "log" && one > 0 && high[i] > 0
  ? Math.exp((1 - weight) * Math.log(one) + weight * Math.log(high[i])) : (1 - weight) * one + weight * high[i])

// The chart as it is drawn first, light, in the colours of the dark theme
const repainted = (chart, {always, values}) => {
  const wanted = new Map()
  for (const [[id, attr], value] of always.dark) wanted.set(id, {...wanted.get(id), [attr]: values[value]})
  const visit = (part) => {
    if (part === null || typeof part !== "object") return
    for (const inside of Object.values(part)) visit(inside)
    if (part.type === "object" && wanted.has(part.id)) part.attributes = {...part.attributes, ...wanted.get(part.id)}
  }
  visit(chart)
}

class Exploration {
  constructor(section, data) {
    Object.assign(this, {section, data})
    this.is_number = new Set(data.numbers)
    this.controls = [...section.querySelectorAll("[data-axis]")]
    this.at = this.controls.map((control, axis) => this.begin(control, axis))
    this.own = [...this.at]
    this.stands = data.places.map(() => null)  // the value at each place; null: as it was drawn first
    this.back = section.querySelector(".back")
    if (this.back) this.back.onclick = () => { this.at = [...this.own]; this.show() }
  }
  async draw() {
    const place = this.section.querySelector(".chart"), {chart} = this.data, id = chart.roots[0].id
    const fit = () => {  // Bokeh leaves the edge of a canvas unpainted where it ends between two pixels
      place.style.width = ""
      place.style.width = `${2 * Math.floor(place.getBoundingClientRect().width / 2)}px`
    }
    fit()
    addEventListener("resize", fit)
    this.look = is_dark() ? "dark" : "light"
    if (this.look === "dark") repainted(chart, this.data)
    await Bokeh.embed.embed_items({[place.id]: chart}, [{docid: place.id, roots: {[id]: place.id}, root_ids: [id]}])
    this.document = Bokeh.documents.find((each) => each.get_model_by_id(id))
    have_looks(() => this.show())
    if (this.look === "dark" && this.data.points.dark.length) this.show()  // colours that an answer brings
    setTimeout(() => this.wrap(), 100)  // once it is laid out
    place.style.minHeight = ""
    this.section.dataset.drawn = "yes"
  }
  // Titles find their lines anew
  wrap() {
    for (const model of this.document.roots()[0].references())
      if (model.type === "Figure") model.properties.inner_width.change.emit()
  }
  // the place where a control stands first: of a slider that goes between stops there are more
  begin(control, axis) {
    const stops = this.data.stops[axis], first = this.data.at[axis]
    control.oninput = () => { this.at[axis] = Number(control.value); this.show() }
    if (!stops.length) return first
    control.max = stops.length - 1
    return stops.findIndex(([stop, weight]) => stop === first && weight === 0)
  }
  stop(axis) { return this.data.stops[axis].length ? this.data.stops[axis][this.at[axis]] : [this.at[axis], 0] }
  // the answers that are shown: [number, number of the next one, how far from one to the other]
  where() {
    const {shape, smooth: [smooth]} = this.data
    const strides = shape.map((_, i) => shape.slice(i + 1).reduce((product, n) => product * n, 1))
    const number = shape.reduce((sum, _, axis) => sum + this.stop(axis)[0] * strides[axis], 0)
    const weight = smooth < 0 ? 0 : this.stop(smooth)[1]
    return [number, weight ? number + strides[smooth] : number, weight]
  }
  values(row, next, weight) {
    const {values, smooth: [, way]} = this.data
    return row.map((number, place) => {
      const other = next[place]
      if (!weight || number === other) return number
      const both = this.is_number.has(number) && this.is_number.has(other)
      const [low, high] = both ? [numbers_of(values[number]), numbers_of(values[other])] : [[], []]
      if (!both || low.length !== high.length) return weight < 0.5 ? number : other
      const drawn = mixed(low, high, weight, way)
      return {drawn: Array.isArray(values[number]) || values[number]?.type ? drawn : drawn[0]}
    })
  }
  show() {
    const {data} = this, [number, next, weight] = this.where(), nearest = weight < 0.5 ? number : next
    this.say(nearest, weight)
    const look = is_dark() ? "dark" : "light"
    const rows = data.points[look].length ? data.points[look] : data.points.light
    const events = look === this.look ? [] : data.always[look].map(([[id, attr], value]) => this.event(id, attr, value))
    this.look = look
    if (data.words[nearest].length > 1) {
      const values = this.values(rows[number], rows[next], weight)
      const columns = new Map()
      values.forEach((value, place) => {
        const [id, attr, column] = data.places[place], same = value === this.stands[place]
        if (column) {
          if (!columns.has(id)) columns.set(id, {attr, entries: [], same: true})
          const held = columns.get(id)
          held.same &&= same
          if (value !== -1) held.entries.push([column, this.value(value)])
        } else if (!same) events.push(this.event(id, attr, value))
      })
      for (const [id, {attr, entries, same}] of columns)
        if (!same) events.push({kind: "ModelChanged", model: {id}, attr, new: {type: "map", entries}})
      this.stands = values
    }
    if (!events.length) return
    this.document.apply_json_patch({events})
    this.wrap()
  }
  value(number) { return number.drawn ?? this.data.values[number] }
  event(id, attr, number) { return {kind: "ModelChanged", model: {id}, attr, new: this.value(number)} }
  say(nearest, weight) {
    const {data, section} = this, [told, why, command] = data.words[nearest].map((text) => data.texts[text])
    this.controls.forEach((control, axis) => {
      control.value = this.at[axis]
      if (control.type !== "range") return
      const label = this.stop(axis)[2] ?? JSON.parse(control.dataset.labels)[this.at[axis]]
      control.setAttribute("aria-valuetext", label)
      control.parentElement.querySelector(".value").textContent = label
    })
    if (this.back) this.back.disabled = this.at.every((place, axis) => place === this.own[axis])
    const refused = section.querySelector(".refused")
    refused.hidden = why !== undefined
    refused.textContent = why === undefined ? `${told} The chart stays as it was.` : ""
    if (why === undefined) return
    const {smooth: [smooth]} = data
    const stop = smooth < 0 ? 0 : this.stop(smooth)[0] + (weight >= 0.5 ? 1 : 0)
    const place = weight ? JSON.parse(this.controls[smooth].dataset.labels)[stop] : ""
    section.querySelector(".finding").textContent = weight ? `Computed nearby, at ${place}: ${told}` : told
    section.querySelector(".chart").setAttribute("aria-label", told)
    section.querySelector(".why").innerHTML = why
    section.querySelector(".command").textContent = command
  }
}

for (const section of document.querySelectorAll(".exploration")) when_near(section, async () => {
  section.exploration = new Exploration(section, await unpacked(section.dataset.grid))
  await section.exploration.draw()
})
