"""Probes and metrics."""

from fastapi import APIRouter, Response

from agent_contracts.api.operating import Health
from agent_platform.observing.health import ALIVE, HealthReport
from agent_platform.observing.metrics import CONTENT_TYPE
from gateway.http.wire.parameters import Around
from gateway.http.wire.struct_route import StructRoute

router = APIRouter(tags=["health"], route_class=StructRoute)


@router.get("/healthz", operation_id="healthz", response_model=Health)
async def healthz() -> Response:
    """Whether this process works; if not, restart it."""
    return _answer(ALIVE)


@router.get("/readyz", operation_id="readyz", response_model=Health)
async def readyz(around: Around) -> Response:
    """Whether it can serve: the log answers, and there is an agent. Postgres is not asked: only reads need
    it, and they say so."""
    return _answer(await around.observing.checks.ready())


def _answer(health: HealthReport) -> Response:
    return Response(health.to_json(), 200 if health.ok else 503, media_type="application/json")


_NUMBERS = {"description": "The numbers", "content": {"text/plain": {"schema": {"type": "string"}}}}


@router.get("/metrics", operation_id="metrics", response_class=Response, responses={200: _NUMBERS})
async def metrics(around: Around) -> Response:
    """The numbers of all services, for Prometheus."""
    return Response(await around.observing.metrics.page(), media_type=CONTENT_TYPE)
