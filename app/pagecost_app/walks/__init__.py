"""Walks through a reference string, for the eye: what a face needs to step a replacement policy and to draw it."""

from pagecost_app.walks.picture import CSS, picture, sentence, title
from pagecost_app.walks.walk import GOLDEN, LONGEST, MOST_FRAMES, Walk, strings, text_of

__all__ = ["CSS", "GOLDEN", "LONGEST", "MOST_FRAMES", "Walk", "picture", "sentence", "strings", "text_of", "title"]
