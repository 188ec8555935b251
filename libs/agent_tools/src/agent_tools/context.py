"""Which call it is that a tool runs in."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import msgspec

from agent_contracts.commands import MOST_COMMANDS, MOST_FILES, CallCommand, CallCommands, since
from agent_contracts.egress import MOST_LISTED, CallEgress, EgressRequest
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.outside import Source, SourceKind, Sources, joined, placed, source
from agent_contracts.policies import Grant
from agent_contracts.questions.function_calls import Progress
from agent_contracts.sampled_questions import SampledQuestion
from agent_contracts.session_events.decisions import ResumedCall
from agent_contracts.session_events.results import Accounting, TaskStep, Usage
from agent_contracts.tool_spec import CoreTool, FixedHost
from agent_platform.entities.entity import EntityWriter


class Writers(Protocol):
    """In whose name a call writes."""

    def next(self) -> EntityWriter:
        """The writer of the call's next write. A tool writes in the same order each time it is run."""
        ...


class CallUsage:
    """What a call asked models for; None as long as there was nothing."""

    def __init__(self) -> None:
        self.usage: Usage | None = None

    def add(self, usage: Usage) -> None:
        """Count one answer."""
        self.usage = usage if self.usage is None else self.usage + usage


class CallSources:
    """Where material from outside came from: what the model had when it asked for the call, `given`, and what
    the call `brought` in, itself or by its code. What the call writes may be from either.
    """

    def __init__(
        self,
        given: Sources = (),
        at: str | None = None,
        session: SessionId | None = None,
        *,
        unswayed: bool = False,
    ) -> None:
        """`at` is the address of the call's request, in `session`. `unswayed`: what is `given` came after the
        model had asked for the call."""
        self.given = given
        self._unswayed = unswayed
        self.brought: Sources = ()
        self._at = at
        self._session = session

    def bring(self, *sources: Source) -> None:
        """There is some from there. Those that say not where they came from came by this call."""
        self.brought = joined(self.brought, sources)

    def bring_some(self, kind: SourceKind, name: str) -> None:
        """There is some of this kind: by this name, where nobody says a better one."""
        if all(one.kind != kind for one in self.brought):
            self.bring(source(kind, name))

    @property
    def may_steer(self) -> bool:
        """Whether material from outside may have a say in what the call does: its arguments or code were
        written when there was some, or it has read what was written so. What it fetches itself has none: that
        is up to its code."""
        swayed = bool(self.given) and not self._unswayed
        return swayed or any(one.at is not None for one in self.brought)

    @property
    def all(self) -> Sources:
        """Both, each with its place: what a write of the call is marked with now."""
        if not self.brought:
            return self.given
        brought = self.brought if self._at is None else placed(self.brought, self._at, self._session)
        return joined(self.given, brought)


class EgressNotes:
    """What left in a call's name, as it is noted; `sent` is None as long as there was nothing."""

    def __init__(self) -> None:
        self.sent: CallEgress | None = None

    def note(self, request: EgressRequest) -> None:
        """One more."""
        sent = self.sent or CallEgress(())
        if len(sent.requests) < MOST_LISTED:
            self.sent = CallEgress((*sent.requests, request))
        else:
            self.leave_out(1)

    def leave_out(self, number: int) -> None:
        """So many more, of which nothing else is known."""
        if number:
            sent = self.sent or CallEgress(())
            self.sent = CallEgress(sent.requests, sent.more + number)

    def join(self, sent: CallEgress | None) -> None:
        """What left elsewhere in the call's name."""
        if sent is not None:
            for request in sent.requests:
                self.note(request)
            self.leave_out(sent.more)


class CommandNotes:
    """What commands did in a call's name, as it is noted; `worked` is None as long as none ran."""

    def __init__(self) -> None:
        self.worked: CallCommands | None = None

    def tells(self, command_id: str) -> bool:
        """Whether anything was noted of a command."""
        return self.worked is not None and any(one.command_id == command_id for one in self.worked.commands)

    def note(self, command: CallCommand) -> None:
        """How one stands now, with what it did since it was noted before."""
        worked = self.worked or CallCommands(())
        others = tuple(one for one in worked.commands if one.command_id != command.command_id)
        before = next((one for one in worked.commands if one.command_id == command.command_id), None)
        command = command if before is None else since(before, command)
        if len(others) >= MOST_COMMANDS:
            self.worked = CallCommands(others, worked.more + 1)
            return
        room = max(0, MOST_FILES - sum(len(one.files) for one in others))
        left_out = len(command.files[room:])
        told = msgspec.structs.replace(
            command, files=command.files[:room], more_files=command.more_files + left_out
        )
        self.worked = CallCommands((*others, told), worked.more)


class ApprovalNeed:
    """What a call wanted to send that needs a person's yes first; None as long as there was nothing."""

    def __init__(self) -> None:
        self.show: dict[str, Json] | None = None

    def needs(self, show: dict[str, Json]) -> None:
        """A person is to be asked this; of several things, the first."""
        self.show = self.show or show


@dataclass(frozen=True)
class CallContext:
    """Who calls, and in whose name what the call writes is written. Without a `session`, a page calls.

    `sequence` is the request's place in the log: reading as of it is the same on every attempt. `attempt`
    counts from 1. It was `requested_at` (UTC); None where the call is made once, now. `cancelled` is set when
    nobody wants the result any more; the tool's task is cancelled as well, so only work off the event loop
    need look at it. `log` has the call's ids bound. `tasks` are those
    that the call's code begins and ends: the engine does so when the call has ended; before it
    `open_tasks` were open. `outside` notes
    where material came from that the call reads, itself or by its code. `said` are lines that its code
    logs, for whoever tries it. The code is as of event `code_at`. `tool` of a `family` is what was called,
    `alias_of` the core tool that it stands for, `grants` what people allowed of what it may send, `wanted`
    what of it they have to allow first, `outgoing` what left, or was to leave, `work` what commands did,
    `sampled` what a foreign server had models asked; `urls` are known to the session: see `ResolvedCall`.
    `approved`: a person said yes to exactly this call. `resumed`: how it stood when it paused the last time,
    and what was answered. `may_pause`: a model called the tool, so it can wait for people. `progress` is told
    how far the call's code is, where somebody hears it.
    """

    agent_id: AgentId
    session: SessionId | None
    call_id: CallId
    sequence: int
    attempt: int
    writers: Writers
    cancelled: asyncio.Event
    log: Any
    spent: CallUsage = field(default_factory=CallUsage)
    tasks: list[TaskStep] = field(default_factory=list)
    open_tasks: int = 0
    outside: CallSources = field(default_factory=CallSources)
    said: list[str] = field(default_factory=list)
    code_at: int = 0
    grants: tuple[Grant, ...] = ()
    tool: str = ""
    family: str = ""
    wanted: ApprovalNeed = field(default_factory=ApprovalNeed)
    outgoing: EgressNotes = field(default_factory=EgressNotes)
    work: CommandNotes = field(default_factory=CommandNotes)
    sampled: list[SampledQuestion] = field(default_factory=list)
    urls: tuple[str, ...] = ()
    requested_at: datetime | None = None
    alias_of: CoreTool | None = None
    fixed_host: FixedHost | None = None
    approved: bool = False
    resumed: ResumedCall | None = None
    may_pause: bool = False
    progress: Callable[[Progress], Awaitable[None]] | None = None

    def accounting(self, duration_ms: int) -> Accounting:
        """What this attempt took and did by now."""
        return Accounting(
            duration_ms=duration_ms,
            attempt=self.attempt,
            usage=self.spent.usage,
            tasks=tuple(self.tasks),
            sent=self.outgoing.sent,
            worked=self.work.worked,
            sampled=tuple(self.sampled),
        )

    @property
    def session_id(self) -> SessionId:
        """The session that calls. `Rejected(kind="not_available")` where a page does."""
        if self.session is None:
            raise Rejected(
                "this call has no session: a page called the function", kind=ErrorKind.NOT_AVAILABLE
            )
        return self.session

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt at this call, and no other call's: for targets that take one."""
        return f"{self.session or self.agent_id}-{self.call_id}"
