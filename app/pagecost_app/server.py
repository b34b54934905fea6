"""The Bokeh server of the app: on loopback, in a thread of its own, behind a gate.

A random port is no secret and Bokeh hands a session to whoever asks, so any program of any user of the machine, and
any web page in the user's browser, could drive the app. The gate answers only requests that

* name this server exactly (Host), which stops a foreign name that was made to point at this machine,
* come from no page or from a page of this server (Origin, Sec-Fetch-Site), and
* carry the secret cookie, which a browser gets once, from the entry address.

The entry address lets one browser in and is then spent: a browser that holds the cookie may open it again (and may
reload, or open the bare address); everyone else is refused with a short page. `AppServer.renew_entry` makes a new one.
A browser that is started for the user gets no such address, which would stand in its command line for every user of
the machine to read; it opens `AppServer.entry_file`, which only this user can read, and which posts the key.
"""

import asyncio
import errno
import hmac
import secrets
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import BinaryIO

from bokeh.application import Application
from bokeh.application.handlers import FunctionHandler
from bokeh.document import Document
from bokeh.resources import Resources
from bokeh.server.server import BaseServer
from bokeh.server.tornado import BokehTornado
from bokeh.server.views.ws import WSHandler
from bokeh.util.token import check_session_id_signature, generate_session_id
from tornado.http1connection import HTTP1Connection
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPServerRequest
from tornado.ioloop import IOLoop
from tornado.web import HTTPError, RequestHandler, stream_request_body

from pagecost.errors import ModelError
from pagecost_app import uploads
from pagecost_app.bokeh_scripts import COMPONENTS

LOOPBACK = "127.0.0.1"  # never "localhost": that may be ::1, which another user's program can hold
HTTP_PORT = 80  # the one that browsers leave out of an address
ENTRY_PATH = "/enter"
CLOSED_SESSION_LIFETIME_MS = 5000  # a reload within this time finds its document again
CLOSED_SESSION_CHECK_MS = 2000

REFUSAL_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>pagecost</title>
<style>:root {color-scheme: light dark} body {font: 18px/1.5 sans-serif; max-width: 36em; margin: 20vh auto}</style>
<h1>pagecost does not know this browser</h1>
<p>Copy the newest address that the program printed into the address bar. Each address lets one browser in; press Enter
in the program's terminal for another.</p>
</html>
"""


ENTRY_FILE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>pagecost</title>
<style>:root {{color-scheme: light dark}} body {{font: 18px/1.5 sans-serif; max-width: 36em; margin: 20vh auto}}</style>
<form method="post" action="{address}"><input type="hidden" name="key" value="{key}">
<noscript><button>Open pagecost</button></noscript></form>
<p>Opening pagecost …</p>
<script>document.forms[0].submit()</script>
</html>
"""
# a redirect would still count as coming from the file, and be refused; the page that sends itself on is this server's
WELCOME_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>pagecost</title>
<style>:root {color-scheme: light dark}</style>
</html>
"""


class AppServer:
    """Serves `make_document(document)` at "/", one document for each visit.

    `url` is the entry address. port=0 takes a free port. Raises ModelError when the port cannot be had.
    """

    def __init__(self, make_document: Callable[[Document], None], port: int = 0):
        listener = _bind(port)
        self.port = listener.getsockname()[1]
        self._gate = _Gate(self.port)
        application = _GuardedApplication(self._gate, make_document)
        running: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(_serve(application, listener, running)), daemon=True, name="pagecost server"
        )
        self._thread.start()
        self._loop, self._stop = running.result()

    @property
    def url(self) -> str:
        """The address that lets one browser in."""
        return f"{self._gate.origin}{ENTRY_PATH}?key={self._gate.entry_key}"

    def entry_file(self) -> Path:
        """A file that lets one browser in when it is opened, and is gone then. Only this user can read it."""
        page = ENTRY_FILE.format(address=f"{self._gate.origin}{ENTRY_PATH}", key=self._gate.entry_key)
        self._gate.entry_file = uploads.private_file("pagecost.html", page.encode())
        return self._gate.entry_file

    def renew_entry(self) -> str:
        """A fresh entry address, for one more browser; the one before it no longer opens."""
        self._gate.renew_entry_key()
        return self.url

    def stop(self) -> None:
        """Close the port and every connection; returns when the thread has ended."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()


async def _serve(application: BokehTornado, listener: socket.socket, running: Future) -> None:
    try:
        http = HTTPServer(application)
        http.add_socket(listener)
        server = BaseServer(IOLoop.current(), application, http)
        server.start()
        stop = asyncio.Event()
    except BaseException as error:
        running.set_exception(error)
        raise
    running.set_result((asyncio.get_running_loop(), stop))
    await stop.wait()
    server.stop()
    await http.close_all_connections()


def _bind(port: int) -> socket.socket:
    try:
        listener = socket.create_server((LOOPBACK, port), backlog=128)
        listener.setblocking(False)
        return listener
    except OSError as error:
        why = "is in use" if error.errno == errno.EADDRINUSE else f"is refused by the system ({error.strerror})"
        raise ModelError(f"port {port} {why}; choose another one, or leave the choice to pagecost") from None


class _Gate:
    """Who may talk to the server, and the secrets that prove it."""

    def __init__(self, port: int):
        self.host = LOOPBACK if port == HTTP_PORT else f"{LOOPBACK}:{port}"
        self.origin = f"http://{self.host}"
        self.cookie_name = f"pagecost{port}"  # because browsers share cookies between the ports of a host
        self.cookie = secrets.token_urlsafe(32)
        self.session_key = secrets.token_bytes(32)
        self.entry_file: Path | None = None
        self.renew_entry_key()

    def renew_entry_key(self) -> None:
        self.entry_key = secrets.token_urlsafe(32)
        self._entry_key_is_spent = False

    def may_enter(self, request: HTTPServerRequest) -> bool:
        """Whether the request hands over a key as the entry file does, which belongs to no site."""
        return request.method == "POST" and request.path == ENTRY_PATH and request.headers.get("Host") == self.host

    def is_addressed_properly(self, request: HTTPServerRequest) -> bool:
        """Whether the request names this server and comes from no page, or from a page of this server."""
        return (
            request.headers.get("Host") == self.host
            and request.headers.get("Origin", self.origin) == self.origin
            and request.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        )

    def knows(self, request: HTTPServerRequest) -> bool:
        """Whether the request carries the secret cookie."""
        cookie = request.cookies.get(self.cookie_name)
        return cookie is not None and _equal(cookie.value, self.cookie)

    def spend(self, key: str) -> bool:
        """Whether this is the entry key and nobody used it before."""
        if self._entry_key_is_spent or not _equal(key, self.entry_key):
            return False
        self._entry_key_is_spent = True
        if self.entry_file:
            self.entry_file.unlink(missing_ok=True)
        return True

    def names_a_session(self, request: HTTPServerRequest) -> bool:
        """Whether the request asks for a session that this server handed out."""
        session = request.query_arguments.get("bokeh-session-id", [b""])[-1].decode("ascii", errors="ignore")
        return check_session_id_signature(session, self.session_key, signed=True)


def _equal(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())  # takes the same time wherever they differ


class _GuardedApplication(BokehTornado):
    """The Bokeh server with the gate in front of every path: pages, static files, websockets."""

    def __init__(self, gate: _Gate, make_document: Callable[[Document], None]):
        self._gate = gate
        super().__init__(
            {"/": Application(FunctionHandler(make_document))},
            absolute_url=f"{gate.origin}/",
            extra_websocket_origins=[gate.host],
            extra_patterns=[(ENTRY_PATH, _Enter, {"gate": gate}), (uploads.PATH, _Upload)],
            secret_key=gate.session_key,
            sign_sessions=True,
            generate_session_ids=False,
            include_headers=[],  # what is included here is copied into the page, the secret cookie among it
            include_cookies=[],
            unused_session_lifetime_milliseconds=CLOSED_SESSION_LIFETIME_MS,
            check_unused_sessions_milliseconds=CLOSED_SESSION_CHECK_MS,
            log_function=lambda handler: None,  # a logged request would show its entry key
        )

    def resources(self, absolute_url: str | bool | None = None) -> Resources:
        """What a page loads."""
        found = super().resources(absolute_url)
        found.components = list(COMPONENTS)
        return found

    def get_handler_delegate(self, request, target_class, *args, **kwargs):
        found = _AtOnce if target_class is WSHandler else target_class
        return super().get_handler_delegate(request, found, *args, **kwargs)

    def find_handler(self, request, **kwargs):
        if not self._gate.is_addressed_properly(request) and not self._gate.may_enter(request):
            return self.get_handler_delegate(request, _Refuse)
        if request.path == ENTRY_PATH:
            return super().find_handler(request, **kwargs)
        if not self._gate.knows(request):
            return self.get_handler_delegate(request, _Refuse)
        if request.path == "/" and not self._gate.names_a_session(request):
            return self.get_handler_delegate(request, _NewSession, {"gate": self._gate})
        return super().find_handler(request, **kwargs)


class _AtOnce(WSHandler):
    """Talks to a page. Every part of a message leaves at once.

    Tornado gives a connection that was upgraded back to Nagle's algorithm, by which the second of two small parts waits
    until the browser has acknowledged the first, which it does after up to 40 ms.
    """

    def open(self):
        super().open()
        self.set_nodelay(True)


class _Refuse(RequestHandler):
    def prepare(self):
        self.set_status(403)
        self.finish(REFUSAL_PAGE)


class _Enter(RequestHandler):
    """Trades the entry key for the secret cookie."""

    def initialize(self, gate: _Gate):
        self._gate = gate

    def get(self):
        if self._let_in(self._gate.knows(self.request) or self._gate.spend(self.get_query_argument("key", ""))):
            self.redirect("/")

    def post(self):
        if self._let_in(self._gate.spend(self.get_body_argument("key", ""))):
            self.finish(WELCOME_PAGE)

    def _let_in(self, welcome: bool) -> bool:
        if not welcome:
            self.set_status(403)
            self.finish(REFUSAL_PAGE)
            return False
        self.set_cookie(self._gate.cookie_name, self._gate.cookie, httponly=True, samesite="Strict")
        self.set_header("Cache-Control", "no-store")
        self.set_header("Referrer-Policy", "no-referrer")
        return True


class _NewSession(RequestHandler):
    """Sends a known browser that names no session, or one of an earlier run, to a new one."""

    def initialize(self, gate: _Gate):
        self._gate = gate

    def get(self):
        session = generate_session_id(secret_key=self._gate.session_key, signed=True)
        self.set_header("Cache-Control", "no-store")
        self.redirect(f"/?bokeh-session-id={session}")


@stream_request_body
class _Upload(RequestHandler):
    """Takes a file and answers with the name of the copy. A file that stops half-way leaves nothing."""

    _path: Path
    _file: BinaryIO | None = None

    def prepare(self):
        if self.request.method != "PUT":
            raise HTTPError(405)
        size = self.request.headers.get("Content-Length", "")
        if not size.isdecimal():
            raise HTTPError(411)
        try:
            self._path = uploads.place(self.get_query_argument("name", "file"), int(size))
        except ModelError as error:
            self.set_status(413)
            self.finish(str(error))
            return
        assert isinstance(self.request.connection, HTTP1Connection)  # what Tornado serves with
        self.request.connection.set_max_body_size(int(size))
        self._file = uploads.create(self._path)

    def data_received(self, chunk):
        if self._file:
            self._file.write(chunk)

    def put(self):
        assert self._file is not None  # else `prepare` has refused the request
        self._file.close()
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(self._path.name)

    def on_connection_close(self):
        if self._file:
            self._file.close()
            self._path.unlink(missing_ok=True)
