"""What the tests of the whole product share: running Foldlines, one of a kind on a worker; a browser.

To start one costs three seconds of a processor, so modules share them. Sessions don't see each other; a
module that looks at all an agent has makes an agent of its own. What the model answers it is its `SCRIPT`.

- `stack`, `door`, `model`: a Foldline with the scripted model, and its gateway.
- `other`: one more, on the same model, whose sub-sessions may take `CHILD_TIMEOUT_S`,
  and whose agents may add 8 MiB a day to the log.
- `demo`: one with the demo model, as a newcomer has it.
- `processes`: one whose services are processes that can be killed, on the scripted model.
- `apart`: one of processes, started from an environment that holds secrets. In it and in `other` somebody
  else's service is installed, `dummy`.

They end with the group of tests that shares them on a worker; then every session that the tests made is
replayed strictly.

What uses one of them runs on one worker, what uses none of them is spread by its module. Workers begin
with these tests: they take longest.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from agent_platform.services.discovery import discover
from foldline.cli.client import Gateway
from foldline_testing.product.browser import WatchedPage, chromium
from foldline_testing.product.chaos.approval_kills import AT_ONCE
from foldline_testing.product.chaos.stage import Stage, stage
from foldline_testing.product.dummy import WORD, install_dummy
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.replaying import every_session_replays
from foldline_testing.product.secretive import INHERITED
from foldline_testing.product.stack import Stack

HERE = f"{Path(__file__).parent}/"
SCREENSHOTS = Path(__file__).parent / "screenshots"
AXE = Path(__file__).parents[2] / "services/ui/node_modules/axe-core/axe.min.js"
SHARED = {"shared_stack": "shared", "demo": "demo", "processes": "processes", "apart": "apart"}
"""Fixtures that are set up once a worker, and the xdist groups of what uses them."""
_PARTS = 2
"""In so many groups are the browser tests of the shared Foldline: a third of the whole run's time."""
CHILD_TIMEOUT_S = 10
SETTINGS = {"FOLDLINE_MODEL_RETRIES": "1", "FOLDLINE_SELFTEST_TOOLS": "true"}
ANYTHING = {"rules": [{"reply": {"text": "You said: {{ last_user }}"}}]}

NewPage = Callable[..., WatchedPage]

expect.set_options(timeout=60_000)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker for all that share a running Foldline; several where they would take it till the end."""
    ours = [item for item in items if isinstance(item, pytest.Function) and str(item.path).startswith(HERE)]
    files = sorted({item.path for item in ours})
    for item in ours:
        shared = [group for fixture, group in SHARED.items() if fixture in item.fixturenames]
        group = shared[0] if shared else item.path.stem
        if item.get_closest_marker("browser"):
            group = f"{group} in the browser"  # on a Foldline of its own, as it takes as long as the rest
            if shared and shared[0] == "shared":
                group += f", part {files.index(item.path) % _PARTS + 1}"
        item.add_marker(pytest.mark.xdist_group(group))
        item.add_marker("first")


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Where a worker begins another group, end what it shared in this one: it would idle else."""
    if not hasattr(item.config, "workerinput") or not isinstance(item, pytest.Function) or nextitem is None:
        return
    if item.get_closest_marker("xdist_group") != nextitem.get_closest_marker("xdist_group"):
        for name in SHARED:
            for fixture in item.session._fixturemanager.getfixturedefs(name, item) or ():
                fixture.finish(item._request)  # type: ignore[arg-type]  # it needs no more of it than a node


@pytest.fixture(scope="session")
def shared_model() -> Iterator[ModelServer]:
    with ModelServer(ANYTHING) as server:
        yield server


@pytest.fixture(scope="session")
def shared_stack(shared_model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("shared"), env=shared_model.environment() | SETTINGS) as started:
        yield started
        every_session_replays(started)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A Foldline as a newcomer has it."""
    with Stack(tmp_path_factory.mktemp("demo")) as started:
        yield started
        every_session_replays(started)


@pytest.fixture(scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A Foldline to be killed, in parts."""
    with stage(tmp_path_factory.mktemp("processes"), replicas=AT_ONCE) as started:
        yield started
        every_session_replays(started.stack)


@pytest.fixture(scope="session")
def dummy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which the service `dummy` is installed."""
    return install_dummy(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def apart(dummy: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A Foldline of processes, all of them from the start, started among secrets."""
    env = INHERITED | dummy | {"FOLDLINE_DUMMY_WORD": WORD}
    at_once = {one.name: 1 for one in discover() if one.first_need is not None}
    with Stack(tmp_path_factory.mktemp("apart"), processes=True, replicas=at_once, env=env) as started:
        yield started


@pytest.fixture(scope="module")
def model(shared_model: ModelServer, request: pytest.FixtureRequest) -> ModelServer:
    """The scripted model, playing the module's script."""
    shared_model.play(getattr(request.module, "SCRIPT", ANYTHING))
    return shared_model


@pytest.fixture(scope="module")
def stack(shared_stack: Stack, model: ModelServer) -> Stack:
    """A running Foldline, whose model plays the module's script."""
    return shared_stack


@pytest.fixture(scope="module")
def door(stack: Stack) -> Iterator[Gateway]:
    """Its gateway."""
    with stack.gateway() as opened:
        yield opened


@pytest.fixture(scope="session")
def other_stack(
    shared_stack: Stack,
    shared_model: ModelServer,
    dummy: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Stack]:
    own = {
        "FOLDLINE_CHILD_TIMEOUT": str(CHILD_TIMEOUT_S),
        "FOLDLINE_AGENT_LOG_LIMIT": str(8 * 1024 * 1024),
        "FOLDLINE_AGENT_KEPT_LIMIT": str(4 * 1024 * 1024),
        "FOLDLINE_DUMMY_WORD": WORD,
    }
    env = shared_model.environment() | SETTINGS | own | dummy
    with Stack(tmp_path_factory.mktemp("other"), env=env) as started:
        yield started
        every_session_replays(started)


@pytest.fixture(scope="module")
def other(other_stack: Stack, model: ModelServer) -> Iterator[Gateway]:
    """The gateway of another Foldline on the same model."""
    with other_stack.gateway() as opened:
        yield opened


@pytest.fixture(scope="session")
def child_timeout_s() -> int:
    """How long a sub-session of `other` may take."""
    return CHILD_TIMEOUT_S


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; closed with the module, since its event loop would be in the way of other tests."""
    with chromium() as started:
        yield started


@pytest.fixture
def screenshots() -> Path:
    """Where to keep what the pages look like."""
    SCREENSHOTS.mkdir(exist_ok=True)
    return SCREENSHOTS


@pytest.fixture
def axe() -> Path:
    """The accessibility checker."""
    return AXE


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Opens pages in profiles of their own; at the end none of them may have complained."""
    opened: list[WatchedPage] = []

    def new(home: str, **how: object) -> WatchedPage:
        opened.append(WatchedPage(browser, home, **how))  # type: ignore[arg-type]
        return opened[-1]

    yield new
    complaints = [complaint for page in opened for complaint in page.complaints]
    for page in opened:
        page.close()
    assert complaints == []
