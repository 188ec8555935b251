"""What people ask through the gateway, answered by the agent's own tools in a context that stores nothing."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import msgspec

from agent_contracts.entities.definitions import D, NamedDefinition
from agent_contracts.entities.delegates import DELEGATE_TO
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Failure, Rejected, ToolError
from agent_contracts.ids import AgentId, CallId
from agent_contracts.json_value import Json
from agent_contracts.kinds.kind import ThingKind
from agent_contracts.kinds.registry import KINDS
from agent_contracts.policies import Grant, Match
from agent_contracts.questions.user_questions import (
    CheckDefinition,
    FetchedPicture,
    FetchPicture,
    ReadDatabase,
    TryDelegate,
)
from agent_contracts.tool_spec import Effect
from agent_domain.definitions import to_json
from agent_domain.files.media_types import media_type_of
from agent_domain.policies.patterns import literal
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from agent_tools.ports.agent import AgentDefinitions
from agent_tools.ports.database import AgentDatabase
from agent_tools.ports.outside import AgentEgress
from agent_tools.providers import Provider
from agent_tools.running.answers import refused
from agent_tools.running.contexts import context_of_page
from agent_tools.running.failures import error_from
from agent_tools.running.running import run_tool
from agent_tools.toolbox import Toolbox
from agent_tools.validation import InvalidArguments, parse_arguments
from egress.fetching import FetchRequest
from tool_runner.agent.database import ReadOnlyDatabase
from tool_runner.agent_db.connection import WHOLE, Window
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.questions.answers import answer_of

TRIAL_S = 60.0
"""For which a delegate that is tried is waited for."""
_TRIAL = "This is only a test of the connection. Answer with one word: ready."
LARGEST_PICTURE = 10_000_000
"""Bytes of a picture from elsewhere."""

Q = TypeVar("Q", bound=msgspec.Struct)


class UserQuestions:
    """Answers them. What the agent's tools refuse, people are refused, in the same words."""

    def __init__(
        self, events: Log, toolbox: Toolbox, databases: AgentDatabases, blobs: Blobs, clock: Clock
    ) -> None:
        self._events = events
        self._toolbox = toolbox
        self._databases = databases
        self._blobs = blobs
        self._clock = clock

    async def forget(self, name: str) -> None:
        """An agent or a session of this name was erased: its database is on no disk of this process."""
        await self._databases.forget(AgentId(name))

    async def check(self, question: bytes) -> bytes:
        """The `ToolAnswer` to a `CheckDefinition`, as JSON."""
        return await _answered(question, CheckDefinition, self._check)

    async def read(self, question: bytes) -> bytes:
        """The `ToolAnswer` to a `ReadDatabase`, as JSON."""
        return await _answered(question, ReadDatabase, self._read)

    async def picture(self, question: bytes) -> bytes:
        """The `ToolAnswer` to a `FetchPicture`, as JSON."""
        return await _answered(question, FetchPicture, self._picture)

    async def try_delegate(self, question: bytes) -> bytes:
        """The `ToolAnswer` to a `TryDelegate`, as JSON."""
        return await _answered(question, TryDelegate, self._try_delegate)

    async def _try_delegate(self, asked: TryDelegate) -> ToolAnswer:
        tool = self._toolbox.find(DELEGATE_TO)
        if tool is None:
            raise Rejected("the pack protoagent, which asks delegates, is not installed", path="/name")
        args = parse_arguments(tool, {"target": asked.name, "query": _TRIAL})
        sequence, call_id = await self._events.last_sequence(), CallId(self._clock.new_id("q"))
        yes = (
            Grant(Match(tool=literal(DELEGATE_TO))),
        )  # of the person who tries it; a policy's no stays one
        context = context_of_page(asked.agent_id, call_id, sequence, DELEGATE_TO, grants=yes)
        try:
            async with asyncio.timeout(TRIAL_S):
                outcome, _ = await run_tool(tool, args, self._toolbox.opened(context))
        except TimeoutError as late:
            message = (
                f"{asked.name} did not answer within {TRIAL_S:g} seconds; it may be at work all the same"
            )
            raise Rejected(message, kind=ErrorKind.TIMEOUT, path="/name") from late
        return await answer_of(outcome, tool, self._blobs, asked.agent_id)

    async def _picture(self, asked: FetchPicture) -> ToolAnswer:
        call_id = CallId(self._clock.new_id("q"))
        context = context_of_page(asked.agent_id, call_id, await self._events.last_sequence(), "picture")
        way_out: AgentEgress = self._toolbox.opened(context).port(AgentEgress)
        found = await way_out.fetch(FetchRequest(asked.url, limit=LARGEST_PICTURE))
        if not found.ok:
            raise Rejected(f"{found.url} answered with status {found.status}", path="/url")
        if found.truncated:
            most = LARGEST_PICTURE // 1_000_000
            raise Rejected(f"it has more than {most} MB, the most of a picture", kind=ErrorKind.TOO_LARGE)
        media_type = media_type_of("", found.body)
        if not media_type.startswith("image/"):
            raise Rejected(f"{found.url} is {media_type}, not a picture", path="/url")
        blob = await self._blobs.put(found.body, media_type, owner=asked.agent_id)
        made = FetchedPicture(blob.sha256, blob.size, media_type)
        return ToolAnswer(msgspec.to_builtins(made))

    async def _check(self, asked: CheckDefinition) -> ToolAnswer:
        call_id = CallId(self._clock.new_id("q"))
        context = context_of_page(asked.agent_id, call_id, await self._events.last_sequence(), asked.name)
        noted = NotedDefinition(self._toolbox.opened(context).port(AgentDefinitions))

        def definitions() -> AgentDefinitions:
            return noted

        arguments = {**asked.definition, "name": asked.name}
        answer = await self._run(asked.agent_id, KINDS[asked.kind].made_by, arguments, definitions)
        return answer if answer.error is not None else ToolAnswer(noted.value)

    async def _read(self, asked: ReadDatabase) -> ToolAnswer:
        window = Window(asked.skip, asked.rows or WHOLE.rows, asked.cell)

        def database() -> AgentDatabase:
            return ReadOnlyDatabase(self._databases, asked.agent_id, asked.at, window)

        if asked.size:
            size = await (await self._databases.of(asked.agent_id)).size()
            return ToolAnswer({"bytes": size, "limit": self._databases.most_bytes})
        if asked.exact and asked.at is not None:
            found = await (await self._databases.of(asked.agent_id)).exact_from(asked.at)
            return ToolAnswer({"exact_from": found})
        if asked.sql is None:
            return await self._run(asked.agent_id, "db_schema", {}, database)
        arguments: dict[str, Json] = {"sql": asked.sql, "params": asked.params}
        return await self._run(asked.agent_id, "db_sql", arguments, database)

    async def _run(
        self, agent_id: AgentId, name: str, arguments: dict[str, Json], instead: Provider
    ) -> ToolAnswer:
        """Run a tool that gets one port from another provider than agents' calls do."""
        tool = self._toolbox.find(name)
        if tool is None:
            raise Rejected(f"this runner has no tool {name!r}", kind=ErrorKind.INTERNAL)
        try:
            args = parse_arguments(tool, arguments)
        except InvalidArguments as invalid:
            message = invalid.error.message.removeprefix(f"{tool.spec.name}: ")
            return refused(msgspec.structs.replace(invalid.error, message=message))
        call_id = CallId(self._clock.new_id("q"))
        context = context_of_page(agent_id, call_id, await self._events.last_sequence(), name)
        outcome, _ = await run_tool(tool, args, self._toolbox.but(instead).opened(context))
        return await answer_of(outcome, tool, self._blobs, agent_id)


class NotedDefinition:
    """`AgentDefinitions` that note what a tool would make, and store nothing. What is `kept` can be read:
    examples call the agent's functions and libraries."""

    def __init__(self, kept: AgentDefinitions) -> None:
        self.value: Json = None
        self._kept = kept

    async def create(self, kind: ThingKind[D], name: str, value: D) -> int:
        """Note the value; whether the name is taken is for whoever stores it."""
        self.value = to_json(value)
        return 1

    async def update(self, kind: ThingKind[D], name: str, change: Callable[[D], D]) -> int:
        """Nothing can be changed in a check."""
        raise _only_a_check()

    async def delete(self, kind: ThingKind[D], name: str) -> bool:
        """Nothing can be deleted in a check."""
        raise _only_a_check()

    async def read(self, kind: ThingKind[D], name: str, up_to: int | None = None) -> NamedDefinition[D]:
        """See `AgentDefinitions`."""
        return await self._kept.read(kind, name, up_to)

    async def list(self, kind: ThingKind[D]) -> Sequence[NamedDefinition[D]]:
        """Nothing is there in a check."""
        return []


def _only_a_check() -> Rejected:
    return Rejected("this is only a check: nothing is stored", kind=ErrorKind.NOT_AVAILABLE)


async def _answered(question: bytes, shape: type[Q], answer: Callable[[Q], Awaitable[ToolAnswer]]) -> bytes:
    try:
        told = await answer(msgspec.json.decode(question, type=shape))
    except msgspec.DecodeError as error:
        told = refused(ToolError(ErrorKind.INTERNAL, f"not a {shape.__name__}: {error}"))
    except Failure as failure:
        told = refused(error_from(failure, Effect.PURE))
    return msgspec.json.encode(told)
