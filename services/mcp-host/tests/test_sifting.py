"""What of a server's answer to a call is its result."""

from typing import Any

import pytest
from mcp import types

from mcp_host.definitions.sifting import sifted

METHOD, VERSION = "tools/call", types.LATEST_PROTOCOL_VERSION
DONE: dict[str, Any] = {"content": [{"type": "text", "text": "Done."}]}


@pytest.mark.parametrize("more", [{"task": {"taskId": "t1"}}, {"resultType": "task"}])
def test_an_answer_that_is_a_task_is_left_as_it_came(more: dict[str, Any]) -> None:
    answer = {**DONE, **more, "structuredContent": 5}
    assert sifted(METHOD, VERSION, answer) == answer


def test_a_malformed_part_of_a_result_is_said_and_the_others_stay() -> None:
    told = sifted(METHOD, VERSION, {"content": [{"type": "text"}, *DONE["content"]]})
    assert DONE["content"][0] in told["content"]
    assert told != {"content": [{"type": "text"}, *DONE["content"]]}
