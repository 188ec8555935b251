"""The part of the scheduler that lets other services wake sessions, from start to stop."""

import asyncio

from agent_contracts.log.subjects import (
    QUOTAS_BUCKET,
    WAKE_CREDENTIALS_BUCKET,
    WAKE_STREAM,
    WAKES_BUCKET,
)
from agent_domain.personal.effective_settings import EffectiveSettings
from agent_domain.wakes.credentials import CredentialsRegister
from agent_platform.log.bucket import bucket
from agent_platform.log.jetstream import JetStreamLog
from agent_platform.log.quotas.counted_log import CountedLog
from agent_platform.log.quotas.daily import DailyQuota
from agent_platform.log.quotas.room import stored_room
from agent_platform.process.clock import SystemClock
from agent_platform.services.consuming.jetstream_consumer import JetStreamConsumer
from agent_platform.services.service import ServiceRuntime
from agent_platform.settings.shared import QuotaSettings
from scheduler.settings import SchedulerSettings
from scheduler.wakes.claims import Claims
from scheduler.wakes.consumers import WAKES
from scheduler.wakes.deliveries import Deliveries
from scheduler.wakes.inbox_expiry import InboxExpiry
from scheduler.wakes.rates import Rates
from scheduler.wakes.translator import Translator


async def serve_wakes(
    service: ServiceRuntime, settings: EffectiveSettings[SchedulerSettings], quotas: QuotaSettings
) -> None:
    """Translate wakes until cancelled."""
    connection, clock = service.connection, SystemClock()
    quota = DailyQuota(bucket(connection, QUOTAS_BUCKET), clock, quotas.agent_log_limit)
    stored = JetStreamLog(connection, metrics=service.metrics)
    room = stored_room(connection, stored, clock, quotas.agent_kept_limit)
    kept = bucket(connection, WAKES_BUCKET)
    translator = Translator(
        JetStreamLog(connection, stream=WAKE_STREAM),
        CredentialsRegister(bucket(connection, WAKE_CREDENTIALS_BUCKET)),
        Rates(kept, clock),
        Deliveries(CountedLog(stored, quota, bounded=True), clock, Claims(kept), settings, room),
    )
    await translator.answer(connection)
    async with asyncio.TaskGroup() as group:
        group.create_task(JetStreamConsumer(service, WAKES, translator.handle, translator.given_up).run())
        group.create_task(InboxExpiry(CountedLog(stored, quota), clock).run())
