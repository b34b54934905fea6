"""Pages come and go: what a closed one held is given back."""

import asyncio
import gc
import http.client
import json
import re
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import psutil
import pytest
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from pagecost_app import pages, server
from pagecost_app.server import AppServer

pytestmark = pytest.mark.whole

PATIENCE_S = 120
TOKEN = re.compile(r'"token":"([^"]+)"')
SESSIONS, AT_ONCE = 50, 5
GROWTH_BYTES = 25 * 10**6  # of the whole process, from the tenth session to the fiftieth: half a MB for each


def until(condition, what, pause_s=0.05):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(pause_s)


class Visitor:
    """What a browser does at the other end: cookie, page, websocket. `visits(n)` holds n pages open together."""

    def __init__(self, running):
        self.port = running.port
        parts = urlsplit(running.url)
        self.cookie = self._get(f"{parts.path}?{parts.query}")[0]["Set-Cookie"].split(";")[0]

    def _get(self, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.headers, text

    def token(self):
        where = self._get("/", Cookie=self.cookie)[0]["Location"]
        return TOKEN.search(self._get(where, Cookie=self.cookie)[1])[1]

    async def _open(self, opened):
        """A page with its websocket, which comes at once, as a browser's does: a page that waits for it is dropped."""
        token = await asyncio.to_thread(self.token)
        own = {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{self.port}"}
        request = HTTPRequest(f"ws://127.0.0.1:{self.port}/ws", headers=own)
        connection = await websocket_connect(request, subprotocols=["bokeh", token])
        opened.append(connection)
        assert json.loads(await connection.read_message())["msgtype"] == "ACK"

    async def _hold(self, connection, leave):
        while not leave.is_set():
            await asyncio.sleep(0.05)
        connection.close()
        while await connection.read_message() is not None:  # until the server has closed its side too
            pass

    def visits(self, number, leave):
        async def all_of_them():
            connections = []
            try:
                for _ in range(number):
                    await self._open(connections)
                await asyncio.gather(*(self._hold(connection, leave) for connection in connections))
            finally:  # where one fails, the others are not left to the collector, which warns in some other test
                for connection in connections:
                    connection.close()

        asyncio.run(all_of_them())


@pytest.fixture
def watched(monkeypatch):
    """A running app and a weak reference to every document that it made."""
    monkeypatch.setattr(server, "CLOSED_SESSION_LIFETIME_MS", 1000 * PATIENCE_S)  # the test itself says when
    monkeypatch.setattr(server, "CLOSED_SESSION_CHECK_MS", 100)
    documents = []

    def build(document):
        pages.build(document).open("devices/block_size")
        documents.append(weakref.ref(document))

    running = AppServer(build)
    yield running, documents
    running.stop()


def is_answered(document) -> bool:
    """Whether the question that a page opens with is answered there, or the page is gone already."""
    held = document()
    return held is None or bool(held.get_model_by_name("block_size.answer").text)


def close(document) -> None:
    """What happens to a page that nobody looks at any more when its time is over."""
    held = document()
    if held is not None and held.session_context is not None:
        held.session_context.session.request_expiration()


def test_fifty_pages_that_were_opened_and_closed_leave_nothing_behind(watched, capsys):
    running, documents = watched
    visitor = Visitor(running)
    held = {}
    threads = threading.active_count()
    for number in range(AT_ONCE, SESSIONS + 1, AT_ONCE):
        leave = threading.Event()
        with ThreadPoolExecutor(1) as browser:
            visit = browser.submit(visitor.visits, AT_ONCE, leave)

            def all_answered(visit=visit, number=number):
                if visit.done():
                    visit.result()  # what went wrong on the way, if anything, is told
                return len(documents) == number and all(map(is_answered, documents))

            until(all_answered, f"no answer on all of {number} pages")
            leave.set()
            visit.result(PATIENCE_S)

        for document in documents:
            close(document)

        def all_gone():
            gc.collect()
            return not any(document() for document in documents)

        until(all_gone, "a document of a closed page is still held", pause_s=0.5)  # a collection takes its time
        held[number] = psutil.Process().memory_info().rss
    until(lambda: threading.active_count() <= threads + 2, "a closed page's worker still runs")
    with capsys.disabled():
        print(f"\nafter 10 pages {held[10] / 1e6:.0f} MB, after {SESSIONS} {held[SESSIONS] / 1e6:.0f} MB")
    assert held[SESSIONS] - held[10] < GROWTH_BYTES
