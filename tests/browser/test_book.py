"""A live page of the book in a real Chromium, opened as a file without a network: the engine's own numbers."""

from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

from pagecost.buffer import replay
from pagecost.devices.ftl import layers
from pagecost_app.book import arguments, buffer_page, flash_page

ANSWERED = """async ([name, frames, text]) => {
  document.querySelector("#string").value = text
  references = read_string()
  await module_of(name)
  const replay = replayed(name, references.length, frames)
  return [READ_HITS, WRITE_HITS, WRITE_BACKS].map((place) => replay.count(place))
}"""
BACK_MS = """async () => {
  document.querySelector("#string").value = Array.from({length: 100000}, (_, i) => i * i % 97).join(" ")
  at = 0
  await refresh()
  go(100000)
  const began = performance.now()
  go(99999)
  return performance.now() - began
}"""


WRITTEN = """async ([which, policy, spare, pages]) => {
  await module_of(policy)
  const device = new Device(which, policy, spare)
  device.write(pages)
  const {host, copied, erases} = device.counts()
  return [host, copied, erases, ...device.flash.erases]
}"""


pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def book(whole_book):
    return (whole_book / "buffer.html").as_uri()


def test_a_page_from_a_stick_counts_as_the_engine_does_and_steps_and_asks(book, open_page, picture):
    page = open_page(color_scheme="dark", viewport={"width": 1024, "height": 900})
    page.goto(book)
    left = page.get_by_role("region", name="LRU", exact=True)
    expect(left).to_contain_text("The buffer is empty.")
    random = np.random.default_rng(7)
    pages, writes = random.zipf(1.3, 20_000) % 100, random.random(20_000) < 0.3
    text = " ".join(f"{page}{'w' if write else ''}" for page, write in zip(pages, writes, strict=True))
    for name in buffer_page.POLICIES:
        for frames in (2, 7, 12):
            native = replay(pages, frames, name, writes)
            here = page.evaluate(ANSWERED, [name, frames, text])
            assert here == [native.read_hits, native.write_hits, native.write_backs], (name, frames)

    page.get_by_role("textbox", name="Reference string").fill("1 2 3w 4 5")
    page.get_by_label("Ask me which page leaves").check()
    for _ in range(5):
        page.get_by_role("button", name="Step ▶").click()
    expect(left).to_contain_text("Which page leaves?")
    left.get_by_role("button", name="frame 1: page 2").click()
    expect(left).to_contain_text("No: you said page 2")
    expect(left).to_contain_text("Page 1 leaves, unchanged.")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, "book-buffer-dark")

    page.get_by_role("textbox", name="Reference string").fill("1 <b>2</b>")
    expect(page.get_by_role("alert")).to_contain_text("“<b>2</b>” is no reference: write a page number from 0 to 99")
    expect(left).to_contain_text("Page 1 leaves, unchanged.")  # what was there stays
    assert page.outside == []
    assert page.problems == []
    page.context.close()


def test_flash_in_a_page_is_collected_as_in_the_engine_and_found_where_theory_has_it(whole_book, open_page, picture):
    page = open_page(color_scheme="light", viewport={"width": 1024, "height": 1100})
    page.goto((whole_book / "flash.html").as_uri())
    expect(page.locator("#said")).to_contain_text("The device is full.")
    for spare in (0, 4):
        geometry = replace(arguments.SEEN, spare=arguments.SPARES[spare])
        pages = np.random.default_rng(spare).integers(0, geometry.logical_pages, 3000)
        for policy in flash_page.POLICIES:
            native = layers.PageMap(geometry, layers.Options(policy=policy, reserve_blocks=arguments.RESERVE_BLOCKS))
            native.write(np.arange(geometry.logical_pages))
            native.write(pages)
            made = native.counts()
            here = page.evaluate(WRITTEN, ["seen", policy, spare, pages.tolist()])
            assert here == [3000, made.copied_pages, made.erases, *native.erase_counts.tolist()], (policy, spare)
    measured, by_theory = page.evaluate(
        "[DATA.spares.map((_, spare) => measured('fifo', spare, 'uniform')), DATA.policies.fifo.theory.uniform]"
    )
    # theory knows no blocks in reserve: 2 of 256 are 6.5 % of the least spare space, and write amplification is as
    # good as inverse to it there
    assert measured == pytest.approx(by_theory, rel=0.08)
    page.get_by_role("button", name="Next collection").click()
    expect(page.locator("#said")).to_contain_text("live pages copied first")
    page.get_by_role("button", name="Back").click()
    expect(page.locator("#said")).not_to_contain_text("live pages copied first")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, "book-flash-light")
    assert (page.outside, page.problems) == ([], [])
    page.context.close()


@pytest.mark.timed
def test_a_step_back_from_reference_100000_takes_less_than_50_ms(book, open_page):
    page = open_page()
    page.goto(book)
    assert sorted(page.evaluate(BACK_MS) for _ in range(3))[1] < 50
    page.context.close()
