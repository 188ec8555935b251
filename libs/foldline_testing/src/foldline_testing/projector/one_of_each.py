"""What an agent wrote that has one of each kind of thing, or two of some: as messages, and in the tables."""

from collections.abc import Sequence

from agent_contracts import event_sources
from agent_contracts.entities.agent_texts import LEARNED_NOTES, SYSTEM_PROMPT
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import Envelope, encode, type_of
from agent_contracts.log.record.records import StoredMessage, carrying
from agent_contracts.moments import later_by
from agent_platform.entities.entity import EntityKey
from foldline_testing.session_domain.messages import stored

K = EntityKind
AGENT, SECOND = AgentId("a_1"), AgentId("a_2")
SESSION, OTHER, CALL = SessionId("s_1"), SessionId("s_9"), CallId("c_1")
START = "2026-01-31T12:00:00.000Z"
MORNING = "2026-03-01T09:00:00.000Z"
EVENING = "2026-03-01T18:00:00.000Z"
BLOB = "b" * 64
OFF: dict[str, Json] = {"enabled": False}
CODE: dict[str, Json] = {"description": "Digs.", "code": "return 1", "parameter_schema": {"type": "object"}}

WRITES: Sequence[tuple[EntityKind, str, Json]] = [
    (K.AGENT, AGENT, {"name": "Digger", "created_at": "2025-12-31T12:00:00.000Z"}),
    (K.PROMPT, SYSTEM_PROMPT.name, "Dig."),
    (K.NOTES, LEARNED_NOTES.name, "Sand is soft."),
    (K.TOOL, "dig", CODE),
    (K.TOOL, "fill", {**CODE, **OFF}),
    (K.FUNCTION, "sum", CODE),
    (K.LIBRARY, "lib", {"description": "Sums.", "code": "exports.one = 1"}),
    (K.COMPONENT, "Card", {"description": "A card.", "code": "() => 1", "props_schema": {"type": "object"}}),
    (
        K.SKILL,
        "digging",
        {"description": "How to dig.", "content": "Dig deep.", "tags": ["sand"]},
    ),
    (K.NOTEPAD, OTHER, "Begun."),
    (K.PLAN, OTHER, "Goal: a hole."),
    (
        K.PLAYBOOK,
        "p_1",
        {
            "description": "A hole",
            "workflow": [{"step_id": "1", "description": "Dig", "tool_name": "dig", "purpose": "depth"}],
            "initial_command": "Dig a hole",
            "success_criteria": "It is deep",
        },
    ),
    (
        K.FILE,
        "f_3",
        {
            "path": "a.csv",
            "media_type": "text/csv",
            "size": 9,
            "blob": BLOB,
            "scope": "session",
            "session_id": OTHER,
            "source": "web",
            "made_from": "f_1",
            "forked_from": "f_2",
        },
    ),
    (
        K.REMINDER,
        "r_1",
        {
            "session_id": OTHER,
            "at": MORNING,
            "message": "call Ann",
            "done": "told",
            "again": {"every": "day", "timezone": "Asia/Tokyo", "clock": "18:00"},
            "quiet": True,
        },
    ),
    (
        K.SCHEDULE,
        "t_1",
        {
            "name": "News",
            "task": "read",
            "at": EVENING,
            "cron": "0 9 * * *",
            "timezone": "Asia/Tokyo",
            "model": "m",
            "token_limit": 500,
            "misfire": "skip",
            "overlap": "queue",
            "paused_because": "5 runs failed",
        },
    ),
    (
        K.RUN,
        "t_1",
        {
            "due_at": MORNING,
            "by_hand": True,
            "outcome": "failed",
            "session_id": OTHER,
            "reason": "no model",
            "failures": 3,
        },
    ),
    (
        K.INBOX,
        "w_1",
        {
            "source": "ci",
            "wake_id": "17",
            "wake_type": "build.failed",
            "message": "red",
            "data": {"build": 4},
            "session_id": OTHER,
            "priority": "later",
            "at": MORNING,
            "until": EVENING,
        },
    ),
    (K.STATE, "count", 12),
    (K.FUNCTION, "product", {**CODE, **OFF}),
    (K.SKILL, "filling", {"description": "How to fill.", "content": "Fill.", **OFF}),
    (K.REMINDER, "r_2", {"session_id": OTHER, "at": EVENING, "message": "call Bob"}),
    (K.SCHEDULE, "t_2", {"name": "Once", "task": "look", "at": MORNING, **OFF}),
    (K.RUN, "t_2", {"due_at": EVENING, "outcome": "started"}),
    (K.ERASED, "s_8", {}),
]


def _message(agent_id: AgentId, n: int, kind: EntityKind, name: str, value: Json) -> StoredMessage:
    """The `n`-th write, `n` minutes after the start."""
    actor = Actor.USER if kind in (K.RUN, K.ERASED) else Actor.AGENT  # who may
    event = EntityWritten(kind, name, value, version=7 + n % 2, session_id=SESSION, call_id=CALL)
    envelope = Envelope(f"e_{n}", type_of(event), event_sources.GATEWAY, later_by(START, 60_000 * n), actor)
    return stored(100 + n, carrying(envelope, encode(event), EntityKey(agent_id, kind, name).subject))


def messages() -> list[StoredMessage]:
    """All writes, each made twice, an hour apart; then another agent writes its notes, and its prompt."""
    twice = [*enumerate(WRITES, 1), *enumerate(WRITES, 61)]
    second = ((90, WRITES[2]), (91, WRITES[1]))
    return [
        *(_message(AGENT, n, *write) for n, write in twice),
        *(_message(SECOND, n, *write) for n, write in second),
    ]
