"""A device fitted to fio results: every point measured and predicted, those held out among them, and the demerit."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pagecost.calibration.disk import CURVE, DiskFit, fit_disk
from pagecost.calibration.least_squares import SHARE, Found
from pagecost.calibration.observations import Observation, Observations, every_held_out, gather
from pagecost.calibration.ssd import SsdFit, fit_ssd
from pagecost.devices import Measured
from pagecost.devices.fio import LEFT_OUT
from pagecost.errors import ModelError, known, require

KINDS = {"auto": "whatever the files look like", "ssd": "an SSD", "disk": "a hard disk"}
SLOWEST_FLASH_S = 2e-3  # of a small random read alone; what is slower has an arm
SMALL_BYTES = 16 * 1024
SHARES = (np.arange(200) + 0.5) / 200  # of the requests, at which two distributions of times are compared


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One kind of request, measured and predicted [1/s]. low, high: what the unknowns of the fit leave open.

    lowest, highest: of the repetitions. apart: logarithm of measured over predicted. within: whether the prediction
    could be one more repetition, at 95 %; None where nothing was repeated.
    """

    observation: Observation
    predicted: float
    low: float
    high: float
    within: bool | None

    @property
    def lowest(self) -> float:
        """The slowest repetition."""
        return math.exp(min(self.observation.logs))

    @property
    def highest(self) -> float:
        """The fastest repetition."""
        return math.exp(max(self.observation.logs))

    @property
    def apart(self) -> float:
        """Logarithm of measured over predicted."""
        return math.log(self.observation.iops / self.predicted)


@dataclass(frozen=True, kw_only=True)
class Demerit:
    """How far two distributions of response times are apart, the root mean square of the difference at equal shares of
    the requests (Ruemmler and Wilkes 1994): in s, and over the measured mean. Of one kind of request."""

    observation: Observation
    demerit_s: float
    share: float


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A fitted device with all that is said of it. capacity_bytes: of the drive, as its user says it; else None."""

    model: SsdFit | DiskFit
    observations: Observations
    capacity_bytes: float | None = None

    @property
    def found(self) -> tuple[Found, ...]:
        """Every unknown, with its interval or without."""
        return self.model.fit.found

    @cached_property
    def compared(self) -> tuple[Compared, ...]:
        """Every point of which the model says something."""
        described = [each for each in self.observations.all if self.model.describes(each)]
        rates = self.model.rates(described)
        low, high = self.model.rate_interval(described)
        return tuple(
            Compared(
                observation=each,
                predicted=float(rates[at]),
                low=float(low[at]),
                high=float(high[at]),
                within=self._within(each, float(rates[at])),
            )
            for at, each in enumerate(described)
        )

    @property
    def miss(self) -> float:
        """Root mean square of the logarithm of measured over predicted, of the points that were fitted."""
        return float(np.sqrt(np.mean([each.apart**2 for each in self.compared if not each.observation.held_out])))

    @property
    def not_described(self) -> tuple[Observation, ...]:
        """The points of which the model says nothing."""
        return tuple(each for each in self.observations.all if not self.model.describes(each))

    def _within(self, observation: Observation, predicted: float) -> bool | None:
        noise = self.observations.noise
        if not math.isfinite(noise):
            return None
        from scipy.special import stdtrit

        freedom = sum(len(each.logs) - 1 for each in self.observations.all)
        width = stdtrit(freedom, (1 + SHARE) / 2) * noise * math.sqrt(1 + 1 / len(observation.logs))
        return bool(abs(math.log(observation.iops / predicted)) <= width)

    @cached_property
    def demerits(self) -> tuple[Demerit, ...]:
        """Of every kind of random read whose distribution was recorded, beside the simulated device."""
        found = []
        for each in (one.observation for one in self.compared):
            measured = _quantiles_s(each)
            there = np.isfinite(measured)
            times = self.model.response_s(each) if there.any() else np.empty(0)
            if not times.size:
                continue
            far = np.quantile(times, SHARES[there]) - measured[there]
            demerit_s = float(np.sqrt(np.mean(far**2)))
            found.append(
                Demerit(observation=each, demerit_s=demerit_s, share=demerit_s / float(measured[there].mean()))
            )
        return tuple(found)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be known to use the fit: unknowns without a number, points left out, what the noise is."""
        undetermined = [each.sentence for each in self.found if not each.is_determined]
        noise = self.observations.noise
        said = (
            f"A rate differs from run to run by {noise:.1%} (standard deviation); "
            f"the fit misses a point by {self.miss:.1%} (root mean square)."
            if math.isfinite(noise)
            else "Nothing was measured twice, so the noise is only what the fit leaves over."
        )
        return (said, *self.model.notes, *undetermined, *self._without_curve(), *self.observations.left_out)

    def _without_curve(self) -> tuple[str, ...]:
        """What it means for a disk that a seek of its curve has no number."""
        open_ = [each.unknown.name for each in self.found if each.unknown.name in CURVE and not each.is_determined]
        if not open_:
            return ()
        return (
            f"Without {' and '.join(open_)} the device has no seek curve: every random read is predicted with the mean "
            "seek over all of the disk, so that those over a part of it are really faster.",
        )


def _quantiles_s(observation: Observation) -> np.ndarray:
    """The times [s] at `SHARES`, mean over the repetitions that recorded them; nan where not all did."""
    return np.mean([point.quantiles_s(SHARES) for point in observation.points], axis=0)


def calibrate(
    results: Sequence[Measured],
    *,
    kind: str = "auto",
    hold_out: Iterable[str] = (),
    hold_out_every: int = 0,
    capacity_bytes: float | None = None,
) -> Calibrated:
    """Fit a device to fio results. kind: a key of `KINDS`. hold_out: names of jobs (with * and ?) to be predicted only;
    hold_out_every: and every so-many-th of the others, 0: none.

    capacity_bytes: of the drive: how much it stores; of a hard disk also which part of it the file is. Raises
    ModelError for results that a device cannot be fitted to, with the reason.
    """
    known("kind of device", kind, KINDS)
    require(bool(results), "there are no results to fit a device to")
    require(
        capacity_bytes is None or 0 < capacity_bytes < math.inf,
        f"the capacity of a drive must be a number of bytes above 0; got {capacity_bytes}",
    )
    observations = every_held_out(gather(results, hold_out), hold_out_every)
    try:
        if kind == "auto":
            kind = kind_of(observations)
        made = fit_ssd(observations) if kind == "ssd" else fit_disk(observations, capacity_bytes)
    except ModelError as error:
        left_out = dict.fromkeys(each for result in results for each in result.remarks if each.startswith(LEFT_OUT))
        why = "; ".join(each.removeprefix(LEFT_OUT).rstrip(".") for each in left_out)
        raise ModelError(f"{error}; left out: {why}" if why else str(error)) from None
    return Calibrated(made, observations, capacity_bytes)


def kind_of(observations: Observations) -> str:
    """ "ssd" or "disk", by the time of a small random read. Raises ModelError without any."""
    small = [each for each in observations.all if each.pattern == "random read" and each.block_bytes <= SMALL_BYTES]
    require(bool(small), "the files hold no small random reads, which tell an SSD from a hard disk: say which it is")
    shallow = min(each.depth for each in small)
    alone = min(each.depth / each.iops for each in small if each.depth == shallow)
    return "disk" if alone > SLOWEST_FLASH_S else "ssd"
