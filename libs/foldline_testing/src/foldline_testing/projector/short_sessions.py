"""Short sessions that together fill every column of the sessions' tables."""

from datetime import UTC, datetime, timedelta

import msgspec

from agent_contracts.blob_ref import BlobRef, Excerpt
from agent_contracts.errors import ErrorKind, ToolError
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.address import Address
from agent_contracts.outside import source
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.session_events.results import CallClaimed, ModelFailure, Usage
from agent_contracts.thinking_choice import ThinkingChoice
from agent_contracts.tool_spec import Effect, RunsOn
from foldline_testing.projector.projecting import MemoryTables
from foldline_testing.session_domain.messages import as_messages
from foldline_testing.session_domain.story import (
    SENT,
    ForkStory,
    Story,
    answers,
    asks,
    current_call,
    cut,
    fails,
    responds,
    says,
    wants,
)
from projections.table import JsonText

CHILD, BACK, FORK, FAILED = (SessionId(f"s_{name}") for name in ("child", "back", "fork", "failed"))
NEW = SessionId("s_new")
NO_HASH, HASH = "0" * 64, "1" * 64


def short_sessions() -> MemoryTables:
    """Their tables."""
    origin, tables = back(), MemoryTables()
    for told in (
        child(),
        origin,
        fork(origin),
        failed(),
        Story(session_id=NEW, begins_after=600, title=None),
    ):
        tables.fold(as_messages(told.recorded, told.state.session_id))
    return tables


def child() -> Story:
    """Another session's, begun by a schedule: three calls, of which the last waits for its answer."""
    told = Story(
        500,
        CHILD,
        parent_id=SessionId("s_parent"),
        parent_call_id=CallId("c_parent"),
        depth=2,
        model="m/asked",
        begun_by=inputs.BegunBy("schedule", "t_1"),
    )
    told.after(1).given(says("hello", SENT))
    look = wants(told, "look", 0, arguments={"at": 1}, as_sent={"at": "1"})
    dig = wants(told, "dig", 1, effect=Effect.EXTERNAL, runs_on=RunsOn.MCP)
    ask = wants(told, "ask_user", 2)
    answer = msgspec.structs.replace(
        answers(told, "Let me see.", [look, dig, ask]),
        usage=Usage(100, 20, 30, 40, cost_micros=7),
        latency_ms=900,
        first_token_ms=300,
        attempts=2,
        finish_reason="tool_calls",
    )
    told.after(1).given(answer)
    told.after(1).given(CallClaimed(dig.call_id, "runner_2"))
    excerpt = Excerpt("a", "z", BlobRef(NO_HASH, 10))
    web, file = (source("web", "example.com"),), (source("file", "a.csv"),)
    found = {"found": 1}
    told.after(1).given(
        results.ToolCallCompleted(
            *(look.call_id, found, "runner_1", excerpt),
            outside=web,
            duration_ms=250,
            attempt=2,
            usage=Usage(3, 4),
        )
    )
    gone = ToolError(ErrorKind.UPSTREAM, "gone", path="/at", retryable=True)
    failed = results.ToolCallFailed(dig.call_id, gone, "runner_2", file, duration_ms=70, attempt=3)
    told.after(1).given(failed)
    told.after(1).given(asks(ask.call_id))
    told.after(1).given(inputs.Pinned(), inputs.Feedback("15", "up", "so clear"))
    told.after(1).given(
        inputs.Renamed("Tides"), inputs.Continued(900), inputs.ThinkingChanged(ThinkingChoice("low", 2_048))
    )
    told.after(1).given(inputs.OutcomeSettled(CallId("c_dug"), True, "It was dug."))
    return told


def back() -> Story:
    """A second answer is stopped, and the session goes back to the first, and on."""
    told = Story(session_id=BACK, begins_after=100)
    told.after(1).given(says("one"))
    told.after(1).given(answers(told, "First."))
    told.after(1).given(says("two"))
    stopped = current_call(told)
    told.after(1).given(inputs.Interrupted())
    told.after(1).given(cut(stopped))
    told.after(1).given(inputs.RewindRequested(to=115, parts=("conversation",)))
    told.after(1).given(says("anew"))
    told.after(1).given(answers(told, "I dig.", [wants(told, "dig")]))
    told.after(1).given(inputs.Interrupted(), says("again"))
    return told


def fork(origin: Story) -> Story:
    """It begins with the first answer of the session before; its own turn fails, and is to be retried."""
    told = ForkStory(origin, 115, FORK)
    told.after(1).given(says("or so"))
    refused = {"retryable": False, "attempts": 4, "latency_ms": 80, "context": HASH}
    told.after(1).given(fails(told, ModelFailure.AUTHENTICATION, **refused))
    told.after(1).add(inputs.RetryAsked())
    return told


def failed() -> Story:
    """A question that was answered, and an end in error while a summary is made."""
    told = Story(session_id=FAILED, begins_after=300)
    told.after(1).given(says("go"))
    ask = wants(told, "ask_user")
    unknown = ToolError(ErrorKind.UNKNOWN_TOOL, "no such tool")
    over = [wants(told, "fly", 1, error=unknown), wants(told, "list", 2, result=["dig"])]
    told.after(1).given(answers(told, "", [ask, *over]), asks(ask.call_id))
    told.after(1).given(responds(ask.call_id, {"answer": "Oslo"}))
    told.after(1).given(answers(told, "Oslo it is."))
    told.after(1).add(ev.ModelCallRequested(CallId("m_summary"), "m/asked", purpose="summary"))
    told.after(1).add(ev.Failed("internal", "It broke."))
    return told


def at(seconds: int) -> datetime:
    """So long after the first event of a session."""
    return datetime(2026, 1, 31, 12, 34, 56, tzinfo=UTC) + timedelta(seconds=seconds)


def place(sequence: int) -> int:
    """Of a record with one event."""
    return Address(sequence).place


def end(sequence: int) -> int:
    """The last place of a record."""
    return Address(sequence).end


def usage(input: int, output: int, *rest: int, counted: bool = False, cost: int | None = None) -> JsonText:
    """What was spent; `rest`: tokens read from the cache, and written to it."""
    cached, written = rest or (0, 0)
    spent = {"input": input, "output": output, "cached_input": cached, "cache_written": written}
    return as_json({**spent, "counted": counted, "cost_micros": cost, "tokens": input + output})


def accounting(duration_ms: int, attempt: int, used: JsonText | None = None) -> JsonText:
    """What a call took that did nothing besides."""
    took = {"duration_ms": duration_ms, "attempt": attempt, "usage": used and msgspec.json.decode(used)}
    return as_json({**took, "tasks": [], "sent": None, "worked": None, "sampled": []})


def as_json(value: object) -> JsonText:
    """As a column holds it."""
    return JsonText(msgspec.json.encode(value).decode())
