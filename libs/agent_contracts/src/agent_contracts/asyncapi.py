"""The AsyncAPI 3 document of everything that travels on the bus, generated from the types.

`python -m agent_contracts.asyncapi` prints it; `make contracts` writes it to `docs/asyncapi.yaml`.
"""

import sys
from typing import Any, get_args

import msgspec

from agent_contracts.entities.database_events import DatabaseEvent
from agent_contracts.entities.entity import EntityEvent
from agent_contracts.event import Event
from agent_contracts.event_sources import Actor
from agent_contracts.field_descriptions import describe_components
from agent_contracts.log import subjects
from agent_contracts.log.record.codec import type_of
from agent_contracts.questions.queries import (
    Delta,
    ForkCommand,
    ImportCommand,
    ImportProgress,
    ModelCallQuery,
    QueryAnswer,
    ReplayQuery,
    SessionStateQuery,
)
from agent_contracts.session_events.decisions import Decision
from agent_contracts.session_events.inputs import Input
from agent_contracts.session_events.results import CallClaimed, Result
from agent_contracts.wakes import STRUCTURED, CloudEventWake, WakeData

_CHANNELS: tuple[tuple[str, str, str, tuple[type[Event], ...]], ...] = (
    (
        "inputs",
        "ses.{agent}.{partition}.{session}.in.{kind}",
        "Facts from outside a session.",
        get_args(Input),
    ),
    (
        "decisions",
        "ses.{agent}.{partition}.{session}.ev.{kind}",
        "What the engine decided; requests of calls go on with `.{worker}`.",
        get_args(Decision),
    ),
    (
        "results",
        "ses.{agent}.{partition}.{session}.result",
        "One per call: a second one is refused, for it doesn't come after what its writer saw last.",
        get_args(Result),
    ),
    (
        "claims",
        "ses.{agent}.{partition}.{session}.claim",
        "The one runner that starts an external call: a second claim is refused likewise.",
        (CallClaimed,),
    ),
    (
        "entities",
        "agt.{agent}.{kind}.{name}",
        "One entity per subject; its last message is its whole current value.",
        get_args(EntityEvent),
    ),
    (
        "database",
        "agt.{agent}.db",
        "The write log of an agent's database: its fold is the database.",
        get_args(DatabaseEvent),
    ),
)

EVENTS = tuple(event for *_, types in _CHANNELS for event in types)
"""Every type of event that the log may hold."""

_DESCRIPTION = (
    f"Events of JetStream's {subjects.LOG_STREAM}, as CloudEvents 1.0. In the log itself their envelope has "
    "shorter names, beside the payload under `event`: `id`, `by` (ce-source), `actor`, `at` (ce-time), "
    "`cause`, `prev`, `trace`, `request`, `imported`; a message is one such document or an array of several."
)


_WAKE_DESCRIPTION = (
    f"Sent to JetStream's {subjects.WAKE_STREAM}, which answers that it has it. The same `id` and `source` "
    "are delivered once in 24 hours. What can't become anything is a dead letter. See docs/wakes.md."
)


def json_schemas() -> dict[str, Any]:
    """JSON Schema 2020-12 of every event and query, by class name; references point into `components`."""
    asked = (SessionStateQuery, ModelCallQuery, ReplayQuery, ForkCommand, ImportCommand)
    answers = (QueryAnswer, ImportProgress, Delta)
    described: tuple[type[msgspec.Struct], ...] = (*EVENTS, *asked, *answers, CloudEventWake, WakeData)
    _, components = msgspec.json.schema_components(described, ref_template="#/components/schemas/{name}")
    describe_components(components, described)
    return dict(sorted(components.items()))


def envelope_schema() -> dict[str, Any]:
    """The attributes of an event where it leaves by a door."""
    text = {"type": "string"}
    number = {"type": "string", "pattern": "^[0-9]+$"}
    digest = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    return {
        "type": "object",
        "required": ["ce-id", "ce-specversion", "ce-type", "ce-source", "ce-subject", "ce-time", "ce-actor"],
        "properties": {
            "ce-id": text,
            "ce-specversion": {"const": "1.0"},
            "ce-type": text,
            "ce-source": text,
            "ce-subject": {**text, "description": "the session or entity that it concerns"},
            "ce-time": {"type": "string", "format": "date-time"},
            "ce-actor": {"enum": [actor.value for actor in Actor]},
            "ce-causation": {**number, "description": "the log sequence that led here"},
            "ce-prev": {**number, "description": "the last sequence of the session that the writer saw"},
            "ce-traceparent": {"type": "string", "description": "W3C trace context"},
            "ce-request": {**digest, "description": "of the request that asked for it with a key"},
            "ce-imported": {**digest, "description": "which import wrote it: nobody acts on it"},
        },
    }


def asyncapi() -> dict[str, Any]:
    """The whole document."""
    channels: dict[str, Any] = {}
    messages: dict[str, Any] = {}
    for name, address, description, types in _CHANNELS:
        parameters = [part.split("}", 1)[0] for part in address.split("{")[1:]]
        channels[name] = {
            "address": address,
            "description": description,
            "parameters": {parameter: {} for parameter in parameters},
            "messages": {t.__name__: {"$ref": f"#/components/messages/{t.__name__}"} for t in types},
        }
        messages |= {event_type.__name__: _message(event_type) for event_type in types}
    channels["wakes"] = _wakes()
    messages |= _wake_messages()
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Foldline",
            "version": "1",
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": {
            "wake": {
                "action": "receive",
                "channel": {"$ref": "#/channels/wakes"},
                "summary": "Another service wakes a session or an agent.",
                "description": _WAKE_DESCRIPTION,
                "messages": [
                    {"$ref": f"#/channels/wakes/messages/{name}"} for name in sorted(_wake_messages())
                ],
            }
        },
        "components": {
            "messages": messages,
            "messageTraits": {"cloudEvent": {"headers": envelope_schema()}},
            "schemas": json_schemas(),
        },
    }


def _wakes() -> dict[str, Any]:
    """Where other services write, and nowhere else."""
    return {
        "address": "wake.{source}.{name}",
        "description": "What other services send to wake sessions: CloudEvents 1.0, in either mode.",
        "parameters": {
            "source": {"description": "the name of the service's credentials, which may write here alone"},
            "name": {"description": "the service's own; one or more tokens, which nobody reads"},
        },
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in _wake_messages()},
    }


def _wake_messages() -> dict[str, Any]:
    """A wake in both modes: as one document, and as headers with its data as the body."""
    structured = msgspec.json.schema_components([CloudEventWake])[1]["CloudEventWake"]
    attributes = {name: one for name, one in structured["properties"].items() if name != "data"}
    return {
        "StructuredWake": {
            "name": "wake",
            "summary": "A wake in structured mode.",
            "contentType": STRUCTURED,
            "payload": {"$ref": "#/components/schemas/CloudEventWake"},
        },
        "BinaryWake": {
            "name": "wake",
            "summary": "A wake in binary mode: its attributes are headers, percent-encoded.",
            "contentType": "application/json",
            "headers": {
                "type": "object",
                "required": [f"ce-{name}" for name in structured["required"] if name != "data"],
                "properties": {f"ce-{name}": one for name, one in attributes.items()},
            },
            "payload": {"$ref": "#/components/schemas/WakeData"},
        },
    }


def _message(event_type: type[Event]) -> dict[str, Any]:
    return {
        "name": type_of(event_type),
        "summary": (event_type.__doc__ or "").split("\n", 1)[0],
        "traits": [{"$ref": "#/components/messageTraits/cloudEvent"}],
        "payload": {"$ref": f"#/components/schemas/{event_type.__name__}"},
    }


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.yaml.encode(asyncapi()))
