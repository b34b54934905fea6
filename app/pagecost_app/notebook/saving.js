// Saves a file that the kernel asks for: a text as it is, or the chart as a picture with a line that says what made it.
// Stands behind captioned.js and before live_chart.js, in the same function.
const saveFile = async (view, {kind, name, line, text}) =>
  saveBlob(kind === "csv" ? new Blob([text], {type: "text/csv"}) : await captioned(view, {kind, line}), `${name}.${kind}`)
