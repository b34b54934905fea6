"""Text with a byte order mark, and in UTF-16, as other programs write it, wherever text is read."""

import dataclasses
import gzip
import json
import struct

import pytest

from pagecost import catalogue, device_files, system, texts
from pagecost.devices import read_fio, smart
from pagecost.errors import ModelError
from pagecost.workload import iostat, pg_stat_io, traces

IOSTAT = "Device r/s rkB/s w/s wkB/s aqu-sz %util\nsda 30 120 10 40 0.5 10\n"
ENCODED = {
    "mark": lambda text: texts.UTF8_MARK + text.encode(),
    "little": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "big": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
}
TEXTS = ("csv", "text", "msr", "spc", "blkparse", "fio", "alibaba", "tencent", "systor", "vscsi", "table")


@pytest.mark.parametrize("piece_bytes", [1, 7, 1 << 20])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("name", TEXTS)
def test_a_mark_costs_no_request_of_any_text_format(tmp_path, name, pack, piece_bytes):
    example, found = traces.FORMATS[name].example, []
    for each, mark in (("plain", b""), ("marked", texts.UTF8_MARK)):
        path = tmp_path / each
        path.write_bytes(pack(mark + example + example.splitlines(keepends=True)[-1]))
        reading = traces.Reading(path, piece_bytes=piece_bytes)
        found.append((reading.format.name, [page for piece in reading for page in piece.page.tolist()]))
        assert reading.tally.rejected_lines == 0
    assert found[0] == found[1]
    assert found[0][1]


def test_the_lines_behind_a_mark_have_their_own_numbers(tmp_path):
    path = tmp_path / "marked.spc"
    path.write_bytes(texts.UTF8_MARK + b"0,20941264,8192,W,0.551706\nbanana\n")
    read = traces.read(path)
    assert read.requests.size == 1
    assert [(bad.line, bad.text) for bad in read.rejected] == [(2, "banana")]


@pytest.mark.parametrize("ending", ["", ".csv", ".spc"])
@pytest.mark.parametrize("way", ["little", "big"])
def test_a_trace_in_utf16_is_refused_by_its_name(tmp_path, way, ending):
    path = tmp_path / f"trace{ending}"
    path.write_bytes(ENCODED[way](traces.FORMATS["spc"].example.decode()))
    for format in (None, "spc"):
        with pytest.raises(ModelError, match=r"UTF-16; save it as UTF-8$"):
            list(traces.Reading(path, format))


def test_records_whose_first_bytes_are_like_a_mark_are_records(tmp_path):
    records = [(0xFEFF + number, 7 + number % 2, 4096, -1) for number in range(4)]
    path = tmp_path / "trace"
    path.write_bytes(b"".join(struct.pack("<IQIq", *record) for record in records))
    assert traces.read(path, "oracleGeneral").requests.size == 4
    path.write_bytes(b"".join(struct.pack("<IQIq", 0xBFBBEF + number, 7 + number, 1, -1) for number in range(4)))
    assert traces.read(path, "oracleGeneral").requests.size == 4


@pytest.mark.parametrize("way", ENCODED)
def test_what_is_read_whole_is_read_in_any_of_them(tmp_path, way):
    def made(text):
        (tmp_path / "file").write_bytes(ENCODED[way](text.replace("\n", "\r\n")))
        return tmp_path / "file"

    assert iostat.is_one(texts.of_bytes(ENCODED[way](IOSTAT)))
    assert iostat.read(made(IOSTAT))["sda"].rate_hz == 40
    measured = next((catalogue.root() / "measurements").rglob("*.json"))
    text = measured.read_text("utf8")
    assert read_fio(made(text)).points == read_fio(measured).points
    assert smart.read(made("data_units_written : 2\npercentage_used : 3%\n")).written_bytes == 2 * 512_000
    row = [{"object": "relation", "hits": 3, "reads": 1, "read_time": 0}]
    assert pg_stat_io.read(made(json.dumps(row))).hits == 3
    assert system.read(made('schema = 2\nname = "mine"\n')).name == "mine"
    device = dataclasses.replace(catalogue.device("rahm-db-disk"), id="another-own-disk")
    assert device_files.read(made(device_files.text(device, catalogue.sources()))).device.id == device.id
