"""The notifier: reaches a person away from the page."""

from agent_contracts import service_names
from agent_contracts.entities.notifications import DESK, STATUSES, TEST_CHANNEL
from agent_contracts.log.subjects import (
    ALL_LOOKING,
    LOG_STREAM,
    NOTIFICATIONS_BUCKET,
    SNAPSHOTS_BUCKET,
    query_subject,
)
from agent_platform.nats.rights import Rights, follows, reads, reads_buckets
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import FirstNeed, Need, ServiceDeclaration
from notifier.settings import NotifierSettings

DECLARATION = ServiceDeclaration(
    name=service_names.NOTIFIER,
    entry="notifier.app:serve",
    settings=NotifierSettings,
    nats_user="notifier",
    rights=Rights(
        publish=(
            *reads(LOG_STREAM),
            *follows(LOG_STREAM),
            *reads_buckets(SNAPSHOTS_BUCKET, NOTIFICATIONS_BUCKET),
            f"$KV.{NOTIFICATIONS_BUCKET}.{STATUSES}.*",
            f"$KV.{NOTIFICATIONS_BUCKET}.{DESK}",
        ),
        subscribe=(ALL_LOOKING, query_subject(TEST_CHANNEL)),
        answers=OFTEN,
    ),
    first_need=FirstNeed((Need(f"$KV.{NOTIFICATIONS_BUCKET}.>", f"KV_{NOTIFICATIONS_BUCKET}"),)),
    single="it counts and sums up what it sends, so that a person gets no message twice",
)
