"""Answers that stream as server-sent events: posted for, and read within bounds whatever the server sends."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import cast

import httpx
import msgspec
from httpx_sse import EventSource

from agent_contracts.json_value import Json
from agent_contracts.session_events.results import ModelFailure
from model_caller.answers.answer import MAX_CHARACTERS
from model_caller.answers.failures import ModelFault
from model_caller.limits import Limits
from model_caller.providers.authorities import authorities
from model_caller.providers.http_faults import error_in, fault_in_stream, fault_of_network, fault_of_status

LONGEST_LINE = 8 * MAX_CHARACTERS
"""Characters of one line: more than any answer that is taken, in any escaping, has in one."""
_LONGEST_STREAM = 64 * MAX_CHARACTERS
_LARGEST_ERROR = 64 * 1024
_DONE = "[DONE]"
"""What OpenAI's interface sends last."""


class Posts:
    """Posts requests, and gives the answers as they begin."""

    def __init__(self, limits: Limits) -> None:
        # Our own limits come first; these are for what is left behind.
        timeout = httpx.Timeout(limits.first_token + limits.silence, connect=limits.connect)
        # No redirect is followed: what a key and a conversation are sent to is what the user named.
        self.client = httpx.AsyncClient(timeout=timeout, follow_redirects=False, verify=authorities())

    async def close(self) -> None:
        """Close the connections that are kept for the next request."""
        await self.client.aclose()

    @asynccontextmanager
    async def post(
        self, url: str, headers: Mapping[str, str], body: Sequence[bytes]
    ) -> AsyncIterator[httpx.Response]:
        """The answer, once its head is there and good. `ModelFault` for any other, and if it breaks."""
        sized = {**headers, "Content-Length": str(sum(map(len, body)))}  # else it would be sent chunked
        try:
            async with self.client.stream("POST", url, content=_each(body), headers=sized) as response:
                if not response.is_success:
                    raise fault_of_status(response, await _beginning(response))
                yield response
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise fault_of_network(error) from error


async def _each(body: Sequence[bytes]) -> AsyncIterator[bytes]:
    for piece in body:
        yield piece


async def objects_in(response: httpx.Response) -> AsyncGenerator[Mapping[str, Json], None]:
    """The JSON objects of the stream up to its end. `ModelFault` for what is not one, or says an error."""
    kind = response.headers.get("content-type", "unknown").partition(";")[0]
    if kind != "text/event-stream":
        raise ModelFault(ModelFailure.MALFORMED_ANSWER, f"the answer was of type {kind}")
    source = EventSource(cast(httpx.Response, _Bounded(response)))
    async for event in source.aiter_sse():
        if event.data == _DONE:
            return
        if not event.data:
            continue
        try:
            chunk: Json = msgspec.json.decode(event.data)
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            raise ModelFault(ModelFailure.MALFORMED_ANSWER, str(error)) from error
        if not isinstance(chunk, dict):
            raise ModelFault(ModelFailure.MALFORMED_ANSWER, "a chunk of the answer was not an object")
        if chunk.get("error") or event.event == "error":
            raise fault_in_stream(error_in(chunk))
        yield chunk


def no_proper_end(anything: bool) -> ModelFault:
    """The fault of a stream that ended before its end; `anything`: whether something had been said."""
    if anything:
        return ModelFault(ModelFailure.CUT_STREAM, "the answer ended without its proper end")
    return ModelFault(ModelFailure.MALFORMED_ANSWER, "the answer was empty")


class _Bounded:
    """The part of a response that `EventSource` reads. Raises before a line, or all of it, is too large."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.headers = response.headers

    async def aiter_text(self) -> AsyncIterator[str]:
        line = whole = 0
        async for text in self._response.aiter_text():
            end = max(text.rfind("\n"), text.rfind("\r"))
            line = line + len(text) if end < 0 else len(text) - end - 1
            whole += len(text)
            if line > LONGEST_LINE or whole > _LONGEST_STREAM:
                raise ModelFault(
                    ModelFailure.MALFORMED_ANSWER,
                    "the answer was larger than any that is taken",
                    transient=False,
                )
            yield text


async def _beginning(response: httpx.Response) -> bytes:
    """The first bytes of a body: an error's words, whatever else comes."""
    body = b""
    async for part in response.aiter_bytes():
        body += part
        if len(body) > _LARGEST_ERROR:
            break
    return body[:_LARGEST_ERROR]
