"""Fork: a new session whose history begins with another's, by reference."""

import asyncio

import msgspec

from agent_contracts.errors import Conflict, Rejected
from agent_contracts.event import Event
from agent_contracts.event_sources import Actor
from agent_contracts.files import SentFile
from agent_contracts.ids import check_id
from agent_contracts.json_value import Json
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect, NewMessage
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.questions.queries import ForkCommand
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_domain.files.copying import copy_sent, copy_workspace
from agent_domain.files.file import Workspace
from agent_domain.files.files import Files
from agent_domain.files.workspaces import Workspaces
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.entities.room import HasRoom
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock
from session_domain.domain.state import SessionState
from session_domain.sessions import FoldedSessions
from session_engine.neighbours.notepads import NotepadOf, copy_notepad, copy_plan
from session_engine.service import DECLARATION

SOURCE = DECLARATION.source


class ForkMaker:
    """Makes forks: copies of notepad, plan and workspace; then, in one atomic batch, the parent's mark and
    the child's head."""

    def __init__(
        self, events: Log, sessions: FoldedSessions, clock: Clock, blobs: Blobs, room: HasRoom | None = None
    ) -> None:
        self._events = events
        self._sessions = sessions
        self._clock = clock
        self._entities = Entities(events, clock, SOURCE)
        self._files = Files(self._entities, blobs)
        self._workspaces = Workspaces(events)
        self._room = room

    async def fork(self, session: SessionKey, command: ForkCommand) -> dict[str, Json]:
        """Fork a session: the new one's id and the sequence at which it really begins.

        A repeat answers the same. Raises `Rejected` if the session didn't exist yet at that sequence, or if
        the agent may not keep copies of its files (`too_large`).
        """
        check_id(command.child_id, "session id")
        child = session.sibling(command.child_id)
        past, existing, parent = await asyncio.gather(
            self._sessions.at_rest(session, command.at),
            self._sessions.newest(child),
            self._sessions.newest(session),
        )
        if past.position == 0:
            raise Rejected(f"the session began after event {command.at}", kind="not_found")
        sent: tuple[SentFile, ...] = ()
        if existing.position == 0:
            sent = await self._copy(session, past.last_sequence, command)
        while existing.position == 0:
            try:
                await self._make(parent, past, command, sent, existing.last_sequence)
            except Conflict:
                existing, parent = await asyncio.gather(
                    self._sessions.newest(child), self._sessions.newest(session)
                )
                continue
            return {"id": command.child_id, "at": past.last_sequence}
        origin = existing.forked_from
        if origin is None or origin.session_id != command.session_id:
            raise Rejected(f"there is another session {command.child_id}", kind="conflict")
        return {"id": command.child_id, "at": origin.sequence}

    async def _copy(self, session: SessionKey, at: int, command: ForkCommand) -> tuple[SentFile, ...]:
        """What the child finds of its own: notepad, plan and files as they were then; which are sent."""
        child = command.child_id
        writer = EntityWriter(f"{child}:notepad", Actor.USER, child, since=at)
        of_files = msgspec.structs.replace(writer, id=f"{child}:file")
        of_plan = msgspec.structs.replace(writer, id=f"{child}:plan")
        workspace = await self._workspaces.of(session)
        await copy_workspace(self._entities, workspace, at, child, of_files, self._room)
        await asyncio.gather(
            copy_notepad(self._entities, NotepadOf(session, at), child, writer),
            copy_plan(self._entities, NotepadOf(session, at), child, of_plan),
        )
        own = Workspace(session.agent_id, child)
        return await copy_sent(self._files, own, command.files, of_files)

    async def _make(
        self,
        parent: SessionState,
        past: SessionState,
        command: ForkCommand,
        sent: tuple[SentFile, ...],
        stray: int,
    ) -> None:
        """`stray` is the last message in the new session's place, which isn't an event; 0: there is none."""
        child, at = parent.key.sibling(command.child_id), past.last_sequence
        created = inputs.Created(
            agent_id=parent.agent_id,
            token_limit=parent.token_limit,
            title=command.title,
            model=command.model,
            child_depth=parent.limits.child_depth,
            child_count=parent.limits.child_count,
            retry_delays_s=parent.limits.retry_delays_s,
            child_timeout_s=parent.limits.child_timeout_s,
        )
        head: list[Event] = [created, ev.ForkedFrom(parent.agent_id, command.session_id, at)]
        if command.message is not None:
            head.append(inputs.UserMessage(text=command.message, files=sent))
        first, *more = (
            self._message(event, child, None, at, command.request if event is created else None)
            for event in head
        )
        mark = self._message(ev.ForkMade(command.child_id, at), parent.key, parent.last_sequence, at)
        expects = [
            Expect(parent.key.everything, parent.last_sequence),
            Expect(child.everything, stray),
            *[None] * (len(head) - 1),
        ]
        await self._events.append_together([mark, first, *more], expects)

    def _message(
        self, event: Event, session: SessionKey, prev: int | None, cause: int, request: str | None = None
    ) -> NewMessage:
        kind = type_of(event)
        decided = isinstance(event, ev.ForkMade | ev.ForkedFrom)
        subject = session.decision(kind) if decided else session.input(kind)
        origin = Origin(SOURCE, Actor.USER, cause, prev, current_traceparent(), request)
        message, _ = event_message(event, subject, origin, self._clock)
        return message
