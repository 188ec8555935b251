"""A client that doesn't give up: it repeats a request under its key until the gateway acknowledges it."""

import asyncio
import uuid
from dataclasses import dataclass
from typing import Any, Self

import httpx

_TIMEOUT = httpx.Timeout(20, connect=5)
_PAUSE_S = 0.1


class NoAnswer(AssertionError):
    """The gateway gave no lasting answer in time, or refused what it should take."""


@dataclass(frozen=True)
class Ack:
    """An acknowledged write: the log sequence it was promised, what it said, how many attempts it took."""

    sequence: int
    text: str
    attempts: int


class PersistentClient:
    """HTTP with the token; what may pass (a broken connection, a 5xx) is tried again for `patience_s`."""

    def __init__(self, url: str, token: str, patience_s: float = 60) -> None:
        self.url = url
        self.http = httpx.AsyncClient(
            base_url=f"{url}/api/v1",
            headers={"Authorization": f"Bearer {token}"},
            timeout=_TIMEOUT,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=50),
        )
        self._patience_s = patience_s

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.http.aclose()

    async def get(self, path: str, **params: Any) -> Any:
        """A query's answer."""
        answer, _ = await self._until_answered("GET", path, params=params)
        return answer

    async def post(self, path: str, body: Any = None) -> Any:
        """A command that changes nothing, such as a replay."""
        answer, _ = await self._until_answered("POST", path, json=body or {})
        return answer

    async def create(self, text: str, title: str) -> tuple[str, Ack]:
        """Begin a session with a first message; its id, and what was promised."""
        body = {"message": text, "title": title}
        created, attempts = await self._write("/sessions", body)
        return created["id"], Ack(created["last_sequence"], text, attempts)

    async def say(self, session_id: str, text: str) -> Ack:
        """Post a message; what was promised."""
        accepted, attempts = await self._write(f"/sessions/{session_id}/messages", {"text": text})
        return Ack(accepted["sequence"], text, attempts)

    async def _write(self, path: str, body: Any) -> tuple[Any, int]:
        return await self._until_answered(
            "POST", path, json=body, headers={"Idempotency-Key": uuid.uuid4().hex}
        )

    async def _until_answered(self, method: str, path: str, **more: Any) -> tuple[Any, int]:
        attempts, problem = 0, "it was not asked"
        deadline = asyncio.get_running_loop().time() + self._patience_s
        while asyncio.get_running_loop().time() < deadline:
            attempts += 1
            try:
                answer = await self.http.request(method, path, **more)
            except httpx.TransportError as error:
                problem = repr(error)
            else:
                if answer.is_success:
                    return answer.json(), attempts
                problem = f"{answer.status_code}: {answer.text[:300]}"
                if answer.status_code < 500:
                    break
            await asyncio.sleep(_PAUSE_S)
        raise NoAnswer(f"{method} {path} failed after {attempts} attempts; last: {problem}")
