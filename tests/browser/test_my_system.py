"""My system in a real browser: unfolded, an example taken, a question that follows it, freed by the keyboard, saved."""

import re
import tomllib

import pytest
from playwright.sync_api import expect

from helpers.axe import violations
from helpers.dropped import drop
from pagecost import system
from pagecost_app.pages.linked_inputs import FREED, LINKED
from pagecost_app.pages.system_bar import FOLDED, UNFOLDED

ROWS = "name => (window.Bokeh?.documents?.[0]?.get_model_by_name(name)?.get_length() ?? 0) > 0"

# models of my system that are cut at the right
WIDE = """() => [...Bokeh.documents[0]._all_models.values()]
  .filter((model) => model.name?.startsWith("my_system") && Bokeh.index.find_one(model)?.el)
  .filter((model) => Bokeh.index.find_one(model).el.getBoundingClientRect().right > innerWidth + 1)
  .map((model) => model.name)"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_system_is_said_once_and_a_question_takes_it(server, open_page, picture, scheme):
    page = open_page(color_scheme=scheme, accept_downloads=True)
    page.goto(f"{server.renew_entry()}#buffer/buffer_size")
    page.wait_for_function(ROWS, arg="buffer_size.result")
    expect(page.get_by_text("none yet: every question has values of its own")).to_be_visible()
    assert page.get_by_text(LINKED).count() == 0
    picture(page, f"my_system_none_{scheme}")
    page.get_by_role("button", name=FOLDED).click()
    expect(page.get_by_label("Start from")).to_be_visible()
    assert violations(page, [scheme]) == []  # before anything is computed anew, which is pale meanwhile
    page.get_by_label("Start from").select_option(label="eight disks and a log disk, 2009")
    expect(page.get_by_text("8 × Seagate Cheetah 15K.5", exact=False).first).to_be_visible()
    expect(page.get_by_text("This question takes")).to_contain_text("4 inputs")  # its load has pages of its own size
    picture(page, f"my_system_unfolded_{scheme}")
    if scheme == "light":
        page.set_viewport_size({"width": 1024, "height": 1400})
        assert page.evaluate(WIDE) == [], "nothing reaches beyond the window"
        picture(page, "my_system_narrow")
        page.set_viewport_size({"width": 1440, "height": 1000})
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as system.toml").click()
    with open(saved.value.path(), "rb") as file:
        assert system.of(tomllib.load(file)).name == "eight disks and a log disk, 2009"
    page.get_by_role("button", name=UNFOLDED).click()
    expect(page.get_by_role("button", name="Save as system.toml")).to_be_hidden()
    signs = page.get_by_role("button", name=LINKED)
    before = signs.count()
    signs.nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=FREED)).to_have_count(1)
    assert signs.count() == before - 1
    picture(page, f"my_system_taken_{scheme}")
    assert page.problems == []
    assert page.outside == []
    page.context.close()


@pytest.mark.parametrize("unfolded", [False, True])
def test_a_system_that_is_dropped_anywhere_is_my_system_at_once_and_a_device_goes_to_import(
    server, open_page, picture, unfolded
):
    page = open_page()
    page.goto(server.renew_entry())
    expect(page.get_by_text("none yet: every question has values of its own")).to_be_visible()
    if unfolded:
        page.get_by_role("button", name=FOLDED).click()
        expect(page.get_by_label("Start from")).to_be_visible()
    mine = system.text(system.System(name="of a colleague"))
    drop(page.locator("body"), "theirs.toml", mine)
    expect(page.get_by_text(re.compile(r"Opened theirs( \(2\))?\.toml\."))).to_be_visible()
    expect(page.get_by_text("of a colleague", exact=False).first).to_be_visible()
    assert "import" not in page.url
    picture(page, f"my_system_dropped{'_unfolded' * unfolded}")
    drop(page.locator("body"), "own.toml", "schema = 1\n[device]\nid = 'own'\n")
    page.wait_for_function("location.hash.includes('import')")
    assert page.problems == []
    page.context.close()
