"""What goes wrong with a resource or a prompt, as an error of the protocol."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from agent_contracts.errors import Failure, Transient

Context = ServerRequestContext[dict[str, object], Any]
_NOT_FOUND = -32002
"""Of a resource, up to 2025-11-25; since then that is a wrong parameter."""


@contextmanager
def refusing(context: Context, **named: str) -> Iterator[None]:
    """Failures within are errors; `named` is what was asked for, as the client named it."""
    try:
        yield
    except Failure as failure:
        code = types.INTERNAL_ERROR if isinstance(failure, Transient) else types.INVALID_PARAMS
        older = context.protocol_version not in MODERN_PROTOCOL_VERSIONS
        if failure.kind == "not_found" and "uri" in named and older:
            code = _NOT_FOUND
        raise MCPError(code, failure.message, {"kind": failure.kind, **named}) from failure
