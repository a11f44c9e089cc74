"""What a campaign found."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Found:
    """Outcomes counted, faults told.

    Attributes
    ----------
    counts : outcome to how often
    faults : what must not happen, one text each
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Everything, for people."""
        counted = [f"{count:8d}  {outcome}" for outcome, count in sorted(self.counts.items())]
        return [*counted, f"{len(self.faults)} faults", *self.faults[:50]]
