"""What nats-server says of itself on its monitoring port."""

import json
import urllib.error
import urllib.request
from http.client import HTTPException

_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def storage_problem(monitor_url: str, timeout: float = 1.0) -> str | None:
    """Why the server can't store, in its own words: after a full disk a stream refuses everything until the
    server is started again. None if it is well, or didn't answer within `timeout` seconds, which says nothing
    about its storage. Blocks."""
    try:
        with _DIRECT.open(f"{monitor_url}/healthz", timeout=timeout):
            return None
    except urllib.error.HTTPError as error:
        with error:
            return _said(error.read()) or f"status {error.code}"
    except (OSError, HTTPException):  # refused, reset, timed out; or another program has the port
        return None


def is_healthy(monitor_url: str, timeout: float = 1.0) -> bool:
    """Whether the server answers that it is well: it takes connections and has read its store. Blocks."""
    try:
        with _DIRECT.open(f"{monitor_url}/healthz", timeout=timeout):
            return True
    except (
        OSError,
        HTTPException,
    ):  # refused, reset, another status than 200; or another program has the port
        return False


def _said(body: bytes) -> str:
    try:
        answer = json.loads(body)
    except ValueError:
        return ""
    return str(answer.get("error", "")) if isinstance(answer, dict) else ""
