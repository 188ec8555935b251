"""What one session waits for, since when, on whom, and what to do."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from agent_contracts.api.calls import ToolCall
from agent_contracts.api.operating import WorkOverview
from agent_contracts.api.sessions import Session
from agent_contracts.log.subjects import ENGINE_CONSUMER, MODEL_CALLER_CONSUMER, consumer_of
from agent_contracts.tool_spec import RunsOn
from foldline.cli.watching.overview import OLD_CALL_S, seconds_since


class WaitReason(msgspec.Struct, frozen=True):
    """One thing that the session waits for. `since_at` is RFC 3339 in UTC; null: nobody knows."""

    what: str
    since_at: str | None
    on: str
    to_do: str


def reasons(session: Session, work: WorkOverview, stuck: bool, now: str) -> list[WaitReason]:
    """All that it waits for, at the time `now`; empty: nothing."""
    workforce = _Workforce(session, work)
    found = list(_by_status(session))
    if session.open_model_call is not None:
        found.append(_model(session, session.open_model_call, workforce, now))
    found += [_call(session, call, workforce) for call in session.open_calls]
    found += [
        WaitReason(
            f"sub-session {child.id} ({child.title or 'without a title'}), which is {_said(child.status)}",
            None,
            "that session",
            f"foldline why {child.id}",
        )
        for child in session.children
        if child.status in ("running", "waiting_for_input")
    ]
    if session.status == "running" and not found:
        found.append(
            WaitReason(
                f"a session engine to decide what comes next; {workforce.waiting(ENGINE_CONSUMER)} messages "
                "wait for it",
                session.updated_at,
                "the service engine",
                "foldline runners: is an engine alive? Then foldline top: is the disk slow?",
            )
        )
    if stuck:
        found.append(
            WaitReason(
                "something that can't come any more",
                session.updated_at,
                "nobody",
                f"foldline sessions unstick {session.id}",
            )
        )
    return found


class _Workforce:
    """Who works on the calls of one session."""

    def __init__(self, session: Session, work: WorkOverview) -> None:
        self._session = session
        self._alive = [one for one in work.workers if one.alive]
        self._queues = {queue.consumer: queue for queue in work.queues}

    def waiting(self, consumer: str) -> int:
        """Messages that nobody has taken."""
        queue = self._queues.get(consumer)
        return queue.waiting if queue else 0

    def wait(self, what: str, call_id: str, consumer: str, since: str | None, *, on: str = "") -> WaitReason:
        """The wait for a call that a worker of `consumer` does, or is to do. Workers tell every ten seconds
        what they have in hand; before, what isn't in the queue any more is with one of them."""
        stop = f"foldline stop {self._session.id} ends it"
        for worker in self._alive:
            for held in worker.in_hand:
                if (held.session_id, held.call_id) == (self._session.id, call_id):
                    by = f"a process of {consumer}: {worker.process} on {worker.host}"
                    return WaitReason(what, held.started_at, f"{on}{by}", stop)
        able = [worker for worker in self._alive if worker.consumer == consumer]
        if able and not self.waiting(consumer):
            return WaitReason(what, since, f"{on}a process of {consumer}", stop)
        nobody = "none is running" if not able else f"{self.waiting(consumer)} messages wait before it"
        return WaitReason(
            f"{what}, which no worker has taken yet",
            since,
            f"a worker of {consumer}: {nobody}",
            f"foldline runners; start one of {consumer} if none is running, or more of them",
        )


def _by_status(session: Session) -> Iterator[WaitReason]:
    failed = session.failed_turn
    if session.status == "token_limit_reached":
        yield WaitReason(
            f"a higher token limit: it used {session.usage.tokens} of {session.token_limit}",
            session.updated_at,
            "you",
            f"foldline continue {session.id} TOKENS",
        )
    elif session.status == "idle" and failed is not None:
        again = f"; it goes on at {failed.retry_at}, or as soon as that works" if failed.retry_at else ""
        setting = f"foldline config set {failed.setting} VALUE, then " if failed.setting else ""
        yield WaitReason(
            f"its failed turn ({failed.kind}): {failed.message}{again}",
            session.updated_at,
            "the time, or you" if failed.retry_at else "you",
            f"{setting}foldline retry {session.id}",
        )


def _model(session: Session, call_id: str, workforce: _Workforce, now: str) -> WaitReason:
    model = session.model or "the model"
    asked = "the model's server, asked by "
    wait = workforce.wait(
        f"the answer of {model}", call_id, MODEL_CALLER_CONSUMER, session.updated_at, on=asked
    )
    if wait.on.startswith(asked) and seconds_since(wait.since_at, now) > OLD_CALL_S:
        return replace(
            wait,
            what=f"{wait.what}, which is slow",
            to_do=f"{wait.to_do}; foldline models test says how fast it is, foldline top whether all wait",
        )
    return wait


def _call(session: Session, call: ToolCall, workforce: _Workforce) -> WaitReason:
    if call.status == "pending":
        return _person(session, call)
    place = RunsOn(call.runs_on) if call.runs_on in set(RunsOn) else RunsOn.TOOLS
    consumer = ENGINE_CONSUMER if place is RunsOn.ENGINE else consumer_of(place)
    what = f"the tool {call.tool} (call {call.call_id})"
    return workforce.wait(what, call.call_id, consumer, call.requested_at)


def _person(session: Session, call: ToolCall) -> WaitReason:
    kind = (call.show or {}).get("kind")
    if kind == "approval":
        return WaitReason(
            f"a yes or no to {call.tool}",
            call.requested_at,
            "you",
            f"foldline approvals show {session.id}/{call.call_id}; foldline answer {session.id} yes",
        )
    if kind == "mcp_task":
        return WaitReason(
            f"a task of an MCP server ({call.tool})",
            call.requested_at,
            "that server",
            f"foldline stop {session.id} ends the wait",
        )
    if call.runs_on == RunsOn.ENGINE and call.show is None:
        return WaitReason(f"{call.tool}", call.requested_at, "a time, or another session", "nothing")
    return WaitReason(
        f"an answer to {call.tool}", call.requested_at, "you", f"foldline answer {session.id} ANSWER"
    )


def _said(status: str) -> str:
    return status.replace("_", " ")
