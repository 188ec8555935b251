"""What the part of the scheduler that lets others wake sessions may do on NATS."""

from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.subjects import (
    ALL_CREATED,
    ALL_WOKEN,
    LOG_STREAM,
    QUOTAS_BUCKET,
    WAKE_CONSUMER,
    WAKE_CREDENTIALS_BUCKET,
    WAKE_STREAM,
    WAKES_BUCKET,
    everyones_entities,
    query_subject,
)
from agent_contracts.questions.queries import DELIVER_WAKE, DELIVER_WAKE_AGAIN
from agent_platform.nats.rights import buckets, pulls, reads, reads_buckets

PUBLISH = (
    ALL_CREATED,
    ALL_WOKEN,
    everyones_entities(EntityKind.INBOX),
    *reads(LOG_STREAM, WAKE_STREAM),
    *pulls(WAKE_STREAM, WAKE_CONSUMER),
    *buckets(WAKES_BUCKET, QUOTAS_BUCKET),
    *reads_buckets(WAKE_CREDENTIALS_BUCKET),
)
SUBSCRIBE = (query_subject(DELIVER_WAKE), query_subject(DELIVER_WAKE_AGAIN))
