"""What runs now, and the likely causes of trouble."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

import msgspec

from agent_contracts.api.operating import Activity, BusySession, ModelPace
from agent_contracts.errors import Transient
from agent_contracts.moments import milliseconds_between
from agent_platform.observing.recent_appends import SLOW_APPEND_S, WINDOW_S
from agent_platform.process.clock import SystemClock, rfc3339
from foldline.cli.client import Gateway
from foldline.cli.watching.local_processes import local_processes
from foldline.cli.watching.numbers import MetricsPage, only_positive
from foldline.disk_room import DiskRoom

OLD_CALL_S = 30.0
"""A model call that takes longer is slow, also one that is being answered."""
LONG_SILENCE_S = 10.0
"""A model counts as slow when one of its calls has waited for longer without a token."""
SLOW_FIRST_TOKEN_MS = 10_000
"""A model is slow that needs longer to its first token, in more than one of ten calls of the window."""
OLD_TOOL_S = 120.0
OFTEN_FAILED = 0.2
"""A model fails of whose calls a larger share failed in the window."""
MOSTLY = 0.5
"""A disk is slow that needs long for a larger share of what was written in the last half minute."""
LONG_LAG_S = 10.0
FULL_INBOX = 10
"""Approvals and questions that wait; with more of them agents stand still for want of a person."""
MANY_WAIT = 100
MUCH_MEMORY = 2_000_000_000
"""Bytes of one service, or of all processes of one program beside it."""
LOOPS = 40
"""Calls of one session in the window: as many as nobody makes who gets on."""
RESTS_S = 60.0
"""A session that isn't at work, and to which nothing has happened for so long, is none of them any more."""


class Cause(msgspec.Struct, frozen=True):
    """Something that is likely to be wrong, and what to do about it."""

    what: str
    to_do: str


class ModelCallsInHand(msgspec.Struct, frozen=True):
    """Calls of one model that have not ended: those that wait for the first token, or those that are being
    answered; and since how many seconds the oldest does."""

    model: str
    is_waiting: bool
    number: int
    oldest_s: float


class AppendPace(msgspec.Struct, frozen=True):
    """What was written to NATS in the last half minute, how much of it slowly, and the mean in seconds."""

    number: int
    slow: int
    mean_s: float | None


class LiveOverview(msgspec.Struct, frozen=True):
    """One look at a running Foldline."""

    at: str
    url: str
    version: str | None
    services: dict[str, int]
    stores: dict[str, int]
    sessions: dict[str, int]
    waiting_for_person: dict[str, int]
    models: dict[str, ModelPace]
    """How each model answered the calls that ended in the window."""
    model_calls: list[ModelCallsInHand]
    """Those that have not ended."""
    tools: dict[str, int]
    """Tool calls that ended since the gateway's start, by ending."""
    queues: dict[str, tuple[int, int]]
    """Messages that wait and that are in hand, by consumer; those with neither are left out."""
    appends: AppendPace
    lists_behind_s: float | None
    dead_letters: int
    memory: dict[str, int]
    sandbox: dict[str, int]
    disk: dict[str, dict[str, int]]
    last_backup_at: str | None
    busiest: list[BusySession]
    window_s: int
    causes: list[Cause] = []


def overview(door: Gateway, supervisor: int | None) -> LiveOverview:
    """Look now. `supervisor` is its process id, if it is on this machine."""
    numbers = MetricsPage(door.metrics())
    activity = _activity(door, numbers)
    backup = numbers.sum("foldline_last_backup_timestamp_seconds")
    now = SystemClock().now()
    seen = LiveOverview(
        at=rfc3339(now),
        url=door.url,
        version=numbers.label("foldline_build_info", "version"),
        services={name: int(n) for name, n in numbers.by("foldline_service_up", "service").items()},
        stores={name: int(n) for name, n in numbers.by("foldline_source_up", "source").items()},
        sessions=only_positive(numbers.by("foldline_sessions", "status")),
        waiting_for_person=only_positive(numbers.by("foldline_waiting_for_person", "kind")),
        models=activity.models,
        model_calls=_model_calls(numbers),
        tools=only_positive(numbers.by("foldline_tool_calls_total", "ending")),
        queues=_queues(numbers),
        appends=_appends(numbers),
        lists_behind_s=_lag(numbers),
        dead_letters=int(numbers.sum("foldline_dead_letters")),
        memory=_memory(numbers, supervisor),
        sandbox={
            what: int(numbers.sum(f"foldline_sandbox_memory_{what}"))
            for what in ("bytes", "limit_bytes", "waiting")
        },
        disk={
            name: {"free": int(free), "size": int(numbers.sum("foldline_disk_size_bytes", disk=name))}
            for name, free in numbers.by("foldline_disk_free_bytes", "disk").items()
        },
        last_backup_at=rfc3339(datetime.fromtimestamp(backup, now.tzinfo)) if backup else None,
        busiest=activity.items,
        window_s=activity.window_s,
    )
    return msgspec.structs.replace(seen, causes=causes(seen))


def _activity(door: Gateway, numbers: MetricsPage) -> Activity:
    """The busiest sessions; empty while Postgres can't be reached."""
    if numbers.sum("foldline_source_up", source="postgres"):
        with suppress(Transient):
            return door.read("/activity", Activity)
    return Activity(items=[], next_cursor=None, window_s=0, models={})


def seconds_since(moment: str | None, now: str) -> float:
    """Seconds from one time to another; 0 if there is none."""
    return milliseconds_between(moment, now) / 1000 if moment else 0.0


def causes(seen: LiveOverview) -> list[Cause]:
    """What is likely to be wrong, the worst first. What follows from a full disk isn't named beside it."""
    return [*_of_disks(seen), *(() if is_full(seen) else _of_parts(seen)), *causes_of_load(seen)]


def _rooms(seen: LiveOverview) -> dict[str, DiskRoom]:
    return {name: DiskRoom(disk["free"], disk["size"]) for name, disk in seen.disk.items()}


def is_full(seen: LiveOverview) -> bool:
    """Whether nothing can be stored: services, queues, models and the disk's speed all follow from that."""
    return any(room.is_full for room in _rooms(seen).values())


def _of_disks(seen: LiveOverview) -> Iterator[Cause]:
    for name, room in _rooms(seen).items():
        to_do = "make room: docs/operate/runbook.md#the-disk-is-full"
        if room.is_full:
            yield Cause(f"the disk of {name} is full: {room}. What was stored before is safe", to_do)
        elif room.is_nearly_full and not is_full(seen):
            yield Cause(f"the disk of {name} is nearly full: {room}", to_do)


def _of_parts(seen: LiveOverview) -> Iterator[Cause]:
    for name, answers in seen.stores.items():
        if not answers:
            yield Cause(f"{name} can't be reached", "foldline doctor")
    yield from causes_of_services(seen)
    if seen.lists_behind_s is not None and seen.lists_behind_s > LONG_LAG_S:
        yield Cause(
            f"the lists are {seen.lists_behind_s:.0f} s behind", "foldline projections; is Postgres slow?"
        )
    for name, (waiting, _) in seen.queues.items():
        if waiting > MANY_WAIT:
            yield Cause(
                f"{waiting} messages wait for {name}",
                "start more of its processes: up --processes --replicas",
            )
    if seen.dead_letters:
        yield Cause(f"{seen.dead_letters} messages could not be handled", "foldline dlq")


def causes_of_services(seen: LiveOverview) -> Iterator[Cause]:
    """The services that don't answer, where that doesn't follow from something else."""
    if is_full(seen) or not seen.stores.get("nats", 1):
        return
    for name, processes in seen.services.items():
        if not processes:
            yield Cause(
                f"{name} doesn't answer",
                "it is dead or hangs: see *A service doesn't answer* in docs/operate/runbook.md. Its "
                f"log is logs/foldline.{name}.log, or logs/foldline.log where all are one process",
            )


def causes_of_load(seen: LiveOverview) -> Iterator[Cause]:
    """Those of what models, disks, agents and people do, while all parts of Foldline may be well."""
    if not is_full(seen):
        yield from _of_log(seen)
        yield from _of_models(seen)
        yield from _of_tools(seen)
    yield from _of_sessions(seen)
    yield from _of_people(seen)
    for name, held in seen.memory.items():
        if held > MUCH_MEMORY:
            yield Cause(
                f"{'Foldline' if name == 'all' else name} has {held / 1e9:.1f} GB of memory",
                "docs/operate/runbook.md#memory-grows says what may have it, and how to bound it",
            )
    if seen.sandbox["waiting"]:
        taken, limit = (seen.sandbox[which] / 2**20 for which in ("bytes", "limit_bytes"))
        yield Cause(
            f"agents' code waits for memory: {seen.sandbox['waiting']} runs wait, and {taken:.0f} of "
            f"{limit:.0f} MiB are taken",
            "below are the sessions that run code: foldline stop SESSION, or raise FOLDLINE_SANDBOX_MEMORY",
        )


def _of_log(seen: LiveOverview) -> Iterator[Cause]:
    number, slow, mean_s = seen.appends.number, seen.appends.slow, seen.appends.mean_s or 0.0
    if slow > MOSTLY * number and seen.stores.get("nats", 1):
        yield Cause(
            f"the disk is slow: an append to the log takes {mean_s * 1000:.0f} ms ({slow} of {number} in the "
            f"last {WINDOW_S:.0f} seconds took longer than {SLOW_APPEND_S * 1000:.0f} ms)",
            "see what else writes to it and if the processors are busy; put the data directory on an SSD",
        )


def _of_models(seen: LiveOverview) -> Iterator[Cause]:
    minutes = seen.window_s // 60
    for name in dict.fromkeys([*(one.model for one in seen.model_calls), *seen.models]):
        pace = seen.models.get(name)
        said = [
            _awaited(one)
            for one in seen.model_calls
            if one.model == name and one.oldest_s > (LONG_SILENCE_S if one.is_waiting else OLD_CALL_S)
        ]
        if pace is not None and (pace.first_token_ms or 0) > SLOW_FIRST_TOKEN_MS:
            said.append(f"its first token took up to {_ended(pace.first_token_ms, pace, minutes)}")
        elif pace is not None and (pace.call_ms or 0) > OLD_CALL_S * 1000:
            said.append(f"its answers took up to {_ended(pace.call_ms, pace, minutes)}")
        if said:
            yield Cause(
                f"{name} is slow: {', and '.join(said)}",
                "foldline models test; choose another model, or name a second one",
            )
        failed = sum(pace.failed.values()) if pace is not None else 0
        if pace is not None and failed / pace.calls > OFTEN_FAILED:
            yield Cause(
                f"{name} fails: {', '.join(f'{n} {kind}' for kind, n in pace.failed.items())} "
                f"of {pace.calls} calls in the last {minutes} minutes",
                "foldline models test",
            )


def _awaited(calls: ModelCallsInHand) -> str:
    age = f"{calls.oldest_s:.0f} s"
    if calls.number == 1:
        waits = f"a call has waited {age} for its first token"
        return waits if calls.is_waiting else f"a call has been answered for {age}, and hasn't ended"
    doing = "wait for their first token" if calls.is_waiting else "are being answered"
    return f"{calls.number} calls {doing}, the oldest for {age}"


def _ended(milliseconds: int | None, pace: ModelPace, minutes: int) -> str:
    calls = "one call" if pace.calls == 1 else f"{pace.calls} calls"
    return f"{(milliseconds or 0) / 1000:.0f} s in {calls} of the last {minutes} minutes"


def _of_people(seen: LiveOverview) -> Iterator[Cause]:
    kinds = {kind: seen.waiting_for_person.get(kind, 0) for kind in ("approval", "question", "call")}
    if sum(kinds.values()) > FULL_INBOX:
        said = ", ".join(f"{number} {kind}{'s' * (number > 1)}" for kind, number in kinds.items() if number)
        yield Cause(
            f"{said} wait for a person: these chats stand still until somebody answers",
            "foldline inbox lists them; foldline approvals shows what would run, and allows or refuses it",
        )


def _of_sessions(seen: LiveOverview) -> Iterator[Cause]:
    for one in seen.busiest:
        rests = one.status != "running" and seconds_since(one.updated_at, seen.at) > RESTS_S
        if one.model_calls + one.tool_calls > LOOPS and not rests:
            yield Cause(
                f"session {one.id} made {one.model_calls + one.tool_calls} calls in "
                f"{seen.window_s // 60} minutes",
                f"does it go round in circles? foldline show {one.id}; foldline stop {one.id}",
            )


def _of_tools(seen: LiveOverview) -> Iterator[Cause]:
    for one in seen.busiest:
        call = one.open_call
        if call is not None and call.what == "tool":
            age = seconds_since(call.requested_at, seen.at)
            if age > OLD_TOOL_S:
                yield Cause(
                    f"{call.name} has run for {age:.0f} s in session {one.id}", f"foldline why {one.id}"
                )


def _model_calls(numbers: MetricsPage) -> list[ModelCallsInHand]:
    return [
        ModelCallsInHand(
            model,
            state == "waiting",
            int(numbers.sum("foldline_model_calls_in_hand", model=model, state=state)),
            numbers.highest("foldline_model_oldest_call_seconds", model=model, state=state),
        )
        for model in numbers.by("foldline_model_calls_in_hand", "model")
        for state in ("waiting", "answering")
        if numbers.sum("foldline_model_calls_in_hand", model=model, state=state)
    ]


def _appends(numbers: MetricsPage) -> AppendPace:
    paces = {pace: int(number) for pace, number in numbers.by("foldline_recent_appends", "pace").items()}
    number, took_s = sum(paces.values()), numbers.sum("foldline_recent_append_seconds")
    return AppendPace(number, paces.get("slow", 0), took_s / number if number else None)


def _queues(numbers: MetricsPage) -> dict[str, tuple[int, int]]:
    in_hand = numbers.by("foldline_consumer_in_hand", "consumer")
    waiting = numbers.by("foldline_consumer_waiting", "consumer")
    return {
        name: (int(number), int(in_hand.get(name, 0)))
        for name, number in waiting.items()
        if number or in_hand.get(name, 0)
    }


def _lag(numbers: MetricsPage) -> float | None:
    if not numbers.has("foldline_projection_lag_seconds"):
        return None
    return max(numbers.by("foldline_projection_lag_seconds", "projection").values())


def _memory(numbers: MetricsPage, supervisor: int | None) -> dict[str, int]:
    """Bytes by service, as services say; and of the programs beside them, where they are on this machine."""
    services = numbers.by("process_resident_memory_bytes", "service")
    found = {name: int(number) for name, number in services.items()}
    for process in local_processes(supervisor) if supervisor is not None else ():
        if process.pid != supervisor and process.name not in services:
            found[process.name] = found.get(process.name, 0) + process.memory_bytes
    return found
