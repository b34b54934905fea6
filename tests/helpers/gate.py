"""What a browser, or somebody who would be one, does at the gate of the loopback server."""

import asyncio
import http.client
import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

from bokeh.models import Div
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from pagecost_app.server import AppServer

SESSION = re.compile(r"bokeh-session-id=([\w.-]+)")
TOKEN = re.compile(r'"token":"([^"]+)"')
ARCHIVE = "/static/js/bokeh.min.js"


def make_document(document):
    document.add_root(Div(text="a page", name="page"))


@contextmanager
def running(port=0):
    server = AppServer(make_document, port)
    try:
        yield server
    finally:
        server.stop()


def ask(server, path, method="GET", body=None, **headers):
    """One request without following redirects. Returns (status, headers, text)."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode(errors="replace")
    finally:
        connection.close()


def status(server, path, **headers):
    return ask(server, path, **headers)[0]


def entry_path(server):
    parts = urlsplit(server.url)
    return f"{parts.path}?{parts.query}"


def enter(server):
    """What a browser does with the entry address. Returns its cookie and the path of its page."""
    code, headers, _ = ask(server, entry_path(server))
    assert (code, headers["Location"]) == (302, "/")
    cookie = headers["Set-Cookie"].split(";")[0]
    code, headers, _ = ask(server, "/", Cookie=cookie)
    assert code == 302
    return cookie, headers["Location"]


def session_token(server, cookie, path):
    code, _, page = ask(server, path, Cookie=cookie)
    assert code == 200
    return TOKEN.search(page)[1]


def websocket(server, token, **headers):
    """What the server says first on a websocket: "ACK" to a friend, "closed", or the status of its refusal."""

    async def talk():
        request = HTTPRequest(f"ws://127.0.0.1:{server.port}/ws", headers=headers)
        try:
            connection = await websocket_connect(request, subprotocols=["bokeh", token])
        except HTTPClientError as refusal:
            return refusal.code
        header = message = await asyncio.wait_for(connection.read_message(), 20)
        connection.close()
        while message is not None:  # until the server has closed its side too
            message = await asyncio.wait_for(connection.read_message(), 20)
        return json.loads(header)["msgtype"] if header else "closed"

    with ThreadPoolExecutor(1) as thread:  # this one may run the loop of a browser test
        return thread.submit(lambda: asyncio.run(talk())).result()


def origin(server):
    return f"http://127.0.0.1:{server.port}"
