"""A request's messages, read as a conversation. Pure: the same messages give the same answers."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from demo_model.request_tools import BadBody, RequestTools, offered


@dataclass(frozen=True)
class ConversationCall:
    """A tool call the conversation holds, and its result once it has one."""

    id: str
    name: str
    arguments: Any
    result: Any = None
    answered: bool = False
    latest: bool = False
    """Whether the last assistant message made it."""

    @property
    def failed(self) -> bool:
        """Whether its result is an error."""
        return isinstance(self.result, dict) and bool(self.result.get("error"))


@dataclass(frozen=True)
class Conversation:
    """What a script can see of a request."""

    model: str
    system: str
    first_user: str
    last_user: str
    users: int
    call: int
    """Number of this model call in the conversation, from 1."""
    step: int
    """Number of this model call since the last user message, from 1."""
    calls: tuple[ConversationCall, ...]
    """The tool calls since the last user message."""
    results: tuple[Any, ...]
    """Tool results since the last user message, in the order of the messages; JSON is parsed."""
    last_tool: str | None
    """The tool whose result is the last message, if it is one."""
    last_tool_result: str
    tools: RequestTools
    prompt_tokens: int
    """A rough count, about four characters to a token, of messages and tools."""

    @property
    def failures(self) -> tuple[ConversationCall, ...]:
        """The calls of the last assistant message that ended in an error."""
        return tuple(call for call in self.calls if call.latest and call.failed)

    @property
    def key(self) -> str:
        """Tells conversations apart by their first user message."""
        return hashlib.sha256(self.first_user.encode()).hexdigest()[:16]


_OF_RESULTS = "[Foldline] The pictures of these results."
_TIME = re.compile(r"(?:^|\n\n)\[Foldline\] It is \d{4}-\d\d-\d\d \d\d:\d\d \([^)]*\)\.(?:\n\n|$)")


def _said_by_nobody(message: Mapping[str, Any]) -> bool:
    """Whether it only brings pictures (results can't hold them) or tells the time."""
    if message["role"] != "user":
        return False
    said = text(message)
    return said.startswith(_OF_RESULTS) or (bool(said) and not said_in(message))


def said_in(message: Mapping[str, Any]) -> list[str]:
    """What a user said in a message, without the times that Foldline tells with it: what stands after each is
    a message of its own that was merged with the one before."""
    said = text(message)
    return [one for one in _TIME.split(said) if one] if _TIME.search(said) else [said]


def read(body: Mapping[str, Any]) -> Conversation:
    """Read the body of a chat completion request. Raises `BadBody`."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadBody("'messages' must be a non-empty list")
    if not all(isinstance(message, dict) and isinstance(message.get("role"), str) for message in messages):
        raise BadBody("each of 'messages' must be an object with a 'role'")
    messages = [message for message in messages if not _said_by_nobody(message)]
    roles = [message["role"] for message in messages]
    users = [said for message in messages if message["role"] == "user" for said in said_in(message)]
    since = len(roles) - 1 - roles[::-1].index("user") if users else -1
    calls, results, last_tool = _tool_calls(messages[since + 1 :])
    system = "\n\n".join(text(m) for m in messages if m["role"] in ("system", "developer"))
    return Conversation(
        model=str(body.get("model", "")),
        system=system,
        first_user=users[0] if users else "",
        last_user=users[-1] if users else "",
        users=len(users),
        call=roles.count("assistant") + 1,
        step=roles[since + 1 :].count("assistant") + 1,
        calls=calls,
        results=results,
        last_tool=last_tool if roles[-1] == "tool" else None,
        last_tool_result=next((text(m) for m in reversed(messages[since + 1 :]) if m["role"] == "tool"), ""),
        tools=offered(body, system),
        prompt_tokens=tokens(msgspec.json.encode(body["messages"]).decode())
        + tokens(msgspec.json.encode(body.get("tools") or "").decode()),
    )


def text(message: Mapping[str, Any]) -> str:
    """A message's text: its content, or the text parts of it."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""


def tokens(characters: str) -> int:
    """A rough count of tokens, about four characters to one."""
    return (len(characters) + 3) // 4


def _tool_calls(
    messages: Sequence[Mapping[str, Any]],
) -> tuple[tuple[ConversationCall, ...], tuple[Any, ...], str | None]:
    """Pair calls with results: by id, the first open one where ids repeat."""
    calls: list[ConversationCall] = []
    results: list[Any] = []
    last_tool: str | None = None
    for message in messages:
        if message["role"] == "assistant":
            calls = [replace(call, latest=False) for call in calls] + _calls_of(message)
        elif message["role"] == "tool":
            result = _parsed(_unframed(text(message)))
            results.append(result)
            last_tool = str(message.get("name") or "")
            for index, call in enumerate(calls):
                if call.id == (message.get("tool_call_id") or "") and not call.answered:
                    calls[index] = replace(call, result=result, answered=True)
                    last_tool = call.name
                    break
    return tuple(calls), tuple(results), last_tool


def _calls_of(message: Mapping[str, Any]) -> list[ConversationCall]:
    try:
        return [
            ConversationCall(
                id=str(call.get("id") or ""),
                name=str(call["function"]["name"]),
                arguments=_parsed(call["function"]["arguments"]),
                latest=True,
            )
            for call in message.get("tool_calls") or ()
        ]
    except (AttributeError, TypeError, KeyError) as error:
        raise BadBody("each of 'tool_calls' must be an object with 'id' and 'function'") from error


def _unframed(content: str) -> str:
    """A tool's result without the line that says that it is material from outside."""
    if not content.startswith("<outside from="):
        return content
    return content.partition("\n")[2].removesuffix("\n</outside>")


def _parsed(characters: str) -> Any:
    try:
        return json.loads(characters)
    except ValueError:
        return characters
