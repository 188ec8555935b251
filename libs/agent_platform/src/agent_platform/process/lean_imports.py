"""Imported first by every program: libraries that would import more than is used.

nats-py takes aiohttp where it can, for WebSockets; structlog takes rich, for tracebacks that show locals, and
greenlet. 0.2 s of processor time and 18 MB for each process (Python 3.11, x86-64).
"""

import importlib

from agent_platform.process.leaving_out import without

with without("aiohttp", "greenlet", "rich", "rich.traceback"):
    for _library in ("nats.aio.transport", "structlog"):
        importlib.import_module(_library)
