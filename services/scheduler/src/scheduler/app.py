"""The scheduler as a service."""

import asyncio

import structlog

from agent_contracts.log.subjects import QUOTAS_BUCKET, SNAPSHOTS_BUCKET, TIMER_STREAM
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_platform.entities.entities import Entities
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.dead_letters import MaxDeliveriesListener
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import running_service
from scheduler import reminders, schedules
from scheduler.entity_writes import EntityWrites
from scheduler.handlers import Handlers
from scheduler.numbers import Numbers
from scheduler.reconciler import Reconciler
from scheduler.service import CHANGES, DECLARATION, DUE, ENDINGS
from scheduler.settings import SchedulerSettings
from scheduler.standing_since import StandingSince
from scheduler.timers import ScheduleTimers
from scheduler.wakes.serving import serve_wakes
from session_domain.sessions import FoldedSessions
from session_domain.snapshots import KeptSnapshots

WARM = 100
"""Folded sessions that are kept."""

log = structlog.get_logger()


async def serve(settings: SchedulerSettings) -> None:
    """Remind and begin sessions, until cancelled."""
    async with running_service(DECLARATION, settings) as service:
        connection, clock = service.connection, SystemClock()
        quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, settings.agent_log_limit)
        stored = JetStreamLog(connection, metrics=service.metrics)
        events = CountedLog(stored, quota)
        entities = Entities(events, clock, DECLARATION.source)
        effective = EffectiveSettings(entities, settings)
        sessions = FoldedSessions(
            events, KeptSnapshots(bucket(connection, SNAPSHOTS_BUCKET), events), warm=WARM
        )
        timers = ScheduleTimers(JetStreamLog(connection, stream=TIMER_STREAM))
        writing = EntityWrites(events, CountedLog(stored, quota, bounded=True), clock)
        numbers = Numbers(service.metrics)
        reminding = reminders.ReminderRunner(
            writing,
            sessions,
            StandingSince(entities, reminders.what_counts),
            timers,
            numbers,
            effective,
        )
        scheduling = schedules.ScheduleRunner(
            writing,
            sessions,
            StandingSince(entities, schedules.what_counts),
            timers,
            numbers,
            effective,
        )
        handlers = Handlers(reminding, scheduling, sessions)
        consumers = (
            JetStreamConsumer(service, DUE, handlers.due, handlers.given_up),
            JetStreamConsumer(service, CHANGES, handlers.changed, handlers.given_up, handlers.preview_change),
            JetStreamConsumer(service, ENDINGS, handlers.ended, handlers.given_up, handlers.preview_ending),
        )
        log.info("scheduler.started")
        async with asyncio.TaskGroup() as group:
            for consumer in consumers:
                group.create_task(consumer.run())
            for spec in (CHANGES, ENDINGS):
                group.create_task(MaxDeliveriesListener(service, spec.name, handlers.given_up).run())
            group.create_task(serve_wakes(service, effective, settings))
            group.create_task(Reconciler(entities, timers, clock, reminding, scheduling).run())
