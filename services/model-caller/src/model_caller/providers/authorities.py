"""Whom model servers are trusted by."""

import functools
import ssl

import httpx


@functools.cache
def authorities() -> ssl.SSLContext:
    """The authorities that httpx trusts by itself: for its `verify`. They are read once for all clients: it
    takes a fortieth of a second of a processor."""
    return httpx.create_ssl_context()
