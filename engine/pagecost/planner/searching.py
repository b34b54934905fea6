"""Every plan of a system's candidates by formula."""

import importlib
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pagecost.planner import demand
from pagecost.planner.figures import Row
from pagecost.planner.front import Limit, goal_of, limits, met, nondominated, objectives
from pagecost.planner.numbers import Numbers, numbers_of
from pagecost.planner.run_lines import settings_of
from pagecost.planner.screening import Screened, screen
from pagecost.planner.space import Space, space_of
from pagecost.planner.visits import Visits, visits_of
from pagecost.system import System


@dataclass(frozen=True, eq=False)
class Search:
    """Every plan by formula: what it is made of, what it gives, which targets it meets."""

    system: System
    asked: demand.Asked
    numbers: Numbers
    space: Space
    visits: Visits
    screened: Screened
    limits: tuple[Limit, ...]
    feasible: np.ndarray
    front: np.ndarray
    screen_s: float

    @cached_property
    def settings(self) -> tuple[str, ...]:
        """What the system says that is not usual, as the command line has it."""
        return settings_of(self.system)

    def row(self, place: int) -> Row:
        """One plan."""
        return Row(self.space, self.screened, self.numbers, int(place))


def search(system: System) -> Search:
    """All plans of a system's candidates by formula. front: places of those that none is better than, by cost.

    Raises ModelError where nothing can be made of the candidates, or too little is known of one.
    """
    asked = demand.asked(system)
    numbers = numbers_of(system, asked)
    space = space_of(system, numbers.devices)
    visits = visits_of(asked, system, space.memories)
    importlib.import_module("scipy.special")  # late, as screening has it; loading it takes no part in screen_s
    began = time.perf_counter()
    screened = screen(space, numbers, visits, system.targets.percentile, goal_of(system))
    found = limits(system, numbers, screened)
    feasible = met(found)
    places = np.flatnonzero(feasible)
    front = places
    if places.size:
        columns = (screened.cost_usd, screened.percentile_s, screened.mean_w, screened.life_s)
        front = places[nondominated(objectives(*(column[places] for column in columns)))]
    return Search(system, asked, numbers, space, visits, screened, found, feasible, front, time.perf_counter() - began)
