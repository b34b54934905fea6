"""The start page without a browser: its map, pictures, story, what search finds, the tour, and the frame around it."""

import json
import os
import re
from html import unescape

import pytest
from bokeh.events import ButtonClick

import pagecost
from helpers.page_session import Session, opened
from pagecost import studies, system
from pagecost.claims import PAPERS
from pagecost.devices.ftl import theory
from pagecost.errors import ModelError
from pagecost.studies.flash import write_amplification
from pagecost_app import about, logbook, pages, thumbnails, thumbnails_found
from pagecost_app.claims_told import of_patterns, places
from pagecost_app.pages import contents, dropping, question_map, search_entries, tour
from pagecost_app.pages.asked_as import ASKED_AS
from pagecost_app.pages.system_bar import IS_A_SYSTEM
from pagecost_app.pages.topic_page import PARTS
from pagecost_app.walks import story as story_module
from pagecost_app.walks.story_picture import story_css, story_picture

QUICK = ("block_size", "disk_access_time", "five_minute_rule", "total_cost")  # to answer
WRITE_ANEW = "make lists writes it anew, or this one alone python -m {}"


@pytest.fixture
def session():
    made = Session()
    made.frame = pages.build(made.document)
    yield made
    made.document.session_destroyed_callbacks.copy().pop()(None)


@pytest.fixture(scope="module")
def found():
    return search_entries.entries()


def links(html: str) -> list[str]:
    return re.findall(r'href="#([^"]+)"', html)


def test_every_question_is_on_the_map_once_and_its_link_opens_it():
    shown = links(question_map.question_map())
    asked = [contents.found_at(address)[1] for address in shown]
    assert sorted(asked) == sorted([*studies.STUDIES, *PARTS])
    assert "" not in asked


def test_every_part_says_what_of_the_path_it_is_about():
    assert {part.place for part in PARTS.values()} <= set(studies.PLACES)


def test_every_study_has_a_picture_and_no_other_has():
    assert set(thumbnails.listed()) == set(studies.STUDIES), WRITE_ANEW.format("pagecost_app.thumbnails_found")
    for name, picture in thumbnails.listed().items():
        assert picture.count("<path") >= 1, name
        assert "nan" not in picture, name


@pytest.mark.parametrize("name", QUICK)
def test_a_picture_is_what_the_chart_draws(name):
    assert thumbnails_found.drawn(name) == thumbnails.listed()[name], WRITE_ANEW.format("pagecost_app.thumbnails_found")


def test_the_story_is_what_the_walk_records_and_goes_through_every_layer():
    assert story_module.story() == story_module.recorded(), WRITE_ANEW.format("pagecost_app.walks.story")
    assert {step.place for step in story_module.story().steps} == set(story_module.story().parts)


def test_the_moving_picture_has_a_name_says_all_in_text_and_can_rest():
    story = story_module.story()
    html, css = unescape(story_picture(story)), story_css(story)
    assert 'role="img" aria-label="' in html
    assert all(html.count(step.words) >= 2 for step in story.steps)  # in its turn, and in the list
    assert "prefers-reduced-motion" in css
    assert "animation-play-state: paused" in css
    assert css.count("{") == css.count("}")


def test_the_start_page_is_what_is_seen_first_and_no_question_is_built_or_asked(session):
    assert session.frame.opened == "start"
    assert session.model("start").text
    names = {model.name or "" for model in session.document.models}
    assert not [name for name in names if name.split(".")[0] in studies.STUDIES]


def test_the_papers_experiments_come_from_the_ledger_and_open_their_question(session):
    papers = session.model("start.papers")
    session.until(lambda: "data-go" in papers.text and "claim&quot;" in papers.text)
    targets = [json.loads(unescape(target)) for target in re.findall(r'data-go="([^"]+)"', papers.text)]
    assert [target["paper"] for target in targets if "paper" in target] == list(PAPERS)
    experiment = next(each for each in search_entries.experiments() if each.study == "block_size")
    assert experiment.target in targets
    session.model("wish").value = json.dumps(experiment.target)
    assert session.frame.opened == "devices/block_size"
    assert session.model("block_size.preset").value.startswith("thesis plan")


def test_every_paper_has_an_experiment_that_can_be_begun_with():
    assert {each.paper for each in search_entries.experiments()} == set(PAPERS)


@pytest.mark.parametrize(
    ("paper", "each"), [(paper, each) for paper in PAPERS for each in PAPERS[paper].get("experiment", ())]
)
def test_an_experiment_of_a_papers_file_asks_what_its_lines_say(paper, each):
    study, lines = studies.find(each["study"]), of_patterns([each["claims"]])
    inputs = study.inputs(each["set"])
    assert lines
    assert {line.paper for line in lines} == {paper}
    for line in lines:
        assert each["place"] in places(line)
        if study is write_amplification.STUDY:  # by theory: what is simulated is in the tests of that question
            found = write_amplification.by_theory(inputs, *inputs.policies, inputs.spare)
            least, most = _between(line)
            assert least <= found <= most
        else:
            assert line.measure["pair"] in inputs.pairs
            assert line.measure["page_bytes"] == inputs.page_bytes


def _between(line) -> tuple[float, float]:
    """What a line allows: its value within the tolerance, or what comes out with the most and the least spare space."""
    if line.tolerance is not None:
        return line.used - line.tolerance, line.used + line.tolerance
    share, most, least = line.measure["share"], *line.measure["over_provisioning"]
    return tuple(theory.greedy(share / (share + spare), 256) - 0.01 for spare in (least, most))


def test_search_knows_all_and_whatever_it_finds_leads_somewhere(found):
    kinds = {kind: [each for each in found if each.kind == kind] for kind in {each.kind for each in found}}
    assert len(kinds["question"]) == len(studies.STUDIES) + len(PARTS)
    assert len(kinds["preset"]) == sum(len(study.presets) for study in studies.STUDIES.values())
    assert len(kinds["page"]) == len(contents.TITLES)
    assert {each.title for each in kinds["paper"]} >= {"Rahm 1992", "Rahm 1992, Table 4.2"}
    assert len(kinds["device"]) > 50
    for each in found:
        target = each.target
        if "address" in target:
            assert contents.address_of(*contents.found_at(target["address"])) == target["address"]
        elif "study" in target:
            study = studies.find(target["study"])
            assert target.get("preset") in (None, *study.presets)
            study.inputs(target.get("values"))
    json.dumps(found)


def test_a_question_is_found_by_what_the_glossary_and_people_call_it_as_well(found):
    questions = {each.target["address"].rpartition("/")[2]: each for each in found if each.kind == "question"}
    assert set(ASKED_AS) <= set(questions)
    assert "WAF" in questions["write_amplification"].also.split()
    assert "p99" in questions["response_goal"].also.split()
    assert "QD" in questions["response_times"].words.split()


def test_a_device_that_is_found_is_asked_for(session, found):
    device = next(each for each in found if each.kind == "device" and each.title == "Intel X25-E 64 GB")
    session.frame.go(device.target)
    name, values = device.target["study"], device.target["values"]
    for field, value in values.items():
        assert session.model(f"{name}.{field}").value == value


def test_search_is_handed_to_the_browser_when_the_page_is_there(session):
    entries = session.frame.search.source
    assert entries.data["entries"] == []
    session.frame.search.read()
    session.until(lambda: len(entries.data["entries"]) == 1)
    assert json.loads(entries.data["entries"][0]) == json.loads(json.dumps(search_entries.entries()))


@pytest.mark.parametrize(
    "wish",
    ["", "no JSON", "[]", "{}", '{"study": "no_such"}', '{"claim": "no.such"}', '{"study": 7}', '{"address": null}'],
)
def test_a_wish_that_is_no_link_of_ours_changes_nothing(session, wish):
    session.model("wish").value = wish + " "
    assert session.frame.opened == "start"


def test_a_link_that_leads_nowhere_is_refused_in_words(session):
    with pytest.raises(ModelError, match="a link leads to an address, a study, a claim or a paper"):
        session.frame.go({"nothing": 1})


@pytest.mark.parametrize(
    ("address", "opened_at"),
    [
        ("block_size", "devices/block_size"),
        ("devices/block_size", "devices/block_size"),
        ("path/path", "path/path"),
        ("Claims", "claims"),
        ("devices/no_such", "devices/block_size"),
        ("no/such", "start"),
        ("../../etc/passwd", "start"),
        ("", "start"),
    ],
)
def test_an_address_opens_what_it_names(session, address, opened_at):
    session.model("address").value = address
    assert session.frame.opened == session.model("address").value == opened_at


def test_a_topic_is_opened_where_it_was_left(session):
    session.frame.open("devices/best_block_size")
    session.frame.open("start")
    session.frame.open("devices")
    assert session.frame.opened == "devices/best_block_size"
    session.model("Devices.question").value = "block_size"
    assert session.model("address").value == "devices/block_size"


def test_who_hooks_in_is_told_what_is_opened_made_recoloured_and_closed():
    session, told = Session(), []
    frame = pages.build(session.document)
    frame.on_open(lambda address, setting: told.append(("open", address, setting)))
    frame.on_made(lambda page: told.append(("made", page.study.name)))
    frame.on_recolour(lambda dark: told.append(("dark", dark)))
    frame.on_close(lambda: told.append("closed"))
    session.model("address").value = "devices/block_size?preset=a&b=1"
    session.model("theme").active = 1
    session.document.session_destroyed_callbacks.copy().pop()(None)
    assert told == [("made", "block_size"), ("open", "devices/block_size", "preset=a&b=1"), ("dark", True), "closed"]


def test_a_page_of_a_question_can_be_had_without_opening_it(session):
    assert session.frame.study_page("buffer_size").study.name == "buffer_size"
    assert session.frame.opened == "start"
    before = session.frame.study_page("buffer_size")
    opened(session, "buffer_size")
    assert session.frame.study_page("buffer_size") is before


def test_a_page_that_cannot_be_built_says_so_and_leaves_the_others_alive(session, monkeypatch):
    monkeypatch.setitem(session.frame._make, "Claims", lambda frame: 1 / 0)
    session.model("address").value = "claims"
    assert "opening the page Claims: ZeroDivisionError: division by zero" in session.model("failed").text
    opened(session, "block_size")
    monkeypatch.undo()
    session.model("address").value = "claims"
    assert session.model("claims.table")


def test_every_stop_of_the_tour_points_at_something_that_is_there(session):
    for stop in tour.STOPS:
        if stop.address:
            session.model("address").value = stop.address
            assert session.frame.opened == stop.address
        assert session.model(stop.model)
    assert 4 <= len(tour.STOPS) <= 6


def test_a_tour_that_was_left_is_remembered(session, tmp_path, monkeypatch):
    monkeypatch.setenv("PAGECOST_STATE", str(tmp_path / "state"))
    assert not tour.was_seen()
    session.model("tour.seen").value = "yes 1"
    assert tour.was_seen()
    again = Session()
    pages.build(again.document)
    assert again.model("start.tour").label == "Take the tour again"
    again.document.session_destroyed_callbacks.copy().pop()(None)


@pytest.mark.skipif(os.name == "nt", reason="folders that are files are POSIX's")
def test_a_home_that_cannot_be_written_to_is_no_obstacle(session, tmp_path, monkeypatch):
    (tmp_path / "state").write_text("a file")
    monkeypatch.setenv("PAGECOST_STATE", str(tmp_path / "state"))
    session.model("tour.seen").value = "yes 2"
    assert not tour.was_seen()


def test_the_start_page_goes_on_with_my_system_and_with_a_project(session):
    describe = session.model("start.system")
    assert describe.label == "Describe my system"
    describe._trigger_event(ButtonClick(describe))
    assert session.model("my_system.toggle").active
    example = session.model("my_system.example")
    example.value = example.options[1][0]
    assert describe.label == "Go on with my system"
    assert session.model("start.system_words").visible
    opens = session.model("start.project")
    opens._trigger_event(ButtonClick(opens))
    assert session.model("project.file")
    assert session.model("project.opens").active


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (system.text(system.System()), True),
        ('name = "mine"\nschema = 2\n', True),
        ("schema = 1\n[device]\nid = 'mine'\n", False),
        ("# schema = 1\nname = 'no schema'\n", False),
    ],
)
def test_a_system_is_told_from_a_device_by_its_first_letters(text, is_one):
    assert bool(re.search(IS_A_SYSTEM, text, re.MULTILINE)) == is_one


def test_an_xml_document_goes_to_the_question_that_takes_one_and_all_else_to_import(session):
    (xml,) = dropping.takers()
    assert (xml.ending, xml.begins) == (".xml", "<")
    session.model("address").value = xml.address
    assert session.frame.opened == xml.address
    assert session.model(xml.line)
    assert session.model(f"{xml.line}.note") is not None


def test_it_tells_what_it_is_and_where_it_keeps_what_is_a_persons(session, monkeypatch, tmp_path):
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path / "<mine>"))
    told = dict(about.facts())
    assert told["version"] == pagecost.__version__
    assert told["your devices"] == str(tmp_path / "<mine>")
    assert told["kept for recovery"] == os.environ["PAGECOST_STATE"]
    assert told["log"].startswith(str(logbook.folder()))
    shown = pages.start_page.StartPage(session.frame).root.select_one({"name": "start.about"}).text
    assert unescape(shown).count(told["your devices"]) == 2, "listed, and to be copied"
    assert "<mine>" not in shown, "a folder's name is no markup"
