"""The steppers whose inputs are declared: from one entry the app has a page and lessons have a call."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pagecost_app.walks.asking import Asks
from pagecost_app.walks.disk_picture import DISK_CSS, disk_picture, disk_sentence, disk_title
from pagecost_app.walks.disk_walk import FIELDS as DISK_FIELDS
from pagecost_app.walks.disk_walk import DiskWalk
from pagecost_app.walks.fields import Field
from pagecost_app.walks.ftl_picture import FTL_CSS, ftl_picture, ftl_sentence, ftl_title
from pagecost_app.walks.ftl_walk import FIELDS as FTL_FIELDS
from pagecost_app.walks.ftl_walk import FtlWalk
from pagecost_app.walks.join_picture import JOIN_CSS, join_picture, join_sentence, join_title
from pagecost_app.walks.join_walk import FIELDS as JOIN_FIELDS
from pagecost_app.walks.join_walk import JoinWalk
from pagecost_app.walks.layers_picture import LAYERS_CSS, layers_picture, layers_sentence, layers_title
from pagecost_app.walks.layers_walk import LAYERS_FIELDS, LayersWalk


class Kind(NamedTuple):
    """A stepper. walk(**values of fields) makes a walk; title, sentence and picture are of a walk as it stands.

    heading: its question in the app; group: what is walked through, in words; place: what of the path it is about;
    after: the study that it follows on its page; steps: what its steps are called; string: the field whose text can be
    drawn at random, or "" where there is none; wishes: what the walk's `place_of` knows, by the label of its button.
    """

    name: str
    heading: str
    group: str
    place: str
    after: str
    steps: str
    string: str
    wishes: dict[str, str]
    walk: Callable[..., Any]
    fields: tuple[Field, ...]
    css: str
    title: Callable[[Any], str]
    sentence: Callable[[Any], str]
    picture: Callable[[Any], str]


JOIN = Kind(
    name="join",
    heading="How does a join ask a device for pages? Request by request",
    group="a join",
    place="load",
    after="joins_on_rows",
    steps="Requests done",
    string="",
    wishes={"Previous phase": "previous", "Next phase": "next"},
    walk=JoinWalk,
    fields=JOIN_FIELDS,
    css=JOIN_CSS,
    title=join_title,
    sentence=join_sentence,
    picture=join_picture,
)
"""The stepper through a join."""

BESIDE = Kind(
    name="layers",
    heading="What do two translation layers do with the same writes? Request by request",
    group="two translation layers",
    place="device",
    after="translation_layers",
    steps="Requests done",
    string="requests",
    wishes={"Next erase": "erase"},
    walk=LayersWalk,
    fields=LAYERS_FIELDS,
    css=LAYERS_CSS,
    title=layers_title,
    sentence=layers_sentence,
    picture=layers_picture,
)
"""Two layers beside each other."""

KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            name="ftl",
            heading="What does a translation layer do with a write? Step by step",
            group="a translation layer",
            place="device",
            after="translation_layers",
            steps="Operations done",
            string="requests",
            wishes={"Previous request": "previous", "Next request": "next", "Next erase": "erase"},
            walk=FtlWalk,
            fields=FTL_FIELDS,
            css=FTL_CSS,
            title=ftl_title,
            sentence=ftl_sentence,
            picture=ftl_picture,
        ),
        Kind(
            name="disk",
            heading="How does a disk arm serve a queue? Step by step",
            group="a disk arm",
            place="device",
            after="disk_scheduling",
            steps="Steps done",
            string="requests",
            wishes={"Previous request": "previous", "Next request": "next"},
            walk=DiskWalk,
            fields=DISK_FIELDS,
            css=DISK_CSS,
            title=disk_title,
            sentence=disk_sentence,
            picture=disk_picture,
        ),
        BESIDE,
        JOIN,
    )
}
"""Every one of them, by its name; each has a page in the app."""

__all__ = ["BESIDE", "JOIN", "KINDS", "Asks", "Kind"]
