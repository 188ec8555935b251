"""Percentiles."""

from collections.abc import Sequence


def percentile(samples: Sequence[float], share: float) -> float:
    """The sample below which `share` (0 to 1) of all lie. ValueError without any."""
    if not samples:
        raise ValueError("nothing was measured")
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median(samples: Sequence[float]) -> float:
    """The middle one."""
    return percentile(samples, 0.5)
