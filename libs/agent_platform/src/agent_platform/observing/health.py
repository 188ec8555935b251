"""Whether a service lives and is ready, and the small HTTP server that says so."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog

from agent_contracts.errors import Rejected
from agent_platform.observing.metrics import CONTENT_TYPE, Metrics
from agent_platform.secrecy.failure_text import failure_of

log = structlog.get_logger()

Check = Callable[[], Awaitable[object]]
"""Returns if all is well, raises if not: the exception's text is the explanation."""

_CHECK_SECONDS = 2.0
_REQUEST_SECONDS = 5.0
_REQUEST_BYTES = 8192


@dataclass(frozen=True)
class HealthReport:
    """The outcome of some checks: for each name None, or what is wrong."""

    problems: Mapping[str, str | None]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not any(self.problems.values())

    def to_json(self) -> bytes:
        """For people and probes."""
        checks = {name: problem or "ok" for name, problem in self.problems.items()}
        return json.dumps({"status": "ok" if self.ok else "failing", "checks": checks}).encode()


ALIVE = HealthReport({})
"""What a process that can answer at all says of itself."""


class HealthChecks:
    """A service's checks of its readiness: it can do work now, since its servers answer.

    One that isn't ready waits, and isn't restarted. A process that answers is alive, unless what it lacks is
    its own: that is a check of its life, and shows as an unhealthy container.
    """

    def __init__(self) -> None:
        """No checks: alive and ready."""
        self._checks: dict[str, Check] = {}
        self._own: dict[str, Check] = {}

    def add_life(self, name: str, check: Check) -> None:
        """For what doesn't come back until somebody changes the process' surroundings."""
        self._own[name] = check

    def add_readiness(self, name: str, check: Check) -> None:
        """For what may come back by itself."""
        self._checks[name] = check

    async def alive(self) -> HealthReport:
        """Run the checks of its life."""
        return await _run(self._own)

    async def ready(self) -> HealthReport:
        """Run the checks of its readiness."""
        return await _run(self._checks)


async def _run(checks: Mapping[str, Check]) -> HealthReport:
    found = await asyncio.gather(*(_problem(check) for check in checks.values()))
    return HealthReport(dict(zip(checks, found, strict=True)))


async def _problem(check: Check) -> str | None:
    try:
        await asyncio.wait_for(check(), _CHECK_SECONDS)
    except TimeoutError:
        return f"no answer within {_CHECK_SECONDS:g} s"
    except Exception as error:  # whatever is wrong, saying so is this function's purpose
        return failure_of(error)
    return None


class HealthServer:
    """Answers GET /healthz, /readyz (200 or 503, JSON) and /metrics. For services without HTTP of their own.

    Written on asyncio's streams: it answers three fixed paths to probes, and a web framework with its server
    would cost each such process about 20 MB.
    """

    def __init__(self, checks: HealthChecks, metrics: Metrics) -> None:
        """Serves nothing until `start`."""
        self._checks = checks
        self._metrics = metrics
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """Where it listens."""
        if self._server is None:
            raise RuntimeError("the health server was not started")
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def start(self, host: str, port: int) -> None:
        """Listen on `host`:`port` (0: any free one). Raises Rejected if the port is taken."""
        try:
            self._server = await asyncio.start_server(self._serve, host, port, limit=_REQUEST_BYTES)
        except OSError as error:
            raise Rejected(
                f"FOLDLINE_HEALTH_PORT: can't listen on {host}:{port}: {error.strerror}"
            ) from error

    async def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_REQUEST_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                status, kind, body = await self._answer(head.split(b"\r\n", 1)[0])
                writer.write(
                    f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n"
                    "connection: close\r\n\r\n".encode()
                    + body
                )
                await writer.drain()
        except (
            TimeoutError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
            ConnectionError,
        ) as error:
            log.debug("health.request_broken", error=failure_of(error))
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, request: bytes) -> tuple[str, str, bytes]:
        method, _, rest = request.partition(b" ")
        if method != b"GET":
            return "405 Method Not Allowed", "text/plain", b"GET only\n"
        match rest.split(b" ", 1)[0].split(b"?", 1)[0]:
            case b"/healthz":
                return _as_answer(await self._checks.alive())
            case b"/readyz":
                return _as_answer(await self._checks.ready())
            case b"/metrics":
                return "200 OK", CONTENT_TYPE, await self._metrics.page()
            case _:
                return "404 Not Found", "text/plain", b"/healthz, /readyz, /metrics\n"


def _as_answer(health: HealthReport) -> tuple[str, str, bytes]:
    return "200 OK" if health.ok else "503 Service Unavailable", "application/json", health.to_json()
