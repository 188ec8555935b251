"""Foldline's own HTTP API, for services that people add."""

import json
from typing import Any, Self

import httpx

from agent_contracts.errors import Rejected, Transient
from egress.proxies.clients import async_gateway_client
from egress.settings import NO_TOKEN, ApiSettings

_TIMEOUT = httpx.Timeout(60, connect=5)
_BROKEN = 500


class FoldlineApi:
    """Asks the gateway, with the service's own token: it can do what its declaration says that it `may`.

    Paths are those of `/api/openapi.json`, below `/api/v1`. Raises `Rejected` with the `kind` of the problem
    that the gateway names, and `Transient` while it can't be reached or can't answer.
    """

    def __init__(self, settings: ApiSettings) -> None:
        token = settings.token.get_secret_value() if settings.token is not None else NO_TOKEN
        headers = {} if token == NO_TOKEN else {"Authorization": f"Bearer {token}"}
        self._http = async_gateway_client(f"{settings.api_url}/api/v1", headers, _TIMEOUT)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._http.aclose()

    async def get(self, path: str, **params: Any) -> Any:
        """A query."""
        return await self._asked("GET", path, params=params)

    async def post(self, path: str, body: Any = None, *, key: str | None = None, **params: Any) -> Any:
        """Something new, or an action; with an idempotency `key`, once however often it is asked for."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return await self._asked("POST", path, json=body, params=params, headers=headers)

    async def put(self, path: str, body: Any) -> Any:
        """Something in place of what was there."""
        return await self._asked("PUT", path, json=body)

    async def patch(self, path: str, body: Any) -> Any:
        """A change."""
        return await self._asked("PATCH", path, json=body)

    async def delete(self, path: str) -> Any:
        """Without it."""
        return await self._asked("DELETE", path)

    async def _asked(self, method: str, path: str, **more: Any) -> Any:
        try:
            answer = await self._http.request(method, path, **more)
        except httpx.TransportError as error:
            raise Transient(f"no answer from Foldline's gateway: {error}", kind="unreachable") from error
        if answer.is_success:
            return answer.json() if answer.content else None
        problem = problem_of(answer)
        if answer.status_code >= _BROKEN:
            raise Transient(problem.message, kind=problem.kind)
        raise problem


def problem_of(answer: httpx.Response) -> Rejected:
    """What the gateway refused, in its own words."""
    try:
        problem = answer.json()
        return Rejected(
            problem.get("detail") or problem.get("title") or answer.text, kind=problem.get("kind", "unknown")
        )
    except (json.JSONDecodeError, AttributeError):
        return Rejected(f"The gateway answered {answer.status_code}: {answer.text[:200]}", kind="unknown")
