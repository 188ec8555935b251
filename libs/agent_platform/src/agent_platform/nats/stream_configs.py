"""What each stream and bucket is: the server's configuration as JSON, all times in nanoseconds."""

from typing import Any

import msgspec

from agent_contracts.log.subjects import (
    ADVISORY_STREAM,
    ALL_BLOBS,
    ALL_PROBES,
    ALL_WAKES,
    BLOB_STREAM,
    BUDGETS_BUCKET,
    CATALOG_BUCKET,
    CHATS_BUCKET,
    CHECKPOINTS_BUCKET,
    DLQ_STREAM,
    LEASES_BUCKET,
    LOG_STREAM,
    LOG_SUBJECTS,
    LOGINS_BUCKET,
    MAX_DELIVERIES_ADVISORY,
    NOTIFICATIONS_BUCKET,
    OBJECTS_BUCKET,
    PROBE_STREAM,
    PROGRAM_TOKENS_BUCKET,
    QUOTAS_BUCKET,
    SEALS_BUCKET,
    SECRETS_BUCKET,
    SITE_LOGINS_BUCKET,
    SNAPSHOTS_BUCKET,
    TIMER_STREAM,
    WAKE_CREDENTIALS_BUCKET,
    WAKE_STREAM,
    WAKES_BUCKET,
    WORKERS_BUCKET,
)
from agent_contracts.wakes import LARGEST_WAKE

_SECOND = 1_000_000_000
_HOUR = 3600 * _SECOND
_DAY = 24 * _HOUR
_WAKES_KEPT = 1024**3
"""Bytes. A service that floods the stream drives out the oldest wakes, which were handled long ago."""

_LETTERS_KEPT = 100_000
"""Dead letters of a consumer; then the oldest go."""


class StreamSettings(msgspec.Struct, frozen=True):
    """What an operator may choose: how many servers hold each message (1 embedded, 3 in a cluster), and for
    how long messages that were handled or given up are kept, in days."""

    replicas: int = 1
    advisory_days: int = 30


def stream_configs(settings: StreamSettings) -> list[dict[str, Any]]:
    """Every stream that must exist, those behind buckets included."""
    return [{"storage": "file", "num_replicas": settings.replicas, **config} for config in _configs(settings)]


def _configs(settings: StreamSettings) -> list[dict[str, Any]]:
    return [
        {
            "name": LOG_STREAM,
            "subjects": list(LOG_SUBJECTS),
            "discard": "new",
            "allow_direct": True,
            "allow_atomic": True,
            "duplicate_window": _HOUR,
        },
        {
            "name": TIMER_STREAM,
            "subjects": ["timer.>", "due.>"],
            "allow_direct": True,
            "allow_msg_schedules": True,
            "allow_msg_ttl": True,
            "allow_rollup_hdrs": True,
            "duplicate_window": _HOUR,
        },
        {
            "name": BLOB_STREAM,
            "subjects": [ALL_BLOBS],
            "discard": "new",
            "max_msgs_per_subject": 1,
            "discard_new_per_subject": True,
            "allow_direct": True,
        },
        {
            "name": DLQ_STREAM,
            "subjects": ["dlq.>"],
            "max_msgs_per_subject": _LETTERS_KEPT,
            "allow_direct": True,
            "duplicate_window": _DAY,
        },
        {
            "name": ADVISORY_STREAM,
            "subjects": [MAX_DELIVERIES_ADVISORY],
            "max_age": settings.advisory_days * _DAY,
        },
        {
            "name": PROBE_STREAM,
            "subjects": [ALL_PROBES],
            "max_msgs_per_subject": 1,
        },
        {
            "name": WAKE_STREAM,
            "subjects": [ALL_WAKES],
            "max_msg_size": LARGEST_WAKE,
            "max_bytes": _WAKES_KEPT,
            "max_age": 7 * _DAY,
            "discard": "old",
            "allow_direct": True,
            # The shortest: by `Nats-Msg-Id` one service could keep another's wake out. We tell repeats apart.
            "duplicate_window": _SECOND // 10,
        },
        {**_bucket(WAKES_BUCKET), "allow_msg_ttl": True},
        _bucket(WAKE_CREDENTIALS_BUCKET),
        _bucket(PROGRAM_TOKENS_BUCKET),
        _bucket(CHATS_BUCKET),
        {**_bucket(SNAPSHOTS_BUCKET), "allow_msg_ttl": True},
        _bucket(SECRETS_BUCKET),
        _bucket(SITE_LOGINS_BUCKET),
        _bucket(CATALOG_BUCKET),
        _bucket(SEALS_BUCKET),
        _bucket(CHECKPOINTS_BUCKET),
        _bucket(QUOTAS_BUCKET),
        _bucket(BUDGETS_BUCKET),
        _bucket(NOTIFICATIONS_BUCKET),
        {**_bucket(WORKERS_BUCKET), "allow_msg_ttl": True},
        {**_bucket(LOGINS_BUCKET), "allow_msg_ttl": True},
        {**_bucket(LEASES_BUCKET), "allow_msg_ttl": True},
        {
            "name": f"OBJ_{OBJECTS_BUCKET}",
            "subjects": [f"$O.{OBJECTS_BUCKET}.C.>", f"$O.{OBJECTS_BUCKET}.M.>"],
            "discard": "new",
            "allow_rollup_hdrs": True,
            "allow_direct": True,
        },
    ]


def _bucket(name: str) -> dict[str, Any]:
    """A key-value bucket that keeps the last value of each key.

    Never with `subject_delete_marker_ttl`: a key could then not be created again until its marker expired.
    """
    return {
        "name": f"KV_{name}",
        "subjects": [f"$KV.{name}.>"],
        "max_msgs_per_subject": 1,
        "discard": "new",
        "allow_rollup_hdrs": True,
        "allow_direct": True,
    }
