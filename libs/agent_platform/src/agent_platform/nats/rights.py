"""The vocabulary of rights: what a service may publish and hear, in words of streams and buckets."""

import msgspec

from agent_contracts.log.subjects import (
    ADVISORY_STREAM,
    ALL_BLOBS,
    BLOB_STREAM,
    CHECKPOINTS_BUCKET,
    DEAD_LETTER_CONSUMER,
    LOG_STREAM,
    OBJECTS_BUCKET,
    WORKERS_BUCKET,
    dead_letter_subject,
    worker_key,
)


class Rights(msgspec.Struct, frozen=True):
    """What one user may publish and subscribe, wildcards allowed, and how often it may answer a request
    (`ONCE` or `OFTEN` of `agent_platform.nats.user`). Besides, each may read its own inbox."""

    publish: tuple[str, ...] = ()
    subscribe: tuple[str, ...] = ()
    answers: str | None = None


def reads(*streams: str) -> tuple[str, ...]:
    """Direct gets, and the streams' last sequence."""
    api = "$JS.API"
    return tuple(
        subject
        for stream in streams
        for subject in (
            f"{api}.DIRECT.GET.{stream}",
            f"{api}.DIRECT.GET.{stream}.>",
            f"{api}.STREAM.INFO.{stream}",
        )
    )


def follows(*streams: str) -> tuple[str, ...]:
    """Tails: ephemeral consumers, pulled."""
    return tuple(
        subject
        for stream in streams
        for subject in (f"$JS.API.CONSUMER.CREATE.{stream}.*", f"$JS.API.CONSUMER.MSG.NEXT.{stream}.*")
    )


def works_on(consumer: str) -> tuple[str, ...]:
    """A durable consumer of the log, which is made anew where the server lost it; the listener for what it
    exhausted; who says that it works, and what others say."""
    return (
        f"$KV.{WORKERS_BUCKET}.{worker_key(consumer, '*')}",
        f"$KV.{CHECKPOINTS_BUCKET}.{consumer}",
        f"$JS.API.CONSUMER.CREATE.{LOG_STREAM}.{consumer}",
        *reads(LOG_STREAM),
        *reads_buckets(WORKERS_BUCKET, CHECKPOINTS_BUCKET),
        *pulls(LOG_STREAM, consumer),
        *pulls(ADVISORY_STREAM, f"{DEAD_LETTER_CONSUMER}-{consumer}"),
    )


def pulls(stream: str, durable: str) -> tuple[str, ...]:
    """A durable consumer, and its dead letters."""
    return (
        f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
        f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
        f"$JS.ACK.{stream}.{durable}.>",
        dead_letter_subject(stream, durable),
    )


def looks_at(*consumers: str) -> tuple[str, ...]:
    """How far durable consumers of the log are."""
    return tuple(f"$JS.API.CONSUMER.INFO.{LOG_STREAM}.{consumer}" for consumer in consumers)


def purges(*streams: str) -> tuple[str, ...]:
    """Takes messages out for ever, by their subject or one by one: NATS can't bound which."""
    return tuple(f"$JS.API.STREAM.{how}.{stream}" for stream in streams for how in ("PURGE", "MSG.DELETE"))


def lists_consumers(*streams: str) -> tuple[str, ...]:
    """How far every consumer of these streams is."""
    return tuple(f"$JS.API.CONSUMER.LIST.{stream}" for stream in streams)


def reads_buckets(*names: str) -> tuple[str, ...]:
    """Reads key-value buckets."""
    return reads(*(f"KV_{name}" for name in names))


def buckets(*names: str) -> tuple[str, ...]:
    """Reads and writes key-value buckets."""
    return (*reads_buckets(*names), *(f"$KV.{name}.>" for name in names))


READS_BLOBS = reads(BLOB_STREAM, f"OBJ_{OBJECTS_BUCKET}")
STORES_BLOBS = (*READS_BLOBS, ALL_BLOBS, f"$O.{OBJECTS_BUCKET}.>")
