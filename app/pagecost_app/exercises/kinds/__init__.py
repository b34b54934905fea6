"""The kinds of exercises, one file each."""

from pagecost_app.exercises.kinds.choice import Choice, Claim
from pagecost_app.exercises.kinds.configuration import Condition, Configuration
from pagecost_app.exercises.kinds.curve import Curve
from pagecost_app.exercises.kinds.flaw import Flaw
from pagecost_app.exercises.kinds.number import EXACT, Number
from pagecost_app.exercises.kinds.order import Order

__all__ = ["EXACT", "Choice", "Claim", "Condition", "Configuration", "Curve", "Flaw", "Number", "Order"]
