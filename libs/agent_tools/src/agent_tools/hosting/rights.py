"""What every worker pulls, and may do on NATS. Cheap to import: declarations are made of it."""

from agent_contracts.log.offered_results import ResultSource, offers_by
from agent_contracts.log.subjects import (
    ALL_CANCELLATIONS,
    ALL_CLAIMS,
    ALL_ERASED,
    ALL_FORGETTING,
    ALL_RESULTS,
    CATALOG_BUCKET,
    LOG_STREAM,
    QUOTAS_BUCKET,
    SNAPSHOTS_BUCKET,
    consumer_of,
    tool_call_requests,
)
from agent_contracts.tool_spec import RunsOn
from agent_platform.nats.consumer_spec import ConsumerSpec
from agent_platform.nats.rights import STORES_BLOBS, Rights, buckets, reads, reads_buckets, works_on


def calls_on(runs_on: RunsOn) -> ConsumerSpec:
    """The calls that are requested of these workers."""
    return ConsumerSpec(consumer_of(runs_on), (tool_call_requests(runs_on),), costly=True)


def worker_rights(
    worker: ResultSource,
    calls: ConsumerSpec,
    *,
    publish: tuple[str, ...] = (),
    subscribe: tuple[str, ...] = (),
    answers: str | None = None,
) -> Rights:
    """The rights of a worker: to pull `calls`, to claim them and record their results, to store
    blobs and count quotas. What it does besides is its own to name."""
    return Rights(
        publish=(
            ALL_FORGETTING,
            ALL_CLAIMS,
            ALL_RESULTS,
            offers_by(worker),
            *reads(LOG_STREAM),
            *works_on(calls.name),
            *buckets(QUOTAS_BUCKET),
            *reads_buckets(CATALOG_BUCKET, SNAPSHOTS_BUCKET),
            *STORES_BLOBS,
            *publish,
        ),
        subscribe=(ALL_CANCELLATIONS, ALL_ERASED, *subscribe),
        answers=answers,
    )


def publishes_pack(pack: str) -> str:
    """The subject of a pack's catalogue, which only its worker may write."""
    return f"$KV.{CATALOG_BUCKET}.{pack}"
