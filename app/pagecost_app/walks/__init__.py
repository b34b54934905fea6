"""Walks for the eye: through a reference string under a replacement policy, and through the whole path event by event.

What a face needs to step and to draw them.
"""

from pagecost_app.walks.face import Face
from pagecost_app.walks.kinds import KINDS, Kind
from pagecost_app.walks.look import CSS
from pagecost_app.walks.path_picture import PATH_CSS, path_picture
from pagecost_app.walks.path_walk import PathWalk
from pagecost_app.walks.path_words import path_sentence, path_title, why_sentence
from pagecost_app.walks.picture import picture, sentence, title
from pagecost_app.walks.walk import GOLDEN, LONGEST, MOST_FRAMES, NOBODY, Walk, strings, text_of

__all__ = [
    "CSS",
    "GOLDEN",
    "KINDS",
    "LONGEST",
    "MOST_FRAMES",
    "NOBODY",
    "PATH_CSS",
    "Face",
    "Kind",
    "PathWalk",
    "Walk",
    "path_picture",
]
__all__ += ["path_sentence", "path_title", "picture", "sentence", "strings", "text_of", "title", "why_sentence"]
