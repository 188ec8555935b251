"""The bodies of OpenAI's chat completion API: whole answers, stream chunks, errors, the list of models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import structs

from demo_model.script import ScriptedUsage, StreamPace
from demo_model.scripted_answer import ScriptedAnswer

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True)
class Stamp:
    """What identifies one response: the same in each of its chunks."""

    id: str
    created: int
    """Unix time, seconds."""
    model: str


def completion(answer: ScriptedAnswer, stamp: Stamp) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    content = _content(answer, answer.text) if answer.text else None if answer.calls else ""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if answer.refusal:
        message["refusal"] = answer.refusal
    if answer.calls:
        message["tool_calls"] = [
            _with_id(
                call.id, {"type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            )
            for call in answer.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": answer.finish, "logprobs": None}
    body = {**_head(stamp, "chat.completion"), "choices": [choice]}
    return body if answer.usage.omit else {**body, "usage": usage(answer.usage)}


def chunks(answer: ScriptedAnswer, stamp: Stamp) -> list[bytes]:
    """The content chunks of a streamed answer, in order; the first one carries the role."""
    deltas: list[dict[str, Any]] = [
        {"content": _content(answer, piece)} for piece in pieces(answer.text, answer.pace)
    ]
    deltas += [{"refusal": piece} for piece in pieces(answer.refusal, answer.pace)]
    for index, call in enumerate(answer.calls):
        function = {"name": call.name, "arguments": ""}
        deltas.append(
            {"tool_calls": [_with_id(call.id, {"index": index, "type": "function", "function": function})]}
        )
        deltas.extend(
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in pieces(call.arguments, answer.pace)
        )
    first = {
        "role": "assistant",
        "content": "" if not answer.calls else None,
        **(deltas[0] if deltas else {}),
    }
    sent = [first, *deltas[1:]]
    if not answer.usage.as_it_goes:
        return [_chunk(stamp, [_choice(delta)]) for delta in sent]
    return [
        _chunk(stamp, [_choice(delta)], usage=usage(_so_far(answer.usage, number, len(sent))))
        for number, delta in enumerate(sent, 1)
    ]


def ending(answer: ScriptedAnswer, stamp: Stamp, *, include_usage: bool) -> list[bytes]:
    """What closes a streamed answer: the finish reason, the usage if asked for, the end mark."""
    closing = [_chunk(stamp, [_choice({}, answer.finish)])]
    if include_usage and not answer.usage.omit:
        closing.append(_chunk(stamp, [], usage=usage(answer.usage)))
    return [*closing, DONE]


def usage(figures: ScriptedUsage) -> dict[str, Any]:
    """Token figures as reported."""
    prompt, completion = figures.prompt_tokens or 0, figures.completion_tokens or 0
    body: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if figures.cached_tokens is not None:
        body["prompt_tokens_details"] = {"cached_tokens": figures.cached_tokens}
    return body


def error(message: str, kind: str, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """An error body. `kind` is OpenAI's `type`."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def models(names: Sequence[str]) -> dict[str, Any]:
    """The answer to `GET /v1/models`."""
    entries = [{"id": name, "object": "model", "created": 0, "owned_by": "foldline"} for name in names]
    return {"object": "list", "data": entries}


def event(body: Any) -> bytes:
    """One server-sent event."""
    return b"data: " + msgspec.json.encode(body) + b"\n\n"


def pieces(text: str, pace: StreamPace) -> list[str]:
    """The text cut as the pace says. No text, no pieces."""
    size = pace.size if pace.chunks is None else max(1, -(-len(text) // pace.chunks))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _content(answer: ScriptedAnswer, text: str) -> str | list[dict[str, str]]:
    return [{"type": "text", "text": text}] if answer.parts else text


def _so_far(figures: ScriptedUsage, number: int, chunks: int) -> ScriptedUsage:
    """The figures after so many of the chunks."""
    written = (figures.completion_tokens or 0) * number // chunks
    return structs.replace(figures, completion_tokens=written)


def _head(stamp: Stamp, kind: str) -> dict[str, Any]:
    return {"id": stamp.id, "object": kind, "created": stamp.created, "model": stamp.model}


def _chunk(stamp: Stamp, choices: list[dict[str, Any]], **more: Any) -> bytes:
    return event({**_head(stamp, "chat.completion.chunk"), "choices": choices, **more})


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}


def _with_id(call_id: str | None, rest: dict[str, Any]) -> dict[str, Any]:
    return rest if call_id is None else {"id": call_id, **rest}
