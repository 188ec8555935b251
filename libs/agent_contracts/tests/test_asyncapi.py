"""The generated description of the bus."""

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from agent_contracts.asyncapi import asyncapi, json_schemas
from agent_contracts.codec import EVENT_TYPES, type_of

ROOT = Path(__file__).parents[3]


def test_the_committed_document_is_what_the_types_say() -> None:
    committed = (ROOT / "docs" / "asyncapi.yaml").read_bytes()
    assert msgspec.yaml.decode(committed) == json.loads(msgspec.json.encode(asyncapi())), (
        "run `make contracts` and commit docs/asyncapi.yaml"
    )


def test_every_event_is_in_it() -> None:
    named = {message["name"] for message in asyncapi()["components"]["messages"].values()}
    assert named == set(EVENT_TYPES)


@pytest.mark.parametrize("event_type", sorted(EVENT_TYPES))
def test_golden_bodies_fit_the_generated_schema(event_type: str) -> None:
    golden = Path(__file__).parent / "golden" / f"{event_type}.json"
    schema = {
        "$ref": f"#/components/schemas/{EVENT_TYPES[event_type].__name__}",
        "components": {"schemas": json_schemas()},
    }
    jsonschema.validate(msgspec.json.decode(golden.read_bytes()), schema, cls=jsonschema.Draft202012Validator)
    assert type_of(EVENT_TYPES[event_type]) == event_type
