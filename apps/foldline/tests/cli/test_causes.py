"""`foldline top` names what is likely to be wrong: each planted cause, and nothing where all is well."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from agent_contracts.api.operating import AwaitedCall, BusySession, ModelPace
from foldline.cli.operating.doctor import findings_in
from foldline.cli.operating.top import drawn
from foldline.cli.watching import overview
from foldline.cli.watching.numbers import MetricsPage
from foldline.cli.watching.overview import (
    AppendPace,
    LiveOverview,
    ModelCallsInHand,
    causes,
    causes_of_load,
)
from foldline.disk_room import LEAST_ROOM, LITTLE_SHARE, MOST_ROOM
from foldline.doctor.finding import Severity

RULES = Path(__file__).parents[4] / "deploy/prometheus/foldline-rules.yml"
NOW, EARLIER = "2026-01-31T12:00:00.000Z", "2026-01-31T11:50:00.000Z"
FAILING = ModelPace(first_token_ms=None, call_ms=None, calls=10, failed={"unreachable": 9})
SLOW = ModelPace(first_token_ms=20_000, call_ms=24_000, calls=3, failed={})
WELL = LiveOverview(
    at=NOW,
    url="http://127.0.0.1:8420",
    version="0.1.0",
    services={"engine": 1, "projector": 1},
    stores={"nats": 1, "postgres": 1},
    sessions={"idle": 3, "running": 1},
    waiting_for_person={"approval": 1},
    models={"openai/a": ModelPace(first_token_ms=400, call_ms=2000, calls=40, failed={"rate_limited": 1})},
    model_calls=[ModelCallsInHand("openai/a", True, 2, 0.9), ModelCallsInHand("openai/a", False, 1, 25.0)],
    tools={"completed": 12},
    queues={"engine": (2, 1)},
    appends=AppendPace(40, 1, 0.003),
    lists_behind_s=0.1,
    dead_letters=0,
    memory={"all": 200_000_000},
    sandbox={"bytes": 0, "limit_bytes": 700_000_000, "waiting": 0},
    disk={"data": {"free": 50_000_000_000, "size": 100_000_000_000}},
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


def disk(free_gb: float, size_gb: float) -> dict[str, dict[str, int]]:
    return {"data": {"free": int(free_gb * 1e9), "size": int(size_gb * 1e9)}}


def test_where_all_is_well_nothing_is_named() -> None:
    assert causes(WELL) == []
    assert causes(replace(WELL, busiest=[busy(4, "model", "2026-01-31T11:59:50.000Z")])) == []


def test_a_session_that_went_round_and_rests_is_not_named_any_more() -> None:
    was = replace(busy(90, "model", NOW), status="token_limit_reached", open_call=None)
    assert len(causes(replace(WELL, busiest=[was]))) == 1
    assert causes(replace(WELL, busiest=[replace(was, updated_at=EARLIER)])) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"services": {"engine": 1, "projector": 0}}, "projector doesn't answer"),
        ({"stores": {"nats": 1, "postgres": 0}}, "postgres can't be reached"),
        (
            {"appends": AppendPace(41, 40, 0.4)},
            "the disk is slow: an append to the log takes 400 ms (40 of 41 in the last 30 seconds took "
            "longer than 100 ms)",
        ),
        ({"lists_behind_s": 40.0}, "the lists are 40 s behind"),
        ({"disk": disk(1.5, 20)}, "the disk of data is nearly full: 1.5 GB of 20.0 GB left (7 %)"),
        ({"disk": disk(0.001, 20)}, "the disk of data is full: 1 MB of 20.0 GB left (0 %)"),
        (
            {"waiting_for_person": {"approval": 9, "question": 4}},
            "9 approvals, 4 questions wait",
        ),
        (
            {"model_calls": [ModelCallsInHand("openai/a", True, 1, 40.0)]},
            "openai/a is slow: a call has waited 40 s for its first token",
        ),
        (
            {"model_calls": [ModelCallsInHand("openai/a", True, 3, 12.0)]},
            "openai/a is slow: 3 calls wait for their first token, the oldest for 12 s",
        ),
        (
            {"model_calls": [ModelCallsInHand("openai/a", False, 2, 31.0)]},
            "openai/a is slow: 2 calls are being answered, the oldest for 31 s",
        ),
        (
            {"models": {"openai/a": SLOW}},
            "openai/a is slow: its first token took up to 20 s in 3 calls of the last 5 minutes",
        ),
        (
            {"models": {"openai/a": replace(SLOW, first_token_ms=900, call_ms=45_000)}},
            "openai/a is slow: its answers took up to 45 s in 3 calls of the last 5 minutes",
        ),
        (
            {
                "models": {"openai/a": SLOW},
                "model_calls": [ModelCallsInHand("openai/a", True, 1, 600.0)],
            },
            "a call has waited 600 s for its first token, and its first token took up to 20 s",
        ),
        ({"memory": {"engine": 2_300_000_000, "runner": 9}}, "engine has 2.3 GB of memory"),
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
        ({"sandbox": {"bytes": 1, "limit_bytes": 1, "waiting": 3}}, "agents' code waits for memory: 3 runs"),
    ],
)
def test_a_cause_is_named_with_what_to_do(changed: dict[str, Any], said: str) -> None:
    (found,) = causes(replace(WELL, **changed))
    assert said in found.what
    assert found.to_do


@pytest.mark.parametrize(
    ("free_gb", "size_gb", "is_named"),
    [(50, 4000, False), (19, 4000, True), (3, 20, False), (1.9, 20, True), (0.9, 4, True), (1.2, 4, False)],
)
def test_a_disk_is_judged_by_its_share_and_by_what_is_left(
    free_gb: float, size_gb: float, is_named: bool
) -> None:
    assert bool(causes(replace(WELL, disk=disk(free_gb, size_gb)))) is is_named


def test_a_few_slow_appends_are_no_slow_disk_and_without_nats_nobody_knows() -> None:
    slow = replace(WELL, appends=AppendPace(40, 20, 0.3))
    assert causes(slow) == []
    away = replace(WELL, appends=AppendPace(3, 3, 2.0), stores={"nats": 0, "postgres": 1})
    assert [one.what for one in causes(away)] == ["nats can't be reached"]


def test_what_follows_from_a_full_disk_is_not_named_beside_it() -> None:
    full = replace(
        WELL,
        disk={**disk(0, 20), "postgres": {"free": 10**9, "size": 20 * 10**9}},
        appends=AppendPace(41, 40, 0.4),
        services={"engine": 1, "mcp-host": 0},
        stores={"nats": 1, "postgres": 0},
        lists_behind_s=40.0,
        dead_letters=3,
        queues={"runners-tools": (500, 64)},
        models={"openai/a": FAILING},
        model_calls=[ModelCallsInHand("openai/a", True, 2, 500.0)],
        busiest=[busy(2, "tool", EARLIER)],
    )
    (found,) = causes(full)
    assert found.what.startswith("the disk of data is full: 0 MB of 20.0 GB left")
    assert list(causes_of_load(full)) == []
    people = replace(full, waiting_for_person={"approval": 50})
    assert [one.what.split(":")[0] for one in causes(people)][1:] == ["50 approvals wait for a person"]


@pytest.mark.parametrize(
    ("changed", "services", "load"),
    [
        ({}, "all 2 answer", "nothing is slow, and nobody waits for long"),
        (
            {"services": {"engine": 1, "projector": 0}},
            "projector doesn't answer",
            "nothing is slow, and nobody waits for long",
        ),
        (
            {"services": {"engine": 1, "projector": 0}, "disk": disk(0, 20)},
            "not judged: the disk is full",
            "not judged: the disk is full",
        ),
        (
            {"services": {"engine": 0, "projector": 0}, "stores": {"nats": 0}},
            "not judged: NATS is away",
            "not judged: NATS is away",
        ),
    ],
)
def test_doctor_says_what_top_finds(changed: dict[str, Any], services: str, load: str) -> None:
    found = {one.check: one for one in findings_in(replace(WELL, **changed))}
    assert (found["services"].text, found["load"].text) == (services, load)
    assert (found["services"].verdict is Severity.PROBLEM) == bool(found["services"].to_do)


@pytest.mark.parametrize(
    ("alert", "compared"),
    [
        ("FoldlineModelSlow", f"> {overview.SLOW_FIRST_TOKEN_MS // 1000}"),
        ("FoldlineModelFails", f"> {overview.OFTEN_FAILED}"),
        ("FoldlineDiskSlow", f"> {overview.MOSTLY}"),
        ("FoldlineListsLag", f"> {overview.LONG_LAG_S:g}"),
        ("FoldlineManyWait", f"> {overview.FULL_INBOX}"),
        ("FoldlineQueueWaits", f"> {overview.MANY_WAIT}"),
        (
            "FoldlineDiskFull",
            f"< clamp({LITTLE_SHARE} * foldline_disk_size_bytes, {LEAST_ROOM}, {MOST_ROOM})",
        ),
        ("FoldlineAgentLoops", f"> {overview.LOOPS}"),
        ("FoldlineMemoryGrows", f"> {overview.MUCH_MEMORY / 1e9:g}e9"),
    ],
)
def test_an_alert_and_top_have_the_same_bound(alert: str, compared: str) -> None:
    _, _, rule = RULES.read_text().partition(f"alert: {alert}\n")
    expression, _, _ = rule.partition("for:")
    assert expression.strip().endswith(compared)


def test_all_of_it_is_drawn_and_no_text_is_taken_for_markup() -> None:
    seen = replace(WELL, busiest=[busy(90, "model", NOW)])
    out = StringIO()
    Console(file=out, width=160).print(drawn(replace(seen, causes=causes(seen)), 160))
    for words in (
        "all 2 answer",
        "1 approval",
        "openai/a: first token 0.4 s",
        "A [bold]title",
        "made 90 calls",
    ):
        assert words in out.getvalue(), words


def test_in_eighty_columns_each_session_is_one_line_that_says_what_it_waits_for() -> None:
    one = replace(busy(90, "model", EARLIER), id="s_01kb4vj7q2e5a8m3r6t9w1x4z7", tokens=123_456)
    seen = replace(WELL, busiest=[one, replace(one, id="s_01kb4vj7q2e5a8m3r6t9w1x4z8")])
    out = StringIO()
    Console(file=out, width=80).print(drawn(replace(seen, causes=causes(seen)), 80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    rows = [line for line in lines if line.startswith("s_01kb")]
    assert [row.split()[:5] for row in rows] == [
        [session.id, "running", "90", "123456", "600"] for session in seen.busiest
    ]
    labelled = [line for line in lines if line.startswith(("services", "model", "log", "disk", "backup"))]
    assert {line.index(line.split()[1]) for line in labelled} == {10}, "what is long goes on below itself"


def test_model_calls_of_all_processes_are_put_together() -> None:
    page = MetricsPage(
        "# TYPE foldline_model_calls_in_hand gauge\n"
        'foldline_model_calls_in_hand{model="openai/a",state="waiting",process="1"} 2\n'
        'foldline_model_calls_in_hand{model="openai/a",state="waiting",process="2"} 1\n'
        'foldline_model_calls_in_hand{model="openai/a",state="answering",process="2"} 1\n'
        "# TYPE foldline_model_oldest_call_seconds gauge\n"
        'foldline_model_oldest_call_seconds{model="openai/a",state="waiting",process="1"} 3\n'
        'foldline_model_oldest_call_seconds{model="openai/a",state="waiting",process="2"} 40\n'
        'foldline_model_oldest_call_seconds{model="openai/a",state="answering",process="2"} 50\n'
    )
    assert overview._model_calls(page) == [
        ModelCallsInHand("openai/a", True, 3, 40.0),
        ModelCallsInHand("openai/a", False, 1, 50.0),
    ]


def test_appends_of_all_processes_are_put_together() -> None:
    page = MetricsPage(
        "# TYPE foldline_recent_appends gauge\n"
        'foldline_recent_appends{pace="slow",service="engine"} 3\n'
        'foldline_recent_appends{pace="fast",service="engine"} 1\n'
        'foldline_recent_appends{pace="slow",service="gateway"} 1\n'
        "# TYPE foldline_recent_append_seconds gauge\n"
        'foldline_recent_append_seconds{service="engine"} 0.8\n'
        'foldline_recent_append_seconds{service="gateway"} 0.2\n'
    )
    assert overview._appends(page) == AppendPace(5, 4, 0.2)
    assert overview._appends(MetricsPage("")) == AppendPace(0, 0, None)
