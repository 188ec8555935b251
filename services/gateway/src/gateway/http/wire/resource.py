"""Where a resource's routes hang."""

from fastapi import APIRouter

from gateway.http.wire.keyed_route import KeyedRoute
from gateway.http.wire.known_query import KnownQueryRoute
from gateway.http.wire.problem_docs import problem_responses
from gateway.http.wire.struct_route import StructRoute

V1 = "/api/v1"


class ResourceRoute(StructRoute, KeyedRoute, KnownQueryRoute):
    """Refuses query parameters that it doesn't take, then holds what it does to its `Idempotency-Key`."""


def resource(tag: str, prefix: str = "") -> APIRouter:
    """A router below `/api/v1`. Its routes are the app's as they are: where one router includes another,
    FastAPI builds every route again for each level, a third of a second before the first answer."""
    return APIRouter(prefix=V1 + prefix, tags=[tag], responses=problem_responses(), route_class=ResourceRoute)
