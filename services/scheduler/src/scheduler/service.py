"""The scheduler: reminds sessions, begins scheduled tasks, and lets other services wake sessions."""

from agent_contracts.codec import type_of
from agent_contracts.entities import EntityKind
from agent_contracts.session_events.inputs import Created, ReminderDue, UserMessage
from agent_contracts.subjects import (
    ALL_REMINDER_TIMERS,
    ALL_SCHEDULE_TIMERS,
    LOG_STREAM,
    QUOTAS_BUCKET,
    SCHEDULED_CONSUMER,
    SCHEDULER_CHANGES_CONSUMER,
    SCHEDULER_ENDINGS_CONSUMER,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    all_inputs,
    everyones_entities,
)
from agent_platform.nats.rights import Rights, buckets, pulls, reads, reads_buckets, works_on
from agent_platform.nats.user import ONCE
from agent_platform.services.declaration import ServiceDeclaration
from scheduler.consumers import CHANGES, DUE, ENDINGS
from scheduler.settings import SchedulerSettings
from scheduler.wakes import declared as wakes
from scheduler.wakes.consumers import WAKES

DECLARATION = ServiceDeclaration(
    name="scheduler",
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
)
