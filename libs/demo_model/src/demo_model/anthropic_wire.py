"""The bodies of Anthropic's Messages API, and its requests read as chat completions."""

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import structs

from demo_model.conversation import text
from demo_model.request_tools import BadBody
from demo_model.script import ScriptedUsage
from demo_model.scripted_answer import ScriptedAnswer
from demo_model.wire import Stamp, pieces

DONE = b""
"""Nothing: the last event says that it is the last."""
_STOP_REASONS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
_ERRORS = {
    "requests": "rate_limit_error",
    "server_error": "overloaded_error",
    "script_error": "api_error",
}
_TOO_LONG = "context_length_exceeded"


def as_chat(body: Mapping[str, Any]) -> dict[str, Any]:
    """The request as one of OpenAI's interface. Raises `BadBody` for what Anthropic would refuse."""
    if not isinstance(body.get("max_tokens"), int):
        raise BadBody("max_tokens: Field required")
    messages: list[dict[str, Any]] = []
    if system := text({"content": body.get("system")}):
        messages.append({"role": "system", "content": system})
    roles = []
    for message in body.get("messages") or []:
        roles.append(message["role"])
        messages += _chat_messages(message["role"], _blocks(message))
    if any(one == another for one, another in pairwise(roles)) or roles[:1] != ["user"]:
        raise BadBody("messages: roles must alternate, the first one being the user's")
    tools = [
        {"type": "function", "function": {**tool, "parameters": tool["input_schema"]}}
        for tool in body.get("tools") or []
    ]
    return {"model": body.get("model"), "messages": messages, "tools": tools, "stream": body.get("stream")}


def completion(answer: ScriptedAnswer, stamp: Stamp) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    content: list[dict[str, Any]] = [*answer.thinking]
    if said := answer.text or answer.refusal:
        content.append({"type": "text", "text": said})
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
        for call in answer.calls
    ]
    reason = _STOP_REASONS.get(answer.finish, answer.finish)
    return {**_message(stamp, usage(answer.usage)), "content": content, "stop_reason": reason}


def chunks(answer: ScriptedAnswer, stamp: Stamp) -> list[bytes]:
    """The events of a streamed answer up to the end of its content, one piece of it in each chunk."""
    asked = structs.replace(answer.usage, completion_tokens=1)
    events = [_event("message_start", message=_message(stamp, {} if answer.usage.omit else usage(asked)))]
    index = 0
    for block in answer.thinking:
        events += _thought(index, block)
        index += 1
    for said in filter(None, (answer.text, answer.refusal)):
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(said, answer.pace)]
        events += _block(index, {"type": "text", "text": ""}, deltas)
        index += 1
    for call in answer.calls:
        begun: dict[str, Any] = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        arguments = "" if call.arguments == "{}" else call.arguments
        deltas = [
            {"type": "input_json_delta", "partial_json": piece} for piece in pieces(arguments, answer.pace)
        ]
        events += _block(index, begun, deltas)
        index += 1
    return _by_piece(events)


def ending(answer: ScriptedAnswer, stamp: Stamp, *, include_usage: bool) -> list[bytes]:
    """What closes a streamed answer: why it ends, the usage, the last event."""
    reason = _STOP_REASONS.get(answer.finish, answer.finish)
    figures = {} if answer.usage.omit else {"output_tokens": answer.usage.completion_tokens or 0}
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [_event("message_delta", delta=delta, usage=figures), _event("message_stop")]


def usage(figures: ScriptedUsage) -> dict[str, Any]:
    """Token figures as reported: what was kept is counted apart."""
    kept, written = figures.cached_tokens or 0, figures.cache_written or 0
    return {
        "input_tokens": max(0, (figures.prompt_tokens or 0) - kept - written),
        "cache_read_input_tokens": kept,
        "cache_creation_input_tokens": written,
        "output_tokens": figures.completion_tokens or 0,
    }


def error(message: str, kind: str, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """An error body, from OpenAI's `type` and `code`."""
    if code == _TOO_LONG:
        message = f"prompt is too long. {message}"
    named = {"insufficient_quota": "billing_error", "invalid_api_key": "authentication_error"}.get(code or "")
    kind = named or _ERRORS.get(kind, kind)
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_demo"}


def event(body: Any) -> bytes:
    """One server-sent event."""
    return f"event: {body['type']}\n".encode() + b"data: " + msgspec.json.encode(body) + b"\n\n"


def _by_piece(events: list[bytes]) -> list[bytes]:
    chunks = [b""]
    for one in events:
        if b"content_block_delta" in chunks[-1] and not one.startswith(b"event: content_block_stop"):
            chunks.append(b"")
        chunks[-1] += one
    return chunks


def _event(kind: str, **more: Any) -> bytes:
    return event({"type": kind, **more})


def _block(index: int, begun: dict[str, Any], deltas: list[dict[str, Any]]) -> list[bytes]:
    return [
        _event("content_block_start", index=index, content_block=begun),
        *(_event("content_block_delta", index=index, delta=delta) for delta in deltas),
        _event("content_block_stop", index=index),
    ]


def _thought(index: int, block: Mapping[str, Any]) -> list[bytes]:
    if block["type"] != "thinking":
        return _block(index, dict(block), [])
    deltas = [
        {"type": "thinking_delta", "thinking": block["thinking"]},
        {"type": "signature_delta", "signature": block["signature"]},
    ]
    return _block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)


def _message(stamp: Stamp, figures: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": stamp.id.replace("chatcmpl-", "msg_"),
        "type": "message",
        "role": "assistant",
        "model": stamp.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": figures,
    }


def _blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    blocks: list[dict[str, Any]] = (
        [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    )
    if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
        raise BadBody("messages: text content blocks must contain non-whitespace text")
    return blocks


def _chat_messages(role: str, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if role == "assistant":
        calls = [
            {
                "id": block["id"],
                "type": "function",
                "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
            }
            for block in blocks
            if block["type"] == "tool_use"
        ]
        return [{"role": role, "content": text({"content": blocks}), "tool_calls": calls}]
    results = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
        for block in blocks
        if block["type"] == "tool_result"
    ]
    said = text({"content": blocks})
    return [*results, {"role": role, "content": said}] if said or not results else results
