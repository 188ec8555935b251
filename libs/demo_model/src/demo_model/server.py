"""Run the demo model: inside a program (`DemoModel`), or on its own (`run`)."""

import asyncio
import signal
import socket
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import structlog
from starlette.types import Scope
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from demo_model.app import Stage, application
from demo_model.loading import DEMO_SCRIPT, from_data, load
from demo_model.recording import RequestRecording
from demo_model.script import Script, StreamPace
from demo_model.scripted_answer import Clock

log = structlog.get_logger(__name__)

_PASSES = 4
"""Of the event loop: a connection that was being accepted when we closed is there after two."""


def _now() -> datetime:
    return datetime.now(UTC)


class _Http(H11Protocol):
    """uvicorn's HTTP without its access log, which would go to the host program's handlers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.access_log = False


class DemoModel:
    """The server, listening between `async with` and its end. Takes no signals and leaves logging alone, so
    that it can live inside another program. Closing it drops what is in flight at once.

    `script` is a script, plain data to read one from, a path, or None for the built-in demo. `pace` replaces
    the script's own (not that of single replies). `keep` is how many requests the recording holds. Raises
    `BadScript` for a bad script, and `OSError` when the address is taken.
    """

    def __init__(  # noqa: PLR0913 — options, each named
        self,
        script: Script | dict[str, Any] | Path | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        pace: StreamPace | None = None,
        keep: int = 1000,
        clock: Clock = _now,
    ) -> None:
        read = _script(script)
        read = read if pace is None else msgspec.structs.replace(read, pace=pace)
        self._stage = Stage(read, clock, self._close_connection, RequestRecording(keep))
        self._address = (host, port)
        self._state = ServerState()
        self._server: asyncio.Server | None = None

    @property
    def script(self) -> Script:
        """What it plays."""
        return self._stage.script

    def play(self, script: Script | dict[str, Any] | Path) -> None:
        """Another script from now on; faults with `times` are counted anew."""
        self._stage.script = _script(script)
        self.forget_faults()

    @property
    def recording(self) -> RequestRecording:
        """What was asked and how it went."""
        return self._stage.recording

    @property
    def port(self) -> int:
        """The port it listens on."""
        if self._server is None:
            raise RuntimeError("the demo model is not listening: enter it with `async with` first")
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def base_url(self) -> str:
        """What to give a client as its base URL (ends in `/v1`)."""
        host = self._address[0]
        return f"http://[{host}]:{self.port}/v1" if ":" in host else f"http://{host}:{self.port}/v1"

    def release(self) -> None:
        """Let answers that a `hold` fault stopped go on. Later ones are stopped again."""
        self._stage.released.set()
        self._stage.released.clear()

    def forget_faults(self) -> None:
        """Start counting faults with `times` again."""
        self._stage.faults.forget()

    async def __aenter__(self) -> Self:
        """Start to listen."""
        config = Config(
            application(self._stage), log_config=None, lifespan="off", ws="none", server_header=False
        )
        config.load()
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: _Http(config=config, server_state=self._state, app_state={}, _loop=loop),
            *self._address,
            family=socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET,
        )
        log.info("demo_model.listening", url=self.base_url, script=self.script.name)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening, drop every connection, wait for the tasks that served them."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for _ in range(_PASSES):
            for connection in list(self._state.connections):
                connection.transport.abort()
            await asyncio.sleep(0)
        if self._state.tasks:
            await asyncio.wait(set(self._state.tasks))
        await server.wait_closed()
        log.info("demo_model.closed", requests=self.recording.count)

    def _close_connection(self, scope: Scope) -> None:
        """Close the TCP connection a request came on, after what was sent has gone out."""
        for connection in list(self._state.connections):
            if isinstance(connection, _Http) and connection.client == tuple(scope["client"]):
                connection.transport.close()


def _script(script: Script | dict[str, Any] | Path | None) -> Script:
    match script:
        case Script():
            return script
        case dict():
            return from_data(script)
        case _:
            return load(script or DEMO_SCRIPT)


async def serve(script_path: Path | None = None, host: str = "127.0.0.1", port: int = 8421) -> None:
    """Serve a script (the built-in demo if None) until SIGINT or SIGTERM, printing the base URL first."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        async with DemoModel(script_path, host=host, port=port, keep=0) as model:
            print(f"The demo model ({model.script.name}) answers at {model.base_url}", flush=True)
            await stop.wait()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def run(script_path: Path | None = None, host: str = "127.0.0.1", port: int = 8421) -> None:
    """`serve`, from a program without an event loop. Port 0 takes any free one."""
    asyncio.run(serve(script_path, host, port))
