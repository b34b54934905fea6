"""Messages on the websocket that no browser of ours sends."""

import asyncio
import contextlib
import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClosedError, websocket_connect

from helpers.gate import ARCHIVE, ask, enter, origin, running, session_token, status, websocket

pytestmark = pytest.mark.long


@pytest.fixture
def server():
    with running() as server:
        yield server


HEADER = '{"msgid": "1", "msgtype": "PATCH-DOC"}'
CHANGED = '{"kind": "ModelChanged", "model": {"id": "%s"}, "attr": "%s", "new": %s}'


def patch(*events):
    return (HEADER, "{}", f'{{"events": [{", ".join(events)}]}}')


class TestHostileMessages:
    """A program that holds the cookie may send anything; its own session may end, and nothing else happens."""

    @staticmethod
    def send(server, cookie, token, frames):
        async def talk():
            own = {"Cookie": cookie, "Origin": origin(server)}
            request = HTTPRequest(f"ws://127.0.0.1:{server.port}/ws", headers=own)
            connection = await websocket_connect(request, subprotocols=["bokeh", token])
            await asyncio.wait_for(connection.read_message(), 20)
            for frame in frames:
                with contextlib.suppress(WebSocketClosedError):
                    await connection.write_message(frame, binary=isinstance(frame, bytes))
            await asyncio.sleep(0.3)
            connection.close()
            while await asyncio.wait_for(connection.read_message(), 20) is not None:
                pass

        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(talk())).result()

    @pytest.mark.parametrize(
        "frames",
        [
            ("not JSON",),
            (b"\x00\xff" * 1000,),
            ("{}", "{}", "{}"),
            ("[" * 100_000,),
            (HEADER, "{}", "{}"),
            (HEADER, "{}", '{"events": "none"}'),
            patch('{"kind": "no such kind"}'),
            patch(CHANGED % ("p1", "text", '{"type": "object", "name": "os.system"}')),
            patch(CHANGED % ("no such model", "text", '"x"')),
            patch(CHANGED % ("p1000", "no_such_property", "1")),
            patch('{"kind": "RootRemoved", "model": {"id": "p1000"}}'),
            patch('{"kind": "TitleChanged", "title": 7}'),
            patch('{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": {"type": "event", "name": "x"}}'),
        ],
        ids=lambda frames: str(frames[-1])[:40],
    )
    def test_a_hostile_message_harms_no_other_session(self, server, frames, caplog):
        caplog.set_level(logging.CRITICAL, "bokeh")
        cookie, path = enter(server)
        other = session_token(server, cookie, ask(server, "/", Cookie=cookie)[1]["Location"])
        self.send(server, cookie, session_token(server, cookie, path), frames)
        assert websocket(server, other, Cookie=cookie, Origin=origin(server)) == "ACK"
        assert status(server, ARCHIVE, Cookie=cookie) == 200
