"""Restate: a virtual object a session, whose handler journals each half of a step."""

import asyncio
import json
import os
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import restate  # type: ignore[import-not-found]
from hypercorn.asyncio import serve as serve_http  # type: ignore[import-not-found]
from hypercorn.config import Config  # type: ignore[import-not-found]
from work import WORK, Driver, serve  # type: ignore[import-not-found]

_PATIENCE_S = 300
_CALLERS = ThreadPoolExecutor(64)
agent = restate.Workflow("agent")


@agent.main()  # type: ignore[untyped-decorator]
async def run(ctx: Any, steps: int) -> int:
    """The whole session."""
    sid = ctx.key()
    for i in range(steps):
        await ctx.run_typed("model", WORK.model, sid=sid, i=i)
        await ctx.run_typed("tool", WORK.tool, sid=sid, i=i)
    WORK.done(sid)
    return steps


class Restate(Driver):  # type: ignore[misc]
    """Serves the handler to the server, and calls it through the server."""

    async def open(self) -> None:
        """Serve, and say so to the server."""
        config = Config()
        config.bind = [f"127.0.0.1:{os.environ['PEERS_SERVICE_PORT']}"]
        config.loglevel = "WARNING"
        self._over = asyncio.Event()
        app = restate.app([agent])
        self._serving = asyncio.create_task(serve_http(app, config, shutdown_trigger=self._over.wait))
        await asyncio.sleep(0.5)  # until it listens
        await self._post(
            os.environ["PEERS_ADMIN"] + "/deployments", {"uri": f"http://{config.bind[0]}", "force": True}
        )

    async def run(self, sid: str, steps: int) -> None:
        """See `Driver`."""
        await self._post(f"{os.environ['PEERS_SERVER']}/agent/{sid}/run", steps)

    async def resume(self, sid: str, steps: int) -> None:
        """The server calls it again by itself: wait for its end."""
        await self.open_once()
        url = f"{os.environ['PEERS_SERVER']}/restate/workflow/agent/{sid}/attach"
        await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=_PATIENCE_S).read())

    async def close(self) -> None:
        """See `Driver`."""
        self._over.set()
        await self._serving

    async def _post(self, url: str, body: Any) -> None:
        data = json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        await asyncio.get_running_loop().run_in_executor(
            _CALLERS, lambda: urllib.request.urlopen(request, timeout=_PATIENCE_S).read()
        )


if __name__ == "__main__":
    serve(Restate())
