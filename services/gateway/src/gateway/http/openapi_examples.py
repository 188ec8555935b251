"""Examples in the OpenAPI document: what each operation was really asked and really answered.

`make api-examples` records them (`foldline_testing.product.api_examples`) into the file beside this.
"""

from importlib.resources import files
from typing import Any

import msgspec

FILE = "openapi_examples.json"


class ApiExample(msgspec.Struct, omit_defaults=True):
    """What an operation was asked, and what it answered."""

    parameters: dict[str, Any]
    status: str
    answers: dict[str, Any]
    """By name: an ordinary answer is one value, a stream has one for each kind of message."""
    body: Any = None
    also: dict[str, Any] = msgspec.field(default_factory=dict)
    """Parameters that it takes besides, as other calls had them."""


def shipped() -> dict[str, ApiExample]:
    """Those of this version, by the operations' ids."""
    return msgspec.json.decode(files(__package__).joinpath(FILE).read_bytes(), type=dict[str, ApiExample])


def add_examples(paths: dict[str, Any], examples: dict[str, ApiExample]) -> None:
    """Put them into the paths of a document."""
    for operations in paths.values():
        for operation in operations.values():
            if example := examples.get(operation["operationId"]):
                _add(operation, example)


def _add(operation: dict[str, Any], example: ApiExample) -> None:
    given = example.also | example.parameters
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in given:
            parameter["example"] = given[parameter["name"]]
    if example.body is not None:
        _name(operation.get("requestBody", {}), {"example": example.body})
    _name(operation["responses"].get(example.status, {}), example.answers)


def _name(described: dict[str, Any], values: dict[str, Any]) -> None:
    for content in list(described.get("content", {}).values())[:1]:
        content["examples"] = {name: {"value": value} for name, value in values.items()}
