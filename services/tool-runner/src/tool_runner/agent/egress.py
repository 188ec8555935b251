"""The way out as one agent's calls have it: with the user's secrets for it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from agent_contracts.entities.bisections import PROBES_STAY_INSIDE, is_probe
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.secrets import SecretDefinition, placeholder
from agent_contracts.errors import ErrorKind, Rejected, Transient
from agent_contracts.outside import web
from agent_domain.secrets.vault import Vault
from agent_platform.entities.entities import Entities
from agent_tools.context import CallContext
from egress.fetching import FetchRequest, FetchResponse
from egress.guard import Egress, EgressGate
from egress.placeholders import KnownSecret
from egress.redaction import Redaction

_READING = frozenset(("GET", "HEAD"))


@dataclass(frozen=True)
class CodeSecrets:
    """`given` is what code sees by each secret's name: a placeholder, or its value where the user allowed
    that. `redaction` takes these values out of all that the code makes."""

    given: Mapping[str, str]
    redaction: Redaction


class SecretsForCode(Protocol):
    """Which of the agent's secrets code may see."""

    async def secrets_for_code(self) -> CodeSecrets:
        """`Rejected` where this runner has no key for a secret whose value code may see."""
        ...


class EgressWithSecrets:
    """An `AgentEgress` through the guard, and `SecretsForCode`. Values of secrets exist in here only while a
    request is made."""

    def __init__(
        self,
        egress: Egress,
        entities: Entities,
        vault: Vault,
        call: CallContext,
        gate: EgressGate | None = None,
    ) -> None:
        self._gate = gate
        self._egress = egress.noted(call.outgoing.note)
        self._entities = entities
        self._vault = vault
        self._agent_id = call.agent_id
        self._outside = call.outside

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """See `Egress.fetch`. No answer holds the value of any of the agent's secrets.

        `Rejected` also where the agent has secrets that this runner has no key for: it couldn't take them
        out; and, of a bisection's probe, for whatever may change something."""
        if is_probe(self._agent_id) and request.method.upper() not in _READING:
            raise Rejected(PROBES_STAY_INSIDE, kind=ErrorKind.BLOCKED)
        try:
            answer = await self._egress.fetch(request, await self._secrets(), self._gate)
        except Transient:
            self._outside.bring(web(request.url))  # what it says of the failure may be the other end's words
            raise
        self._outside.bring(web(answer.url))
        return answer

    async def secrets_for_code(self) -> CodeSecrets:
        """See `SecretsForCode`."""
        known = await self._known()
        shown = {
            name: await self._vault.get(self._agent_id, name)
            for name, secret in known.items()
            if secret.reveal
        }
        return CodeSecrets({name: placeholder(name) for name in known} | shown, Redaction(shown))

    async def _secrets(self) -> Sequence[KnownSecret]:
        known = await self._known()
        values = await asyncio.gather(*(self._vault.get(self._agent_id, name) for name in known))
        return [
            KnownSecret(name, value, secret.hosts)
            for (name, secret), value in zip(known.items(), values, strict=True)
        ]

    async def _known(self) -> dict[str, SecretDefinition]:
        found = await self._entities.list(self._agent_id, EntityKind.SECRET)
        return {entity.key.name: msgspec.convert(entity.value, SecretDefinition) for entity in found}
