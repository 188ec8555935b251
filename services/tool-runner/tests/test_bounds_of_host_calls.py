"""What code asks of its host is bounded for a whole call, and which of it waits for others is known."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Effect
from egress.redaction import Redaction
from tool_runner.code import host as of_host
from tool_runner.code.host import HostParts, SharedRunState, ToolHost
from tool_runner.code.redacted_host import RedactedHost
from tool_runner.sandbox.host import HostCallFailed

EFFECTS = {"web_read": Effect.EXTERNAL, "get_state": Effect.PURE, "llm_generate": Effect.EXTERNAL}


class Answering(ToolHost):
    """A host whose tools all answer."""

    def __init__(self, shared: SharedRunState) -> None:
        async def function(name: str, given: dict[str, Json]) -> Json:
            return None

        parts = SimpleNamespace(call=SimpleNamespace(agent_id="a"), files=None, compute=None, turns=None)
        super().__init__(cast("HostParts", parts), function, shared)

    def _tool(self, name: str) -> Any:
        tool = of_host.PARTS[name].tool if name in of_host.PARTS else None
        return None if tool is None else (tool, SimpleNamespace(spec=SimpleNamespace(effect=EFFECTS[tool])))

    async def _by_tool(self, *_: Any) -> Json:
        return "ok"


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_host, "MOST_GENERATED", 3)


async def test_a_model_is_asked_so_often_by_all_code_of_one_call() -> None:
    shared = SharedRunState()
    first, of_a_function = Answering(shared), Answering(shared)
    for host in (first, of_a_function, first):
        assert await host.call("llm.generate", [{"prompt": "x"}]) == "ok"
    for host in (first, of_a_function):
        with pytest.raises(HostCallFailed, match="more than 3 in one call") as refused:
            await host.call("llm.generate", [{"prompt": "x"}])
        assert refused.value.code == "call_quota"
    assert await first.call("state.get", ["k"]) == "ok", "only this is used up"


@pytest.mark.parametrize(
    ("name", "waits"),
    [
        ("fetch", True),
        ("functions.call", True),
        ("llm.generate", True),
        ("browser.click", True),
        ("mcp.callTool", True),
        ("web.read", True),
        ("state.get", False),
        ("no.such", False),
    ],
)
def test_what_waits_for_others_keeps_no_turn_also_where_secrets_are_taken_out(name: str, waits: bool) -> None:
    host = Answering(SharedRunState())
    assert host.waits(name) is waits
    assert RedactedHost(host, Redaction({"A": "secret-value"})).waits(name) is waits
