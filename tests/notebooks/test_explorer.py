"""`explore()` without a browser: widgets from the fields of a study, answers, messages, and what the page is sent."""

import dataclasses
import json
import re

import pytest
from bokeh.models import ColumnDataSource

from pagecost import studies, system
from pagecost.claims import claims, kept
from pagecost.errors import ModelError
from pagecost.units import grouped
from pagecost_app.charts import CHARTS, style
from pagecost_app.notebook import answer, explore
from pagecost_app.notebook.live_chart import LiveChart

pytestmark = pytest.mark.usefixtures("remembered_answers")


@pytest.fixture
def explorer():
    return explore("buffer_size", frames=512, policies=("lru", "min"))


@pytest.fixture
def sent(monkeypatch):
    """What the chart sends to the page: one list of fragments per message."""
    messages = []
    monkeypatch.setattr(LiveChart, "send", lambda self, content, buffers=None: messages.append(content))
    return messages


def widget(explorer, name):
    return explorer._controls[name]


def message(explorer):
    return explorer._message.value


@pytest.fixture(scope="module", params=studies.STUDIES)
def untouched(request, remembered_answers):
    """The explorer of a study, as it starts; who moves it puts it back."""
    return explore(request.param)


def test_a_study_starts_with_its_defaults_and_every_input_has_a_widget(untouched):
    explorer, study = untouched, untouched.study.name
    assert explorer.inputs == studies.find(study).inputs()
    for name, field in explorer.inputs.__class__.model_fields.items():
        control = widget(explorer, name)
        assert control.value == getattr(explorer.inputs, name)
        assert control.help.startswith(field.description)


def test_a_preset_moves_every_widget_and_answers(untouched, subtests):
    explorer, study = untouched, untouched.study
    for preset in study.presets:
        with subtests.test(preset):
            explorer._preset.value = preset
            assert explorer.inputs == study.inputs(preset=preset)
            assert message(explorer) == ""
            assert explorer._reset.disabled
            explorer._preset.value = ""
            assert explorer.inputs == study.inputs()


def test_a_widget_that_moves_changes_result_chart_and_words(explorer):
    widget(explorer, "frames").value = 2048
    expected = answer("buffer_size", frames=2048, policies=("lru", "min"))
    chart = CHARTS["buffer_size"]()
    chart.update(explorer.inputs, expected)
    assert explorer.result.csv() == expected.csv()
    drawn, wanted = (
        {source.name: source.data for source in root.select({"type": ColumnDataSource})}
        for root in (explorer.chart.root, chart.root)
    )
    assert {name: str(drawn[name]) for name in wanted} == {name: str(data) for name, data in wanted.items()}
    assert studies.find("buffer_size").describe(explorer.inputs, expected) == explorer.live.words
    assert explorer.live.words in explorer._answer.value


def test_changed_values_are_marked_until_reset(explorer):
    widget(explorer, "frames").value = 2048
    assert widget(explorer, "frames").titled.description == "● Buffer size"
    assert widget(explorer, "device").titled.description == "Device"
    assert explorer._reset.description == "Reset (1 changed)"
    explorer._reset.click()
    assert explorer.inputs.frames == 512
    assert widget(explorer, "frames").titled.description == "Buffer size"
    assert explorer._reset.disabled


def test_a_box_that_is_unticked_and_ticked_again_is_not_a_change():
    explorer = explore("translation_layers", layers=("page", "block"))
    boxes = widget(explorer, "layers")._boxes
    boxes["page"].value = False
    assert explorer.inputs.layers == ("block",)
    assert widget(explorer, "layers").titled.value == "● Translation layers"
    boxes["page"].value = True
    assert widget(explorer, "layers").titled.value == "Translation layers"


def test_a_value_that_is_no_option_has_a_box_and_can_be_unticked():
    shown = explore("storage_plan", buffers=(1024, 2048), devices=("wd800aajs",), runs=0)
    boxes = shown._controls["buffers"].items.children
    ticked = [box.description for box in boxes if box.value]
    assert ticked == [f"{grouped(frames)} frames" for frames in (1024, 2048)]
    next(box for box in boxes if box.description == f"{grouped(1024)} frames").value = False
    assert shown.inputs.buffers == (2048,)
    assert "fault" not in shown._message.value


def test_of_many_options_one_is_added_by_the_list_and_removed_by_its_button():
    explorer = explore("block_size", devices=("wd400bb", "intel-x25-e"))
    devices = widget(explorer, "devices")
    devices._add.value = "rahm-nvem"
    assert explorer.inputs.devices == ("wd400bb", "intel-x25-e", "rahm-nvem")
    devices.items.children[0].click()
    assert explorer.inputs.devices == ("intel-x25-e", "rahm-nvem")
    offered = [option for _, option in devices._add.options]
    assert "wd400bb" in offered
    assert "rahm-nvem" not in offered


def test_set_moves_the_widgets_and_accepts_a_value_between_two_stops(explorer):
    explorer.set(frames=777, device="rahm-db-disk")
    assert widget(explorer, "frames").value == 777
    assert widget(explorer, "device").value == "rahm-db-disk"
    assert set(explorer.result["frames"][explorer.result.rows(chosen=True)]) == {777}


def test_set_refuses_what_the_study_refuses_and_changes_nothing(explorer):
    before = explorer.result
    with pytest.raises(ModelError, match="buffer_size: frames should be greater than or equal to 1"):
        explorer.set(frames=0)
    with pytest.raises(ModelError, match="unknown input 'frame'"):
        explorer.set(frame=100)
    assert explorer.result is before
    assert widget(explorer, "frames").value == 512


def test_a_system_fills_in_what_it_can_and_a_widget_that_moves_is_free_of_it(tmp_path):
    mine = system.System(name="mine").changed({"memory.buffer_frames": 300, "load.read_share": 0.25})
    system.write(mine, tmp_path / "mine.toml")
    explorer = explore("disk_scheduling", system=str(tmp_path / "mine.toml"), requests=200)
    assert explorer.inputs.write_share == 0.75
    assert "◆ from mine: Schedulers, Share of writes" in explorer.taken.value
    assert "not from mine: disk: intel-x25-m-g2-80gb: average_seek_read_s is not known" in explorer.taken.value
    explorer.set(write_share=0.0)
    assert "◆ from mine: Schedulers<br>" in explorer.taken.value
    explorer.reset()
    assert explorer.inputs.write_share == 0.75
    assert explore("buffer_size").taken.value == ""
    assert explore("buffer_size", system=mine, frames=77).inputs.frames == 77
    numbers = answer("buffer_size", system=mine)
    assert 300 in numbers["frames"]
    with pytest.raises(ModelError, match="label_length can take nothing from mine: none of its inputs is part of one"):
        explore("label_length", system=mine)
    with pytest.raises(ModelError, match="there is no such file"):
        explore("buffer_size", system="nowhere.toml")


def test_explore_refuses_what_it_does_not_know():
    with pytest.raises(
        ModelError, match=f"unknown study 'bufer_size'; nearest of {len(studies.STUDIES)}: buffer_size, "
    ):
        explore("bufer_size")
    with pytest.raises(ModelError, match="unknown preset"):
        explore("buffer_size", preset="none of these")


def test_bad_input_is_one_sentence_and_the_last_answer_stays(explorer):
    before = explorer.result
    widget(explorer, "trace").other.value = "<no-such-trace>"
    assert 'role="alert"' in message(explorer)
    assert "unknown trace &#x27;&lt;no-such-trace&gt;&#x27;" in message(explorer)
    assert explorer.result is before
    widget(explorer, "trace").other.value = ""
    assert message(explorer) == ""


def test_a_fault_in_a_callback_is_never_invisible(explorer):
    def broken(inputs, progress):
        raise ZeroDivisionError("a fault of ours")

    explorer.study = dataclasses.replace(explorer.study, compute=broken)
    widget(explorer, "frames").value = 2048
    assert "This is a fault of pagecost, not yours: ZeroDivisionError" in message(explorer)
    assert "a fault of ours" in message(explorer)
    assert explorer.inputs.frames == 512


def lines(explorer) -> str:
    """What the chart's lines draw."""
    return str([slot.source.data for slot in explorer.chart.curve.slots])


def test_a_long_answer_grows_in_the_chart_and_an_interrupted_one_leaves_the_last(explorer, monkeypatch):
    monkeypatch.setattr("pagecost_app.notebook.explorer.LONG_S", 0.0)
    monkeypatch.setattr("pagecost_app.notebook.explorer.BETWEEN_PICTURES_S", 0.0)
    said, drawn = [], []
    explorer._message.observe(lambda change: said.append(change.new), names="value")
    before = lines(explorer)
    compute = explorer.study.compute

    def interrupted(inputs, progress):
        def grow(share, partial):
            progress(share, partial)
            drawn.append(lines(explorer))
            if share > 0.5:
                raise KeyboardInterrupt

        return compute(inputs, grow)

    explorer.study = dataclasses.replace(explorer.study, compute=interrupted)
    with pytest.raises(KeyboardInterrupt):
        explorer.set(frames=600)
    assert re.search(r"computing … \d+%", said[0])
    assert len(set(drawn)) == len(drawn) > 3
    assert lines(explorer) == before


def test_an_answer_is_one_message_and_a_slider_sends_only_what_changed(sent):
    explorer = explore("block_size")
    sent.clear()
    widget(explorer, "span_bytes").value = 1e9
    assert len(sent) == 3, "header, metadata and content of one patch"
    events = json.loads(sent[-1]["payload"])["events"]
    changed = {event["model"]["id"] for event in events}
    assert explorer.chart.detail.source.id in changed
    assert explorer.chart.legend.legend.id not in changed


def test_a_view_that_shows_an_old_answer_is_sent_a_fresh_one(explorer, monkeypatch):
    states = []
    monkeypatch.setattr(LiveChart, "send_state", lambda self, key=None: states.append(self.get_state(key)))
    shown = explorer.live._version
    explorer.live._seen(False, shown)
    assert states == []
    explorer.set(frames=4096)
    explorer.live._seen(False, shown)
    (state,) = states
    assert explorer.live.words in json.dumps(json.loads(state["render_bundle"]), ensure_ascii=False)


def test_a_chart_takes_the_colours_of_the_page(explorer, monkeypatch):
    monkeypatch.setattr(LiveChart, "_dark", False)
    explorer.live._seen(True, explorer.live._version)
    assert explorer.chart.curve.figure.border_fill_color == style.DARK["ground"]
    assert explorer.chart.curve.slots[0].line.glyph.line_color == style.DARK_COLOURS[0]
    assert explore("buffer_size").chart.curve.figure.border_fill_color == style.DARK["ground"]
    explorer.live._seen(False, explorer.live._version)
    assert explorer.chart.curve.figure.border_fill_color == style.LIGHT["ground"]


def test_the_numbers_are_a_table_of_the_wanted_rows_and_columns(explorer):
    table = explorer.table("policy", "hit_ratio", "time_per_reference_s", chosen=True)
    row = explorer.result.rows(chosen=True)[0]
    assert len(table.rows) == 2
    assert table.rows[0][:2] == ["LRU", f"{explorer.result['hit_ratio'][row]:.4g}"]
    assert table.rows[0][2].endswith(" µs")
    assert table._repr_html_().count("<tr>") == 3
    assert repr(table).splitlines()[0].startswith("replacement policy  hit ratio")
    assert len(explorer.table().rows) == len(explorer.result)
    with pytest.raises(ModelError, match="unknown column 'hits'"):
        explorer.table("hits")


def test_an_export_carries_the_chart_and_bokeh_once_and_nothing_from_elsewhere(explorer, monkeypatch):
    monkeypatch.setattr(type(explorer), "_bokeh_exported", False)
    first, second = explorer._as_html(), explorer._as_html()
    assert len(first) > 1_000_000
    assert len(second) < 300_000
    for page in (first, second):
        assert "How was this computed?" in page
        assert "<script src" not in page
        assert "<link" not in page


def test_the_reasons_name_what_of_the_papers_an_exploration_reproduces(explorer, monkeypatch):
    lines = [claim for claim in claims() if claim.study == "buffer_size" and claim.place == "Table 4.2"]
    records = {line.id: {"verdict": {"status": "holds"}} for line in lines[1:]} | {
        lines[0].id: {"verdict": {"status": "fails"}}
    }
    monkeypatch.setattr(kept, "kept", lambda: records)
    explorer._why.value = True
    assert "Of the papers it reproduces" in explorer._reasons.value
    holding = f"Rahm 1992, Table 4.2: {len(lines) - 1} of {len(lines)} lines hold"
    assert f"{holding}; claimed(&quot;R31*&quot;) checks them" in explorer._reasons.value
