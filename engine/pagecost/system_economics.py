"""The part of a system that says for how long it runs, and at which prices."""

from typing import Annotated

from pydantic import Field, model_validator

from pagecost import catalogue, exchange
from pagecost.economics import YEAR_S, Currency
from pagecost.errors import known, require
from pagecost.validation import Checked


class Economics(Checked):
    """For how long, and at which prices."""

    horizon_years: Annotated[float, Field(gt=0, le=100, description="How long the system runs [year].")] = 5.0
    price_usd_per_kwh: Annotated[float, Field(ge=0, le=100, description="Of energy [USD/kWh].")] = 0.15
    power_usage_effectiveness: Annotated[
        float, Field(ge=1, le=10, description="All energy over that of the devices.")
    ] = 1.0
    price_usd_per_device: Annotated[
        dict[str, Annotated[float, Field(ge=0, le=1e9)]],
        Field(description="Your prices, device = USD; what is not named has the catalogue's."),
    ] = {}  # noqa: RUF012  pydantic copies it

    currency: Annotated[str, Field(description="Of answers and budget: three letters.")] = "USD"
    usd_per_unit: Annotated[
        float, Field(gt=0, le=1e9, description="Dollars for one of that currency: prices here are in dollars.")
    ] = 1.0
    discount_per_year: Annotated[float, Field(ge=0, lt=1, description="By which later money counts less, 0..1.")] = 0.0
    spare_share: Annotated[float, Field(ge=0, le=10, description="Spares bought at once, per device in use.")] = 0.0
    failures_per_year: Annotated[
        float, Field(ge=0, le=10, description="Of a device, which is then replaced at its price [1/year].")
    ] = 0.0
    carbon_kg_per_kwh: Annotated[
        float, Field(ge=0, le=5, description="CO₂ of a kWh, as your supplier says [kg/kWh]; 0: left out.")
    ] = 0.0

    @property
    def prices(self) -> str | None:
        """Your prices as people type them, `device=USD, device=USD`; None where there are none."""
        return ", ".join(f"{name}={usd!r}" for name, usd in self.price_usd_per_device.items()) or None

    @property
    def money(self) -> str:
        """The currency as people type it, `EUR=1.08`: with the dollars for one of it."""
        return self.currency if self.currency == "USD" else f"{self.currency}={self.usd_per_unit!r}"

    def prices_in(self, currency: Currency) -> str:
        """As `prices`, but in that currency; empty where there are none."""
        prices = self.price_usd_per_device.items()
        return ", ".join(f"{name}={currency.of_usd(usd)!r}" for name, usd in prices)

    @property
    def horizon_s(self) -> float:
        """How long the system runs [s]."""
        return self.horizon_years * YEAR_S

    @model_validator(mode="after")
    def _prices_of_known_devices(self):
        for name in self.price_usd_per_device:
            known("device", name, catalogue.devices())
        return self

    @model_validator(mode="after")
    def _a_currency_has_its_rate(self):
        Currency(self.currency, 1.0 if self.currency == "USD" else self.usd_per_unit)
        found = exchange.rates().get(self.currency)
        known_as = f", such as {found.usd_per_unit:g} on {found.date}" if found else ""
        require(
            self.currency == "USD" or self.usd_per_unit != 1.0,
            f"currency {self.currency}: say how many dollars one of it is, as usd_per_unit{known_as}",
        )
        require(
            self.currency != "USD" or self.usd_per_unit == 1.0,
            f"usd_per_unit: a dollar is one dollar; got {self.usd_per_unit:g}, so name the currency",
        )
        return self
