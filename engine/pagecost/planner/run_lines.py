"""A plan and its system as one command line: what stands under a figure, and gives it again."""

import functools
import shlex
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from pagecost.errors import ModelError
from pagecost.system import System
from pagecost.validation import sentence

STUDY = "plan_terms"

INPUTS = {
    "source": "load.source",
    "references_per_s": "load.rate_hz",
    "mix": "load.mix",
    "warehouses": "load.warehouses",
    "tpox_bytes": "load.tpox_bytes",
    "tpox_mapping": "load.tpox_mapping",
    "tpox_mix": "load.tpox_mix",
    "processors": "processors.servers",
    "transaction_s": "processors.transaction_s",
    "policy": "memory.policy",
    "page_bytes": "memory.page_bytes",
    "group_size": "log.group_size",
    "strategy": "log.update_strategy",
    "layout": "file_system.layout",
    "price_per_kwh": "economics.price_usd_per_kwh",
    "power_usage_effectiveness": "economics.power_usage_effectiveness",
    "discount_per_year": "economics.discount_per_year",
    "spare_share": "economics.spare_share",
    "failures_per_year": "economics.failures_per_year",
    "carbon_kg_per_kwh": "economics.carbon_kg_per_kwh",
    "currency": "economics.currency",
    "usd_per_unit": "economics.usd_per_unit",
    "percentile": "targets.percentile",
    "growth_per_year": "targets.growth_per_year",
    "hot_share": "candidates.hot_share",
    "write_buffer_bytes": "candidates.write_buffer_bytes",
    "log_bytes": "candidates.log_bytes",
    "memory": "candidates.memory",
    "uncertainty": "candidates.uncertainty",
    "response_s": "targets.response_s",
    "busy_at_most": "candidates.busy_at_most",
}
"""Inputs of that study -> where they stand in a system."""

MERGED = {
    "transactions_per_s": ("targets.transactions_per_s", "load.transaction_rate_hz"),
    "years": ("targets.years", "economics.horizon_years"),
    "volume_bytes": ("targets.volume_bytes", "load.volume_bytes"),
}
"""Likewise, the first that is said."""

LEFT_OUT = {"page_bytes": 0, "response_s": 0}
"""What those inputs say of what a system leaves out."""


def values_of(system: System) -> dict[str, Any]:
    """Inputs of the study as a system has them."""
    said = {name: system.value(path) for name, path in INPUTS.items()}
    found = {name: LEFT_OUT.get(name) if value is None else value for name, value in said.items()}
    for name, (first, other) in MERGED.items():
        found[name] = system.value(first) if system.value(first) is not None else system.value(other)
    found["prices"] = system.economics.prices or "catalogue"
    return found


def system_of(values: dict[str, Any], prices: dict[str, float]) -> System:
    """The system that such inputs describe; what they do not say has its default.

    Raises ModelError, a sentence, where they break a rule of systems.
    """
    content: dict[str, dict[str, Any]] = {}
    paths = INPUTS | {"transactions_per_s": "load.transaction_rate_hz", "years": "economics.horizon_years"}
    for name, path in (paths | {"volume_bytes": "load.volume_bytes"}).items():
        part, field = path.split(".")
        is_left_out = name in LEFT_OUT and values[name] == LEFT_OUT[name]
        content.setdefault(part, {})[field] = None if is_left_out else values[name]
    content["economics"]["price_usd_per_device"] = prices
    try:
        return System.model_validate(content)
    except ValidationError as error:
        raise ModelError(sentence(error, values)) from None


@functools.cache
def _usual() -> dict[str, Any]:
    return values_of(System())


def settings_of(system: System) -> tuple[str, ...]:
    """What a system says that is not usual, each as NAME=VALUE."""
    usual = _usual()
    return tuple(f"{name}={value}" for name, value in values_of(system).items() if value != usual[name])


def run_line(settings: Iterable[str], code: str, *, runs: int = 0) -> str:
    """The command that computes the figures of a plan again. settings: `settings_of` its system. runs: simulations;
    0: by formula alone."""
    said = [f"plan={code}", *settings, *([f"runs={runs}"] if runs else [])]
    words = [word for setting in said for word in ("--set", setting)]
    return shlex.join(["pagecost", "run", STUDY, *words, "--table", "figures"])
