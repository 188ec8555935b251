"""What comes from models, tools and the web is stored whatever it holds."""

import pytest

from agent_contracts.json_value import Json
from agent_platform.log.storable_text import storable, storable_text


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("plain", "plain"),
        ("Åse 😀", "Åse 😀"),
        ("a\x00b", "a\ufffdb"),
        ("half \ud83d of it", "half \ufffd of it"),
        ("\ude00", "\ufffd"),
        ("both \ud83d\ude00 halves", "both 😀 halves"),
    ],
)
def test_what_cannot_be_stored_is_replaced_and_nothing_else(text: str, stored: str) -> None:
    assert storable_text(text) == stored
    assert storable_text(text).encode().decode() == stored


def test_every_string_of_a_value_is_replaced_names_included() -> None:
    value: Json = {"a\x00": ["\ud83d", {"b": "\x00", "c": 1, "d": None, "e": True}]}
    assert storable(value) == {"a\ufffd": ["\ufffd", {"b": "\ufffd", "c": 1, "d": None, "e": True}]}
