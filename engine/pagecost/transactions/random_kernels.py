"""Random numbers inside kernels: SplitMix64 (Steele, Lea and Flood 2014), one stream per purpose.

Streams of their own keep the arrivals of two configurations equal while their service times differ.
"""

import math

import numpy as np

from pagecost._jit import lean_part

CONSTANT, EXPONENTIAL, SAMPLED = 0, 1, 2  # distributions of a service time
ARRIVALS, CPU, DEVICES, ROUTES = 0, 1, 2, 3
STREAMS = 4

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


def new_streams(seed: int) -> np.ndarray:
    """States of the streams, uint64[STREAMS]. Equal seeds give equal numbers."""
    return np.random.SeedSequence(seed).generate_state(STREAMS, np.uint64)


@lean_part
def uniform(states, stream):
    """A number of the half-open interval (0, 1]."""
    states[stream] += _STEP
    word = states[stream]
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    word = word ^ (word >> _31)
    return (np.float64(word >> _11) + 1.0) * 2.0**-53


@lean_part
def exponential(states, stream):
    """An exponential variate with mean 1."""
    return -math.log(uniform(states, stream))


@lean_part
def service_time(states, stream, mean_s, distribution, samples):
    """A service time [s] with mean mean_s; samples: float64[n] with mean 1, for SAMPLED."""
    if distribution == EXPONENTIAL:
        return mean_s * exponential(states, stream)
    if distribution == SAMPLED:
        return mean_s * samples[int(uniform(states, stream) * samples.size) % samples.size]
    return mean_s
