"""Import: an exported session's events, and those of its files, appended record by record."""

import asyncio
from collections import deque
from contextlib import aclosing

import msgspec
from cachetools import LRUCache

from agent_contracts.errors import Conflict, Rejected
from agent_contracts.event_sources import Actor
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.log import subjects
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.questions.queries import ImportCommand, ImportProgress
from agent_contracts.session_events.inputs import Interrupted
from agent_contracts.sessions.session_file import WorkspaceEvent
from agent_contracts.tool_spec import RunsOn
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.process.clock import SystemClock
from session_domain.domain.state import Status
from session_domain.sessions import FoldedSessions
from session_engine.imports.events import ImportedPlaces, rewritten
from session_engine.imports.events_file import EventsFile, Step, Survey
from session_engine.imports.workspace import WorkspaceImport
from session_engine.service import DECLARATION

STEP = 250
"""Events that one command appends at most: some seconds' work."""
_REMEMBERED = 4
"""Imports of which it is remembered how far they came."""


class _ImportProgress:
    """An import under way: which events are there, and the byte of the file at which the others begin."""

    def __init__(self, file: EventsFile, found: Survey, workspace: WorkspaceImport) -> None:
        self.turn = asyncio.Lock()
        self.file = file
        self.survey = found
        self.workspace = workspace
        self.places = ImportedPlaces(found.skipped)
        self.done = 0
        self.next = 0

    def put(self, step: Step, sequence: int, after: int) -> None:
        """A record of the file has this sequence here; byte `after` comes behind it."""
        for event in () if isinstance(step, WorkspaceEvent) else step:
            self.places.put(event, sequence)
        self.done += 1 if isinstance(step, WorkspaceEvent) else len(step)
        self.next = after


_Key = tuple[str, AgentId, frozenset[tuple[SessionId, SessionId]]]


class ImportRunner:
    """Appends what exported sessions hold. Whoever asks goes on asking until all is there.

    Consumers pass imported events over, so nothing runs again. A sequence is known only once it is given,
    and later events refer to it: so they are appended record by record, and an import that was cut off goes
    on where it stopped. How far one came is remembered, so that each event is read about twice, and looked
    up in the log by an engine that doesn't know.
    """

    def __init__(self, events: Log, blobs: Blobs, *, step: int = STEP) -> None:
        self._step = step
        self._events = events
        self._blobs = blobs
        self._works: LRUCache[_Key, _ImportProgress] = LRUCache(_REMEMBERED)
        self._surveying = asyncio.Lock()

    async def go_on(self, command: ImportCommand) -> dict[str, Json]:
        """Append the next events. `Rejected(kind="conflict")` if one of the sessions exists already."""
        key = (command.file, command.agent_id, frozenset(command.ids.items()))
        async with self._surveying:
            work = self._works.get(key)
            if work is None:
                file = EventsFile(self._blobs, command.file)
                found = await file.survey(command.agent_id, command.ids)
                workspace = WorkspaceImport(self._events, command.file, found.here, found.head, found.lacking)
                work = self._works[key] = _ImportProgress(file, found, workspace)
        try:
            async with work.turn:
                progress = await self._step_on(work, command.file)
        except BaseException:
            self._works.pop(key, None)
            raise
        if work.done == work.survey.events:  # what comes of its sessions from here on, nobody follows
            self._works.pop(key, None)
        return dict(msgspec.to_builtins(progress))

    async def _step_on(self, work: _ImportProgress, digest: str) -> ImportProgress:
        await self._catch_up(work, digest)
        appended = 0
        while appended < self._step and work.done < work.survey.events:
            appended += await self._append(work, digest, self._step - appended)
        if work.done == work.survey.events:
            for session_id in work.survey.head.sessions:
                here = work.survey.here
                await self._stop(SessionKey(here.agent_id, here.session(session_id)), digest)
        left_out = work.survey.lacking.told()
        return ImportProgress(work.done - appended, appended, work.survey.events, left_out)

    async def _append(self, work: _ImportProgress, digest: str, most: int) -> int:
        """Append the next events, about `most`; how many. Fewer where another was faster with one of them."""
        here, appended = work.survey.here, 0
        async with aclosing(work.file.steps(work.next)) as steps:
            async for after, record in steps:
                if isinstance(record, WorkspaceEvent):
                    appended += await work.workspace.put(record, work.places)
                    work.put(record, 0, after)
                    if appended >= most:
                        return appended
                    continue
                was = record[0].session_id
                session_id = here.session(was)
                expected = Expect(SessionKey(here.agent_id, session_id).everything, work.places.last(was))
                message = rewritten(record, here, work.places, digest)
                try:
                    sequence = await self._events.append(message, expected)
                except Conflict:
                    done = work.done
                    await self._catch_up(work, digest)
                    if work.done == done:
                        raise _exists(session_id) from None
                    return appended
                work.put(record, sequence, after)
                appended += len(record)
                if appended >= most:
                    return appended
        return appended

    async def _catch_up(self, work: _ImportProgress, digest: str) -> None:
        """Find what this very import appended besides what is known of it: before this process, or by
        another one."""
        stored: dict[SessionId, deque[int]] = {}
        here = work.survey.here
        for session_id in work.survey.head.sessions:
            new = here.session(session_id)
            sequences = stored.setdefault(session_id, deque())
            every = subjects.any_agents_session_filter(new)
            async for message in self._events.read(every, after=work.places.newest):
                if message.envelope is None or message.envelope.imported != digest:
                    raise _exists(new)
                sequences.append(message.sequence)
        if not any(stored.values()):
            return
        async with aclosing(work.file.steps(work.next)) as steps:
            async for after, record in steps:
                if isinstance(record, WorkspaceEvent):  # it was written before the record that follows it
                    work.put(record, 0, after)
                    continue
                sequences = stored[record[0].session_id]
                if len(sequences) < len(record):
                    raise _exists(here.session(record[0].session_id))
                work.put(record, sequences[0], after)
                for _ in record:
                    sequences.popleft()
                if not any(stored.values()):
                    return

    async def _stop(self, session: SessionKey, digest: str) -> None:
        """What worked for it is elsewhere: a session that was running when it was exported becomes idle, and
        its calls end as cancelled. One that waits for a person goes on waiting; a failed turn does not go on
        by itself."""
        state = await FoldedSessions(self._events).newest(session)
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


def _exists(session_id: SessionId) -> Rejected:
    return Rejected(f"there is a session {session_id} already: import it under new ids", kind="conflict")
