"""Whether model servers are there, by a request that costs nothing."""

import asyncio
import os
from collections.abc import Mapping

import httpx
import structlog

from agent_domain.model_addresses import endpoint
from agent_domain.model_providers import provider_address
from agent_platform.secrecy.failure_text import failure_of
from egress.proxies.clients import outward_client
from egress.proxies.proxies import proxies_from
from model_caller.choosing.target import ModelTarget
from model_caller.providers.loading import is_installed, litellm_module

_PROBE_S = 5.0
_BROKEN = 500
"""From this status on, it is the server that fails, or what stands before it and can't reach it."""

log = structlog.get_logger()


class HttpSight:
    """Asks a server for the list of its models."""

    async def answers(self, target: ModelTarget) -> bool | None:
        """Whether the target's server is there; None for a provider whose address nobody knows.

        Any answer but one of a broken server counts, also a refusal: no key is sent. It says nothing of the
        model: a server may be there and fail every call.
        """
        address = await address_of(target, os.environ)
        if address is None:
            return None
        try:
            async with outward_client(proxies_from(os.environ), _PROBE_S) as client:
                answer = await client.get(endpoint(address, "/models"))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            log.debug("model.silent", server=target.server, reason=failure_of(error))
            return False
        return answer.status_code < _BROKEN


async def address_of(target: ModelTarget, environ: Mapping[str, str]) -> str | None:
    """The address below which the target's server answers, as calls to it find it; None if nobody knows."""
    if target.base_url is not None:
        return target.base_url.rstrip("/")
    found = provider_address(target.provider, environ)
    if found is None:
        provider, address = await _by_litellm(target)
        found = provider_address(provider, environ) or address
    return None if found is None else found.rstrip("/")


async def _by_litellm(target: ModelTarget) -> tuple[str, str | None]:
    """The provider, and its address where litellm names one."""
    if not is_installed():
        return "", None
    litellm = await asyncio.to_thread(litellm_module)  # it was loaded for the call that failed
    try:
        _, provider, _, address = litellm.get_llm_provider(target.for_litellm)
    except Exception:  # litellm raises one of several of its own for a model that it doesn't know
        return "", None
    return str(provider), address
