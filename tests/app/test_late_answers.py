"""What comes late does not take the place of what came after it was asked for."""

from helpers.page_session import Session
from pagecost import _jit, studies
from pagecost_app.pages.study_page import StudyPage


def test_a_part_that_waited_for_a_kernel_does_not_take_the_place_of_the_whole(monkeypatch):
    """The whole answer came while the chart of a part of it waited for a compiler."""
    session, held, study = Session(), [], studies.find("block_size")
    page = StudyPage(session.document, study)
    session.document.add_root(page.root)
    session.until(lambda: page.settled is not None and not session.queue)
    monkeypatch.setattr("pagecost_app.pages.study_page.wait_apart", lambda question, news, over: held.append(over))
    inputs, update = study.inputs(), page.chart.update
    whole, part = study.compute(inputs), study.compute(study.inputs({"block_sizes_bytes": [4096]}))

    def refuses_the_part(inputs, result):
        if result is part:
            raise _jit.NotCompiled("some.kernel")
        update(inputs, result)

    monkeypatch.setattr(page.chart, "update", refuses_the_part)
    page.show(inputs, part, final=False)
    page.show(inputs, whole, final=True)
    monkeypatch.setattr(page.chart, "update", update)
    held[0]("")
    session.until(lambda: not session.queue)
    assert page.settled is not None
    assert page.settled[1] is whole
