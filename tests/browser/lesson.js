// What the tests of the lessons ask a JupyterLab page; loaded into it as `window.lesson`.
const RUN_S = 240, REST_S = 30 // twice, with a new kernel between, is less than a test may take (pyproject.toml)
window.lesson = {
  // whether the notebook is open, its kernel there, and the kernel answering
  async ready() {
    const notebook = window.jupyterapp?.shell.currentWidget
    if (!notebook?.sessionContext || !notebook.content?.model) return false
    await notebook.sessionContext.ready
    const kernel = notebook.sessionContext.session?.kernel
    if (!kernel) return false
    await kernel.info
    return true
  },

  // what the promise gives, or an error that names `what`: JupyterLab's promises may stay open for ever
  within(seconds, what, promise) {
    const late = new Promise((_, refuse) => {
      setTimeout(() => refuse(new Error(`${what}: not done within ${seconds} s; ${this.atWork()}`)), 1000 * seconds)
    })
    return Promise.race([promise, late])
  },

  // what the kernel does, and which cells have not run
  atWork() {
    const notebook = jupyterapp.shell.currentWidget, cells = [...notebook.content.model.cells]
    const left = cells.flatMap((cell, at) => cell.type === "code" && cell.executionCount === null ? [at] : [])
    const kernel = notebook.sessionContext.session?.kernel
    return `kernel ${kernel?.status}, ${kernel?.connectionStatus}; cells that have not run: ${left.join(", ")}`
  },

  // run every cell; the errors and warnings of all of them
  async runAll() {
    const errors = []
    await this.within(RUN_S, "run all cells", jupyterapp.commands.execute("notebook:run-all-cells"))
    for (const output of this.outputs())
      if (output.output_type === "error") errors.push(output.ename + ": " + output.evalue)
      else if (output.name === "stderr") errors.push(output.text)
    return errors
  },

  save() {
    return this.within(REST_S, "save", jupyterapp.commands.execute("docmanager:save").then(() => {}))
  },

  shutDown() {
    return this.within(REST_S, "shut down", jupyterapp.shell.currentWidget.sessionContext.shutdown())
  },

  outputs() {
    const cells = [...jupyterapp.shell.currentWidget.content.model.cells]
    return cells.filter((cell) => cell.type === "code").flatMap((cell) => cell.outputs.toJSON())
  },

  // widgets that have a picture: all but those that ask
  widgetCount() {
    const views = this.outputs().filter((output) => "application/vnd.jupyter.widget-view+json" in (output.data ?? {}))
    return views.filter((output) => !("application/vnd.pagecost.check+json" in output.data)).length
  },

  // the Bokeh model behind a chart's data or figure, of the newest view
  model(accept) {
    for (const document of [...Bokeh.documents].reverse())
      for (const model of document._all_models.values()) if (accept(model)) return model
  },

  source(name) {
    return this.model((model) => model.type === "ColumnDataSource" && model.name === name)
  },

  columns(name) {
    const data = this.source(name).data
    const entries = data instanceof Map ? [...data] : Object.entries(data)
    return Object.fromEntries(entries.map(([key, values]) => [key, Array.from(values)]))
  },

  shows([name, column, expected]) {
    const shown = this.columns(name)[column]
    return shown.length === expected.length
      && expected.every((value, i) => Math.abs(shown[i] - value) <= 1e-9 * Math.abs(value))
  },

  // number of colours of the most colourful canvas of each chart, counted until there are more than `most`; canvases
  // live in shadow roots, a stepper has none
  ink(most = 20) {
    const canvases = (root) => [...root.querySelectorAll("*")].flatMap((element) => [
      ...(element.tagName === "CANVAS" && element.width ? [element] : []),
      ...(element.shadowRoot ? canvases(element.shadowRoot) : []),
    ])
    const colours = (canvas) => {
      const {width, height} = canvas, seen = new Set()
      const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, width, height).data.buffer)
      for (const pixel of pixels) if (seen.add(pixel).size > most) break
      return seen.size
    }
    return [...document.querySelectorAll("[role=figure]:not(.walk-figure)")].map(
      (figure) => Math.max(0, ...[...canvases(figure), ...canvases(figure.shadowRoot ?? figure)].map(colours)))
  },

  // milliseconds from a key to the change of the data, and to the second picture after it
  watch(name) {
    const seen = window.lesson.seen = {data: [], painted: []}
    const source = this.source(name)
    let pressed
    addEventListener("keydown", () => { pressed = performance.now() }, {capture: true})
    source.connect(source.properties.data.change, () => {
      const from = pressed
      if (window.lesson.seen !== seen) return // a later round watches now
      seen.data.push(performance.now() - from)
      requestAnimationFrame(() => requestAnimationFrame(() => seen.painted.push(performance.now() - from)))
    })
  },
}
