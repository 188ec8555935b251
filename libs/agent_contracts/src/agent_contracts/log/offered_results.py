"""Results that workers offer to the session's engine, which commits each with the decisions that follow."""

import msgspec

from agent_contracts.event_sources import MODEL_CALLER
from agent_contracts.ids import PARTITIONS
from agent_contracts.log.record.writers import TOOL_WORKERS
from agent_contracts.open_names import OpenNames

COMMITTED = b"committed"
"""The engine's answer begins so when the result is in the log, a model caller's goes on with the record that
it is in (`CommittedResult`); any other means: write it yourself."""
NOT_COMMITTED = b"not committed"


class ResultSource(OpenNames):
    """Who offers. NATS lets each speak for itself alone. Others may be installed beside these."""

    TOOL = "tool"
    MODEL = "model"
    BROWSER = "browser"
    WORKSPACE = "workspace"
    MCP = "mcp"


def source_of(worker: ResultSource) -> str | None:
    """What it calls itself in the events that it writes; None where nobody of this name may write results."""
    return MODEL_CALLER if worker is ResultSource.MODEL else TOOL_WORKERS.get(worker)


class OfferedResult(msgspec.Struct, frozen=True):
    """A result's message, as the worker would append it."""

    subject: str
    message_id: str
    data: bytes


class CommittedResult(msgspec.Struct, frozen=True):
    """The record that an offered result is in, as it is stored."""

    sequence: int
    subject: str
    headers: dict[str, str]
    data: bytes


def offer_subject(worker: ResultSource, partition: int) -> str:
    """Core NATS request/reply: where the engine that owns a partition hears of results."""
    return f"offer.{worker.value}.{partition % PARTITIONS}"


def offers_by(worker: ResultSource) -> str:
    """All that one kind of worker may offer."""
    return f"offer.{worker.value}.*"


def offers_in(partition: int) -> str:
    """All that is offered for the sessions of one partition."""
    return f"offer.*.{partition}"


ALL_OFFERS = "offer.*.*"
