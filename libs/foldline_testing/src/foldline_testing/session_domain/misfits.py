"""Messages that aren't events: malformed, forged or foreign, as data. Whatever reads the log skips each.

Those of a session are sent to it as they are; those of an agent name one of its tools, or what is said.
"""

import json
from collections.abc import Callable, Mapping

import msgspec

from agent_contracts import event_sources
from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.event import Event
from agent_contracts.ids import PARTITIONS, AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.records import NewMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.log.subjects import database_subject, entity_subject
from agent_contracts.nesting import DEEPEST
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import Effect, RunsOn

SAID = '{"type":"foldline.session.user_message.v1","text":'
_CALL = CallId("m000003")
_TIME = "2026-01-31T12:34:56.000Z"
_BIG = 10**30

Make = Callable[[SessionKey], NewMessage]


_NAMES = {"source": "by", "causation": "cause"}


def message(event: Event | bytes, subject: str, **changed: str | None) -> NewMessage:
    """A message by the gateway for a person. What is changed of its envelope is given by name, None: left
    out; a `type` is put into a body that has none."""
    data = event if isinstance(event, bytes) else msgspec.json.encode(event)
    event_type = changed.pop("type", None)
    if event_type is not None and data.startswith(b"{"):
        data = b'{"type":"' + event_type.encode() + (b'",' + data[1:] if len(data) > 2 else b'"}')
    envelope: dict[str, str | None] = {
        "id": "misfit",
        "by": event_sources.GATEWAY,
        "actor": "user",
        "prev": "1",
    }
    time = json.dumps(changed.pop("time", _TIME)).encode()
    envelope |= {_NAMES.get(name, name): value for name, value in changed.items()}
    members = [
        f'"{name}":{value if name in ("prev", "cause") else json.dumps(value)}'
        for name, value in envelope.items()
        if value is not None
    ]
    before = f'{{{",".join(members)},"event":'.encode()
    return NewMessage(subject, b"[" + time + b"," + before + data + b"}]", {})


def _said(text: str | bytes = b'"x"}', **changed: str | None) -> Make:
    body = SAID.encode() + text if isinstance(text, bytes) else text.encode()
    return lambda key: message(body, key.input("foldline.session.user_message.v1"), **changed)


def _at(rest: str, event: Event | bytes, **changed: str | None) -> Make:
    return lambda key: message(event, f"{key.prefix}.{rest}", **changed)


def _elsewhere(agent: str | None = None, partition: int | None = None) -> Make:
    def make(key: SessionKey) -> NewMessage:
        _, own, place, session_id = key.prefix.split(".")
        where = f"ses.{agent or own}.{partition if partition is not None else place}.{session_id}"
        return message(inputs.UserMessage(text="x"), f"{where}.in.user_message")

    return make


def _entity(kind: EntityKind, value: Json, name: str = "misfit", **changed: str | None) -> Make:
    def make(key: SessionKey) -> NewMessage:
        own = key.agent_id if kind is EntityKind.AGENT else name
        event = EntityWritten(kind, own, value, 1)
        return message(event, entity_subject(key.agent_id, kind, own), **changed)

    return make


def _agents(rest: str, data: bytes, **changed: str | None) -> Make:
    written = {"type": "foldline.agent.entity_written.v1"}
    return lambda key: message(data, f"agt.{key.agent_id}.{rest}", **(written | changed))


def _database(event: Event | bytes, **changed: str | None) -> Make:
    return lambda key: message(event, database_subject(key.agent_id), **changed)


_DEEP = b'"x","more":' + b"[" * (DEEPEST + 50) + b"]" * (DEEPEST + 50) + b"}"
_REQUEST = ev.ToolCallRequested(CallId("m000003-00"), "read_file", {}, RunsOn.TOOLS, Effect.PURE)
_RESULT = results.ToolCallCompleted(_CALL, 1, "r", duration_ms=1)
_ANSWER = results.ModelCallCompleted(_CALL, "forged", results.Usage(1, 1), "m", "0" * 64, 1)
_WOKEN = '{"type":"foldline.session.woken.v1","source":"x","message":"x"}'

OF_SESSIONS: Mapping[str, Make] = {
    "no envelope": lambda key: NewMessage(f"{key.prefix}.in.woken", _WOKEN.encode(), {}),
    "no time": _said(time=None),
    "a time that is none": _said(time="yesterday"),
    "a time without offset": _said(time="2026-01-31T12:34:56"),
    "an actor that is none": _said(actor="ghost"),
    "a cause out of range": _said(causation="9" * 40),
    "a control character in its id": _said(id="e\x01"),
    "an empty body": _said(""),
    "no JSON": _said("hello"),
    "cut JSON": _said(b'"he'),
    "no object": _said("[1]"),
    "bytes that are no text": _said(b'"\xff\xfe"}'),
    "a bare U+0000": _said(b'"a\x00b"}'),
    "a lone surrogate": _said(b'"\\ud800"}'),
    "too deep": _said(_DEEP),
    "a very long number": _said(b'"x","more":' + b"9" * 100_000 + b"}"),
    "a megabyte of nothing": _said("\x00" * 1_000_000),
    "a missing field": _said('{"type":"foldline.session.user_message.v1"}'),
    "a wrong type of a field": _said(b"5}"),
    "a limit out of range": _at("in.continued", inputs.Continued(token_limit=_BIG)),
    "an unknown type": _at("in.danced", b"{}", type="foldline.session.danced.v9"),
    "another type than its token": _at("in.woken", inputs.UserMessage(text="x")),
    "another type in its body": _said('{"type":"foldline.session.renamed.v1","title":"x"}'),
    "a part of a session that is none": _at("out.user_message", inputs.UserMessage(text="x")),
    "partition 99": _elsewhere(partition=99),
    "the partition of another": _elsewhere(partition=PARTITIONS - 1),
    "another agent's": _elsewhere(agent="foreign"),
    "an input by another party": _said(source="/somebody"),
    "an input in the agent's name": _said(actor="agent"),
    "a timer that a person wound": _at("in.timer_due", inputs.TimerDue("t", "run_timeout")),
    "a second creation": lambda key: message(
        inputs.Created(agent_id=key.agent_id, token_limit=1), f"{key.prefix}.in.created"
    ),
    "a creation for another agent": _at("in.created", inputs.Created(AgentId("foreign"), token_limit=1)),
    "a decision by a person": _at("ev.failed", ev.Failed("x", "x")),
    "a decision without what it saw": _at(
        "ev.became_idle", ev.BecameIdle(), source=event_sources.ENGINE, prev=None
    ),
    "a request by a runner": _at(
        "ev.tool_call_requested.tools", _REQUEST, source=event_sources.RUNNER, actor="service"
    ),
    "a request for other workers": _at(
        "ev.tool_call_requested.browser", _REQUEST, source=event_sources.ENGINE, actor="agent"
    ),
    "a result by a person": _at("result", _ANSWER),
    "a model's answer by a runner": _at("result", _ANSWER, source=event_sources.RUNNER, actor="service"),
    "a result where claims are": _at("claim", _RESULT, source=event_sources.RUNNER, actor="service"),
    "a failure by the gateway": _at(
        "result",
        results.ToolCallFailed(CallId("m000003-00"), ToolError(ErrorKind.INTERNAL, "x"), "r"),
    ),
    "a claim by a person": _at("claim", results.CallClaimed(CallId("m000003-00"), "r")),
}
"""What is sent to a session. All but `a second creation` can be told by the message alone."""

BY_THE_FOLD = frozenset({"a second creation"})
ELSEWHERE = frozenset({"partition 99", "the partition of another", "another agent's"})
"""They name the session, but stand where nothing of it can be."""

OF_AGENTS: Mapping[str, Make] = {
    "a tool that is no JSON": _agents("tool.misfit", b"hello"),
    "a tool without an envelope": lambda key: NewMessage(f"agt.{key.agent_id}.tool.misfit", b"{}", {}),
    "an agent without a name": _entity(EntityKind.AGENT, {"created_at": _TIME}),
    "a prompt that is a number": _entity(EntityKind.PROMPT, 5, "prompt"),
    "notes that are a list": _entity(EntityKind.NOTES, [1], "notes"),
    "a tool without code": _entity(EntityKind.TOOL, {"description": "x"}),
    "a function that is a text": _entity(EntityKind.FUNCTION, "return 1"),
    "a library without code": _entity(EntityKind.LIBRARY, {"description": "x"}),
    "a component that is a list": _entity(EntityKind.COMPONENT, []),
    "a skill whose tags are a text": _entity(
        EntityKind.SKILL, {"description": "x", "content": "x", "tags": "x"}
    ),
    "a notepad that is null": _entity(EntityKind.NOTEPAD, None),
    "a plan that is a list": _entity(EntityKind.PLAN, ["x"]),
    "a playbook without steps": _entity(EntityKind.PLAYBOOK, {"description": "x"}),
    "a secret that names no hosts": _entity(EntityKind.SECRET, {"hosts": "x", "revision": 1}),
    "a call without its request": _entity(EntityKind.CALL, {"name": "x"}),
    "state under another's name": lambda key: message(
        EntityWritten(EntityKind.STATE, "other", 1, 1), f"agt.{key.agent_id}.state.misfit"
    ),
    "state of a version out of range": lambda key: message(
        EntityWritten(EntityKind.STATE, "misfit", 1, _BIG), f"agt.{key.agent_id}.state.misfit"
    ),
    "state by another party": _entity(EntityKind.STATE, 1, source="/somebody"),
    "an entity of an unknown kind": _agents("dream.misfit", b'{"kind":"dream","name":"misfit","value":1}'),
    "a message of a session": lambda key: message(
        inputs.UserMessage(text="x"), f"agt.{key.agent_id}.tool.misfit"
    ),
    "a database line that is no JSON": _database(b"hello", type="foldline.agent.database_written.v1"),
    "a database line by a person": _database(DatabaseWritten("DELETE FROM t", [], 0, "", 0, 0)),
}
"""What is written among what an agent has."""

FOREIGN = SessionId("s_foreign")
