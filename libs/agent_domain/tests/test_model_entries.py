"""Windows and servers of single models, as people write them."""

import pytest

from agent_contracts.errors import Rejected
from agent_domain.model_entries import MOST_ENTRIES, entries_in, windows_in
from agent_domain.personal.values import checked


@pytest.mark.parametrize(
    ("name", "written", "kept"),
    [
        ("model_context_window", 32_768, "32768"),
        ("model_context_window", "openai/a=1, openai/b=2", "openai/a=1, openai/b=2"),
        ("model_servers", "openai/a = box:8000/v1/models", "openai/a=http://box:8000/v1"),
        (
            "model_servers",
            " openai/a=http://h/v1?x=1 ,\u200bollama_chat/b:1b=http://h2 ",
            "openai/a=http://h/v1?x=1,ollama_chat/b:1b=http://h2",
        ),
    ],
)
def test_they_are_kept_as_they_are_meant(name: str, written: str | int, kept: str) -> None:
    assert checked(name, written) == kept


def test_each_is_read_by_its_model() -> None:
    assert windows_in("8192, openai/a=32768") == {"": 8_192, "openai/a": 32_768}
    assert entries_in("openai/a=http://h/v1?x=1") == {"openai/a": "http://h/v1?x=1"}


@pytest.mark.parametrize(
    ("name", "written", "words"),
    [
        ("model_context_window", "32,768", "it has two values without a model"),
        ("model_context_window", "many", "'many' is not a number of tokens from 1 to 1000000000"),
        ("model_context_window", "openai/a=0", "'0' is not a number of tokens"),
        ("model_context_window", "openai/a=9999999999999", "'9999999999999' is not a number of tokens"),
        ("model_context_window", "1, ", "it has two values without a model"),
        ("model_context_window", "a=5", "'a' is not provider/model"),
        ("model_context_window", "openai/a=5, openai/a=6", "it names openai/a twice"),
        ("model_servers", "http://h/v1", "'http://h/v1' stands without its model: write provider/model="),
        ("model_servers", "openai/a=ftp://h", "the address of openai/a must begin with http:// or https://"),
        ("model_servers", "openai/a=http://“h”", "in the address of openai/a, character 8 of 10 is U+201C"),
        ("model_servers", "openai/a b=http://h", "in the model's name, character 9 of 10 is U+0020"),
        (
            "model_servers",
            ",".join(f"openai/{number}=http://h" for number in range(MOST_ENTRIES + 1)),
            "it has 51 entries, and may have 50",
        ),
    ],
)
def test_what_is_wrong_is_said(name: str, written: str, words: str) -> None:
    with pytest.raises(Rejected) as raised:
        checked(name, written)
    assert words in raised.value.message
