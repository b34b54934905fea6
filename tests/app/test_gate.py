"""The gate of the loopback server: the window gets in, other programs and web pages stay out."""

import asyncio
import gc
import http.client
import logging
import os
import re
import signal
import socket
import stat
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from tornado.httpclient import HTTPRequest
from tornado.iostream import IOStream
from tornado.websocket import websocket_connect

from helpers.gate import (
    ARCHIVE,
    TOKEN,
    ask,
    enter,
    entry_path,
    make_document,
    origin,
    running,
    session_token,
    status,
    websocket,
)
from pagecost.errors import ModelError
from pagecost_app import desktop, uploads, window
from pagecost_app.server import AppServer


@pytest.fixture
def server():
    with running() as server:
        yield server


def test_a_browser_with_the_entry_address_gets_a_page_and_a_websocket(server):
    cookie, path = enter(server)
    token = session_token(server, cookie, path)
    assert websocket(server, token, Cookie=cookie, Origin=origin(server)) == "ACK"
    assert status(server, ARCHIVE, Cookie=cookie, Sec_Fetch_Site="same-origin") == 200


def test_no_part_of_a_message_waits_for_an_acknowledgement(server):
    """Tornado turns Nagle's algorithm on where it upgrades, by which every third answer was 40 ms late."""
    cookie, path = enter(server)
    token = session_token(server, cookie, path)

    async def without_delay():
        request = HTTPRequest(f"ws://127.0.0.1:{server.port}/ws", headers={"Cookie": cookie, "Origin": origin(server)})
        connection = await websocket_connect(request, subprotocols=["bokeh", token])
        await asyncio.wait_for(connection.read_message(), 20)
        ours = [each for each in gc.get_objects() if type(each) is IOStream and is_of(each, server.port)]
        found = [each.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0 for each in ours]
        connection.close()
        while await asyncio.wait_for(connection.read_message(), 20) is not None:
            pass
        return found

    assert asyncio.run(without_delay()) == [True]


def is_of(stream, port):
    return stream.socket is not None and stream.socket.getsockname()[1] == port


def test_reload_keeps_the_session(server):
    cookie, path = enter(server)
    assert status(server, path, Cookie=cookie) == 200
    assert status(server, path, Cookie=cookie) == 200


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(server):
    _, headers, _ = ask(server, entry_path(server))
    flags = {flag.strip().lower() for flag in headers["Set-Cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict"} <= flags
    assert str(server.port) in headers["Set-Cookie"].split("=")[0]


def test_the_page_does_not_carry_the_cookie(server):
    cookie, path = enter(server)
    _, _, page = ask(server, path, Cookie=cookie)
    payload = TOKEN.search(page)[1]
    assert cookie.split("=")[1] not in page
    assert "Cookie" not in payload


@pytest.mark.parametrize("path", ["/", ARCHIVE, "/metadata", "/autoload.js?bokeh-autoload-element=x", "/favicon.ico"])
def test_nothing_is_served_without_the_cookie(server, path):
    assert status(server, path) == 403


@pytest.mark.parametrize("path", ["/", ARCHIVE, "/autoload.js?bokeh-autoload-element=x"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "localhost"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
    ids=lambda headers: " ".join(*headers.items()),
)
def test_not_even_the_cookie_helps_a_foreign_page(server, path, headers):
    cookie, _ = enter(server)
    assert status(server, path, **{"Cookie": cookie, **headers}) == 403


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Sec_Fetch_Site": "cross-site"}], ids=["host", "site"])
def test_a_foreign_page_cannot_spend_the_entry_address(server, headers):
    assert status(server, entry_path(server), **headers) == 403
    enter(server)


def test_another_local_port_of_the_same_browser_is_foreign(server):
    with running() as neighbour:
        cookie, _ = enter(server)
        assert status(server, ARCHIVE, Cookie=cookie, Origin=origin(neighbour)) == 403


def test_the_entry_address_lets_one_browser_in(server):
    enter(server)
    code, headers, page = ask(server, entry_path(server))
    assert (code, headers["Set-Cookie"]) == (403, None)
    assert "address that the program printed" in page


def test_the_browser_that_is_in_may_open_the_entry_address_again(server):
    cookie, path = enter(server)
    code, headers, _ = ask(server, entry_path(server), Cookie=cookie)
    assert (code, headers["Location"]) == (302, "/")
    assert ask(server, "/", Cookie=cookie)[1]["Location"] != path


def test_a_fresh_entry_address_lets_another_browser_in_and_replaces_the_old_one(server):
    stale = entry_path(server)
    assert server.renew_entry() == server.url
    assert status(server, stale) == 403
    enter(server)


@pytest.mark.parametrize("key", ["", "?key=", "?key=wrong", "?key=%C3%BC", "?key=a&key=b"])
def test_a_wrong_entry_key_is_refused(server, key):
    code, headers, _ = ask(server, "/enter" + key)
    assert (code, headers["Set-Cookie"]) == (403, None)


@pytest.mark.parametrize(
    "cookie", ["x", "=", "path=/", "pagecost{port}=wrong", "pagecost{port}=\xfc", "pagecost{port}"]
)
def test_a_wrong_cookie_is_refused(server, cookie):
    assert status(server, "/", Cookie=cookie.format(port=server.port)) == 403


@pytest.mark.parametrize("session", ["", "made-up", "made.up", "m%C3%BCde.up", "a.b.c"])
def test_a_session_that_this_run_did_not_hand_out_is_replaced_by_a_new_one(server, session):
    cookie, _ = enter(server)
    code, headers, _ = ask(server, "/?bokeh-session-id=" + session, Cookie=cookie)
    assert code == 302
    assert status(server, headers["Location"], Cookie=cookie) == 200


def test_a_refusal_says_what_to_do(server):
    code, headers, page = ask(server, "/")
    assert code == 403
    assert headers["Content-Type"].startswith("text/html")
    assert "address that the program printed" in page


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_are_refused(server, method):
    assert ask(server, "/", method)[0] == 403
    # a key is posted in the body, where no command line, history or log shows it: one in the address opens nothing
    assert ask(server, entry_path(server), method)[0] == (403 if method == "POST" else 405)
    enter(server)


class TestEntryFile:
    """What a browser that is started for the user opens: its command line shows the file's path, not the key."""

    @pytest.fixture
    def page(self, server):
        umask = os.umask(0)
        yield server.entry_file()
        os.umask(umask)
        uploads.discard()

    @staticmethod
    def form(page):
        """(address, body) that the page posts."""
        text = page.read_text()
        key = re.search(r'name="key" value="([^"]+)"', text)[1]
        return re.search(r'action="http://[^/]+(/[^"]*)"', text)[1], f"key={key}"

    @staticmethod
    def post(server, path, body, **headers):
        """As a browser does from a file: it belongs to no site."""
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        from_a_file = {"Origin": "null", "Sec_Fetch_Site": "cross-site"}
        return ask(server, path, "POST", body, **form, **from_a_file | headers)

    @pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX's")
    def test_only_this_user_can_read_it(self, page):
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(page.parents[1].stat().st_mode) == 0o700

    @pytest.mark.parametrize("chromium", [None, "/usr/bin/chromium"])
    def test_the_browser_is_started_without_the_key(self, server, monkeypatch, chromium):
        opened = []

        def until_opened_then_ctrl_c(visits):
            until(lambda: opened)
            raise KeyboardInterrupt

        monkeypatch.setattr(window.shutil, "which", lambda name: chromium)
        monkeypatch.setattr(window.subprocess, "Popen", lambda command, **_: opened.append(command[1]))
        monkeypatch.setattr(window.webbrowser, "open", opened.append)
        monkeypatch.setattr(desktop, "_start_server", lambda *_: server)
        monkeypatch.setattr(desktop, "_has_display", lambda **_: True)
        monkeypatch.setattr(desktop._Visits, "wait_until_over", until_opened_then_ctrl_c)
        monkeypatch.setattr(signal, "signal", lambda *arguments: None)
        desktop._serve(make_document, None, True, None)
        assert opened[0].removeprefix("--app=").startswith("file://")
        assert opened[0].startswith("--app=") == bool(chromium)
        assert urlsplit(server.url).query.removeprefix("key=") not in opened[0]

    def test_without_libraries_of_x_the_browser_has_a_display_all_the_same_and_a_window_has_none(self, monkeypatch):
        def lacks(name):
            raise OSError(f"{name}: cannot open shared object file")

        for name in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("DISPLAY", ":0")
        monkeypatch.setattr(desktop, "sys", SimpleNamespace(platform="linux"))
        monkeypatch.setattr(desktop, "ctypes", SimpleNamespace(CDLL=lacks))
        assert desktop._has_display(of_browser=True)
        assert not desktop._has_display()
        monkeypatch.delenv("DISPLAY")
        assert not desktop._has_display(of_browser=True)

    def test_it_lets_one_browser_in_and_is_gone(self, server, page):
        path, body = self.form(page)
        code, headers, text = self.post(server, path, body)
        assert code == 200
        assert 'http-equiv="refresh" content="0;url=/"' in text  # from here on the browser is on this server's page
        cookie = headers["Set-Cookie"].split(";")[0]
        assert status(server, ARCHIVE, Cookie=cookie) == 200
        assert not page.exists()
        assert self.post(server, path, body)[0] == 403
        assert status(server, entry_path(server)) == 403  # it was the same key

    @pytest.mark.parametrize("body", ["", "key=", "key=wrong", "other=1", "key=%FF%FE"])
    def test_a_wrong_key_opens_nothing(self, server, page, body):
        assert self.post(server, "/enter", body)[0] in (400, 403)
        assert page.exists()
        assert self.post(server, *self.form(page))[0] == 200

    def test_a_foreign_name_for_this_machine_is_refused(self, server, page):
        assert self.post(server, *self.form(page), Host="evil.example")[0] == 403

    def test_a_post_opens_no_other_path(self, server, page):
        cookie = self.post(server, *self.form(page))[1]["Set-Cookie"].split(";")[0]
        assert self.post(server, "/", "", Cookie=cookie)[0] == 403


def test_a_head_request_does_not_spend_the_entry_address(server):
    assert ask(server, entry_path(server), "HEAD")[0] == 405
    enter(server)


class TestUpload:
    PATH = f"{uploads.PATH}?name=own.trace.csv"

    @pytest.fixture
    def cookie(self, server):
        yield enter(server)[0]
        uploads.discard()

    def test_a_file_arrives_whole_under_its_name_and_is_gone_at_the_end(self, server, cookie):
        content = bytes(range(256)) * 5000  # several pieces of the network's
        code, _, text = ask(server, self.PATH, "PUT", content, Cookie=cookie, Origin=origin(server))
        assert (code, text) == (200, "own.trace.csv")
        copy = Path(uploads.path_of(text))
        assert copy.name == "own.trace.csv"
        assert copy.read_bytes() == content
        uploads.discard()
        assert not copy.parents[1].exists()

    def test_a_second_file_of_that_name_gets_another(self, server, cookie):
        names = [ask(server, self.PATH, "PUT", content, Cookie=cookie)[2] for content in (b"one", b"two", b"three")]
        assert names == ["own.trace.csv", "own.trace (2).csv", "own.trace (3).csv"]
        assert [Path(uploads.path_of(name)).read_bytes() for name in names] == [b"one", b"two", b"three"]

    @pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX's")
    def test_only_this_user_can_read_a_copy(self, server, cookie):
        umask = os.umask(0)
        try:
            _, _, name = ask(server, self.PATH, "PUT", b"1 r", Cookie=cookie)
        finally:
            os.umask(umask)
        copy = Path(uploads.path_of(name))
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (copy, *copy.parents[:2])]
        assert modes == [0o600, 0o700, 0o700]

    def test_a_copy_is_never_written_over_what_lies_there(self, tmp_path):
        there, link = tmp_path / "there", tmp_path / "link"
        there.write_bytes(b"kept")
        link.symlink_to(there)
        for path in (there, link):
            with pytest.raises(FileExistsError):
                uploads.create(path)
        assert there.read_bytes() == b"kept"

    @pytest.mark.parametrize("name", ["../../own.csv", "C:%5Ctraces%5Cown.csv", "/etc/own.csv", ".own.csv"])
    def test_a_name_leads_nowhere_else(self, server, cookie, name):
        code, _, text = ask(server, f"{uploads.PATH}?name={name}", "PUT", b"1 r", Cookie=cookie)
        assert code == 200
        assert text == "own.csv"
        assert Path(uploads.path_of(text)).parents[1].name.startswith("pagecost-")

    def test_a_file_that_is_too_large_is_refused_before_it_is_sent(self, server, cookie):
        headers = {"Cookie": cookie, "Content_Length": str(2 * uploads.LIMIT_BYTES)}
        code, _, text = ask(server, self.PATH, "PUT", **headers)
        assert code == 413
        assert (
            text == "own.trace.csv has 8 GB; up to 4 GB can be dropped here. Type its path instead: it is then "
            "read where it lies."
        )

    def test_a_full_disk_is_said(self, server, cookie, monkeypatch):
        monkeypatch.setattr(uploads, "SPARE_BYTES", 10**18)
        code, _, text = ask(server, self.PATH, "PUT", b"1 r", Cookie=cookie)
        assert code == 413
        assert "no room" in text

    def test_a_file_of_unknown_size_is_refused(self, server, cookie):
        code, *_ = ask(server, self.PATH, "PUT", iter([b"1 r"]), Cookie=cookie, Transfer_Encoding="chunked")
        assert code == 411

    def test_a_file_that_stops_half_way_leaves_nothing(self, server, cookie):
        folder = uploads._folder()
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.request("PUT", self.PATH, b"half", {"Cookie": cookie, "Content-Length": "1000"})

        def copies():
            return list(folder.rglob("own.trace.csv"))

        until(copies)
        connection.close()
        until(lambda: not copies())

    @pytest.mark.parametrize(
        "headers", [{"Cookie": ""}, {"Origin": "http://evil.example"}, {"Sec_Fetch_Site": "cross-site"}], ids=str
    )
    def test_nobody_else_may_leave_a_file_here(self, server, cookie, headers):
        assert ask(server, self.PATH, "PUT", b"1 r", **{"Cookie": cookie, **headers})[0] == 403
        assert not list(uploads._folder().iterdir())

    def test_other_methods_are_refused(self, server, cookie):
        assert ask(server, self.PATH, "POST", b"1 r", Cookie=cookie)[0] == 405
        assert ask(server, self.PATH, Cookie=cookie)[0] == 405


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class TestWebsocket:
    @pytest.fixture
    def friend(self, server):
        cookie, path = enter(server)
        return cookie, session_token(server, cookie, path)

    def test_without_cookie_is_refused(self, server, friend):
        _, token = friend
        assert websocket(server, token, Origin=origin(server)) == 403

    def test_with_a_foreign_origin_is_refused(self, server, friend):
        cookie, token = friend
        assert websocket(server, token, Cookie=cookie, Origin="http://evil.example") == 403

    def test_with_a_foreign_host_is_refused(self, server, friend):
        cookie, token = friend
        assert websocket(server, token, Cookie=cookie, Host="evil.example", Origin="http://evil.example") == 403

    def test_of_another_program_is_refused(self, server, friend):
        _, token = friend
        assert websocket(server, token) == 403

    def test_with_the_token_of_another_server_is_closed(self, server, friend):
        cookie, _ = friend
        with running() as neighbour:
            foreign_token = session_token(neighbour, *enter(neighbour))
        assert websocket(server, foreign_token, Cookie=cookie, Origin=origin(server)) == "closed"


def test_no_secret_is_logged(server, caplog):
    caplog.set_level(logging.DEBUG)
    path = entry_path(server)
    cookie, page = enter(server)
    ask(server, path)
    ask(server, "/enter?key=wrong-key")
    websocket(server, session_token(server, cookie, page), Cookie=cookie, Origin=origin(server))
    for secret in (path, cookie.split("=")[1], "wrong-key"):
        assert secret not in caplog.text


def test_a_port_in_use_is_named_in_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        with pytest.raises(ModelError, match=f"port {port} is in use; "):
            AppServer(make_document, port)


def test_a_fixed_port_is_free_again_after_stop():
    with running() as first:
        enter(first)
    with running(first.port) as second:
        assert second.port == first.port
        enter(second)


def test_the_server_listens_on_loopback_only(server):
    with socket.socket() as other, pytest.raises(OSError, match="refused"):
        other.connect(("127.0.0.2", server.port))
