"""What code may ask for, answered by the runner's own tools and ports, in the name of the call."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.json_value import Json
from agent_contracts.questions.code_calls import CodeCall
from agent_contracts.session_events.results import TaskStep
from agent_contracts.tool_spec import Effect
from agent_domain.policies.policy_request import named_in
from agent_platform.log.storable_text import storable_text
from agent_tools.context import CallContext
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.outside import AgentEgress
from agent_tools.ports.running import Compute, OtherTools
from agent_tools.running.gate import RequestGate
from agent_tools.tool import Result, Tool
from agent_tools.validation import InvalidArguments, parse_arguments
from egress.charset import decoded, is_text
from egress.fetching import FetchRequest
from tool_runner.agent.other_runners import BROWSER, OtherRunners
from tool_runner.code.file_bytes import FileBytes
from tool_runner.code.file_methods import tool_behind, tool_name
from tool_runner.code.foreign import ForeignCalls
from tool_runner.code.progress import progress_of
from tool_runner.sandbox.host import HostCallFailed
from tool_runner.sandbox.turns import RunTurns


class HostTool(msgspec.Struct, frozen=True):
    """A host call that a tool answers.

    `takes` names the tool's arguments in the order in which code gives them; without it, code gives one
    object with all of them. `gives` is the field of the result that code gets; without it, all of it.
    """

    tool: str
    takes: tuple[str, ...] = ()
    gives: str | None = None


PARTS: Mapping[str, HostTool] = {
    "state.get": HostTool("get_state", ("key",), "value"),
    "state.set": HostTool("set_state", ("key", "value"), "ok"),
    "state.delete": HostTool("delete_state", ("key",), "deleted"),
    "state.keys": HostTool("list_state_keys", ("prefix",), "keys"),
    "db.sql": HostTool("db_sql", ("sql", "params")),
    "db.schema": HostTool("db_schema", (), "tables"),
    "llm.generate": HostTool("llm_generate"),
    "web.search": HostTool("web_search"),
    "web.read": HostTool("web_read"),
    "skills.list": HostTool("list_skills", (), "skills"),
    "skills.read": HostTool("read_skill", ("name",)),
    "session.notepad.read": HostTool("read_notepad"),
    "session.notepad.write": HostTool("write_notepad", ("content",)),
    "session.notepad.update": HostTool("update_notepad"),
}


_TASK_STEPS = {"session.beginTask": "a title", "session.endTask": "a summary"}
_WAITING = frozenset({"fetch", "functions.call", "llm.generate"})
MOST_TASK_STEPS = 50
"""How many tasks one call may begin and end, the functions that it calls included."""

MOST_GENERATED = 50
"""How often one call may ask models, the functions that it calls included."""

MOST_BROWSED = 200
"""How often one call may ask for its session's browser, the functions that it calls included."""
_BROWSER = "browser"
_FOREIGN = "mcp"
_NAMES: Mapping[str, str] = {
    ErrorKind.NOT_AVAILABLE: "NotAvailableError",
    ErrorKind.INVALID_ARGUMENTS: "TypeError",
}
"""What code calls errors of another runner's tools, besides `HostError`."""

MOST_FETCHING = 10
"""How many requests one call may have under way, the functions that it calls included; more wait."""
MOST_WRITTEN = 32 * 1024 * 1024
"""Bytes of JSON that one call may ask to be written, the functions that it calls included: the log keeps
everything for ever."""
_A_WRITE = 1024
"""Bytes that a write counts besides what is in it."""

CallFunction = Callable[[str, dict[str, Json]], Awaitable[Json]]


@dataclass
class SharedRunState:
    """What the runs of one call have in common: its own, and those of the functions that it calls."""

    writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    fetching: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_FETCHING))
    browsing: asyncio.Lock = field(default_factory=asyncio.Lock)
    generated: int = 0
    browsed: int = 0
    written: int = 0
    told: int = 0
    rehearsal: bool = False
    """Only an example of what the code gives: nothing may be sent or written."""


class HostTurns:
    """Of what this runner does at a time for code of all its calls: requests that go out. What is asked of
    the log has turns by its size (`sandbox/host_answers.py`), and asking models has none."""

    def __init__(self) -> None:
        self.fetching = RunTurns(total=64, each=20)


@dataclass(frozen=True)
class HostParts:
    """What answers the host calls of one tool call."""

    call: CallContext
    tools: OtherTools
    egress: AgentEgress
    compute: Compute
    files: AgentFiles
    runners: OtherRunners
    foreign: ForeignCalls
    gate: RequestGate
    turns: "HostTurns"


class ToolHost:
    """The host of one run. Writes are made one after another, in the order in which code asked for them, and
    so are calls of functions: each is a sandbox of its own."""

    def __init__(self, parts: HostParts, function: CallFunction, shared: SharedRunState) -> None:
        self._agent = parts.call.agent_id
        self._parts = parts
        self._function = function
        self._shared = shared
        self._calling = asyncio.Lock()
        self._bytes = FileBytes(parts.files)

    async def call(self, name: str, arguments: list[Json]) -> Json:
        """See `HostCalls`."""
        if name == "progress":
            return await self._progress(arguments)
        if self._shared.rehearsal and not self._rehearsable(name):
            message = f"{name} can't be used in an example: examples send nothing and write nothing"
            raise HostCallFailed(message, name="NotAvailableError", code="not_available")
        if name == "fetch":
            return await self._fetch(arguments)
        if name.partition(".")[0] == _BROWSER:
            return await self._browse(name, arguments)
        if name.partition(".")[0] == _FOREIGN:
            return await self._parts.foreign.call(name, arguments)
        if name == "functions.call":
            return await self._call_function(arguments)
        if name in _TASK_STEPS:
            return self._task_step(name, arguments)
        if name == "llm.generate":
            self._count_question()
        if name == "files.readBytes":
            return await self._bytes.read(arguments)
        if name in ("files.writeBytes", "files.appendBytes"):
            return await self._write_bytes(name, arguments)
        found = self._tool(name)
        if found is None:
            raise HostCallFailed(
                f"{name} is not available here", name="NotAvailableError", code="not_available"
            )
        return await self._by_tool(name, *found, arguments)

    def waits(self, name: str) -> bool:
        """See `HostCalls`."""
        if name in _WAITING or name.partition(".")[0] in (_BROWSER, _FOREIGN):
            return True
        found = self._tool(name)
        return found is not None and found[1].spec.effect is Effect.EXTERNAL

    def _rehearsable(self, name: str) -> bool:
        """Whether it only reads what the agent keeps; a function may be called, and is judged as well. To
        ask a model is to send."""
        if name in ("functions.call", "files.readBytes"):
            return True
        if name == "llm.generate":
            return False
        found = self._tool(name)
        return found is not None and found[1].spec.effect is Effect.PURE

    def _tool(self, name: str) -> tuple[HostTool, Tool] | None:
        """The tool that answers a host call, and how."""
        tools = self._parts.tools
        if part := PARTS.get(name):
            tool = tools.find(part.tool)
        else:
            tool = tool_behind(name, tools)
            part = HostTool(tool.spec.name) if tool else None
        return (part, tool) if part and tool else None

    async def _write_bytes(self, name: str, arguments: list[Json]) -> Json:
        self._count_written(name, arguments)
        async with self._shared.writing:
            write = self._bytes.write if name == "files.writeBytes" else self._bytes.append
            return await write(arguments)

    async def _by_tool(self, name: str, part: HostTool, tool: Tool, arguments: list[Json]) -> Json:
        try:
            args = parse_arguments(tool, _named(name, part, arguments))
        except InvalidArguments as error:
            raise HostCallFailed(error.error.message, name="TypeError", code=error.error.kind) from error
        if tool.spec.effect is Effect.EXTERNAL:
            async with self._shared.fetching, self._parts.turns.fetching.taken(self._agent):
                result = await self._parts.tools.run(tool, args)
        elif tool.spec.effect is Effect.PURE:
            result = await self._parts.tools.run(tool, args)
        else:
            self._count_written(name, arguments)
            async with self._shared.writing:
                result = await self._parts.tools.run(tool, args)
        if not isinstance(result, Result):
            raise HostCallFailed(f"{name} would wait for the user", name="NotAvailableError")
        told: dict[str, Json] = result.model_dump(mode="json", by_alias=True)
        return told[part.gives] if part.gives else told

    async def _call_function(self, arguments: list[Json]) -> Json:
        match arguments:
            case [str(name)]:
                args: dict[str, Json] = {}
            case [str(name), dict(args)]:
                pass
            case _:
                message = "functions.call takes a name and an object of arguments"
                raise HostCallFailed(message, name="TypeError", code="invalid_arguments")
        async with self._calling:
            return await self._function(name, args)

    async def _browse(self, name: str, arguments: list[Json]) -> Json:
        """By the browser's own runner, one call after another: there is one browser."""
        tool, call = tool_name(name), self._parts.call
        if tool is None or call.session is None:
            why = "is not available here" if call.session else "needs a session: a page called the function"
            raise HostCallFailed(f"{name} {why}", name="NotAvailableError", code="not_available")
        given = _named(name, HostTool(tool), arguments)
        self._shared.browsed += 1
        if self._shared.browsed > MOST_BROWSED:
            message = f"{name}: more than {MOST_BROWSED} uses of the browser in one call"
            raise HostCallFailed(message, name="CallQuotaError", code="call_quota")
        number = self._shared.browsed
        asked = CodeCall(
            agent_id=call.agent_id,
            session_id=call.session,
            call_id=call.call_id,
            number=number,
            sequence=call.sequence,
            attempt=call.attempt,
            tool=tool,
            arguments=given,
            outside=call.outside.all,
            caller=call.tool,
            family=call.family,
            grants=call.grants,
        )
        url = given.get("url")
        browses = msgspec.structs.replace(named_in(tool, given), family="browser")
        await self._parts.gate.require_call(browses, given, url if isinstance(url, str) else None)
        async with self._shared.browsing:
            try:
                answer = await self._parts.runners.call(BROWSER, asked, call)
                call.outside.bring(*answer.outside)
                return answer.value
            except Rejected as error:
                call.outside.bring_some("web", tool)
                kind = _NAMES.get(error.kind)
                if kind is None:
                    raise
                raise HostCallFailed(error.message, name=kind, code=error.kind) from error

    def _task_step(self, name: str, arguments: list[Json]) -> Json:
        """Have the engine do it with the call's result: what a session holds, it alone changes."""
        _ = self._parts.call.session_id  # a page has none
        match arguments:
            case [str(text)] if text.strip():
                pass
            case _:
                message = f"{name} takes {_TASK_STEPS[name]}"
                raise HostCallFailed(message, name="TypeError", code="invalid_arguments")
        if len(self._parts.call.tasks) >= MOST_TASK_STEPS:
            message = f"{name}: more than {MOST_TASK_STEPS} tasks begun or ended in one call"
            raise HostCallFailed(message, name="CallQuotaError", code="call_quota")
        if name == "session.endTask" and not self._is_task_open():
            message = f"{name}: no task is open: begin one with session.beginTask or begin_task"
            raise HostCallFailed(message, name="RejectedError", code=ErrorKind.REJECTED)
        text = storable_text(text)
        step = TaskStep(begins=text) if name == "session.beginTask" else TaskStep(ends=text)
        self._parts.call.tasks.append(step)
        return None

    def _is_task_open(self) -> bool:
        """Whether one is, after what this call's code has begun and ended."""
        call = self._parts.call
        begun = sum(step.begins is not None for step in call.tasks)
        return call.open_tasks + 2 * begun - len(call.tasks) > 0

    async def _progress(self, arguments: list[Json]) -> None:
        self._shared.told += 1
        told, tell = progress_of(arguments, self._shared.told), self._parts.call.progress
        if tell is not None and not self._shared.rehearsal:
            await tell(told)

    def _count_question(self) -> None:
        self._shared.generated += 1
        if self._shared.generated > MOST_GENERATED:
            message = f"llm.generate: more than {MOST_GENERATED} in one call"
            raise HostCallFailed(message, name="CallQuotaError", code="call_quota")

    def _count_written(self, name: str, arguments: list[Json]) -> None:
        self._shared.written += _A_WRITE + len(msgspec.json.encode(arguments))
        if self._shared.written > MOST_WRITTEN:
            message = f"{name}: more than {MOST_WRITTEN} bytes to be written in one call"
            raise HostCallFailed(message, name="CallQuotaError", code="call_quota")

    async def _fetch(self, arguments: list[Json]) -> Json:
        request = _request(arguments)
        async with self._shared.fetching, self._parts.turns.fetching.taken(self._agent):
            answer = await self._parts.egress.fetch(request)
        kind = answer.headers.get("content-type", "")
        if is_text(answer.body, kind):
            text = await self._parts.compute.run(
                lambda: decoded(answer.body, kind, truncated=answer.truncated)
            )
            body: dict[str, Json] = {"body": text}
        else:
            body = {"body": base64.b64encode(answer.body).decode(), "base64": True}
        return {"status": answer.status, "url": answer.url, "headers": dict(answer.headers), **body}


def _named(name: str, part: HostTool, arguments: list[Json]) -> dict[str, Json]:
    if not part.takes:
        match arguments:
            case []:
                return {}
            case [dict(named)]:
                return named
        raise HostCallFailed(f"{name} takes one object", name="TypeError", code="invalid_arguments")
    if len(arguments) > len(part.takes):
        raise HostCallFailed(
            f"{name} takes ({', '.join(part.takes)})", name="TypeError", code="invalid_arguments"
        )
    return dict(zip(part.takes, arguments, strict=False))


class _GuestFetch(msgspec.Struct, frozen=True):
    """What the guest's `fetch` sends."""

    url: str
    method: str = "GET"
    headers: list[tuple[str, str]] = []
    body: str | None = None
    base64: bool = False


def _request(arguments: list[Json]) -> FetchRequest:
    try:
        asked: Any = msgspec.convert(arguments, list[_GuestFetch])[0]
        body = None
        if asked.body is not None:
            body = base64.b64decode(asked.body) if asked.base64 else asked.body.encode(errors="replace")
    except (msgspec.ValidationError, ValueError, IndexError) as error:
        raise Rejected(f"fetch: {error}", kind="invalid_arguments") from error
    return FetchRequest(asked.url, asked.method, tuple(asked.headers), body)
