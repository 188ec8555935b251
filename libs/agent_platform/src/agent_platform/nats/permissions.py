"""Which service may write and read what: one table, enforced by NATS."""

import json
from collections.abc import Mapping

import msgspec

from agent_contracts.entities import EntityKind
from agent_contracts.function_calls import CALL_FUNCTION
from agent_contracts.generation import GENERATE
from agent_contracts.subjects import (
    ADVISORY_STREAM,
    ALL_CLAIMS,
    ALL_DECISIONS,
    ALL_ENTITIES,
    ALL_INPUTS,
    ALL_RESULTS,
    ALL_TIMERS,
    BLOB_STREAM,
    BROWSER_RUNNER_CONSUMER,
    CATALOG_BUCKET,
    DATABASE_SNAPSHOTS,
    DEAD_LETTER_CONSUMER,
    ENGINE_CONSUMER,
    ENGINES,
    LEASES_BUCKET,
    LOG_STREAM,
    MODEL_CALLER_CONSUMER,
    OBJECTS_BUCKET,
    SECRETS_BUCKET,
    SNAPSHOTS_BUCKET,
    TIMER_CONSUMER,
    TIMER_STREAM,
    TOOL_RUNNER_CONSUMER,
    dead_letter_subject,
    everyones_entities,
    query_subject,
)
from agent_contracts.user_questions import CHECK_DEFINITION, READ_DATABASE
from agent_platform.process.embedded.nats_config import OFTEN, ONCE, NatsUser

ADMIN = "admin"
"""May do everything: creates the streams; for the CLI and people."""


class Rights(msgspec.Struct, frozen=True):
    """What one user may publish and subscribe, wildcards allowed, and how often it may answer a request."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...] = ()
    answers: str | None = None


def _reads(*streams: str) -> tuple[str, ...]:
    """Direct gets, and the streams' last sequence."""
    api = "$JS.API"
    return tuple(
        subject
        for stream in streams
        for subject in (
            f"{api}.DIRECT.GET.{stream}",
            f"{api}.DIRECT.GET.{stream}.>",
            f"{api}.STREAM.INFO.{stream}",
        )
    )


def _follows(*streams: str) -> tuple[str, ...]:
    """Tails: ephemeral consumers, pulled."""
    return tuple(
        subject
        for stream in streams
        for subject in (f"$JS.API.CONSUMER.CREATE.{stream}.*", f"$JS.API.CONSUMER.MSG.NEXT.{stream}.*")
    )


def _works_on(consumer: str) -> tuple[str, ...]:
    """A durable consumer of the log, and the listener for what it exhausted."""
    return (
        *_pulls(LOG_STREAM, consumer),
        *_pulls(ADVISORY_STREAM, f"{DEAD_LETTER_CONSUMER}-{consumer}"),
    )


def _pulls(stream: str, durable: str) -> tuple[str, ...]:
    """A durable consumer, and its dead letters."""
    return (
        f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
        f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
        f"$JS.ACK.{stream}.{durable}.>",
        dead_letter_subject(stream, durable),
    )


def _bucket(*names: str) -> tuple[str, ...]:
    """Reads and writes key-value buckets."""
    return (*_reads(*(f"KV_{name}" for name in names)), *(f"$KV.{name}.>" for name in names))


_READS_BLOBS = _reads(BLOB_STREAM, f"OBJ_{OBJECTS_BUCKET}")
_BLOBS = (*_READS_BLOBS, "blob.*", f"$O.{OBJECTS_BUCKET}.>")
_CANCELLATIONS = "live.cancel.*"
_QUESTIONS = "qry.>"
_GENERATE = query_subject(GENERATE)
_ASKED_OF_RUNNERS = tuple(map(query_subject, (CALL_FUNCTION, CHECK_DEFINITION, READ_DATABASE)))

RIGHTS: Mapping[str, Rights] = {
    "engine": Rights(
        publish=(
            ALL_DECISIONS,
            ALL_INPUTS,  # of other sessions: a child's first, a parent's `child_finished`
            ALL_RESULTS,  # of imported sessions, as the claims are
            ALL_CLAIMS,
            ALL_TIMERS,
            everyones_entities(EntityKind.NOTEPAD),  # a sub-session's, as a copy of its parent's
            "live.>",
            *_reads(LOG_STREAM),
            *_follows(LOG_STREAM),
            *_works_on(ENGINE_CONSUMER),
            *_pulls(TIMER_STREAM, TIMER_CONSUMER),
            *_bucket(CATALOG_BUCKET, SNAPSHOTS_BUCKET),
            *_READS_BLOBS,
            ENGINES,
        ),
        subscribe=(_QUESTIONS, ENGINES),
        answers=ONCE,
    ),
    "model": Rights(
        publish=(
            ALL_RESULTS,
            "live.*.*.*.delta",
            *_reads(LOG_STREAM, f"KV_{CATALOG_BUCKET}", f"KV_{SNAPSHOTS_BUCKET}"),
            *_follows(f"KV_{CATALOG_BUCKET}"),
            *_works_on(MODEL_CALLER_CONSUMER),
            *_BLOBS,
        ),
        subscribe=(_CANCELLATIONS, _GENERATE),
        answers=OFTEN,
    ),
    "projector": Rights(publish=(*_reads(LOG_STREAM), *_follows(LOG_STREAM), *_READS_BLOBS)),
    "runner": Rights(
        publish=(
            ALL_CLAIMS,
            ALL_RESULTS,
            ALL_ENTITIES,
            _GENERATE,
            *_reads(LOG_STREAM, f"KV_{SECRETS_BUCKET}"),
            *_works_on(TOOL_RUNNER_CONSUMER),
            *_bucket(CATALOG_BUCKET),
            *_reads(f"KV_{SNAPSHOTS_BUCKET}"),
            f"$KV.{SNAPSHOTS_BUCKET}.{DATABASE_SNAPSHOTS}.*",  # not those of sessions
            *_BLOBS,
        ),
        subscribe=(_CANCELLATIONS, *_ASKED_OF_RUNNERS),
        answers=OFTEN,
    ),
    "browser": Rights(
        publish=(
            ALL_CLAIMS,
            ALL_RESULTS,
            *_reads(LOG_STREAM),
            *_works_on(BROWSER_RUNNER_CONSUMER),
            *_bucket(CATALOG_BUCKET, LEASES_BUCKET),
            *_BLOBS,
        ),
        subscribe=(_CANCELLATIONS,),
    ),
    "scheduler": Rights(
        publish=(
            ALL_INPUTS,
            "timer.>",
            *_reads(LOG_STREAM, TIMER_STREAM),
            *_follows(LOG_STREAM, TIMER_STREAM),
            *_bucket(LEASES_BUCKET),
        )
    ),
    "gateway": Rights(
        publish=(
            ALL_INPUTS,
            "agt.*.*.*",  # edits by people
            "agt.*.db",  # to take a database back; NATS can't tell that from a write
            _QUESTIONS,
            *_reads(LOG_STREAM),
            *_follows(LOG_STREAM),
            *_bucket(SECRETS_BUCKET),
            *_reads(f"KV_{CATALOG_BUCKET}"),
            *_BLOBS,
        ),
        subscribe=("live.>",),
    ),
    "wake": Rights(publish=("ses.*.*.*.in.woken",)),
}
"""For each service's user, what it may do beside reading its own inbox (`_INBOX.<user>.>`)."""


def nats_users(passwords: Mapping[str, str]) -> list[NatsUser]:
    """All users with their rights. `passwords` by user name: one for each, `admin` included."""
    admin = NatsUser(ADMIN, passwords[ADMIN])
    return [admin, *(_user(name, passwords[name], rights) for name, rights in RIGHTS.items())]


def authorization_text() -> str:
    """The `authorization` block of a nats-server configuration; passwords come from the environment of the
    server: `FOLDLINE_NATS_PASSWORD_<USER>`."""
    users = [_entry(ADMIN, None), *(_entry(name, rights) for name, rights in RIGHTS.items())]
    return "\n".join(["authorization {", "  users: [", *users, "  ]", "}", ""])


def _user(name: str, password: str, rights: Rights) -> NatsUser:
    return NatsUser(
        name,
        password,
        publish=rights.publish,
        subscribe=_subscribes(name, rights),
        allow_responses=rights.answers,
    )


def _subscribes(name: str, rights: Rights) -> tuple[str, ...]:
    return (f"_INBOX.{name}.>", *rights.subscribe)


def _entry(name: str, rights: Rights | None) -> str:
    lines = [f'user: "{name}"', f"password: $FOLDLINE_NATS_PASSWORD_{name.upper()}"]
    if rights is not None:
        permissions = [
            f"publish: {{allow: {json.dumps(rights.publish)}}}",
            f"subscribe: {{allow: {json.dumps(_subscribes(name, rights))}}}",
            *([f"allow_responses: {rights.answers}"] if rights.answers else []),
        ]
        lines.append(f"permissions: {{{', '.join(permissions)}}}")
    return "    {" + ", ".join(lines) + "}"
