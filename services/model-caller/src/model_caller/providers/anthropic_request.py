"""A request in the form of Anthropic's Messages API, out of the form that OpenAI gave to all others. Pure.

Marks what the provider is to keep for the next call (`cache_control`; the API takes four marks): up to the
tools, up to the system prompt, up to where the call before this one ended, and up to the end. A mark further
back than twenty blocks is not found again, which the third one is for.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import Thought
from agent_contracts.thinking_choice import LEAST_BUDGET
from model_caller.providers.anthropic_tools import Block, ReferredTools
from session_domain.model_requests.request import ModelRequest

CACHE_MARK = "cache_control"
_KEEP: Json = {"type": "ephemeral"}
_DATA_URL = re.compile(r"data:([\w/+.-]+);base64,(.*)", re.DOTALL)
_TAKES_TEMPERATURE = re.compile(r"claude-(3-|[a-z]+-4-([0-6](-|$)|20))")
"""Older models. Newer ones refuse a request that has one."""
_LEAST_SAID = 1_024
"""Tokens of the longest answer that are left for what is said, beside thinking."""
_SILENCE = "(nothing)"
"""In place of a blank message: the API refuses those."""


def body_of(
    request: ModelRequest, model: str, longest_answer: int, *, by_reference: bool = False
) -> dict[str, Json]:
    """The request's JSON. `longest_answer`: tokens, unless the request says. `by_reference`: tools that were
    found are loaded by the API (see `anthropic_tools`)."""
    system = [_text(message) for message in request.messages if message["role"] == "system"]
    rest = [message for message in request.messages if message["role"] != "system"]
    others = [str(at) for at, message in enumerate(request.messages) if message["role"] != "system"]
    thoughts = {id(message): request.thoughts.get(at, ()) for at, message in zip(others, rest, strict=True)}
    found = ReferredTools(rest if by_reference else [], request.tools)
    turns = _turns(rest, thoughts, found)
    _mark(turns)
    body: dict[str, Json] = {
        "model": model,
        "max_tokens": request.options.get("max_tokens") or longest_answer,
        "stream": True,
        "messages": turns,
    }
    if system:
        body["system"] = [{"type": "text", "text": "\n\n".join(system), CACHE_MARK: _KEEP}]
    if request.tools:
        tools = [_tool(tool) for tool in request.tools]
        body["tools"] = [*tools[:-1], tools[-1] | {CACHE_MARK: _KEEP}, *found.tools]
    return _thinking(body | _options(request.options, model), request.options.get("thinking"))


def _thinking(body: dict[str, Json], thinking: Json) -> dict[str, Json]:
    """The request with a budget for thinking. It is left out where the API would refuse it: in the middle of
    a turn that began without thinking, and where there is no room for it within the longest answer."""
    longest, turns = body["max_tokens"], body["messages"]
    if not isinstance(thinking, dict) or not isinstance(longest, int) or not _may_think(turns):
        return body
    wanted = thinking.get("budget_tokens")
    budget = min(wanted, longest - _LEAST_SAID) if isinstance(wanted, int) else 0
    if budget < LEAST_BUDGET:
        return body
    kept = {name: value for name, value in body.items() if name != "temperature"}
    return {**kept, "thinking": {**thinking, "budget_tokens": budget}}


def _may_think(turns: Any) -> bool:
    """Whether an answer that goes on after results of tools goes on with thinking."""
    if len(turns) < 2 or turns[-1]["content"][0]["type"] != "tool_result":
        return True
    return turns[-2]["content"][0]["type"] in ("thinking", "redacted_thinking")


def unmarked(body: dict[str, Json]) -> dict[str, Json]:
    """The same request without the marks, for a server that doesn't know them."""

    def bare(value: Json) -> Json:
        if isinstance(value, list):
            return [bare(one) for one in value]
        if isinstance(value, dict):
            return {name: one for name, one in value.items() if name != CACHE_MARK}
        return value

    turns: Any = body["messages"]
    messages = [turn | {"content": bare(turn["content"])} for turn in turns]
    return (
        body
        | {name: bare(body[name]) for name in ("system", "tools") if name in body}
        | {"messages": messages}
    )


def _turns(
    messages: Sequence[Mapping[str, Any]], thoughts: Mapping[int, Sequence[Thought]], found: ReferredTools
) -> list[Json]:
    """User and assistant in turn: all results of one answer, and what follows them, are one message."""
    turns: list[Any] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = _blocks(message, thoughts, found)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    for turn in turns:
        turn["content"] = turn["content"] or [{"type": "text", "text": _SILENCE}]
        if turn["role"] == "user":  # results come first
            turn["content"].sort(key=lambda block: block["type"] != "tool_result")
    return turns


def _mark(turns: list[Any]) -> None:
    """Have everything up to the end kept, and up to where the last call ended."""
    users = [turn for turn in turns if turn["role"] == "user"]
    for turn in users[-2:]:
        turn["content"][-1] = turn["content"][-1] | {CACHE_MARK: _KEEP}


def _blocks(
    message: Mapping[str, Any], thoughts: Mapping[int, Sequence[Thought]], found: ReferredTools
) -> list[Block]:
    match message["role"]:
        case "tool":
            call_id = message["tool_call_id"]
            content = found.content(call_id) or message.get("content") or ""
            result = {"type": "tool_result", "tool_use_id": call_id, "content": content}
            return [result, *_words(found.beside(call_id))]
        case "assistant":
            blocks = [one for one in thoughts.get(id(message), ()) if one.place == "block"]
            return _said(_text(message), [_call(call) for call in message.get("tool_calls") or []], blocks)
        case _:
            return _parts(message.get("content"))


def _said(text: str, calls: list[Block], thoughts: Sequence[Thought]) -> list[Block]:
    """An answer's blocks, its thoughts where they stood among them: the API refuses any other place."""
    blocks: list[Block] = []
    text_from = call_from = 0
    for thought in thoughts:
        blocks += _words(text[text_from : thought.text_at]) + calls[call_from : thought.call_at]
        text_from, call_from = max(text_from, thought.text_at), max(call_from, thought.call_at)
        blocks.append(thought.block)
    return blocks + _words(text[text_from:]) + calls[call_from:]


def _words(text: str) -> list[Block]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _parts(content: Any) -> list[Block]:
    if isinstance(content, str):
        return _words(content)
    return [block for part in content or [] for block in _part(part)]


def _part(part: Mapping[str, Any]) -> list[Block]:
    if part.get("type") != "image_url":
        return _words(str(part.get("text", "")))
    address = part["image_url"]["url"]
    inline = _DATA_URL.fullmatch(address)
    if inline is None:
        return [{"type": "image", "source": {"type": "url", "url": address}}]
    return [{"type": "image", "source": {"type": "base64", "media_type": inline[1], "data": inline[2]}}]


def _call(call: Mapping[str, Any]) -> Block:
    function = call["function"]
    arguments = msgspec.json.decode(function["arguments"] or "{}")
    return {"type": "tool_use", "id": call["id"], "name": function["name"], "input": arguments}


def _tool(tool: Mapping[str, Any]) -> Block:
    function = tool["function"]
    return {
        "name": function["name"],
        "description": function.get("description", ""),
        "input_schema": function["parameters"],
    }


def _options(options: Mapping[str, Any], model: str) -> dict[str, Json]:
    taken: dict[str, Json] = {}
    if options.get("temperature") is not None and _TAKES_TEMPERATURE.match(model):
        taken["temperature"] = min(1.0, options["temperature"])
    form = options.get("response_format")
    if form:
        taken["output_config"] = {
            "format": {"type": "json_schema", "schema": closed(form["json_schema"]["schema"])}
        }
    return taken


def closed(schema: Any) -> Any:
    """The schema with every object closed that says nothing of other properties: the API asks for that."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(value) for name, value in schema.items()}
    is_object = schema.get("type") == "object" or "properties" in schema
    return {"additionalProperties": False} | inner if is_object else inner


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content or [])
