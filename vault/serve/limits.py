"""How often a caller may call: a bucket of tokens that fills with time."""

from dataclasses import dataclass, field

#: Calls of one caller in a row, and a second after that.
BURST, RATE = 200, 50.0
#: Callers that are remembered.
CALLERS = 10_000


@dataclass(slots=True)
class RateLimit:
    """Counts the calls of each caller."""

    burst: int = BURST
    rate: float = RATE
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def wait(self, caller: str, now: float) -> float:
        """Seconds a caller has to wait before the call; 0.0 where it may be made, which it then counts as."""
        left, before = self._left.get(caller, (float(self.burst), now))
        left = min(float(self.burst), left + (now - before) * self.rate)
        if left < 1:
            self._left[caller] = (left, now)
            return (1 - left) / self.rate
        if len(self._left) > CALLERS:
            self._left.clear()
        self._left[caller] = (left - 1, now)
        return 0.0
