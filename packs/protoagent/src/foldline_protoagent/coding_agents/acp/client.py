"""ACP (agent-client-protocol), as its client: one task for a coding agent that runs in the workspace.

Messages are handled one after another, in their order: what the agent said before it answers is known when it
does. So the library gives the messages and their checks, and not its connection, which runs a task for each
and has no bound. It is heavy (7,000 lines of models): who needs this module imports it when it is needed.

Where a person has to be asked, the talk stands still as data, and goes on with the answer: the agent waits
meanwhile, as it does for any client.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import msgspec
from acp import PROTOCOL_VERSION
from acp.exceptions import RequestError
from acp.meta import AGENT_METHODS, CLIENT_METHODS
from acp.schema import (
    AgentMessageChunk,
    ClientCapabilities,
    FileSystemCapabilities,
    Implementation,
    InitializeRequest,
    InitializeResponse,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    SessionNotification,
    TextContentBlock,
    ToolCallStart,
)
from pydantic import BaseModel, ValidationError

from foldline_protoagent.coding_agents.acp.messages import (
    AcpViolation,
    M,
    Wish,
    answer_in,
    message_in,
    option_of,
    permitted,
    plain,
    wish_of,
)
from foldline_protoagent.coding_agents.line import LONGEST_ANSWER

MOST_MESSAGES = 20_000
"""So many may come for one task."""
MOST_ASKED_AT_ONCE = 20
"""Requests of an agent that come while one waits for a person."""
_LONGEST_ASKED = 64 * 1024


class AcpConnection(Protocol):
    """Lines to the agent and from it."""

    async def send(self, line: str) -> None:
        """One more to it."""
        ...

    async def receive(self) -> str:
        """The next from it. Raises where there is none to come."""
        ...

    def rest(self) -> list[str]:
        """What has come, and was not received yet. It is received with this."""
        ...


class TaskResult(msgspec.Struct, frozen=True):
    """What came of the task: what the agent said, and why it stopped."""

    text: str
    stop_reason: str


class SuspendedTalk(msgspec.Struct, frozen=True):
    """A talk that stands still: the agent waits for an answer to its request `asks`, which is one of the two
    options (None: there is none such). `prompt` is the request that we wait for; `left` are requests of its
    that came meanwhile."""

    session_id: str
    prompt: int
    asks: str | int
    yes: str | None
    no: str | None
    said: str
    messages: int
    left: tuple[str, ...]


class PermissionWait(msgspec.Struct, frozen=True):
    """A person has to be asked first for this."""

    wish: Wish
    held: SuspendedTalk


May = Callable[[Wish], Awaitable[bool | None]]
"""Whether the agent may; None: that is for a person to say."""


async def do_task(line: AcpConnection, folder: str, task: str, may: May) -> TaskResult | PermissionWait:
    """Let the agent do one task in a folder; `may` answers what it asks leave for.

    Raises `AcpViolation` and `AcpFailure`, and whatever `line` and `may` raise.
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
        raise AcpViolation(f"it speaks version {welcome.protocol_version} of ACP, not {PROTOCOL_VERSION}")
    opened = await talk.ask("session_new", NewSessionRequest(cwd=folder, mcp_servers=[]), NewSessionResponse)
    talk.session_id = opened.session_id
    block = TextContentBlock(type="text", text=task)
    await talk.begin("session_prompt", PromptRequest(session_id=opened.session_id, prompt=[block]))
    return await talk.done()


async def go_on(
    line: AcpConnection, held: SuspendedTalk, allowed: bool, may: May
) -> TaskResult | PermissionWait:
    """Let it go on with what a person answered. Raises as `do_task`."""
    talk = _Talk(line, may, held)
    await talk.allow(held, allowed=allowed)
    return await talk.done()


class _PermissionNeeded(Exception):
    """The agent's request has to be put before a person."""

    def __init__(self, wish: Wish, request: str | int, yes: str | None, no: str | None) -> None:
        super().__init__(wish.title)
        self.wish = wish
        self.request = request
        self.yes = yes
        self.no = no


class _Talk:
    """Asks the agent one thing after another, and handles what it sends meanwhile."""

    def __init__(self, line: AcpConnection, may: May, held: SuspendedTalk | None = None) -> None:
        self.session_id = "" if held is None else held.session_id
        self.said = "" if held is None else held.said
        self._line = line
        self._may = may
        self._asked = 0 if held is None else held.prompt
        self._messages = 0 if held is None else held.messages
        self._left = [] if held is None else list(held.left)

    async def ask(self, method: str, params: BaseModel, answer: type[M]) -> M:
        """The agent's answer."""
        await self.begin(method, params)
        return await self._answered(method, answer)

    async def begin(self, method: str, params: BaseModel) -> None:
        """Ask it."""
        self._asked += 1
        await self._send({"id": self._asked, "method": AGENT_METHODS[method], "params": plain(params)})

    async def done(self) -> TaskResult | PermissionWait:
        """What comes of the prompt: its end, or what has to be asked first."""
        try:
            over = await self._answered("session_prompt", PromptResponse)
        except _PermissionNeeded as asked:
            return PermissionWait(asked.wish, self._held(asked))
        return TaskResult(self.said, over.stop_reason)

    async def allow(self, held: SuspendedTalk, *, allowed: bool) -> None:
        """Answer what it waits for."""
        await self._send({"id": held.asks, "result": plain(permitted(held.yes if allowed else held.no))})

    async def _answered(self, method: str, answer: type[M]) -> M:
        while True:
            message = message_in(await self._received())
            if "method" in message:
                await self._handle(message)
            elif message.get("id") == self._asked:
                return answer_in(AGENT_METHODS[method], message, answer)
            # An answer to something that was not asked is passed over: it says nothing about this.

    def _held(self, asked: _PermissionNeeded) -> SuspendedTalk:
        """How it stands now. What has come since is heard, but for what has to be answered."""
        left = []
        for line in [*self._left, *self._line.rest()]:
            message = message_in(line)
            if "method" in message and "id" not in message:
                self._heard(message)
            else:
                left.append(line)
        if len(left) > MOST_ASKED_AT_ONCE or sum(map(len, left)) > _LONGEST_ASKED:
            raise AcpViolation(f"it asks for more than {MOST_ASKED_AT_ONCE} things at once, or for too much")
        said = self.said[: LONGEST_ANSWER + 1]
        where = (self.session_id, self._asked, asked.request, asked.yes, asked.no)
        return SuspendedTalk(*where, said, self._messages, tuple(left))

    async def _received(self) -> str:
        self._messages += 1
        if self._messages > MOST_MESSAGES:
            raise AcpViolation(f"it sent more than {MOST_MESSAGES:,} messages")
        return self._left.pop(0) if self._left else await self._line.receive()

    async def _handle(self, message: Mapping[str, Any]) -> None:
        method, params = message["method"], message.get("params")
        if "id" not in message:
            self._heard(message)
            return
        reply: dict[str, Any]
        try:
            if method != CLIENT_METHODS["session_request_permission"]:
                raise RequestError.method_not_found(str(method)[:100])
            reply = {"result": plain(await self._permission(message["id"], params))}
        except RequestError as error:
            reply = {"error": error.to_error_obj()}
        await self._send({"id": message["id"], **reply})

    def _heard(self, message: Mapping[str, Any]) -> None:
        """Note what the agent says; nothing else that it tells matters here."""
        if message["method"] != CLIENT_METHODS["session_update"]:
            return
        try:
            update = SessionNotification.model_validate(message.get("params"))
        except ValidationError:
            return  # one of a kind that is newer than we are, or nonsense: it is not what is waited for
        chunk = update.update
        if update.session_id != self.session_id:
            return
        if isinstance(chunk, ToolCallStart):  # what it says after that is another message
            self.said = f"{self.said.rstrip()}\n\n" if self.said.strip() else ""
        if not isinstance(chunk, AgentMessageChunk):
            return
        if isinstance(chunk.content, TextContentBlock) and len(self.said) <= LONGEST_ANSWER:
            self.said += chunk.content.text[: LONGEST_ANSWER + 1]

    async def _permission(self, request: Any, params: Any) -> RequestPermissionResponse:
        try:
            asked = RequestPermissionRequest.model_validate(params)
        except ValidationError as error:
            raise RequestError.invalid_params() from error
        if asked.session_id != self.session_id or not isinstance(request, str | int):
            raise RequestError.invalid_params()
        wish = wish_of(asked.tool_call)
        yes, no = (option_of(asked.options, allowed=allowed) for allowed in (True, False))
        allowed = await self._may(wish)
        if allowed is None:
            raise _PermissionNeeded(wish, request, yes, no)
        return permitted(yes if allowed else no)

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._line.send(json.dumps({"jsonrpc": "2.0", **message}))
