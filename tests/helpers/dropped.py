"""A file that is dropped on a page of the app, as by a mouse."""

DROP = """(zone, [name, text]) => {
  const carried = new DataTransfer()
  carried.items.add(new File([text], name))
  for (const kind of ["dragover", "drop"])
    zone.dispatchEvent(new DragEvent(kind, {dataTransfer: carried, bubbles: true, composed: true, cancelable: true}))
}"""


def drop(zone, name: str, text: str) -> None:
    """Drop a file of that name and text on `zone`, a locator of one element."""
    zone.evaluate(DROP, [name, text])
