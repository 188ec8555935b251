"""Whatever stands in the log: it is recorded as far as Postgres can hold it, and the rest goes on."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.record.records import NewMessage, StoredMessage, split
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import entity_subject
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.session_domain import misfits
from projections.json_text import without_nul
from projections.log_tables import EventRow
from projections.project.event_rows import problem_row
from projector.administration import check_projections

Ask = Callable[..., Awaitable[list[tuple[Any, ...]]]]
Reached = Callable[[int], Awaitable[None]]
Tell = Callable[[str], list[NewMessage]]

SAID = "foldline.session.user_message.v1"
WRITTEN = "foldline.agent.entity_written.v1"
SESSION = SessionKey(AgentId("default"), SessionId("s_1"))
SUBJECT = SESSION.input(SAID)


def said(body: bytes, subject: str = SUBJECT, **changed: str) -> NewMessage:
    return misfits.message(body, subject, **{"prev": None, **changed})


def entity(fields: bytes, subject: str = "agt.default.tool.x") -> NewMessage:
    return said(b'{"type":"' + WRITTEN.encode() + b'",' + fields + b"}", subject)


TYPED = b'{"type":"foldline.session.user_message.v1",'
DEEP = b"[" * 100_000 + b"]" * 100_000
BAD = {
    "no JSON": said(b"hello"),
    "cut JSON": said(TYPED + b'"text":"he'),
    "nothing at all": said(b""),
    "no object": said(b"[1]"),
    "a bare zero byte": said(b"\x00\x01"),
    "no UTF-8": said(TYPED + b'"text":"\xff\xfe"}'),
    "a lone surrogate": said(TYPED + b'"text":"\\ud800"}'),
    "a lone surrogate in an unknown field": said(TYPED + b'"text":"x","more":"\\ud800"}'),
    "a surrogate in UTF-8": said(TYPED + b'"text":"\xed\xa0\x80"}'),
    "a missing field": said(TYPED + b'"files":[]}'),
    "a wrong type": said(TYPED + b'"text":5}'),
    "too deep": said(TYPED + b'"text":"x","more":' + DEEP + b"}"),
    "a number out of range": said(TYPED + b'"text":"x","more":1e400000}'),
    "a very long number": said(TYPED + b'"text":"x","more":' + b"9" * 200_000 + b"}"),
    "five megabytes of nothing": said(b"\x00" * 5_000_000),
    "another type in the body": said(b'{"type":"foldline.session.renamed.v1","title":"x"}'),
    "an unknown type": said(b'{"type":"foldline.session.danced.v9","x":1}'),
    "no envelope": NewMessage(SUBJECT, TYPED + b'"text":"x"}', {}),
    "an unknown actor": said(TYPED + b'"text":"x"}', actor="ghost"),
    "no time": said(TYPED + b'"text":"x"}', time="yesterday"),
    "a time without offset": said(TYPED + b'"text":"x"}', time="2026-01-31T12:34:56"),
    "a cause out of range": said(TYPED + b'"text":"x"}', causation="9" * 40),
    "a zero byte in a header": said(TYPED + b'"text":"x"}', id="e\x00"),
    "a surrogate in a header": said(TYPED + b'"text":"x"}', id="e\udcff"),
    "an unknown session": said(TYPED + b'"text":"x"}', SESSION.sibling(SessionId("s_9")).input(SAID)),
    "an entity elsewhere": entity(b'"kind":"tool","name":"y","value":1,"version":1'),
    "an entity of an unknown kind": entity(b'"kind":"dream","name":"x","value":1,"version":1'),
    "a tool that is none": entity(b'"kind":"tool","name":"x","value":{"code":"1"},"version":1'),
    "an agent under another id": entity(
        b'"kind":"agent","name":"x","value":{"name":"x","created_at":"2026-01-31T12:34:56Z"},"version":1',
        "agt.default.agent.x",
    ),
    "a version out of range": entity(
        b'"kind":"state","name":"x","value":1,"version":' + b"9" * 30, "agt.default.state.x"
    ),
    "a number out of range in the state": entity(
        b'"kind":"state","name":"x","value":1e400000,"version":1', "agt.default.state.x"
    ),
    "a name with a zero byte": entity(
        rb'"kind":"state","name":"a\u0000","value":1,"version":1',
        entity_subject(AgentId("default"), EntityKind.STATE, "a\x00"),
    ),
    "no session": said(TYPED + b'"text":"x"}', "agt.default.tool.x"),
    "a second creation": said(
        b'{"type":"foldline.session.created.v1","agent_id":"default","token_limit":1}',
        f"{SESSION.prefix}.in.created",
    ),
    "a result nobody asked for": said(
        b'{"type":"foldline.session.tool_call_completed.v1","call_id":"c","result":1,"runner":"r","duration_ms":1}',
        SESSION.results,
    ),
    "a limit out of range": said(
        b'{"type":"foldline.session.continued.v1","token_limit":' + b"9" * 30 + b"}",
        f"{SESSION.prefix}.in.continued",
    ),
}


async def test_every_poison_is_recorded_with_its_problem_and_nothing_else_is_lost(
    log: MemoryLog, conversation: Tell, reached: Reached, ask: Ask, postgres_dsn: str
) -> None:
    talk = conversation("s_1")
    await log.append(talk[0])
    sequences = {name: await log.append(message) for name, message in BAD.items()}
    last = 0
    for message in [*talk[1:], *conversation("s_2")]:
        last = await log.append(message)
    await reached(last)
    found: dict[int, str] = dict(
        await ask("SELECT sequence, problem FROM projections.events WHERE problem IS NOT NULL")
    )
    assert {name for name, sequence in sequences.items() if sequence not in found} == set()
    assert len(found) == len(BAD)
    assert await ask("SELECT count(*) FROM projections.events") == [(last,)]
    rows = "SELECT {} FROM projections.{} WHERE session_id = %s ORDER BY 1, 2"
    for table, columns in {
        "tool_calls": "call_id, status, tool, result",
        "model_calls": "call_id, status, number",
        "sessions": "status, title, model_call_count",
        "messages": "role, text",
    }.items():
        statement = rows.format(columns, table)
        assert await ask(statement, "s_1") == await ask(statement, "s_2"), table
    assert (await check_projections(postgres_dsn, log)).differing == 0


async def test_a_zero_character_is_kept_as_its_visible_escape(
    log: MemoryLog, conversation: Tell, reached: Reached, ask: Ask
) -> None:
    await log.append(conversation("s_1")[0])
    sequence = await log.append(said(TYPED + rb'"text":"a\u0000b \\u0000 c"}'))
    await reached(sequence)
    assert await ask("SELECT text FROM projections.messages") == [(r"a\u0000b \u0000 c",)]
    assert await ask("SELECT problem FROM projections.events WHERE sequence = %s", sequence) == [(None,)]


@given(st.text(st.sampled_from('\x00\\u0a"'), max_size=12))
def test_only_zero_characters_are_replaced(text: str) -> None:
    data = json.dumps(text).encode()
    assert json.loads(without_nul(data)) == text.replace("\x00", r"\u0000")


@given(
    data=st.binary() | st.text(st.characters(codec=None)).map(lambda text: json.dumps({"a": text}).encode()),
    subject=st.text(st.characters(codec=None)),
    envelope=st.dictionaries(
        st.sampled_from(["id", "by", "at", "actor", "cause", "prev", "trace"]),
        st.text(st.characters(codec=None)) | st.integers(),
    ),
    given_id=st.text(st.characters(codec=None)),
    problem=st.text(st.characters(codec=None)),
)
def test_whatever_the_message_its_problem_row_is_plain_text(
    data: bytes, subject: str, envelope: dict[str, str | int], given_id: str, problem: str
) -> None:
    written = {
        "by": event_sources.GATEWAY,
        "at": "2026-01-31T12:34:56Z",
        "event": {"type": given_id},
        **envelope,
    }
    document = json.dumps(written).encode()
    headers = {"Nats-Msg-Id": given_id}
    for held in (data, document, b"[1," + document + b"]"):
        plain(problem_row(split(StoredMessage(1, subject, held, headers))[-1], problem))


def plain(row: EventRow) -> None:
    for value in (row.subject, row.session_id, row.agent_id, row.type, row.actor, row.event_id, row.problem):
        if value is not None:
            assert "\x00" not in value
            value.encode()
    assert isinstance(json.loads(row.body), dict)
    assert r"\u0000" not in row.body.replace(r"\\", "")
    row.body.encode()
