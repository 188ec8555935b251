"""Servers that stream by hand, in each interface's words, for the suite that all providers pass."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


class Asked(msgspec.Struct):
    """A request that a server got."""

    path: str
    head: str
    body: Any


Kind = Iterable[bytes] | Callable[[Asked], Iterable[bytes]]
"""What a server sends to each request: these parts, or those."""


class OpenAI:
    """Chunks of chat completions."""

    def text(self, text: str) -> list[Any]:
        return [_choice({"content": text})]

    def call(self, index: int, call_id: str, name: str) -> list[Any]:
        function = {"name": name, "arguments": ""}
        return [_choice({"tool_calls": [{"index": index, "id": call_id, "function": function}]})]

    def arguments(self, index: int, part: str) -> list[Any]:
        return [_choice({"tool_calls": [{"index": index, "function": {"arguments": part}}]})]

    def end(self, reason: str, usage: Any = None) -> list[Any]:
        finish = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
        return [finish] if usage is None else [finish, {"choices": [], "usage": usage}]

    def close(self) -> list[Any]:
        return ["[DONE]"]

    def usage(self, prompt: Any, answered: Any, cached: Any) -> Any:
        return {
            "prompt_tokens": prompt,
            "completion_tokens": answered,
            "total_tokens": 1,
            "prompt_tokens_details": {"cached_tokens": cached},
        }


_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}


class Anthropic:
    """Events of the Messages API."""

    def text(self, text: str) -> list[Any]:
        return [_delta(0, {"type": "text_delta", "text": text})]

    def call(self, index: int, call_id: str, name: str) -> list[Any]:
        block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
        return [{"type": "content_block_start", "index": index + 1, "content_block": block}]

    def arguments(self, index: int, part: str) -> list[Any]:
        return [_delta(index + 1, {"type": "input_json_delta", "partial_json": part})]

    def end(self, reason: str, usage: Any = None) -> list[Any]:
        delta = {"stop_reason": _REASONS.get(reason, reason)}
        return [{"type": "message_delta", "delta": delta, "usage": usage}]

    def close(self) -> list[Any]:
        return [{"type": "message_stop"}]

    def usage(self, prompt: Any, answered: Any, cached: Any) -> Any:
        others = prompt - cached if isinstance(prompt, int) and isinstance(cached, int) else prompt
        return {"input_tokens": others, "output_tokens": answered, "cache_read_input_tokens": cached}


class Ollama:
    """Lines of Ollama's own API."""

    def text(self, text: str) -> list[Any]:
        return [_line({"content": text})]

    def call(self, index: int, call_id: str, name: str) -> list[Any]:
        return [Part(index, name)]

    def arguments(self, index: int, part: str) -> list[Any]:
        return [Part(index, arguments=part)]

    def end(self, reason: str, usage: Any = None) -> list[Any]:
        done = {"done": True, "done_reason": "stop" if reason == "tool_calls" else reason}
        return [_line({"content": ""}) | done | (usage or {})]

    def close(self) -> list[Any]:
        return []

    def usage(self, prompt: Any, answered: Any, cached: Any) -> Any:
        return {"prompt_eval_count": prompt, "eval_count": answered, "total_duration": 1}


def _line(message: dict[str, Any]) -> dict[str, Any]:
    said = {"role": "assistant", **message}
    return {"model": "x", "created_at": "2026-01-01T00:00:00Z", "message": said, "done": False}


class Part(msgspec.Struct):
    """A piece of a call, which Ollama sends whole."""

    index: int
    name: str = ""
    arguments: str = ""


def lines(*chunks: Any) -> bytes:
    """Each chunk as a line of JSON; calls whole, before the last line."""
    calls: dict[int, Part] = {}
    texts = [one for one in chunks if not isinstance(one, Part)]
    for one in chunks:
        if isinstance(one, Part):
            call = calls.setdefault(one.index, Part(one.index))
            call.name += one.name
            call.arguments += one.arguments
    whole = [_called(one) for one in calls.values()]
    every = [*texts[:-1], *([_line({"content": "", "tool_calls": whole})] if whole else []), *texts[-1:]]
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in every).encode()


def _called(part: Part) -> dict[str, Any]:
    try:
        arguments = json.loads(part.arguments or "{}")
    except ValueError:
        arguments = part.arguments
    return {"function": {"name": part.name, "arguments": arguments}}


Speech = OpenAI | Anthropic | Ollama


def _choice(delta: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "x",
        "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
    }


def _delta(index: int, delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def events(*chunks: Any) -> bytes:
    """Server-sent events of these; a text goes out as it is."""
    lines = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in chunks)
    return "".join(f"data: {line}\n\n" for line in lines).encode()


def refused(status: int, body: Any, *headers: str) -> bytes:
    """An answer that is an error."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(data)}", "Connection: close"]
    return "\r\n".join([*lines, "Content-Type: application/json", *headers, "", ""]).encode() + data


@asynccontextmanager
async def serving(
    parts: Kind, facts: Mapping[str, Any] | None = None
) -> AsyncIterator[tuple[str, list[Asked]]]:
    """A server that sends these parts, one write each, to whoever posts; its address, and what it was asked.

    Whoever asks for models finds none. `facts` are told at their paths, and aren't counted.
    """
    seen: list[Asked] = []
    told = facts or {}

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lengths = [line[15:] for line in head.lower().splitlines() if line.startswith("content-length:")]
            body = await reader.readexactly(int((lengths or ["0"])[0]))
            asked = Asked(head.split()[1], head, json.loads(body or b"null"))
            if asked.path in told:
                writer.write(refused(200, told[asked.path]))
            elif not head.startswith("POST") or asked.path == "/api/show":
                writer.write(refused(404, {}))
            else:
                seen.append(asked)
                for part in parts(asked) if callable(parts) else parts:
                    writer.write(part)
                    await writer.drain()
                    await asyncio.sleep(0)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, limit=2**24)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", seen
