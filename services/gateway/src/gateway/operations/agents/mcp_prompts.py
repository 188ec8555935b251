"""Prompts of foreign servers (MCP) that a person chooses: which there are, and saying one."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from agent_contracts.api.mcp import (
    FlawedList,
    McpPrompt,
    McpPrompts,
    McpStateView,
    PromptArgument,
    SilentServer,
)
from agent_contracts.api.sessions import MAX_FILES, InputReceipt
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind, Permanent, Rejected, ToolError, Transient
from agent_contracts.ids import AgentId, CallId, SessionId
from agent_contracts.json_value import Json
from agent_contracts.questions.code_calls import CodeCall
from agent_contracts.session_events.inputs import FromPrompt, UserMessage
from agent_domain.mcp.offered_tools import escaped
from agent_domain.sessions.directory import SessionDirectory
from agent_platform.log.port import Log
from agent_platform.process.clock import Clock
from gateway.operations.agents.mcp_servers import McpServers
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.ports import McpHosts
from gateway.operations.sessions.inputs import Inputs
from gateway.operations.sessions.rules import check_message
from gateway.operations.sessions.sent_files import SentFiles

LISTED_WITHIN_S = 25.0
"""Seconds that a server has to list its prompts: a person waits, and the others are there."""
_MOST_FLAWS = 20
_KINDS: Mapping[ErrorKind, str] = {
    ErrorKind.NOT_FOUND: "not_found",
    ErrorKind.INVALID_ARGUMENTS: "invalid_request",
    ErrorKind.TOO_LARGE: "too_large",
}


class _PromptListing(NamedTuple):
    """What one server told."""

    prompts: list[McpPrompt]
    flaws: list[FlawedList]


class ServerPrompts:
    """Lists and says them. `Rejected(kind="not_found")` where there is no such agent, server or prompt."""

    def __init__(  # noqa: PLR0913 — whom it asks, what it writes by, what can be sent
        self,
        log: Log,
        clock: Clock,
        directory: SessionDirectory,
        servers: McpServers,
        hosts: McpHosts,
        saying: Inputs,
        files: SentFiles,
    ) -> None:
        self._log = log
        self._clock = clock
        self._directory = directory
        self._servers = servers
        self._hosts = hosts
        self._saying = saying
        self._files = files

    async def listed(self, agent_id: AgentId) -> McpPrompts:
        """Those of all servers that are switched on; each is connected with, if it isn't."""
        found = (await self._servers.listed(agent_id)).items
        names = [one.name for one in found if one.enabled and _may_have(one.status)]
        told = await asyncio.gather(*(self._of(agent_id, name) for name in names))
        return McpPrompts(
            items=[prompt for one in told if isinstance(one, _PromptListing) for prompt in one.prompts],
            silent=[one for one in told if isinstance(one, SilentServer)],
            flaws=[flaw for one in told if isinstance(one, _PromptListing) for flaw in one.flaws],
        )

    async def say(
        self,
        session_id: SessionId,
        prompt: FromPrompt,
        request: IdempotentRequest,
        files: tuple[str, ...] = (),
    ) -> InputReceipt:
        """Get the prompt of its server, and say what it says in the person's name, with its files and these.

        A repeat of the key asks no server again. `Rejected(kind="mcp_server_failed")` where the server can't
        be reached, or gives nothing; nothing is said then.
        """
        session = await self._directory.find(session_id)
        if (before := await self._saying.earlier(session.key, UserMessage, request)) is not None:
            return before
        if (refusal := await self._directory.refusal(session)) is not None:
            raise refusal
        own = await self._files.of(session_id, files)
        arguments: dict[str, Json] = {"name": prompt.name, "arguments": dict(prompt.arguments)}
        asked = await self._asked(session.agent_id, prompt.server, "get_mcp_prompt", arguments)
        call_id = request.derived_id("p", session_id, "prompt") or asked.call_id
        asked = msgspec.structs.replace(asked, session_id=session_id, call_id=CallId(call_id))
        said = _result(await self._hosts.call(asked), prompt)
        text, brought = _text(said["messages"]), tuple(_files(said["messages"]))[: MAX_FILES - len(own)]
        if not text.strip() and not brought:
            raise Rejected("The prompt is empty. Nothing was sent", kind="mcp_server_failed")
        check_message(text, brought)
        came = await self._files.of(session_id, brought)
        event = UserMessage(text=text, files=(*own, *came), prompt=prompt)
        return await self._saying.append_unless_refused(session, event, request, None)

    async def _of(self, agent_id: AgentId, server: str) -> _PromptListing | SilentServer:
        try:
            async with asyncio.timeout(LISTED_WITHIN_S):
                answer = await self._hosts.call(await self._asked(agent_id, server, "list_mcp_prompts", {}))
        except TimeoutError:
            return SilentServer(server=server, why=f"It didn't answer within {LISTED_WITHIN_S:g} seconds.")
        except Transient as failure:
            return SilentServer(server=server, why=f"{failure.message}.")
        if answer.error is not None:
            return SilentServer(server=server, why=escaped(answer.error.message))
        return _told(server, answer.result)

    async def _asked(self, agent_id: AgentId, server: str, tool: str, arguments: dict[str, Json]) -> CodeCall:
        return CodeCall(
            agent_id=agent_id,
            session_id=None,
            call_id=CallId(self._clock.new_id("p")),
            number=0,
            sequence=await self._log.last_sequence(),
            attempt=1,
            tool=tool,
            arguments={"server": server, **arguments},
        )


def _may_have(status: McpStateView | None) -> bool:
    """Whether it may have prompts: one that is connected says so."""
    return status is None or status.prompts or status.state not in ("connected", "changed")


def _told(server: str, listed: Any) -> _PromptListing:
    prompts = [_shown(server, one) for one in listed["prompts"] if escaped(one["name"]) == one["name"]]
    hidden = [one["name"] for one in listed["prompts"] if escaped(one["name"]) != one["name"]]
    unseen = [{"name": name, "flaw": "its name has characters that can't be seen"} for name in hidden]
    said = [
        f"the prompt {escaped(one['name'])} can't be used: {escaped(one['flaw'])}"
        for one in (*listed["unusable"], *unseen)
    ]
    if listed["incomplete"]:
        said.append(f"its list of prompts may not be complete: {escaped(listed['incomplete'])}")
    if listed["more"]:
        said.append(f"{listed['more']} more of its prompts are not listed")
    more = len(said) - _MOST_FLAWS
    if more > 0:
        said = [*said[:_MOST_FLAWS], f"{more} more of its prompts can't be used"]
    return _PromptListing(prompts, [FlawedList(server=server, what=one) for one in said])


def _shown(server: str, told: dict[str, Any]) -> McpPrompt:
    return McpPrompt(
        server=server,
        name=told["name"],
        title=escaped(told["title"]),
        description=escaped(told["description"]),
        arguments=[
            PromptArgument(
                name=one["name"], description=escaped(one["description"]), required=one["required"]
            )
            for one in told["arguments"]
        ],
    )


def _result(answer: ToolAnswer, prompt: FromPrompt) -> Any:
    """What the tool gave. Raises for what it refused, with what became of the message."""
    if answer.error is None:
        return answer.result
    raise _failure(answer.error, f"The prompt {prompt.name!r} of {prompt.server}")


def _failure(error: ToolError, what: str) -> Rejected | Permanent:
    message = f"{what} can't be had: {escaped(error.message)}. Nothing was sent"
    if error.kind is ErrorKind.INTERNAL:
        return Permanent(message, kind="internal")
    return Rejected(message, kind=_KINDS.get(error.kind, "mcp_server_failed"))


def _text(messages: list[dict[str, Any]]) -> str:
    """What all of them say. Where some are the assistant's, each has whose it is before it."""
    told = [(one["role"], "\n\n".join(_words(one["content"]))) for one in messages]
    several = any(role != "user" for role, _ in told)
    said = (f"{role.capitalize()}: {text}" if several else text for role, text in told if text)
    return "\n\n".join(said)


def _words(content: dict[str, Any]) -> Iterator[str]:
    if content.get("text"):
        yield content["text"]
    for link in content.get("links", ()):
        yield f"{link.get('name', '')}: {link['uri']}".removeprefix(": ")
    for note in content.get("notes", ()):
        yield f"({note})"


def _files(messages: list[dict[str, Any]]) -> Iterator[str]:
    for one in messages:
        for file in one["content"].get("files", ()):
            yield file["file_id"]
