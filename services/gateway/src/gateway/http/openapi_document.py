"""The OpenAPI document of the API."""

import json
import re
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from agent_contracts.api.events import EventRecord
from agent_contracts.api.problems import Problem
from agent_contracts.questions.queries import Delta
from agent_contracts.wakes import CloudEventWake
from gateway.http.openapi_events import with_typed_events
from gateway.http.openapi_examples import add_examples, shipped
from gateway.http.openapi_structs import schemas
from gateway.http.wire.rights import right_of
from gateway.http.wire.struct_route import StructRoute
from gateway.live.answers import LiveAnswer

_REF = "#/components/schemas/{name}"
_STREAM = ("/api/v1/events", "text/event-stream")
_CARRIED: tuple[type[msgspec.Struct], ...] = (EventRecord, Delta, LiveAnswer)
"""What the messages of the stream of events carry."""
_BESIDE: tuple[type[msgspec.Struct], ...] = (Problem, *_CARRIED, CloudEventWake)
"""What no route has as its body or answer, but its description refers to."""


_FOR_SERVICES = {("POST", "/api/v1/wakes"), ("POST", "/api/v1/inbox")}


def document(app: FastAPI) -> dict[str, Any]:
    """The document of an app made by `api()`; made once."""
    if app.openapi_schema is None:
        app.openapi_schema = json.loads(json.dumps(_made(app)))
    return app.openapi_schema


def _made(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(
        title=app.title,
        version=app.version,
        description="Errors are RFC 9457 problem details with a closed `kind`.",
        routes=app.routes,
    )
    of_routes = (one for route in app.routes if isinstance(route, StructRoute) for one in route.structs)
    of_parameters = made.setdefault("components", {}).pop("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        of_parameters.pop(unused, None)
    made["components"]["schemas"] = of_parameters | schemas(dict.fromkeys((*_BESIDE, *of_routes)))
    made["components"]["schemas"]["Problem"]["additionalProperties"] = True
    made["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "foldline_PORT"},
        "wakes": {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of another service's wake credentials, which opens nothing else",
        },
        "program": {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of a program, with the right that is named. Operations without one are "
            "for people alone",
        },
    }
    made["security"] = [{"token": []}, {"cookie": []}]
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            # FastAPI's own shape of a 422 never leaves this gateway: every error is a problem.
            operation["responses"].pop("422", None)
            operation["summary"] = _in_words(operation["operationId"])
            if path in ("/healthz", "/readyz"):
                operation["security"] = []
            elif (right := right_of(method.upper(), path)) is not None:
                operation["security"] = [*made["security"], {"program": [right.value]}]
            elif (method.upper(), path) in _FOR_SERVICES:
                operation["security"] = [*made["security"], {"wakes": []}]
    path, media_type = _STREAM
    carried = {"anyOf": [{"$ref": _REF.format(name=one.__name__)} for one in _CARRIED]}
    made["paths"][path]["get"]["responses"]["200"] = {
        "description": "A stream without end: `event` messages with an id, `delta` and `answer` without",
        "content": {media_type: {"schema": carried}},
    }
    add_examples(made["paths"], shipped())
    return with_typed_events(made)


def _in_words(operation_id: str) -> str:
    """`listSkillVersions` as people read it. FastAPI's own are the names of functions, which come again."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", operation_id).lower()
    return words[0].upper() + words[1:]
