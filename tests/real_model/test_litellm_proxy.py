"""Chats through a real proxy of litellm's, by `make real-model`: it stands before a scripted model.

`scripts/setup-litellm-proxy` installs it, in an environment of its own.
"""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent_platform.services.embedded.ports import free_port
from agent_platform.services.embedded.process import ProcessCommand, ServerProcess
from foldline.cli.client import Gateway
from foldline_testing.agent_platform.http import NO_TLS
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.real_chat import RealChat
from foldline_testing.product.stack import Stack

PROXY = Path(__file__).parents[2] / ".make" / "litellm-proxy" / "bin" / "litellm"
pytestmark = [
    pytest.mark.real_model,
    pytest.mark.skipif(not PROXY.exists(), reason="scripts/setup-litellm-proxy wasn't run"),
]
KEY = "sk-of-the-proxy"
START_S = 180
"""It imports for half a minute where others work, too."""
NO_CREDIT = "Your credit is used up: add some at billing.example"
SCRIPT: dict[str, Any] = {
    "rules": [
        {
            "when": {"user_contains": "colour blue"},
            "turns": [
                {"tool_calls": [{"name": "set_state", "arguments": {"key": "colour", "value": "blue"}}]},
                {"text": "It is blue now."},
            ],
        },
        {
            "when": {"user_contains": "Call the tool get_weather"},
            "reply": {"tool_calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]},
        },
        {"when": {"user_contains": "capital of Norway"}, "reply": {"text": '{"city": "Oslo"}'}},
        {"when": {"user_contains": "colour has this picture"}, "reply": {"text": "Red."}},
        {
            "when": {"user_contains": "be refused"},
            "reply": {"fault": {"kind": "bad_request", "status": 402, "message": NO_CREDIT}},
        },
        {"reply": {"text": "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve."}},
    ]
}


@pytest.fixture(scope="module")
def upstream() -> Iterator[ModelServer]:
    """The model behind the proxy."""
    with ModelServer(SCRIPT) as served:
        yield served


@pytest.fixture(scope="module")
def proxy(upstream: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The proxy's address, once it answers."""
    folder = tmp_path_factory.mktemp("proxy")
    behind = {"model": "openai/scripted", "api_base": upstream.base_url, "api_key": "sk-scripted"}
    config = {
        "model_list": [{"model_name": "behind", "litellm_params": behind}],
        "litellm_settings": {"num_retries": 0},
        "general_settings": {"master_key": KEY},
    }
    (folder / "config.yaml").write_text(json.dumps(config))  # which is YAML, too
    port = free_port()
    where = ("--host", "127.0.0.1", "--port", str(port))
    environment = ("LITELLM_LOCAL_MODEL_COST_MAP=True", f"HOME={folder}")
    program = ["/usr/bin/env", *environment, str(PROXY), "--config", "config.yaml", *where]
    process = ServerProcess("litellm", ProcessCommand(program, folder, signal.SIGKILL), folder / "proxy.log")
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + START_S
        while not _answers(f"{url}/health/liveliness"):
            if process.returncode is not None or time.monotonic() > deadline:
                raise process.failure("did not start")
            time.sleep(0.2)
        yield f"{url}/v1"
    finally:
        process.kill()


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, verify=NO_TLS).status_code == 200
    except httpx.TransportError:
        return False  # it is being started


@pytest.fixture(scope="module")
def door(proxy: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A Foldline whose model is behind the proxy, as a person would set it."""
    told = {
        "FOLDLINE_MODEL": "openai/behind",
        "FOLDLINE_MODEL_BASE_URL": proxy,
        "FOLDLINE_MODEL_API_KEY": KEY,
        "FOLDLINE_VISION_MODELS": "all",
    }
    with Stack(tmp_path_factory.mktemp("data"), env=told) as stack, stack.gateway() as opened:
        yield opened


def test_a_chat_streams_and_a_tool_call_runs(door: Gateway) -> None:
    chat = RealChat(door)
    pieces = chat.say("Count to twelve.")
    assert (chat.turn.status, chat.turn.failure) == ("idle", None)
    assert len(pieces) > 1, "it came in one piece"
    assert "".join(pieces).endswith("twelve.")
    chat.say("Remember the colour blue.")
    assert (chat.turn.status, chat.turn.failure) == ("idle", None)
    called = [(one["tool"], one["arguments"]) for one in chat.events("tool_call_requested")]
    assert called == [("set_state", {"key": "colour", "value": "blue"})]
    assert chat.events("tool_call_completed")
    answers = chat.events("model_call_completed")
    assert all(one.get("attempts", 1) == 1 for one in answers)
    assert all(one["usage"]["input"] > 0 and not one["usage"].get("counted") for one in answers)
    chat.replays()


def test_what_the_model_behind_it_refuses_is_read_in_its_own_words(door: Gateway) -> None:
    chat = RealChat(door)
    chat.say("Please be refused.")
    [failed] = chat.events("model_call_failed")
    assert NO_CREDIT in failed["message"]
    assert failed.get("attempts", 1) == 1
    chat.say("Count to twelve.")
    assert (chat.turn.status, chat.turn.failure) == ("idle", None), "the next message is answered"
    chat.replays()


def test_its_models_are_listed_and_the_test_of_one_is_green(door: Gateway) -> None:
    listed = door.ask_model("/settings:test-model", {"wants": "list"})
    assert listed["models"] == ["openai/behind"]
    found = door.ask_model("/settings:test-model", {"wants": "checks"})
    print("\n", *(f"{one['name']}: {one['ok']}, {one['words']}\n" for one in found["checks"]))
    assert found["ok"], found["problem"]
    marks = {one["name"]: one["ok"] for one in found["checks"]}
    good = ("chat", "stream", "tool call", "JSON schema", "picture")
    assert {name: marks[name] for name in good} == dict.fromkeys(good, True)
