"""Percentiles."""

from collections.abc import Sequence


def percentile(samples: Sequence[float], share: float) -> float:
    """The sample below which `share` (0 to 1) of all lie. ValueError without any, and for any other share:
    95 instead of 0.95 would give the greatest of all."""
    if not samples:
        raise ValueError("nothing was measured")
    if not 0 <= share <= 1:
        raise ValueError(f"{share} is not a share")
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median(samples: Sequence[float]) -> float:
    """The middle one."""
    return percentile(samples, 0.5)
