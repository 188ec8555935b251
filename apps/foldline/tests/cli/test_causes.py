"""`foldline top` names what is likely to be wrong: each planted cause, and nothing where all is well."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from agent_contracts.api.operating import AwaitedCall, BusySession, ModelPace
from agent_platform.observing.recent_appends import SLOW_APPEND_S
from foldline.cli.operating.top import drawn
from foldline.cli.watching import overview
from foldline.cli.watching.numbers import MetricsPage
from foldline.cli.watching.overview import LiveOverview, RecentAppends, causes, causes_of_load
from foldline.disk_room import LEAST_ROOM, LITTLE_SHARE, MOST_ROOM

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
    tools={"completed": 12},
    queues={"engine": (2, 1)},
    appends=RecentAppends(40, 1, 0.003),
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


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"services": {"engine": 1, "projector": 0}}, "projector doesn't answer"),
        ({"stores": {"nats": 1, "postgres": 0}}, "postgres can't be reached"),
        (
            {"appends": RecentAppends(41, 40, 0.4)},
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
            {"busiest": [busy(2, "model", EARLIER)]},
            "openai/a is slow: a call has been waiting for it, the oldest for 600 s",
        ),
        ({"models": {"openai/a": SLOW}}, "openai/a is slow: its first token took 20 s in the last 5 minutes"),
        (
            {"models": {"openai/a": SLOW}, "busiest": [busy(2, "model", EARLIER)]},
            "the oldest for 600 s, and its first token took 20 s",
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
    slow = replace(WELL, appends=RecentAppends(40, 20, 0.3))
    assert causes(slow) == []
    away = replace(WELL, appends=RecentAppends(3, 3, 2.0), stores={"nats": 0, "postgres": 1})
    assert [one.what for one in causes(away)] == ["nats can't be reached"]


def test_what_follows_from_a_full_disk_is_not_named_beside_it() -> None:
    full = replace(
        WELL,
        disk={**disk(0, 20), "postgres": {"free": 10**9, "size": 20 * 10**9}},
        appends=RecentAppends(41, 40, 0.4),
        services={"engine": 1, "mcp-host": 0},
        stores={"nats": 1, "postgres": 0},
        lists_behind_s=40.0,
        dead_letters=3,
        queues={"runners-tools": (500, 64)},
        models={"openai/a": FAILING},
        busiest=[busy(2, "model", EARLIER), busy(2, "tool", EARLIER)],
    )
    (found,) = causes(full)
    assert found.what.startswith("the disk of data is full: 0 MB of 20.0 GB left")
    assert list(causes_of_load(full)) == []
    people = replace(full, waiting_for_person={"approval": 50})
    assert [one.what.split(":")[0] for one in causes(people)][1:] == ["50 approvals wait for a person"]


@pytest.mark.parametrize(
    ("alert", "compared"),
    [
        ("FoldlineModelSlow", f"> {overview.SLOW_FIRST_TOKEN_MS // 1000}"),
        ("FoldlineModelFails", f"> {overview.OFTEN_FAILED}"),
        ("FoldlineDiskSlow", f"> {SLOW_APPEND_S}"),
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
    assert overview._appends(page) == RecentAppends(5, 4, 0.2)
    assert overview._appends(MetricsPage("")) == RecentAppends(0, 0, None)
