"""What we use of litellm and openai that neither promises: in one place, for exactly the versions named here.

Another version may have renamed any of it, or kept the name and changed the meaning. So nothing runs with
another one, and what was changed or is read is checked to be there as it was.
"""

import inspect
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import Any

from agent_contracts.errors import Rejected
from egress.proxies.clients import RoutedTransport
from egress.proxies.proxies import ProxyRules
from model_caller.answers.answer import known_reason
from model_caller.providers.litellm_events import chunk_events

VERSIONS = {"litellm": "1.106.2", "openai": "2.54.0"}
"""The versions that this was written for; the packages' dependencies pin the same ones."""

NO_MCP = {"_skip_mcp_handler": True}
"""An argument of `acompletion`: without it every request with tools needs the package `mcp`."""

_HANDLER = "litellm.llms.custom_httpx.http_handler"
_STREAMING = "openai._streaming"
_COMPLETIONS = "openai.resources.chat.completions.completions"
_STREAM = ("received_finish_reason", "chunks", "_response_headers", "aclose")


class NotAsExpected(Rejected):
    """A package isn't the one that we know."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{message}. Install the versions of requirements.lock.", kind="unknown_version")


def check_versions() -> None:
    """Raises `NotAsExpected` for other versions than ours. Cheap: nothing is imported."""
    for package, known in VERSIONS.items():
        installed = version(package)
        if installed != known:
            raise NotAsExpected(f"{package} {installed} is installed; the model caller knows {known} alone")


def send_as_given() -> None:
    """Have requests sent as litellm made them, without openai's walk through every part of every message.

    openai copies each message once for every kind that there is, in the event loop, to rename fields and to
    encode files: 0.5 ms a message. What a model is asked is plain JSON, and no field of it is renamed: what
    is sent is the same to the byte, which a test compares. Raises `NotAsExpected`.
    """
    completions, utils = import_module(_COMPLETIONS), import_module("openai._utils")
    _expect_parameters(completions, "async_maybe_transform", ("data", "expected_type"))
    _expect_parameters(utils, "is_given", ("obj",))
    is_given = utils.is_given

    async def as_given(data: Any, expected_type: object) -> dict[str, Any]:
        return {name: value for name, value in data.items() if is_given(value)}

    vars(completions)["async_maybe_transform"] = as_given


def read_any_shape() -> None:
    """Have openai's reader given the chunks that `chunk_events` makes of whatever a server sends: alone it
    reads nothing but server-sent events, and litellm loses what isn't as OpenAI sends it.

    Raises `NotAsExpected`.
    """
    stream = vars(import_module(_STREAMING)).get("AsyncStream")
    reader = getattr(stream, "_iter_events", None)
    _expect(callable(reader), f"{_STREAMING} has no AsyncStream._iter_events")
    found = tuple(inspect.signature(reader).parameters) if reader is not None else ()
    _expect(found == ("self",), "AsyncStream._iter_events takes more than it did")

    async def events(self: Any) -> Any:
        async for event in chunk_events(self.response):
            yield event

    setattr(stream, "_iter_events", events)  # noqa: B010 — of a class that mypy doesn't know


def route_by(proxies: ProxyRules) -> None:
    """Have litellm's clients take the same proxies as ours, where there are any.

    By itself it would ask private addresses through them, and fails where `NO_PROXY` names an address of
    IPv6. Raises `NotAsExpected`.
    """
    clients = vars(import_module(_HANDLER)).get("AsyncHTTPHandler")
    _expect(hasattr(clients, "create_async_transport"), f"{_HANDLER} has no create_async_transport")
    if proxies.every:
        setattr(clients, "create_async_transport", staticmethod(lambda *_, **__: RoutedTransport(proxies)))  # noqa: B010 — of a class that mypy doesn't know


def check_litellm(litellm: ModuleType) -> None:
    """Raises `NotAsExpected` where litellm lacks something that is used here.

    It has an answer made up: litellm builds then what the first real one would wait for.
    """
    for name in ("close_litellm_async_clients", "token_counter", "get_model_info"):
        _expect(callable(getattr(litellm, name, None)), f"litellm has no function {name}")
    for name in ("disable_token_counter", "REPEATED_STREAMING_CHUNK_LIMIT"):
        _expect(hasattr(litellm, name), f"litellm has no {name}")
    clients = getattr(litellm, "in_memory_llm_clients_cache", None)
    _expect(hasattr(clients, "flush_cache"), "litellm has no in_memory_llm_clients_cache to flush")
    known = {const for name in ("completion", "acompletion") for const in _constants(getattr(litellm, name))}
    _expect(NO_MCP.keys() <= known, "litellm's completion takes no _skip_mcp_handler")
    asked = [{"role": "user", "content": "x"}]
    stream = litellm.completion(model="openai/x", messages=asked, mock_response="x", stream=True)
    for _ in stream:
        pass
    for name in _STREAM:
        _expect(hasattr(stream, name), f"an answer of litellm's has no {name}")


def finish_reason_of(stream: Any) -> str | None:
    """Why the model ended its answer, as the server said; None if it didn't. litellm would make one up."""
    reason: str | None = stream.received_finish_reason
    return known_reason(reason)


def usage_since(stream: Any, seen: int) -> tuple[Any, int]:
    """The last usage that the server sent after its first `seen` chunks, and how many there are now."""
    chunks = stream.chunks
    told = [usage for chunk in chunks[seen:] if (usage := getattr(chunk, "usage", None))]
    return (told[-1] if told else None), len(chunks)


def has_reported_usage(stream: Any) -> bool:
    """Whether the server sent usage: without it litellm makes some up."""
    return any(getattr(chunk, "usage", None) for chunk in stream.chunks)


def header_of(stream: Any, name: str) -> str | None:
    """A header of the server's answer."""
    value = (stream._response_headers or {}).get(name)
    return str(value) if value is not None else None


def _expect_parameters(module: ModuleType, name: str, parameters: tuple[str, ...]) -> None:
    function = vars(module).get(name)
    found = tuple(inspect.signature(function).parameters) if callable(function) else ()
    _expect(found == parameters, f"{module.__name__} has no {name}({', '.join(parameters)})")


def _constants(function: Any) -> tuple[Any, ...]:
    return tuple(inspect.unwrap(function).__code__.co_consts)


def _expect(true: bool, otherwise: str) -> None:
    if not true:
        raise NotAsExpected(otherwise)
