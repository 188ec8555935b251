"""The model caller: asks models what sessions ask for."""

from agent_contracts.generation import GENERATE
from agent_contracts.subjects import (
    ALL_CANCELLATIONS,
    ALL_DELTAS,
    ALL_RESULTS,
    CATALOG_BUCKET,
    LOG_STREAM,
    MODEL_CALLER_CONSUMER,
    SNAPSHOTS_BUCKET,
    query_subject,
)
from agent_platform.nats.rights import STORES_BLOBS, Rights, follows, reads, reads_buckets, works_on
from agent_platform.nats.user import OFTEN
from agent_platform.process.declaration import ServiceDeclaration
from model_caller.consumers import MODEL_CALLS
from model_caller.settings import ModelCallerSettings

DECLARATION = ServiceDeclaration(
    name="model-caller",
    entry="model_caller.app:serve",
    settings=ModelCallerSettings,
    nats_user="model",
    rights=Rights(
        publish=(
            ALL_RESULTS,
            ALL_DELTAS,
            *reads(LOG_STREAM),
            *reads_buckets(CATALOG_BUCKET, SNAPSHOTS_BUCKET),
            *follows(f"KV_{CATALOG_BUCKET}"),
            *works_on(MODEL_CALLER_CONSUMER),
            *STORES_BLOBS,
        ),
        subscribe=(ALL_CANCELLATIONS, query_subject(GENERATE)),
        answers=OFTEN,
    ),
    consumers=(MODEL_CALLS,),
    environment=("*",),  # litellm reads the keys of a hundred providers, whose variables follow no rule
)
