"""Colours that any eye tells apart, and from their ground: WCAG 2.2 asks a contrast of 3 of marks, 4.5 of words."""

import itertools

import numpy as np
import pytest

from pagecost_app.charts import style

GROUNDS = {"light": (False, style.LIGHT), "dark": (True, style.DARK), "high contrast": (True, style.CONTRAST)}
NORMAL = np.eye(3)
# of linear RGB: Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color vision
# deficiency, IEEE TVCG 15 (2009), severity 1.0
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
)
PROTANOPIA = np.array(
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
)
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour: str) -> np.ndarray:
    """Linear RGB of #rrggbb, shape (3,), 0 .. 1 (IEC 61966-2-1)."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2, 1 .. 21."""
    low, high = sorted(linear(colour) @ TO_XYZ[1] for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear RGB."""
    parts = TO_XYZ @ np.clip(rgb, 0, 1) / WHITE
    x, y, z = np.where(parts > 0.008856, np.cbrt(parts), 7.787 * parts + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)  # the well-known lightest grey for words


@pytest.mark.parametrize("look", GROUNDS)
def test_marks_and_words_stand_out_from_their_ground(look):
    dark, shade = GROUNDS[look]
    for colour in style.stack_colours(dark):
        assert contrast(colour, shade["ground"]) >= 3, colour
    for ground in ("ground", "panel"):
        assert contrast(shade["focus"], shade[ground]) >= 3
        for words in ("ink", "muted"):
            assert contrast(shade[words], shade[ground]) >= (7 if look == "high contrast" else 4.5)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("eye", [NORMAL, DEUTERANOPIA, PROTANOPIA], ids=["normal", "deuteranopia", "protanopia"])
def test_series_differ_for_every_eye(dark, eye):
    """A difference of some 2.3 is just seen; lines have dashes and markers of their own beside it."""
    seen = {colour: lab(eye @ linear(colour)) for colour in style.colours(dark)}
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 9, (one, other)


def test_neighbours_of_a_legend_differ_without_any_colour():
    looks = list(zip(style.DASHES, style.MARKERS, strict=True))
    assert len(set(looks)) == style.SLOTS
