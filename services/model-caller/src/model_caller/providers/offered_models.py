"""The models that a server has, by its own list."""

import os

import httpx

from agent_contracts.errors import Rejected, Transient
from agent_domain.model_addresses import endpoint
from agent_domain.model_providers import model_providers
from agent_platform.secrecy.failure_text import failure_of
from egress.proxies.clients import outward_client
from egress.proxies.proxies import proxies_from
from model_caller.choosing.target import ModelTarget
from model_caller.providers.interfaces import INTERFACES
from model_caller.providers.json_fields import decoded, mapping, mappings, word

_PATIENCE_S = 15.0
_MOST = 2_000
_PLURAL = "models/"
"""Gemini puts it before the names in its list; requests go without it."""


async def offered_models(target: ModelTarget) -> list[str]:
    """The names as they are set, with their provider, sorted. `Rejected` where the server has no list."""
    models = INTERFACES[target.interface].models
    if models is None:
        raise Rejected(
            f"{target.model} is asked through {target.interface}, which has no list of its server's models",
            kind="no_list",
        )
    base, headers = models.server(target, os.environ)
    known = model_providers().get(target.provider)
    elsewhere = known.models_url if known is not None and target.base_url is None else None
    url, who = elsewhere or endpoint(base, models.path), target.shown_url or target.provider
    try:
        async with outward_client(proxies_from(os.environ), _PATIENCE_S) as client:
            answer = await client.get(url, headers=headers)
            if answer.status_code == 404 and models.or_at:
                answer = await client.get(endpoint(base, models.or_at), headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Transient(f"{who} gives no list: {failure_of(error)}") from error
    if not answer.is_success:
        raise Rejected(
            f"{who} gives no list of models: it answered {answer.status_code}",
            kind="no_list",
        )
    try:
        said = decoded(answer.content)
        entries = mappings(said if isinstance(said, list) else mapping(said).get(models.member))
    except ValueError as error:
        raise Rejected(f"No model API at this address: {target.shown_url}", kind="no_list") from error
    names = (word(one.get("id")) or word(one.get("name")) for one in entries[:_MOST])
    return sorted({f"{target.provider}/{name.removeprefix(_PLURAL)}" for name in names if name})
