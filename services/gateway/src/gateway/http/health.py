"""Probes and metrics."""

from fastapi import APIRouter, Response

from agent_platform.observing.health import Health as Checked
from agent_platform.observing.metrics import CONTENT_TYPE
from gateway.deps import Using
from gateway.queries.views import Health

router = APIRouter(tags=["health"])


@router.get("/healthz", operation_id="healthz", response_model=Health)
async def healthz(deps: Using) -> Response:
    """Whether this process works; if not, restart it."""
    return _answer(await deps.checks.live())


@router.get("/readyz", operation_id="readyz", response_model=Health)
async def readyz(deps: Using) -> Response:
    """Whether it can serve: the log answers, and there is an agent. Postgres is not asked: only reads need
    it, and they say so."""
    return _answer(await deps.checks.ready())


def _answer(health: Checked) -> Response:
    return Response(health.to_json(), 200 if health.ok else 503, media_type="application/json")


@router.get("/metrics", operation_id="metrics", response_class=Response)
async def metrics(deps: Using) -> Response:
    """The numbers, for Prometheus."""
    return Response(deps.metrics.render(), media_type=CONTENT_TYPE)
