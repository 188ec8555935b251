"""Import: an exported session's events, appended record by record."""

from collections.abc import Iterable, Iterator
from itertools import groupby

import msgspec

from agent_contracts import session_file, subjects
from agent_contracts.codec import type_of
from agent_contracts.envelope import Actor
from agent_contracts.errors import Conflict, Rejected
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.queries import ImportCommand, ImportProgress
from agent_contracts.session_events.inputs import Created, Interrupted
from agent_contracts.session_file import FileEvent, SessionFile
from agent_contracts.session_key import SessionKey
from agent_contracts.tool_spec import RunsOn
from agent_platform.blobs.port import Blobs
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Expect, Log
from agent_platform.process.clock import SystemClock
from session_domain.domain.state import Status
from session_domain.sessions import Sessions
from session_engine.imports.events import Names, Places, decoded, names, rewritten
from session_engine.service import DECLARATION

STEP = 250
"""Events that one command appends at most: some seconds' work."""


class Imports:
    """Appends what exported sessions hold. Whoever asks goes on asking until all is there.

    Consumers pass imported events over, so nothing runs again. A sequence is known only once it is given,
    and later events refer to it: so they are appended record by record, and an import that was cut off goes
    on where it stopped.
    """

    def __init__(self, events: Log, blobs: Blobs, *, step: int = STEP) -> None:
        self._step = step
        self._events = events
        self._blobs = blobs

    async def go_on(self, command: ImportCommand) -> dict[str, Json]:
        """Append the next events. `Rejected(kind="conflict")` if one of the sessions is there already."""
        file = session_file.read(await self._blobs.get(command.file))
        here = names(file, command.agent_id, command.ids)
        places = Places(one.sequence for one in file.skipped)
        found = await self._found(file, here, places, command.file)
        if found == 0:
            _check(file)
        appended = 0
        for record in _records(file.events[found:]):
            if appended >= self._step:
                break
            was = record[0].session_id
            session_id = here.session(was)
            expected = Expect(SessionKey(here.agent_id, session_id).everything, places.last(was))
            message = rewritten(record, here, places, command.file)
            try:
                sequence = await self._events.append(message, expected)
            except Conflict:
                raise _exists(session_id) from None
            for event in record:
                places.put(event, sequence)
            appended += len(record)
        if found + appended == len(file.events):
            for session_id in file.head.sessions:
                await self._stop(SessionKey(here.agent_id, here.session(session_id)), command.file)
        progress = ImportProgress(found, appended, len(file.events))
        return dict(msgspec.to_builtins(progress))

    async def _stop(self, session: SessionKey, digest: str) -> None:
        """What worked for it is elsewhere: a session that was running when it was exported becomes idle, and
        its calls end as cancelled. One that waits for a person goes on waiting; a failed turn does not go on
        by itself."""
        state = await Sessions(self._events).newest(session)
        waits_for_others = any(call.runs_on is RunsOn.ENGINE for call in state.open_calls())
        goes_on = state.failed_turn is not None and state.failed_turn.retry_at is not None
        if state.status is not Status.RUNNING and not waits_for_others and not goes_on:
            return
        event = Interrupted()
        subject = session.input(type_of(event))
        origin = Origin(DECLARATION.source, Actor.SERVICE)
        event_id = f"import.{digest[:16]}.{session.session_id}.stopped"
        message, _ = event_message(event, subject, origin, SystemClock(), event_id)
        await self._events.append(message)

    async def _found(self, file: SessionFile, here: Names, places: Places, digest: str) -> int:
        """How many of the file's events an earlier command of this very import appended."""
        stored: dict[SessionId, list[int]] = {}
        for session_id in file.head.sessions:
            new = here.session(session_id)
            sequences = stored.setdefault(session_id, [])
            async for message in self._events.read(subjects.any_agents_session_filter(new)):
                if message.envelope is None or message.envelope.imported != digest:
                    raise _exists(new)
                sequences.append(message.sequence)
        total = sum(map(len, stored.values()))
        for event in file.events[:total]:
            if not stored[event.session_id]:
                raise _exists(here.session(event.session_id))
            places.put(event, stored[event.session_id].pop(0))
        return total


def _records(events: Iterable[FileEvent]) -> Iterator[list[FileEvent]]:
    """The events of each record together."""
    return (list(record) for _, record in groupby(events, key=lambda event: event.sequence))


def _check(file: SessionFile) -> None:
    """Everything can be read, and each session begins with its creation, before anything is appended."""
    begun: set[SessionId] = set()
    for event in file.events:
        first = event.session_id not in begun
        if first != isinstance(decoded(event), Created):
            raise Rejected(
                f"event {event.address} can't be imported: a session begins with its creation",
                kind="invalid_request",
            )
        begun.add(event.session_id)
    missing = set(file.head.sessions) - begun
    if missing:
        raise Rejected(f"the file has no events of {', '.join(sorted(missing))}", kind="invalid_request")


def _exists(session_id: SessionId) -> Rejected:
    return Rejected(f"there is a session {session_id} already: import it under new ids", kind="conflict")
