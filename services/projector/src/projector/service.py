"""The projector: folds the log into the tables that people look at."""

from agent_contracts import service_names
from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.subjects import (
    ALL_ERASED,
    ALL_FORGETTING,
    ALL_REMOVALS,
    BLOB_STREAM,
    DLQ_STREAM,
    LOG_STREAM,
    OBJECTS_BUCKET,
    SEALS_BUCKET,
    SKIPPED,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    all_inputs,
    dead_letter_subject,
    everyones_entities,
    query_subject,
)
from agent_contracts.questions.history_search import SEARCH_HISTORY
from agent_contracts.session_events.inputs import Archived
from agent_platform.nats.rights import READS_BLOBS, Rights, buckets, follows, purges, reads, reads_buckets
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import ServiceDeclaration, StartOrder
from projector.settings import ProjectorSettings

DECLARATION = ServiceDeclaration(
    name=service_names.PROJECTOR,
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
            # What people delete: the mark, the end of what still runs, and everything that it left.
            everyones_entities(EntityKind.ERASED),
            all_inputs(type_of(Archived)),
            ALL_ERASED,
            ALL_REMOVALS,
            *reads(TIMER_STREAM),
            *reads_buckets(SNAPSHOTS_BUCKET),
            # Snapshots of agents' databases that are not kept any more.
            *follows(f"KV_{SNAPSHOTS_BUCKET}"),
            f"$KV.{SNAPSHOTS_BUCKET}.>",  # written anew after an erasure, so that its old blocks go
            *purges(LOG_STREAM, BLOB_STREAM, f"OBJ_{OBJECTS_BUCKET}", f"KV_{SNAPSHOTS_BUCKET}", TIMER_STREAM),
            f"$JS.API.STREAM.MSG.DELETE.{DLQ_STREAM}",
        ),
        subscribe=(query_subject(SEARCH_HISTORY), ALL_FORGETTING),
        answers=OFTEN,
    ),
    start=StartOrder.FIRST,  # it makes the schema that others read
)
