"""A page that is loaded again has the user's own devices in its lists, and says which files are left out."""

import pytest

from helpers.page_session import Session, opened
from pagecost_app import pages
from pagecost_app.pages.controls import YOURS

MINE = """
schema = 1
device = "my-ssd"
name = "My <b>SSD</b>"
class = "flash SSD"
model = "rated"
sources.mine.title = "measured here"
[parameters]
rated_block_bytes = { value = 4096, unit = "B", status = "measured", source = "mine" }
random_read_iops = { value = 61000, unit = "1/s", status = "measured", source = "mine" }
random_write_iops = { value = 20000, unit = "1/s", status = "measured", source = "mine" }
sequential_read_bytes_per_s = { value = 5e8, unit = "B/s", status = "measured", source = "mine" }
sequential_write_bytes_per_s = { value = 4e8, unit = "B/s", status = "measured", source = "mine" }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path))
    return tmp_path


@pytest.fixture
def loaded():
    """Makes a session, as loading the page does."""
    made = []

    def load() -> Session:
        made.append(Session())
        pages.build(made[-1].document)
        return made[-1]

    yield load
    for session in made:
        session.document.session_destroyed_callbacks.copy().pop()(None)


def devices_of(session) -> list[str]:
    opened(session, "block_size")
    return [option for option, _ in session.model("block_size.devices").options]


def test_an_added_device_is_in_the_lists_after_a_reload_and_can_be_asked_for(folder, loaded):
    assert "my-ssd" not in devices_of(loaded())
    (folder / "x.toml").write_text(MINE)
    session = loaded()
    assert "my-ssd" in devices_of(session)
    assert not session.model("left_out").visible
    names = dict(session.model("block_size.devices").options)
    assert names["my-ssd"] == "My &lt;b&gt;SSD&lt;/b&gt; · yours"
    assert [id for id, name in names.items() if name.endswith(YOURS)] == ["my-ssd"]
    session.model("block_size.devices").value = ["my-ssd"]
    shown = session.model("block_size.result")
    session.until(lambda: set(shown.data["device"]) == {"my-ssd"} or "My <b>SSD</b>" in set(shown.data["device"]))


def test_a_file_that_is_left_out_is_told_of_on_the_page(folder, loaded):
    (folder / "x.toml").write_text("schema = 1\ndevice = <script>")
    said = loaded().model("left_out")
    assert said.visible
    assert "own device x.toml: this is not TOML" in said.text
    (folder / "<i>.toml").write_text("schema = 1")
    text = loaded().model("left_out").text
    assert "&lt;i&gt;.toml" in text
    assert "<i>" not in text
