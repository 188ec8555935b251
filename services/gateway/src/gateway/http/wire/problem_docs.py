"""How problems appear in the OpenAPI document."""

from typing import Any

from gateway.http.wire.problems import MEDIA_TYPE

SCHEMA_REF = "#/components/schemas/Problem"


def problem_responses() -> dict[int | str, dict[str, Any]]:
    """The responses that every operation may give besides its own."""
    described = {
        "4XX": "The request can't be served as it is; `kind` and `detail` say why",
        "5XX": "Something of ours is missing or broken; the same request may succeed later",
    }
    return {
        status: {"description": text, "content": {MEDIA_TYPE: {"schema": {"$ref": SCHEMA_REF}}}}
        for status, text in described.items()
    }
