"""The OpenAPI document of the API."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from gateway.http.openapi_structs import schemas as struct_schemas
from gateway.http.sessions.event_views import Delta, Event
from gateway.http.wire.problems import Problem

_REF = "#/components/schemas/{name}"
_STREAM = ("/api/v1/events", "text/event-stream")
_MODELS: tuple[type[BaseModel], ...] = (Problem, Event, Delta)


def document(app: FastAPI) -> dict[str, Any]:
    """The document of an app made by `api()`; made once."""
    if app.openapi_schema is None:
        app.openapi_schema = _made(app)
    return app.openapi_schema


def _made(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(
        title=app.title,
        version=app.version,
        description="Errors are RFC 9457 problem details with a closed `kind`.",
        routes=app.routes,
    )
    schemas: dict[str, Any] = made["components"]["schemas"]
    _, defined = models_json_schema(
        [(model, "serialization") for model in _MODELS], ref_template="#/components/schemas/{model}"
    )
    schemas.update(defined["$defs"])
    of_structs = struct_schemas()
    if twice := sorted(schemas.keys() & of_structs.keys()):
        raise ValueError(f"two types are called {', '.join(twice)}")
    schemas.update(of_structs)
    made["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "foldline_PORT"},
    }
    made["security"] = [{"token": []}, {"cookie": []}]
    for path, operations in made["paths"].items():
        for operation in operations.values():
            # FastAPI's own shape of a 422 never leaves this gateway: every error is a problem.
            operation["responses"].pop("422", None)
            if path in ("/healthz", "/readyz"):
                operation["security"] = []
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    path, media_type = _STREAM
    made["paths"][path]["get"]["responses"]["200"] = {
        "description": "A stream without end: `event` messages with an id, `delta` messages without",
        "content": {
            media_type: {
                "schema": {"anyOf": [{"$ref": _REF.format(name=name)} for name in ("Event", "Delta")]}
            }
        },
    }
    return made
