"""The long fault runs say in figures what they came to, also where everything held."""

from collections.abc import Callable, Iterator

import pytest

from foldline_testing.product.chaos.rounds import Record

Report = Callable[[str], None]


@pytest.fixture(scope="session")
def report(pytestconfig: pytest.Config) -> Report:
    """Shows a line at once, to whoever watches the run."""

    def say(line: str) -> None:
        reporter = pytestconfig.pluginmanager.get_plugin("terminalreporter")
        capture = pytestconfig.pluginmanager.get_plugin("capturemanager")
        if reporter is not None and capture is not None:
            with capture.global_and_fixture_disabled():
                reporter.write_line(f"\n{line}")

    return say


@pytest.fixture(scope="module")
def record(request: pytest.FixtureRequest, report: Report) -> Iterator[Record]:
    """What all rounds of a module came to; shown at its end."""
    kept = Record()
    yield kept
    if kept.sessions:
        report(f"{request.node.name}: {kept.summary()}")
