"""The time, as a value that can be handed in."""

import time
from collections.abc import Callable

Clock = Callable[[], float]

wall_clock: Clock = time.time
