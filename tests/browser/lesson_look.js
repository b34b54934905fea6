// What can be read of a lesson as it stands on the screen; loaded into a JupyterLab page as `window.look`.
window.look = {
  // put every cell into the page, or only those in view again; JupyterLab leaves out what is far away
  whole(is_whole) {
    const notebook = jupyterapp.shell.currentWidget.content
    this.mode ??= notebook.notebookConfig.windowingMode
    notebook.notebookConfig = {...notebook.notebookConfig, windowingMode: is_whole ? "none" : this.mode}
  },

  // what a lesson says, apart from code in its cells and what JupyterLab draws around them
  parts() {
    return [...document.querySelectorAll(".jp-Notebook .jp-RenderedMarkdown, .jp-Notebook .jp-OutputArea-output")]
      .filter((part) => part.getClientRects().length)
  },

  // elements with text of their own that people see
  texts() {
    const shown = (element) => {
      const style = getComputedStyle(element), box = element.getBoundingClientRect()
      return style.visibility === "visible" && Number(style.opacity) > 0 && box.width > 2 && box.height > 2
        && !element.closest("[aria-hidden=true], mjx-assistive-mml, .MathJax, mjx-container, option, select")
    }
    return this.parts().flatMap((part) => [part, ...part.querySelectorAll("*")]).filter((element) =>
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()) && shown(element))
  },

  words(element) {
    const owner = element.closest("[class*=pagecost], [class*=walk]")
    const where = (owner?.className.baseVal ?? owner?.className ?? element.tagName).toString().slice(0, 60)
    return `${where} ${element.tagName}: ${element.textContent.trim().replace(/\s+/g, " ").slice(0, 60)}`
  },

  scrolls(element) {
    return /auto|scroll/.test(getComputedStyle(element).overflowX)
  },

  // texts that end before their last letter, and texts that stick out of their part of the page with nothing to scroll
  cut() {
    const found = []
    for (const element of this.texts()) {
      const style = getComputedStyle(element), box = element.getBoundingClientRect()
      if (/hidden|clip/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1) {
        found.push(`cut ${element.scrollWidth - element.clientWidth} px, ${this.words(element)}`)
        continue
      }
      const part = element.closest(".jp-RenderedMarkdown, .jp-OutputArea-output")
      let above = element
      while (above !== part && !this.scrolls(above)) above = above.parentElement
      const over = box.right - part.getBoundingClientRect().right
      if (over > 2 && !this.scrolls(above)) found.push(`${Math.round(over)} px out, ${this.words(element)}`)
    }
    return [...new Set(found)]
  },

  // whether the whole lesson can be pushed sideways
  sideways() {
    const outer = document.querySelector(".jp-Notebook .jp-WindowedPanel-outer") ?? document.querySelector(".jp-Notebook")
    const over = outer.scrollWidth - outer.clientWidth
    return over > 0 ? [`the lesson can be pushed sideways by ${over} px`] : []
  },

  // texts whose contrast with what lies below them is under 4.5, or 3 where they are large
  faint() {
    const WHITE = [255, 255, 255]
    const number = (colour) => colour.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]
    const over = ([r, g, b, a = 1], below) => [r, g, b].map((part, i) => part * a + below[i] * (1 - a))
    const light = (colour) => colour.map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0)
    const remembered = (find) => {
      const known = new Map()
      const of = (element) => {
        if (!known.has(element)) known.set(element, find(element, of))
        return known.get(element)
      }
      return of
    }
    const ground = remembered((element, of) =>
      over(number(getComputedStyle(element).backgroundColor), element.parentElement ? of(element.parentElement) : WHITE))
    const opaque = remembered((element, of) =>
      Number(getComputedStyle(element).opacity) * (element.parentElement ? of(element.parentElement) : 1))
    const found = []
    for (const element of this.texts()) {
      if (element instanceof SVGElement || element.closest("svg")) continue
      if (element.closest(":disabled, [disabled], [aria-disabled=true]")) continue
      const style = getComputedStyle(element), below = ground(element)
      const [r, g, b, a = 1] = number(style.color)
      const [high, low] = [light(over([r, g, b, a * opaque(element)], below)), light(below)].sort((x, y) => y - x)
      const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700)
      const contrast = (high + 0.05) / (low + 0.05)
      if (contrast < (large ? 3 : 4.5) - 0.01) found.push(`${contrast.toFixed(2)}, ${this.words(element)}`)
    }
    return [...new Set(found)]
  },
}
