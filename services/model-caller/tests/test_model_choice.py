"""Which model answers when nobody said which."""

import importlib.util
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_domain.model_providers import model_providers
from agent_platform.services.embedded.ports import free_port
from model_caller.choosing.model_choice import DEMO, choose_model, ollama_models
from model_caller.settings import ModelChoiceSettings as Settings


def nobody() -> list[str]:
    return []


def test_the_setting_comes_first() -> None:
    settings = Settings(
        model="openai/x",
        model_base_url="http://127.0.0.1:1/v1",
        model_api_key=SecretStr("k"),
        model_low="openai/y",
    )
    choice = choose_model(settings, {"ANTHROPIC_API_KEY": "a"}, nobody)
    assert (choice.model, choice.low, choice.high) == ("openai/x", "openai/y", "openai/x")
    assert (choice.base_url, choice.api_key) == ("http://127.0.0.1:1/v1", "k")
    assert choice.source == "FOLDLINE_MODEL"
    assert "'k'" not in repr(choice)


def test_then_a_providers_key() -> None:
    choice = choose_model(Settings(), {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": ""}, nobody)
    assert choice.model.startswith("anthropic/")
    assert choice.source == "ANTHROPIC_API_KEY is set"
    assert choice.api_key is None, "litellm finds it by itself"


def test_a_key_in_another_variable_of_its_provider_counts_after_every_first_one() -> None:
    google = choose_model(Settings(), {"GOOGLE_API_KEY": "g", "GEMINI_API_KEY": ""}, nobody)
    assert (google.model.partition("/")[0], google.source) == ("gemini", "GOOGLE_API_KEY is set")
    both = choose_model(Settings(), {"GOOGLE_API_KEY": "g", "TOGETHER_AI_API_KEY": "t"}, nobody)
    assert both.source == "TOGETHER_AI_API_KEY is set"
    for name, provider in model_providers().items():
        for variable in provider.keys if provider.model else ():
            assert choose_model(Settings(), {variable: "x"}, nobody).model.startswith(f"{name}/"), variable


def test_the_first_of_several_keys_wins() -> None:
    environ = {provider.keys[0]: "x" for provider in model_providers().values() if provider.keys}
    assert choose_model(Settings(), environ, nobody).model.startswith("openai/")


def test_then_an_ollama_on_this_machine() -> None:
    choice = choose_model(Settings(), {}, lambda: ["nomic-embed-text:latest", "llama3.2:3b"])
    assert choice.model == "ollama_chat/llama3.2:3b"
    assert choice.base_url == "http://127.0.0.1:11434"


def test_ollama_is_not_asked_if_there_is_a_key() -> None:
    def asked() -> list[str]:
        raise AssertionError("Ollama was asked")

    choose_model(Settings(), {"GEMINI_API_KEY": "g"}, asked)


def test_else_the_demo() -> None:
    choice = choose_model(Settings(), {}, nobody)
    assert choice.model == choice.low == DEMO
    assert "FOLDLINE_MODEL" in choice.source


@contextmanager
def answering(body: bytes, status: int = 200) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/api/tags" else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Not on the test's output."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_ollama_is_asked_for_its_models() -> None:
    listed = {"models": [{"name": "llama3.2:3b"}, {"name": "qwen3:8b"}]}
    with answering(json.dumps(listed).encode()) as address:
        assert ollama_models(address) == ["llama3.2:3b", "qwen3:8b"]


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"models": 3}', b'{"models": [{}]}', b"\xff"])
def test_something_else_at_its_port_is_no_ollama(body: bytes) -> None:
    with answering(body) as address:
        assert ollama_models(address) == []


def test_an_error_is_no_ollama() -> None:
    with answering(b"{}", status=500) as address:
        assert ollama_models(address) == []


def test_nobody_at_its_port_is_no_ollama() -> None:
    assert ollama_models(f"http://127.0.0.1:{free_port()}") == []


@pytest.mark.parametrize("model", [one.model for one in model_providers().values() if one.model])
def test_litellm_knows_each_default_and_that_it_calls_tools(model: str) -> None:
    found = importlib.util.find_spec("litellm")  # not imported: that costs seconds
    assert found is not None
    assert found.origin is not None
    prices = Path(found.origin).with_name("model_prices_and_context_window_backup.json")
    known = json.loads(prices.read_text())
    entry = known.get(model) or known.get(model.partition("/")[2])
    assert entry["mode"] == "chat"
    assert entry["supports_function_calling"]
