"""Pytest fixtures for real servers; loaded for every test run by the root configuration.

Each xdist worker has its own servers, started by the first test that asks.

- `nats_server`: a `NatsForTest` with an empty account of this test's own: `.url` (all rights, JetStream),
  `.port`, `.users`, `.kill()`, `.restart()` (same port, same store; blocking, about 60 ms).
- `nats_servers`: a function `(users, sync="1h") -> NatsForTest` that starts a server of this test's own with
  these `NatsUser`s, for tests of permissions; `.url_for(name)` is a user's address.
- `postgres_dsn`: the address of an empty database of this test's own, as an ordinary role that owns it.
- `postgres_server`: the session's `PostgresForTests`, for tests that kill it: `.server.kill()`,
  `.server.start_blocking()`.

With `--share NUMBER/SHARES` a run leaves out the long tests of all other shares (see `shares`).
"""

import gc
import os
import re
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import Any

import hypothesis
import psutil
import pytest
import structlog

from agent_contracts.errors import Permanent
from agent_contracts.log.record import records
from agent_contracts.log.record.records import EventDraft, NewMessage, StoredMessage, decode
from agent_platform.log import event_message
from agent_platform.nats.user import NatsUser
from agent_platform.secrecy.known_secrets import KNOWN
from foldline_testing.agent_platform.excerpts import excerpt
from foldline_testing.agent_platform.servers import (
    LAZY_SYNC,
    NatsForTest,
    PostgresForTests,
    nats_for_tests,
    own_nats_server,
    postgres_for_tests,
)
from foldline_testing.agent_platform.shares import Chosen, share_of, slow_files

StartNats = Callable[..., NatsForTest]

_SERVERS = frozenset({"take_nats", "nats_servers", "postgres_server"})
"""Fixtures behind each test that needs a server."""

_A_WORKERS_MEMORY = 3 * 2**30

_USUAL: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGQUIT: signal.SIG_DFL,
}


_PLAIN: dict[str, Any] = {}
"""How tests log."""
_SLOW = pytest.StashKey[frozenset[Path]]()

_CHOSEN = pytest.StashKey[Chosen | None]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--share`, and the files that are in each one; `--fast`, and the file that names what it leaves out."""
    parser.addoption("--share", default="all", help="all, or which share of the long tests, such as 2/6")
    parser.addoption("--fast", action="store_true", help="leave out tests/e2e and what tests/slow.txt names")
    parser.addini("long_marks", "marks of long tests", type="args")
    parser.addini("always", "files of long tests that are in each share", type="args")


def pytest_configure(config: pytest.Config) -> None:
    """Undo what a shell does to a run in the background: it ignores Ctrl-C and its like, and so would every
    program that a test starts and then tells to stop.

    And log plainly, without colours, and exceptions without all variables, of which one costs seconds.
    And have Hypothesis judge no example by its time: that says how busy the machine is.
    And have xdist give out groups in the order in which they were put below. And read which share to run.
    """
    config.option.loadscopereorder = False
    share = share_of(config.getoption("share"))
    always, marks = (frozenset(config.getini(name)) for name in ("always", "long_marks"))
    config.stash[_SLOW] = slow_files(config.rootpath) if config.getoption("fast") else frozenset()
    config.stash[_CHOSEN] = None if share is None else Chosen(share, config.rootpath, always, marks)
    usual = hypothesis.settings()
    too_slow = hypothesis.HealthCheck.too_slow
    hypothesis.settings.register_profile("untimed", usual, deadline=None, suppress_health_check=[too_slow])
    hypothesis.settings.load_profile("untimed")
    for number, handler in _USUAL.items():
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)
    *others, _ = structlog.get_config()["processors"]
    plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    configure = structlog.configure
    configure(processors=[*others, plain])
    # A logger that remembers a configuration says nothing to `capture_logs` under another one.
    structlog.configure = lambda **kept: configure(**{**kept, "cache_logger_on_first_use": False})
    _PLAIN.update(structlog.get_config())


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Log again as at the beginning where a test ran a command that configures its logging."""
    if _PLAIN and structlog.get_config()["wrapper_class"] is not _PLAIN["wrapper_class"]:
        structlog.configure(**_PLAIN)


def pytest_report_header(config: pytest.Config) -> str:
    """Say which long tests this run takes."""
    chosen = config.stash[_CHOSEN]
    if chosen is None:
        return "long tests: all"
    share = chosen.share
    return f"long tests: share {share.number} of {share.of}, and {len(chosen.always)} files that are in each"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files that have no test of this share, and slow ones where only fast ones are asked for."""
    chosen = config.stash[_CHOSEN]
    out = collection_path in config.stash[_SLOW] or (
        chosen is not None and chosen.leaves_out(collection_path)
    )
    return True if out else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is made by collecting tests to the end: nothing of it is garbage, and to look through it
    again and again takes a tenth of the time of a run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)  # xdist has one of its own, which may be loaded later
def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return workers_for(cores, psutil.virtual_memory().available)


def workers_for(cores: int, memory: int) -> int:
    """Two for each processor that we may use, since tests wait, but one for each 3 GiB of free memory at the
    most: a worker has a Foldline and a Chromium of its own. At least two."""
    return max(2, min(cores * 2, memory // _A_WORKERS_MEMORY))


@pytest.hookimpl(tryfirst=True)  # before xdist's; those of folders come before it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put a module's tests on one worker, where they have no group of their own: what they share, or what
    their imports take, is then made once. Workers begin with groups that are marked `first`, then go by the
    number of tests, so that none is left with a long one when the others are done. And mark those that
    need a server, and leave out what is in other shares."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
        if not _SERVERS.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.processes)
    chosen = config.stash[_CHOSEN]
    if chosen is not None:
        items[:], left = chosen.split(items)
        config.hook.pytest_deselected(items=left)
    if hasattr(config, "workerinput"):
        items[:] = begin_with_long_groups(items)


def begin_with_long_groups(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests by groups, in the order in which workers take them; within a group nothing changes."""
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        mark = item.get_closest_marker("xdist_group")
        groups.setdefault(str(mark.args[0]) if mark and mark.args else "", []).append(item)

    def is_first(group: list[pytest.Item]) -> bool:
        return any(item.get_closest_marker("first") for item in group)

    ordered = sorted(groups.values(), key=lambda group: (not is_first(group), -len(group)))
    return [item for group in ordered for item in group]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Of what a failed test printed keep what a person can read; of others nothing, but with `-rP`."""
    report = yield
    if report.failed:
        report.sections = [(name, excerpt(text)) for name, text in report.sections]
    elif "P" not in item.config.option.reportchars:
        report.sections = []
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let `--last-failed` find a test of an `xdist_group` again: xdist adds `@group` to its name, and pytest
    remembers it so, but looks for it without. That is for a run in one process (`-n 0`)."""
    cache = getattr(session.config, "cache", None)  # none with `-p no:cacheprovider`
    if cache is not None and not hasattr(session.config, "workerinput"):
        failed: dict[str, bool] = cache.get("cache/lastfailed", {})
        cache.set("cache/lastfailed", {without_group(name): value for name, value in failed.items()})


def without_group(name: str) -> str:
    """A test's name without the group that xdist adds at its end."""
    return re.sub(r"@[^@\]]*$", "", name)


@pytest.fixture(autouse=True)
def _secrets_of_this_test() -> Iterator[None]:
    """The tests of a worker share a process: one's key may be another's ordinary text."""
    with KNOWN.no_longer():
        yield


@pytest.fixture(autouse=True)
def _what_is_remembered_is_what_is_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a writer knows of a record that it stores, or of a message that it makes, is what a reader finds
    in the bytes; and tests read those."""
    wrong: list[object] = []

    def made_here(record: StoredMessage, events_in: records.Events) -> Sequence[StoredMessage]:
        found, events = tuple(records.parts_anew(record)), tuple(events_in(record))
        if found != events or [decode(one) for one in found] != [one.known for one in events]:
            wrong.append(record)
        return found

    def carrying(made: EventDraft) -> NewMessage:
        message = records.carrying_draft(made)
        with suppress(Permanent):  # made for a place within a record
            [found] = records.parts_anew(StoredMessage(1, message.subject, message.data, message.headers))
            if (found.envelope, found.data, decode(found).event) != (made.envelope, made.body, made.event):
                wrong.append(message)
        return message

    monkeypatch.setattr(records, "made_here", made_here)
    monkeypatch.setattr(records, "coming", lambda *_: nullcontext())
    monkeypatch.setattr(event_message, "carrying_draft", carrying)
    yield
    assert not wrong


@pytest.fixture(scope="session")
def take_nats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], NatsForTest]]:
    """Gives a NATS account at each call; for fixtures of a wider scope than a test."""
    with nats_for_tests(lambda: tmp_path_factory.mktemp("nats")) as take:
        yield take


@pytest.fixture
def nats_server(take_nats: Callable[[], NatsForTest]) -> NatsForTest:
    """An empty NATS account of this test's own."""
    return take_nats()


@pytest.fixture
def nats_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartNats]:
    """Starts NATS servers with given users, stopped after the test."""
    with ExitStack() as stack:

        def start(users: Sequence[NatsUser], sync: str = LAZY_SYNC) -> NatsForTest:
            return stack.enter_context(own_nats_server(tmp_path_factory.mktemp("nats"), users, sync))

        yield start


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresForTests]:
    """The Postgres server of this test run."""
    with postgres_for_tests(tmp_path_factory.mktemp("postgres")) as postgres:
        yield postgres


@pytest.fixture
def postgres_dsn(postgres_server: PostgresForTests) -> Iterator[str]:
    """An empty database of this test's own."""
    with postgres_server.database() as dsn:
        yield dsn
