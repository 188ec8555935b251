"""All that `foldline` may run, imported: only the process imports this from which `forked.py` forks.

Started anew, `up` takes two seconds of a processor to import it while its servers start.
"""

import importlib
import os

from foldline_testing.product.forked import LOOKS

os.environ.update(LOOKS)  # read as soon as the commands are imported

from agent_platform.services.discovery import discover
from browser_pool import pool_tools
from foldline.cli.lazy_commands import COMMANDS
from tool_runner import core

_BESIDE = (
    "httpcore",
    "demo_model.server",
    "foldline.cli.agents.mcp_stdio",
    "foldline_testing.product.forked_services",
)

for _where in COMMANDS.values():
    importlib.import_module(f"foldline.cli.{_where.partition(':')[0]}")
for _service in discover():
    _service.load()
core.discover(selftest=True)
pool_tools.discover()
for _module in _BESIDE:
    importlib.import_module(_module)
