"""What an approval is bound to."""

import pytest

from agent_contracts.json_value import Json
from agent_contracts.policies import approved_hash

ARGUMENTS: dict[str, Json] = {"url": "https://a.example/x", "headers": {"a": 1, "b": [1, 2]}}


def test_the_same_call_has_the_same_hash_however_its_arguments_stand() -> None:
    other: dict[str, Json] = {"headers": {"b": [1, 2], "a": 1}, "url": "https://a.example/x"}
    assert approved_hash("fetch_url", ARGUMENTS, 7) == approved_hash("fetch_url", other, 7)


@pytest.mark.parametrize(
    ("tool", "arguments", "code_at"),
    [
        ("http_request", ARGUMENTS, 7),
        ("fetch_url", {**ARGUMENTS, "url": "https://a.example/y"}, 7),
        ("fetch_url", {**ARGUMENTS, "more": None}, 7),
        ("fetch_url", {**ARGUMENTS, "headers": {"a": 1, "b": [2, 1]}}, 7),
        ("fetch_url", {**ARGUMENTS, "headers": {"a": "1", "b": [1, 2]}}, 7),
        ("fetch_url", ARGUMENTS, 8),
        ("fetch_url", ARGUMENTS, None),
    ],
    ids=["tool", "argument", "one more", "order of a list", "type", "newer code", "no code"],
)
def test_an_approval_of_one_call_is_none_of_another(
    tool: str, arguments: dict[str, Json], code_at: int | None
) -> None:
    assert approved_hash(tool, arguments, code_at) != approved_hash("fetch_url", ARGUMENTS, 7)
