"""The projector: folds the log into the tables that people look at."""

from agent_contracts.history_search import SEARCH_HISTORY
from agent_contracts.subjects import (
    DLQ_STREAM,
    LOG_STREAM,
    SEALS_BUCKET,
    SKIPPED,
    dead_letter_subject,
    query_subject,
)
from agent_platform.nats.rights import READS_BLOBS, Rights, buckets, follows, reads
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import ServiceDeclaration, Start
from projector.settings import ProjectorSettings

DECLARATION = ServiceDeclaration(
    name="projector",
    entry="projector.app:serve",
    settings=ProjectorSettings,
    nats_user="projector",
    rights=Rights(
        publish=(
            *reads(LOG_STREAM, DLQ_STREAM),
            *follows(LOG_STREAM),
            dead_letter_subject(LOG_STREAM, SKIPPED),
            *READS_BLOBS,
            *buckets(SEALS_BUCKET),
        ),
        subscribe=(query_subject(SEARCH_HISTORY),),
        answers=OFTEN,
    ),
    start=Start.FIRST,  # it makes the schema that others read
)
