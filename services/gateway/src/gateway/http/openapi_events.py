"""The events of the log in the OpenAPI document: one schema for each type, as its `type` tells."""

from typing import Any

import msgspec

from agent_contracts.api.events import EventRecord
from agent_contracts.asyncapi import EVENTS
from agent_contracts.field_descriptions import describe_components
from agent_contracts.log.record.codec import type_of
from gateway.http.openapi_structs import open_objects

ANY_EVENT = "AnyEvent"
_REF = "#/components/schemas/{name}"
_GENERIC = _REF.format(name=EventRecord.__name__)


def with_typed_events(document: dict[str, Any]) -> dict[str, Any]:
    """The document with a schema for each type of event. What answered with `EventRecord` answers with any of
    these, or with an `EventRecord` of another type: a message that isn't an event."""
    typed: dict[str, Any] = _refer_to_any(document)
    schemas = typed["components"]["schemas"]
    whole = document["components"]["schemas"][EventRecord.__name__]
    _, bodies = msgspec.json.schema_components(EVENTS, ref_template=_REF)
    describe_components(bodies, EVENTS)
    open_objects(bodies)
    names = []
    for event in EVENTS:
        body = bodies[event.__name__]
        body["properties"].pop("type")
        body["required"] = [name for name in body.get("required", ()) if name != "type"]
        tag, name = type_of(event), f"{event.__name__}Record"
        body_ref = {"$ref": _REF.format(name=event.__name__), "description": "The event's own data."}
        own = {"type": {**whole["properties"]["type"], "const": tag}, "body": body_ref}
        schemas[name] = {
            **whole,
            "title": name,
            "description": f"`{tag}`: {(event.__doc__ or '').partition(chr(10))[0]}",
            "properties": {**whole["properties"], **own},
        }
        names.append(name)
    for name, schema in bodies.items():
        schemas.setdefault(name, schema)
    schemas[EventRecord.__name__] = whole
    refs = [{"$ref": _REF.format(name=name)} for name in (*names, EventRecord.__name__)]
    schemas[ANY_EVENT] = {"anyOf": refs, "description": "An event, by its `type`."}
    return typed


def _refer_to_any(part: Any) -> Any:
    if isinstance(part, dict):
        if part.get("$ref") == _GENERIC:
            return {**part, "$ref": _REF.format(name=ANY_EVENT)}
        return {name: _refer_to_any(inner) for name, inner in part.items()}
    if isinstance(part, list):
        return [_refer_to_any(inner) for inner in part]
    return part
