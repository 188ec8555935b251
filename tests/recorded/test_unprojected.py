"""A session is read as it is now, wherever the projector stopped: the log says what the tables lack."""

import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent_contracts.api.sessions import SessionNow
from agent_contracts.errors import Transient
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.address import parse_address
from agent_domain.sessions.directory import SessionDirectory
from foldline_testing.product.recorded.recording import log_of, read, stories_in
from foldline_testing.product.recorded.tables import PAGE, Tables, fold_up_to
from gateway.live import session_rows
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.operations.sessions.projection_reader import PageBefore, ProjectionReader
from gateway.queries.age import age_of_reads

FOLDER = Path(__file__).parent
STORIES = stories_in(FOLDER)
STOPS = 4
ALL = PageBefore(limit=PAGE)


@pytest.fixture
async def tables(postgres_dsn: str) -> AsyncIterator[Tables]:
    async with Tables(postgres_dsn) as opened:
        yield opened


def reader(name: str, tables: Tables) -> ProjectionReader:
    """What the gateway reads a recorded story by, without waiting for a projector."""
    log = log_of(read(FOLDER / name).sessions)
    return ProjectionReader(ProjectedSessions(log, SessionDirectory(log), tables.database, wait_s=0))


def own(page: Any) -> Any:
    """Without what only the rows of other sessions tell."""
    shown = msgspec.json.decode(msgspec.json.encode(page))
    alone = [*SessionNow.__struct_fields__, "open_calls"]
    return {
        "session": {name: shown["session"][name] for name in alone},
        "items": shown["items"],
        "next_cursor": shown["next_cursor"],
    }


@pytest.mark.parametrize("name", STORIES)
async def test_wherever_the_projector_stopped_a_session_is_read_as_it_is_now(
    tables: Tables, name: str
) -> None:
    recording, reading = read(FOLDER / name), reader(name, tables)
    story, choice = recording.messages(), random.Random(name)
    sessions = [recording.session_id(label) for label in recording.sessions]
    writer = await tables.empty()
    await fold_up_to(writer, story, story[-1].sequence)
    whole = {one: own(await tables.page(one)) for one in sessions}
    stops = {0, *(choice.choice(story).sequence for _ in range(STOPS))}
    for stop in sorted(stops):
        await fold_up_to(await tables.empty(), story, stop)
        for one in sessions:
            page = await reading.messages(one, ALL)
            assert own(page) == whole[one], f"{name} {one}, projected up to {stop}"
            for said in page.items:
                for call in said.tool_calls:
                    assert await reading.call(SessionId(said.session_id), CallId(call.call_id)) == call


async def test_of_a_page_s_bounds_nothing_is_missed(tables: Tables) -> None:
    name = "tool-calls"
    recording, reading = read(FOLDER / name), reader(name, tables)
    story = recording.messages()
    (session,) = map(recording.session_id, recording.sessions)
    await fold_up_to(await tables.empty(), story, story[-1].sequence)
    whole = (await reading.messages(session, ALL)).items
    assert len(whole) > 3
    for stop in (0, story[len(story) // 2].sequence):
        await fold_up_to(await tables.empty(), story, stop)
        page = await reading.messages(session, PageBefore(limit=2))
        found = list(page.items)
        while page.next_cursor:
            page = await reading.messages(session, PageBefore(parse_address(page.next_cursor), 2))
            found[:0] = page.items
        assert found == whole


async def test_what_is_made_from_the_log_is_not_said_to_be_old(tables: Tables) -> None:
    recording = read(FOLDER / STORIES[0])
    session = recording.session_id(next(iter(recording.sessions)))
    await tables.empty()
    with age_of_reads() as age:
        page = await reader(STORIES[0], tables).messages(session, ALL)
    assert (age.headers(), page.sequence) == ({}, recording.messages()[-1].sequence)


async def test_a_session_of_very_many_events_waits_for_the_projector(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_rows, "_MOST_UNPROJECTED", 3)
    recording = read(FOLDER / "tool-calls")
    (session,) = map(recording.session_id, recording.sessions)
    await tables.empty()
    with pytest.raises(Transient, match="didn't catch up"):
        await reader("tool-calls", tables).messages(SessionId(session), ALL)
