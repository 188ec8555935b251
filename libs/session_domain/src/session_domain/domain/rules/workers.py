"""Sub-sessions that begin when others have finished, or at a time: which are held, and what they begin with.

Nothing here waits: a held one is in the state of its parent, and begins by a decision of it. Whatever it
waits for ends in some way, so that none is held for ever; ids that name no sub-session of the parent are
dropped.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.moments import later_by
from agent_contracts.outside import joined
from agent_contracts.prompt_modes import PromptMode
from agent_contracts.session_events.decisions import ChildSpawned, Waits
from session_domain.domain.state import ChildState, SessionState

DEPTH = 2
"""How deep workers may nest."""
LONGEST_RESULT = 20_000
"""Characters of what one sub-session found that another begins with."""

_Text = Annotated[str, msgspec.Meta(min_length=1)]
_Id = Annotated[str, msgspec.Meta(max_length=200)]


class SpawnWorker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `spawn_sub_session`."""

    objective: _Text
    context_blobs: tuple[str, ...] = ()
    system_prompt_mode: PromptMode = "minimal"
    timeout: Annotated[int, msgspec.Meta(ge=1, le=86_400)] = 300
    depends_on: Annotated[tuple[_Id, ...], msgspec.Meta(max_length=100)] = ()
    depends_on_previous: bool = False
    not_before: str | None = None


def task_of(asked: SpawnWorker) -> str:
    """A worker's first message, but for what others found."""
    blobs = (f"# Context {number}\n\n{blob}" for number, blob in enumerate(asked.context_blobs, 1))
    return "\n\n".join((asked.objective, *blobs))


def waits_for(state: SessionState, asked: SpawnWorker, itself: SessionId) -> tuple[SessionId, ...]:
    """The sub-sessions that have to finish first, in the order in which they were asked for."""
    named = {one for one in asked.depends_on if one != itself}
    return tuple(
        child.child_id
        for child in state.children
        if child.child_id != itself and (asked.depends_on_previous or child.child_id in named)
    )


def dropped(state: SessionState, asked: SpawnWorker, itself: SessionId) -> list[str]:
    """The ids that name no other sub-session of this session."""
    known = {child.child_id for child in state.children} - {itself}
    return [one for one in dict.fromkeys(asked.depends_on) if one not in known]


def earliest(text: str) -> str:
    """A time to begin, in UTC. ValueError for what isn't one, or has no offset."""
    return later_by(text, 0)


def begun_or_held(state: SessionState, planned: ChildSpawned) -> ChildSpawned:
    """A worker as it is spawned: at once, with what it waited for, if there is nothing to wait for."""
    assert planned.waits is not None
    waiting = planned.waits.not_before is not None or _unfinished(state, planned.waits)
    return planned if waiting else _released(state, planned)


def ready(state: SessionState) -> ChildSpawned | None:
    """The first held worker whose time has come."""
    for child in state.children:
        planned = child.planned
        if planned is None or planned.waits is None:
            continue
        if (child.may_begin or planned.waits.not_before is None) and not _unfinished(state, planned.waits):
            return _released(state, planned)
    return None


def _unfinished(state: SessionState, waits: Waits) -> bool:
    children = (state.child(one) for one in waits.after)
    return any(child is not None and child.is_live for child in children)


def _released(state: SessionState, planned: ChildSpawned) -> ChildSpawned:
    after = planned.waits.after if planned.waits is not None else ()
    found = [child for one in after if (child := state.child(one)) is not None]
    outside = joined((), [one for child in found for one in child.outside])
    task = _with_results(planned.task, found)
    return msgspec.structs.replace(planned, task=task, waits=None, outside=outside)


def _with_results(task: str, found: Sequence[ChildState]) -> str:
    return "\n\n".join((task, *map(_told, found)))


def _told(child: ChildState) -> str:
    if child.status == "error":
        return f"# Sub-session {child.child_id} failed\n\n{_cut(child.error or 'It failed.')}"
    ended = "" if child.status == "completed" else ", cut off by its token limit"
    return f"# Result of sub-session {child.child_id}{ended}\n\n{_cut(child.result or '(nothing)')}"


def _cut(text: str) -> str:
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]}\n… ({len(text) - LONGEST_RESULT:,} more characters)"


def answer(state: SessionState, asked: SpawnWorker, child: ChildState) -> Json:
    """What its parent is told of a worker right after it was spawned."""
    told: dict[str, Json] = {
        "status": "waiting" if child.planned is not None else "spawned",
        "session_id": child.child_id,
    }
    unknown = dropped(state, asked, child.child_id)
    if unknown:
        names = ", ".join(unknown)
        told["warning"] = f"there is no sub-session of yours called {names}: it does not wait for that"
    return told
