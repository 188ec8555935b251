"""Requests in the form for one model. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from agent_contracts.entities.model_adaptations import Adaptation
from agent_contracts.json_value import Json
from model_caller.choosing.call_adaptations import CallAdaptations
from model_caller.providers.adapting.messages import adapted_messages
from model_caller.providers.adapting.schemas import plain_tools
from session_domain.model_requests.encoded_array import Element
from session_domain.model_requests.request import ModelRequest

_NEEDED = frozenset({"model", "messages", "stream", "tools"})
PROGRESS = "return_progress"
"""Has llama.cpp's server tell how much of a prompt it has read."""
_LONGEST = ("max_tokens", "max_completion_tokens")


def adapted_request(request: ModelRequest, adapted: CallAdaptations) -> ModelRequest:
    """The request in the form for this model; the very same where it needs no other."""
    if not adapted.labels:
        return request
    options = {name: value for name, value in request.options.items() if name not in adapted.without}
    form = None if "response_format" in options else request.options.get("response_format")
    messages = adapted_messages(request.messages, adapted)
    limit = adapted.answer_limit
    for name in _LONGEST:
        asked = options.get(name)
        if limit is not None and isinstance(asked, int):
            options[name] = min(asked, limit)
    thoughts = {} if adapted.has(Adaptation.NO_REASONING) else request.thoughts
    return msgspec.structs.replace(
        request,
        messages=[*messages, _in_words(form)] if isinstance(form, dict) else messages,
        tools=_tools(request, adapted),
        options=options,
        thoughts=thoughts,
    )


def _tools(request: ModelRequest, adapted: CallAdaptations) -> Sequence[Element]:
    if adapted.has(Adaptation.NO_TOOLS):
        return ()
    return plain_tools(request.tools) if adapted.has(Adaptation.PLAIN_SCHEMAS) else request.tools


def adapted_fields(fields: Mapping[str, Any], adapted: CallAdaptations) -> dict[str, Any]:
    """The fields of a request beside its messages, as they are sent."""
    kept = {name: value for name, value in fields.items() if name not in adapted.without or name in _NEEDED}
    if adapted.has(Adaptation.COMPLETION_TOKENS) and "max_tokens" in kept:
        kept["max_completion_tokens"] = kept.pop("max_tokens")
    return kept


def sent_fields(request: ModelRequest, besides: frozenset[str]) -> frozenset[str]:
    """The optional fields that a request is sent with; `besides` its options are those of its interface."""
    return besides | {name for name, value in request.options.items() if value is not None}


def _in_words(form: dict[str, Json]) -> Element:
    """What the model is asked for where its server takes no form of an answer."""
    schema = form.get("json_schema")
    shape = schema.get("schema") if isinstance(schema, dict) else None
    text = msgspec.json.encode(shape).decode() if shape else "any"
    return {"role": "user", "content": f"Answer with JSON alone, of this schema: {text}"}
