"""The scheduler: reminds sessions, begins scheduled tasks, and lets other services wake sessions."""

from agent_contracts import service_names
from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.subjects import (
    ALL_ENDINGS,
    ALL_NAMED_ENTITIES,
    ALL_REMINDER_TIMERS,
    ALL_SCHEDULE_TIMERS,
    ALL_SCHEDULED_DUE,
    ALL_WAKES,
    LOG_STREAM,
    QUOTAS_BUCKET,
    SCHEDULED_CONSUMER,
    SCHEDULER_CHANGES_CONSUMER,
    SCHEDULER_ENDINGS_CONSUMER,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    WAKE_CREDENTIALS_BUCKET,
    WAKE_STREAM,
    all_inputs,
    everyones_entities,
)
from agent_contracts.session_events.inputs import Created, ReminderDue, UserMessage
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import Rights, buckets, pulls, reads, reads_buckets, works_on
from agent_platform.nats.user import ONCE
from agent_platform.services.declaration import FirstNeed, Need, ServiceDeclaration
from scheduler.settings import SchedulerSettings
from scheduler.wakes import declaration as wakes
from scheduler.wakes.consumers import WAKES

_BACKOFF_S = (1.0, 5.0, 15.0, 60.0)

DUE = ConsumerSpec(
    SCHEDULED_CONSUMER,
    (ALL_SCHEDULED_DUE,),
    ack_wait_s=5.0,
    max_deliver=-1,
    backoff_s=_BACKOFF_S,
    parallel=64,
    stream=TIMER_STREAM,
)
"""Reminders and schedules that came due. What can't be handled now is tried until it can."""

CHANGES = ConsumerSpec(
    SCHEDULER_CHANGES_CONSUMER,
    (ALL_NAMED_ENTITIES,),
    ack_wait_s=5.0,
    max_deliver=20,
    backoff_s=_BACKOFF_S,
    parallel=32,
)
"""Changes of reminders, schedules and runs; other entities are passed over."""

ENDINGS = ConsumerSpec(
    SCHEDULER_ENDINGS_CONSUMER,
    (ALL_ENDINGS,),
    ack_wait_s=5.0,
    max_deliver=20,
    backoff_s=_BACKOFF_S,
    parallel=32,
)
"""Turns and sessions that are over; those of sessions that no schedule began are passed over."""

DECLARATION = ServiceDeclaration(
    name=service_names.SCHEDULER,
    entry="scheduler.app:serve",
    settings=SchedulerSettings,
    nats_user="scheduler",
    rights=Rights(
        publish=(
            all_inputs(type_of(Created)),
            all_inputs(type_of(UserMessage)),
            all_inputs(type_of(ReminderDue)),
            everyones_entities(EntityKind.REMINDER),
            everyones_entities(EntityKind.SCHEDULE),
            everyones_entities(EntityKind.RUN),
            ALL_REMINDER_TIMERS,
            ALL_SCHEDULE_TIMERS,
            *reads(LOG_STREAM, TIMER_STREAM),
            *works_on(SCHEDULER_CHANGES_CONSUMER),
            *works_on(SCHEDULER_ENDINGS_CONSUMER),
            *pulls(TIMER_STREAM, SCHEDULED_CONSUMER),
            *reads_buckets(SNAPSHOTS_BUCKET),
            *buckets(QUOTAS_BUCKET),
            *wakes.PUBLISH,
        ),
        subscribe=wakes.SUBSCRIBE,
        answers=ONCE,
    ),
    consumers=(DUE, CHANGES, ENDINGS, WAKES),
    first_need=FirstNeed(
        (
            Need(everyones_entities(EntityKind.REMINDER), LOG_STREAM),
            Need(everyones_entities(EntityKind.SCHEDULE), LOG_STREAM),
            Need(ALL_WAKES, WAKE_STREAM),
            Need(f"$KV.{WAKE_CREDENTIALS_BUCKET}.>", f"KV_{WAKE_CREDENTIALS_BUCKET}"),
        )
    ),
)
