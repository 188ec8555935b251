"""Errors as MCP has them."""

from collections.abc import Mapping
from typing import Any

_NOT_FOUND = -32002
"""Of a resource, up to 2025-11-25; since then that is a wrong parameter."""


def error_code(code: int, told: Mapping[str, Any], *, older: bool) -> int:
    """The code of an error that tells this, for a client that speaks an `older` version of the protocol."""
    return _NOT_FOUND if older and told.get("kind") == "not_found" and "uri" in told else code
