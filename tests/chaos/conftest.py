"""The long fault runs keep one record each, shown at their end."""

from collections.abc import Iterator

import pytest

from foldline.testing.chaos.rounds import Record


@pytest.fixture(scope="module")
def record(request: pytest.FixtureRequest) -> Iterator[Record]:
    """What all rounds of a module came to; printed at its end."""
    kept = Record()
    yield kept
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if kept.sessions and reporter is not None:
        reporter.write_line(f"\n{request.node.name}: {kept.summary()}")
