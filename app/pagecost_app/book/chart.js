// A chart of lines as SVG. lines: {title, xs, ys, dots: whether they are drawn as dots}; no colour stands alone: lines
// differ in dashes and dots as well. axis_x, axis_y: {title, ticks: [[value, text]], from, to}
function chart(lines, axis_x, axis_y, label) {
  const wide = 680, high = 250, left = 64, low = high - 38, right = wide - 150
  const x = (value) => left + (value - axis_x.from) / (axis_x.to - axis_x.from) * (right - left)
  const y = (value) => low - (Math.min(value, axis_y.to) - axis_y.from) / (axis_y.to - axis_y.from) * (low - 12)
  const palette = DATA.colours[document.documentElement.dataset.theme], taken = []
  const drawn = lines.map(({title, xs, ys, dots}, i) => {
    const colour = palette[i % palette.length]
    const path = xs.map((each, k) => `${k ? "L" : "M"}${x(each).toFixed(1)},${y(ys[k]).toFixed(1)}`).join("")
    const marks = !dots ? "" : xs.map((each, k) => i % 2
      ? `<rect x="${x(each) - 3.5}" y="${y(ys[k]) - 3.5}" width="7" height="7" fill="${colour}"/>`
      : `<circle cx="${x(each)}" cy="${y(ys[k])}" r="4" fill="${colour}"/>`).join("")
    let end = y(ys.at(-1)) + 4
    while (taken.some((each) => Math.abs(each - end) < 14)) end -= 14  // up: below are the ticks
    taken.push(end)
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2" ${i % 2 ? 'stroke-dasharray="6 4"' : ""}/>` +
      `${marks}<line x1="${right + 10}" x2="${right + 26}" y1="${end - 4}" y2="${end - 4}" stroke="${colour}" stroke-width="2" ` +
      `${i % 2 ? 'stroke-dasharray="6 4"' : ""}/><text x="${right + 30}" y="${end}">${title}</text>`
  }).join("")
  const grid = axis_y.ticks.map(([value, text]) => `<line class="grid" x1="${left}" x2="${right}" y1="${y(value)}" ` +
    `y2="${y(value)}"/><text x="${left - 8}" y="${y(value) + 4}" text-anchor="end">${text}</text>`).join("")
  const ticks = axis_x.ticks.map(([value, text]) =>
    `<text x="${x(value)}" y="${low + 17}" text-anchor="middle">${text}</text>`).join("")
  return `<svg viewBox="0 0 ${wide} ${high}" style="width:100%;max-width:48rem" role="img" aria-label="${label}">${grid}${ticks}` +
    `<text x="${(left + right) / 2}" y="${high - 3}" text-anchor="middle">${axis_x.title}</text>` +
    `<text transform="translate(12,${low / 2 + 6}) rotate(-90)" text-anchor="middle">${axis_y.title}</text>${drawn}</svg>`
}
