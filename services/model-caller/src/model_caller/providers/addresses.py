"""Where a target's requests are sent, and with which key."""

from collections.abc import Mapping

from agent_contracts.session_events.results import ModelFailure
from agent_domain.model_providers import named_address, provider_address, provider_key
from model_caller.answers.failures import ModelFault
from model_caller.choosing.target import ModelTarget

NO_KEY = "no-key"
"""Sent to a server of one's own where no key is set: some want one, whatever it is."""


def address_and_key(target: ModelTarget, environ: Mapping[str, str]) -> tuple[str, str]:
    """The address that a person named, with the key that they set for it; else the provider's own, with its
    usual variables. The key is empty where none is needed. `ModelFault` where one is, and none is set."""
    if target.base_url is not None:
        return target.base_url, target.api_key or ""
    url = provider_address(target.provider, environ)
    if url is None:
        raise ModelFault(ModelFailure.UNKNOWN_MODEL, "no address is set")
    found = provider_key(target.provider, environ)
    key = target.api_key or (found[1] if found else "")
    if not key and target.own_url is None:
        raise ModelFault(ModelFailure.AUTHENTICATION, "no key is set")
    return url, key


def is_at_its_own(target: ModelTarget, environ: Mapping[str, str]) -> bool:
    """Whether the provider's own address is asked: nobody named another."""
    return target.base_url is None and named_address(target.provider, environ) is None


def address_of(target: ModelTarget, environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The server's address without a slash at its end, and the headers of each request to it.

    The usual variables of its provider count only where the user named no server. `ModelFault` without any
    key.
    """
    url, key = address_and_key(target, environ)
    headers = {"Authorization": f"Bearer {key or NO_KEY}", "Content-Type": "application/json"}
    return url.rstrip("/"), headers
