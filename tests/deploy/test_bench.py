"""What the measurements compute."""

import pytest
from bench.sampling import median, percentile


def test_a_share_goes_from_none_to_all_and_95_is_none() -> None:
    samples = [float(one) for one in range(100, 0, -1)]
    assert (percentile(samples, 0.95), median(samples), percentile(samples, 1)) == (96.0, 51.0, 100.0)
    for share in (95, -0.1):
        with pytest.raises(ValueError, match="is not a share"):
            percentile(samples, share)
