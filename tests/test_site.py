"""The site is made from what is registered: everything has its page, and Sphinx builds them without a word."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import site_pages
from helpers.verdicts import verdict
from house_map import rooms
from pagecost import catalogue, claims, studies
from pagecost.claims import papers

ROOT = Path(__file__).parents[1]
WHOLE = ("models/", "decisions/", "house/", "questions/")


@pytest.fixture(scope="module")
def pages():
    return site_pages.pages()


def test_every_question_device_and_policy_has_its_page(pages):
    wanted = [f"questions/{name}.md" for name in studies.STUDIES]
    wanted += [f"devices/{name}.md" for name in catalogue.devices()]
    wanted += [f"policies/{family}/{n}.md" for family, (_, found, _) in site_pages.FAMILIES.items() for n in found]
    assert not set(wanted) - pages.keys()


def test_every_claim_stands_on_the_page_of_its_paper(pages):
    for claim in claims.claims():
        assert f"\n## {site_pages.text(claim.id)}\n" in pages[f"claims/{claim.paper}.md"]


def test_the_claims_say_kinds_items_that_are_missing_and_contradictions(pages):
    for kind in claims.KINDS:
        assert f"| {kind} |" in pages["claims/index.md"]
    for paper in claims.PAPERS.values():
        for item in paper["item"]:
            if item["status"] != "checked":
                assert (
                    site_pages.text(item["missing"] if "missing" in item else item["what"])
                    in pages["claims/missing.md"]
                )
    for each in papers.contradictions():
        assert site_pages.text(each["what"]) in pages["claims/contradictions.md"]


def test_a_line_on_the_site_says_its_verdict_and_what_it_rests_on():
    claim = next(claim for claim in claims.claims() if claim.id == "S27.accounts.fs")
    found = site_pages.pages(verdicts={claim.id: verdict(claim)})[f"claims/{claim.paper}.md"]
    part = found[found.index("## S27.accounts.fs") :].partition("\n## ")[0]
    assert "*rests on*: " in part
    assert "ACCOUNTS" in part.partition("*rests on*: ")[2]
    assert "fails, as is known" in part


def test_a_question_shows_every_input_and_preset(pages):
    for name, study in studies.STUDIES.items():
        for input_name in study.Inputs.model_fields:
            assert f"| `{input_name}` |" in pages[f"questions/{name}.md"]
        for preset in study.presets:
            assert site_pages.text(preset) in pages[f"questions/{name}.md"]


def test_a_policy_says_its_idea_in_its_own_words(pages):
    for _, registry, _ in site_pages.FAMILIES.values():
        ideas = [site_pages.idea(policy) for policy in registry.values()]
        assert all(ideas)
        assert len(set(ideas)) == len(ideas)


def test_every_page_is_led_to(pages):
    for path in pages:
        if path != "index.md":
            folder, name = path.rsplit("/", 1)
            above = f"{folder}/index.md" if name != "index.md" else f"{Path(folder).parent}/index.md".removeprefix("./")
            stem = name.rsplit(".", 1)[0] if name != "index.md" else f"{Path(folder).name}/index"
            led = re.search(rf"^(\.\./)*{re.escape(stem)}$", pages[above], re.M)
            assert led or path == "decisions/index.md", f"{above} does not lead to {path}"


def test_the_map_has_every_room_above_what_it_imports():
    found = rooms()
    assert {"units", "buffer", "devices", "studies", "claims"} <= found.keys()
    for room in found.values():
        assert all(found[other].floor < room.floor for other in room.imports)
        assert room.says
    picture = site_pages.house_picture()
    assert all(f">{name}</text>" in picture for name in found)


def test_sphinx_builds_the_pages_that_people_wrote_and_one_of_each_kind(pages, tmp_path):
    """The whole site takes a minute more; what it could complain about is in these."""
    chosen = {path: text for path, text in pages.items() if path.startswith(WHOLE)}
    for folder in ("policies/buffer", "devices", "claims"):  # of each the shortest
        found = [path for path in pages if path.startswith(f"{folder}/") and not path.endswith("index.md")]
        path = min(found, key=lambda path: len(pages[path]))
        chosen[path] = pages[path]
    for path, text in chosen.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf8")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "house.svg").write_text(site_pages.house_picture(), "utf8")
    listed = "\n".join(path.rsplit(".", 1)[0] for path in sorted(chosen))
    (tmp_path / "index.md").write_text(f"# Site\n\n```{{toctree}}\n:glob:\n\n{listed}\n```\n", "utf8")
    (tmp_path / "conf.py").write_text((ROOT / "docs" / "site" / "conf.py").read_text("utf8"), "utf8")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        str(tmp_path),
        str(tmp_path / "out"),
    ]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    html = (tmp_path / "out" / "models" / "disk.html").read_text("utf8")
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//[^\"]+\.(?:css|js|woff2?)", html), (
        "something comes from elsewhere"
    )
