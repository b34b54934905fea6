"""`pagecost devices`: the catalogue as lists, and the files of the user's own devices."""

import json
import re
import sys
from pathlib import Path

from pagecost import catalogue, device_files
from pagecost.catalogue import Device
from pagecost.errors import require
from pagecost.units import so_many
from pagecost_app import printing, terminal
from pagecost_app.command_parts import DataFormat, Output

TEMPLATE = """\
# A device of your own for pagecost. What stands behind # is an example or an explanation.
#   pagecost devices check {file}    says what is wrong or missing
#   pagecost devices add {file}      puts it into every list
schema = 1

device = "{id}"  # its id: lower-case words joined by hyphens, none of pagecost's own
name = {name}  # what lists and charts call it
class = "flash SSD"  # or hard disk, main memory, ...; `pagecost devices` shows those in use
model = ""  # which model the numbers are enough for (blank: none):
{models}
# year = 2024
note = ""

# Where your numbers are from. Sources of pagecost's own catalogue are cited without a table.
# [sources.my-data-sheet]
# title = "Data sheet of the drive, revision 3"
# publisher = "its maker"
# year = "2024"
# url = "https://..."
# read_on = "2026-11-23"

# One table for each number that you know; leave out what you do not know. The end of the name says what it measures
# (_s _bytes _bytes_per_s _iops _hz _w _j), the unit is the one in which you read it, status is one of
# {statuses}.
# [parameters.capacity_bytes]
# value = 960
# unit = "GB"
# status = "specified"
# source = "my-data-sheet"
# place = "page 2"
#
# [parameters.random_read_iops]  # of requests of rated_block_bytes at rated_queue_depth
# value = 61000
# low = 60000
# high = 62000
# unit = "1/s"
# status = "measured"
# source = "my-data-sheet"

# Questions of energy read idle_w and active_w, those of wear rated_write_bytes or drive_writes_per_day and warranty_s;
# a request alone takes rated_read_latency_s and rated_write_latency_s. `pagecost devices intel-x25-e` shows more names.

# What it cost, and when; may be repeated, and the newest price in USD counts.
# [[prices]]
# amount = 120
# currency = "USD"
# per = "device"  # or MB, GB
# date = "2026-11"
# status = "stated"
# source = "my-data-sheet"
"""


def show(name: str | None, out: Output, *, mine: bool) -> None:
    """Print the devices, or every number of one; on standard error what is left out of the user's own, and why.

    mine: only the user's own, with the folder in which they lie. Raises ModelError for an unknown device.
    """
    if name is not None:
        _one(catalogue.device(name), out)
    else:
        _list([each for each in catalogue.devices().values() if each.file or not mine], out)
    if mine:
        print(f"your own devices lie in {device_files.folder()}", file=sys.stderr)
    for problem in catalogue.problems():
        print(f"left out: {problem}", file=sys.stderr)


def _list(found: list[Device], out: Output) -> None:
    """Print devices, of the user's own with their file."""
    rows = [
        {
            "device": device.id,
            "name": device.name,
            "class": device.device_class,
            "year": "" if device.year is None else device.year,
            "model": device.model,
            "file": device.file,
        }
        for device in found
    ]
    own = out.format != DataFormat.table or any(row["file"] for row in rows)
    kept = [{name: value for name, value in row.items() if own or name != "file"} for row in rows]
    printing.records(kept, out, printing.typed(out), most=None)


def _one(device: Device, out: Output) -> None:
    """Print every number of a device with its source."""
    parameters = [
        {
            "parameter": parameter.name,
            "stated": parameter.stated,
            "value": parameter.value,
            "low": parameter.low,
            "high": parameter.high,
            "status": parameter.status,
            "source": parameter.source,
            "place": parameter.place,
            "note": parameter.note,
        }
        for parameter in device.parameters.values()
    ]
    prices = [{field: getattr(price, field) for field in price.__slots__} for price in device.prices]
    made = printing.typed(out, device=device.id)
    if out.format == DataFormat.json:
        named = {"device": device.id, "name": device.name, "file": device.file}
        found = {**named, "parameters": parameters, "prices": prices}
        printing.as_json(found | ({"provenance": made()} if out.provenance else {}))
        return
    if out.format == DataFormat.csv:
        printing.records([{"device": device.id} | parameter for parameter in parameters], out, made)
        return
    terminal.say(f"{device.name} ({device.device_class}, {device.year or 'year unknown'})", strong=True)
    if device.file:
        terminal.say(f"your own, from {device.file}")
    print()
    names = ("parameter", "stated", "status", "source", "place", "note")
    shown = [{name: str(row[name]) for name in names} for row in parameters]
    terminal.table(printing.texts(shown), wide=out.wide, most=None)
    for price in device.prices:
        amount = price.amount if price.amount is not None else f"{price.low}-{price.high}"
        told = f"{price.source} {price.place}".rstrip()
        terminal.say(f"price: {amount} {price.currency} per {price.per}, {price.date} ({told})")
    printing.foot(out, made)


def new(file: Path, *, force: bool) -> str:
    """Write a file to fill in; what was written, as a sentence. Raises ModelError for a file that is there already."""
    require(not file.is_dir(), f"device {file}: this is a folder; name the file to write in it")
    require(force or not file.exists(), f"device {file}: the file is there already; --force writes over it")
    id = re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-") or "my-device"
    models = "\n".join(f"#   {model}: {_listed(needs)}" for model, needs in catalogue.NEEDS.items())
    text = TEMPLATE.format(
        file=file.name if file.name.isprintable() else "FILE",
        id=id,
        name=json.dumps(file.stem, ensure_ascii=False),
        models=models,
        statuses=", ".join(sorted(catalogue.STATUSES)),
    )
    device_files.write_text(file, text)
    return f"wrote {file}: fill it in, then pagecost devices check {file}"


def add(file: Path, *, replace: bool) -> str:
    """Check a file and copy it into the folder of own devices; where it lies, as a sentence. Raises ModelError."""
    place = device_files.add(file, replace=replace)
    device = device_files.read(place).device
    lists = (
        f"every list that takes the model {device.model}" if device.model else "the list of devices; it has no model"
    )
    return f"{device.id} is in {lists}; its file is {place}"


def check(file: Path) -> str:
    """What a file holds, for which models it is enough, what others need. Raises ModelError where it is no device."""
    device = device_files.read(file).device
    lines = [f"{file} is a device: {device.id}, {device.name}, {so_many(len(device.parameters), 'number')}"]
    missing = device_files.missing_for(device)
    if device.model:
        lines.append(f"it has what the model {device.model} needs: studies can ask it for times")
    for model, names in missing.items():
        if model != device.model and not names:
            lines.append(f'it has what the model {model} needs; write model = "{model}" to use it')
    if not device.model and all(missing.values()):
        lines.append("no model has what it needs, so that no study can ask it for times:")
        lines += [f"  {model} needs {', '.join(names)}" for model, names in missing.items()]
    for name, near in catalogue.unread(device).items():
        lines.append(f"nothing reads {name}, which no device of the catalogue has{_meant(near)}")
    if not any(price.currency == "USD" and price.per == "device" for price in device.prices):
        lines.append("it has no price of a device in USD: questions of cost leave it out or ask for one")
    return "\n".join(lines)


def _meant(near: list[str]) -> str:
    return f"; is {' or '.join(near)} meant?" if near else ""


def _listed(needs) -> str:
    return ", ".join(need if isinstance(need, str) else " or ".join(need) for need in needs)
