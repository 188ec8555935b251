"""The key by which an MCP client says that it repeats a call is its own, and of one answer."""

import pytest
from mcp import types

from agent_contracts.entities.chosen_tools import REPEAT_KEY
from agent_contracts.errors import Rejected
from gateway.mcp.tool_calls import LONGEST_KEY, _key_of


def asked(key: object) -> types.CallToolRequestParams:
    return types.CallToolRequestParams.model_validate({"name": "a", "_meta": {REPEAT_KEY: key}})


def test_two_clients_or_two_answers_never_share_one() -> None:
    keys = [_key_of(asked("k"), client, answered) for client in ("one", "other") for answered in (0, 1, 2)]
    assert len(set(keys)) == len(keys)
    assert _key_of(asked("k"), "one", 0) == _key_of(asked("k"), "one", 0)


def test_a_client_that_says_none_has_none() -> None:
    assert _key_of(types.CallToolRequestParams(name="a"), "one", 1) is None


@pytest.mark.parametrize("key", ["", 5, ["k"], "k" * (LONGEST_KEY + 1)])
def test_what_is_no_key_is_refused(key: object) -> None:
    with pytest.raises(Rejected, match="is a text of 1 to"):
        _key_of(asked(key), "one", 0)
