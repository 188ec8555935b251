"""Restate: a virtual object a session, whose handler journals each half of a step."""

import asyncio
import json
import os
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import restate  # type: ignore[import-not-found]
from hypercorn.asyncio import serve as serve_http  # type: ignore[import-not-found]
from hypercorn.config import Config  # type: ignore[import-not-found]
from work import WORK, Driver, serve  # type: ignore[import-not-found]

_PATIENCE_S = 300
_CALLERS = ThreadPoolExecutor(64)
_KEPT = timedelta(hours=1)
agent = restate.Workflow("agent")
forkable = restate.Service("forkable")


@agent.main()  # type: ignore[untyped-decorator]
async def run(ctx: Any, steps: int) -> int:
    """The whole session."""
    return await _session(ctx, ctx.key(), steps)


@forkable.handler(journal_retention=_KEPT)  # type: ignore[untyped-decorator]
async def again(ctx: Any, steps: int) -> int:
    """The same where it can be restarted from its journal, which a workflow can't."""
    return await _session(ctx, "forkable", steps)


async def _session(ctx: Any, sid: str, steps: int) -> int:
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
        app = restate.app([agent, forkable])
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

    async def fork(self, sid: str, at: int) -> float:
        """As its own tools do it: a finished invocation is restarted, with its journal up to that step.

        A workflow can't be, so a service does the same steps first. What is made goes on at once, and is
        killed when it was measured.
        """
        await self._post(f"{os.environ['PEERS_SERVER']}/forkable/again", 2 * at)
        [old] = await self._query("SELECT id FROM sys_invocation WHERE target_service_name = 'forkable'")
        tools = await self._query(
            f"SELECT index FROM sys_journal WHERE id = '{old['id']}' AND name = 'tool' ORDER BY index"
        )
        admin = f"{os.environ['PEERS_ADMIN']}/invocations"
        began = time.perf_counter()
        made = await self._patch(f"{admin}/{old['id']}/restart-as-new?from={tools[at - 1]['index']}")
        took = (time.perf_counter() - began) * 1000
        await self._patch(f"{admin}/{made['new_invocation_id']}/kill")
        return took

    async def close(self) -> None:
        """See `Driver`."""
        self._over.set()
        await self._serving

    async def _query(self, statement: str) -> list[dict[str, Any]]:
        answer = await self._post(os.environ["PEERS_ADMIN"] + "/query", {"query": statement})
        rows: list[dict[str, Any]] = json.loads(answer)["rows"]
        return rows

    async def _patch(self, url: str) -> Any:
        answer = await self._asked(urllib.request.Request(url, method="PATCH"))
        return json.loads(answer) if answer else None

    async def _post(self, url: str, body: Any) -> bytes:
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return await self._asked(urllib.request.Request(url, data, headers))

    async def _asked(self, request: urllib.request.Request) -> bytes:
        def ask() -> bytes:
            with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:
                body: bytes = answer.read()
                return body

        return await asyncio.get_running_loop().run_in_executor(_CALLERS, ask)


if __name__ == "__main__":
    serve(Restate())
