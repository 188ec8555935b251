"""Addresses of model servers, as people paste them."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from agent_domain.model_addresses import base_url_of, endpoint, likely, with_version
from agent_domain.models import ModelSettings
from agent_domain.personal.values import checked


@pytest.mark.parametrize(
    ("pasted", "address"),
    [
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://127.0.0.1:8000/V1", "http://127.0.0.1:8000/v1"),
        ("HTTP://127.0.0.1:8000//v1//", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/chat/completions", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/V1/Chat/Completions/", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/models", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/models/some-model", "http://127.0.0.1:8000/v1"),
        ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1"),
        ("http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434"),
        ("http://127.0.0.1:8000/v1?api-version=1", "http://127.0.0.1:8000/v1?api-version=1"),
        ("http://127.0.0.1:8000/v1/chat/completions?a=1#x", "http://127.0.0.1:8000/v1?a=1"),
        ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("localhost:1234", "http://localhost:1234"),
        ("[::1]:1234/v1", "http://[::1]:1234/v1"),
        ("box.local:1234", "http://box.local:1234"),
        ("ollama:11434", "http://ollama:11434"),
        ("//192.168.1.5:1234/v1", "http://192.168.1.5:1234/v1"),
        ("api.example.com/v1", "https://api.example.com/v1"),
        (" \t http://127.0.0.1:8000/v1 \r\n", "http://127.0.0.1:8000/v1"),
        ("\ufeffhttp://127.0.0.1:8000\u200b/v1", "http://127.0.0.1:8000/v1"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/",
         "https://generativelanguage.googleapis.com/v1beta/openai"),
    ],
)  # fmt: skip
def test_a_pasted_address_is_understood(pasted: str, address: str) -> None:
    assert base_url_of(pasted) == address
    assert checked("model_base_url", pasted) == address
    assert ModelSettings(data_dir=Path("/"), model_base_url=pasted).model_base_url == address


@pytest.mark.parametrize("bad", ["ftp://h/v1", "http://h h/v1", "http://“h”/v1", "file:///etc/passwd"])
def test_what_is_no_address_is_refused_when_it_is_set(bad: str) -> None:
    with pytest.raises(ValidationError):
        ModelSettings(data_dir=Path("/"), model_base_url=bad)


def test_a_query_comes_behind_the_path_of_each_request() -> None:
    assert endpoint("http://h/v1?a=1", "/chat/completions") == "http://h/v1/chat/completions?a=1"
    assert endpoint("http://h", "/models") == "http://h/models"


def test_a_version_is_added_where_there_is_none() -> None:
    assert with_version("http://h:1") == "http://h:1/v1"
    assert with_version("http://h:1/api?a=1") == "http://h:1/api/v1?a=1"
    assert with_version("http://h:1/v1beta/openai") is None
    assert likely("http://h:1/foo") == (
        "http://h:1/foo/v1",
        "http://h:1/v1",
        "http://h:1/api/v1",
        "http://h:1/openai/v1",
    )
