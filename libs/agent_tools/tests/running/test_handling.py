"""What a runner does with the requests it is delivered: one result for each, whatever happens."""

import asyncio
from datetime import timedelta

import msgspec
import pytest
from structlog.testing import capture_logs

from agent_contracts import event_sources
from agent_contracts.errors import Conflict, ErrorKind, Permanent, Rejected, Transient
from agent_contracts.event_sources import Actor
from agent_contracts.ids import CallId, SessionId
from agent_contracts.log.record.records import Expect, NewMessage, SkippedMessage, StoredMessage, read
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.results import ToolCallCompleted
from agent_contracts.tool_spec import Effect
from agent_platform.log.event_message import Origin, event_message
from agent_platform.process.clock import SystemClock
from agent_tools.context import CallContext
from agent_tools.registry import Pack, Registry
from agent_tools.running.results import LARGEST_RESULT
from agent_tools.tool import Arguments, Result, Tool, tool
from foldline_testing.agent_platform.eventually import all_had_their_turn
from foldline_testing.agent_platform.memory_log import MemoryLog
from foldline_testing.agent_tools.world import AGENT, SESSION, TRACE, CallWorld, delivery, until


class Nothing(Arguments):
    """No arguments."""


class Counted(Result):
    """A number."""

    number: int


class Text(Result):
    """Any text."""

    text: str


class Words(Arguments):
    """Any text."""

    text: str


class Done(Result):
    """Nothing to tell."""

    ok: bool = True


class Length(Arguments):
    """How much."""

    bytes: int


class Wait(Arguments):
    """How long."""

    before_ms: int = 0


class How(Arguments):
    """How to fail."""

    how: str
    kind: str | None = None
    message: str = "asked to fail"


@tool("say", family="test", effect=Effect.PURE)
async def say(args: Words) -> Done:
    """Say."""
    return Done()


@tool("big", family="test", effect=Effect.PURE)
async def big(args: Length) -> Text:
    """Digits, as many as asked for."""
    return Text(text=("0123456789" * (args.bytes // 10 + 1))[: args.bytes])


@tool("act", family="test", effect=Effect.EXTERNAL)
async def act(args: Wait) -> Done:
    """Act."""
    return Done()


@tool("fail", family="test", effect=Effect.PURE)
async def fail(args: How) -> Done:
    """Fail in every way a tool can."""
    match args.how:
        case "rejected":
            raise Rejected(args.message, kind=args.kind or "rejected")
        case "transient":
            raise Transient(args.message, kind=args.kind or "unavailable")
        case "permanent":
            raise Permanent(args.message, kind=args.kind or "permanent")
        case _:
            raise RuntimeError(args.message)


SOME = Registry([Pack("test", "1", (say, big, act, fail))])


def counting(effect: Effect, gate: asyncio.Event | None = None) -> tuple[Tool, list[str]]:
    """A tool that notes each time it acted (with its key), and waits for the gate before it returns."""
    acts: list[str] = []

    @tool("count", family="test", effect=effect, timeout_s=10)
    async def count(args: Nothing, call: CallContext) -> Counted:
        """Count."""
        acts.append(call.idempotency_key)
        if gate is not None:
            await gate.wait()
        return Counted(number=len(acts))

    return count, acts


@pytest.fixture
def world() -> CallWorld:
    return CallWorld(SOME)


async def test_a_call_ends_with_the_tools_result(world: CallWorld) -> None:
    event = await world.run("say", {"text": "half way"})
    assert event.result == {"ok": True}
    assert (event.call_id, event.runner, event.attempt) == ("c1", "r1", 1)


async def test_the_result_says_what_it_follows_and_carries_the_trace_on(world: CallWorld) -> None:
    message = await world.request("say", {"text": "half way"})
    await world.runner().handle(delivery(message))
    result = await world.result()
    assert result is not None
    assert result.envelope.causation == message.sequence
    assert result.envelope.prev == message.sequence
    assert result.envelope.traceparent == TRACE
    assert result.envelope.actor is Actor.SERVICE


async def test_a_request_delivered_again_after_its_result_runs_nothing(world: CallWorld) -> None:
    count, acts = counting(Effect.PURE)
    message = await world.request("count")
    await world.runner("r1", count).handle(delivery(message))
    await world.runner("r2", count).handle(delivery(message, 2))
    assert len(acts) == 1


async def test_a_pure_call_whose_runner_died_runs_again(world: CallWorld) -> None:
    gate = asyncio.Event()
    count, acts = counting(Effect.PURE, gate)
    message = await world.request("count", effect=Effect.PURE)
    await die_in_the_middle(world, count, acts, message)
    gate.set()
    await world.runner("r2", count).handle(delivery(message, 2))
    event = await world.ended()
    took = {"duration_ms": event.duration_ms, "attempt": 2}
    assert event == ToolCallCompleted(CallId("c1"), {"number": 2}, "r2", **took)


async def test_an_external_call_whose_runner_died_is_never_run_again(world: CallWorld) -> None:
    gate = asyncio.Event()
    count, acts = counting(Effect.EXTERNAL, gate)
    message = await world.request("count", effect=Effect.EXTERNAL)
    await die_in_the_middle(world, count, acts, message)
    gate.set()
    with capture_logs() as logs:
        await world.runner("r2", count).handle(delivery(message, 2))
    assert [line["log_level"] for line in logs if line["event"] == "call.outcome_unknown"] == ["warning"]
    assert acts == ["s1-c1"]
    event = await world.ended()
    assert event.error.kind is ErrorKind.OUTCOME_UNKNOWN
    assert not event.error.retryable


async def test_a_call_is_external_if_it_was_when_it_was_requested(world: CallWorld) -> None:
    gate = asyncio.Event()
    count, acts = counting(Effect.PURE, gate)
    message = await world.request("count", effect=Effect.EXTERNAL)
    await die_in_the_middle(world, count, acts, message)
    gate.set()
    await world.runner("r2", count).handle(delivery(message, 2))
    assert len(acts) == 1
    assert (await world.ended()).error.kind is ErrorKind.OUTCOME_UNKNOWN


async def test_an_external_call_with_a_key_runs_again_with_the_same_key(world: CallWorld) -> None:
    gate = asyncio.Event()
    count, acts = counting(Effect.EXTERNAL_IDEMPOTENT, gate)
    message = await world.request("count", effect=Effect.EXTERNAL_IDEMPOTENT)
    await die_in_the_middle(world, count, acts, message)
    gate.set()
    await world.runner("r2", count).handle(delivery(message, 2))
    assert acts == ["s1-c1", "s1-c1"]
    assert (await world.ended()).result == {"number": 2}


async def test_a_request_delivered_twice_to_one_runner_at_once_runs_once(world: CallWorld) -> None:
    gate = asyncio.Event()
    count, acts = counting(Effect.EXTERNAL, gate)
    runner = world.runner("r1", count)
    message = await world.request("count", effect=Effect.EXTERNAL)
    both = [asyncio.create_task(runner.handle(delivery(message, attempt))) for attempt in (1, 2)]
    await until(lambda: acts)
    gate.set()
    await asyncio.gather(*both)
    assert len(acts) == 1
    assert (await world.ended()).result == {"number": 1}


async def test_two_runners_with_one_request_make_one_result(world: CallWorld) -> None:
    message = await world.request("say", {"text": "half way"})
    await asyncio.gather(*(world.runner(f"r{n}").handle(delivery(message)) for n in range(5)))
    assert await world.result() is not None


async def test_an_external_call_whose_delivery_the_server_forgot_acts_once(world: CallWorld) -> None:
    count, acts = counting(Effect.EXTERNAL)
    runner = world.runner("r1", count)
    message = await world.request("count", effect=Effect.EXTERNAL)
    for _ in range(2):  # after a crash the server counts its deliveries from where it last wrote them down
        await runner.handle(delivery(message, attempt=1))
    assert len(acts) == 1
    assert (await world.ended()).result == {"number": 1}


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.RECORDED, Effect.EXTERNAL])
async def test_a_call_that_is_over_is_not_run_again_where_the_server_lost_the_consumer(
    world: CallWorld, effect: Effect
) -> None:
    """It comes as a first delivery, and a second after it was asked for."""
    count, acts = counting(effect)
    message = await world.request("count", effect=effect)
    await world.runner("r1", count).handle(delivery(message))
    ended = await world.ended()
    await world.runner("r2", count).handle(delivery(message, again=True))
    assert len(acts) == 1
    assert await world.ended() == ended


async def test_a_claim_whose_answer_was_lost_is_still_ours() -> None:
    log = ForgetfulLog(lose=1, subject="claim")
    world = CallWorld(SOME, log=log)
    count, acts = counting(Effect.EXTERNAL)
    message = await world.request("count", effect=Effect.EXTERNAL)
    await world.runner("r1", count).handle(delivery(message))
    assert len(acts) == 1
    assert (await world.ended()).result == {"number": 1}


async def test_a_result_is_kept_until_the_log_can_be_reached_again() -> None:
    log = ForgetfulLog(lose=3, subject="result", stored=False)
    world = CallWorld(SOME, log=log)
    count, acts = counting(Effect.EXTERNAL)
    message = await world.request("count", effect=Effect.EXTERNAL)
    await world.runner("r1", count).handle(delivery(message))
    assert len(acts) == 1
    assert (await world.ended()).result == {"number": 1}


async def test_an_unknown_tool_is_told_by_name(world: CallWorld) -> None:
    event = await world.run("fetch_moon")
    assert event.error.kind is ErrorKind.UNKNOWN_TOOL
    assert "fetch_moon" in event.error.message


async def test_invalid_arguments_end_an_external_call_before_it_is_claimed(world: CallWorld) -> None:
    event = await world.run("act", {"before_ms": "soon"}, effect=Effect.EXTERNAL)
    assert event.error.kind is ErrorKind.INVALID_ARGUMENTS
    assert event.error.path == "/before_ms"
    assert await world.log.last(SessionKey(AGENT, SESSION).claims) is None


@pytest.mark.parametrize(
    ("how", "kind", "expected", "retryable"),
    [
        ("rejected", None, ErrorKind.REJECTED, False),
        ("rejected", "not_found", ErrorKind.NOT_FOUND, False),
        ("rejected", "blocked", ErrorKind.BLOCKED, False),
        ("rejected", "a_kind_of_its_own", ErrorKind.REJECTED, False),
        ("transient", "upstream", ErrorKind.UPSTREAM, True),
        ("permanent", None, ErrorKind.INTERNAL, False),
        ("permanent", "too_large", ErrorKind.TOO_LARGE, False),
        ("bug", None, ErrorKind.INTERNAL, False),
    ],
)
async def test_whatever_a_tool_raises_becomes_an_error_of_the_closed_list(
    world: CallWorld, how: str, kind: str | None, expected: ErrorKind, retryable: bool
) -> None:
    event = await world.run("fail", {"how": how, "kind": kind, "message": "words"})
    assert event.error.kind is expected
    assert event.error.retryable is retryable
    assert ("words" in event.error.message) is (how != "bug")


async def test_a_failure_of_our_own_parts_lets_the_call_be_handled_again(world: CallWorld) -> None:
    message = await world.request("fail", {"how": "transient"})
    with pytest.raises(Transient):
        await world.runner().handle(delivery(message))
    assert await world.result() is None


async def test_in_an_external_call_a_failure_of_our_own_parts_leaves_the_outcome_unknown(
    world: CallWorld,
) -> None:
    event = await world.run("fail", {"how": "transient"}, effect=Effect.EXTERNAL)
    assert event.error.kind is ErrorKind.OUTCOME_UNKNOWN


@pytest.mark.parametrize(
    ("effect", "kind"),
    [
        (Effect.PURE, ErrorKind.TIMEOUT),
        (Effect.RECORDED, ErrorKind.TIMEOUT),
        (Effect.EXTERNAL, ErrorKind.OUTCOME_UNKNOWN),
        (Effect.EXTERNAL_IDEMPOTENT, ErrorKind.OUTCOME_UNKNOWN),
    ],
)
async def test_a_tool_that_takes_too_long_is_stopped(
    world: CallWorld, effect: Effect, kind: ErrorKind
) -> None:
    stopped = asyncio.Event()

    @tool("dawdle", family="test", effect=effect, timeout_s=0.05)
    async def dawdle(args: Nothing) -> Text:
        """Dawdle."""
        try:
            await asyncio.sleep(60)
        finally:
            stopped.set()
        return Text(text="")

    await world.runner("r1", dawdle).handle(delivery(await world.request("dawdle", effect=effect)))
    assert stopped.is_set()
    assert (await world.ended()).error.kind is kind


async def test_a_tool_that_tries_to_end_its_runner_or_itself_is_a_bug(world: CallWorld) -> None:
    @tool("leave", family="test", effect=Effect.PURE)
    async def leave(args: Nothing) -> Text:
        """Leave."""
        raise SystemExit(3)

    @tool("vanish", family="test", effect=Effect.PURE)
    async def vanish(args: Nothing) -> Text:
        """Vanish."""
        raise asyncio.CancelledError

    runner = world.runner("r1", leave, vanish)
    for call_id, name in (("c1", "leave"), ("c2", "vanish")):
        await runner.handle(delivery(await world.request(name, call_id=call_id)))
        assert (await world.ended(call_id)).error.kind is ErrorKind.INTERNAL


async def test_a_tool_that_returns_something_else_than_a_result_is_a_bug(world: CallWorld) -> None:
    @tool("lie", family="test", effect=Effect.PURE)
    async def lie(args: Nothing) -> Text:
        """Lie."""
        return {"text": "plain"}  # type: ignore[return-value]

    await world.runner("r1", lie).handle(delivery(await world.request("lie")))
    assert (await world.ended()).error.kind is ErrorKind.INTERNAL


@pytest.mark.parametrize(("attempt", "age_s"), [(2, 0), (1, 60)], ids=["delivered again", "delivered late"])
async def test_a_cancelled_call_is_not_started(world: CallWorld, attempt: int, age_s: int) -> None:
    count, acts = counting(Effect.EXTERNAL)
    message = await world.request("count", effect=Effect.EXTERNAL)
    await world.cancel("c0")
    await world.cancel("c1")
    world.clock.ahead = timedelta(seconds=age_s)
    await world.runner("r1", count).handle(delivery(message, attempt))
    assert acts == []
    assert await world.result() is None


@pytest.mark.parametrize("call_id", [CallId("c1"), None], ids=["the call", "the whole session"])
async def test_a_call_that_was_cancelled_just_before_it_was_delivered_is_not_started(
    world: CallWorld, call_id: CallId | None
) -> None:
    count, acts = counting(Effect.EXTERNAL)
    runner = world.runner("r1", count)
    message = await world.request("count", effect=Effect.EXTERNAL)
    await world.cancel("c1")
    runner.stop(SESSION, call_id)
    await runner.handle(delivery(message))
    assert acts == []


async def test_an_old_request_that_is_delivered_as_if_new_runs_nothing(world: CallWorld) -> None:
    count, acts = counting(Effect.PURE)
    message = await world.request("count")
    await world.runner("r1", count).handle(delivery(message))
    world.clock.ahead = timedelta(days=30)
    await world.runner("r2", count).handle(delivery(message))
    assert len(acts) == 1


async def test_another_calls_cancellation_stops_nothing(world: CallWorld) -> None:
    count, acts = counting(Effect.PURE)
    message = await world.request("count")
    await world.cancel("c2")
    runner = world.runner("r1", count)
    runner.stop(SESSION, CallId("c2"))
    await runner.handle(delivery(message, 2))
    assert len(acts) == 1


@pytest.mark.parametrize("call_id", [CallId("c1"), None], ids=["the call", "the whole session"])
async def test_a_running_call_stops_when_the_engine_tells(world: CallWorld, call_id: CallId | None) -> None:
    gate = asyncio.Event()
    count, acts = counting(Effect.PURE, gate)
    runner = world.runner("r1", count)
    handling = asyncio.create_task(runner.handle(delivery(await world.request("count"))))
    await until(lambda: acts)
    runner.stop(SessionId("s2"), None)
    runner.stop(SESSION, CallId("c2"))
    await all_had_their_turn()
    assert not handling.done()
    runner.stop(SESSION, call_id)
    await asyncio.wait_for(handling, 60)
    assert await world.result() is None


async def test_a_result_of_256_kib_stands_in_its_event(world: CallWorld) -> None:
    size = LARGEST_RESULT - len('{"text":""}')
    event = await world.run("big", {"bytes": size})
    assert len(event.result["text"]) == size
    assert event.excerpt is None


async def test_a_larger_result_is_a_blob_of_which_the_model_gets_both_ends(world: CallWorld) -> None:
    size = LARGEST_RESULT - len('{"text":""}') + 1
    event = await world.run("big", {"bytes": size})
    assert event.result is None
    whole = await world.blobs.get(event.excerpt.blob.sha256)
    assert msgspec.json.decode(whole) == {"text": ("0123456789" * size)[:size]}
    assert event.excerpt.blob.size == len(whole) == LARGEST_RESULT + 1
    assert whole.decode().startswith(event.excerpt.head)
    assert whole.decode().endswith(event.excerpt.tail)
    assert len(event.excerpt.head) + len(event.excerpt.tail) < 20_000


async def test_text_that_nobody_can_store_is_replaced(world: CallWorld) -> None:
    @tool("babble", family="test", effect=Effect.PURE)
    async def babble(args: Nothing) -> Text:
        """Babble."""
        return Text(text="a\x00b\ud800c")

    @tool("groan", family="test", effect=Effect.PURE)
    async def groan(args: Nothing) -> Text:
        """Groan."""
        raise Rejected("a\x00b\ud800c")

    runner = world.runner("r1", babble, groan)
    await runner.handle(delivery(await world.request("babble")))
    assert (await world.ended()).result == {"text": "a\ufffdb\ufffdc"}
    await runner.handle(delivery(await world.request("groan", call_id="c2")))
    assert (await world.ended("c2")).error.message == "a\ufffdb\ufffdc"


async def test_calls_run_at_the_same_time(world: CallWorld) -> None:
    gate = asyncio.Event()
    count, acts = counting(Effect.PURE, gate)
    runner = world.runner("r1", count)
    messages = [await world.request("count", call_id=f"c{n}") for n in range(20)]
    handling = [asyncio.create_task(runner.handle(delivery(message))) for message in messages]
    await until(lambda: len(acts) == 20)
    gate.set()
    await asyncio.gather(*handling)


async def test_a_request_that_is_given_up_gets_a_failed_result(world: CallWorld) -> None:
    message = await world.request("count")
    await world.runner().give_up(message, "delivered 5 times")
    error = (await world.ended()).error
    assert error.kind is ErrorKind.INTERNAL
    assert "delivered 5 times" in error.message


@pytest.mark.parametrize("effect", [Effect.EXTERNAL, Effect.EXTERNAL_IDEMPOTENT])
async def test_one_that_may_have_acted_is_given_up_as_outcome_unknown(
    world: CallWorld, effect: Effect
) -> None:
    gate = asyncio.Event()
    count, acts = counting(effect, gate)
    message = await world.request("count", effect=effect)
    await die_in_the_middle(world, count, acts, message)
    await world.runner("r2", count).give_up(message, "delivered 5 times")
    assert (await world.ended()).error.kind is ErrorKind.OUTCOME_UNKNOWN


async def test_giving_up_a_call_that_has_a_result_changes_nothing(world: CallWorld) -> None:
    message = await world.request("say", {"text": "half way"})
    await world.runner().handle(delivery(message))
    await world.runner("r2").give_up(message, "delivered 5 times")
    assert isinstance((await world.ended()), ToolCallCompleted)


async def test_what_is_no_request_runs_nothing_and_ends_nothing(world: CallWorld) -> None:
    good = await world.request("count")
    assert good.envelope is not None
    for changed in (
        {"data": b"{]"},
        {"envelope": msgspec.structs.replace(good.envelope, source=event_sources.RUNNER)},
        {"envelope": msgspec.structs.replace(good.envelope, type="foldline.session.tool_call_requested.v9")},
        {"subject": good.subject.replace(".tools", ".browser")},
    ):
        await world.runner().handle(delivery(msgspec.structs.replace(good, **changed)))
    assert await world.result() is None


@pytest.mark.parametrize("where", ["result", "claim"])
async def test_a_misfit_in_the_place_of_a_result_or_a_claim_stands_in_nobodys_way(
    world: CallWorld, where: str
) -> None:
    count, acts = counting(Effect.EXTERNAL)
    good = await world.request("count", effect=Effect.EXTERNAL)
    key = SessionKey(AGENT, SESSION)
    place = {"result": key.results, "claim": key.claims}[where]
    await world.log.append(NewMessage(place, b"forged", {}))
    await world.runner("r1", count).handle(delivery(good))
    stored = [read(message) async for message in world.log.read(key.results)]
    ended = [one for one in stored if not isinstance(one, SkippedMessage)]
    assert [type(one.event) for one in ended] == [ToolCallCompleted]
    await world.runner("r2", count).handle(delivery(good, attempt=2))
    assert len([one async for one in world.log.read(key.results)]) == len(stored)
    assert len(acts) == 1


async def test_a_result_from_before_the_request_does_not_count(world: CallWorld) -> None:
    early = ToolCallCompleted(CallId("c1"), 1, "r", duration_ms=1)
    key = SessionKey(AGENT, SESSION)
    message, _ = event_message(early, key.results, Origin(event_sources.RUNNER), SystemClock())
    await world.log.append(message)
    good = await world.request("count")
    await world.runner().handle(delivery(good))
    assert len([one async for one in world.log.read(key.results)]) == 2


async def test_a_result_that_the_log_refuses_ends_the_call_all_the_same() -> None:
    world = CallWorld(SOME, log=MemoryLog(max_payload=2000))
    event = await world.run("big", {"bytes": 4000})
    assert event.error.kind is ErrorKind.INTERNAL
    assert "2000" in event.error.message


async def die_in_the_middle(world: CallWorld, count: Tool, acts: list[str], message: StoredMessage) -> None:
    """A runner starts the call, acts, and is gone before it has a result."""
    dying = asyncio.create_task(world.runner("dead", count).handle(delivery(message)))
    await until(lambda: acts)
    dying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await dying


class ForgetfulLog(MemoryLog):
    """Loses the answers to the first appends on some subjects, with or without having stored them."""

    def __init__(self, *, lose: int, subject: str, stored: bool = True) -> None:
        super().__init__()
        self._lose, self._subject, self._stored = lose, f".{subject}", stored

    async def append(self, message: NewMessage, expect: Expect | None = None) -> int:
        if self._subject not in message.subject or not self._lose:
            return await super().append(message, expect)
        self._lose -= 1
        if self._stored:
            await super().append(message, expect)
        raise Transient("no answer", kind="timeout")


async def test_the_forgetful_log_is_one() -> None:
    log = ForgetfulLog(lose=1, subject="claim")
    message = NewMessage("a.claim", b"", {})
    with pytest.raises(Transient):
        await log.append(message, Expect("a.claim", 0))
    with pytest.raises(Conflict):
        await log.append(message, Expect("a.claim", 0))
