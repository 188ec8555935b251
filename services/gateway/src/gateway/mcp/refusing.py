"""What goes wrong with a resource or a prompt, as an error of the protocol."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from agent_contracts.errors import Failure, Rejected

Context = ServerRequestContext[dict[str, object], Any]
_NOT_FOUND = -32002
"""Of a resource, up to 2025-11-25; since then that is a wrong parameter."""


@contextmanager
def refusing(context: Context, **named: str) -> Iterator[None]:
    """Failures within are errors; `named` is what was asked for, as the client named it."""
    try:
        yield
    except Failure as failure:
        is_asked_wrongly = isinstance(failure, Rejected) and failure.kind != "code_failed"
        code = types.INVALID_PARAMS if is_asked_wrongly else types.INTERNAL_ERROR
        told = {"kind": failure.kind, **named}
        raise MCPError(code_for(context, code, told), failure.message, told) from failure


def code_for(context: Context, code: int, told: Mapping[str, Any]) -> int:
    """The code of an error that tells this, in the client's version of the protocol."""
    older = context.protocol_version not in MODERN_PROTOCOL_VERSIONS
    return _NOT_FOUND if older and told.get("kind") == "not_found" and "uri" in told else code
