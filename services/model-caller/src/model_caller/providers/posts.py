"""Requests that are posted to model servers, and the answers as they begin."""

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import httpx

from egress.proxies.clients import outward_client
from egress.proxies.proxies import proxies_from
from model_caller.limits import ModelCallLimits
from model_caller.providers.http_faults import fault_of_network, fault_of_status

_LARGEST_ERROR = 64 * 1024


class Posts:
    """Posts requests, and gives the answers as they begin."""

    def __init__(self, limits: ModelCallLimits) -> None:
        # Our own limits come first; these are for what is left behind.
        self._limits = limits
        timeout = self._timeout(None)
        self.client = outward_client(proxies_from(os.environ), timeout)

    def _timeout(self, url: str | None) -> httpx.Timeout:
        first = self._limits.first_token_of(url)
        read = None if first is None else first + self._limits.silence
        return httpx.Timeout(read, connect=self._limits.connect)

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
            asking = self.client.stream(
                "POST", url, content=_each(body), headers=sized, timeout=self._timeout(url)
            )
            async with asking as response:
                if not response.is_success:
                    raise fault_of_status(response, await _beginning(response))
                yield response
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise fault_of_network(error) from error


async def _each(body: Sequence[bytes]) -> AsyncIterator[bytes]:
    for piece in body:
        yield piece


async def _beginning(response: httpx.Response) -> bytes:
    """The first bytes of a body: an error's words, whatever else comes."""
    body = b""
    async for part in response.aiter_bytes():
        body += part
        if len(body) > _LARGEST_ERROR:
            break
    return body[:_LARGEST_ERROR]
