"""What goes wrong with a resource or a prompt, as an error of the protocol."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from agent_contracts.api.mcp_errors import error_code
from agent_contracts.errors import Failure, Rejected

Context = ServerRequestContext[dict[str, object], Any]


@contextmanager
def refusing(context: Context, **named: str) -> Iterator[None]:
    """Failures within are errors; `named` is what was asked for, as the client named it."""
    try:
        yield
    except Failure as failure:
        is_asked_wrongly = isinstance(failure, Rejected) and failure.kind != "code_failed"
        code = types.INVALID_PARAMS if is_asked_wrongly else types.INTERNAL_ERROR
        told = {"kind": failure.kind, **named}
        older = context.protocol_version not in MODERN_PROTOCOL_VERSIONS
        raise MCPError(error_code(code, told, older=older), failure.message, told) from failure
