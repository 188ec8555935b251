"""`foldline top` names what is likely to be wrong: each planted cause, and nothing where all is well."""

from io import StringIO
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from agent_contracts.api.operating import AwaitedCall, BusySession
from foldline.cli.operating.top import drawn
from foldline.cli.watching.numbers import MetricsPage
from foldline.cli.watching.overview import LiveOverview, ModelState, causes

NOW, EARLIER = "2026-01-31T12:00:00.000Z", "2026-01-31T11:50:00.000Z"
FAILING = ModelState(first_token_s=None, call_s=None, calls=10, failed={"unreachable": 9})
WELL = LiveOverview(
    at=NOW,
    url="http://127.0.0.1:8420",
    version="0.1.0",
    services={"engine": 1, "projector": 1},
    stores={"nats": 1, "postgres": 1},
    sessions={"idle": 3, "running": 1},
    waiting_for_person={"approval": 1},
    models={"openai/a": ModelState(first_token_s=0.4, call_s=2.0, calls=40, failed={"rate_limited": 1})},
    tools={"completed": 12},
    queues={"engine": (2, 1)},
    append_s=0.003,
    lists_behind_s=0.1,
    dead_letters=0,
    memory={"all": 200_000_000},
    sandbox={"bytes": 0, "limit_bytes": 700_000_000, "waiting": 0},
    disk={"data": {"free": 50, "size": 100}},
    last_backup_at=None,
    busiest=[],
    window_s=300,
)


def busy(calls: int, what: Any, since: str) -> BusySession:
    return BusySession(
        id="s_1",
        agent_id="default",
        title="A [bold]title",
        status="running",
        updated_at=NOW,
        model_calls=calls // 2,
        tool_calls=calls - calls // 2,
        tokens=10,
        open_call=AwaitedCall(what=what, name="openai/a", call_id="c", requested_at=since),
    )


def test_where_all_is_well_nothing_is_named() -> None:
    assert causes(WELL) == []
    assert causes(replace(WELL, busiest=[busy(4, "model", "2026-01-31T11:59:50.000Z")])) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"services": {"engine": 1, "projector": 0}}, "projector doesn't answer"),
        ({"stores": {"nats": 1, "postgres": 0}}, "postgres can't be reached"),
        ({"append_s": 0.4}, "the disk is slow: an append to the log takes 400 ms"),
        ({"lists_behind_s": 40.0}, "the lists are 40 s behind"),
        ({"disk": {"data": {"free": 5, "size": 100}}}, "the disk of data is nearly full"),
        ({"waiting_for_person": {"approval": 9, "question": 4}}, "13 things wait for a person's answer"),
        (
            {"busiest": [busy(2, "model", EARLIER)]},
            "openai/a is slow: 1 calls wait for it",
        ),
        ({"busiest": [busy(90, "model", NOW)]}, "session s_1 made 90 calls in 5 minutes"),
        (
            {"busiest": [busy(2, "tool", EARLIER)]},
            "openai/a has run for 600 s in session s_1",
        ),
        (
            {"models": {"openai/a": FAILING}},
            "openai/a fails: 9",
        ),
        ({"queues": {"runners-tools": (500, 64)}}, "500 messages wait for runners-tools"),
        ({"dead_letters": 2}, "2 messages could not be handled"),
        ({"sandbox": {"bytes": 1, "limit_bytes": 1, "waiting": 3}}, "agents' code waits for memory"),
    ],
)
def test_a_cause_is_named_with_what_to_do(changed: dict[str, Any], said: str) -> None:
    (found,) = causes(replace(WELL, **changed))
    assert said in found.what
    assert found.to_do


def test_all_of_it_is_drawn_and_no_text_is_taken_for_markup() -> None:
    seen = replace(WELL, busiest=[busy(90, "model", NOW)])
    out = StringIO()
    Console(file=out, width=160).print(drawn(replace(seen, causes=causes(seen))))
    for words in (
        "all 2 answer",
        "1 approval",
        "openai/a: first token 0.4 s",
        "A [bold]title",
        "made 90 calls",
    ):
        assert words in out.getvalue(), words


def test_averages_are_of_what_came_since_the_last_look() -> None:
    then = MetricsPage("# TYPE a histogram\na_sum 100\na_count 100\n")
    now = MetricsPage("# TYPE a histogram\na_sum 108\na_count 102\n")
    assert (now.mean("a"), now.mean("a", then), now.mean("a", now)) == (108 / 102, 4, 108 / 102)
