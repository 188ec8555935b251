"""Turns that go round: the same calls, with the same outcomes, again and again. Pure."""

import re
from collections.abc import Iterator
from itertools import islice, takewhile

import msgspec

from agent_contracts.session_events import decisions as ev
from agent_contracts.tool_spec import RunsOn
from session_domain.domain.messages import CallStatus, SessionToolCall
from session_domain.domain.state import SessionState

MOST_SAME = 5
"""So many answers in a row of one turn may make the same calls and get the same."""
MOST_POLLS = 50
POLLING = frozenset({"browser_downloads", "check_inbox", "wait_for_sessions"})
"""Tools that are meant to be asked again until something changes."""
KIND = "loop"
_TIME = re.compile(
    rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|[+-]\d\d:?\d\d))?"
    rb"|(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"
)
"""Moments as RFC 3339 and HTTP write them: outcomes that differ in these alone are the same."""


def found(state: SessionState) -> ev.TurnFailed | None:
    """The end of a turn whose last answers all made the same calls, with the same outcomes.

    Asked when the calls of an answer have just ended. Whoever retries has it go on for as long again.
    """
    last = state.batch
    if not last or _has_person(last):
        return None
    same = 1 + sum(1 for _ in takewhile(lambda calls: _are_same(calls, last), _rounds_before(state)))
    most = MOST_POLLS if any(call.tool in POLLING for call in last) else MOST_SAME
    return None if same % most else ev.TurnFailed(KIND, _words(last, same))


def _rounds_before(state: SessionState) -> Iterator[tuple[SessionToolCall, ...]]:
    """The calls before the last answer's, since anybody said something, by answer, the newest first.

    Calls of one answer are one round: the model had no outcome to learn from between them.
    """
    for message in islice(reversed(state.history), 1, None):
        if message.role == "user" or _has_person(message.tool_calls):
            return
        yield message.tool_calls


def _has_person(calls: tuple[SessionToolCall, ...]) -> bool:
    """Whether a person had a part in these: allowed one, or answered what it asked."""
    return any(call.approved or _was_answered(call) for call in calls)


def _was_answered(call: SessionToolCall) -> bool:
    paused = call.show is not None and call.runs_on is not RunsOn.ENGINE
    return paused and call.status is CallStatus.COMPLETED


def _are_same(some: tuple[SessionToolCall, ...], others: tuple[SessionToolCall, ...]) -> bool:
    """Whether they are the same calls, in any order and however often each was made."""
    return all(any(_is_same(one, other) for other in others) for one in some) and all(
        any(_is_same(one, other) for one in some) for other in others
    )


def _is_same(one: SessionToolCall, other: SessionToolCall) -> bool:
    if (one.tool, one.arguments, one.status) != (other.tool, other.arguments, other.status):
        return False
    return _outcome(one) == _outcome(other) or _but_for_times(one) == _but_for_times(other)


def _outcome(call: SessionToolCall) -> object:
    """What came of it. A long result is its blob: each has a file of its own."""
    return call.result, call.error, call.excerpt and call.excerpt.blob


def _but_for_times(call: SessionToolCall) -> bytes:
    ends = call.excerpt and (call.excerpt.head, call.excerpt.tail, call.excerpt.blob.size)
    return _TIME.sub(b"", msgspec.json.encode((call.result, call.error, ends), order="sorted"))


def _words(calls: tuple[SessionToolCall, ...], times: int) -> str:
    names = " and ".join(dict.fromkeys(call.tool for call in calls))
    return (
        f"The model called {names} {times} times in a row, with the same arguments and the same outcome, "
        "so its turn was stopped."
    )
