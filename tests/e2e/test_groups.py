"""What shares a Foldline runs on one worker, and so does each module."""

import pytest


def test_every_test_is_in_a_group_that_pytest_xdist_heeds(request: pytest.FixtureRequest) -> None:
    """A newer pytest or pytest-xdist that loses them would start everything twice, and say nothing."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("the tests are not shared out by groups")
    assert [item.nodeid for item in request.session.items if "@" not in item.nodeid] == []
