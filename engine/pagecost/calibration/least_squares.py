"""Least squares over a model of a device, with an interval for every unknown, or the finding that there is none.

All unknowns are positive and are moved in logarithms. An interval is that of the profile likelihood: the values of one
unknown at which the best fit of all others is not significantly worse (Bates and Watts 1988, Nonlinear Regression
Analysis, ch. 6). Where it does not close, or is wider than a factor of `DETERMINED`, the data do not say the number,
and none is given.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pagecost import cancellation
from pagecost.errors import require
from pagecost.units import format_cell

DETERMINED = 3.0  # an interval whose ends differ by more says an order of magnitude, no number
SHARE = 0.95  # of an interval
WIDEST_STEP = 0.7  # in logarithms, of one step along a profile: a factor of two
STEPS = 12
NORMAL = 1.96  # standard deviations to either side, of a normal spread
DRAWS = 60
STEP = 1e-4  # of a logarithm, for a slope
TRIES, FEW_TRIES = 60, 15  # evaluations of a solution, at most; of each of the starts that are followed
ASIDE = 0.4  # in logarithms
SOLVED = 4  # starts that are followed
Predict = Callable[[np.ndarray], np.ndarray]
"""Logarithms of the unknowns, shape (..., unknowns), to those of what is predicted, shape (..., points)."""


@dataclass(frozen=True)
class Unknown:
    """A parameter to be found: its bounds in SI, both above 0, and what it is."""

    name: str
    unit: str
    low: float
    high: float
    meaning: str


@dataclass(frozen=True)
class Found:
    """What a fit says of an unknown [SI]: value, 95 % interval; nan where the data do not say it.

    best: the value in the best fit all the same, with which it predicts.
    """

    unknown: Unknown
    value: float
    low: float
    high: float
    best: float

    @property
    def is_determined(self) -> bool:
        """Whether the data say the number."""
        return math.isfinite(self.value)

    @property
    def sentence(self) -> str:
        """What the data say of an unknown that they do not determine."""
        what = f"{self.unknown.name} ({self.unknown.meaning})"
        low, high = math.isfinite(self.low), math.isfinite(self.high)
        from_, to = (format_cell(end, self.unknown.unit) for end in (self.low, self.high))
        if low and high:
            return f"{what}: not determined, anything from {from_} to {to} fits."
        if low or high:
            return f"{what}: not determined, {f'at least {from_}' if low else f'at most {to}'}."
        return f"{what}: not determined at all."


@dataclass(frozen=True, eq=False)
class Fit:
    """A model fitted to logarithms of what was measured.

    logs: of the best values, shape (unknowns,). residuals: logarithm of measured over predicted, (points,).
    weights: what each squared residual counts. noise: standard deviation of one residual of weight 1, the larger of
    what repetitions and what the residuals say.
    """

    unknowns: tuple[Unknown, ...]
    predict: Predict
    logs: np.ndarray
    residuals: np.ndarray
    weights: np.ndarray
    noise: float
    jacobian: np.ndarray

    @property
    def values(self) -> dict[str, float]:
        """The best value of every unknown [SI]."""
        return {each.name: float(value) for each, value in zip(self.unknowns, np.exp(self.logs), strict=True)}

    @cached_property
    def found(self) -> tuple[Found, ...]:
        """Every unknown with its interval."""
        return tuple(_profiled(self, at) for at in range(len(self.unknowns)))

    @cached_property
    def draws(self) -> np.ndarray:
        """Logarithms of the unknowns fitted to data that are as noisy as these (parametric bootstrap, Efron and
        Tibshirani 1993, ch. 6), shape (`DRAWS`, unknowns). What the data do not say strays between its bounds.
        """
        random = np.random.default_rng(1)
        fitted = self.predict(self.logs)
        widths = self.noise / np.sqrt(self.weights)
        again = (fitted + widths * random.standard_normal(fitted.size) for _ in range(DRAWS))
        return np.array([_solve(self.unknowns, self.predict, each, self.weights, self.logs).x for each in again])

    def interval(self, of: Predict) -> tuple[np.ndarray, np.ndarray]:
        """The 95 % interval of logarithms that `of` makes of those of the unknowns."""
        best, spread = of(self.logs), np.std([of(logs) for logs in self.draws], axis=0)
        return best - NORMAL * spread, best + NORMAL * spread


def fit(
    unknowns: Sequence[Unknown],
    predict: Predict,
    measured: np.ndarray,
    starts: np.ndarray | Sequence[Sequence[float]],
    *,
    weights: np.ndarray,
    noise: float = math.nan,
    edges: bool = False,
) -> Fit:
    """Fit `predict(logs of the unknowns)` to the logarithms `measured`, from the best few of many starts [SI].

    starts: shape (starts, unknowns). What is solved from them is not convex, so one start would find a near hollow.
    noise: of one measurement as repetitions show it, nan without any. edges: the model has limits at which a descent
    stops, so the solution also walks along each unknown. Raises ModelError for fewer than one point more
    than unknowns.
    """
    unknowns = tuple(unknowns)
    points, freedom = measured.size, measured.size - len(unknowns)
    require(
        freedom >= 1,
        f"{points} usable points are too few for {len(unknowns)} unknowns ({', '.join(u.name for u in unknowns)}); "
        "measure more sizes and depths, or hold out fewer",
    )
    low, high = _bounds(unknowns)
    places = np.clip(np.log(np.asarray(starts, float)), low, high)
    losses = (weights * (measured - predict(places)) ** 2).sum(axis=-1)
    nearest = places[np.argsort(losses, kind="stable")[:SOLVED]]
    rough = [_solve(unknowns, predict, measured, weights, start, tries=FEW_TRIES) for start in nearest]
    best = min(rough, key=lambda made: made.cost)
    for at in range(len(unknowns)) if edges else ():
        for side in (-1, 1):
            aside = best.x.copy()
            aside[at] += side * ASIDE
            along = _solve(unknowns, predict, measured, weights, aside, held=at, tries=FEW_TRIES)
            again = _solve(unknowns, predict, measured, weights, along.x, tries=FEW_TRIES)
            best = min(best, again, key=lambda made: made.cost)
    made = _solve(unknowns, predict, measured, weights, best.x)
    scatter = math.sqrt(2 * made.cost / freedom)
    level = max(scatter, noise if math.isfinite(noise) else 0.0, 1e-9)
    return Fit(unknowns, predict, made.x, measured - predict(made.x), weights, level, _slopes(predict, made.x))


def _bounds(unknowns: Sequence[Unknown]) -> tuple[np.ndarray, np.ndarray]:
    return np.log([each.low for each in unknowns]), np.log([each.high for each in unknowns])


def _solve(unknowns, predict, measured, weights, start, held: int | None = None, tries: int = TRIES):
    """scipy's trust region; `held`: this unknown stays where it starts."""
    from scipy.optimize import least_squares  # late: it takes a tenth of a second to load

    low, high = _bounds(unknowns)
    free = np.array([at for at in range(len(unknowns)) if at != held])
    whole = np.clip(start, low, high)
    root = np.sqrt(weights)

    def placed(moved: np.ndarray) -> np.ndarray:
        cancellation.point()
        whole[free] = moved
        return whole

    made = least_squares(
        lambda moved: root * (measured - predict(placed(moved))),
        np.clip(whole[free], low[free] + 1e-6, high[free] - 1e-6),
        jac=lambda moved: -root[:, None] * _slopes(predict, placed(moved))[:, free],
        bounds=(low[free], high[free]),
        max_nfev=tries,
        xtol=1e-5,
        ftol=1e-6,
    )
    made.x = placed(made.x).copy()
    return made


def _slopes(predict: Predict, logs: np.ndarray) -> np.ndarray:
    """Derivative of every prediction by every logarithm, shape (points, unknowns)."""
    moves = np.eye(logs.size) * STEP
    up, down = np.split(predict(np.concatenate([logs + moves, logs - moves])), 2)
    return (up - down).T / (2 * STEP)


def _profiled(fit: Fit, at: int) -> Found:
    """The interval of one unknown along its profile."""
    from scipy.special import stdtrit

    unknown, best = fit.unknowns[at], float(np.exp(fit.logs[at]))
    freedom = fit.residuals.size - len(fit.unknowns)
    wanted = float(stdtrit(freedom, (1 + SHARE) / 2))
    ends = [_end(fit, at, side, wanted) for side in (-1, 1)]
    low, high = (math.exp(end) if math.isfinite(end) else math.nan for end in ends)
    known = math.isfinite(low) and math.isfinite(high) and high / low <= DETERMINED
    return Found(unknown, best if known else math.nan, low, high, best)


def _end(fit: Fit, at: int, side: int, wanted: float) -> float:
    """The logarithm at which the fit is significantly worse, nan if it never is before the bound.

    Along a profile the root of the loss grows almost evenly with the distance, so a secant finds the place.
    """
    measured = fit.residuals + fit.predict(fit.logs)
    least = float((fit.weights * fit.residuals**2).sum())
    low, high = _bounds(fit.unknowns)
    bound = (low if side < 0 else high)[at]
    weighted = fit.jacobian * np.sqrt(fit.weights)[:, None] / fit.noise
    curvature = np.linalg.pinv(weighted.T @ weighted)[at, at]
    step = min(max(wanted * math.sqrt(max(curvature, 0.0)), 1e-4), WIDEST_STEP)
    inside, inside_loss, logs = fit.logs[at], 0.0, fit.logs
    outside, outside_loss = math.nan, math.nan
    for _ in range(STEPS):
        place = inside + side * step
        if math.isfinite(outside):
            place = inside + (outside - inside) * np.clip(
                (wanted - inside_loss) / (outside_loss - inside_loss), 0.05, 0.95
            )
        if side * (bound - place) < 0:
            place = bound
        start = logs.copy()
        start[at] = place
        made = _solve(fit.unknowns, fit.predict, measured, fit.weights, start, held=at)
        loss = math.sqrt(max(2 * made.cost - least, 0.0)) / fit.noise
        if abs(loss - wanted) < 0.03 * wanted:
            return float(place)
        if loss > wanted:
            outside, outside_loss = place, loss
        else:
            inside, inside_loss, logs = place, loss, made.x
            if place == bound:
                return math.nan
            step = min(max(2 * abs(place - fit.logs[at]), 1e-3), WIDEST_STEP) if math.isnan(outside) else step
    return float(outside if math.isfinite(outside) else math.nan)
