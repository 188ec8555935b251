"""The command line against the whole stack."""

import json
import os
import shlex
import signal
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from agent_contracts.ids import SessionId
from agent_contracts.log import subjects
from agent_contracts.log.address import parse_address
from agent_contracts.log.record import session_subjects
from agent_contracts.questions.queries import ReplayReport
from foldline.supervisor.announcement import read_announcement
from foldline_testing.product.changed_decide import changed_decide
from foldline_testing.product.chaos.log_view import log_view
from foldline_testing.product.command import Command
from foldline_testing.product.model_server import ModelServer
from foldline_testing.product.stack import Stack
from session_domain.domain.decide import decide
from session_domain.replay import replay


@pytest.fixture(scope="module")
def foldline(demo: Stack, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command, where that stack runs."""
    return Command(demo.data_dir, tmp_path_factory.mktemp("folder"))


@pytest.fixture(scope="module")
def talked(foldline: Command) -> dict[str, Any]:
    """A session with tool calls, made by `send`."""
    sent = foldline("send", "show progress", "--json")
    assert sent.code == 0, sent.err
    answer: dict[str, Any] = sent.json
    return answer


@pytest.fixture
def nowhere(tmp_path: Path) -> Command:
    """The command, where no Foldline runs."""
    return Command(tmp_path / "data", tmp_path)


def test_a_second_up_on_the_same_data_is_refused_with_the_pid_of_the_first(
    demo: Stack, foldline: Command
) -> None:
    second = foldline("up", "--port", "0")
    assert second.code == 1
    assert str(demo.pid) in second.err
    assert "Traceback" not in second.err


def test_send_prints_the_answer(foldline: Command, talked: dict[str, Any]) -> None:
    assert talked["status"] == "idle"
    assert talked["answer"].startswith("Done: 9 tool calls")
    again = foldline("send", "thanks", "--session", talked["session_id"])
    assert again.code == 0
    assert "You're welcome" in again.out


def test_send_without_waiting_prints_the_session(foldline: Command) -> None:
    sent = foldline("send", "thanks", "--no-wait")
    assert sent.code == 0
    assert sent.out.strip().startswith("s_")


def test_sessions_lists_them(foldline: Command, talked: dict[str, Any]) -> None:
    listed = {one["id"]: one for one in foldline("sessions", "--json").json}
    assert listed[talked["session_id"]]["title"] == "show progress"
    for_people = foldline("sessions")
    assert talked["session_id"] in for_people.out
    assert "show progress" in for_people.out


def test_costs_are_told_by_day_and_model(foldline: Command, talked: dict[str, Any]) -> None:
    rows = foldline("costs", "--json").json["costs"]
    assert sum(row["usage"]["input"] for row in rows) > 1000
    assert all(row["usage"]["cost_micros"] is None and row["unpriced_tokens"] for row in rows)
    told = foldline("costs", rows[0]["agent_id"], "--days", "1").out
    assert rows[0]["model"] in told
    assert "no price known" in told
    assert "no price known" in foldline("show", talked["session_id"]).out


def test_show_is_the_session_now_at_an_event_and_as_a_model_call_saw_it(
    foldline: Command, talked: dict[str, Any]
) -> None:
    session = talked["session_id"]
    now = foldline("show", session, "--json").json
    assert now["status"] == "idle"
    first = foldline("events", session, "--json").out.splitlines()[1]
    early = foldline("show", session, "--at", str(json.loads(first)["sequence"]), "--json").json
    assert len(early["messages"] + early["queue"]) < len(now["messages"])
    assert "show progress" in foldline("show", session).out

    call = foldline("show", session, "--call", "2", "--json").json
    assert "tool" in [message["role"] for message in call["request"]["messages"]]
    text = foldline("show", session, "--call", "2").out
    said = call["answer"]["tool_calls"][0]
    assert "── system ──" in text
    assert call["request"]["messages"][0]["content"].splitlines()[0] in text.splitlines()
    assert f"→ {said['tool']} {json.dumps(said['arguments'])}" in text.partition("── what it said ──")[2]


def test_events_are_printed_and_followed(foldline: Command, talked: dict[str, Any]) -> None:
    session = talked["session_id"]
    events = [json.loads(line) for line in foldline("events", session, "--json").out.splitlines()]
    addresses = [parse_address(event["address"]) for event in events]
    assert addresses == sorted(set(addresses))
    assert events[0]["type"] == "foldline.session.created.v1"
    assert "session.tool_call_completed" in foldline("events", session).out

    last = events[-1]["sequence"]
    following = foldline.start("events", session, "--json", "--follow", "--after", str(last))
    try:
        foldline("send", "thanks", "--session", session)
        assert following.stdout is not None
        seen = []
        for line in following.stdout:
            seen.append(json.loads(line))
            if seen[-1]["type"] == "foldline.session.became_idle.v1":
                break
        stored = [json.loads(line) for line in foldline("events", session, "--json").out.splitlines()]
        assert seen == [event for event in stored if event["sequence"] > last]
        following.send_signal(signal.SIGINT)
        assert following.wait(60) == 130
    finally:
        following.kill()
        following.communicate()


def test_projections_are_shown_checked_and_built_anew(
    demo: Stack, foldline: Command, talked: dict[str, Any]
) -> None:
    status = foldline("projections", "--json").json
    assert 0 < status["sequence"] <= status["last_sequence"]
    assert status["problems"] == 0
    assert foldline("projections", "check").code == 0
    announcement = read_announcement(demo.data_dir)
    assert announcement is not None
    with psycopg.connect(announcement.postgres_dsn) as connection:
        connection.execute(
            "UPDATE projections.sessions SET title = 'wrong' WHERE session_id = %s", [talked["session_id"]]
        )
    wrong = foldline("projections", "check")
    assert wrong.code == 1
    assert f"sessions {talked['session_id']}: title" in wrong.out
    assert (
        sum(table["differing"] for table in foldline("projections", "rebuild", "--json").json["compared"])
        == 1
    )
    right = foldline("projections", "check")
    assert (right.code, "0 differ" in right.out) == (0, True)


def test_projections_where_nothing_runs_say_so(nowhere: Command) -> None:
    asked = nowhere("projections")
    assert asked.code == 1
    assert "No Foldline is running" in asked.err


def test_chat_answers_a_question_by_its_number(foldline: Command) -> None:
    with foldline.terminal("chat") as terminal:
        terminal.wait_for("you:")
        terminal.type("ask me something")
        assert "2. A Monday" in terminal.wait_for("answer:")
        terminal.type("2")
        terminal.wait_for("Your answer was A Monday.")
        terminal.wait_for("you:")
        terminal.press("d")
        terminal.wait_for("The session is s_")
        assert terminal.ended() == 0


def test_what_waits_is_shown_and_answered(foldline: Command) -> None:
    asked = foldline("send", "ask me something")
    session = asked.out.split("foldline answer ")[1].split()[0]
    assert "2. A Monday" in asked.out
    again = foldline("answer", session)
    assert again.code == 0
    assert "2. A Monday" in again.out
    wrong = foldline("answer", session, "--field", "who=Ada")
    assert wrong.code == 1
    assert "This doesn't fit what the agent waits for" in wrong.err
    answered = foldline("answer", session, "2")
    assert "Your answer was **A Monday**." in answered.out
    late = foldline("answer", session, "2")
    assert late.code == 1
    assert "Nothing waits for an answer here" in late.err


def _hinted(shown: str, answer: str) -> list[str]:
    """The command that was printed, as its words."""
    commands = [part.split(" (")[0] for part in shown.split("Answer it: ")[1].split("\n")[0].split(", or ")]
    return next(shlex.split(one)[1:] for one in commands if one.endswith(answer))


@pytest.mark.parametrize(("answer", "comes"), [("yes", "It ran in this chat"), ("no", "didn't work out")])
def test_the_hint_for_a_call_that_needs_a_yes_works(foldline: Command, answer: str, comes: str) -> None:
    asked = foldline("send", "run a command")
    assert "run_command waits for your approval" in asked.out
    assert "date | tee today.txt" in asked.out
    session = asked.out.split("foldline answer ")[1].split()[0]
    wrong = foldline("answer", session, "--dismiss")
    assert wrong.code == 1
    assert f"foldline answer {session} {answer}" in wrong.err
    answered = foldline(*_hinted(asked.out, answer))
    assert (answered.code, answered.err) == (0, "")
    assert comes in answered.out


def test_chat_takes_a_yes_for_a_call_that_waited_before(foldline: Command) -> None:
    asked = foldline("send", "run a command")
    session = asked.out.split("foldline answer ")[1].split()[0]
    queued = foldline("send", "thanks", "--session", session)
    assert queued.code == 0
    assert "Your message is queued" in queued.out
    assert f"foldline answer {session} yes" in queued.out
    with foldline.terminal("chat", session) as terminal:
        terminal.wait_for("Allow it?")
        terminal.type("perhaps")
        terminal.wait_for("Say yes or no")
        terminal.wait_for("Allow it?")
        terminal.type("yes")
        terminal.wait_for("You're welcome")
        terminal.wait_for("you:")
        terminal.press("d")
        assert terminal.ended() == 0


async def _replays(data_dir: Path, decide_next: Any) -> list[ReplayReport]:
    async with log_view(data_dir) as view:
        keys = sorted(
            {
                session_subjects.parse_session_subject(message.subject).key
                async for message in view.log.read(subjects.ALL_SESSIONS)
            }
        )
        return [await replay(view.log, session, decide_next) for session in keys]


async def test_replay_agrees_for_every_session_and_notices_a_changed_line(
    demo: Stack, foldline: Command, talked: dict[str, Any]
) -> None:
    agreeing = await _replays(demo.data_dir, decide)
    assert talked["session_id"] in [report.session_id for report in agreeing]
    assert [report for report in agreeing if report.difference] == []

    reports = {report.session_id: report for report in await _replays(demo.data_dir, changed_decide())}
    found = reports[SessionId(talked["session_id"])].difference
    assert found is not None
    assert found.recorded == {"type": "foldline.session.became_idle.v1"}
    assert found.decided == {"type": "foldline.session.became_idle.v1", "reason": "interrupted"}


def test_replay_says_that_they_agree(foldline: Command, talked: dict[str, Any]) -> None:
    one = foldline("replay", talked["session_id"], "--strict", "--json")
    assert (one.code, one.json[0].get("difference")) == (0, None)
    assert one.json[0]["decisions"] > 10
    every = foldline("replay", "--strict")
    assert every.code == 0
    assert "0 differ" in every.out


def test_doctor_finds_nothing_wrong(foldline: Command) -> None:
    checked = foldline("doctor", "--json")
    assert checked.code == 0, checked.out
    found = {finding["check"]: finding for finding in checked.json}
    assert {name for name, finding in found.items() if finding["verdict"] == "problem"} == set()
    assert found["model"]["verdict"] == "warning"
    assert "FOLDLINE_MODEL" in found["model"]["to_do"]
    for check in ("versions", "disk", "fsync", "gateway", "log", "dead letters", "clock", "projections"):
        assert found[check]["verdict"] == "ok", found[check]
    assert "→" in foldline("doctor").out


@pytest.mark.faults
def test_doctor_says_that_nats_does_not_answer(foldline: Command, demo: Stack) -> None:
    (nats,) = demo.pids("nats")
    os.kill(nats, signal.SIGSTOP)
    try:
        checked = foldline("doctor", "--json")
    finally:
        os.kill(nats, signal.SIGCONT)
    assert checked.code == 1
    found = {finding["check"]: finding for finding in checked.json}
    assert found["NATS"]["verdict"] == "problem"
    assert found["NATS"]["to_do"]
    demo.wait_until_ready()


def test_doctor_tries_the_model_and_never_prints_its_key(nowhere: Command) -> None:
    with ModelServer({"require_key": "sk-right-key", "rules": [{"reply": {"text": "ok"}}]}) as model:
        settings = {"FOLDLINE_MODEL": "openai/scripted", "FOLDLINE_MODEL_BASE_URL": model.base_url}
        good = nowhere("doctor", "--json", **settings, FOLDLINE_MODEL_API_KEY="sk-right-key")
        wrong = nowhere("doctor", "--json", **settings, FOLDLINE_MODEL_API_KEY="sk-wrong-key")

    def verdict(done: Any) -> str:
        return next(str(finding["verdict"]) for finding in done.json if finding["check"] == "model")

    assert (good.code, verdict(good)) == (0, "ok")
    assert (wrong.code, verdict(wrong)) == (1, "problem")
    assert "FOLDLINE_MODEL_API_KEY" in wrong.out
    assert "sk-wrong-key" not in wrong.out + wrong.err


def test_doctor_asks_the_model_that_the_running_foldline_asks_by_its_settings(
    foldline: Command, demo: Stack
) -> None:
    def tried() -> dict[str, str]:
        return next(one for one in foldline("doctor", "--json").json if one["check"] == "model")

    with ModelServer({"rules": [{"reply": {"text": "ok"}}]}) as model, demo.gateway() as door:
        chosen = {"model": "openai/of-the-settings", "model_base_url": model.base_url}
        door.patch("/settings", {"values": chosen})
        try:
            good = tried()
            door.patch("/settings", {"values": {"model_base_url": "http://127.0.0.1:9/v1"}})
            away = tried()
        finally:
            door.patch("/settings", {"values": dict.fromkeys(chosen)})
    assert (good["verdict"], away["verdict"]) == ("ok", "problem"), (good, away)
    assert all("openai/of-the-settings" in one["text"] for one in (good, away))
    assert "127.0.0.1:9" in away["text"]


def test_commands_ask_the_gateway_whatever_proxy_is_named(foldline: Command, demo: Stack) -> None:
    for value in ("socks5://127.0.0.1:1", "socks://127.0.0.1:1", "http://127.0.0.1:1", "nonsense://x"):
        every = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"), value)
        shown = foldline("sessions", "--json", **every, NO_PROXY="localhost,[::1]")
        assert shown.code == 0, shown.err
    checked = foldline("doctor", "--json", ALL_PROXY="socks5://127.0.0.1:1", NO_PROXY="localhost,[::1]")
    found = {one["check"]: one for one in checked.json}
    assert "socks5://127.0.0.1:1 (ALL_PROXY)" in found["proxy"]["text"]
    assert found["gateway"]["verdict"] == "ok"


def test_up_names_the_variable_of_a_proxy_that_can_not_be_used(nowhere: Command) -> None:
    ended = nowhere("up", ALL_PROXY="socks4://127.0.0.1:1")
    assert ended.code == 1
    assert "ALL_PROXY can't be used as a proxy: 'socks4'" in ended.err
    assert "Traceback" not in ended.err


def test_models_are_listed_tested_and_used(foldline: Command, demo: Stack) -> None:
    with ModelServer({"rules": [{"reply": {"text": "I only talk."}}]}) as model, demo.gateway() as door:
        server = ("--server", model.base_url.removesuffix("/v1"))
        listed = foldline("models", "list", "openai/scripted", *server)
        tested = foldline("models", "test", "openai/scripted", *server, "--json")
        table = foldline("models", "test", "openai/scripted", *server)
        used = foldline("models", "use", "openai/scripted", *server)
        try:
            now = foldline("config", "get", "model")
        finally:
            door.patch("/settings", {"values": {"model": None, "model_base_url": None}})
    assert listed.code == 0, listed.err
    assert "openai/" in listed.out
    checks = {one["name"]: one for one in tested.json["checks"]}
    assert (tested.code, checks["chat"]["ok"], checks["tool call"]["ok"]) == (1, True, False)
    assert table.code == 1
    assert "tool call" in table.out
    assert used.code == 0, used.err
    assert "openai/scripted" in now.out


def test_config_says_where_each_setting_comes_from_and_masks_secrets(
    nowhere: Command, tmp_path: Path
) -> None:
    (tmp_path / "foldline.toml").write_text('token_limit = 5000\nmodel = "openai/mine"\n')
    (tmp_path / "key").write_text("sk-from-a-file\n")
    secrets = {
        "FOLDLINE_MODEL_API_KEY_FILE": str(tmp_path / "key"),
        "FOLDLINE_TOKEN": "a-secret-token-of-mine",
    }
    shown = nowhere("config", "--json", **secrets)
    rows = {row["name"]: row for row in shown.json["settings"]}
    sources = {name: row["source"].split()[0] for name, row in rows.items()}
    find = {name.removeprefix("FOLDLINE_").lower(): source for name, source in sources.items()}
    assert (find["token_limit"], find["model_api_key"], find["token"], find["host"]) == (
        "toml",
        "file",
        "env",
        "default",
    )
    assert shown.json["model"] == "openai/mine"
    for printed in (shown.out, nowhere("config", **secrets).out):
        assert "sk-from-a-file" not in printed
        assert "a-secret-token-of-mine" not in printed


def test_demo_runs_the_demo_model_alone(nowhere: Command) -> None:
    demo = nowhere.start("demo")
    try:
        assert demo.stdout is not None
        url = demo.stdout.readline().split()[-1]
        assert httpx.get(f"{url}/models").json()["data"][0]["id"] == "demo"
        demo.send_signal(signal.SIGINT)
        assert demo.wait(60) == 0
    finally:
        demo.kill()
        demo.communicate()


@pytest.mark.parametrize(
    "words",
    [
        ("nonsense",),
        ("send",),
        ("show", "s_x", "--at", "now"),
        ("show", "s_x", "--at", "0"),
        ("show", "s_x", "--call", "0"),
        ("events", "s_x", "--after", "-1"),
        ("fork", "s_x", "--at", "0"),
        ("replay", "s_x", "--live", "--at", "0"),
        ("rewind", "s_x", "--to", "0"),
        ("rewind", "s_x", "--to", "5", "--part", "everything"),
        ("sessions", "--limit", "0"),
        ("up", "--prot", "1"),
    ],
)
def test_wrong_usage_ends_with_2(nowhere: Command, words: tuple[str, ...]) -> None:
    done = nowhere(*words)
    assert done.code == 2
    assert "Usage" in done.err


@pytest.mark.parametrize(
    "words",
    [("send", "hi"), ("sessions", "--json"), ("show", "s_x"), ("events", "s_x"), ("replay",), ("chat",)],
)
def test_where_nothing_runs_commands_say_what_to_do(nowhere: Command, words: tuple[str, ...]) -> None:
    done = nowhere(*words)
    assert done.code == 1
    assert "foldline up" in done.err
    assert "Traceback" not in done.err


def test_a_setting_that_is_wrong_is_named_with_what_is_allowed(nowhere: Command) -> None:
    done = nowhere("up", FOLDLINE_PORT="eighty")
    assert done.code == 1
    assert "FOLDLINE_PORT" in done.err
    assert "0 to 65535" in done.err
    assert "Traceback" not in done.err


def test_what_is_not_there_is_said_so(foldline: Command) -> None:
    for words in (
        ("show", "s_nothing"),
        ("events", "s_nothing"),
        ("replay", "s_nothing"),
        ("send", "hi", "--session", "s_nothing"),
        ("show", "no such id"),
    ):
        done = foldline(*words)
        assert done.code == 1, words
        assert done.err.startswith("✗"), words
        assert "Traceback" not in done.err


def test_values_that_no_session_has_are_refused_with_a_sentence(
    foldline: Command, talked: dict[str, Any]
) -> None:
    session = talked["session_id"]
    for words, told in (
        (("--at", "99999999"), "There is no event 99999999 yet: the newest is "),
        (("--call", "99"), "no model call number 99"),
        (("--at", "5", "--call", "1"), "give one of them"),
    ):
        done = foldline("show", session, *words)
        assert (done.code, told in done.err) == (1, True), done.err


def test_a_session_is_named_by_the_beginning_of_its_id_or_as_the_latest(
    foldline: Command, talked: dict[str, Any]
) -> None:
    session = foldline("send", "remember the milk", "--json").json["session_id"]
    assert foldline("show", "latest", "--json").json["session_id"] == session
    assert foldline("show", session[:-1], "--json").json["session_id"] == session
    assert foldline("send", "thanks", "--session", "latest", "--json").json["session_id"] == session
    several = foldline("show", "s_", "--json")
    assert (several.code, "Several sessions have an id that begins with s_" in several.err) == (1, True)
    assert foldline("secrets", "list", "--agent", "defau").code == 0


def test_an_archived_session_is_reopened(foldline: Command, demo: Stack) -> None:
    session = foldline("send", "hello", "--json").json["session_id"]
    refused = foldline("reopen", session)
    assert (refused.code, "is not archived" in refused.err) == (1, True)
    with demo.gateway() as door:
        door.post(f"/sessions/{session}:archive")
    assert foldline("send", "anybody?", "--session", session).code == 1
    assert foldline("reopen", session).code == 0
    assert foldline("send", "and now?", "--session", session, "--json").json["status"] == "idle"


def test_a_session_at_its_token_limit_goes_on_with_a_higher_one(foldline: Command, demo: Stack) -> None:
    with demo.gateway() as door:
        session = door.post("/sessions", {"token_limit": 1})["id"]
    stopped = foldline("send", "hello", "--session", session, "--json")
    assert stopped.json["status"] == "token_limit_reached"
    for limit in ("0", "many"):
        assert foldline("continue", session, limit).code == 2
    too_little = foldline("continue", session, "1")
    assert (too_little.code, "it needs a token limit of at least" in too_little.err) == (1, True)
    done = foldline("continue", session, "500000")
    assert (done.code, done.out) == (0, f"✓ {session} may use 500,000 tokens now, and continues\n")
    said = foldline("continue", session, "600000", "--json").json
    assert said["sequence"] > 0
    with demo.gateway() as door:
        assert door.get(f"/sessions/{session}/state")["token_limit"] == 600_000
    assert foldline("continue", "s_nothing", "5").code == 1


def test_how_much_a_model_thinks_is_changed_later_and_taken_back_with_a_rewind(
    foldline: Command, demo: Stack
) -> None:
    session = foldline("send", "hello", "--effort", "low", "--json").json["session_id"]

    def thinking() -> list[Any]:
        """As the fold has it, and as the lists of sessions do."""
        with demo.gateway() as door:
            state = door.get(f"/sessions/{session}/state")
            row = door.get(f"/sessions/{session}", min_sequence=state["last_sequence"])
        return [state["thinking"], row["thinking"]]

    def chosen(effort: str | None, budget: int | None = None) -> list[Any]:
        told = {"effort": effort, "budget": budget}
        return [{name: value for name, value in told.items() if value is not None}, told]

    assert thinking() == chosen("low")
    changed = foldline("thinking", session, "--effort", "high", "--budget", "8192")
    assert changed.out == f"✓ The model of {session} thinks with effort high and at most 8,192 tokens now\n"
    assert thinking() == chosen("high", 8192)
    assert foldline("send", "and now?", "--session", session, "--effort", "none").code == 0
    assert thinking() == chosen("none")
    with demo.gateway() as door:
        first = door.get(f"/sessions/{session}/messages")["items"][1]["sequence"]
    assert foldline("rewind", session, "--to", str(first), "--yes").code == 0
    assert thinking() == chosen("low")
    assert foldline("thinking", session).code == 0
    assert thinking() == [None, None]
    assert foldline("thinking", session, "--effort", "a-lot").code == 1


def test_a_session_is_renamed_archived_opened_again_and_stopped_by_the_beginning_of_its_id(
    foldline: Command, talked: dict[str, Any]
) -> None:
    session = foldline("send", "thanks", "--json").json["session_id"]
    named = session[:-4]
    renamed = foldline("rename", named, "A [b]better[/] title")
    assert renamed.out == f"✓ {session} is called 'A [b]better[/] title' now\n"
    assert "A [b]better[/] title" in foldline("sessions").out
    assert foldline("rename", named, " ").code == 1
    archived = foldline("archive", named)
    assert (archived.code, f"foldline reopen {session}" in archived.out) == (0, True)
    refused = foldline("stop", named)
    assert (refused.code, refused.err.startswith("✗ Session ")) == (1, True), refused.err
    assert foldline("reopen", named, "--json").json["sequence"] > 0
    asked = foldline("send", "ask me something", "--session", named, "--json").json
    assert asked["status"] == "waiting_for_input"
    stopped = foldline("stop", named)
    assert (stopped.code, "waits for what you say next" in stopped.out) == (0, True)
    late = foldline("answer", named, "2")
    assert (late.code, "Nothing waits for an answer here" in late.err) == (1, True), late.err
    for words in (("stop",), ("archive",), ("rename", "s_1"), ("continue", session)):
        assert foldline(*words).code == 2
    for action, *more in (("stop",), ("archive",), ("rename", "x")):
        ended = foldline(action, "s_none", *more)
        assert (ended.code, "no session s_none" in ended.err) == (1, True), ended.err


def test_an_answer_is_rated_found_and_its_rating_taken_back(
    foldline: Command, demo: Stack, tmp_path: Path
) -> None:
    """The rating is an event: it travels with the file, replay is the same, and no model reads it."""
    session = foldline("send", "thanks", "--json").json["session_id"]
    assert foldline("rate", session, "down", "--text", "quite the wrong quokka").code == 0
    found = foldline("sessions", "--query", "wrong quokka", "--rating", "down", "--json").json
    assert [one["id"] for one in found] == [session]
    assert foldline("sessions", "--query", "wrong quokka", "--rating", "up", "--json").json == []
    assert foldline("send", "and now?", "--session", session).code == 0
    with demo.gateway() as door:
        rated = door.get(f"/sessions/{session}/messages")["items"][1]
        assert (rated["rating"], rated["rating_text"]) == ("down", "quite the wrong quokka")
        row = next(
            one for one in door.get(f"/sessions/{session}/timeline")["items"] if one["type"] == "feedback"
        )
        assert (row["rating"], row["text"]) == ("down", "quite the wrong quokka")
        assert "quokka" not in json.dumps(door.get(f"/sessions/{session}/model-calls/2"))
    assert foldline("replay", session, "--strict").code == 0
    file = tmp_path / "rated.jsonl"
    assert foldline("export", session, "--to", str(file)).code == 0
    assert "quite the wrong quokka" in file.read_text()
    taken = foldline("rate", session, "none", "--answer", rated["address"])
    assert taken.out == f"✓ You took back your rating of {rated['address']}\n"
    assert foldline("sessions", "--rating", "down", "--query", "quokka", "--json").json == []
    question = foldline("rate", session, "up", "--answer", "1")
    assert (question.code, "Event 1 is not an answer" in question.err) == (1, True), question.err


def test_a_new_session_is_of_the_agent_that_is_named(foldline: Command, demo: Stack) -> None:
    with demo.gateway() as door:
        agent = door.post("/agents", {"name": "Clerk"})["id"]
    session = foldline("send", "thanks", "--agent", agent, "--json").json["session_id"]
    assert [one["id"] for one in foldline("sessions", "--agent", agent, "--json").json] == [session]
    assert foldline("usage", agent[:-2], "--json").json[0]["agent_id"] == agent
    both = foldline("send", "thanks", "--agent", agent, "--session", session)
    assert (both.code, "leave out --session" in both.err) == (2, True)
    assert foldline("send", "thanks", "--agent", "nobody").code == 1


@pytest.mark.parametrize("width", [80, 40])
def test_lists_fit_a_terminal(foldline: Command, talked: dict[str, Any], width: int) -> None:
    for words in (("sessions",), ("inbox",), ("outcomes",), ("costs",), ("runners",), ("dlq",), ("config",)):
        with foldline.terminal(*words, columns=width) as terminal:
            assert terminal.ended() == 0
            lines = terminal.shown.splitlines()
        assert lines
        # Notes are sentences: the terminal wraps them, as it does lines of what one copies whole.
        assert max(len(line) for line in lines) <= width, (words, max(lines, key=len))


def test_an_answer_on_a_terminal_is_drawn_and_ctrl_c_stops_waiting_alone(
    foldline: Command, demo: Stack
) -> None:
    with foldline.terminal("send", "show progress") as terminal:
        terminal.wait_for("Ctrl-C stops waiting")
        terminal.press("c")
        session = terminal.wait_for("foldline stop s_")
        assert "The agent continues" in session
        assert terminal.ended() == 130
    latest = foldline("show", "latest", "--json").json
    assert latest["title"] == "show progress"
    with foldline.terminal("chat", "latest") as terminal:
        terminal.wait_for("you:")
        terminal.press("c")
        terminal.wait_for("The session is s_")
        assert terminal.ended() == 0


def test_a_session_is_forked_and_rewound_in_words(foldline: Command) -> None:
    session = foldline("send", "remember the milk", "--json").json["session_id"]
    first = foldline("show", session, "--json").json["last_sequence"]
    foldline("send", "thanks", "--session", session)
    forked = foldline("fork", session[:-3], "--at", str(first), "--title", "Another [b]way[/]")
    assert forked.code == 0, forked.err
    assert "Another [b]way[/]" in forked.out
    assert f"Its history is {session}'s up to event {first}" in forked.out
    assert forked.out.split()[0] in foldline("show", session).out
    back = foldline("rewind", session, "--to", str(first), "--yes")
    assert back.code == 0, back.err
    assert "user thanks" in back.out
    assert f"Back at event {first}" in back.out
    undo = back.out.rsplit("--to ", 1)[1].strip()
    again = foldline("rewind", session, "--to", undo, "--yes", "--json").json
    assert again["target_sequence"] > first


def test_ctrl_c_in_a_chat_stops_the_agent_and_the_chat_goes_on(foldline: Command) -> None:
    with foldline.terminal("chat") as terminal:
        terminal.wait_for("you:")
        terminal.type("research with two helpers")
        terminal.wait_for("Ctrl-C stops it")
        terminal.press("c")
        terminal.wait_for("Stopping the agent")
        terminal.wait_for("you:")
        terminal.type("thanks")
        terminal.wait_for("You're welcome")
        terminal.wait_for("you:")
        terminal.press("d")
        terminal.wait_for("The session is s_")
        assert terminal.ended() == 0


def test_the_version_is_told(nowhere: Command) -> None:
    done = nowhere("--version")
    assert (done.code, done.out) == (0, f"foldline {version('foldline')}\n")


VALUE = "canary-0123456789"


def test_secrets_are_read_from_standard_input_and_only_their_names_come_back(foldline: Command) -> None:
    done = foldline("secrets", "set", "PIPED", "--host", "api.example.org", "--json", stdin=f"{VALUE}\n")
    assert (done.code, done.json["name"], done.json["reveal"]) == (0, "PIPED", False)
    shown = foldline(
        "secrets", "set", "SHOWN", "--host", "*.a.org", "--host", "b.org", "--reveal", stdin=VALUE
    )
    assert (shown.code, "SHOWN is set" in shown.out) == (0, True)
    for_people = foldline("secrets")
    assert "PIPED  api.example.org\n" in for_people.out
    assert "SHOWN  *.a.org, b.org · shown to code\n" in for_people.out
    listed = {one["name"]: (one["hosts"], one["reveal"]) for one in foldline("secrets", "--json").json}
    assert listed == {"PIPED": (["api.example.org"], False), "SHOWN": (["*.a.org", "b.org"], True)}
    for ended in (done, shown, for_people, foldline("secrets", "--json")):
        assert VALUE not in ended.out + ended.err
    assert foldline("secrets", "delete", "PIPED").code == 0
    assert foldline("secrets", "delete", "SHOWN", "--json").json["deleted"] is True
    assert foldline("secrets", "--json").json == []
    again = foldline("secrets", "delete", "PIPED")
    assert (again.code, "no secret named PIPED" in again.err) == (1, True)


def test_a_secret_is_asked_for_on_a_terminal_and_not_shown(foldline: Command) -> None:
    with foldline.terminal("secrets", "set", "TYPED", "--host", "api.example.org") as terminal:
        terminal.wait_for("value of TYPED: ")  # the space comes when nothing is echoed any more
        terminal.type(VALUE)
        assert VALUE not in terminal.wait_for("TYPED is set")
        assert terminal.ended() == 0
    assert foldline("secrets", "delete", "TYPED").code == 0


@pytest.mark.parametrize(
    ("words", "value", "code", "said"),
    [
        (("set", "TOKEN"), VALUE, 1, "--host"),
        (("set",), VALUE, 1, "Name the secret"),
        (("delete",), "", 1, "Name the secret"),
        (("set", "token", "--host", "a.org"), VALUE, 1, "pattern"),
        (("set", "TOKEN", "--host", "https://a.org/"), VALUE, 1, "host"),
        (("set", "TOKEN", "--host", "a.org"), "short", 1, "8 characters"),
        (("set", "TOKEN", "--host", "a.org"), "", 1, "8 characters"),
        (("set", "TOKEN", "--host", "a.org", "--agent", "nobody"), VALUE, 1, "no agent"),
        (("set", "TOKEN", "--host", "a.org", VALUE), "", 2, "unexpected extra argument"),
        (("show", "TOKEN"), "", 2, "is not one of"),
    ],
)
def test_what_can_be_no_secret_is_refused_in_words(
    foldline: Command, words: tuple[str, ...], value: str, code: int, said: str
) -> None:
    done = foldline("secrets", *words, stdin=value)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert "Traceback" not in done.err
    assert foldline("secrets", "--json").json == []


def test_secrets_need_a_running_foldline(nowhere: Command) -> None:
    done = nowhere("secrets", "set", "TOKEN", "--host", "a.org", stdin=VALUE)
    assert (done.code, "foldline up" in done.err) == (1, True)
    assert VALUE not in done.out + done.err


def test_an_error_is_told_as_it_is_without_markup_or_pictures(foldline: Command) -> None:
    done = foldline("import", "[bold]:x:[-bold]")
    assert (done.code, "[bold]:x:[-bold] can't be read" in done.err) == (1, True), done.err


def test_mcp_servers_are_added_imported_switched_off_and_removed(foldline: Command) -> None:
    assert "foldline mcp add" in foldline("mcp").out
    header = "Authorization: Bearer {{secret:TOKEN}}"
    added = foldline("mcp", "add", "far", "--url", "https://mcp.example.org/mcp", "--header", header)
    assert (added.code, "far is kept, enabled: version 1" in added.out) == (0, True), added.err
    again = foldline("mcp", "add", "far", "--command", "other")
    assert again.code == 1
    assert "version 1, not 0" in again.err
    secret = foldline("mcp", "add", "b", "--command", "b", "--env", "B_TOKEN=12345678")
    assert "looks like a secret" in secret.err
    assert "version 2" in foldline("mcp", "disable", "far").out
    listed = {"mcpServers": {"notes": {"command": "notes-server", "args": ["-y"], "autoApprove": []}}}
    asks = foldline("mcp", "allow", "far", "--sampling")
    assert "version 3" in asks.out, asks.err
    assert "version 4" in foldline("mcp", "enable", "far").out
    assert foldline("mcp", "--json").json[0]["sampling"], "it stays so"
    assert "version 5" in foldline("mcp", "allow", "far", "--no-sampling").out
    assert "version 6" in foldline("mcp", "disable", "far").out
    file = foldline.folder / "servers.json"
    file.write_text(json.dumps(listed))
    taken = foldline("mcp", "import", str(file)).out
    assert "Kept: notes" in taken
    assert "notes.autoApprove" in taken
    (one, two) = foldline("mcp", "--json").json
    assert (one["name"], one["enabled"], one["transport"]["headers"]) == (
        "far",
        False,
        {"Authorization": "Bearer {{secret:TOKEN}}"},
    )
    assert (two["transport"]["command"], two["transport"]["args"]) == ("notes-server", ["-y"])
    assert "version 7" in foldline("mcp", "revert", "far", "--version", "1").out
    for name in ("far", "notes"):
        assert "is removed" in foldline("mcp", "remove", name).out
    assert "no server named far" in foldline("mcp", "remove", "far").err
