"""The live rows of recorded sessions are those of Postgres: at every event, and wherever one resumes."""

import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_contracts.api.sessions import SessionNow
from agent_contracts.errors import Transient
from agent_contracts.log.record.records import StoredMessage
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.product.recorded.recording import Recording, log_of, read, stories_in
from foldline_testing.product.recorded.tables import Tables, fold_up_to
from gateway.live import session_rows
from gateway.live.event_filter import EventFilter
from gateway.live.frames import EventFrames
from gateway.live.row_views import ChangedRows
from gateway.live.session_rows import HeldRowBounds, SessionRows
from gateway.queries.database import Database, ProjectionSnapshot
from projector.projecting.writer import ProjectionWriter

FOLDER = Path(__file__).parent
STORIES = stories_in(FOLDER)
SEEDS = range(3)


class Away:
    """A database that can't be reached."""

    def snapshot(self) -> contextlib.AbstractAsyncContextManager[ProjectionSnapshot]:
        raise Transient("Postgres can't be reached")


class Flaky:
    """A database that is away at times."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.is_away = False

    def snapshot(self) -> contextlib.AbstractAsyncContextManager[ProjectionSnapshot]:
        if self.is_away:
            raise Transient("Postgres can't be reached")
        return self._database.snapshot()


class Client:
    """A map of rows, as those who watch some sessions keep it."""

    def __init__(self, sessions: frozenset[str]) -> None:
        self.watched = sessions
        self._wanted = EventFilter(watch=sessions, rows=True)
        self._rows: dict[tuple[str, ...], dict[str, Any]] = {}

    def hear(self, message: StoredMessage, changed: ChangedRows) -> None:
        """Put the rows of an event."""
        frame = EventFrames(message, changed, watched=True).for_one(self._wanted)
        data = frame.sse.split(b"\ndata: ", 1)[1].strip()
        for one in msgspec.json.decode(data)["rows"]:
            self._rows[one["table"], *one["key"]] = one["row"]

    async def read_all(self, tables: Tables) -> None:
        """Read the page of each session that is there."""
        for session in self.watched:
            page = await tables.page(session)
            if page["session"]:
                self.read(page)

    def read(self, page: dict[str, Any]) -> None:
        """What REST told."""
        session = page["session"]
        self._rows["sessions", session["id"]] = {name: session[name] for name in SessionNow.__struct_fields__}
        for message in page["items"]:
            self._rows["messages", message["session_id"], message["address"]] = message
            for call in message["tool_calls"]:
                self._rows["tool_calls", message["session_id"], call["call_id"]] = call

    def sees(self, session: str) -> dict[str, Any]:
        """What the session's page would be, without what only REST tells: other sessions."""
        messages = [row for key, row in self._rows.items() if key[:2] == ("messages", session)]
        return {
            "session": self._rows.get(("sessions", session)),
            "messages": [
                {**row, "tool_calls": [self._call(row, one) for one in row["tool_calls"]]}
                for row in sorted(messages, key=lambda row: _place(row["address"]))
            ],
        }

    def _call(self, message: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
        return self._rows["tool_calls", message["session_id"], call["call_id"]]


def _place(address: str) -> tuple[int, ...]:
    return tuple(map(int, address.split(".")))


def own(page: dict[str, Any], session: str) -> dict[str, Any]:
    """Of a page of REST, what the session's own rows tell."""
    told = page["session"]
    return {
        "session": told and {name: told[name] for name in SessionNow.__struct_fields__},
        "messages": [one for one in page["items"] if one["session_id"] == session],
    }


@pytest.fixture(autouse=True)
def it_is_asked_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_rows, "_AWAY_S", 0.0)


@pytest.fixture
async def tables(postgres_dsn: str) -> AsyncIterator[Tables]:
    async with Tables(postgres_dsn) as opened:
        yield opened


def hidden(client: dict[str, Any]) -> dict[str, Any]:
    """Without what a rewind hid: whoever hears of one reads the page again."""
    return {**client, "messages": [{**one, "hidden_by": None} for one in client["messages"]]}


async def compare(client: Client, tables: Tables, recording: Recording, where: str) -> None:
    for label in recording.sessions:
        session = recording.session_id(label)
        page = await tables.page(session)
        if page["session"] is None:
            continue
        assert hidden(client.sees(session)) == hidden(own(page, session)), f"{where}: {label}"


def parts_of(story: list[StoredMessage]) -> list[list[StoredMessage]]:
    """The story's events, record by record."""
    records: dict[int, list[StoredMessage]] = {}
    for message in story:
        records.setdefault(message.sequence, []).append(message)
    return list(records.values())


@pytest.mark.parametrize("name", STORIES)
async def test_while_postgres_is_away_each_record_leaves_the_rows_that_postgres_would_have(
    tables: Tables, name: str
) -> None:
    recording = read(FOLDER / name)
    sessions = frozenset(map(str, map(recording.session_id, recording.sessions)))
    rows = SessionRows(log_of(recording.sessions), Away())
    client, writer = Client(sessions), await tables.empty()
    story = recording.messages()
    for record in parts_of(story):
        for message in record:
            client.hear(message, await rows.changed(message, watched=True))
        await fold_up_to(writer, record, record[0].sequence)
        await compare(client, tables, recording, f"{name} {record[0].sequence}")


async def test_what_a_bug_keeps_from_being_told_is_null_so_that_clients_read_the_session_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recording = read(FOLDER / STORIES[0])
    rows = SessionRows(log_of(recording.sessions), Away())
    message = recording.messages()[0]
    wants, wants_none = EventFilter(watch=frozenset(), rows=True), EventFilter(watch=frozenset())
    with monkeypatch.context() as patched:
        patched.setattr(session_rows, "project", lambda *_: 1 // 0)
        frames = EventFrames(message, await rows.changed(message, watched=True), watched=True)
    assert frames.for_one(wants).sse.strip().endswith(b',"rows":null}')
    assert b'"rows"' not in frames.for_one(wants_none).sse
    told = EventFrames(message, await rows.changed(message, watched=True), watched=True).for_one(wants).sse
    assert b'"rows":[{"table":"sessions"' in told, "it is only that event's"


@pytest.mark.parametrize("seed", SEEDS)
async def test_wherever_postgres_is_and_one_resumes_the_rows_become_those_of_postgres(
    tables: Tables, seed: int
) -> None:
    for name in STORIES:
        choice = random.Random(f"{seed} {name}")
        await _follow(tables, read(FOLDER / name), choice)


@pytest.mark.parametrize("seed", SEEDS)
async def test_who_has_read_a_page_misses_nothing_of_a_stream_that_begins_before_it(
    tables: Tables, seed: int
) -> None:
    """A tab's connection begins where its earliest listener is: others drop what their page has already."""
    for name in STORIES:
        recording = read(FOLDER / name)
        sessions = frozenset(map(str, map(recording.session_id, recording.sessions)))
        writer, records = await tables.empty(), parts_of(recording.messages())
        read_up_to = random.Random(f"{seed} {name}").randrange(len(records))
        await _postgres_comes_to(writer, records, records[read_up_to][0].sequence)
        client = Client(sessions)
        await client.read_all(tables)
        await _postgres_comes_to(writer, records, records[-1][0].sequence)
        story = [message for record in records for message in record]
        live = SessionRows(log_of(recording.sessions), tables.database)
        for message, changed in zip(story, await live.changed_by(story, sessions), strict=True):
            if message.sequence > records[read_up_to][0].sequence:
                client.hear(message, changed)
        await compare(client, tables, recording, f"{name} read up to {read_up_to}")


@pytest.mark.parametrize("ahead", [1, 3])
async def test_a_session_is_never_told_ahead_of_what_was_said_in_it(tables: Tables, ahead: int) -> None:
    """Whoever waits until it is idle has the answer then, though Postgres may have more than the stream."""
    rows_told = 0
    for name in STORIES:
        recording = read(FOLDER / name)
        sessions = frozenset(map(str, map(recording.session_id, recording.sessions)))
        client, writer = Client(sessions), await tables.empty()
        live = SessionRows(log_of(recording.sessions), tables.database)
        records = parts_of(recording.messages())
        for index, record in enumerate(records):
            known = records[min(index + ahead, len(records) - 1)][0].sequence
            await _postgres_comes_to(writer, records, known)
            for message in record:
                changed = await live.changed(message, watched=True)
                client.hear(message, changed)
                if changed.session is not None:
                    rows_told += 1
                    assert changed.session.row.last_sequence == message.sequence, f"{name} {message.address}"
                    assert message.part == message.parts - 1, f"{name} {message.address}"
        await compare(client, tables, recording, name)
    assert rows_told > len(STORIES)


async def _follow(tables: Tables, recording: Recording, choice: random.Random) -> None:
    """A client reads a page at some moment, is cut off and resumes, while Postgres runs behind or ahead."""
    sessions = frozenset(map(str, map(recording.session_id, recording.sessions)))
    writer, log = await tables.empty(), log_of(recording.sessions)
    records = parts_of(recording.messages())
    begins = choice.randrange(len(records))
    await _postgres_comes_to(writer, records, records[begins][0].sequence)
    client = Client(sessions)
    await client.read_all(tables)
    database = Flaky(tables.database)
    live = SessionRows(log, database, HeldRowBounds(sessions=2, rows=5))
    index = begins + 1
    while index < len(records):
        ahead = min(len(records) - 1, max(0, index + choice.randint(-6, 4)))
        await _postgres_comes_to(writer, records, records[ahead][0].sequence)
        database.is_away = choice.random() < 0.2
        resumed = live.apart() if choice.random() < 0.3 else None
        upto = index + (choice.randint(1, 8) if resumed else 1)
        for record in records[index:upto]:
            told = [(message, await live.changed(message, watched=True)) for message in record]
            if resumed is not None:  # cut off: it hears of this from the log, the feed goes on without it
                told = list(zip(record, await resumed.changed_by(record, sessions), strict=True))
            for one in told:
                client.hear(*one)
        index = upto
        if resumed is not None:
            index = await _until_nothing_older_follows(client, (live, resumed), records, index)
    await _postgres_comes_to(writer, records, records[-1][0].sequence)
    await compare(client, tables, recording, recording.name)


async def _until_nothing_older_follows(
    client: Client, rows: tuple[SessionRows, SessionRows], records: list[list[StoredMessage]], index: int
) -> int:
    """As a stream that resumes does: it stays with the log until the feed is as far as Postgres was."""
    live, resumed = rows
    while index < len(records) and records[index][0].sequence <= resumed.reached:
        for message in records[index]:
            await live.changed(message, watched=True)
            client.hear(message, (await resumed.changed_by([message], client.watched))[0])
        index += 1
    return index


async def _postgres_comes_to(
    writer: ProjectionWriter, records: list[list[StoredMessage]], sequence: int
) -> None:
    if sequence > writer.position:
        await fold_up_to(writer, [message for record in records for message in record], sequence)


async def test_rows_of_sessions_that_nobody_watches_are_the_session_alone() -> None:
    recording = read(FOLDER / "tool-calls")
    rows = SessionRows(log_of(recording.sessions), Away())
    for message in recording.messages():
        changed = await rows.changed(message, watched=False)
        assert changed.others == ()
        assert changed.session is not None


async def test_a_story_without_its_rows_is_noticed() -> None:
    recording = read(FOLDER / "tool-calls")
    rows = SessionRows(MemoryLog(), Away())
    late = recording.messages()[3:]
    assert [(await rows.changed(one, watched=True)).session for one in late] == [None] * len(late)
