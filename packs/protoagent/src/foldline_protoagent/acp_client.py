"""ACP (agent-client-protocol), as its client: one task for a coding agent that runs in the workspace.

Messages are handled one after another, in their order: what the agent said before it answers is known when it
does. So the library gives the messages and their checks, and not its connection, which runs a task for each
and has no bound. It is heavy (7,000 lines of models): who needs this module imports it when it is needed.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec
from acp import PROTOCOL_VERSION
from acp.exceptions import RequestError
from acp.meta import AGENT_METHODS, CLIENT_METHODS
from acp.schema import (
    AgentMessageChunk,
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    Implementation,
    InitializeRequest,
    InitializeResponse,
    NewSessionRequest,
    NewSessionResponse,
    PermissionOption,
    PromptRequest,
    PromptResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    SessionNotification,
    TextContentBlock,
    ToolCallUpdate,
)
from pydantic import BaseModel, ValidationError

LONGEST_ANSWER = 50_000
"""Characters of what the agent says that are kept."""
MOST_MESSAGES = 20_000
"""So many may come for one task."""
_SAID = 300

M = TypeVar("M", bound=BaseModel)


class Lies(Exception):
    """The agent doesn't keep to the protocol; the message says how."""


class Failed(Exception):
    """The agent says, by the protocol, that it can't; the message has its words."""


class Line(Protocol):
    """Lines to the agent and from it."""

    async def send(self, line: str) -> None:
        """One more to it."""
        ...

    async def receive(self) -> str:
        """The next from it. Raises where there is none to come."""
        ...


class Wish(msgspec.Struct, frozen=True):
    """What the agent asks leave for: its `kind` by ACP (`execute`, `edit` …), in words, and its input."""

    kind: str
    title: str
    given: Any


class Did(msgspec.Struct, frozen=True):
    """What came of the task: what the agent said, and why it stopped."""

    text: str
    stop_reason: str


async def do_task(line: Line, folder: str, task: str, may: Callable[[Wish], Awaitable[bool]]) -> Did:
    """Let the agent do one task in a folder; `may` answers what it asks leave for.

    Raises `Lies` and `Failed`, and whatever `line` and `may` raise.
    """
    talk = _Talk(line, may)
    hello = InitializeRequest(
        protocol_version=PROTOCOL_VERSION,
        client_capabilities=ClientCapabilities(
            fs=FileSystemCapabilities(read_text_file=False, write_text_file=False), terminal=False
        ),
        client_info=Implementation(name="foldline", title="Foldline", version="1"),
    )
    welcome = await talk.ask("initialize", hello, InitializeResponse)
    if welcome.protocol_version != PROTOCOL_VERSION:
        raise Lies(f"it speaks version {welcome.protocol_version} of ACP, not {PROTOCOL_VERSION}")
    opened = await talk.ask("session_new", NewSessionRequest(cwd=folder, mcp_servers=[]), NewSessionResponse)
    talk.session_id = opened.session_id
    block = TextContentBlock(type="text", text=task)
    prompt = PromptRequest(session_id=opened.session_id, prompt=[block])
    over = await talk.ask("session_prompt", prompt, PromptResponse)
    return Did(talk.said, over.stop_reason)


class _Talk:
    """Asks the agent one thing after another, and handles what it sends meanwhile."""

    def __init__(self, line: Line, may: Callable[[Wish], Awaitable[bool]]) -> None:
        self.session_id = ""
        self.said = ""
        self._line = line
        self._may = may
        self._asked = 0
        self._messages = 0

    async def ask(self, method: str, params: BaseModel, answer: type[M]) -> M:
        """The agent's answer."""
        self._asked += 1
        name, mine = AGENT_METHODS[method], self._asked
        await self._send({"id": mine, "method": name, "params": _plain(params)})
        while True:
            message = _message(await self._received())
            if "method" in message:
                await self._handle(message)
            elif message.get("id") == mine:
                return _answer(name, message, answer)
            # An answer to something that was not asked is passed over: it says nothing about this.

    async def _received(self) -> str:
        self._messages += 1
        if self._messages > MOST_MESSAGES:
            raise Lies(f"it sent more than {MOST_MESSAGES:,} messages")
        return await self._line.receive()

    async def _handle(self, message: Mapping[str, Any]) -> None:
        method, params = message["method"], message.get("params")
        if "id" not in message:
            if method == CLIENT_METHODS["session_update"]:
                self._note(params)
            return
        reply: dict[str, Any]
        try:
            if method != CLIENT_METHODS["session_request_permission"]:
                raise RequestError.method_not_found(str(method)[:100])
            reply = {"result": _plain(await self._permission(params))}
        except RequestError as error:
            reply = {"error": error.to_error_obj()}
        await self._send({"id": message["id"], **reply})

    def _note(self, params: Any) -> None:
        try:
            update = SessionNotification.model_validate(params)
        except ValidationError:
            return  # one of a kind that is newer than we are, or nonsense: it is not what is waited for
        chunk = update.update
        if update.session_id != self.session_id or not isinstance(chunk, AgentMessageChunk):
            return
        if isinstance(chunk.content, TextContentBlock) and len(self.said) <= LONGEST_ANSWER:
            self.said += chunk.content.text[: LONGEST_ANSWER + 1]

    async def _permission(self, params: Any) -> RequestPermissionResponse:
        try:
            asked = RequestPermissionRequest.model_validate(params)
        except ValidationError as error:
            raise RequestError.invalid_params() from error
        if asked.session_id != self.session_id:
            raise RequestError.invalid_params()
        allowed = await self._may(_wish(asked.tool_call))
        option = _option(asked.options, allowed=allowed)
        if option is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option))

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._line.send(json.dumps({"jsonrpc": "2.0", **message}))


def _option(options: list[PermissionOption], *, allowed: bool) -> str | None:
    """The answer to choose. A yes is for this once: with one for longer, later wishes would not be asked."""
    kinds = ("allow_once",) if allowed else ("reject_once", "reject_always")
    return next((one.option_id for kind in kinds for one in options if one.kind == kind), None)


def _wish(call: ToolCallUpdate) -> Wish:
    return Wish(call.kind or "other", call.title or "", call.raw_input)


def _message(line: str) -> Mapping[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Lies(f"it wrote something that is not JSON: {line[:80]!r}") from error
    if not isinstance(message, dict):
        raise Lies("it wrote JSON that is not a message")
    return message


def _answer(method: str, message: Mapping[str, Any], shape: type[M]) -> M:
    match message:
        case {"error": {"message": str(said)}}:
            raise Failed(" ".join(said.split())[:_SAID])
        case {"result": result}:
            try:
                return shape.model_validate(result)
            except ValidationError as error:
                raise Lies(f"its answer to {method} is not what ACP says") from error
    raise Lies(f"its answer to {method} has neither a result nor an error")


def _plain(model: BaseModel) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
