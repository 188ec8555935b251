"""Routes that take and give msgspec structs. FastAPI knows Pydantic's models alone: around each endpoint is
one that reads the struct from the body, and writes the answer."""

import functools
import inspect
from collections.abc import Callable
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from fastapi import Request
from fastapi.datastructures import DefaultPlaceholder
from starlette.responses import Response

from gateway.http.openapi_structs import schema_name
from gateway.http.wire.rights import ProgramRoute
from gateway.http.wire.struct_bodies import StructBody
from gateway.queries.age import AS_OF_HEADER, BEHIND_HEADER, age_of_reads

REF = "#/components/schemas/{name}"
_REQUEST = "request_of_the_body"
_ENCODE = msgspec.json.Encoder().encode
_AGE = {
    BEHIND_HEADER: {
        "description": "Where the answer comes from the lists: how many events they lack. 0: none.",
        "schema": {"type": "integer", "minimum": 0},
    },
    AS_OF_HEADER: {
        "description": "Where they lack any: when something was added to them last.",
        "schema": {"type": "string", "format": "date-time"},
    },
}


class StructRoute(ProgramRoute):
    """A route whose endpoint may have a struct, or None, as its body, and one of several structs as its
    answer. Pydantic's models pass as they always did."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        self.structs: tuple[type[msgspec.Struct], ...] = ()
        """What the description of the route refers to."""
        signature = inspect.signature(endpoint)
        body = next((one for one in signature.parameters.values() if _structs(one.annotation)), None)
        model = options.get("response_model")
        given = signature.return_annotation if isinstance(model, DefaultPlaceholder) else model
        answered = _structs(given)
        if body is not None or answered:
            status = options.get("status_code") or 200
            endpoint = _around(endpoint, signature, body, status)
        if answered:
            self.structs += answered
            options["response_model"] = None
            options["responses"] = {**(options.get("responses") or {}), status: _described(answered)}
        if body is not None:
            taken = _structs(body.annotation)
            self.structs += taken
            options["openapi_extra"] = _with_body(options.get("openapi_extra") or {}, body, taken)
        super().__init__(path, endpoint, **options)


def _structs(annotation: Any) -> tuple[type[msgspec.Struct], ...]:
    """The structs of which one is meant; none where anything else may be, but None."""
    if get_origin(annotation) in (Union, UnionType):
        parts = [one for one in get_args(annotation) if one is not type(None)]
    else:
        parts = [annotation]
    found = tuple(one for one in parts if _is_struct(get_origin(one) or one))
    return found if len(found) == len(parts) else ()


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _around(
    endpoint: Callable[..., Any], signature: inspect.Signature, body: inspect.Parameter | None, status: int
) -> Callable[..., Any]:
    """The endpoint as FastAPI calls it: with the request in place of the body. FastAPI gives the request to
    one parameter alone, so an endpoint that has one of its own shares it."""
    reader = None if body is None else StructBody(body.annotation, optional=_is_optional(body))
    own = next((one.name for one in signature.parameters.values() if one.annotation is Request), None)

    @functools.wraps(endpoint)
    async def answer(**given: Any) -> Any:
        if body is not None and reader is not None:
            given[body.name] = await reader.read(given[own] if own else given.pop(_REQUEST))
        with age_of_reads() as age:
            value = await endpoint(**given)
        if not isinstance(value, msgspec.Struct):
            return value
        made = Response(_ENCODE(value), status, age.headers(), media_type="application/json")
        for one in given.values():
            if isinstance(one, Response):
                made.headers.raw.extend(one.headers.raw)
        return made

    parameters = [one for one in signature.parameters.values() if body is None or one.name != body.name]
    if body is not None and own is None:
        parameters.append(inspect.Parameter(_REQUEST, inspect.Parameter.KEYWORD_ONLY, annotation=Request))
    returned = Response if _structs(signature.return_annotation) else signature.return_annotation
    answer.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters],
        return_annotation=returned,
    )
    return answer


def _is_optional(body: inspect.Parameter) -> bool:
    return body.default is not inspect.Parameter.empty


def _schema(structs: tuple[type[msgspec.Struct], ...]) -> dict[str, Any]:
    found = [{"$ref": REF.format(name=schema_name(one))} for one in structs]
    return found[0] if len(found) == 1 else {"anyOf": found}


def _described(structs: tuple[type[msgspec.Struct], ...]) -> dict[str, Any]:
    return {
        "description": "Successful Response",
        "headers": _AGE,
        "content": {"application/json": {"schema": _schema(structs)}},
    }


def _with_body(
    extra: dict[str, Any], body: inspect.Parameter, structs: tuple[type[msgspec.Struct], ...]
) -> dict[str, Any]:
    schema = _schema(structs)
    if _is_optional(body):
        schema = {"anyOf": [schema, {"type": "null"}]}
    taken: dict[str, Any] = {"content": {"application/json": {"schema": schema}}}
    if not _is_optional(body):
        taken["required"] = True
    return {**extra, "requestBody": taken}
