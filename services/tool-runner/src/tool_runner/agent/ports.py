"""The ports to what an agent has, as this runner builds them for each call; and those that calls share."""

from agent_domain.policies.judgement import CompiledPolicies
from agent_domain.schedules.agent_timezone import ZonesOfAgents
from agent_domain.schedules.planning import Planner
from agent_domain.secrets.vault import Vault
from agent_platform.entities.entities import Entities
from agent_platform.process.clock import Clock
from agent_tools.context import CallContext
from agent_tools.ports.agent import AgentDefinitions, AgentNotebook, AgentState, AgentTexts
from agent_tools.ports.database import AgentDatabase
from agent_tools.ports.models import Embeddings, Models
from agent_tools.ports.outside import AgentDelegates, AgentEgress, LastingChanges
from agent_tools.ports.reminders import SessionReminders
from agent_tools.ports.running import Compute
from agent_tools.providers import Provider
from agent_tools.running.gate import RequestGate
from agent_tools.running.lasting_changes import JudgedChanges
from agent_tools.running.models import CountedEmbeddings, CountedModels, ModelCallers
from agent_tools.running.stored_delegates import StoredDelegates
from egress.guard import Egress
from tool_runner.agent.database import StoredDatabase
from tool_runner.agent.definitions import StoredDefinitions
from tool_runner.agent.egress import EgressWithSecrets, SecretsForCode
from tool_runner.agent.file_documents import file_documents
from tool_runner.agent.files.reading import file_texts
from tool_runner.agent.files.searching import file_search
from tool_runner.agent.files.text_files import text_files
from tool_runner.agent.history import HistorySearch
from tool_runner.agent.inbox import AgentInbox
from tool_runner.agent.notebook import StoredNotebook
from tool_runner.agent.other_runners import OtherRunners
from tool_runner.agent.reminders import AgentReminders
from tool_runner.agent.schedules import AgentSchedules
from tool_runner.agent.searching.services import SearchOf, SearchServices
from tool_runner.agent.state import StoredState
from tool_runner.agent.texts import StoredTexts
from tool_runner.agent_db.databases import AgentDatabases
from tool_runner.documents.documents import Documents


def entity_ports(entities: Entities, databases: AgentDatabases) -> tuple[Provider, ...]:
    """What the agent keeps."""

    def state(call: CallContext) -> AgentState:
        return StoredState(entities, call)

    def notebook(call: CallContext) -> AgentNotebook:
        return StoredNotebook(entities, call)

    def texts(call: CallContext) -> AgentTexts:
        return StoredTexts(entities, call)

    def definitions(call: CallContext) -> AgentDefinitions:
        return StoredDefinitions(entities, call)

    def database(call: CallContext) -> AgentDatabase:
        return StoredDatabase(databases, call)

    return state, notebook, texts, definitions, database


FILE_PORTS: tuple[Provider, ...] = (file_texts, file_search, file_documents, text_files)
"""What the agent's files say."""


def history_ports(history: HistorySearch) -> tuple[Provider, ...]:
    """What was said in the agent's other sessions."""

    def the_history() -> HistorySearch:
        return history

    return (the_history,)


def inbox_ports(entities: Entities) -> tuple[Provider, ...]:
    """What other services left."""

    def inbox(call: CallContext) -> AgentInbox:
        return AgentInbox(entities, call)

    return (inbox,)


def time_ports(entities: Entities, clock: Clock, settings: ZonesOfAgents) -> tuple[Provider, ...]:
    """What waits for a time, in the zones that settings name."""
    planner = Planner(entities, clock, settings)

    def reminders(call: CallContext) -> AgentReminders:
        return AgentReminders(entities, planner, call)

    def of_session(reminders: AgentReminders) -> SessionReminders:
        return reminders

    def schedules(call: CallContext) -> AgentSchedules:
        return AgentSchedules(entities, planner, call)

    return reminders, of_session, schedules


def outside_ports(
    entities: Entities, egress: Egress, vault: Vault, callers: ModelCallers, search: SearchOf
) -> tuple[Provider, ...]:
    """Where the agent reaches: the net, and models."""

    policies = CompiledPolicies()

    def gate(call: CallContext) -> RequestGate:
        return RequestGate(entities, call, policies)

    def lasting(call: CallContext, gate: RequestGate) -> LastingChanges:
        return JudgedChanges(gate, entities, call)

    def way_out(call: CallContext, gate: RequestGate) -> EgressWithSecrets:
        return EgressWithSecrets(egress, entities, vault, call, gate)

    def delegates(call: CallContext) -> AgentDelegates:
        return StoredDelegates(entities, call)

    def agent_egress(way_out: EgressWithSecrets) -> AgentEgress:
        return way_out

    def secrets(way_out: EgressWithSecrets) -> SecretsForCode:
        return way_out

    def models(call: CallContext) -> Models:
        return CountedModels(callers, call.spent)

    def embeddings(call: CallContext) -> Embeddings:
        return CountedEmbeddings(callers, call)

    def web_search(call: CallContext) -> SearchServices:
        return search(call)

    return gate, lasting, way_out, delegates, agent_egress, secrets, models, embeddings, web_search


def other_ports(runners: OtherRunners) -> tuple[Provider, ...]:
    """Sessions' browsers and foreign servers, for code."""

    def the_runners() -> OtherRunners:
        return runners

    return (the_runners,)


def computing_ports(compute: Compute, documents: Documents) -> tuple[Provider, ...]:
    """The processes that compute."""

    def the_compute() -> Compute:
        return compute

    def the_documents() -> Documents:
        return documents

    return the_compute, the_documents
