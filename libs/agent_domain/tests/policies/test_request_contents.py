"""What a request carries besides its URL."""

import pytest

from agent_domain.policies.request_contents import READERS_AGENT, carries_nothing


@pytest.mark.parametrize(
    "headers",
    [
        (),
        (("Accept", "application/json"),),
        (("accept", "text/html,application/xhtml+xml,application/pdf,*/*;q=0.8"),),
        (("Accept-Language", "de-AT, en;q=0.5"), ("user-agent", READERS_AGENT)),
    ],
)
def test_the_type_and_language_of_an_answer_say_nothing(headers: tuple[tuple[str, str], ...]) -> None:
    assert carries_nothing(headers)
    assert not carries_nothing(headers, "notes")
    assert not carries_nothing((*headers, ("x-context", "")))


@pytest.mark.parametrize(
    "header",
    [
        ("X-Context", "secret"),
        ("User-Agent", "secret"),
        ("Accept", "secret"),
        ("Accept", "text/secret"),
        ("Accept", "text/html;secret"),
        ("Accept", "text/html;q=0.8secret"),
        ("Accept", "*/*," * 100 + "*/*"),
        ("Accept-Language", "secret"),
        ("Accept-Language", "de, " * 9 + "en"),
        ("Cookie", "a=secret"),
        ("Authorization", "Bearer secret"),
        ("Range", "bytes=0-1"),
        ("accept-secret", "text/html"),
    ],
)
def test_any_other_header_may_say_anything(header: tuple[str, str]) -> None:
    assert not carries_nothing((header,))
