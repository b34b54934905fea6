// Pictures with a line below that says what made them. Stands before the code that saves, in lessons and in the app.
const CAPTION = 16, LETTER = 6.2, MARGIN = 8

// the line in parts as long as the picture is wide
const wrapped = (line, width) => {
  const most = Math.max(Math.floor((width - 2 * MARGIN) / LETTER), 20)
  return line.split(" ").reduce((rows, word) => {
    const last = rows[rows.length - 1]
    if (last !== "" && last.length + word.length + 1 > most) rows.push(word)
    else rows[rows.length - 1] = last === "" ? word : `${last} ${word}`
    return rows
  }, [""])
}

const captionedSvg = async (blob, line) => {
  const svg = new DOMParser().parseFromString(await blob.text(), "image/svg+xml").documentElement
  const [width, height] = ["width", "height"].map((name) => parseFloat(svg.getAttribute(name)))
  const rows = wrapped(line, width)
  const add = (tag, attributes, text) => {
    const element = svg.ownerDocument.createElementNS("http://www.w3.org/2000/svg", tag)
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    element.textContent = text
    svg.append(element)
  }
  svg.setAttribute("height", height + CAPTION * rows.length + MARGIN)
  svg.removeAttribute("viewBox")
  add("desc", {}, line)
  add("rect", {y: height, width, height: CAPTION * rows.length + MARGIN, fill: "#ffffff"}, "")
  rows.forEach((row, number) => add("text", {x: MARGIN, y: height + CAPTION * (number + 0.8), fill: "#5f6368",
    "font-size": 11, "font-family": "sans-serif"}, row))
  return new Blob([new XMLSerializer().serializeToString(svg)], {type: "image/svg+xml"})
}

const captionedPng = async (blob, line, shownWidth) => {
  const picture = await createImageBitmap(blob)
  const scale = picture.width / shownWidth
  const rows = wrapped(line, shownWidth)
  const canvas = document.createElement("canvas")
  canvas.width = picture.width
  canvas.height = picture.height + (CAPTION * rows.length + MARGIN) * scale
  const ink = canvas.getContext("2d")
  ink.fillStyle = "#ffffff"
  ink.fillRect(0, 0, canvas.width, canvas.height)
  ink.drawImage(picture, 0, 0)
  ink.fillStyle = "#5f6368"
  ink.font = `${11 * scale}px sans-serif`
  rows.forEach((row, number) => ink.fillText(row, MARGIN * scale, picture.height + CAPTION * (number + 0.8) * scale))
  return new Promise((done) => canvas.toBlob(done, "image/png"))
}

// a blob of a drawn view, {kind: "svg" | "png", line}
const captioned = async (view, {kind, line}) => {
  const drawn = await view.export(kind).to_blob()
  return kind === "svg" ? captionedSvg(drawn, line) : captionedPng(drawn, line, view.el.offsetWidth)
}

// has the browser save a blob under a name
const saveBlob = (blob, name) => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60000)
}
