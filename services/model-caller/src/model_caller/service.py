"""The model caller: asks models what sessions ask for."""

from agent_contracts import service_names
from agent_contracts.entities.agent_settings import SYSTEM_AGENT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.log.offered_results import ResultSource, offers_by
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    ALL_DELTAS,
    ALL_ERASED,
    ALL_FORGETTING,
    ALL_MODEL_PROBES,
    ALL_MODEL_PROBES_DUE,
    ALL_RESULTS,
    BUDGETS_BUCKET,
    CATALOG_BUCKET,
    LOG_STREAM,
    MODEL_CALL_REQUESTS,
    MODEL_CALLER_CONSUMER,
    MODEL_PROBE_CONSUMER,
    QUOTAS_BUCKET,
    SECRETS_BUCKET,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    entity_filter,
    everyones_entities,
    query_subject,
)
from agent_contracts.questions.embedding import EMBED
from agent_contracts.questions.generation import GENERATE
from agent_contracts.questions.model_tests import TEST_MODEL
from agent_contracts.questions.queries import SERVER_ANSWERS
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import (
    STORES_BLOBS,
    Rights,
    buckets,
    follows,
    pulls,
    reads,
    reads_buckets,
    works_on,
)
from agent_platform.nats.user import OFTEN
from agent_platform.services.declaration import ServiceDeclaration
from model_caller.settings import ModelCallerSettings

MODEL_CALLS = ConsumerSpec(MODEL_CALLER_CONSUMER, (MODEL_CALL_REQUESTS,), costly=True)
"""Requested model calls."""

PROBES = ConsumerSpec(
    MODEL_PROBE_CONSUMER,
    (ALL_MODEL_PROBES_DUE,),
    max_deliver=-1,
    backoff_s=(1.0, 5.0, 15.0),
    parallel=8,
    stream=TIMER_STREAM,
)
"""Probes of model servers: is one there again? One whose outcome can't be told now is made again."""

DECLARATION = ServiceDeclaration(
    name=service_names.MODEL_CALLER,
    entry="model_caller.app:serve",
    settings=ModelCallerSettings,
    nats_user="model",
    rights=Rights(
        publish=(
            ALL_FORGETTING,
            ALL_RESULTS,
            offers_by(ResultSource.MODEL),
            ALL_DELTAS,
            *reads(LOG_STREAM, TIMER_STREAM),
            ALL_MODEL_PROBES,
            *pulls(TIMER_STREAM, MODEL_PROBE_CONSUMER),
            query_subject(SERVER_ANSWERS),
            *reads_buckets(CATALOG_BUCKET, SNAPSHOTS_BUCKET, SECRETS_BUCKET),
            *follows(f"KV_{CATALOG_BUCKET}", f"KV_{SECRETS_BUCKET}"),
            *buckets(BUDGETS_BUCKET, QUOTAS_BUCKET),
            *works_on(MODEL_CALLER_CONSUMER),
            *STORES_BLOBS,
            everyones_entities(EntityKind.FILE),  # what a model is shown cut, whole
            everyones_entities(EntityKind.PATH),
            entity_filter(SYSTEM_AGENT, EntityKind.MODEL_ADAPTATIONS),
        ),
        subscribe=(
            ALL_CANCELLATIONS,
            ALL_ERASED,
            *map(query_subject, (GENERATE, EMBED, TEST_MODEL)),
        ),
        answers=OFTEN,
    ),
    consumers=(MODEL_CALLS, PROBES),
    environment=("*",),  # keys of a hundred providers, whose variables follow no rule
)
