"""The scheduler: reminds sessions, begins scheduled tasks, and lets other services wake sessions."""

from agent_contracts.subjects import LOG_STREAM
from agent_platform.nats.rights import Rights, reads
from agent_platform.services.declaration import ServiceDeclaration
from scheduler.settings import SchedulerSettings

DECLARATION = ServiceDeclaration(
    name="scheduler",
    entry="scheduler.app:serve",
    settings=SchedulerSettings,
    nats_user="scheduler",
    rights=Rights(publish=reads(LOG_STREAM)),
)
