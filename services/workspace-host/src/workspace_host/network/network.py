"""Which network the commands of a call have."""

import msgspec

from agent_contracts.errors import Rejected
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.policies.judgement import CompiledPolicies
from agent_platform.entities.entities import Entities
from agent_tools.context import CallContext
from workspace_host.isolation.isolation import Isolation, python_here
from workspace_host.network.command_egress import CommandEgress
from workspace_host.settings import CommandNetworkSettings

NONE = "none"
BY_POLICY = "by http_proxy and https_proxy alone, each request by the policy"
OF_THE_USER = "that of the user who runs Foldline"


class CommandNetwork(msgspec.Struct, frozen=True):
    """What a command has, in `words`; without `leaving` nothing of it leaves."""

    words: str
    leaving: CommandEgress | None = None


class Network:
    """Decides by the setting as of the call's request, and by what this machine has."""

    def __init__(
        self,
        entities: Entities,
        settings: EffectiveSettings[CommandNetworkSettings],
        isolation: Isolation,
    ) -> None:
        self._entities = entities
        self._settings = settings
        self._isolation = isolation
        self._policies = CompiledPolicies()

    async def of(self, call: CallContext) -> CommandNetwork:
        """That of a command which the call starts."""
        if self._isolation.kind == "host":
            return CommandNetwork(OF_THE_USER)
        settings = await self._settings.of(call.agent_id, call.sequence)
        if settings.command_network == "none":
            return CommandNetwork(NONE)
        if self._isolation.kind != "namespaces":
            return CommandNetwork(
                f"{NONE}: without namespaces commands have no network, whatever the setting says"
            )
        try:
            python_here()
        except Rejected as lacking:
            return CommandNetwork(f"{NONE}: {lacking.message}")
        return CommandNetwork(BY_POLICY, CommandEgress(self._entities, self._policies, call))
