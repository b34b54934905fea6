"""The page Import without a browser: each kind of file is told, shown, mapped and taken to a question."""

import dataclasses
import shutil
import tomllib

import pytest
from bokeh.events import ButtonClick

from helpers.page_session import Session, opened
from pagecost import catalogue, device_files, system
from pagecost.errors import ModelError
from pagecost_app import importing, pages, uploads
from pagecost_app.pages import import_page

IOSTAT = "Device r/s rkB/s w/s wkB/s aqu-sz %util\nsda 30 120 10 40 0.5 10\nsdb 1 4 0 0 0 1\n"
TABLE = "0.5;8;r;red\n1.0;16;w;blue\n1.5;8;r;red\n"
NAMED = "Time_s,Type,Offset,Size,<b>Colour\n0.5,Read,4096,4096,red\n1.5,Write,8192,4096,blue\nbanana,Read,0,1,\n"


@pytest.fixture(scope="module")
def session():
    made = Session()
    pages.build(made.document)
    made.model("address").value = "import"
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)


def said(session, path, text: str | bytes | None = None) -> str:
    """What the page says of a file, when it has said it."""
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    session.model("address").value = "import"
    answer, message = session.model("import.answer"), session.model("import.message")
    answer.text, message.text, session.model("import.file").value = "", "", ""
    session.model("import.file").value = str(path)
    session.until(lambda: (answer.text or message.text) and not session.queue)
    return session.model("import.kind").text + answer.text + message.text


def pressed(session, name: str) -> None:
    button = session.model(name)
    button._trigger_event(ButtonClick(button))


def test_a_table_is_told_and_its_columns_are_chosen_by_hand(session, tmp_path):
    path = tmp_path / "mine.data"
    assert importing.UNKNOWN_COLUMNS in said(session, path, TABLE)
    assert session.model("import.columns").visible
    assert session.model("import.time").options[1] == ("0", "0: column 0")
    assert not session.model("import.next").visible
    answer = session.model("import.answer")
    message = session.model("import.message")
    session.model("import.time").value = "0"
    session.until(lambda: "none is the offset" in message.text and not session.queue)
    assert session.model("import.columns").visible
    for name, value in [("unit", "sector"), ("op", "2"), ("offset", "1")]:
        session.model(f"import.{name}").value = value
    session.until(lambda: "Columns: column 0 is the time" in answer.text and not session.queue)
    assert "Columns that are not used: column 3." in answer.text
    assert "Offsets are taken in sectors of 512 bytes" in answer.text
    assert session.model("import.offset").value == "1"
    assert not session.model("import.message").visible
    assert session.model("import.study").value == "buffer_size"
    session.model("import.study").value = "trace_insight"
    pressed(session, "import.open")
    columns = "time=0,op=2,offset=1,unit=sector"
    assert session.model("trace_insight.trace.other").value == f"{path}#{columns}"
    session.until(lambda: session.model("trace_insight.answer").text and not session.queue)
    assert not session.model("trace_insight.message").visible


def test_a_header_is_recognised_and_its_words_stay_words(session, tmp_path):
    text = said(session, tmp_path / "mine.csv", NAMED)
    assert "a table with a header" in text
    assert "Columns that are not used: &lt;b&gt;Colour." in text
    assert "a number is expected where there is none" in text
    assert "<b>Colour" not in text
    assert (session.model("import.time").value, session.model("import.offset").value) == ("0", "2")


def test_the_load_by_iostat_opens_what_takes_a_rate_or_a_share(session, tmp_path):
    text = said(session, tmp_path / "iostat.txt", IOSTAT)
    assert "the load of devices, by iostat -x" in text
    assert "Questions are opened with the load of sda." in text
    assert {name for name, _ in session.model("import.study").options} >= {"miss_curve", "total_cost"}
    assert not session.model("import.columns").visible


def test_a_fio_result_and_a_system_are_told(session, tmp_path):
    results = (path for path in catalogue.root().rglob("*.json") if '"fio version"' in path.read_text("utf8")[:4096])
    path = shutil.copy(next(results), tmp_path / "fio.json")
    assert "a result of fio" in said(session, path)
    opens = importing.understood(str(path), "mine").opens
    assert "block_size" in opens
    assert {value for values in opens.values() for value in values.values()} == {"mine"}
    made = tmp_path / "mine.toml"
    system.write(system.System(name="<i>mine"), made)
    text = said(session, made)
    assert "a system" in text
    assert "&lt;i&gt;mine" in text
    assert "buffer_size" in [name for name, _ in session.model("import.study").options]


def test_a_press_fits_a_device_to_a_fio_result_and_keeps_it(session, tmp_path, monkeypatch):
    monkeypatch.setenv(device_files.FOLDER_VARIABLE, str(tmp_path / "own"))
    measured = sorted((catalogue.root() / "measurements" / "virtual-disk-depths").glob("*.json"))[0]
    path = shutil.copy(measured, tmp_path / "my-disk.json")
    assert not session.model("import.fit").visible
    said(session, path)
    assert session.model("import.fit").visible
    message, status = session.model("import.message"), session.model("import.status")
    session.model("import.capacity").value = "much"
    pressed(session, "import.fit")
    session.until(lambda: message.visible and not session.queue)
    assert "no number of bytes" in message.text
    session.model("import.capacity").value = "256GB"
    pressed(session, "import.fit")
    session.until(lambda: "Kept as" in status.text and not session.queue)
    assert not message.visible
    kept = catalogue.devices()["my-disk"]
    assert kept.value("capacity_bytes") == 256e9
    assert kept.parameter("random_read_iops").status == "fitted"
    pressed(session, "import.fit")
    session.until(lambda: message.visible and not session.queue)
    assert "is there already" in message.text
    said(session, tmp_path / "iostat.txt", IOSTAT)
    assert not session.model("import.fit").visible


def test_what_was_brought_is_put_into_my_system(session, tmp_path, monkeypatch):
    monkeypatch.setenv(device_files.FOLDER_VARIABLE, str(tmp_path / "own"))
    session.model("my_system.toggle").active = True

    def mine() -> system.System:
        return system.of(tomllib.loads(session.model("my_system.text").data["text"][0]))

    path = tmp_path / "mine.csv"
    said(session, path, "time,op,offset,size\n0.5,r,4096,4096\n1.5,w,8192,4096\n")
    pressed(session, "import.put")
    assert mine().load.source == str(path)
    said(session, tmp_path / "iostat.txt", IOSTAT)
    pressed(session, "import.put")
    assert (mine().load.rate_hz, mine().load.read_share) == (40.0, 0.75)
    device = dataclasses.replace(catalogue.device("rahm-db-disk"), id="another-own-disk")
    said(session, tmp_path / "disk.toml", device_files.text(device, catalogue.sources()))
    pressed(session, "import.put")
    assert "Kept as" in session.model("import.status").text
    assert mine().value("devices.database.device") == "another-own-disk"
    assert mine().load.source == str(path), "the rest stays"
    system.write(system.System(name="whole"), tmp_path / "whole.toml")
    said(session, tmp_path / "whole.toml")
    pressed(session, "import.put")
    assert mine() == system.System(name="whole")
    assert not session.model("import.message").visible


def test_a_device_is_told_and_kept(session, tmp_path, monkeypatch):
    opened(session, "block_size")
    monkeypatch.setenv(device_files.FOLDER_VARIABLE, str(tmp_path / "own"))
    made = tmp_path / "mine.toml"
    device = dataclasses.replace(catalogue.device("rahm-db-disk"), id="my-own-disk")
    content = device_files.text(device, catalogue.sources())
    assert "a device of yours" in said(session, made, content)
    assert session.model("import.keep").visible
    pressed(session, "import.keep")
    assert "in every list of devices" in session.model("import.status").text
    assert (tmp_path / "own" / "my-own-disk.toml").is_file()
    opened(session, "block_size")
    assert "my-own-disk" in dict(session.model("block_size.devices").options), "a page that was built before offers it"
    session.model("address").value = "import"
    pressed(session, "import.keep")
    assert "it is there already" in session.model("import.message").text


def test_an_xml_document_opens_the_question_that_stores_one(session, tmp_path):
    text = said(session, tmp_path / "doc.xml", '<?xml version="1.0"?><a><b>1</b></a>')
    assert "an XML document" in text
    assert session.model("import.next").visible
    assert "xml_footprint" in dict(session.model("import.study").options)


def test_what_was_wrong_with_another_file_is_gone_when_a_file_is_named(session, tmp_path):
    said(session, tmp_path / "noise.dat", bytes(range(256)) * 4)
    message = session.model("import.message")
    assert message.visible
    (tmp_path / "good.txt").write_text(IOSTAT)
    session.model("import.file").value = str(tmp_path / "good.txt")
    assert not message.visible  # at once, and not when the answer is there
    session.until(lambda: session.model("import.answer").text and not session.queue)


BAD = {
    "none.csv": (None, "there is no such file"),
    "empty.csv": (b"", "the file is empty"),
    "zeros.csv": (bytes(100), "NUL bytes"),
    "noise.dat": (bytes(range(256)) * 4, "name the format"),
    "cut.csv.gz": (b"\x1f\x8b\x08\x00", "damaged or end too early"),
    "other.json": (b'{"a": 1}', "JSON, but neither of fio nor of iostat -o JSON"),
    "fio.json": (b'{"fio version": "3", "jobs": 3}', "JSON of another kind"),
    "cut.json": (b'{"sysstat": {"hosts": [{"statistics": [{"disk": [', "its JSON is damaged or cut"),
    "plain.txt": (b"Device tps kB_read/s\nsda 1 2\n", "write it by iostat -x"),
    "bad.toml": (b"a = = 3", "this is not TOML"),
    "other.toml": (b"a = 3", "it does not say its schema"),
    "device.toml": (b"schema = 1\ndevice = 3", "device"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_of_any_kind_is_one_sentence_and_nothing_of_the_one_before_stays(session, tmp_path, name):
    content, why = BAD[name]
    said(session, tmp_path / "good.txt", IOSTAT)
    text = said(session, tmp_path / name, content)
    assert why in text
    assert "This is <b>" not in text
    assert not session.model("import.next").visible
    assert "sda" not in text or name == "plain.txt"
    assert session.model("import.message").visible


def test_a_copy_of_an_upload_keeps_the_meaning_of_its_columns():
    path = uploads.place("mine.csv", 3)
    assert uploads.path_of("mine.csv#time=0,offset=1") == f"{path}#time=0,offset=1"
    assert uploads.path_of("other.csv#time=0") == "other.csv#time=0"
    uploads.discard()


def test_the_page_says_every_kind():
    assert set(import_page.KINDS) == {"trace", "fio result", "iostat", "device", "system", "XML document"}


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("<", "not well-formed XML: unclosed token at line 1, column 1"),
        ("<a><b></a>", "not well-formed XML: mismatched tag"),
        ("<!doctype html><p>one<br>two", "not well-formed XML"),
        ("<a/>".encode("utf16"), ""),
        ("\ufeff<a/>", ""),
        ("0.5;8;r\n1.0;16;w\n".encode("utf16"), "this is text in UTF-16; save it as UTF-8"),
    ],
)
def test_what_is_no_xml_and_what_is_in_utf16_is_said(tmp_path, content, wrong):
    path = tmp_path / "mine"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if wrong:
        with pytest.raises(ModelError, match=f"^mine.xml: {wrong}"):
            importing.understood(str(path), "mine.xml")
    else:
        assert importing.understood(str(path), "mine.xml").kind == "XML document"


def test_what_fio_and_iostat_wrote_in_utf16_is_told(tmp_path):
    measured = sorted((catalogue.root() / "measurements" / "virtual-disk-depths").glob("*.json"))[0]
    for text, kind in ((IOSTAT, "iostat"), (measured.read_text("utf8"), "fio result")):
        (tmp_path / "mine").write_bytes(text.encode("utf16"))
        assert importing.understood(str(tmp_path / "mine"), "mine").kind == kind


def test_while_another_file_is_read_nothing_is_done_with_the_one_before(session, tmp_path, monkeypatch):
    monkeypatch.setenv(device_files.FOLDER_VARIABLE, str(tmp_path / "own"))
    buttons = [session.model(f"import.{name}") for name in ("put", "keep", "open", "fit")]
    said(session, tmp_path / "first.csv", "time,op,offset,size\n0.5,r,4096,4096\n1.5,w,8192,4096\n")
    before = system_said(session)
    (tmp_path / "next.csv").write_text("time,op,offset,size\n0.5,r,4096,512\n2.5,w,8192,4096\n")
    session.model("import.file").value = str(tmp_path / "next.csv")
    assert all(button.disabled for button in buttons)
    for name in ("put", "keep", "open", "fit"):  # what is pressed before the browser knows
        pressed(session, f"import.{name}")
    session.model("import.op").value = ""  # a column of the file before
    assert session.model("address").value == "import"
    assert system_said(session) == before
    answer = session.model("import.answer")
    session.until(lambda: "512" in answer.text and not session.queue)
    assert not session.model("import.message").visible
    assert not any(button.disabled for button in buttons)
    assert not (tmp_path / "own").exists()
    pressed(session, "import.put")
    assert tomllib.loads(system_said(session))["load"]["source"] == str(tmp_path / "next.csv")


def system_said(session) -> str:
    session.model("my_system.toggle").active = True
    return session.model("my_system.text").data["text"][0]
