"""The app's pages without a browser or server: what a user opens and waits for."""

import threading
import time

from bokeh.document import Document

from pagecost_app.pages import contents

PATIENCE_S = 60


class Session:
    """A document whose next-tick callbacks are run by hand, as a server would between events."""

    def __init__(self):
        self.document = Document()
        self.ready = threading.Event()
        self.queue = []
        self.document.add_next_tick_callback = self._later
        self.document.add_timeout_callback = self._later

    def _later(self, callback, after_ms=0):
        self.queue.append(callback)

    def until(self, condition):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, "the page did not answer"
            if self.queue:
                self.queue.pop(0)()
            else:
                time.sleep(0.005)  # the worker is still computing

    def model(self, name):
        found = self.document.get_model_by_name(name)
        assert found is not None, name
        return found


def opened(session, study):
    """Go to the study as a user does: its page, then its question."""
    session.model("address").value = contents.address_of(contents.title_with(study), study)
    session.until(lambda: session.model(f"{study}.answer").text != "" and not session.queue)  # the table comes last
    session.document.models.flush_synced()  # as a message to a browser does; until then Bokeh holds what is new
