"""The engine: folds session events and appends the decisions that they call for."""

from agent_contracts import service_names
from agent_contracts.entities.entity import EntityKind
from agent_contracts.event_sources import ENGINE
from agent_contracts.kinds.registry import written_by
from agent_contracts.log.offered_results import ALL_OFFERS
from agent_contracts.log.subjects import (
    ALL_CLAIMS,
    ALL_DECISIONS,
    ALL_DUE,
    ALL_ERASED,
    ALL_FORGETTING,
    ALL_INPUTS,
    ALL_LIVE,
    ALL_QUERIES,
    ALL_RESULTS,
    ALL_RETRIES,
    ALL_SESSIONS,
    ALL_TIMERS,
    CATALOG_BUCKET,
    ENGINE_CONSUMER,
    ENGINES,
    LOG_STREAM,
    QUOTAS_BUCKET,
    REWIND_CONSUMER,
    SNAPSHOTS_BUCKET,
    TIMER_CONSUMER,
    TIMER_STREAM,
    everyones_entities,
    query_subject,
)
from agent_contracts.questions.user_questions import READ_DATABASE
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import READS_BLOBS, Rights, buckets, follows, looks_at, pulls, reads, works_on
from agent_platform.nats.user import ONCE
from agent_platform.services.declaration import ServiceDeclaration
from session_engine.settings import EngineSettings

SESSIONS = ConsumerSpec(ENGINE_CONSUMER, (ALL_SESSIONS,), ack_wait_s=2.0, max_in_flight=4096, parallel=256)
"""Everything of the sessions; the engine passes over what calls for nothing.

One filter, not one for inputs and one for results: with two, nats-server 2.15.1 spends forty times as long on
each message, and more with each session (docs/adr/0009). Nor one consumer for each partition: engines share
out what they pulled (docs/adr/0017). Their steps take milliseconds, so a dead one is noticed sooner.
"""

TIMERS = ConsumerSpec(
    TIMER_CONSUMER,
    (ALL_DUE,),
    ack_wait_s=5.0,
    max_deliver=-1,
    backoff_s=(1.0, 5.0, 15.0, 60.0),
    stream=TIMER_STREAM,
)
"""Timers that came due. One that can't be handled now is tried until it can."""

REWINDS = ConsumerSpec(
    REWIND_CONSUMER,
    (everyones_entities(EntityKind.REWIND),),
    max_deliver=-1,
    backoff_s=(1.0, 5.0, 15.0, 60.0),
    parallel=8,
    costly=True,
)
"""Rewinds of agents: one that has begun is completed by whichever engine gets it, and tried until it is."""

DECLARATION = ServiceDeclaration(
    name=service_names.ENGINE,
    entry="session_engine.app:serve",
    settings=EngineSettings,
    nats_user="engine",
    rights=Rights(
        publish=(
            ALL_FORGETTING,
            ALL_DECISIONS,
            ALL_INPUTS,  # of other sessions: a child's first, a parent's `child_finished`
            ALL_RESULTS,  # of imported sessions, as the claims are
            ALL_CLAIMS,
            ALL_TIMERS,
            ALL_RETRIES,
            *map(everyones_entities, written_by(ENGINE)),  # by rewinds, and copies for forks and sub-sessions
            "agt.*.db",
            query_subject(READ_DATABASE),
            ALL_LIVE,
            *reads(LOG_STREAM, TIMER_STREAM),
            *follows(LOG_STREAM),
            *works_on(ENGINE_CONSUMER),
            *works_on(REWIND_CONSUMER),
            *pulls(TIMER_STREAM, TIMER_CONSUMER),
            *looks_at("*"),
            *reads(TIMER_STREAM),
            *buckets(CATALOG_BUCKET, QUOTAS_BUCKET, SNAPSHOTS_BUCKET),
            *READS_BLOBS,
            ENGINES,
        ),
        subscribe=(ALL_QUERIES, ENGINES, ALL_ERASED, ALL_OFFERS),
        answers=ONCE,
    ),
    consumers=(SESSIONS, TIMERS, REWINDS),
)
