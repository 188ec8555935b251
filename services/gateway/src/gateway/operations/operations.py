"""Everything that people can do, made once from what the gateway stands on. A door works with this."""

from dataclasses import dataclass

from agent_domain.budgets.budgets import Budgets
from agent_domain.chats.book import ChatBook
from agent_domain.files.files import Files
from agent_domain.notifications.book import NotificationBook
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.rewinding.database import DatabaseLog
from agent_domain.schedules.planning import Planner
from agent_domain.sessions.directory import SessionDirectory
from agent_domain.site_logins.site_logins import SiteLogins
from agent_domain.tokens.programs import ProgramTokenRegister
from agent_domain.wakes.credentials import CredentialsRegister
from agent_platform.log.blobs.port import Blobs
from agent_platform.log.port import Log
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import Room
from agent_platform.observing.health import Check
from agent_platform.process.clock import Clock
from gateway.live.feed import Feed
from gateway.operations.agents.agents import AgentRegistry
from gateway.operations.agents.catalogue_tools import CatalogueTools
from gateway.operations.agents.databases import Databases
from gateway.operations.agents.definitions import Definitions
from gateway.operations.agents.delegates import Delegates
from gateway.operations.agents.deletion import AgentDeletion
from gateway.operations.agents.edits import Edits
from gateway.operations.agents.ended_logins import EndedLogins
from gateway.operations.agents.exposed_tools import ExposedTools
from gateway.operations.agents.functions import FunctionCaller
from gateway.operations.agents.mcp_logins import McpLogins
from gateway.operations.agents.mcp_prompts import ServerPrompts
from gateway.operations.agents.mcp_servers import McpServers
from gateway.operations.agents.mcp_tools import McpToolsOfServers
from gateway.operations.agents.moments import Moments
from gateway.operations.agents.packs import Packs
from gateway.operations.agents.pins import Pins
from gateway.operations.agents.policies import AgentPolicies
from gateway.operations.agents.policy_trials import PolicyTrials
from gateway.operations.agents.reminders import RemindersOfAgents
from gateway.operations.agents.schedules import SchedulesOfAgents
from gateway.operations.agents.secrets import SecretStore
from gateway.operations.agents.site_logins import LoginsOfAgents
from gateway.operations.agents.state import State
from gateway.operations.agents.texts import Texts
from gateway.operations.agents.trials import Trials
from gateway.operations.agents.usages import Usages
from gateway.operations.approving.approval_checks import ApprovalChecks
from gateway.operations.approving.releases import ApprovalReleases
from gateway.operations.bisecting.bisections import Bisections
from gateway.operations.bisecting.probe_agents import ProbeAgents
from gateway.operations.bisecting.probes import Probes
from gateway.operations.chat_partners import ChatPartners
from gateway.operations.events import EventReader
from gateway.operations.files.contents import FileContents
from gateway.operations.files.files import FilesOfAgents
from gateway.operations.files.pictures import PictureLoader
from gateway.operations.files.uploads import Uploads
from gateway.operations.files.writing import FileWrites
from gateway.operations.logins import LoginRegister
from gateway.operations.notifications.notifications import NotificationChannels
from gateway.operations.operating.dead_letters import DeadLetterBox
from gateway.operations.operating.outcomes import UnknownOutcomes
from gateway.operations.operating.ports import DeadLetterSource, WorkerReports
from gateway.operations.operating.runners import WhoWorks
from gateway.operations.operating.stuck import StuckSessions
from gateway.operations.ports import (
    BrowserHolders,
    McpHosts,
    ModelTesting,
    Notifier,
    Questions,
    Runners,
    SecretValueStore,
)
from gateway.operations.program_tokens import TokensOfPrograms
from gateway.operations.rewind.agent_previews import AgentPreviews
from gateway.operations.rewind.agent_rewinds import AgentRewinds
from gateway.operations.rewind.changes import ChangesOfAgents
from gateway.operations.rewind.forks import SessionForks
from gateway.operations.rewind.replays import Replays
from gateway.operations.rewind.session_previews import SessionPreviews
from gateway.operations.rewind.session_rewinds import SessionRewinds
from gateway.operations.room import AgentsWithRoom
from gateway.operations.sessions.answers import CallAnswers
from gateway.operations.sessions.app_calls import SessionAppCalls
from gateway.operations.sessions.creation import Creation
from gateway.operations.sessions.erasing import ErasedByPeople
from gateway.operations.sessions.exports import Exports
from gateway.operations.sessions.folds import Folds
from gateway.operations.sessions.history import SessionHistory
from gateway.operations.sessions.imports import SessionImports
from gateway.operations.sessions.inputs import SOURCE, Inputs
from gateway.operations.sessions.past_sessions import PastSessions
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.operations.sessions.projection_reader import ProjectionReader
from gateway.operations.sessions.reopening import SessionReopening
from gateway.operations.sessions.sent_files import SentFiles
from gateway.operations.sessions.steering import SessionSteering
from gateway.operations.sessions.takeovers import SessionTakeovers
from gateway.operations.sessions.thinking import ThinkingOfAnswers
from gateway.operations.sessions.turns import SessionTurns
from gateway.operations.sessions.workspaces import SessionWorkspaces
from gateway.operations.settings.adaptations import AdaptationsOfModels
from gateway.operations.settings.setting_rows import SettingRows
from gateway.operations.settings.settings import PersonalSettings
from gateway.operations.settings.spending import SpendingOfAgents
from gateway.operations.wakes.credentials import CredentialsOfOthers
from gateway.operations.wakes.inbox import Inboxes
from gateway.operations.wakes.wakes import Wakes
from gateway.queries.database import Database
from gateway.settings import GatewaySettings, names_in


@dataclass(frozen=True)
class OperationPorts:
    """What the gateway stands on. `values` keeps what is secret, `quota` counts what agents add to the log,
    `room` what they keep, `budgets` what they spend on models.
    `log_is_whole` raises if the log lost something. `settings` are those of the gateway's start."""

    log: Log
    clock: Clock
    database: Database
    questions: Questions
    runners: Runners
    blobs: Blobs
    values: SecretValueStore
    quota: DailyQuota
    room: Room
    budgets: Budgets
    log_is_whole: Check
    letters: DeadLetterSource
    wakes: Log
    workforce: WorkerReports
    logins: LoginRegister
    built_in: CatalogueTools
    notifications: NotificationBook
    notifier: Notifier
    wake_credentials: CredentialsRegister
    program_tokens: ProgramTokenRegister
    chats: ChatBook
    site_logins: SiteLogins
    browsers: BrowserHolders
    mcp_hosts: McpHosts
    models: ModelTesting
    settings: GatewaySettings


@dataclass(frozen=True)
class Operations:
    """What people can do, by what it is done to. Each raises the failures of `agent_contracts.errors`."""

    creation: Creation
    steering: SessionSteering
    prompts: ServerPrompts
    app_calls: SessionAppCalls
    reopening: SessionReopening
    erasing: ErasedByPeople
    reading: ProjectionReader
    history: SessionHistory
    turns: SessionTurns
    folds: Folds
    thinking: ThinkingOfAnswers
    events: EventReader
    exports: Exports
    imports: SessionImports
    agents: AgentRegistry
    deletion: AgentDeletion
    texts: Texts
    state: State
    moments: Moments
    definitions: Definitions
    packs: Packs
    pins: Pins
    delegates: Delegates
    policies: AgentPolicies
    policy_trials: PolicyTrials
    mcp_servers: McpServers
    mcp_logins: McpLogins
    mcp_tools: McpToolsOfServers
    settings: PersonalSettings
    adaptations: AdaptationsOfModels
    databases: Databases
    usages: Usages
    spending: SpendingOfAgents
    functions: FunctionCaller
    trials: Trials
    reminders: RemindersOfAgents
    schedules: SchedulesOfAgents
    secrets: SecretStore
    site_logins: LoginsOfAgents
    hand_overs: SessionTakeovers
    files: FilesOfAgents
    contents: FileContents
    uploads: Uploads
    pictures: PictureLoader
    forks: SessionForks
    replays: Replays
    session_previews: SessionPreviews
    session_rewinds: SessionRewinds
    agent_rewinds: AgentRewinds
    changes: ChangesOfAgents
    agent_previews: AgentPreviews
    bisections: Bisections
    dead_letters: DeadLetterBox
    outcomes: UnknownOutcomes
    who_works: WhoWorks
    stuck: StuckSessions
    logins: LoginRegister
    notifications: NotificationChannels
    wakes: Wakes
    wake_credentials: CredentialsOfOthers
    wake_register: CredentialsRegister
    program_tokens: TokensOfPrograms
    program_register: ProgramTokenRegister
    chat_partners: ChatPartners
    exposed: ExposedTools
    directory: SessionDirectory
    inboxes: Inboxes


def operations(outside: OperationPorts, projection_wait_s: float, feed: Feed) -> Operations:
    """All of them, over one log.

    A read waits so many seconds for the projections at most, and whoever listens gets what `feed` hands out.
    """
    clock, questions, runners, quota = outside.clock, outside.questions, outside.runners, outside.quota
    log, bounded = CountedLog(outside.log, quota), CountedLog(outside.log, quota, bounded=True)
    directory, inputs, edits = SessionDirectory(log), Inputs(log, clock), Edits(log, clock, outside.room)
    freely = Edits(log, clock)  # what goes back, and what only people write, is never too much
    effective = EffectiveSettings(edits.entities, outside.settings, outside.values)
    planner = Planner(edits.entities, clock, effective)
    agents, past = AgentRegistry(freely, clock, outside.log_is_whole), PastSessions(log, questions)
    with_room, saying = AgentsWithRoom(agents, quota), Inputs(bounded, clock)
    contents = FileContents(log, freely, outside.blobs, agents)
    forks, policies = (
        SessionForks(log, clock, directory, with_room, questions, contents),
        AgentPolicies(freely, agents),
    )
    dead_letters = DeadLetterBox(outside.letters, log, outside.wakes, questions)
    database = DatabaseLog(log, clock, SOURCE, runners)
    files, workspaces = Files(edits.entities, outside.blobs), SessionWorkspaces(log, directory)
    sent = SentFiles(files, workspaces)
    events = EventReader(log, directory, feed)
    projected = ProjectedSessions(log, directory, outside.database, projection_wait_s)
    reading = ProjectionReader(projected)
    releases = ApprovalReleases(
        reading, CallAnswers(log, directory, inputs), directory, policies, outside.built_in
    )
    agent_rewinds = AgentRewinds(log, clock, freely, agents)
    ended = EndedLogins(outside.mcp_hosts, outside.values)
    mcp_servers = McpServers(freely, agents, outside.mcp_hosts, ended)
    creation, functions = (
        Creation(bounded, clock, agents, saying, sent, effective),
        FunctionCaller(agents, runners, clock, policies),
    )
    deletion = AgentDeletion(agents, directory, inputs, outside.site_logins, ended)
    probe_agents = ProbeAgents(clock, edits, agent_rewinds, deletion)
    probes = Probes(directory, creation, past, functions, probe_agents)
    return Operations(
        creation=creation,
        steering=SessionSteering(
            log,
            directory,
            inputs,
            past,
            saying,
            sent,
            ApprovalChecks(policies, edits, outside.built_in, releases),
        ),
        prompts=ServerPrompts(log, clock, directory, mcp_servers, outside.mcp_hosts, saying, sent),
        app_calls=SessionAppCalls(log, clock, projected, outside.mcp_hosts),
        reopening=SessionReopening(log, directory, inputs, agents),
        erasing=ErasedByPeople(log, clock, directory, inputs, edits.entities),
        reading=reading,
        history=SessionHistory(projected),
        turns=SessionTurns(projected, events),
        folds=Folds(directory, past, questions),
        thinking=ThinkingOfAnswers(log, directory, outside.blobs),
        events=events,
        exports=Exports(log, outside.blobs, clock, directory),
        imports=SessionImports(
            outside.blobs,
            clock,
            with_room,
            questions,
        ),
        agents=agents,
        deletion=deletion,
        texts=Texts(edits, agents),
        state=State(edits, agents),
        moments=Moments(projected, edits.entities, agents, workspaces),
        definitions=Definitions(edits, agents, runners, outside.built_in, outside.database),
        packs=Packs(freely, agents, outside.built_in, planner, outside.runners),
        pins=Pins(freely, agents, outside.built_in),
        delegates=Delegates(freely, agents, runners),
        policies=policies,
        policy_trials=PolicyTrials(policies, projected, outside.built_in),
        mcp_servers=mcp_servers,
        mcp_logins=McpLogins(mcp_servers, outside.mcp_hosts, outside.settings.public_url),
        mcp_tools=McpToolsOfServers(edits, mcp_servers),
        settings=PersonalSettings(
            freely,
            agents,
            effective,
            SettingRows.by(outside.settings.declared),
            outside.values,
            outside.models,
        ),
        adaptations=AdaptationsOfModels(freely),
        databases=Databases(agents, runners),
        usages=Usages(agents, runners, quota, outside.room),
        spending=SpendingOfAgents(agents, outside.budgets),
        functions=functions,
        trials=Trials(agents, runners, clock),
        reminders=RemindersOfAgents(freely, agents),
        schedules=SchedulesOfAgents(freely, agents, planner),
        secrets=SecretStore(edits, agents, outside.values),
        site_logins=LoginsOfAgents(outside.site_logins, agents),
        hand_overs=SessionTakeovers(directory, CallAnswers(log, directory, inputs), outside.browsers),
        files=FilesOfAgents(edits, outside.blobs, files, workspaces, agents),
        contents=contents,
        uploads=Uploads(outside.blobs, files, FileWrites(edits, files), workspaces, with_room),
        pictures=PictureLoader(
            runners,
            files,
            FileWrites(edits, files),
            workspaces,
            with_room,
            frozenset(names_in(outside.settings.picture_hosts.lower())),
        ),
        forks=forks,
        replays=Replays(directory, questions, past, forks),
        session_previews=SessionPreviews(log, clock, directory, past, edits.entities, database),
        session_rewinds=SessionRewinds(log, directory, past, inputs),
        agent_rewinds=agent_rewinds,
        changes=ChangesOfAgents(log, projected, agents, agent_rewinds),
        agent_previews=AgentPreviews(log, clock, projected, agents, database),
        bisections=Bisections(log, clock, edits, agents, projected, probe_agents, probes),
        dead_letters=dead_letters,
        outcomes=UnknownOutcomes(log, directory, inputs, projected),
        who_works=WhoWorks(outside.workforce, outside.built_in, log, outside.database, clock),
        logins=outside.logins,
        notifications=NotificationChannels(outside.notifications, outside.notifier),
        wakes=Wakes(questions, clock),
        wake_credentials=CredentialsOfOthers(
            outside.wake_credentials, agents, clock, outside.settings.nats_url or ""
        ),
        wake_register=outside.wake_credentials,
        program_tokens=TokensOfPrograms(outside.program_tokens, agents, clock),
        program_register=outside.program_tokens,
        chat_partners=ChatPartners(outside.chats, agents),
        exposed=ExposedTools(edits, agents, runners, clock),
        directory=directory,
        inboxes=Inboxes(freely, agents, directory, saying, clock),
        stuck=StuckSessions(directory, projected, questions, dead_letters),
    )
