"""What must hold of one session, whatever was killed (I1 to I3). Each check returns what is broken."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, get_args

import msgspec

from agent_contracts.errors import ErrorKind
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs, results
from agent_contracts.tool_spec import Effect
from foldline_testing.product.chaos.client import Ack
from foldline_testing.product.chaos.story import TOOLS

_DECISIONS = get_args(ev.Decision)
Events = Sequence[RecordedEvent[Any]]


class Calls(msgspec.Struct, frozen=True):
    """How a session's tool calls ended: how many there were, completed, and with unknown outcome."""

    asked: int
    completed: int
    unknown: int


def acked_is_in_the_log(events: Events, acks: Iterable[Ack]) -> list[str]:
    """I1: at each promised sequence stands the very message that was acknowledged, and each once."""
    said = {one.sequence: one.event.text for one in events if isinstance(one.event, inputs.UserMessage)}
    promised = {ack.sequence: ack.text for ack in acks}
    return [] if said == promised else [f"I1: acknowledged {promised}, the log holds {said}"]


def each_call_has_one_result(events: Events) -> list[str]:
    """I2: every request, of model and tool, has exactly one result; no result, claim or request is astray."""
    asked: Counter[str] = Counter()
    planned: Counter[str] = Counter()
    ended: Counter[str] = Counter()
    claimed: Counter[str] = Counter()
    for one in events:
        match one.event:
            case ev.ModelCallRequested(call_id=call_id):
                planned[call_id] += 1
                asked[call_id] += 1
            case ev.ToolCallRequested(call_id=call_id):
                asked[call_id] += 1
            case ev.ToolCallCancelled(call_id=call_id):
                ended[call_id] += 1
            case results.CallClaimed(call_id=call_id):
                claimed[call_id] += 1
            case results.ModelCallCompleted(call_id=call_id, tool_calls=calls):
                ended[call_id] += 1
                planned.update(call.call_id for call in calls)
            case results.ModelCallFailed() | results.ToolCallCompleted() | results.ToolCallFailed():
                ended[one.event.call_id] += 1
    broken = []
    if max(asked.values(), default=0) > 1 or planned != asked:
        broken.append(f"I2: planned {dict(planned)}, requested {dict(asked)}")
    if asked != ended:
        broken.append(f"I2: requested {dict(asked)}, ended {dict(ended)}")
    if claimed - asked:
        broken.append(f"I2: claimed {dict(claimed)}, requested {dict(asked)}")
    return broken


def external_acts_at_most_once(session_id: str, events: Events, acts: Counter[tuple[str, str]]) -> list[str]:
    """I2: an external call acted once if it completed; else at most once, and its outcome is unknown."""
    broken = []
    external = {
        one.event.call_id
        for one in events
        if isinstance(one.event, ev.ToolCallRequested) and one.event.effect is Effect.EXTERNAL
    }
    for one in events:
        if getattr(one.event, "call_id", None) not in external:
            continue
        done = acts[session_id, one.event.call_id]
        match one.event:
            case results.ToolCallCompleted(call_id=call_id) if done != 1:
                broken.append(f"I2: {call_id} completed and acted {done} times")
            case results.ToolCallFailed(call_id=call_id, error=error):
                if error.kind is not ErrorKind.OUTCOME_UNKNOWN:
                    broken.append(
                        f"I2: {call_id} acted {done} times and failed as {error.kind}: {error.message}"
                    )
                if done > 1:
                    broken.append(f"I2: {call_id} acted {done} times")
    astray = {call for session, call in acts if session == session_id} - external
    return broken + [f"I2: {call_id} acted and was never requested" for call_id in sorted(astray)]


def each_decision_saw_everything_before(events: Events) -> list[str]:
    """I3: a decision's writer had seen the event right before it; so no two were made on one prefix. Within a
    record it follows the event before it by its place."""
    broken = []
    before = 0
    for one in events:
        if one.part == 0 and isinstance(one.event, _DECISIONS) and one.envelope.prev != before:
            broken.append(f"I3: decision {one.sequence} was made after {one.envelope.prev}, not {before}")
        before = one.sequence
    return broken


def turns_are_whole(events: Events, turns: int) -> list[str]:
    """Each turn has its decisions once: begun, two model calls, three tools in order, idle at last."""
    seen: Counter[type] = Counter(type(one.event) for one in events)
    wanted = {
        inputs.Created: 1,
        inputs.UserMessage: turns,
        ev.TurnStarted: turns,
        ev.ModelCallRequested: 2 * turns,
        results.ModelCallCompleted: 2 * turns,
        ev.ToolCallRequested: len(TOOLS) * turns,
        ev.BecameIdle: turns,
    }
    broken = [
        f"turns: {seen[kind]} × {kind.__name__}, not {number}"
        for kind, number in wanted.items()
        if seen[kind] != number
    ]
    tools = [one.event.tool for one in events if isinstance(one.event, ev.ToolCallRequested)]
    if tools != [*TOOLS] * turns:
        broken.append(f"turns: tools were {tools}")
    if not events or not isinstance(events[-1].event, ev.BecameIdle):
        broken.append(f"I6: the last event is {type(events[-1].event).__name__ if events else None}")
    return broken


def how_calls_ended(events: Events) -> Calls:
    """Count the tool calls by their ending."""
    failures = [one.event.error.kind for one in events if isinstance(one.event, results.ToolCallFailed)]
    return Calls(
        asked=sum(isinstance(one.event, ev.ToolCallRequested) for one in events),
        completed=sum(isinstance(one.event, results.ToolCallCompleted) for one in events),
        unknown=failures.count(ErrorKind.OUTCOME_UNKNOWN),
    )
