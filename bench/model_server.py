"""A model server that costs the same for a long request as for a short one: it reads only a request's end.

So a measurement shows what Foldline takes, not what its stand-in for a model does. It knows one script:
`steps N.` in the last user message asks for so many steps, then it says "done".

    python -m bench.model_server
"""

import asyncio
import json
import re
import sys

from bench.script import KILOBYTE, TOOL, arguments

_USER = b'"role":"user"'
_ASSISTANT = b'"role":"assistant"'
_WANTED = re.compile(rb"steps (\d+)\.")
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncontent-length: %d\r\n\r\n"
_MODELS = b'{"object":"list","data":[{"id":"bench","object":"model"}]}'


class ModelServer(asyncio.Protocol):
    """One connection of OpenAI's chat completions, as Foldline's own provider asks for them."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._needed: int | None = None
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._pieces.append(data)
        self._size += len(data)
        if self._needed is None:
            head, ended, _ = b"".join(self._pieces).partition(b"\r\n\r\n")
            if not ended:
                return
            found = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
            self._needed = len(head) + len(ended) + (int(found[1]) if found else 0)
        if self._size >= self._needed:
            request = b"".join(self._pieces)
            self._pieces, self._size, self._needed = [], 0, None
            self._answer(request)

    def _answer(self, request: bytes) -> None:
        if not request.startswith(b"POST"):
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
            self._transport.write(head % len(_MODELS) + _MODELS)
            return
        last = request.rfind(_USER)
        wanted = _WANTED.search(request, last)
        done = request.count(_ASSISTANT, last)
        step = wanted is not None and done < int(wanted[1])
        body = _said(KILOBYTE if step else "done", len(request) // 4, call=done if step else None)
        self._transport.write(_HEAD % len(body) + body)


def _said(text: str, tokens: int, *, call: int | None) -> bytes:
    delta: dict[str, object] = {"role": "assistant", "content": text}
    if call is not None:
        function = {"name": TOOL, "arguments": json.dumps(arguments(call))}
        delta["tool_calls"] = [{"index": 0, "id": f"call_{call}", "type": "function", "function": function}]
    stopped = "tool_calls" if call is not None else "stop"
    usage = {"prompt_tokens": tokens, "completion_tokens": len(text) // 4}
    chunks = (
        {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": stopped}]},
        {"choices": [], "usage": usage},
    )
    return b"".join(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks) + b"data: [DONE]\n\n"


async def main() -> None:
    """Serve until terminated; the address is printed first."""
    server = await asyncio.get_running_loop().create_server(ModelServer, "127.0.0.1", 0)
    print(f"The model server answers at http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
