"""The calls of one answer, as people see them: what writes keeps its place, so that a read sees it."""

from typing import Any

from foldline.cli.client import Gateway
from foldline.cli.sessions.turns import ChatTurn
from foldline_testing.product.reading import messages


def _sql(statement: str) -> dict[str, Any]:
    return {"name": "db_sql", "arguments": {"sql": statement}}


def _state(tool: str, **more: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": {"key": "order", **more}}


CALLS = [
    _sql("CREATE TABLE in_order (n)"),
    _sql("INSERT INTO in_order VALUES (41)"),
    {"name": "db_schema", "arguments": {}},
    _sql("UPDATE in_order SET n = n + 1"),
    _sql("SELECT n FROM in_order"),
    _sql("DROP TABLE in_order"),
    _state("set_state", value="old"),
    _state("get_state"),
    _state("set_state", value="new"),
    {"name": "run_sandbox_code", "arguments": {"code": "return state.get('order')"}},
    {"name": "ask_user", "arguments": {"question": "Shall I forget it?"}},
    _state("delete_state"),
    _state("get_state"),
]
SCRIPT = {
    "rules": [{"when": {"user_contains": "in order"}, "turns": [{"tool_calls": CALLS}, {"text": "Done."}]}]
}


def test_what_a_call_wrote_the_later_calls_of_the_turn_see_and_the_earlier_ones_do_not(door: Gateway) -> None:
    for _ in range(5):
        turn = ChatTurn(door, None)
        turn.say("all of it in order")
        for _ in turn.pieces():
            pass
        assert turn.status == "waiting_for_input"
        (answer,) = [one for one in messages(door, turn.session_id) if one["tool_calls"]]
        results = [call["result"] for call in answer["tool_calls"]]
        assert [call["error"] for call in answer["tool_calls"]] == [None] * len(CALLS)
        assert [table["name"] for table in results[2]["tables"]] == ["in_order"]
        assert results[4]["rows"] == [[42]]
        assert results[7] == {"value": "old"}
        assert results[9]["result"] == "new"
        assert results[12] == {"value": None}, "nobody waits for the person's answer"
