"""How a question is set, as a record, a link and a command: each says the same setting."""

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import studies
from pagecost.errors import ModelError
from pagecost.studies.fields import Choices, Steps, kind_of
from pagecost_app import printing
from pagecost_app.workspace import settings
from pagecost_app.workspace.settings import PRESET, Setting

HOSTILE = 'it\'s "a" path, & 100% + $HOME; `ls`.csv'


def every_setting():
    for study in studies.STUDIES.values():
        for preset in (None, *study.presets):
            yield Setting(study.name, preset)
            start = settings.of_preset(study, preset)
            changed = {}
            for name, field in study.Inputs.model_fields.items():
                kind = kind_of(field)
                if isinstance(kind, Steps):
                    changed[name] = kind.stops[0]
                elif isinstance(kind, Choices):
                    changed[name] = [list(kind.options())[-1]]
            yield Setting.of(study, preset, start | changed)


def asked_by(command: str) -> tuple[str, dict, str | None]:
    """What the command line makes of a line: study, values, preset."""
    program, run, study, *rest = shlex.split(command)
    assert (program, run) == ("pagecost", "run")
    preset = rest[rest.index("--preset") + 1] if "--preset" in rest else None
    sets = [rest[place + 1] for place, word in enumerate(rest) if word == "--set"]
    return study, printing.split_lists(studies.find(study), printing.assignments(sets)), preset


def comparable(setting):
    return json.loads(json.dumps(setting.all_values))


def test_a_record_a_link_and_a_command_say_every_setting_again():
    count = 0
    for setting in every_setting():
        count += 1
        record = json.loads(json.dumps(setting.record()))
        assert settings.of_record(setting.study, record) == (setting, [])
        page, _, asked = setting.link().removeprefix("#").partition("?")
        assert settings.of_link(page, asked) == setting
        study, values, preset = asked_by(setting.command())
        made = studies.find(study)
        typed = made.Inputs.model_construct(**settings.of_preset(made, preset) | values)
        for name, value in settings.plain({name: getattr(typed, name) for name in values}).items():
            wanted = setting.values[name]
            assert settings.as_typed(value) == settings.as_typed(wanted) or value == [str(each) for each in wanted]
        assert preset == setting.preset
    assert count > 200


def test_only_what_differs_from_the_preset_is_in_a_setting():
    study = studies.find("buffer_size")
    values = settings.of_preset(study, None)
    assert Setting.of(study, None, values) == Setting("buffer_size")
    assert Setting.of(study, None, values | {"frames": 64}).values == {"frames": 64}
    assert Setting.of(study, "gone", values).preset is None


def test_no_input_is_called_as_the_preset_of_a_link():
    assert not any(PRESET in study.Inputs.model_fields for study in studies.STUDIES.values())


def test_a_hostile_path_comes_back_whole_and_is_one_word_of_the_command():
    setting = Setting("buffer_size", None, {"trace": HOSTILE, "frames": 64})
    page, _, asked = setting.link()[1:].partition("?")
    assert settings.of_link(page, asked) == setting
    assert asked_by(setting.command())[1] == {"trace": HOSTILE, "frames": "64"}


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=60))
def test_any_printable_text_comes_back_from_a_link(text):
    setting = Setting("buffer_size", None, {"trace": text})
    assert settings.of_link("buffer_size", setting.link().partition("?")[2]) == setting


@pytest.mark.parametrize(
    ("study", "asked", "sentence"),
    [
        ("nothing", "", "unknown study 'nothing'"),
        ("buffer_size", "preset=gone", "unknown preset 'gone'"),
        ("buffer_size", "fames=3", "unknown input 'fames'"),
        ("buffer_size", "frames=many", "frames: it should be a valid integer"),
        ("buffer_size", "frames=-1", "frames: it should be greater than or equal to 1"),
        ("buffer_size", "trace=a%00b", "trace: it must be a text"),
        ("buffer_size", "trace=" + "a" * 9000, "a link has at most"),
        ("block_size", "devices=[1", "devices: a list is written"),
        ("block_size", "devices=" + "[" * 5000, "devices: a list is written"),
    ],
)
def test_a_link_that_says_nothing_is_refused_in_one_sentence(study, asked, sentence):
    with pytest.raises(ModelError, match=sentence.replace("(", r"\(")) as caught:
        settings.of_link(study, asked)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "value", [True, "64", [64], {"a": 1}, float("inf"), float("nan"), 10**400, None, -5, 1.5], ids=str
)
def test_a_number_of_a_file_that_no_slider_can_show_is_left_out_and_said(value):
    if value == "64":
        assert settings.of_record("buffer_size", {"preset": None, "values": {"frames": value}})[0].values == {
            "frames": 64
        }
        return
    setting, said = settings.of_record("buffer_size", {"preset": None, "values": {"frames": value, "trace": "x"}})
    assert setting.values == {"trace": "x"}
    assert len(said) == 1
    assert said[0].startswith("buffer_size: left out: frames")


def test_a_change_is_told_as_people_read_it():
    start = Setting("buffer_size")
    assert str(settings.told(start, Setting("buffer_size", None, {"frames": 100}))) == (
        f"Buffer size: {settings.shown(studies.find('buffer_size'), 'frames', 1024)} → 100 frames"
    )
    two = Setting("buffer_size", None, {"frames": 100, "trace": "/a/b/c.csv"})
    assert settings.told(start, two).how == "2 inputs"
    assert settings.told(Setting("buffer_size", None, {"frames": 100}), two).how.endswith("→ c.csv")
    block = studies.find("block_size")
    devices = list(settings.of_preset(block, None)["devices"])
    fewer = settings.told(Setting("block_size"), Setting("block_size", None, {"devices": devices[1:]}))
    assert fewer.how.startswith("− ")
