"""Every subject, stream and bucket name, spelled once."""

import base64
import re
from collections.abc import Iterable

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.event import kind_of
from agent_contracts.ids import AgentId, CallId, SessionId, check_id, partition_of
from agent_contracts.tool_spec import RunsOn

LOG_STREAM = "LOG"
TIMER_STREAM = "TIMER"
BLOB_STREAM = "BLOB"
DLQ_STREAM = "DLQ"
ADVISORY_STREAM = "ADVISORY"
PROBE_STREAM = "PROBE"
WAKE_STREAM = "WAKE"
WORKED_ON = (LOG_STREAM, TIMER_STREAM, WAKE_STREAM)
"""The streams that services work on by durable consumers."""

SNAPSHOTS_BUCKET = "snapshots"
SECRETS_BUCKET = "secrets"
CATALOG_BUCKET = "catalog"
SEALS_BUCKET = "seals"
OBJECTS_BUCKET = "objects"
WORKERS_BUCKET = "workers"
CHECKPOINTS_BUCKET = "checkpoints"
LOGINS_BUCKET = "logins"
SITE_LOGINS_BUCKET = "site-logins"
QUOTAS_BUCKET = "quotas"
BUDGETS_BUCKET = "budgets"
NOTIFICATIONS_BUCKET = "notifications"
LEASES_BUCKET = "leases"
WAKES_BUCKET = "wakes"
WAKE_CREDENTIALS_BUCKET = "wake-credentials"
PROGRAM_TOKENS_BUCKET = "program-tokens"
CHATS_BUCKET = "chats"
DATABASE_SNAPSHOTS = "agent-db"

LOG_SUBJECTS = ("ses.>", "agt.>")
EVERYTHING = ">"
ALL_SESSIONS = "ses.>"
ALL_INPUTS = "ses.*.*.*.in.>"
ALL_RESULTS = "ses.*.*.*.result"
ALL_DECISIONS = "ses.*.*.*.ev.>"
ALL_CLAIMS = "ses.*.*.*.claim"
ALL_ENTITIES = "agt.>"
ALL_DELTAS = "live.*.*.*.delta"
ALL_CANCELLATIONS = "live.cancel.*"
ALL_ERASED = "live.erased.*"
ALL_FORGETTING = "live.forgetting.*"
ALL_LOOKING = "live.looking.*"
ALL_MCP_ANSWERS = "live.mcp_answer.*.*"
ALL_PROGRESS = "live.progress.*"
ALL_LIVE = "live.>"
METRICS_ASKED = "metrics.asked"
"""Where every service is asked for its numbers, by the gateway; nothing is stored."""
ALL_METRICS = "metrics.of.*"
ALL_QUERIES = "qry.>"
ALL_BLOBS = "blob.*"
ALL_REMOVALS = f"$O.{OBJECTS_BUCKET}.M.removals.*"
ALL_PROBES = "probe.*"
ALL_TIMERS = "timer.*"
ALL_RETRIES = "timer.retry.*.*"
ALL_MODEL_PROBES = "timer.probe.*"
ALL_MODEL_PROBES_DUE = "due.probe.*"
ALL_DUE = "due.*"
ALL_WAKES = "wake.>"
ALL_REMINDER_TIMERS = "timer.reminder.*.*"
ALL_SCHEDULE_TIMERS = "timer.schedule.*.*"
ALL_SCHEDULED_DUE = "due.*.*.*"
"""Reminders and schedules: what agents want at a time."""
ALL_NAMED_ENTITIES = "agt.*.*.*"
"""All entities, without agents' databases."""
ALL_ENDINGS = "ses.*.*.*.ev.*"
"""The engine's decisions that ask nobody for work: among them that a turn or a session is over."""
ALL_CREATED = "ses.*.*.*.in.created"
ALL_WOKEN = "ses.*.*.*.in.woken"
MODEL_CALL_REQUESTS = "ses.*.*.*.ev.model_call_requested.*"

ENGINE_CONSUMER = "engine"
REWIND_CONSUMER = "engine-rewinds"
TIMER_CONSUMER = "engine-timers"
MODEL_CALLER_CONSUMER = "model-callers"
MODEL_PROBE_CONSUMER = "model-probes"
WAKE_CONSUMER = "wakes"
SCHEDULED_CONSUMER = "scheduler-due"
SCHEDULER_CHANGES_CONSUMER = "scheduler-changes"
SCHEDULER_ENDINGS_CONSUMER = "scheduler-endings"
DEAD_LETTER_CONSUMER = "dead-letters"

ENGINES = "engines.>"
ENGINES_PRESENT = "engines.present"
"""Where engines tell each other that they live: core NATS, never stored, as what is handed over is."""

BROWSER_POOLS = "browsers.>"
"""Where browser pools hand each other the calls of contexts that the other holds: core NATS, never stored."""

MCP_HOSTS = "mcphosts.>"
"""Where hosts of foreign servers hand each other the calls of servers that the other holds."""

HAND_OVERS = "handover.*"
"""Where the pool that holds a session's pages answers while a person has them: core NATS, never stored."""

MAX_DELIVERIES_ADVISORY = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.LOG.>"

SKIPPED = "skipped"
"""In the place of a consumer: the dead letters of messages of the log that aren't events, for nobody."""

_SAFE_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,200}")


def any_agents_session_filter(session_id: SessionId) -> str:
    """Matches a whole session when its agent is not known."""
    check_id(session_id, "session id")
    return f"ses.*.{partition_of(session_id)}.{session_id}.>"


def any_agents_calls(session_id: SessionId, runs_on: RunsOn) -> str:
    """Matches the requests of a session's calls on those workers when its agent is not known."""
    check_id(session_id, "session id")
    return f"ses.*.{partition_of(session_id)}.{session_id}.ev.tool_call_requested.{runs_on.value}"


def any_agents_inputs(session_id: SessionId, event_type: str) -> str:
    """Matches a session's inputs of one type when its agent is not known."""
    check_id(session_id, "session id")
    return f"ses.*.{partition_of(session_id)}.{session_id}.in.{kind_of(event_type)}"


def all_inputs_of(agent_id: AgentId, event_type: str) -> str:
    """Matches the inputs of one type of all sessions of an agent."""
    return f"ses.{check_id(agent_id, 'agent id')}.*.*.in.{kind_of(event_type)}"


def consumer_of(runs_on: RunsOn) -> str:
    """The durable consumer by which those workers pull requests."""
    return f"runners-{runs_on.value}"


def tool_call_requests(runs_on: RunsOn) -> str:
    """The filter of the runners that serve `runs_on`."""
    return f"ses.*.*.*.ev.tool_call_requested.{runs_on.value}"


def entity_subject(agent_id: AgentId, kind: EntityKind, name: str) -> str:
    """Where an entity lives. A name that is not a safe token is written as `~` + base64url of its UTF-8."""
    return f"agt.{check_id(agent_id, 'agent id')}.{kind.value}.{entity_token(name)}"


def entity_filter(agent_id: AgentId, kind: EntityKind) -> str:
    """Matches all of an agent's entities of one kind."""
    return f"agt.{check_id(agent_id, 'agent id')}.{kind.value}.*"


def all_entities_of(agent_id: AgentId) -> str:
    """Matches everything an agent has, of whatever kind."""
    return f"agt.{check_id(agent_id, 'agent id')}.*.*"


def everyones_entities(kind: EntityKind) -> str:
    """Matches all entities of one kind, whoever's they are."""
    return f"agt.*.{kind.value}.*"


def anyones_entity(kind: EntityKind, name: str) -> str:
    """Matches the entity of that kind and name of any agent."""
    return f"agt.*.{kind.value}.{entity_token(name)}"


def database_subject(agent_id: AgentId) -> str:
    """The write log of an agent's database."""
    return f"agt.{check_id(agent_id, 'agent id')}.db"


def database_snapshots_key(agent_id: AgentId) -> str:
    """Where, in the bucket of snapshots, those of an agent's database are listed."""
    return f"{DATABASE_SNAPSHOTS}.{check_id(agent_id, 'agent id')}"


def owner_of(subject: str) -> AgentId:
    """Whose entity lives at a subject; `Permanent` if none does."""
    parts = subject.split(".")
    if len(parts) != 4 or parts[0] != "agt":
        raise Permanent(f"not the subject of an entity: {subject!r}", kind="bad_subject")
    return AgentId(parts[1])


def agent_of(subject: str) -> AgentId:
    """Whose session, entity or database a subject of the log is of; `Permanent` for another subject."""
    root, _, rest = subject.partition(".")
    agent_id, _, more = rest.partition(".")
    if root not in ("ses", "agt") or not agent_id or not more:
        raise Permanent(f"not a subject of the log: {subject!r}", kind="bad_subject")
    return AgentId(agent_id)


def entity_token(name: str) -> str:
    """A name as one subject token."""
    if _SAFE_TOKEN.fullmatch(name):
        return name
    return "~" + base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")


def entity_name(subject: str) -> str:
    """The real name of the entity that lives at a subject; `Permanent` if none does."""
    owner_of(subject)
    token = subject.rpartition(".")[2]
    if not token.startswith("~"):
        return token
    coded = token[1:]
    try:
        return base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
    except ValueError as error:
        raise Permanent(f"not the subject of an entity: {subject!r}", kind="bad_subject") from error


def cancel_subject(session_id: SessionId) -> str:
    """Core NATS (not stored): told to those who work for a session so that they stop early."""
    return f"live.cancel.{check_id(session_id, 'session id')}"


def erased_subject(name: str) -> str:
    """Core NATS (not stored): told when a session or an agent was erased, to those who may remember it."""
    return f"live.erased.{check_id(name)}"


def forgetting_subject(name: str) -> str:
    """Core NATS (not stored): what processes say that let go of their copies of what was erased."""
    return f"live.forgetting.{check_id(name)}"


def looking_subject(session_id: SessionId) -> str:
    """Core NATS (not stored): told again and again while a person has this session before their eyes."""
    return f"live.looking.{check_id(session_id, 'session id')}"


def mcp_answer_subject(client: str, question: str) -> str:
    """Core NATS (not stored): what an MCP client answers to a question in the middle of its call."""
    return f"live.mcp_answer.{check_id(client, 'client')}.{check_id(question, 'question')}"


def progress_subject(call_id: CallId) -> str:
    """Core NATS (not stored): how far a function is that was called from outside a session."""
    return f"live.progress.{check_id(call_id, 'call id')}"


def parse_cancellation(subject: str, body: bytes) -> tuple[SessionId, CallId | None]:
    """Whose work is to stop: of the session that the subject ends with, the call that the body names, or all
    of its calls (None). `Rejected` for what can't be read."""
    try:
        named = body.decode()
    except UnicodeDecodeError as error:
        raise Rejected("the call's id is not UTF-8", kind="invalid_id") from error
    session_id = SessionId(check_id(subject.rpartition(".")[2], "session id"))
    return session_id, CallId(check_id(named, "call id")) if named else None


def engine_subject(member: str) -> str:
    """Core NATS request/reply: what one engine is handed by the others."""
    return f"engines.to.{check_id(member, 'engine id')}"


def browser_pool_subject(member: str) -> str:
    """Core NATS request/reply: what one browser pool is handed by the others."""
    return f"browsers.to.{check_id(member, 'browser pool id')}"


def mcp_host_subject(member: str) -> str:
    """Core NATS request/reply: what one host of foreign servers is handed by the others."""
    return f"mcphosts.to.{check_id(member, 'host id')}"


def browser_pools_with_room() -> str:
    """Core NATS request/reply: asked by a full pool of all others; who has room answers."""
    return "browsers.room"


def hand_over_subject(session_id: SessionId) -> str:
    """Core NATS request/reply: what a person sees and does while the session's pages are handed over."""
    return f"handover.{check_id(session_id, 'session id')}"


def site_logins_key(agent_id: AgentId) -> str:
    """Below which, in their bucket, an agent's kept logins are."""
    return check_id(agent_id, "agent id")


def query_subject(name: str) -> str:
    """Core NATS request/reply: a question that a service answers from its fold."""
    return f"qry.{name}"


def timer_subject(timer_id: str, server: str | None = None) -> str:
    """Where a timer is set, by its id, which must be one safe token; with what waits for a `server`, if it
    does."""
    return f"timer.{timer_id}" if server is None else f"timer.retry.{check_id(server, 'server')}.{timer_id}"


def model_probe_subject(server: str) -> str:
    """Where the next probe of a model server is set."""
    return f"timer.probe.{check_id(server, 'server')}"


def model_probe_due_subject(server: str) -> str:
    """Where the server puts it when it is time."""
    return f"due.probe.{check_id(server, 'server')}"


def scheduled_timer_subject(agent_id: AgentId, kind: EntityKind, name: str) -> str:
    """Where the next time of a reminder or a schedule is set."""
    return f"timer.{_scheduled(agent_id, kind, name)}"


def scheduled_due_subject(agent_id: AgentId, kind: EntityKind, name: str) -> str:
    """Where the server puts it when it is time."""
    return f"due.{_scheduled(agent_id, kind, name)}"


def all_times_of(agent_id: AgentId, kinds: Iterable[EntityKind]) -> tuple[str, ...]:
    """Matches the times of an agent's things that act, those to come and those that have come."""
    return tuple(
        f"{place}.{kind.value}.{check_id(agent_id, 'agent id')}.*"
        for kind in kinds
        for place in ("timer", "due")
    )


def _scheduled(agent_id: AgentId, kind: EntityKind, name: str) -> str:
    return f"{kind.value}.{check_id(agent_id, 'agent id')}.{entity_token(name)}"


def all_inputs(event_type: str) -> str:
    """Matches the inputs of one type of everyone's sessions."""
    return f"ses.*.*.*.in.{kind_of(event_type)}"


def timers_waiting_for(server: str) -> str:
    """Matches the timers of all failed turns that wait for a model server."""
    return f"timer.retry.{check_id(server, 'server')}.*"


def due_subject(timer_id: str) -> str:
    """Where the server puts a timer whose time has come."""
    return f"due.{timer_id}"


def dead_letter_subject(stream: str, consumer: str) -> str:
    """Where a message that could not be handled is set aside."""
    return f"dlq.{stream}.{consumer}"


def wakes_of(source: str) -> str:
    """Where the service with the credentials `source` writes its wakes, and nobody else does."""
    return f"wake.{source}.>"


def wake_source(subject: str) -> str:
    """Whose a wake is, by where it stands; `Permanent` for a subject that isn't a wake's."""
    parts = subject.split(".")
    if len(parts) < 3 or parts[0] != "wake":
        raise Permanent(f"not the subject of a wake: {subject!r}", kind="bad_subject")
    return parts[1]


def probe_subject(service: str) -> str:
    """Where a service writes to see whether anything can be stored: the last of each is kept."""
    return f"probe.{service}"


def metrics_subject(user: str) -> str:
    """Where a service tells its numbers, by its NATS user: nobody tells another's."""
    return f"metrics.of.{user}"


def worker_key(consumer: str, member: str) -> str:
    """Where, in the bucket of workers, one process says that it works for a consumer."""
    return f"{consumer}.{member}"


def blob_subject(sha256: str) -> str:
    """Where a blob of at most 1 MiB is stored."""
    return f"blob.{sha256}"


def removal_subject(sha256: str) -> str:
    """Where the mark on a blob is stored that is about to be removed: beside the large blobs."""
    return f"$O.{OBJECTS_BUCKET}.M.removals.{sha256}"


def matches(pattern: str, subject: str) -> bool:
    """Whether the pattern covers the subject."""
    if pattern == subject or pattern == ">":
        return True
    wanted, tokens = pattern.split("."), subject.split(".")
    for index, token in enumerate(wanted):
        if token == ">":
            return len(tokens) > index
        if index >= len(tokens) or (token != "*" and token != tokens[index]):
            return False
    return len(wanted) == len(tokens)
