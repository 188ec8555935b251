"""The generated description of the bus."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from agent_contracts.asyncapi import asyncapi, json_schemas
from agent_contracts.errors import Rejected
from agent_contracts.log.record.codec import EVENT_TYPES, type_of
from agent_contracts.wakes import read_wake

ROOT = Path(__file__).parents[3]


def test_the_committed_document_is_what_the_types_say() -> None:
    committed = (ROOT / "docs" / "asyncapi.yaml").read_bytes()
    assert msgspec.yaml.decode(committed) == json.loads(msgspec.json.encode(asyncapi())), (
        "run `make contracts` and commit docs/asyncapi.yaml"
    )


def test_every_event_is_in_it() -> None:
    named = {message["name"] for message in asyncapi()["components"]["messages"].values()}
    assert named == {*EVENT_TYPES, "wake"}


def test_every_field_has_a_description() -> None:
    undescribed = [
        f"{name}.{field}"
        for name, schema in json_schemas().items()
        for field, member in schema.get("properties", {}).items()
        if not member.get("description")
    ]
    assert undescribed == []


def test_other_services_have_one_operation_a_wake_in_either_mode() -> None:
    document = asyncapi()
    (operation,) = document["operations"].values()
    channel = resolved(document, operation["channel"])
    assert (operation["action"], channel["address"]) == ("receive", "wake.{source}.{name}")
    sent = [resolved(document, resolved(document, one)) for one in operation["messages"]]
    assert {one["contentType"] for one in sent} == {"application/json", "application/cloudevents+json"}


@pytest.mark.parametrize("changed", [{}, {"priority": "at once"}, {"id": None}, {"data": {"data": 1}}])
def test_what_the_document_says_of_a_wake_is_what_is_read(changed: dict[str, Any]) -> None:
    event = {
        "specversion": "1.0",
        "id": "7",
        "source": "/orders",
        "type": "order",
        "subject": "agent/default",
        "priority": "later",
        "data": {"message": "An order came in", "data": [1]},
    }
    event = {name: value for name, value in (event | changed).items() if value is not None}
    headers = {f"ce-{name}": value for name, value in event.items() if name != "data"}
    document = asyncapi()
    wakes = document["components"]["messages"]
    fits = (
        valid(document, wakes["StructuredWake"]["payload"], event),
        valid(document, wakes["BinaryWake"]["headers"], headers)
        and valid(document, wakes["BinaryWake"]["payload"], event["data"]),
    )
    assert fits == (is_read({}, event), is_read(headers, event["data"])) == (not changed, not changed)


def resolved(document: Any, reference: Any) -> Any:
    """What a reference points at, in the document."""
    for name in reference["$ref"].removeprefix("#/").split("/"):
        document = document[name]
    return document


def valid(document: Any, schema: Any, value: Any) -> bool:
    try:
        whole = {**schema, "components": document["components"]}
        jsonschema.validate(value, whole, cls=jsonschema.Draft202012Validator)
    except jsonschema.ValidationError:
        return False
    return True


def is_read(headers: Any, body: Any) -> bool:
    try:
        read_wake(headers, msgspec.json.encode(body))
    except Rejected:
        return False
    return True


@pytest.mark.parametrize("event_type", sorted(EVENT_TYPES))
def test_golden_bodies_fit_the_generated_schema(event_type: str) -> None:
    golden = Path(__file__).parent / "golden" / f"{event_type}.json"
    schema = {
        "$ref": f"#/components/schemas/{EVENT_TYPES[event_type].__name__}",
        "components": {"schemas": json_schemas()},
    }
    jsonschema.validate(msgspec.json.decode(golden.read_bytes()), schema, cls=jsonschema.Draft202012Validator)
    assert type_of(EVENT_TYPES[event_type]) == event_type
