"""The ports that this runner's tools ask for."""

from agent_domain.files.workspaces import Workspaces
from agent_domain.policies.judgement import CompiledPolicies
from agent_platform.entities.entities import Entities
from agent_tools.context import CallContext
from agent_tools.ports.files import AgentFiles
from agent_tools.ports.outside import AgentDelegates, CallPolicy, Commands
from agent_tools.providers import Provider
from agent_tools.running.gate import RequestGate
from agent_tools.running.stored_delegates import StoredDelegates
from workspace_host.begun_calls import BegunCalls
from workspace_host.commands.host import CommandHost
from workspace_host.commands.workspace_commands import WorkspaceCommands
from workspace_host.folders.folders import Folders
from workspace_host.network.network import Network


def workspace_ports(
    host: CommandHost, folders: Folders, workspaces: Workspaces, network: Network, begun: BegunCalls
) -> tuple[Provider, ...]:
    """Commands among the session's files."""

    def commands(call: CallContext, files: AgentFiles) -> Commands:
        return WorkspaceCommands(host, folders, workspaces, files, network, begun, call)

    return (commands,)


def agent_ports(entities: Entities) -> tuple[Provider, ...]:
    """What people say of the agent: whom it may hand work to, and what it may do."""
    policies = CompiledPolicies()

    def delegates(call: CallContext) -> AgentDelegates:
        return StoredDelegates(entities, call)

    def policy(call: CallContext) -> CallPolicy:
        return RequestGate(entities, call, policies)

    return delegates, policy
