"""Query parameters that a route doesn't take are refused: a misspelt filter would show everything."""

from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import Any

from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from agent_contracts.api.problems import Kind
from agent_contracts.nearest import nearest
from gateway.http.wire.problems import ProblemError
from gateway.http.wire.struct_route import StructRoute

_MOST_NAMED = 20
_LONGEST = 100


class KnownQueryRoute(APIRoute):
    """A route that takes the query parameters of its description alone."""

    @cached_property
    def known(self) -> frozenset[str]:
        """Their names."""
        taken = get_flat_params(self.dependant)
        return frozenset(field.alias for field in taken if isinstance(field.field_info, Query))

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers: first for the query, then for all else."""
        handler = super().get_route_handler()

        async def answer(request: Request) -> Response:
            check_query(request, self.known)
            return await handler(request)

        return answer


class AnyQueryRoute(StructRoute):
    """A route whose callers may add parameters of their own: services that were given its address, and
    authorization servers that send a browser back (RFC 6749, 4.1.2)."""


def check_query(request: Request, known: frozenset[str]) -> None:
    """Raise a problem that names each parameter which isn't known."""
    strange = [name for name in dict.fromkeys(request.query_params.keys()) if name not in known]
    if not strange:
        return
    errors = [_flaw(name, known) for name in strange[:_MOST_NAMED]]
    first = errors[0]
    path = "/" + strange[0][:_LONGEST].replace("~", "~0").replace("/", "~1")
    raise ProblemError(
        Kind.INVALID_REQUEST, f"{first['where']}: {first['message']}", extra={"path": path, "errors": errors}
    )


def _flaw(name: str, known: frozenset[str]) -> dict[str, str]:
    near = nearest(name, known)
    takes = ", ".join(sorted(known)) if known else "none"
    meant = f"did you mean {near}?" if near else f"this takes {takes}"
    return {"where": f"query/{name[:_LONGEST]}", "message": f"there is no such parameter; {meant}"}
