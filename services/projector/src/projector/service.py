"""The projector: folds the log into the tables that people look at."""

from agent_contracts.subjects import LOG_STREAM, SEALS_BUCKET
from agent_platform.nats.rights import READS_BLOBS, Rights, buckets, follows, reads
from agent_platform.process.declaration import ServiceDeclaration, Start
from projector.settings import ProjectorSettings

DECLARATION = ServiceDeclaration(
    name="projector",
    entry="projector.app:serve",
    settings=ProjectorSettings,
    nats_user="projector",
    rights=Rights(publish=(*reads(LOG_STREAM), *follows(LOG_STREAM), *READS_BLOBS, *buckets(SEALS_BUCKET))),
    start=Start.FIRST,  # it makes the schema that others read
)
