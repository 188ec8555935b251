"""A request in the form of Ollama's own API, out of the form that OpenAI gave to all others. Pure.

Its other API, that of OpenAI, has no `num_ctx`: there Ollama takes a window of its own, and cuts what is
longer without a word.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agent_contracts.json_value import Json
from model_caller.providers.json_fields import decoded
from session_domain.model_requests.request import ModelRequest

_OPTIONS = {"temperature": "temperature", "max_tokens": "num_predict", "stop": "stop", "seed": "seed"}
_DATA_URL = re.compile(r"data:[\w/+.-]+;base64,(.*)", re.DOTALL)


def body_of(request: ModelRequest, model: str, num_ctx: int | None) -> dict[str, Json]:
    """The request's JSON. `num_ctx`: the window in tokens with which the model is loaded; None: its own."""
    body: dict[str, Json] = {"model": model, "stream": True, "messages": list(_messages(request.messages))}
    if request.tools:
        body["tools"] = [*request.tools]
    options = _options(request.options)
    if num_ctx is not None:
        options["num_ctx"] = num_ctx
    if options:
        body["options"] = options
    effort = request.options.get("reasoning_effort")
    if effort is not None:  # a word is only understood for gpt-oss, which has no other switch
        body["think"] = effort if model.startswith("gpt-oss") else effort != "none"
    form = request.options.get("response_format")
    if isinstance(form, dict):
        body["format"] = _schema(form)
    return body


def _options(given: Mapping[str, Any]) -> dict[str, Json]:
    return {theirs: given[ours] for ours, theirs in _OPTIONS.items() if given.get(ours) is not None}


def _schema(form: Mapping[str, Any]) -> Json:
    schema: Json = (form.get("json_schema") or {}).get("schema")
    return schema if schema is not None else "json"


def _messages(messages: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Results name their tool, since a model of Ollama's knows no ids."""
    named: dict[str, str] = {}
    made: list[Json] = []
    for message in messages:
        text, images = _content(message.get("content"))
        one: dict[str, Json] = {"role": message["role"], "content": text}
        if images:
            one["images"] = [*images]
        calls = message.get("tool_calls") or []
        if calls:
            one["tool_calls"] = [_call(call) for call in calls]
            named |= {call["id"]: call["function"]["name"] for call in calls}
        if message["role"] == "tool":
            one["tool_name"] = named.get(message["tool_call_id"], "")
        made.append(one)
    return made


def _call(call: Mapping[str, Any]) -> Json:
    function = call["function"]
    try:
        arguments = decoded(function["arguments"] or "{}")
    except ValueError:
        arguments = {}  # it was malformed and never ran: its result says so
    given = arguments if isinstance(arguments, dict) else {"arguments": arguments}
    return {"function": {"name": function["name"], "arguments": given}}


def _content(content: Any) -> tuple[str, list[str]]:
    if isinstance(content, str) or content is None:
        return content or "", []
    texts, images = [], []
    for part in content:
        if part.get("type") != "image_url":
            texts.append(str(part.get("text", "")))
        elif inline := _DATA_URL.fullmatch(part["image_url"]["url"]):
            images.append(inline[1])
    return "\n".join(filter(None, texts)), images
